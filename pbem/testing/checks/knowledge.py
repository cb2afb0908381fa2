"""Check over the hooks alone that what a seat cannot know makes no difference to it; `letters` looks at the letters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.engine import AnyState, Dice, Engine, Event, Order
from pbem.testing.checks import each_step, first_difference, shorten
from pbem.testing.kit import Kit
from pbem.testing.plays import Step, blamed


@each_step
def a_seat_sees_only_what_reshuffle_keeps(kit: Kit, step: Step) -> None:
    """No hook tells a seat, or an observer, a state from one that differs in what it may not know."""
    key = f"{step}"
    for seat in (None, *step.seats):
        other = step.engine.reshuffle(step.after, (seat,), step.dice(f"reshuffle {seat}"))
        for what, here, there in differences(step.engine, step.after, other, seat, key.encode()):
            raise AssertionError(
                f"{who(seat)} can tell by {what} that hidden cards were dealt anew, so either this shows too much "
                f"or reshuffle changes what was known: {first_difference(repr(here), repr(there))}"
            )


def who(seat: int | None) -> str:
    """Name a seat or an observer."""
    return "an observer" if seat is None else f"seat {seat}"


def differences(
    engine: Engine, here: AnyState, there: AnyState, seat: int | None, key: bytes
) -> Iterator[tuple[str, object, object]]:
    """Give what a seat gets out of two states by which it can tell them apart."""
    for (what, one), (_, other) in zip(told(engine, here, seat, key), told(engine, there, seat, key), strict=False):
        if one != other:
            yield what, one, other


def told(engine: Engine, state: AnyState, seat: int | None, key: bytes) -> Iterator[tuple[str, object]]:
    """Give all that a seat gets out of a state without a step."""
    view, asked = engine.view(state, seat), engine.awaiting(state)
    yield "its view", view
    yield "who is asked", sorted((other, prompt.kind) for other, prompt in asked.items())
    yield "the turn or the result", (engine.turn(state), engine.result(state))
    if seat is not None:
        yield "what it may send", (seat in engine.interrupts(state), seat in engine.silent(state))
        yield "what it is asked", asked.get(seat)
        if seat in asked:
            yield "its default", engine.format(engine.default(view, Dice(key)))
            yield "its sample", engine.sample(view, Dice(key))


@each_step
def events_tell_all_that_shows_and_no_more(kit: Kit, step: Step) -> None:
    """What an event tells a seat shows in its view, or its kind is one of `shown`; what all can see, an event told.

    The same orders are carried out in another world, alike for the seat and for all who moved.
    """
    for seat in (None, *step.seats):
        other = step.engine.reshuffle(step.before, (seat, *step.orders), step.dice(f"another world {seat}"))
        compare(kit, seat, outcome(step, step.before, step.orders, seat), outcome(step, other, step.orders, seat))


@each_step
def what_is_done_in_secret_stays_secret(kit: Kit, step: Step) -> None:
    """No event tells a seat what others hold or chose, where its view does not show it and the rules do not say so.

    In the other world the seat sends the same, and each of the others what it may hold there.
    """
    for seat in (None, *step.seats):
        other = step.engine.reshuffle(step.before, (seat,), step.dice(f"a third world {seat}"))
        orders = {one: order if one == seat else _another(step, other, one) for one, order in step.orders.items()}
        if step.engine.settled(other, orders) or not orders.keys() & step.engine.awaiting(other).keys():
            compare(kit, seat, outcome(step, step.before, step.orders, seat), outcome(step, other, orders, seat))


def _another(step: Step, world: AnyState, seat: int) -> Order:
    view = step.engine.view(world, seat)
    return step.engine.parse(view, step.engine.sample(view, step.dice(f"another order {seat}")))


@dataclass(frozen=True)
class Outcome:
    """Hold what a seat gets out of a step: the events it sees, its view, who is asked next, and the turn."""

    events: Sequence[Event]
    view: Any
    asked: object


def outcome(step: Step, state: AnyState, orders: Mapping[int, Order], seat: int | None) -> Outcome:
    """Carry orders out in a world."""
    engine = step.engine
    after, events = engine.resolve(state, dict(orders), step.dice())
    asked = sorted((other, prompt.kind) for other, prompt in engine.awaiting(after).items())
    seen = [event for event in events if event.visible(seat)]
    return Outcome(seen, engine.view(after, seat), (asked, engine.turn(after), engine.result(after)))


def compare(kit: Kit, seat: int | None, here: Outcome, there: Outcome) -> None:
    """Compare two outcomes that differ only in what a seat did not know before the step."""
    one, other = (told_by(each.events) for each in (here, there))
    if one == other:
        assert here.asked == there.asked, f"{who(seat)} can tell by who is asked what no event told: " + (
            first_difference(repr(here.asked), repr(there.asked))
        )
        assert seat is not None or here.view == there.view, "the table shows to all what no event told: " + (
            first_difference(repr(here.view), repr(there.view))
        )
    elif here.view == there.view:
        one, other = ([event for event in told if event[0] not in kit.shown] for told in (one, other))
        odd = [event for event in (*one, *other) if (event in one) != (event in other)]
        assert one == other, (
            f"an event tells {who(seat)} something that its view does not show; if the rules show it, name its kind in "
            f"`shown`: {shorten(odd[0] if odd else f'the order of {[kind for kind, _ in one]}')}"
        )


def told_by(events: Sequence[Event]) -> list[tuple[str, str]]:
    """Write events down."""
    return [(event.kind, repr(_facts(event))) for event in events]


def _facts(event: Event) -> object:
    """Give what an event tells; in which order a private one lists what shows in the seat's view is no secret."""
    return event.facts if event.seen_by is None else _sorted(event.facts)


def _sorted(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _sorted(item) for key, item in sorted(value.items())}
    return sorted(map(_sorted, value), key=repr) if isinstance(value, list) else value


def reshuffle_moves_what_is_hidden(kit: Kit) -> None:
    """`reshuffle` does deal anew: for every seat the hidden cards move, and each other hand with them."""
    moved, every = _moved(kit), range(kit.engine.seats[-1])
    if kit.hidden == "nothing":
        return
    for seat in ((), (None,), *((seat,) for seat in every)):
        assert any(seats == seat for seats, _ in moved), (
            f"{kit.engine.name}: for {seat} reshuffle never moved anything; a game that hides nothing says "
            "Kit(hidden='nothing')"
        )
    pairs = [((seat,), other) for seat in (None, *every) for other in every if seat != other]
    for seat, other in pairs if kit.hidden == "hands" else ():
        assert (seat, other) in moved, (
            f"{kit.engine.name}: reshuffle for {seat} never changed what seat {other} holds; a game without hands "
            "says Kit(hidden='piles')"
        )


def _moved(kit: Kit) -> set[tuple[tuple[int | None, ...], int | None]]:
    """Give for whom reshuffle moved something, and whose view was another by it."""
    moved: set[tuple[tuple[int | None, ...], int | None]] = set()
    for step in kit.steps:
        engine, state = step.engine, step.before
        for seats in ((), (None,), *((seat,) for seat in step.seats)):
            with blamed(f"{step}, reshuffle for {seats}"):
                other = engine.reshuffle(state, seats, step.dice("moves what is hidden"))
            if engine.dump(other) != step.snapshot:
                moved.add((seats, None))
                moved |= {(seats, one) for one in step.seats if engine.view(other, one) != engine.view(state, one)}
    return moved
