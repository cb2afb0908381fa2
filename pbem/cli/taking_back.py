"""Put games back, knowing what each player has learned since, and forward again."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import show
from pbem.cli.options import AsModerator, DryRun, GameName, Why, Yes
from pbem.cli.room import is_terminal
from pbem.cli.ruling import Wish, rehearsed, rule

if TYPE_CHECKING:
    from pbem.services.rollback import Learned

Step = Annotated[int, typer.Argument(help="Its number in `pbem mod log`; 0: as it was dealt.", metavar="STEP", min=0)]
Redeal = Annotated[
    bool | None,
    typer.Option(
        "--redeal/--keep", help="Deal anew what nobody could know then, or leave all cards.", show_default="ask"
    ),
]


def rollback(
    context: typer.Context, game: GameName, step: Step, reason: Why, redeal: Redeal = None,
    as_moderator: AsModerator = None, yes: Yes = False, dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Put a game back to how it stood after a step.

    First it is shown how much each player has learned since. Where anybody has, --redeal deals again what nobody could
    know at that step, so that what was learned of it is worth nothing; what somebody held then stays where it was. Old
    letters are void; the steps taken back stay in the log.
    """
    from pbem.services import rollback as service

    wish = Wish(context, game, as_moderator, yes, dry_run)
    if redeal is None and not yes and not dry_run and is_terminal():
        learned: list[Learned] = rehearsed(wish, partial(service.rehearse, redeal=False), step, reason)
        for line in _lines(learned):
            show.line(line)
        redeal = any(one.anything for one in learned) and typer.confirm("Deal anew what nobody could know then?")
    act, rehearsal = partial(service.rollback, redeal=redeal), partial(service.rehearse, redeal=redeal)
    rule(wish, act, step, reason, rehearsal=rehearsal, told=partial(shown, redeal=redeal))


def forward(
    context: typer.Context, game: GameName, reason: Why, as_moderator: AsModerator = None, yes: Yes = False,
    dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Take the last rollback back.

    As long as nothing was played since. Old letters stay void, and all get new ones.
    """
    from pbem.services import rollback as service

    rule(Wish(context, game, as_moderator, yes, dry_run), service.forward, reason)


def shown(learned: "list[Learned]", redeal: bool | None) -> list[str]:
    """Say what each player has learned, and what must be said before it is done."""
    choose = ["To do it, say --redeal or --keep."] if redeal is None and any(one.anything for one in learned) else []
    return [*_lines(learned), *choose]


def _lines(learned: "list[Learned]") -> list[str]:
    return [str(one) for one in learned]


COMMANDS: dict[str, Callable[..., object] | typer.Typer] = {"rollback": rollback, "forward": forward}
