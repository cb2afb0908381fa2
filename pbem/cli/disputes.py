"""Settle disputes: list them, lay out the evidence, rule."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli import show
from pbem.cli.admin.post import GROUP
from pbem.cli.options import AsJson, AsModerator, DryRun, GameName, Yes
from pbem.cli.room import Room, opened
from pbem.cli.ruling import Wish, acting, rule

if TYPE_CHECKING:
    from sqlmodel import Session

    from pbem.core.evidence import Evidence

Number = Annotated[int, typer.Argument(help="The dispute's number.", metavar="N", min=1)]
About = Annotated[str, typer.Option("--text", help="One line on what it is about, for the moderators.", metavar="TEXT")]
For = Annotated[str | None, typer.Option("--player", help="Whose dispute it is, if a player's.", metavar="PLAYER")]
Whose = Annotated[
    list[str], typer.Option("--as", help="Open what this player wrote and was told; several times for several.",
                            metavar="PLAYER"),
]  # fmt: skip
Why = Annotated[str, typer.Option("--reason", help="Why it is opened; it stands in the game's log.", metavar="TEXT")]
Back = Annotated[int, typer.Option("--turns", help="How many turns before it are shown.", min=0, max=10_000)]
Target = Annotated[
    Path | None, typer.Option("--out", help="The file to write [dispute-N.txt]; - prints it.", metavar="FILE")
]
All = Annotated[bool, typer.Option("--all", help="Those that were ruled on, too.")]
dispute = typer.Typer(**GROUP)


def disputes(context: typer.Context, all: All = False, json: AsJson = False) -> None:
    """List the disputes that wait for a ruling."""
    with opened(context) as room:
        found = room.read(lambda session: _listed(session, waiting=not all))
    if json:
        show.as_json(found)
        return
    rows = [list(one.values()) for one in found]
    show.table(("N", "GAME", "OPENED", "BY", "STATUS", "CLOCKS"), rows, "no dispute waits for a ruling")


@dispute.callback()
def dispute_root(context: typer.Context) -> None:
    """Open a dispute, or lay out the evidence."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@dispute.command("open")
def open_dispute(
    context: typer.Context, game: GameName, text: About, player: For = None, as_moderator: AsModerator = None,
    yes: Yes = False, dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Open a dispute.

    For a player who told of it elsewhere, or of your own. The players are told that there is one; the game's clocks
    stand still, if it was made so.
    """
    from pbem.services import disputes as service

    rule(Wish(context, game, as_moderator, yes, dry_run), service.open_for, text, player)


@dispute.command("show")
def show_dispute(
    context: typer.Context, number: Number, whose: Whose = [], reason: Why = "", turns: Back = 2,  # noqa: B006
    as_moderator: AsModerator = None,
) -> None:  # fmt: skip
    """Lay out the evidence.

    The open log around it; each message that came, with its headers, who it was taken to be from and why, and what
    became of it; each letter that went, and when. What players wrote, and what they were told in private, opens with
    --as and --reason only: that stands in the game's log before you see anything, as a look does. Refused to whoever
    plays in that game.
    """
    from pbem.core.evidence import page

    with opened(context) as room:
        found = room.write(lambda session: _evidence(session, room, number, whose, reason, turns, as_moderator))
    show.block(page(found).rstrip("\n"))


def export_dispute(
    context: typer.Context, number: Number, out: Target = None, whose: Whose = [], reason: Why = "",  # noqa: B006
    turns: Back = 2, as_moderator: AsModerator = None,
) -> None:  # fmt: skip
    """Write the evidence into a file that anybody can read and check.

    It shows what `pbem mod dispute show` does, and below that what `pbem verify` needs: the whole proof of a game that
    has ended, else the part that an onlooker may know, with every receipt. It has addresses in it.
    """
    from pbem.core import evidence
    from pbem.errors import AdminError
    from pbem.services import proofs
    from pbem.store import games

    file = out or Path(f"dispute-{number}.txt")
    printed = str(file) == "-"
    if file.exists() and not printed:
        raise AdminError(f"{file} is there already; --out names another file")

    def work(session: "Session") -> str:
        found = _evidence(session, room, number, whose, reason, turns, as_moderator)
        game = games.find_game(session, int(found.game.rpartition("-")[2]))
        assert game is not None
        seats = {found.names.index(name) for name in found.opened}
        return evidence.write(found, proofs.public(session, game, seats))

    with opened(context) as room:
        text = room.write(work)
    if printed:
        show.block(text.rstrip("\n"))
        return
    file.write_text(text, encoding="utf-8")
    show.line(f"{file} is written; `pbem verify {file}` checks it")


def _evidence(
    session: "Session", room: Room, number: int, whose: list[str], reason: str, turns: int, moderator: str | None
) -> "Evidence":
    from pbem.services import evidence
    from pbem.transports import kept

    by = acting(room, moderator)
    return evidence.show(session, room.house, room.now, number, kept.look, by, names=whose, reason=reason, back=turns)


def _listed(session: "Session", *, waiting: bool) -> list[dict[str, Any]]:
    from pbem.services.sittings import name_of
    from pbem.store import disputes as store
    from pbem.store import games

    found = []
    for row in store.list_disputes(session, waiting=waiting):
        game, seats = games.find_game(session, row.game_id), games.seats_of(session, row.game_id)
        assert game is not None
        stands = row.stop_at is not None and row.stop_at == game.paused_at
        found.append({
            "number": row.id,
            "game": name_of(game),
            "opened_at": f"{row.opened_at:%Y-%m-%dT%H:%M:%SZ}",
            "by": seats[row.seat].name if row.seat is not None else row.opened_by,
            "status": row.status,
            "clocks": "stopped" if stands else "run",
        })  # fmt: skip
    return found


COMMANDS: dict[str, Callable[..., object] | typer.Typer] = {
    "disputes": disputes,
    "dispute": dispute,
    "export-dispute": export_dispute,
}
