"""Hold Tussle with one planted leak each: something reaches a seat that it may not know."""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pbem.engine import Dice, Engine, Event, IllegalOrder, Prompt
from tests.kit import tussle as sound
from tests.kit.broken import TEMPLATES, Made, after, broken, fault
from tests.kit.tussle import Order, State, View


def top(state: State) -> int:
    """Give what nobody may know: the next card of the pile."""
    return state.draw[-1] if state.draw else 0


@dataclass(frozen=True)
class Peeking(View):
    """Hold what no comparison of views finds: who wrote it meant no harm."""

    state: State | None = field(default=None, compare=False, repr=False)


def peek(state: State, seat: int | None) -> Peeking:
    """Show the whole state to whoever reads orders."""
    return Peeking(**vars(sound.view(state, seat)), state=state)


def page(name: str, text: str, **hooks: Any) -> Engine:
    """Write one template anew; {} stands for what it was."""
    folder = Path(tempfile.mkdtemp(prefix="tussle-"))
    shutil.copytree(str(TEMPLATES), folder, dirs_exist_ok=True)
    file = folder / "tussle" / name
    file.write_text(text.replace("{}", file.read_text()))
    return replace(broken(**hooks), templates=str(folder))


# Templates


@fault("every_event_has_its_line")
def an_event_without_a_line() -> Engine:
    return after(lambda before, state, orders, dice: (state, (Event("cheered", {}),)))


@fault("every_event_has_its_line")
def a_line_that_tells_what_is_not_there() -> Engine:
    return page(
        "events.j2", "{}{% macro kept(facts, names) %}{{ names[facts.seat] }} kept {{ facts.cards }}{% endmacro %}"
    )


@fault("every_page_can_be_written")
def a_name_that_the_text_lacks() -> Engine:
    return page("digest.txt.j2", "{}{{ view.gold }}")


@fault("every_page_can_be_written")
def a_name_that_the_html_lacks() -> Engine:
    return page("digest.html.j2", "{}{% if view.ending %}{{ view.gold }}{% endif %}")


@fault("every_page_can_be_written")
def a_picture_from_elsewhere() -> Engine:
    return page("table.html.j2", '{}<img src="//example.org/seen.png">')


@fault("every_page_can_be_written")
def a_tag_that_stays_open() -> Engine:
    return page("digest.html.j2", "{}<p>")


@fault("every_page_can_be_written")
def a_line_too_wide() -> Engine:
    return page("table.txt.j2", "{}{{ '=' * 77 }}")


# Events


@fault("events_tell_all_that_shows_and_no_more")
def a_drawn_card_told_to_all() -> Engine:
    def tell(before: State, state: State, orders: Mapping[int, Order], dice: Dice) -> Made | None:
        return state, (Event("threw", {"seat": 0, "card": top(before)}),)

    return after(tell)


@fault("events_tell_all_that_shows_and_no_more")
def a_private_event_to_the_neighbour() -> Engine:
    def resolve(state: State, orders: Mapping[int, Order], dice: Dice) -> Made:
        made, events = sound.resolve(state, orders, dice)
        wrong = (event if event.seen_by is None else _to_neighbour(event, len(state.names)) for event in events)
        return made, tuple(wrong)

    return broken(resolve=resolve)


def _to_neighbour(event: Event, players: int) -> Event:
    return replace(event, seen_by=tuple((seat + 1) % players for seat in event.seen_by or ()))


@fault("events_tell_all_that_shows_and_no_more")
def a_question_only_where_there_is_a_choice() -> Engine:
    def skip(before: State, state: State, orders: Mapping[int, Order], dice: Dice) -> Made | None:
        no_choice = state.winner >= 0 and min(state.hands[state.winner], default=99) > 12
        return sound.finish_turn(replace(state, winner=-1), ()) if no_choice else None

    return after(skip)


@fault("events_tell_all_that_shows_and_no_more")
def a_turn_that_counts_hidden_cards() -> Engine:
    return after(lambda before, state, orders, dice: (replace(state, turn=state.turn + (top(state) > 12)), ()))


@fault("events_tell_all_that_shows_and_no_more")
def events_in_an_order_by_the_next_card() -> Engine:
    def tell(before: State, state: State, orders: Mapping[int, Order], dice: Dice) -> Made | None:
        both = (Event("won", {"seat": 0}), Event("won", {"seat": 1}))
        return state, both[:: 1 if top(before) % 2 else -1]

    return after(tell)


