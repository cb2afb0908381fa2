"""Let players take their last order back: freely while nobody has learned anything from it, else if all others agree.

A request and the answers to it stand in the log. It lapses with the next step: to play on is to refuse.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from pbem.core.reading import Command
from pbem.core.render import listed
from pbem.engine import Engine, Event
from pbem.errors import NotAwaited
from pbem.services import chronicle, rollback, turns
from pbem.services.hearing import Hearing, check_epoch, check_open
from pbem.services.sittings import Sitting
from pbem.services.turns import OWN
from pbem.store import games
from pbem.store.tables import LogEntry

ASKED, AGREED, REFUSED = "house.undo_asked", "house.undo_agreed", "house.undo_refused"


@dataclass(frozen=True)
class Request:
    """Hold a request that waits for answers: who asked, back to after which entry, and who has agreed."""

    seat: int
    entry: int
    agreed: tuple[int, ...] = ()
    refused: bool = False


def ask(hearing: Hearing, command: Command) -> None:
    """Take the sender's last order back, or ask all others to agree.

    Raises: NotAwaited, StaleOrder, GameOver.
    """
    check_open(hearing)
    check_epoch(hearing)
    sitting, seat = hearing.sitting, hearing.token.seat
    rows = chronicle.rows(hearing.session, sitting, hearing.now)
    last = _last_order(rows, seat)
    entry, step = last.number - 1, int(json.loads(last.body)["step"])
    learned = learners(sitting.engine, seat, len(sitting.seats), _steps(rollback.steps_since(rows, entry)))
    if not learned:
        _take_back(hearing, rows, Request(seat, entry), redeal=False)
        _keep_deadline(hearing)
        hearing.note("undo", "Your order was taken back: nobody had learned anything from it.", *hearing.examples())
    elif not voters(sitting, seat):
        _take_back(hearing, rows, Request(seat, entry), redeal=True)
        told = "Your order was taken back, since bots always agree; what nobody could know before it was dealt anew."
        hearing.note("undo", told, *hearing.examples())
    else:
        _check_new(sitting, seat, entry, pending(rows))
        facts = {"seat": seat, "learned": sorted(learned), "step": step}
        turns.announce(sitting, Event(ASKED, facts), entry=entry)
        hearing.changed = hearing.all_hear = True
        who, whose = listed([sitting.names[one] for one in sorted(learned)]), voters(sitting, seat)
        must = listed([sitting.names[one] for one in whose])
        hearing.note("undo", f"Something was learned from your order, by {who}. So {must} must agree; all were asked.")


def agree(hearing: Hearing, command: Command) -> None:
    """Agree that somebody takes an order back; it is done once all others have.

    Raises: NotAwaited.
    """
    rows, request = _request(hearing)
    sitting, seat = hearing.sitting, hearing.token.seat
    if seat in request.agreed:
        raise NotAwaited("You have agreed already; the game waits for the others' word.")
    turns.announce(sitting, Event(AGREED, {"seat": seat}))
    hearing.changed = True
    left = [other for other in voters(sitting, request.seat) if other not in (*request.agreed, seat)]
    if left:
        hearing.note("agree", f"Noted. {listed([sitting.names[other] for other in left])} must agree as well.")
        return
    rows = chronicle.rows(hearing.session, sitting, hearing.now)
    _take_back(hearing, rows, request, redeal=True)
    hearing.note("agree", "Noted. All have agreed, and the order was taken back.")


def refuse(hearing: Hearing, command: Command) -> None:
    """Refuse that somebody takes an order back: it stands.

    Raises: NotAwaited.
    """
    _request(hearing)
    turns.announce(hearing.sitting, Event(REFUSED, {"seat": hearing.token.seat}))
    hearing.changed = hearing.all_hear = True
    hearing.note("refuse", "Noted. The order stands.")


def asking(hearing: Hearing) -> str:
    """Name who asks to take an order back and waits for the sender's word; "" if nobody does."""
    sitting, seat = hearing.sitting, hearing.token.seat
    request = pending(chronicle.rows(hearing.session, sitting, hearing.now)) if sitting.is_open else None
    if request is None or request.refused or seat in request.agreed or seat not in voters(sitting, request.seat):
        return ""
    return sitting.names[request.seat]


