"""Furnish the services: config, token key, and the renderer with all templates."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import jinja2

from pbem import games, paths
from pbem.config import Config
from pbem.core.render import Renderer
from pbem.engine import Engine
from pbem.errors import AdminError

POST = "mail"
MATRIX = "matrix"


@dataclass(frozen=True)
class House:
    """Hold what every service needs.

    Secret: `key` signs the tokens; it is never shown.
    """

    config: Config
    key: bytes = field(repr=False)
    entropy: Callable[[int], bytes] = secrets.token_bytes

    @cached_property
    def renderer(self) -> Renderer:
        """Give the renderer of the house's templates and those of every game that can be loaded."""
        return renderer()

    def engine(self, name: str) -> Engine:
        """Find a game by name."""
        return games.get(name)


def renderer() -> Renderer:
    """Make a renderer of the house's templates and those of every game that can be loaded."""
    folders = [str(paths.bundled("templates")), *games.folders()]
    return Renderer(jinja2.FileSystemLoader(list(dict.fromkeys(folders))))


def furnish(config: Config, entropy: Callable[[int], bytes] = secrets.token_bytes) -> House:
    """Read the token key.

    Raises: AdminError if it is missing or damaged.
    """
    path = config.path(config.store.key_file)
    try:
        key = bytes.fromhex(path.read_text().strip())
    except FileNotFoundError as error:
        raise AdminError(
            f"there is no {path}: `pbem init` makes one; without the old one no old letter can be answered"
        ) from error
    except (OSError, ValueError) as error:
        raise AdminError(f"{path} holds no key: it should be 64 letters and digits") from error
    if len(key) < 16:
        raise AdminError(f"the key in {path} is too short")
    return House(config, key, entropy)


def new_key() -> str:
    """Make a token key."""
    return secrets.token_hex(32)
