"""Hold Tussle with one planted fault each, and the check that is meant to catch it."""

import itertools
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

from pbem import games
from pbem.engine import Dice, Engine, Event, IllegalOrder, Prompt, Result
from tests.kit import tussle as sound
from tests.kit.tussle import Order, State, View

TEMPLATES = files("tests.kit.tussle") / "templates"
FAULTS: dict[str, tuple[Callable[[], Engine], str]] = {}
"""Each fault by its name: how to make the broken game, and the check that catches it."""
Made = tuple[State, tuple[Event, ...]]


def broken(**hooks: Any) -> Engine:
    """Make a Tussle with other hooks."""
    return games.complete("tussle", SimpleNamespace(**{**vars(sound), **hooks}), str(TEMPLATES))


def fault(check: str) -> Callable[[Callable[[], Engine]], Callable[[], Engine]]:
    """Enter a broken game under its name, with the check that is meant to catch it."""

    def enter(make: Callable[[], Engine]) -> Callable[[], Engine]:
        FAULTS[make.__name__] = (make, check)
        return make

    return enter


def after(change: Callable[[State, State, Mapping[int, Order], Dice], Made | None]) -> Engine:
    """Let something more be done to what a step makes: (before, after, orders, dice); None: leave it."""

    def resolve(state: State, orders: Mapping[int, Order], dice: Dice) -> Made:
        made, events = sound.resolve(state, orders, dice)
        changed = change(state, made, orders, dice)
        return (changed[0], (*events, *changed[1])) if changed else (made, events)

    return broken(resolve=resolve)


# What a game is made of


@fault("the_module_is_whole")
def a_memory_of_no_kind() -> Engine:
    return broken(MEMORY="ajar")


@fault("the_module_is_whole")
def an_answer_ahead_to_nothing() -> Engine:
    return broken(STANDING=("bury",))


def with_more(more: Any, kind: Any = Any, **hooks: Any) -> Engine:
    """Let the state hold one thing more."""

    @dataclass(frozen=True)
    class Holding(State):
        more: kind = field(default_factory=lambda: more)

    def setup(names: tuple[str, ...], options: sound.Options, dice: Dice) -> State:
        return Holding(**vars(sound.setup(names, options, dice)))

    return broken(State=Holding, setup=setup, **hooks)


@fault("values_are_plain")
def a_set_in_the_state() -> Engine:
    return with_more(frozenset({"a"}), frozenset[str])


@fault("values_are_plain")
def a_float_in_the_state() -> Engine:
    return with_more(0.5, float)


@fault("values_are_plain")
def a_tuple_among_facts() -> Engine:
    return after(lambda before, state, orders, dice: (state, (Event("won", {"seat": 0, "cards": (1, 2)}),)))


@fault("states_round_trip")
def a_state_that_comes_back_as_another() -> Engine:
    return with_more((1, 2))


@fault("a_step_leaves_its_input_alone")
def a_list_that_is_appended_to() -> Engine:
    def resolve(state: Any, orders: Mapping[int, Order], dice: Dice) -> Made:
        state.more.append(len(orders))
        return sound.resolve(state, orders, dice)

    return with_more([], list[int], resolve=resolve)


# Luck


@fault("same_inputs_give_the_same_result")
def chance_of_its_own() -> Engine:
    return after(lambda before, state, orders, dice: (state, (Event("won", {"seat": random.randrange(10**9)}),)))


@fault("same_inputs_give_the_same_result")
def a_look_at_the_clock() -> Engine:
    return after(lambda before, state, orders, dice: (state, (Event("won", {"seat": time.time_ns()}),)))


@fault("same_inputs_give_the_same_result")
def a_memory_between_steps() -> Engine:
    count = itertools.count()
    return after(lambda before, state, orders, dice: (state, (Event("won", {"seat": next(count)}),)))


def _hashed(state: State) -> Mapping[int, Prompt]:
    names = ", ".join(set(state.names))
    return {seat: replace(prompt, asked=f"{prompt.asked} {names}") for seat, prompt in sound.awaiting(state).items()}


hashed = broken(awaiting=_hashed)


@fault("another_process_plays_the_same_games")
def an_order_by_hash() -> Engine:
    return hashed


@fault("the_module_is_pure")
def a_module_that_imports_chance() -> Engine:
    def setup(names: tuple[str, ...], options: sound.Options, dice: Dice) -> State:
        return sound.setup(names, options, dice)

    return broken(setup=setup)  # it stands in this file, which imports random and time


# Orders


@fault("samples_and_defaults_are_legal")
def a_default_that_nobody_holds() -> Engine:
    return broken(default=lambda view, dice: Order("lay", 99))


@fault("samples_and_defaults_are_legal")
def a_sample_that_is_not_legal() -> Engine:
    return broken(sample=lambda view, dice: "lay 99")


@fault("samples_and_defaults_are_legal")
def an_example_that_is_not_legal() -> Engine:
    def awaiting(state: State) -> Mapping[int, Prompt]:
        return {seat: replace(prompt, examples=("lay 99",)) for seat, prompt in sound.awaiting(state).items()}

    return broken(awaiting=awaiting)


@fault("samples_and_defaults_are_legal")
def a_bot_that_cheats() -> Engine:
    return broken(BOTS={"cheat": lambda view, seen, dice: "throw 99"})


@fault("orders_read_back")
def a_format_that_loses_the_card() -> Engine:
    def parse(view: View, text: str) -> Order | None:
        return Order("keep") if text == "throw" else sound.parse(view, text)

    return broken(parse=parse, format=lambda order: "throw" if order.word == "throw" else sound.format(order))


@fault("orders_can_be_sent_in_a_letter")
def an_order_that_the_office_takes() -> Engine:
    def parse(view: View, text: str) -> Order | None:
        return sound.parse(view, "keep" if text == "end" else text)

    return broken(
        parse=parse,
        format=lambda order: sound.format(order).replace("keep", "end"),
        sample=lambda view, dice: sound.sample(view, dice).replace("keep", "end"),
    )


@fault("any_text_is_an_order_talk_or_refused")
def a_parse_that_falls_over_odd_digits() -> Engine:
    def parse(view: View, text: str) -> Order | None:
        if text[-1:].isdigit():
            int(text.split()[-1])
        return sound.parse(view, text)

    return broken(parse=parse)


@fault("any_text_is_an_order_talk_or_refused")
def a_refusal_that_shows_what_does_not_work() -> Engine:
    def parse(view: View, text: str) -> Order | None:
        try:
            return sound.parse(view, text)
        except IllegalOrder as error:
            raise IllegalOrder(error.why, "lay 99") from error

    return broken(parse=parse)


@fault("the_notation_is_that_of_the_game")
def a_notation_of_another_game() -> Engine:
    return broken(NOTATION=(*sound.NOTATION, replace(sound.NOTATION[0], example="castle kingside")))


@fault("what_is_not_learned_tells_nothing")
def a_drawn_card_of_which_nothing_is_learned() -> Engine:
    return broken(learned=lambda event, seat: None)


@fault("a_game_can_be_scored_at_any_time")
def a_score_for_nobody() -> Engine:
    return broken(scored=lambda state: Result("", (), ()))
