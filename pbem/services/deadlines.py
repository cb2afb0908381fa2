"""Remind, judge deadlines, and excuse time in which the service or a seat's mail could not be reached.

What the house remembers of time stands in facts: `tick_at` (the last pass), `read_at:POST` (up to when a post was read
to its end), `excused_at` (up to when lost time was given back) and `halt` (why nothing may be judged, "" for nothing).
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial

import sqlalchemy as sa
import structlog
from sqlmodel import Session

from pbem.core import clock
from pbem.core.token import verify
from pbem.errors import AdminError, Conflict
from pbem.services import clocks, desk, gathering, letters, notices, sittings, turns
from pbem.services.house import House
from pbem.services.sittings import Sitting
from pbem.store import facts, games
from pbem.store import gathering as gathered
from pbem.store.session import read, transact
from pbem.store.tables import Outbox, Prompt

log = structlog.get_logger()
DAY = timedelta(days=1)
ROW_ALARM = 3  # deadlines missed in a row
SETTLING = timedelta(minutes=1)  # a mail may show up this long after the moment that it is said to have come


def begin_pass(session: Session, house: House, now: datetime) -> str:
    """Give why nothing may be judged, "" for nothing; note that a pass began.

    A clock before the last pass, or more than a day after it, may be wrong: an operator must say.
    """
    halt = facts.find_fact(session, "halt") or ""
    last = facts.find_moment(session, "tick_at")
    if not halt and last is not None:
        halt = _jump(house, last, now)
        if halt:
            log.error("no deadline is judged until `pbem admin confirm`", why=halt)
            facts.set_fact(session, "halt", halt)
            told = f"No deadline is judged until `pbem admin confirm`: {halt}."
            notices.alarm(session, house, f"halt-{last:%Y%m%d%H%M}", told, now)
    if not halt:
        facts.set_moment(session, "tick_at", max(now, last or now))
    return halt


def _jump(house: House, last: datetime, now: datetime) -> str:
    if now < last - house.config.time.tick:
        return f"clock: it says {now:%Y-%m-%d %H:%M} UTC, but the last tick was at {last:%Y-%m-%d %H:%M} UTC"
    if now - last > DAY:
        return f"clock: the last tick was {clock.show_span(now - last)} ago"
    return ""


def post_answers(session: Session, house: House, now: datetime, posts: Iterable[str]) -> None:
    """Give back the time in which a post was not read, if that was long: before any message from it is judged."""
    moments = [facts.find_moment(session, _read_at(post)) for post in posts]
    if facts.find_fact(session, "halt") or None in moments:
        return
    excused = facts.find_moment(session, "excused_at")
    since = min(moment if excused is None else max(moment, excused) for moment in moments if moment is not None)
    if now - since <= house.config.time.downtime_after:
        return
    _excuse(session, house, since, now)
    facts.set_moment(session, "excused_at", now)
    log.warning("deadlines moved, since the post was not read", by=clock.show_span(now - since))


def post_was_read(session: Session, post: str, begun: datetime) -> None:
    """Note that all that had come to a post when reading began is dealt with."""
    if not facts.find_fact(session, "halt"):
        facts.set_moment(session, _read_at(post), begun)


def _read_at(post: str) -> str:
    return f"read_at:{post}"


def _excuse(session: Session, house: House, since: datetime, now: datetime) -> None:
    asked = games.open_clocks(session)
    for prompt, game in asked:
        clocks.excuse(prompt, game, since, now, house.config.time.grace)
    games.save_prompts(session, [prompt for prompt, _ in asked])


def tick(db: sa.Engine, house: House, now: datetime, posts: Iterable[str]) -> None:
    """Judge what is due and remind of what will be; each game in a transaction of its own.

    Judged is only what was due when each post was last read to its end, so that no answer waits unread.
    """
    until = read(db, partial(_known_until, now=now, posts=tuple(posts)))
    if until is None:
        return
    for game_id in read(db, partial(games.games_due, until=until - SETTLING)):
        _guarded(db, house, now, game_id, partial(judge, house=house, now=now, until=until - SETTLING, game_id=game_id))
    for game_id in read(db, partial(gathered.due, until=until - SETTLING)):
        _guarded(db, house, now, game_id, partial(gathering.time_over, house=house, now=now, game_id=game_id))
    for game_id in read(db, partial(_on_beat, until=until)):
        _guarded(db, house, now, game_id, partial(beat, house=house, now=until, game_id=game_id))
    for game_id, number in transact(db, partial(_to_remind, house=house, until=until)):
        _guarded(db, house, now, game_id, partial(remind, house=house, now=now, game_id=game_id, number=number))


def _known_until(session: Session, now: datetime, posts: tuple[str, ...]) -> datetime | None:
    """Give the moment up to which every message is known; None if nothing may be judged."""
    moments = [facts.find_moment(session, _read_at(post)) for post in posts]
    if facts.find_fact(session, "halt") or None in moments:
        return None
    return min([now, *(moment for moment in moments if moment is not None)])


def judge(session: Session, house: House, now: datetime, until: datetime, game_id: int) -> None:
    """Play the default for every seat of a game whose time ran out, tell all, and go on."""
    game = games.find_game(session, game_id)
    if game is None or game.status != "open":
        return
    sitting = sittings.sit(session, house, game)
    due = [prompt for prompt in sitting.prompts.values() if prompt.order is None and prompt.deadline_at <= until]
    spared = [
        prompt for prompt in due if clocks.spare(prompt, sitting.absences)
    ]  # what was moved into an absence since
    games.save_prompts(session, spared)
    due = [prompt for prompt in due if prompt not in spared]
    late = [prompt.seat for prompt in due if not _unreached(session, house, sitting, prompt, now)]
    if not late:
        return
    turns.time_out(sitting, late, now)
    letters.tell(session, house, sitting, now)
    for seat in (sitting.seats[number] for number in late):
        if seat.missed == ROW_ALARM:
            told = f"{seat.name} has missed {seat.missed} deadlines in a row in {sittings.name_of(game)}."
            notices.alarm(session, house, f"missed-{game_id}-{seat.number}-{seat.defaults}", told, now)
    sittings.rise(session, sitting, now)


def _on_beat(session: Session, until: datetime) -> list[int]:
    """List the paced games in which answers wait that came before the last beat."""
    return [
        game_id
        for game_id, began, pace, oldest in games.sealed(session)
        if oldest < clock.last_beat(began, pace, until)
    ]


def beat(session: Session, house: House, now: datetime, game_id: int) -> None:
    """Let the answers that came before the last beat of a paced game take effect, if they suffice."""
    game = games.find_game(session, game_id)
    if game is None or game.status != "open":
        return
    sitting = sittings.sit(session, house, game)
    turns.advance(sitting, now)
    if sitting.moved:
        letters.tell(session, house, sitting, now)
        sittings.rise(session, sitting, now)


def _unreached(session: Session, house: House, sitting: Sitting, prompt: Prompt, now: datetime) -> bool:
    """Tell whether a seat is not to be judged, since no letter that asks it is known to have arrived.

    What still waits is waited for. What was given up or came back gives one more clock's length; then the moderators
    decide, and a deadline that they set is judged.
    """
    fates = {fate for fate, _ in clocks.letters_asking(session, house, sitting.game, prompt)}
    if not fates or "sent" in fates:
        return False
    if "queued" in fates:
        return True
    last = prompt.asked_at + 2 * turns.clock(sitting.game, prompt.kind)
    if prompt.deadline_at > last:
        return False
    told = f"Letters to {sitting.seats[prompt.seat].name} in {sittings.name_of(sitting.game)} do not arrive: "
    key = f"{sitting.game.id}-{prompt.number}"
    if prompt.deadline_at < last:
        clocks.extend(prompt, last, now)
        games.save_prompts(session, [prompt])
        notices.alarm(session, house, f"unreached-{key}", told + "the seat has one more clock's length.", now)
    else:
        notices.alarm(session, house, f"undecided-{key}", told + "please decide: the game waits for you.", now)
    return True


def _to_remind(session: Session, house: House, until: datetime) -> list[tuple[int, int]]:
    """List the prompts of which a reminder is due, as game and number; reckon for the others when one will be."""
    rungs = clock.parse_rungs(house.config.time.reminders)
    due, others = [], []
    for prompt in games.prompts_to_remind(session, until):
        if _due(prompt, rungs, until) is not None:
            due.append((prompt.game_id, prompt.number))
        else:
            prompt.remind_at = clock.next_reminder(prompt.asked_at, prompt.deadline_at, rungs, until)
            others.append(prompt)
    games.save_prompts(session, others)
    return due


def _due(prompt: Prompt, rungs: tuple[str, ...], now: datetime) -> datetime | None:
    since = prompt.remind_at
    return since and clock.due_reminder(prompt.asked_at, prompt.deadline_at, rungs, since, now)


def remind(session: Session, house: House, now: datetime, game_id: int, number: int) -> None:
    """Send one reminder, unless the seat has answered meanwhile."""
    game = games.find_game(session, game_id)
    if game is None or game.status != "open":
        return
    sitting = sittings.sit(session, house, game)
    rungs = clock.parse_rungs(house.config.time.reminders)
    prompt = next((p for p in sitting.prompts.values() if p.number == number and p.order is None), None)
    moment = _due(prompt, rungs, now) if prompt else None
    if prompt is None or moment is None:
        return
    letters.remind(session, house, sitting, prompt.seat, moment, now)
    prompt.remind_at = clock.next_reminder(prompt.asked_at, prompt.deadline_at, rungs, now)
    games.save_prompts(session, [prompt])
    games.save_seats(session, [sitting.seats[prompt.seat]])


def letter_went_out(session: Session, house: House, row: Outbox, now: datetime) -> None:
    """Give back to a seat the time in which the first letter that asks it could not be sent, if that was long."""
    token = verify(row.token, house.key) if row.kind != "talk" else None
    if token is None or now - row.created_at <= house.config.time.downtime_after:
        return
    game = games.find_game(session, token.game_id)
    prompt = next((p for p in games.open_prompts(session, token.game_id).values() if p.number == token.prompt), None)
    if game is None or prompt is None:
        return
    written = clocks.letters_asking(session, house, game, prompt)
    if "sent" not in [fate for fate, _ in written]:  # those before that were lost were given their time back then
        since = next((at for fate, at in written if fate == "queued"), row.created_at)
        clocks.excuse(prompt, game, since, now, timedelta(0))
        games.save_prompts(session, [prompt])


def confirm(session: Session, house: House, now: datetime) -> None:
    """Go on after a halt: what was lost is given back, and every open deadline lies ahead by the grace at least."""
    last = facts.find_moment(session, "tick_at") or now
    for prompt, game in games.open_clocks(session):
        clocks.put_right(prompt, game, last, now)
        clocks.excuse(prompt, game, last, now, house.config.time.grace)
        games.save_prompts(session, [prompt])
    facts.set_fact(session, "halt", "")
    for name in ("tick_at", "excused_at", *facts.names(session, _read_at(""))):
        facts.set_moment(session, name, now)


def _guarded(db: sa.Engine, house: House, now: datetime, game_id: int, work: Callable[[Session], None]) -> None:
    """Keep one game's trouble from the others."""
    try:
        try:
            transact(db, work)
        except (Conflict, AdminError):
            raise
        except Exception as error:
            log.error("a game was paused, since the program failed on it", game=game_id, exc_info=error)
            transact(db, partial(desk.fault, house=house, now=now, game_id=game_id))
    except Conflict:
        log.info("left to the next tick", game=game_id)
