"""Open the house that a command works in: its config, its key, its database, all checked before anything is done."""

import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from pbem.cli import logs

if TYPE_CHECKING:
    import sqlalchemy as sa

    from pbem.config import Config
    from pbem.daemon import Rig
    from pbem.services.house import House

Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Outside:
    """Hold what a command takes from outside: the config file that is named, the time (aware UTC), and chance."""

    config: Path = Path("config.toml")
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    entropy: Callable[[int], bytes] = secrets.token_bytes


OUTSIDE = Outside()


class _Rehearsed(Exception):
    """Carry what came of a rehearsal out of its transaction."""


@dataclass(frozen=True)
class Room:
    """Hold what a command works with; `now` is when it began."""

    house: "House"
    db: "sa.Engine"
    now: datetime
    clock: Callable[[], datetime]

    @property
    def config(self) -> "Config":
        """Give the settings."""
        return self.house.config

    def write(self, work: Callable[[Any], Outcome]) -> Outcome:
        """Do work in one transaction."""
        from pbem.store.session import transact

        return transact(self.db, work)

    def rehearse(self, work: Callable[[Any], Outcome]) -> Outcome:
        """Do work in one transaction, give what came of it, and let nothing of it stand."""
        from pbem.store.session import transact

        def undone(session: Any) -> None:
            raise _Rehearsed(work(session))

        try:
            transact(self.db, undone)
        except _Rehearsed as rehearsal:
            outcome: Outcome = rehearsal.args[0]
            return outcome
        raise AssertionError("a rehearsal never ends otherwise")

    def read(self, work: Callable[[Any], Outcome]) -> Outcome:
        """Look something up."""
        from pbem.store.session import read

        return read(self.db, work)


@contextmanager
def opened(context: typer.Context, *, aloud: bool = False) -> Iterator[Room]:
    """Open the house named by --config; its log is on stderr too where `aloud`.

    Raises: AdminError if anything in it is missing, or the database is not at the newest step.
    """
    from pbem.config import load
    from pbem.services.house import furnish

    given = outside(context)
    config = load(given.config)
    logs.start(config, aloud=aloud)
    house = furnish(config, given.entropy)
    with database(config) as db:
        from pbem.store import migrate

        migrate.check(db)
        yield Room(house, db, given.clock(), given.clock)


@contextmanager
def database(config: "Config") -> Iterator["sa.Engine"]:
    """Open the database, which must be there; nothing is asked of its tables yet.

    Raises: AdminError.
    """
    from pbem.errors import AdminError
    from pbem.store.lock import database_file
    from pbem.store.session import connect

    db = connect(config.database_url)
    try:
        place = database_file(db)
        if place is not None and not place.is_file():
            raise AdminError(f"there is no database {place}; `pbem init` makes one in a new folder")
        yield db
    finally:
        db.dispose()


def config_file(context: typer.Context) -> Path:
    """Give the config file that the command line names."""
    return outside(context).config


def outside(context: typer.Context) -> Outside:
    """Give what the command takes from outside."""
    given = context.obj
    assert isinstance(given, Outside)
    return given


@contextmanager
def rigged(room: Room) -> Iterator["Rig"]:
    """Put posts and writer together, and let go of the writer at the end."""
    from pbem.daemon import Rig
    from pbem.transports.posts import posts

    rig = Rig(room.db, room.house, posts(room.config), room.clock)
    try:
        yield rig
    finally:
        rig.writer.shutdown()


def sender_of_letters(room: Room) -> str:
    """Say who sends the letters that wait."""
    from pbem.store.lock import database_file, owner

    if database_file(room.db) is None:
        return "the running `pbem serve`, or the next `pbem poll`, sends them"
    holder = owner(room.db) or ""
    if holder.startswith("pbem serve"):
        return "the running `pbem serve` sends them"
    return "the next `pbem poll` sends them, or `pbem serve` once you start it"


def agreed(question: str, yes: bool) -> None:
    """Ask before what cannot be undone, unless --yes was given.

    Raises: AdminError where nobody can be asked.
    """
    from pbem.core.harmless import visible
    from pbem.errors import AdminError

    if yes:
        return
    if not is_terminal():
        raise AdminError("this cannot be undone: add --yes")
    typer.confirm(f"{visible(question)} This cannot be undone", abort=True)


def is_terminal() -> bool:
    """Tell whether somebody sits there who can be asked."""
    return sys.stdin.isatty()
