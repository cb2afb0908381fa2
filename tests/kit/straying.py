"""Hold Tussle with one planted fault each in how it goes on: sealed answers, questions, endings, cards."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pbem.engine import Dice, Engine, Prompt, Result
from tests.kit import tussle as sound
from tests.kit.broken import Made, after, broken, fault
from tests.kit.tussle import Order, State, View

# Sealed answers


@fault("sealed_answers_commute")
def the_first_answer_decides() -> Engine:
    return broken(settled=lambda state, orders: bool(orders))


@fault("sealed_answers_commute")
def a_tie_for_the_fastest() -> Engine:
    def resolve(state: State, orders: Mapping[int, Order], dice: Dice) -> Made:
        made, events = sound.resolve(state, orders, dice)
        return (replace(made, winner=next(iter(orders))), events) if len(orders) > 1 else (made, events)

    return broken(resolve=resolve)


@fault("random_games_end")
def answers_that_never_suffice() -> Engine:
    return broken(settled=lambda state, orders: False)


# The course of a game


@fault("somebody_is_asked_until_there_is_a_result")
def a_question_after_the_end() -> Engine:
    def awaiting(state: State) -> Mapping[int, Prompt]:
        return {0: Prompt("lay", True, "More?", ("keep",))} if state.ending == "knock" else sound.awaiting(state)

    return broken(awaiting=awaiting)


@fault("somebody_is_asked_until_there_is_a_result")
def nobody_asked_and_no_result() -> Engine:
    return broken(result=lambda state: sound.result(state) if state.ending != "knock" else None)


@fault("somebody_is_asked_until_there_is_a_result")
def an_ending_without_a_name() -> Engine:
    return broken(ENDINGS=("spent",))


@fault("somebody_is_asked_until_there_is_a_result")
def a_kind_that_KINDS_lacks() -> Engine:
    return broken(KINDS=("lay",), STANDING=())


@fault("somebody_is_asked_until_there_is_a_result")
def scores_for_one_seat_only() -> Engine:
    return broken(result=lambda state: Result(state.ending, (0,), (1,)) if state.ending else None)


@fault("every_ending_is_reached")
def an_ending_that_never_comes() -> Engine:
    return broken(ENDINGS=(*sound.ENDINGS, "draw"))


@fault("games_of_silent_players_end")
def silence_that_lasts_for_ever() -> Engine:
    def resolve(state: State, orders: Mapping[int, Order], dice: Dice) -> Made:
        if any(order.word == "wait" for order in orders.values()):
            return replace(state, turn=state.turn + 1), ()
        return sound.resolve(state, orders, dice)

    def parse(view: View, text: str) -> Order | None:
        return Order("wait") if text == "wait" and view.kind else sound.parse(view, text)

    def write(order: Order) -> str:
        return "wait" if order.word == "wait" else sound.format(order)

    return broken(resolve=resolve, parse=parse, format=write, default=lambda view, dice: Order("wait"))


@fault("turns_only_go_on")
def a_turn_that_comes_again() -> Engine:
    return broken(turn=lambda state: 9 - state.turn if state.turn < 9 else state.turn)


# Cards


@fault("no_card_is_lost_or_doubled")
def a_card_lost_in_a_rare_case() -> Engine:
    def lose(before: State, state: State, orders: Mapping[int, Order], dice: Dice) -> Made | None:
        rare = Order("throw", 13) in orders.values()
        return (replace(state, laid=tuple(card for card in state.laid if card != 13)), ()) if rare else None

    return after(lose)


@fault("no_card_is_lost_or_doubled")
def a_card_doubled_when_the_pile_is_out() -> Engine:
    def double(before: State, state: State, orders: Mapping[int, Order], dice: Dice) -> Made | None:
        return (replace(state, laid=(*state.laid, state.laid[-1])), ()) if not state.draw and before.draw else None

    return after(double)


@fault("no_card_is_lost_or_doubled")
def a_reshuffle_that_loses_a_card() -> Engine:
    def reshuffle(state: State, seats: Any, dice: Dice) -> State:
        other = sound.reshuffle(state, seats, dice)
        return replace(other, draw=(*other.draw[:-1], other.draw[0])) if other.draw else other

    return broken(reshuffle=reshuffle)


@fault("audit_notices_a_lost_card")
def an_audit_that_looks_at_nothing() -> Engine:
    return broken(audit=lambda state: None)
