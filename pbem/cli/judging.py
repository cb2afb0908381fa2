"""Rule on a dispute: in words that all players get, and by one deed of the desk if that is needed."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli.disputes import Number
from pbem.cli.options import AsModerator, DryRun, Yes
from pbem.cli.room import opened
from pbem.cli.ruling import Act, Wish, rule
from pbem.cli.taking_back import shown

if TYPE_CHECKING:
    from datetime import datetime

    from sqlmodel import Session

    from pbem.services.disputes import Deed
    from pbem.services.house import House
    from pbem.store.tables import Game

Words = Annotated[str, typer.Option("--text", help="The ruling, a line that all players get.", metavar="TEXT")]
Dismiss = Annotated[bool, typer.Option("--dismiss", help="Say that the dispute is dismissed.")]
Rollback = Annotated[int | None, typer.Option("--rollback", help="Go back to a step.", metavar="STEP", min=0)]
Redeal = Annotated[
    bool | None,
    typer.Option("--redeal/--keep", help="Then: deal anew what nobody could know, or not.", show_default=False),
]
Order = Annotated[
    tuple[str, str] | None, typer.Option("--order", help="Give an order for a player.", metavar="PLAYER ORDER")
]
Deadline = Annotated[str | None, typer.Option("--deadline", help="Set the deadlines.", metavar="WHEN")]
Skip = Annotated[str | None, typer.Option("--skip", help="Play the default for a player.", metavar="PLAYER")]
Expel = Annotated[str | None, typer.Option("--expel", help="Put a player out.", metavar="PLAYER")]
Replace = Annotated[
    tuple[str, str] | None, typer.Option("--replace", help="Hand a seat over.", metavar="PLAYER NEWCOMER")
]
Forward = Annotated[bool, typer.Option("--forward", help="Take the last rollback back.")]
Annul = Annotated[bool, typer.Option("--annul", help="End the game without a result.")]
Score = Annotated[bool, typer.Option("--score", help="End the game, and score it as it stands.")]


def rule_dispute(
    context: typer.Context, number: Number, text: Words, dismiss: Dismiss = False, rollback: Rollback = None,
    redeal: Redeal = None, order: Order = None, deadline: Deadline = None, skip: Skip = None, expel: Expel = None,
    replace: Replace = None, forward: Forward = False, annul: Annul = False, score: Score = False,
    as_moderator: AsModerator = None, yes: Yes = False, dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Rule on a dispute.

    All players get the words; with one of the deeds below, that is done too, as the command of that name does it. The
    clocks run again that the dispute stopped. A player may appeal once, and then another moderator must rule.
    """
    from pbem.errors import AdminError
    from pbem.services import disputes

    wanted = {
        "rollback": rollback, "order": order, "deadline": deadline, "skip": skip, "expel": expel, "replace": replace,
        "forward": forward, "annul": annul, "score": score,
    }  # fmt: skip
    given = {name: value for name, value in wanted.items() if value is not None and value is not False}
    if len(given) + dismiss > 1:
        raise AdminError(
            "a ruling does one thing: " + ", ".join(f"--{name}" for name in [*given, "dismiss"][: len(given) + dismiss])
        )
    deed, softly = _deed(given, redeal) if given else (None, None)
    rehearsal = partial(_rehearse, softly)
    wish = Wish(context, _game_of(context, number), as_moderator, yes, dry_run)
    told = partial(shown, redeal=redeal) if rollback is not None else _lines
    done = rule(wish, disputes.rule, number, text, deed, dismiss, rehearsal=rehearsal, told=told)
    if done is False:
        raise AdminError("that order cannot be given now: nothing was ruled, and the try stands in the log")


def _game_of(context: typer.Context, number: int) -> str:
    """Give the name of the game that a dispute is about."""
    from pbem.services import disputes, sittings
    from pbem.store import games

    def work(session: "Session") -> str:
        game = games.find_game(session, disputes.get_dispute(session, number).game_id)
        assert game is not None
        return sittings.name_of(game)

    with opened(context) as room:
        return room.read(work)


def _rehearse(
    softly: "Deed | None", session: "Session", house: "House", now: "datetime", game: "Game", number: int, text: str,
    deed: "Deed | None", dismissed: bool, by: Any,
) -> Any:  # fmt: skip
    """Rule for a preview, which tells nothing that is hidden."""
    from pbem.services import disputes

    return disputes.rule(session, house, now, game, number, text, softly, dismissed, by)


def _deed(given: dict[str, Any], redeal: bool | None) -> "tuple[Deed, Deed]":
    """Give the one deed that is wanted, and what is done for its preview."""
    from pbem.services import desk, handover, rulings
    from pbem.services import rollback as back
    from pbem.services.disputes import Deed

    ((name, value),) = given.items()
    several = value if isinstance(value, tuple) else () if value is True else (value,)
    acts: dict[str, tuple[Act, Act | None]] = {
        "rollback": (partial(back.rollback, redeal=redeal), partial(back.rehearse, redeal=redeal)),
        "order": (rulings.order, rulings.rehearse_order),
        "deadline": (_deadline, None),
        "skip": (rulings.skip, rulings.rehearse_skip),
        "expel": (rulings.expel, None),
        "replace": (handover.replace, None),
        "forward": (back.forward, None),
        "annul": (desk.end, None),
        "score": (rulings.score, rulings.rehearse_score),
    }
    act, rehearsal = acts[name]
    deed = Deed(act, several, rulings.can_order if name == "order" else None)
    return deed, replace(deed, act=rehearsal or act, check=None)


def _deadline(
    session: "Session", house: "House", now: "datetime", game: "Game", when: str, reason: str, by: Any
) -> list[str]:
    """Set the deadlines of all who are asked."""
    from pbem.core.clock import parse_instant
    from pbem.services import desk

    at = parse_instant(when, house.config.office.zone, now)
    desk.deadline(session, house, now, game, at, None, reason, by)
    return []


def _lines(outcome: Any) -> list[str]:
    """Tell the moderator alone what would come of a deed: what was learned since, what a newcomer knows."""
    return [str(one) for one in outcome] if isinstance(outcome, list) else []
