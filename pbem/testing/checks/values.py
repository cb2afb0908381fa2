"""Check what a game's values are made of, and that the same goes in and comes out again."""

import dataclasses
import enum
import json
from collections.abc import Iterator, Mapping
from typing import Any

from pbem.testing.checks import each_step, first_difference, shorten
from pbem.testing.kit import Kit
from pbem.testing.plays import Step


@each_step
def values_are_plain(kit: Kit, step: Step) -> None:
    """States, views and orders are frozen dataclasses of tuples, texts, whole numbers: no sets, no floats."""
    values = {"state": step.after, **{f"order of seat {seat}": order for seat, order in step.sealed.items()}}
    values |= {f"view of {seat}": step.engine.view(step.after, seat) for seat in (None, *step.seats)}
    for name, value in values.items():
        for path, why in odd_parts(value, name):
            raise AssertionError(f"{path} {why}")
    for event in step.events:
        told = json.loads(json.dumps(event.facts, allow_nan=False))
        assert told == event.facts, f"the facts of event {event.kind!r} are no plain JSON: {shorten(event.facts)}"
        assert not [path for path, why in odd_parts(event.facts, "") if "float" in why], f"{event.kind!r} tells a float"


def odd_parts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Give every part of a value that is not plain, and what is odd about it."""
    if value is None or isinstance(value, str | int | enum.Enum):
        return
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if not value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            yield path, f"is a {type(value).__name__}, a dataclass that is not frozen"
        for field in dataclasses.fields(value):
            yield from odd_parts(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, tuple | list):
        for at, item in enumerate(value):
            yield from odd_parts(item, f"{path}[{at}]")
    elif isinstance(value, Mapping):
        yield from (part for key, item in value.items() for part in odd_parts((key, item), f"{path}[{key!r}]"))
    else:
        yield path, f"is a {type(value).__name__}: {shorten(value, 60)}"


@each_step
def states_round_trip(kit: Kit, step: Step) -> None:
    """What is written into the store is read back as the same state."""
    engine, text = step.engine, step.engine.dump(step.after)
    again = engine.load(text)
    assert again == step.after, f"read back, the state differs: {first_difference(repr(step.after), repr(again))}"
    assert engine.dump(again) == text, f"written again, it differs: {first_difference(text, engine.dump(again))}"


@each_step
def a_step_leaves_its_input_alone(kit: Kit, step: Step) -> None:
    """No hook changes the state that it is given, nor the orders."""
    engine = step.engine
    _same("the state", step.snapshot, engine.dump(step.before))
    orders = dict(step.orders)
    engine.resolve(engine.load(step.snapshot), orders, step.dice())
    _same("the orders", repr(list(step.orders.items())), repr(list(orders.items())))
    before = engine.dump(step.after)
    _call_all(step)
    _same("the state", before, engine.dump(step.after))


def _same(what: str, before: str, now: str) -> None:
    assert now == before, f"a hook changed {what} that it was given: {first_difference(before, now)}"


def _call_all(step: Step) -> None:
    """Call every hook that is given a state or a view."""
    engine, state, dice = step.engine, step.after, step.dice("calls")
    for hook in (engine.awaiting, engine.interrupts, engine.silent, engine.result, engine.turn):
        hook(state)
    engine.audit(state)
    for seat in (None, *step.seats):
        engine.reshuffle(state, (seat,), dice)
    for seat in engine.awaiting(state):
        view = engine.view(state, seat)
        engine.default(view, dice)
        engine.parse(view, engine.sample(view, dice))


@each_step
def same_inputs_give_the_same_result(kit: Kit, step: Step) -> None:
    """Every hook is a function of what it is given: no chance but the dice, no clock, no memory."""
    engine = step.engine
    again = engine.load(step.snapshot)
    state, events = engine.resolve(again, dict(step.orders), step.dice())
    one, other = engine.dump(step.after), engine.dump(state)
    assert one == other, f"the same step, made again, leads elsewhere: {first_difference(one, other)}"
    one, other = (repr([(e.kind, dict(e.facts), e.seen_by) for e in told]) for told in (step.events, events))
    assert one == other, f"the same step, made again, tells other events: {first_difference(one, other)}"
    for (what, one), (_, other) in zip(list(said(step)), list(said(step)), strict=True):
        assert one == other, f"{what}, asked for twice, differs: {first_difference(one, other)}"


def said(step: Step) -> Iterator[tuple[str, str]]:
    """Write down all that the game says of the state after a step: what is seen, asked, offered."""
    engine, state = step.engine, step.after
    yield "the state", engine.dump(state)
    yield "the events", repr([(event.kind, dict(event.facts), event.seen_by) for event in step.events])
    yield "what is asked", repr(list(engine.awaiting(state).items()))
    yield "turn and result", repr((engine.turn(state), engine.result(state)))
    for seat in (None, *step.seats):
        yield f"the view of {seat}", repr(engine.view(state, seat))
    for seat in engine.awaiting(state):
        view = engine.view(state, seat)
        yield f"the default of {seat}", engine.format(engine.default(view, step.dice("default")))
        yield f"the sample of {seat}", engine.sample(view, step.dice("sample"))
