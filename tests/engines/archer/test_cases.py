"""Test what went wrong in other people's card games, case by case: C04, C06, C08, C14, C15."""

import json
from dataclasses import replace

import pytest

import engines.archer as archer
from engines.archer.table import Sight
from pbem.engine import BadOrder, Dice, Result

from .tables import NAMES, Stacked, Table, attempt, lay, refusal


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1 bob sterling", "any character but 1 Sterling"),
        ("1 bob", "needs a character after the player"),
        ("1 bob Lna", "was lana meant?"),
        ("1 ann lana", "not at yourself"),
    ],
)
def test_c04_a_guess_that_the_card_forbids_is_refused_with_a_reason(line: str, why: str) -> None:
    state = lay("1 5", "3", "4")
    assert why in refusal(state, line).why
    assert archer.view(state, 0).hand == (5, 1) and set(archer.awaiting(state)) == {0}


def test_c06_what_is_chosen_in_secret_is_in_no_public_event() -> None:
    table = Table(lay("4 1", "3", "5", secret=7)).send("cheryl look")
    public = json.dumps([[event.kind, dict(event.facts)] for event in table.events if event.visible(None)])
    assert [event.kind for event in table.events if event.visible(1)][:2] == ["played", "looked"]
    assert "7" not in public


def test_c08_a_hand_is_shown_by_strength_not_by_where_a_card_came_from() -> None:
    drawn = [archer.view(lay(hand, "3", "2"), 0).hand for hand in ("5 1", "1 5")]
    assert drawn == [(5, 1), (5, 1)]
    dealt = [Table(lay("6 4", "3", "2", draw=top)).send("4 hide").view(1).hand for top in ("5", "1")]
    assert dealt == [(5, 3), (3, 1)]


def test_c08_other_hands_are_a_bare_fact_and_no_copy_can_be_followed() -> None:
    """Views and events name characters, never which of the five Sterlings a card is."""
    one = lay("1 4", "1", "1", secret=1)
    cards = {one.secret, *(card for hand in one.hands for card in hand if one.kit[card] == 1)}
    other = _with_copies_exchanged(one)
    assert other != one and len(cards) == 4
    for seat in (0, 1, 2, None):
        assert archer.view(one, seat) == archer.view(other, seat)
    for line in ("1 bob lana", "4 look"):
        here, there = Table(one).send(line), Table(other).send(line)
        assert here.events == there.events


def _with_copies_exchanged(state: archer.State) -> archer.State:
    """Exchange bob's Sterling and cleo's."""
    ann, bob, cleo = state.hands
    shown = list(state.shown)
    shown[bob[0]], shown[cleo[0]] = shown[cleo[0]], shown[bob[0]]
    return replace(state, hands=(ann, cleo, bob), shown=tuple(shown))


def test_c14_a_card_not_in_hand_is_refused_in_the_same_words_wherever_it_is() -> None:
    worlds = [lay("5 1", "7", "4"), lay("5 1", "3", "4", secret=7), lay("5 1", "3", "4", draw="7")]
    answers = [attempt(archer.view(world, 0), "play lana") for world in worlds]
    assert all(isinstance(answer, BadOrder) for answer in answers)
    assert len({(type(answer), str(answer), getattr(answer, "examples", ())) for answer in answers}) == 1


def test_c14_a_wrong_guess_tells_the_others_only_that_it_is_wrong() -> None:
    worlds = [lay("1 5", "3", "4", secret=8, draw="2"), lay("1 5", "6", "4", secret=8, draw="2")]
    heard = []
    for world in worlds:
        table = Table(world).send("1 bob lana")
        heard.append([event for event in table.events if event.visible(2)])
        assert table.facts("saw_hand")["card"] == world.kit[world.hands[1][0]]
    assert heard[0] == heard[1]


def test_c14_nothing_that_is_offered_depends_on_what_was_seen() -> None:
    state = lay("2 1", "3", "4", secret=7)
    seen = replace(state, seen=((Sight(None, state.secret, 1), Sight(1, state.hands[1][0], 1)), (), ()))
    for one in (state, seen):
        view = archer.view(one, 0)
        assert archer.awaiting(one) == archer.awaiting(state)
        assert archer.default(view, Dice(b"x")) == archer.default(archer.view(state, 0), Dice(b"x"))
        assert archer.sample(view, Dice(b"x")) == archer.sample(archer.view(state, 0), Dice(b"x"))


def test_c15_a_tie_at_the_end_of_the_deck_gives_each_a_point_and_both_may_win() -> None:
    table = Table(lay("1 4", "2", "4", secret=8, short=True, points=(3, 0, 3))).send("1 bob lana")
    assert table.facts("round_over")["winners"] == [0, 2]
    assert archer.result(table.state) == Result("deck", (0, 2), (4, 0, 4))
    assert table.facts("ended")["winners"] == [0, 2]


def test_c15_after_a_tie_the_next_starter_follows_the_rules() -> None:
    table = Table(lay("1 4", "2", "4", secret=8, short=True, first=1)).send("1 bob lana", dice=Stacked())
    assert NAMES[table.state.player] == "cleo", "the first winner in seat order from bob on, who started"
