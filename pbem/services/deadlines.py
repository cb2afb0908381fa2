"""Remind, judge deadlines, and excuse time in which the service could not be reached.

What the house remembers of time stands in facts: `tick_at` (the last tick), `read_at` (when the post was last read to its
end) and `halt` (why nothing may be judged, "" for nothing).
"""

from collections.abc import Callable
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog
from sqlmodel import Session

from pbem.core import clock
from pbem.errors import AdminError, Conflict
from pbem.services import desk, letters, turns
from pbem.services.house import House
from pbem.store import facts, games
from pbem.store.session import read, transact

log = structlog.get_logger()
DAY = timedelta(days=1)
ROW_ALARM = 3  # deadlines missed in a row


def check_clock(session: Session, house: House, now: datetime) -> str:
    """Give why nothing may be judged, "" for nothing; record a clock that jumped.

    A clock before the last tick, or more than a day after it, may be wrong: an operator must say.
    """
    halt = facts.find_fact(session, "halt") or ""
    last = facts.find_moment(session, "tick_at")
    if halt or last is None:
        return halt
    if now < last - house.config.time.tick:
        halt = f"clock: it says {now:%Y-%m-%d %H:%M} UTC, but the last tick was at {last:%Y-%m-%d %H:%M} UTC"
    elif now - last > DAY:
        halt = f"clock: the last tick was {clock.show_span(now - last)} ago"
    if halt:
        facts.set_fact(session, "halt", halt)
        letters.alarm(
            session, house, f"halt-{last:%Y%m%d%H%M}", f"No deadline is judged until `pbem admin confirm`: {halt}.", now
        )
    return halt


def post_was_read(session: Session, house: House, now: datetime) -> None:
    """Record that the post was read to its end; open deadlines move by as long as it could not be."""
    last = facts.find_moment(session, "read_at")
    if last is not None and now - last > house.config.time.downtime_after:
        _excuse(session, now, now - last, house.config.time.grace)
    facts.set_moment(session, "read_at", now)
    facts.set_moment(session, "tick_at", now)


def _excuse(session: Session, now: datetime, down: timedelta, grace: timedelta) -> None:
    for prompt, _ in games.unanswered(session):
        prompt.deadline_at = max(prompt.deadline_at + down, now + grace)
        games.save_prompts(session, [prompt])
    log.warning("deadlines moved", by=clock.show_span(down))


def tick(db: sa.Engine, house: House, now: datetime) -> None:
    """Judge what is due and remind of what will be; each game in a transaction of its own.

    Judged is only what was due when the post was last read to its end, so that no answer waits unread.
    """
    until = read(db, lambda session: facts.find_moment(session, "read_at"))
    if until is None or read(db, lambda session: facts.find_fact(session, "halt")):
        return
    for game_id in read(db, lambda session: games.prompts_by_deadline(session, min(until, now))):
        _guarded(
            db,
            house,
            now,
            game_id,
            lambda session, game_id=game_id: judge(session, house, now, min(until, now), game_id),
        )
    due = read(db, lambda session: _due_reminders(session, house, now))
    for game_id, number, moment in due:
        _guarded(
            db, house, now, game_id,
            lambda session, game_id=game_id, number=number, moment=moment: remind(session, house, now, game_id, number, moment),
        )  # fmt: skip


def judge(session: Session, house: House, now: datetime, until: datetime, game_id: int) -> None:
    """Play the default for every seat of a game whose time ran out, tell all, and go on."""
    game = games.find_game(session, game_id)
    if game is None or game.status != "open":
        return
    sitting = turns.sit(session, house, game)
    late = [p.seat for p in sitting.prompts.values() if p.order is None and p.deadline_at <= until]
    if not late:
        return
    turns.time_out(sitting, late, now)
    letters.tell(session, house, sitting, now)
    for seat in (sitting.seats[number] for number in late):
        if seat.missed % ROW_ALARM == 0:
            letters.alarm(
                session, house, f"missed-{game_id}-{seat.number}-{seat.defaults}",
                f"{seat.name} has missed {seat.missed} deadlines in a row in {turns.name_of(game)}.", now,
            )  # fmt: skip
    turns.rise(session, sitting, now)


def remind(session: Session, house: House, now: datetime, game_id: int, number: int, moment: datetime) -> None:
    """Send one reminder, unless the seat has answered meanwhile."""
    game = games.find_game(session, game_id)
    if game is None or game.status != "open":
        return
    sitting = turns.sit(session, house, game)
    prompt = next((p for p in sitting.prompts.values() if p.number == number and p.order is None), None)
    if prompt is None:
        return
    letters.remind(session, house, sitting, prompt.seat, moment, now)
    prompt.reminded_at = now
    games.save_prompts(session, [prompt])
    games.save_seats(session, [sitting.seats[prompt.seat]])


def confirm(session: Session, house: House, now: datetime) -> None:
    """Go on after a halt: every open deadline lies ahead again, by the grace at least and one clock at most."""
    for prompt, game in games.unanswered(session):
        whole = turns.clock(game, prompt.kind)
        prompt.deadline_at = min(
            max(prompt.deadline_at, now + house.config.time.grace), now + max(whole, house.config.time.grace)
        )
        games.save_prompts(session, [prompt])
    facts.set_fact(session, "halt", "")
    facts.set_moment(session, "read_at", now)
    facts.set_moment(session, "tick_at", now)


def _due_reminders(session: Session, house: House, now: datetime) -> list[tuple[int, int, datetime]]:
    rungs = clock.parse_rungs(house.config.time.reminders)
    due = []
    for prompt, game in games.unanswered(session):
        moment = clock.due_reminder(prompt.asked_at, prompt.deadline_at, prompt.reminded_at, rungs, now)
        if moment is not None:
            due.append((game.id or 0, prompt.number, moment))
    return due


def _guarded(db: sa.Engine, house: House, now: datetime, game_id: int, work: Callable[[Session], None]) -> None:
    """Keep one game's trouble from the others."""
    try:
        transact(db, work)
    except Conflict:
        log.info("left to the next tick", game=game_id)
    except AdminError:
        raise
    except Exception as error:
        log.error("a game was paused, since the program failed on it", game=game_id, exc_info=error)
        transact(db, lambda session: desk.fault(session, house, now, game_id))