@fault("what_is_done_in_secret_stays_secret")
def a_hand_hinted_at_by_who_keeps_it() -> Engine:
    def hint(before: State, state: State, orders: Mapping[int, Order], dice: Dice) -> Made | None:
        ((seat, order), *_) = orders.items()
        return (
            (state, (Event("threw", {"seat": seat, "card": min(state.hands[seat], default=0)}),))
            if (order.word == "keep")
            else None
        )

    return after(hint)


# Views and what is made of them


@fault("a_seat_sees_only_what_reshuffle_keeps")
def a_hand_in_a_view() -> Engine:
    def view(state: State, seat: int | None) -> View:
        return replace(sound.view(state, seat), hands=state.hands[:1])

    return broken(view=view)


@fault("a_seat_sees_only_what_reshuffle_keeps")
def the_pile_in_a_view() -> Engine:
    return broken(view=lambda state, seat: replace(sound.view(state, seat), laid=(*state.laid, *state.draw[-1:])))


@fault("a_seat_sees_only_what_reshuffle_keeps")
def a_list_sorted_by_a_hidden_card() -> Engine:
    def view(state: State, seat: int | None) -> View:
        shown = sound.view(state, seat)
        return replace(shown, laid=shown.laid[:: 1 if top(state) % 2 else -1])

    return broken(view=view)


@fault("a_seat_sees_only_what_reshuffle_keeps")
def a_question_by_what_another_holds() -> Engine:
    def awaiting(state: State) -> Mapping[int, Prompt]:
        asked = sound.awaiting(state)
        able = {seat: prompt for seat, prompt in asked.items() if max(state.hands[seat], default=0) > 8}
        return able or asked

    return broken(awaiting=awaiting)


@fault("a_seat_sees_only_what_reshuffle_keeps")
def an_example_by_the_next_card() -> Engine:
    def awaiting(state: State) -> Mapping[int, Prompt]:
        return {
            seat: replace(prompt, examples=prompt.examples[: 1 + top(state) % 2])
            for seat, prompt in sound.awaiting(state).items()
        }

    return broken(awaiting=awaiting)


@fault("a_seat_sees_only_what_reshuffle_keeps")
def a_default_by_the_next_card() -> Engine:
    def default(view: Peeking, dice: Dice) -> Order:
        assert view.state is not None
        wise = view.kind == "throw" and view.hand and top(view.state) > view.hand[0]
        return Order("throw", view.hand[0]) if wise else sound.default(view, dice)

    return broken(view=peek, default=default)


@fault("a_seat_sees_only_what_reshuffle_keeps")
def a_reshuffle_that_takes_the_own_hand() -> Engine:
    return broken(reshuffle=lambda state, seats, dice: sound.reshuffle(state, (), dice))


@fault("reshuffle_moves_what_is_hidden")
def a_reshuffle_that_moves_nothing() -> Engine:
    return broken(reshuffle=lambda state, seats, dice: state)


@fault("reshuffle_moves_what_is_hidden")
def a_reshuffle_that_leaves_hands_alone() -> Engine:
    return broken(reshuffle=lambda state, seats, dice: replace(state, draw=dice.shuffled(state.draw)))


# Letters


@fault("no_letter_tells_more_than_a_view")
def a_card_in_an_error() -> Engine:
    def parse(view: Peeking, text: str) -> Order | None:
        try:
            return sound.parse(view, text)
        except IllegalOrder as error:
            assert view.state is not None
            raise IllegalOrder(f"{error.why} The next card is {top(view.state)}.", *error.examples) from error

    return broken(view=peek, parse=parse)


@fault("no_letter_tells_more_than_a_view")
def a_slip_by_the_next_card() -> Engine:
    def parse(view: Peeking, text: str) -> Order | None:
        assert view.state is not None
        return None if text == "keep" and view.kind != "throw" and top(view.state) > 12 else sound.parse(view, text)

    return broken(view=peek, parse=parse)


@fault("no_letter_tells_more_than_a_view")
def a_card_in_the_digest() -> Engine:
    return page("digest.txt.j2", "{}{{ (view.state.draw | last) if view.state.draw }}\n", view=peek)


@fault("no_letter_tells_more_than_a_view")
def a_card_in_the_html_alone() -> Engine:
    return page("digest.html.j2", "{}<p>{{ (view.state.draw | last) if view.state.draw }}</p>", view=peek)


@fault("no_letter_tells_more_than_a_view")
def a_card_on_the_table() -> Engine:
    return page("table.txt.j2", "{}{{ (view.state.draw | last) if view.state.draw }}\n", view=peek)
