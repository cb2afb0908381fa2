"""Rule from the command line: who it is, what would come of it as far as all may see it, a question, and the deed."""

import getpass
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from pbem.cli import show
from pbem.cli.room import Room, is_terminal, opened, sender_of_letters

if TYPE_CHECKING:
    from sqlmodel import Session

    from pbem.services.moderators import Ruler
    from pbem.store.tables import Game

Act = Callable[..., Any]
"""Rule on a game: takes session, house, now, the game, what is given, and who rules."""


@dataclass(frozen=True)
class Wish:
    """Hold what a ruling command was given beside the ruling: the game, who asks, and how much is to be done."""

    context: typer.Context
    game: str
    moderator: str | None
    yes: bool
    dry_run: bool


def login() -> str:
    """Give the login name, "" where there is none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


def acting(room: Room, moderator: str | None) -> "Ruler":
    """Say which moderator acts.

    Raises: AdminError.
    """
    from pbem.services import moderators

    return moderators.acting(room.config, login() if moderator is None else moderator.strip())


def host() -> "Ruler":
    """Say that the host acts: whoever runs the admin's commands."""
    from pbem.services.moderators import Ruler

    return Ruler(login())


def rule(
    wish: Wish, act: Act, *given: object, rehearsal: Act | None = None,
    told: Callable[[Any], Iterable[str]] = lambda _: (),
) -> Any:  # fmt: skip
    """Show how a game stands and what all would be told, ask, and rule; give what came of it (None: a dry run).

    `rehearsal` is what is done and forgotten for the preview, where the ruling itself would tell what is hidden; `told`
    says for the moderator alone what would come of it.
    """
    with opened(wish.context) as room:
        by = acting(room, wish.moderator)
        for line in _preview(room, wish.game, rehearsal or act, given, by, told):
            show.line(line)
        if wish.dry_run:
            show.line("Nothing was done: this was a dry run.")
            return None
        confirm(wish.yes)
        outcome = room.write(lambda session: act(session, room.house, room.now, _game(session, wish.game), *given, by))
        show.line(f"Done. The players are told: {sender_of_letters(room)}")
        return outcome


def rehearsed(wish: Wish, act: Act, *given: object) -> Any:
    """Do a ruling, forget it, and give what would come of it."""
    with opened(wish.context) as room:
        by = acting(room, wish.moderator)
        return room.rehearse(lambda session: act(session, room.house, room.now, _game(session, wish.game), *given, by))


def confirm(yes: bool) -> None:
    """Ask whether to do it, unless --yes was given.

    Raises: AdminError where nobody can be asked.
    """
    from pbem.errors import AdminError

    if yes:
        return
    if not is_terminal():
        raise AdminError("nothing was done yet: add --yes to do it, or --dry-run to look only")
    typer.confirm("Do it?", abort=True)


def _preview(
    room: Room, named: str, act: Act, given: tuple[object, ...], by: "Ruler", told: Callable[[Any], Iterable[str]]
) -> list[str]:
    """Rehearse a ruling, and give how the game stands for an onlooker, and what all would read."""

    def work(session: "Session") -> list[str]:
        from pbem.cli.admin import sights

        game = _game(session, named)
        now, entries = sights.standing(session, game, room.config.office.zone), game.entries
        outcome = act(session, room.house, room.now, game, *given, by)
        lines = sights.announced(session, room.house, game, entries)
        return [f"Now: {now}", *told(outcome), *(f"All would be told: {line}" for line in lines)]

    return room.rehearse(work)


def _game(session: "Session", named: str) -> "Game":
    from pbem.services import desk

    return desk.get_game(session, named)
