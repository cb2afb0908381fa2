"""Give back to what is asked the time that did not count: its clock stood still meanwhile."""

from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.core.token import Token, sign
from pbem.services import turns
from pbem.services.house import House
from pbem.store import mail
from pbem.store.tables import Game, Prompt


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


def restart(prompt: Prompt, game: Game, now: datetime) -> None:
    """Ask again, as if for the first time: when it was asked, the clock was wrong."""
    prompt.asked_at = game.paused_at or now
    extend(prompt, prompt.asked_at + turns.clock(game, prompt.kind), prompt.asked_at)


def fates(session: Session, house: House, game: Game, prompt: Prompt) -> set[str]:
    """Give what became of the letters that ask a seat for this answer: queued, sent, failed, bounced."""
    assert game.id is not None
    token = Token(game.id, prompt.seat, game.epoch, prompt.number)
    return mail.fates_of(session, game.id, sign(token, house.key))
