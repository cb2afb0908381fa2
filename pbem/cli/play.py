"""Play at one keyboard, against bots: `pbem play blame --as alice`."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import founding, logs, show
from pbem.cli.options import Options, parse_options

if TYPE_CHECKING:
    from sqlmodel import Session

    from pbem.config import Config
    from pbem.daemon import Rig
    from pbem.services.house import House
    from pbem.services.sittings import Sitting
    from pbem.store.tables import Game
    from pbem.transports.console import Console

LEAVE = ("quit", "exit")
CLOCK = "30d"  # time in which nobody sits here does not count

Engine = Annotated[str, typer.Argument(help="Which game to play: blame, archer or accuse.", metavar="ENGINE")]
Name = Annotated[str, typer.Option("--as", help="Your name at the table.", metavar="NAME")]
Against = Annotated[
    str | None,
    typer.Option(help="The whole table, in the order of seats.", metavar="A,B,C", show_default="you and two bots"),
]
Fresh = Annotated[bool, typer.Option("--new", help="Begin another game, even if one goes on.")]
Folder = Annotated[
    Path | None,
    typer.Option(help="Where your games are kept.", metavar="PATH", show_default="~/.local/share/pbem/play"),
]


def play(
    engine: Engine, name: Name, players: Against = None, option: Options = [], new: Fresh = False,  # noqa: B006
    folder: Folder = None,
) -> None:  # fmt: skip
    """Play against bots in this terminal.

    Everything is as by letter but the post: what you type answers the letter above it. The game is kept; `quit` leaves
    it, and the same command goes on with it.
    """
    with _seated(folder or _usual_folder(), name) as seat:
        game = None if new else seat.going_on(engine)
        if game is None:
            seat.deal(engine, players, parse_options(option))
        else:
            seat.come_back(game)
        seat.play_on()


@dataclass
class _Seat:
    """Be the one player who sits here."""

    rig: "Rig"
    post: "Console"
    name: str
    game: str = ""

    def going_on(self, engine: str) -> "Game | None":
        """Find the player's newest game of a kind that goes on."""
        from pbem.services import people
        from pbem.store import games
        from pbem.store.session import read

        def find(session: "Session") -> "Game | None":
            self.rig.house.engine(engine)
            player = people.get_player(session, self.name)
            found = [game for game, _ in games.games_of(session, player.id or 0) if game.engine == engine]
            return found[-1] if found else None

        return read(self.rig.db, find)

    def deal(self, engine: str, players: str | None, options: dict[str, str]) -> None:
        """Begin a game, with bots in the other seats."""
        from pbem.services import lobby, sittings
        from pbem.store.session import transact

        names = [one.strip() for one in players.split(",")] if players else self._table(engine)

        def begin(session: "Session") -> "Sitting":
            house, now = self.rig.house, self.rig.clock()
            return lobby.new_game(session, house, now, engine, names, options=options, clocks=[CLOCK])

        self.game = sittings.name_of(transact(self.rig.db, begin).game)
        self._pass()

    def come_back(self, game: "Game") -> None:
        """Show how a game stands."""
        from pbem.services import sittings
        from pbem.store import games, mail
        from pbem.store.session import read

        def newest(session: "Session") -> str:
            (seat,) = (seat for seat in games.seats_of(session, game.id or 0) if seat.name == self.name)
            letter = mail.newest_letter(session, game.id or 0, seat.number)
            return letter.letter_id if letter else ""

        self.game = sittings.name_of(game)
        self.post.newest = read(self.rig.db, newest)
        show.line(f"You are back in {self.game}.")
        self._type("status")

    def play_on(self) -> None:
        """Take line after line until the game is over or the player leaves."""
        with suppress(ImportError):
            import readline  # noqa: F401 (lines can be edited and called back)
        show.line('Type your orders, or "help"; "quit" leaves, and the game is kept.')
        while self._is_open():
            try:
                words = input("> ").strip()
            except EOFError:
                show.line()
                break
            if words.casefold() in LEAVE:
                break
            if words:
                self._type(words)
        else:
            show.line("The game is over; the same command begins another.")

    def _type(self, words: str) -> None:
        self.post.type(words, self.rig.clock(), self.rig.house.entropy(16).hex())
        self._pass()

    def _pass(self) -> None:
        """Let the office deal with what was typed.

        Raises: AdminError if the house is halted.
        """
        from pbem.daemon import one_pass
        from pbem.errors import AdminError

        passed = asyncio.run(one_pass(self.rig))
        if passed.halted or passed.unread:
            raise AdminError(f"the game cannot go on: {passed.halted or passed.unread}")

    def _is_open(self) -> bool:
        from pbem.services import desk
        from pbem.store.session import read

        return read(self.rig.db, lambda session: desk.get_game(session, self.game)).status in ("open", "paused")

    def _table(self, engine: str) -> list[str]:
        """Seat two bots beside the player, as careful as the game has them."""
        found = self.rig.house.engine(engine)
        bot = "bot:careful" if "careful" in found.bots else "bot:random"
        return [self.name, *[bot] * min(2, found.seats.stop - 2)]


@contextmanager
def _seated(folder: Path, name: str) -> Iterator[_Seat]:
    """Open the player's own house, or set it up, and sit down there; time since the last visit does not count.

    Raises: AdminError.
    """
    from pbem.daemon import Rig
    from pbem.services import deadlines
    from pbem.services.house import furnish
    from pbem.store import migrate
    from pbem.store.lock import owned
    from pbem.store.session import connect, transact
    from pbem.transports.console import Console

    config = _config(folder)
    logs.start(config)
    house, db = furnish(config), connect(config.database_url)
    migrate.upgrade(db)
    with owned(db, "pbem play"):
        now = datetime.now(UTC)
        known = transact(db, lambda session: _known(session, house, now, name))
        transact(db, lambda session: deadlines.confirm(session, house, now))
        post = Console(known, show.letter)
        rig = Rig(db, house, [post])
        try:
            yield _Seat(rig, post, known)
        finally:
            rig.writer.shutdown()
            db.dispose()


def _known(session: "Session", house: "House", now: datetime, name: str) -> str:
    """Register the player with this keyboard, once, and give the name as it was registered.

    Raises: AdminError if that cannot be a name.
    """
    from pbem.core.message import Address
    from pbem.services import people
    from pbem.store import players
    from pbem.transports.console import NAME

    player = players.find_player(session, name)
    return (player or people.register(session, house, now, name, [Address(NAME, name)])).name


def _config(folder: Path) -> "Config":
    """Read the settings of the player's own house; set it up the first time."""
    from pbem import config

    file = folder / config.FILE
    return config.load(file) if file.exists() else founding.found(folder, datetime.now(UTC))


def _usual_folder() -> Path:
    """Give the folder for what a program keeps of a user, as the desktop standard names it."""
    kept = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(kept) / "pbem" / "play"
