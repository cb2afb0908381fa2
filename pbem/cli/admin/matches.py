"""Start games, look at them, and rule on them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import show
from pbem.cli.options import AsJson, GameName, Options, Reason, Yes, parse_names, parse_options
from pbem.cli.room import Room, agreed, opened, sender_of_letters
from pbem.cli.ruling import host

if TYPE_CHECKING:
    from sqlmodel import Session

    from pbem.services.sittings import Sitting

Engine = Annotated[str, typer.Argument(help="Which game to play: blame, archer or accuse.", metavar="ENGINE")]
Players = Annotated[
    str, typer.Option(help="Who plays, in the order of their seats; bot:careful is a machine.", metavar="A,B,C")
]
Clocks = Annotated[
    list[str], typer.Option("--clock", help="How long a player has: 72h, or bury=24h for one kind.", metavar="SPAN")
]
Pace = Annotated[
    str | None,
    typer.Option(help="Let answers take effect only every so often: 1h.", metavar="SPAN", show_default=False),
]
Seed = Annotated[
    str | None, typer.Option(help="Deal from this word: for rehearsals, and every letter says so.", metavar="WORD")
]
PublicRoom = Annotated[str, typer.Option("--room", help="A Matrix room that is told what all may see.", metavar="ID")]
Gather = Annotated[
    str | None,
    typer.Option(help="Let players add words to the seed for so long: 24h.", metavar="SPAN", show_default=False),
]
Peeks = Annotated[
    str, typer.Option(help="When players are told what moderators looked at: end, or open (at once).", metavar="WHEN")
]
Disputes = Annotated[
    str, typer.Option(help="Whether a dispute stops the clocks: stop, or go (the game goes on).", metavar="WHETHER")
]
When = Annotated[str, typer.Argument(help="+24h from now, or '2026-12-24 18:00 Europe/Berlin'.", metavar="WHEN")]
Player = Annotated[str | None, typer.Option(help="For this player only.", metavar="NAME")]


def new_game(
    context: typer.Context, engine: Engine, players: Players, option: Options = [], clock: Clocks = [],  # noqa: B006
    pace: Pace = None, seed: Seed = None, gather: Gather = None, peeks: Peeks = "end", disputes: Disputes = "stop",
    public: PublicRoom = "",
) -> None:  # fmt: skip
    """Deal a new game.

    Each player gets a private first letter. With --gather the players may first add words of theirs to the seed, so
    that nobody alone can choose the deal: it begins when all are ready, or when that time is over.
    """
    if gather is not None:
        terms = {"room": public, "peeks": peeks, "disputes": disputes}
        _gather(context, engine, players, option, clock, pace, seed, gather, terms)
        return
    from pbem.cli.admin import sights
    from pbem.services import lobby

    names, options = parse_names(players), parse_options(option)

    def deal(session: "Session") -> "Sitting":
        return lobby.new_game(
            session, room.house, room.now, engine, names, options=options, clocks=clock, pace=pace, seed_word=seed,
            room=public, peeks=peeks, disputes=disputes,
        )  # fmt: skip

    with opened(context) as room:
        sitting = room.write(deal)
        show.line(f"{sights.name(sitting)} begins: {', '.join(sitting.names)}")
        show.line(f"Clocks: {sights.clocks(sitting.game)}")
        if seed is not None:
            show.line("A rehearsal: whoever knows the word of --seed knows every card, and every letter says so.")
        if sitting.game.pace:
            show.line(f"Pace: answers take effect every {pace}, reckoned from now.")
        show.line(f"{sum(not seat.bot for seat in sitting.seats)} letters wait: {sender_of_letters(room)}")


def _gather(
    context: typer.Context, engine: str, players: str, option: list[str], clock: list[str], pace: str | None,
    seed: str | None, gather: str, terms: dict[str, str],
) -> None:  # fmt: skip
    from pbem.core.clock import parse_span, show_instant
    from pbem.errors import AdminError
    from pbem.services import gathering
    from pbem.services.sittings import name_of

    names, options, span = parse_names(players), parse_options(option), parse_span(gather)
    if seed is not None:
        raise AdminError("--seed says how the cards lie, so there is nothing to --gather")

    def announce(session: "Session") -> tuple[str, list[str]]:
        game, seats = gathering.announce(
            session, room.house, room.now, engine, names, span, options=options, clocks=clock, pace=pace, **terms
        )
        return name_of(game), [seat.name for seat in seats]

    with opened(context) as room:
        named, at_table = room.write(announce)
        until = show_instant(room.now + span, room.config.office.zone)
        show.line(f"{named} waits for words of {', '.join(at_table)}: until all are ready, or {until}")
        show.line(f"The players are told: {sender_of_letters(room)}")


def games(context: typer.Context, json: AsJson = False) -> None:
    """List the games, and who is awaited until when."""
    from pbem.cli.admin import sights

    with opened(context) as room:
        found = room.read(sights.games)
    if json:
        show.as_json(found)
        return
    rows = [
        [
            one["game"],
            one["status"],
            one["turn"],
            ", ".join(one["players"]),
            sights.awaited_in_short(one, room.config.office.zone),
        ]
        for one in found
    ]
    show.table(("GAME", "STATUS", "TURN", "PLAYERS", "AWAITED"), rows, "no games yet; `pbem admin new-game` starts one")


def show_game(context: typer.Context, game: GameName, json: AsJson = False) -> None:
    """Show a game as an onlooker sees it.

    No hand, and nothing else that is secret.
    """
    from pbem.cli.admin import sights

    with opened(context) as room:
        found = room.read(lambda session: sights.one_game(session, room.house, game))
    if json:
        show.as_json(found)
        return
    show.line(f"{found['game']}: {found['title']}, turn {found['turn']}, {found['status']}")
    show.block(found["table"].strip("\n"))
    for line in sights.awaited_lines(found, room.config.office.zone, room.now):
        show.line(line)


def deadline(context: typer.Context, game: GameName, when: When, player: Player = None, reason: Reason = "") -> None:
    """Set when the answers awaited now are due.

    Of all players, or of one; all are told.
    """
    from pbem.core.clock import parse_instant, show_instant
    from pbem.services import desk

    with opened(context) as room:
        zone = room.config.office.zone
        at = parse_instant(when, zone, room.now)
        names = room.write(
            lambda session: desk.deadline(
                session, room.house, room.now, desk.get_game(session, game), at, player, reason, host()
            )
        )
        show.line(f"{', '.join(names)}: due {show_instant(at, zone)}")
        show.line(f"The players are told: {sender_of_letters(room)}")


def pause(context: typer.Context, game: GameName, reason: Reason = "") -> None:
    """Stop a game's clocks for a while.

    No orders are taken until it is resumed; all are told.
    """
    from pbem.services import desk

    _rule(context, game, reason, desk.pause, "is paused")


def resume(context: typer.Context, game: GameName, reason: Reason = "") -> None:
    """Let a paused game go on.

    Deadlines move by the length of the pause; all are told.
    """
    from pbem.services import desk

    _rule(context, game, reason, desk.resume, "goes on")


def end(context: typer.Context, game: GameName, reason: Reason = "", yes: Yes = False) -> None:
    """End a game without a result.

    This cannot be undone; all are told.
    """
    from pbem.services import desk

    agreed(f"End {game} without a result?", yes)
    _rule(context, game, reason, desk.end, "has ended without a result")


def _rule(context: typer.Context, game: str, reason: str, ruling: Callable[..., None], told: str) -> None:
    from pbem.services import desk
    from pbem.services.sittings import name_of

    def work(session: "Session") -> str:
        row = desk.get_game(session, game)
        ruling(session, room.house, room.now, row, reason, host())
        return name_of(row)

    with opened(context) as room:
        named = room.write(work)
        _tell(room, f"{named} {told}")


def _tell(room: Room, told: str) -> None:
    show.line(told)
    show.line(f"The players are told: {sender_of_letters(room)}")
