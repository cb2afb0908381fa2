"""Give back to what is asked the time that did not count: its clock stood still meanwhile."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.core.token import Token, sign
from pbem.services.house import House
from pbem.store import mail
from pbem.store.tables import Absence, Game, Prompt


def shift(prompt: Prompt, by: timedelta) -> None:
    """Move a prompt's clock as a whole: the question, its reminders and its deadline."""
    prompt.asked_at += by
    prompt.deadline_at += by
    if prompt.remind_at is not None:
        prompt.remind_at += by


def excuse(prompt: Prompt, game: Game, since: datetime, now: datetime, grace: timedelta) -> None:
    """Give back the time from `since` to now, as far as the clock ran then, and leave the grace at least."""
    end = game.paused_at or now
    stood = end - max(since, prompt.asked_at)
    if stood > timedelta(0):
        shift(prompt, stood)
    elif game.paused_at is not None:
        return
    if prompt.deadline_at < end + grace:
        extend(prompt, end + grace, end)


def extend(prompt: Prompt, at: datetime, now: datetime) -> None:
    """Set another deadline; the reminders before now are done with."""
    prompt.deadline_at, prompt.remind_at = at, now


def spare(prompt: Prompt, absences: Iterable[Absence]) -> bool:
    """Let a deadline not fall into an absence of its seat: as much time is left at the end as was at the beginning.

    Tell whether it was moved.
    """
    moved = False
    for absence in sorted(absences, key=lambda absence: absence.since_at):
        if absence.seat == prompt.seat and absence.since_at <= prompt.deadline_at < absence.until_at:
            prompt.deadline_at = absence.until_at + (prompt.deadline_at - max(absence.since_at, prompt.asked_at))
            moved = True
    return moved


def put_right(prompt: Prompt, game: Game, last: datetime, now: datetime) -> None:
    """Ask now what was asked by a wrong clock, with as long to answer as it gave.

    Such a thing was asked after now, or would have been judged by the last tick.
    """
    end = game.paused_at or now
    if prompt.asked_at > end or prompt.deadline_at < min(last, end):
        shift(prompt, end - prompt.asked_at)
        prompt.remind_at = end


def letters_asking(session: Session, house: House, game: Game, prompt: Prompt) -> list[tuple[str, datetime]]:
    """Give fate and time of writing of each letter that asks a seat for this answer, the oldest first."""
    assert game.id is not None
    token = Token(game.id, prompt.seat, game.epoch, prompt.number)
    return mail.letters_bearing(session, game.id, sign(token, house.key))
