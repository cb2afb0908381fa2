"""Look at games as a moderator: the open table freely, a hidden view with a reason that stands in the log."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import show
from pbem.cli.admin.matches import show_game
from pbem.cli.options import AsModerator, GameName, Why
from pbem.cli.room import opened
from pbem.cli.ruling import acting
from pbem.core.token import tokenless

if TYPE_CHECKING:
    from sqlmodel import Session

Whose = Annotated[str, typer.Option("--as", help="Whose hidden view.", metavar="PLAYER")]
Code = Annotated[
    str, typer.Argument(help="The digits at the foot of the answer: the first eight, or more.", metavar="CODE")
]
Opening = Annotated[
    str | None, typer.Option("--reason", help="One line that the players may read; opens it.", metavar="TEXT")
]


def peek(context: typer.Context, game: GameName, whose: Whose, reason: Why, as_moderator: AsModerator = None) -> None:
    """Open what one player sees.

    It stands in the log's chain before anything is shown, and the players are told: at the game's end, or at once in a
    game made with `--peeks open`. Refused to whoever plays in that game.
    """
    from pbem.services import desk, peeking

    def work(session: "Session") -> tuple[str, int]:
        row = desk.get_game(session, game)
        return peeking.peek(session, room.house, room.now, row, whose, reason, by), row.entries

    with opened(context) as room:
        by = acting(room, as_moderator)
        text, entry = room.write(work)
    show.line(f"This look stands in the log as entry {entry}.")
    show.block(text)


def receipt(
    context: typer.Context, game: GameName, code: Code, reason: Opening = None, as_moderator: AsModerator = None
) -> None:
    """Follow a receipt.

    Whose it is, when the message came, what became of it, which letter answered it and when that went out. What the
    message did opens only with a reason, which stands in the log's chain like a look at the hand, or once the game is
    over. Refused to whoever plays in that game.
    """
    from pbem.services import desk, trail

    def work(session: "Session") -> tuple[trail.Told, int]:
        row = desk.get_game(session, game)
        before = row.entries
        told = trail.follow(session, room.house, room.now, row, code, reason, by)
        return told, row.entries if row.entries > before else 0

    with opened(context) as room:
        by = acting(room, as_moderator)
        told, entry = room.write(work)
    if entry:
        show.line(f"This look stands in the log as entry {entry}.")
    for label, text in told:
        show.line(f"{label + ':':9} {tokenless(text)}")


def log(context: typer.Context, game: GameName) -> None:
    """Show what happened in a game as an onlooker saw it.

    Each step has its number: `pbem mod rollback` goes by these.
    """
    from pbem.cli.admin import sights

    with opened(context) as room:
        lines = room.read(lambda session: sights.log(session, room.house, game))
    for line in lines:
        show.line(line)


COMMANDS: dict[str, Callable[..., object] | typer.Typer] = {
    "show": show_game,
    "log": log,
    "peek": peek,
    "receipt": receipt,
}
