"""Test what is played when time runs out, as the last part of rules.md says."""

from collections import Counter

import pytest

import engines.accuse as accuse
from engines.accuse.deck import CENTERS, CLUES
from engines.accuse.orders import Accuse, Bid, Flip, Give, Order, Pass, Play, Show
from pbem.engine import Dice

from .tables import Table, lay

HANDS = ("C3 L3 X", "W5 C1 X", "W4 C2 X")


def defaults(table: Table, name: str, count: int = 200) -> list[Order]:
    """Give what is played for a player, by so many streams; each is accepted and, from one stream, the same."""
    view = table.view(name)
    found = [accuse.default(view, Dice(b"%d" % number)) for number in range(count)]
    assert found == [accuse.default(view, Dice(b"%d" % number)) for number in range(count)]
    assert all(accuse.parse(view, accuse.format(order)) == order for order in found)
    return found


@pytest.mark.parametrize(("words", "places"), [("", CLUES), ("declare=center", CENTERS)])
def test_a_play_is_a_random_card_declared_at_random(words: str, places: tuple[str, ...]) -> None:
    plays = [order for order in defaults(Table(lay(*HANDS, options=words)), "ann", 900) if isinstance(order, Play)]
    assert len(plays) == 900
    assert {(play.card, play.declared) for play in plays} == {
        (card, place) for card in ("C3", "L3", "X") for place in places
    }
    assert min(Counter(play.card for play in plays).values()) > 250


def test_a_challenge_is_a_pass() -> None:
    assert set(defaults(Table(lay(*HANDS)).send(ann="play C3"), "bob")) == {Pass()}


@pytest.mark.parametrize(("play", "order"), [("C3", Give), ("X=W1", Show)])
def test_an_owed_card_is_random(play: str, order: type[Give] | type[Show]) -> None:
    table = Table(lay(*HANDS)).send(ann=play).send(bob="challenge")
    found = Counter(defaults(table, "bob", 300))
    assert set(found) == {order("C1"), order("W5"), order("X")} and min(found.values()) > 70


def test_a_flip_due_is_random_and_all_that_are_due_at_once() -> None:
    turn = Table(lay("", *HANDS[1:], down="C3=C3@0 L3=C5@0 L4=L4@1", asked="flip"))
    assert set(defaults(turn, "ann")) == {Flip((1,)), Flip((2,))}
    guess = Table(lay(*HANDS)).send(ann="accuse C1 L6 W6").send(bob="bid 2", cleo="bid 9")
    found = defaults(guess, "bob")
    assert all(isinstance(order, Flip) and len(order.numbers) == 2 for order in found)
    assert {number for order in found if isinstance(order, Flip) for number in order.numbers} == {1, 2, 3, 7, 8, 9}


def test_a_bid_is_the_highest() -> None:
    table = Table(lay(*HANDS)).send(ann="accuse C1 L6 W6")
    assert set(defaults(table, "bob")) == {Bid(9)}


def test_an_accusation_that_is_due_is_given_up() -> None:
    assert set(defaults(Table(lay(*HANDS, asked="accuse")), "ann")) == {Accuse()}


def test_a_random_answer_may_be_any_order_and_ends_games() -> None:
    view = Table(lay(*HANDS)).view("ann")
    lines = {accuse.sample(view, Dice(b"%d" % number)) for number in range(2000)}
    assert {line.split()[0] for line in lines} == {"play", "accuse"}
    assert {f"play {card} as W1" for card in ("C3", "L3", "X")} <= lines and {"play C3", "play L3"} <= lines
    window = Table(lay(*HANDS)).send(ann="play C3").view("bob")
    answers = {accuse.sample(window, Dice(b"%d" % number)) for number in range(500)}
    assert {"pass", "challenge", "challenge if held", "challenge give W5", "challenge if held give X"} <= answers