def learners(
    engine: Engine, asker: int, seats: int, steps: Iterable[tuple[Collection[int], Sequence[Event]]]
) -> set[int]:
    """Give the seats that have learned anything from steps, each given as who answered in it and its events.

    Where somebody else answered since, the asker has learned how.
    """
    learned = set[int]()
    for answered, events in steps:
        learned |= {asker} if set(answered) - {asker} else set()
        for seat in range(seats):
            if any(engine.learned(event, seat) is not None for event in events if event.visible(seat)):
                learned.add(seat)
    return learned


def voters(sitting: Sitting, asker: int) -> list[int]:
    """Give the seats whose players must agree: bots always do, and who has left is not asked."""
    held = [seat for seat in sitting.seats if seat.player_id is not None and not seat.resigned]
    return [seat.number for seat in held if seat.number != asker]


def pending(rows: Sequence[LogEntry]) -> Request | None:
    """Find the newest request since the last step, with the answers to it."""
    found: Request | None = None
    for row in rows:
        body = json.loads(row.body)
        if row.kind in ("step", "restore"):
            found = None
        elif body.get("what") == ASKED:
            found = Request(body["seat"], body["entry"])
        elif found is not None and body.get("what") == AGREED:
            found = replace(found, agreed=(*found.agreed, body["seat"]))
        elif found is not None and body.get("what") == REFUSED:
            found = replace(found, refused=True)
    return found


def _request(hearing: Hearing) -> tuple[list[LogEntry], Request]:
    """Find the request that waits for the sender's word.

    Raises: NotAwaited, StaleOrder, GameOver.
    """
    check_open(hearing)
    check_epoch(hearing)
    rows = chronicle.rows(hearing.session, hearing.sitting, hearing.now)
    request = pending(rows)
    if request is None or request.refused:
        raise NotAwaited("Nobody asks to take an order back now.")
    if request.seat == hearing.token.seat:
        raise NotAwaited("It is the others who must agree to your undo.")
    return rows, request


def _check_new(sitting: Sitting, seat: int, entry: int, request: Request | None) -> None:
    if request is not None and request.refused and request.entry == entry:
        raise NotAwaited("This was refused: the order stands, unless a moderator takes it back.")
    if request is not None and not request.refused:
        whose = "You ask" if request.seat == seat else f"{sitting.names[request.seat]} asks"
        raise NotAwaited(f"{whose} already to take an order back, and the answers to that are not all in.")


def _last_order(rows: list[LogEntry], seat: int) -> LogEntry:
    """Find the step in force that used a seat's last order, if the player gave it.

    Raises: NotAwaited.
    """
    for row in reversed(rollback.steps_since(rows, 0)):
        for number, _, given_by in json.loads(row.body)["orders"]:
            if number == seat and given_by not in OWN:
                raise NotAwaited("Your last move was not your own order, so only a moderator can take it back.")
            if number == seat:
                return row
    raise NotAwaited("There is no order of yours that could be taken back.")


def _steps(rows: list[LogEntry]) -> list[tuple[Collection[int], Sequence[Event]]]:
    """Give who answered in each step, and its events."""
    return [({seat for seat, *_ in json.loads(row.body)["orders"]}, games.events_of(row)) for row in rows]


def _take_back(hearing: Hearing, rows: list[LogEntry], request: Request, *, redeal: bool) -> None:
    """Put the game back to before an order; lines below answer what is asked then."""
    sitting = hearing.sitting
    event = Event(rollback.UNDONE, {"seat": request.seat, "redealt": redeal})
    rollback.put_back(hearing.session, sitting, rows, request.entry, event, hearing.now, redeal=redeal)
    turns.advance(sitting, hearing.now)
    hearing.token = replace(hearing.token, epoch=sitting.game.epoch)
    hearing.answering = hearing.prompt.number if hearing.prompt else 0
    hearing.changed = hearing.all_hear = True


def _keep_deadline(hearing: Hearing) -> None:
    """Let a free undo gain no time: the deadline is what it was, with the grace at least."""
    prompt = hearing.prompt
    answered = games.answered_prompt(hearing.session, hearing.sitting.game.id or 0, hearing.token.seat)
    if prompt is not None and answered is not None:
        grace: timedelta = hearing.house.config.time.grace
        prompt.deadline_at = min(prompt.deadline_at, max(answered.deadline_at, hearing.now + grace))
