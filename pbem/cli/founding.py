"""Set up a new house: `pbem init`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import logs, show
from pbem.cli.room import outside

if TYPE_CHECKING:
    from pbem.config import Config

PRIVATE = 0o077


def init(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Where the house is to lie; made if it is not there.")] = Path(),
) -> None:
    """Set up a new house in a folder.

    It has a config, a database, a key and two Maildirs. Nothing that is there is overwritten. All of it is for you
    alone to read.
    """
    _say_next(folder, found(folder, outside(context).clock()))


def found(folder: Path, now: datetime) -> "Config":
    """Set up a new house in a folder as of now, and give its settings.

    Raises: AdminError if anything would be overwritten.
    """
    from pbem import config, paths

    with _private():
        _make(folder)
        file = folder / config.FILE
        _refuse(file)
        example = paths.bundled("config.example.toml").read_bytes()
        settings = _settings(folder, example)
        _furnish(settings, now)
        file.write_bytes(example)  # last, so that a house with a config is whole
    return settings


def _make(folder: Path) -> None:
    from pbem.errors import AdminError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AdminError(f"the folder {folder} cannot be made: {error.strerror}") from error


def _settings(folder: Path, example: bytes) -> "Config":
    """Read the settings as they will be, and make sure that nothing they name is there yet."""
    import tomllib

    from pbem.config import Config

    settings = Config(**{**tomllib.loads(example.decode()), "folder": folder.resolve()})
    store = settings.store
    for path in (settings.path(store.key_file), settings.path(store.instance_file)):
        _refuse(path)
    if settings.database_url.startswith("sqlite:///"):
        _refuse(Path(settings.database_url.removeprefix("sqlite:///")))
    return settings


def _refuse(path: Path) -> None:
    from pbem.errors import AdminError

    if path.exists() or path.is_symlink():
        raise AdminError(f"{path} is there already, and nothing is overwritten; choose another folder")


def _refuse_full(revision: str | None) -> None:
    from pbem.errors import AdminError

    if revision is not None:
        raise AdminError("the database holds a house already, and nothing is overwritten; name an empty one")


def _furnish(settings: "Config", now: datetime) -> None:
    """Make the key, the database at its newest step, the instance file, and the Maildirs."""
    from pbem.services import instance
    from pbem.services.house import furnish, new_key
    from pbem.store import migrate
    from pbem.store.session import connect, read, transact

    logs.start(settings)
    db = connect(settings.database_url)
    try:
        _refuse_full(migrate.current(db))
        settings.path(settings.store.key_file).write_text(new_key() + "\n")
        house = furnish(settings)
        migrate.upgrade(db)
        transact(db, lambda session: instance.found(session, house, now))
        instance.keep(house, read(db, instance.known))
    finally:
        db.dispose()
    for maildir in (settings.mail.inbox, settings.mail.outbox):
        for part in ("tmp", "new", "cur"):
            (settings.path(maildir) / part).mkdir(parents=True, exist_ok=True)


@contextmanager
def _private() -> Iterator[None]:
    before = os.umask(PRIVATE)
    try:
        yield
    finally:
        os.umask(before)


def _say_next(folder: Path, settings: "Config") -> None:
    show.line(f"A new house is set up in {folder.resolve()}:")
    show.line("  config.toml      its settings, each with a remark")
    show.line(f"  {settings.store.key_file!s:15}  the key that signs every letter: keep it secret, and keep a copy")
    show.line(f"  {settings.mail.inbox!s:15}  a Maildir: letters to the office")
    show.line(f"  {settings.mail.outbox!s:15}  a Maildir: letters from the office")
    show.line("Next:")
    if folder.resolve() != Path.cwd():
        show.line(f"  cd {folder}")
    show.line("  pbem admin add-player alice --email alice@example.org")
    show.line("  pbem admin new-game blame --players alice,bob,carol")
    show.line("  pbem poll        (one pass over the post; `pbem serve` goes on by itself)")
