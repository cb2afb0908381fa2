"""Know how a game's log is told: turn by turn, with what was taken back, and with what is told only at the end."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlmodel import Session

from pbem.core.line import follow
from pbem.core.proof import DEFAULT
from pbem.engine import Event
from pbem.services.sittings import Sitting
from pbem.store import games
from pbem.store.tables import LogEntry

PEEKED, TRIED = "house.peeked", "house.tried"
"""A moderator looked at a hand, or gave an order that the hand did not allow: either may tell a moderator of it."""
LATE = (PEEKED, TRIED)
TAKEN_BACK = "(taken back)"


def is_over(sitting: Sitting) -> bool:
    """Tell whether the game has ended, with or without a result."""
    return sitting.game.status in ("over", "ended")


def opened(sitting: Sitting, events: Iterable[Event]) -> tuple[Event, ...]:
    """Give events with those laid open that are told once the game is over."""
    if not is_over(sitting):
        return tuple(events)
    return tuple(Event(event.kind, event.facts) if event.kind in LATE else event for event in events)


def told_late(session: Session, sitting: Sitting) -> tuple[Event, ...]:
    """Give what the players are told at the end of a game and were not told before."""
    if not is_over(sitting):
        return ()
    told = (event for row in rows(session, sitting, sitting.game.created_at) for event in games.events_of(row))
    return opened(sitting, (event for event in told if event.kind in LATE and event.seen_by == ()))


def taken_back(session: Session, sitting: Sitting) -> frozenset[int]:
    """Give the numbers of the entries whose steps were taken back."""
    if not sitting.game.epoch:
        return frozenset()
    entries = rows(session, sitting, sitting.game.created_at)
    return follow((row.number, row.kind, row.body) for row in entries).taken_back()


def taken_back_now(session: Session, sitting: Sitting) -> list[LogEntry]:
    """Give the steps, old ones and its own, that this sitting took back."""
    if not any(entry.kind == "restore" for entry, _ in sitting.entries):
        return []
    entries, first = rows(session, sitting, sitting.game.created_at), sitting.entries[0][0].number
    before = follow((row.number, row.kind, row.body) for row in entries if row.number < first).taken_back()
    now = taken_back(session, sitting) - before
    return [row for row in entries if row.number in now]


def rows(session: Session, sitting: Sitting, now: datetime) -> list[LogEntry]:
    """Give a game's whole log, with what this sitting adds to it."""
    old = games.log_of(session, sitting.game.id or 0)
    new = [games.entry_row(sitting.game, entry, turn, now) for entry, turn in sitting.entries]
    return [*old, *(row for row in new if row.number > len(old))]


def struck(lines: Sequence[str]) -> list[str]:
    """Mark lines as taken back; letters show them in grey."""
    return [f"{TAKEN_BACK} {line}" for line in lines]


def told_events(body: str, events: Sequence[Event]) -> tuple[Event, ...]:
    """Give an entry's events, with the house's own remark where time ran out.

    A body that was cut to what one seat knew says so itself.
    """
    told = json.loads(body)
    late = told.get("late", [seat for seat, _, by in told.get("orders", []) if by == DEFAULT])
    return (*(Event("house.defaulted", {"seat": seat}) for seat in late), *events)


def last_turn(session: Session, sitting: Sitting) -> list[tuple[int, int, tuple[Event, ...]]]:
    """Give the entries of the last whole turn and of the one under way."""
    rows = games.log_of(session, sitting.game.id or 0, since_turn=sitting.table.turn() - 1)
    return [(row.number, row.turn, told_events(row.body, games.events_of(row))) for row in rows]
