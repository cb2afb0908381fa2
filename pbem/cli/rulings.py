"""Rule on games as a moderator: each ruling is shown first, asked for, announced to all, and stands in the log."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli.options import AsModerator, DryRun, GameName, Why, Yes
from pbem.cli.ruling import Wish, rule

if TYPE_CHECKING:
    from datetime import datetime

    from sqlmodel import Session

    from pbem.services.house import House
    from pbem.store.tables import Game

Player = Annotated[str, typer.Argument(help="Whose seat, by the name at the table.", metavar="PLAYER")]
Some = Annotated[str | None, typer.Argument(help="This seat only.", metavar="PLAYER", show_default="all asked")]
Only = Annotated[str | None, typer.Option("--player", help="For this seat only.", metavar="PLAYER")]
Text = Annotated[str, typer.Argument(help="The order, as the player would write it.", metavar="ORDER")]
When = Annotated[str, typer.Argument(help="+24h from now, or '2026-12-24 18:00 Europe/Berlin'.", metavar="WHEN")]
With = Annotated[str, typer.Option("--with", help="A player's name, or bot:careful.", metavar="NEWCOMER")]
Knowing = Annotated[bool, typer.Option("--knowing", help="Allow somebody who knows another seat; it is logged.")]


def order(
    context: typer.Context, game: GameName, player: Player, order: Text, reason: Why,
    as_moderator: AsModerator = None, yes: Yes = False, dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Give an order for a player.

    It takes the place of a sealed answer. Whether the hand allows it is not told before; a try that fails changes
    nothing, and stands in the log like a look at the hand.
    """
    from pbem.errors import AdminError
    from pbem.services import rulings

    wish = Wish(context, game, as_moderator, yes, dry_run)
    done = rule(wish, rulings.order, player, order, reason, rehearsal=rulings.rehearse_order)
    if done is False:
        raise AdminError(f"{player} cannot give that order now: nothing was changed, and the try stands in the log")


def skip(
    context: typer.Context, game: GameName, reason: Why, player: Some = None,
    as_moderator: AsModerator = None, yes: Yes = False, dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Play the game's default now.

    For all who are asked, or for one; an answer that is sealed already stands.
    """
    from pbem.services import rulings

    wish = Wish(context, game, as_moderator, yes, dry_run)
    rule(wish, rulings.skip, player, reason, rehearsal=rulings.rehearse_skip)


def deadline(
    context: typer.Context, game: GameName, when: When, reason: Why, player: Only = None,
    as_moderator: AsModerator = None, yes: Yes = False, dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Set when the answers awaited now are due."""
    from pbem.core.clock import parse_instant
    from pbem.services import desk

    def act(session: "Session", house: "House", now: "datetime", row: "Game", *given: Any) -> list[str]:
        at = parse_instant(when, house.config.office.zone, now)
        return desk.deadline(session, house, now, row, at, *given)

    rule(Wish(context, game, as_moderator, yes, dry_run), act, player, reason)


def pause(
    context: typer.Context, game: GameName, reason: Why, as_moderator: AsModerator = None, yes: Yes = False,
    dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Stop a game's clocks for a while."""
    from pbem.services import desk

    rule(Wish(context, game, as_moderator, yes, dry_run), desk.pause, reason)


def resume(
    context: typer.Context, game: GameName, reason: Why, as_moderator: AsModerator = None, yes: Yes = False,
    dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Let a paused game go on."""
    from pbem.services import desk

    rule(Wish(context, game, as_moderator, yes, dry_run), desk.resume, reason)


def annul(
    context: typer.Context, game: GameName, reason: Why, as_moderator: AsModerator = None, yes: Yes = False,
    dry_run: DryRun = False,
) -> None:  # fmt: skip
    """End a game without a result; this cannot be undone."""
    from pbem.services import desk

    rule(Wish(context, game, as_moderator, yes, dry_run), desk.end, reason)


def score(
    context: typer.Context, game: GameName, reason: Why, as_moderator: AsModerator = None, yes: Yes = False,
    dry_run: DryRun = False,
) -> None:  # fmt: skip
    """End a game and score it as it stands; this cannot be undone.

    What the scores would be is not told before.
    """
    from pbem.services import rulings

    rule(Wish(context, game, as_moderator, yes, dry_run), rulings.score, reason, rehearsal=rulings.rehearse_score)


def expel(
    context: typer.Context, game: GameName, player: Player, reason: Why, as_moderator: AsModerator = None,
    yes: Yes = False, dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Put a player out.

    The game plays that seat from now on, until `replace` gives it to somebody else.
    """
    from pbem.services import rulings

    rule(Wish(context, game, as_moderator, yes, dry_run), rulings.expel, player, reason)


def replace(
    context: typer.Context, game: GameName, player: Player, newcomer: With, reason: Why, knowing: Knowing = False,
    as_moderator: AsModerator = None, yes: Yes = False, dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Hand a seat over to another player or a bot.

    The newcomer gets one letter with all that the seat may look back at, and a fresh clock; the leaver gets what all
    are told, and nothing more. Nobody holds two seats of a game, now or one after the other, unless you say so: then
    what that person knows is shown.
    """
    from pbem.services import handover

    act = partial(handover.replace, knowing=knowing)
    wish = Wish(context, game, as_moderator, yes, dry_run)
    rule(wish, act, player, newcomer, reason, told=lambda known: [f"Known beyond that seat: {one}" for one in known])


COMMANDS: dict[str, Callable[..., object] | typer.Typer] = {
    "order": order,
    "skip": skip,
    "deadline": deadline,
    "pause": pause,
    "resume": resume,
    "annul": annul,
    "score": score,
    "expel": expel,
    "replace": replace,
}
