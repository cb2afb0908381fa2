"""Find a game by its name, with its module and templates, and fill in the hooks that it left out."""

import contextlib
import functools
import importlib
from collections.abc import Mapping
from importlib import metadata
from importlib.resources import files
from types import ModuleType
from typing import Any

import pydantic

from engines import ENGINES
from pbem import paths
from pbem.engine import BadOption, Engine
from pbem.errors import AdminError

GROUP = "pbem.games"


def names() -> list[str]:
    """List the games that can be played here, bundled and installed."""
    return sorted({*ENGINES, *(point.name for point in metadata.entry_points(group=GROUP))})


def folders() -> list[str]:
    """List where templates of games lie; an installed game that cannot be loaded is no harm to the others."""
    found = []
    for name in names():
        with contextlib.suppress(AdminError):
            found.append(get(name).templates)
    return found


@functools.cache
def get(name: str) -> Engine:
    """Find a game by its name and complete it.

    Raises: AdminError if there is none of that name.
    """
    if name in ENGINES:
        return complete(name, importlib.import_module(ENGINES[name]), str(paths.bundled("templates")))
    for point in metadata.entry_points(group=GROUP):
        if point.name == name:
            return _installed(point)
    raise AdminError(f"there is no game {name!r}; there are: {', '.join(names())}")


def _installed(point: metadata.EntryPoint) -> Engine:
    try:
        module: ModuleType = point.load()
        return complete(point.name, module, templates_of(module))
    except Exception as error:
        raise AdminError(f"the game {point.name!r} ({point.value}) cannot be loaded: {error!r}") from error


def templates_of(module: ModuleType) -> str:
    """Find the templates that a game brings: in its own package, in the one around that, or bundled with the house."""
    packages = [module.__name__, *([module.__package__] if module.__package__ else [])]
    packages.append(module.__name__.partition(".")[0])
    for package in packages:
        with contextlib.suppress(TypeError, ModuleNotFoundError):  # a plain module is no package
            folder = files(package) / "templates"
            if folder.is_dir():
                return str(folder)
    return str(paths.bundled("templates"))


def complete(name: str, module: Any, templates: str) -> Engine:
    """Make an Engine of a game module: its own hooks, and the house's where it left one out."""
    states = pydantic.TypeAdapter[Any](module.State)
    options = pydantic.TypeAdapter[Any](module.Options)
    return Engine(
        name=name,
        title=module.TITLE,
        seats=module.SEATS,
        version=module.VERSION,
        endings=module.ENDINGS,
        kinds=getattr(module, "KINDS", ()),
        memory=module.MEMORY,
        notation=module.NOTATION,
        standing=getattr(module, "STANDING", ()),
        bots=getattr(module, "BOTS", {}),
        templates=templates,
        options=functools.partial(_read_options, name, options),
        dump_options=lambda value: options.dump_json(value).decode(),
        load_options=options.validate_json,
        dump=lambda state: states.dump_json(state).decode(),
        load=states.validate_json,
        setup=module.setup,
        awaiting=module.awaiting,
        interrupts=getattr(module, "interrupts", lambda state: ()),
        unasked=getattr(module, "unasked", lambda order: False),
        parse=module.parse,
        format=module.format,
        settled=getattr(module, "settled", lambda state, orders: orders.keys() >= module.awaiting(state).keys()),
        resolve=module.resolve,
        default=module.default,
        view=module.view,
        turn=module.turn,
        silent=getattr(module, "silent", lambda state: ()),
        result=module.result,
        sample=module.sample,
        reshuffle=module.reshuffle,
        learned=getattr(module, "learned", lambda event, seat: 0),
        scored=getattr(module, "scored", lambda state: None),
        audit=module.audit,
    )


def _read_options(name: str, adapter: "pydantic.TypeAdapter[Any]", given: Mapping[str, str]) -> Any:
    known = set(adapter.json_schema().get("properties", {}))
    for option in given:
        if option not in known:
            raise BadOption(f"{name} has no option {option!r}; it has: {', '.join(sorted(known))}")
    try:
        return adapter.validate_python(dict(given))
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        option = ".".join(str(part) for part in first["loc"])
        raise BadOption(f"option {option}={first['input']!r}: {first['msg']}") from error
