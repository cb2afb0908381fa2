"""Search tiny kits to the end, by the engine and by the plain enumeration of `naive`: they must agree in everything."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, permutations
from math import factorial, prod
from typing import TypeVar

import pytest

import engines.archer as archer
from engines.archer.orders import Order
from engines.archer.setup import deal
from engines.archer.table import NO_SECRET, Options
from pbem.engine import Dice

from . import naive
from .tables import NAMES, attempt

Item = TypeVar("Item")
KITS = {
    "lana-pam-sterling": (2, (7, 5, 2, 1, 1), (196, 137)),
    "malory-ray-krueger": (2, (8, 6, 4, 2, 1), (342, 234)),
    "ties-and-duels": (2, (5, 4, 3, 3, 1, 1), (641, 381)),
    "lana-ray-cheryl": (2, (7, 6, 4, 3, 2, 1), (2592, 1620)),
    "three-players": (3, (8, 4, 3, 2, 1, 1), (1558, 1015)),
    "three-with-lana": (3, (7, 5, 4, 4, 1, 1), (775, 504)),
}
"""The players of each kit, its cards, how many positions it has, and how many of them are ends."""
LARGE = {
    "two-with-seven": (2, (7, 6, 5, 4, 3, 2, 1)),
    "three-with-seven": (3, (8, 7, 5, 4, 3, 1, 1)),
    "four-with-seven": (4, (7, 6, 4, 3, 2, 1, 1)),
}


class Every(Dice):
    """Give one of all shuffles, and note how many there are."""

    def __init__(self, number: int) -> None:
        super().__init__(b"every")
        self.number = number
        self.outcomes = 1

    def shuffled(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Give the items in the order with this number."""
        self.outcomes = factorial(len(items))
        return next(islice(permutations(items), self.number, None))


def begin(kit: tuple[int, ...], players: int) -> Iterator[archer.State]:
    """Deal a round in which one point wins the game in every way that the shuffle may fall; ann starts."""
    for number in range(factorial(len(kit))):
        yield deal(NAMES[:players], Options("ann"), Every(number), kit, 1)


def plain(state: archer.State) -> naive.Position | naive.Over:
    """Write a state as the naive enumeration does."""

    def faces(cards: Sequence[int]) -> tuple[int, ...]:
        return tuple(state.kit[card] for card in cards)

    hands = tuple(tuple(sorted(faces(hand))) for hand in state.hands)
    secret = 0 if state.secret == NO_SECRET else state.kit[state.secret]
    laid = tuple(map(faces, state.laid))
    if result := archer.result(state):
        assert result.winners == tuple(seat for seat, points in enumerate(result.scores) if points == 1)
        return "over", result.ending, result.scores, hands, secret, faces(state.draw), laid
    return state.player, hands, secret, faces(state.draw), laid, state.shielded


def lines_for(view: archer.View) -> Iterator[str]:
    """Give every line that could be an order for the cards in hand, allowed or not."""
    for card in dict.fromkeys(view.hand):
        word = f"play {naive.WORDS[card]}"
        yield from (word, f"{word} hide", f"{word} look")
        yield from (f"{word} {name}" for name in view.names)
        if card in (2, 1):
            yield from (f"{word} {one}" for one in naive.WORDS[1:])
        if card == 1:
            yield from (f"{word} {name} {one}" for name in view.names for one in naive.WORDS[1:])


def outcomes(state: archer.State, order: Order) -> Iterator[archer.State]:
    """Give every state that an order may lead to, each shuffle once."""
    dice = Every(0)
    yield archer.resolve(state, {state.player: order}, dice)[0]
    for number in range(1, dice.outcomes):
        yield archer.resolve(state, {state.player: order}, Every(number))[0]


def search(kit: tuple[int, ...], players: int) -> tuple[int, int]:
    """Visit all positions; check in each that the same orders are allowed and lead to the same positions."""
    names = NAMES[:players]
    states = {plain(state): state for state in begin(kit, players)}
    assert set(states) == naive.deals(kit, players)
    waiting, ends = list(states.items()), 0
    while waiting:
        position, state = waiting.pop()
        if position[0] == "over":
            ends += 1
            continue
        view = archer.view(state, state.player)
        expected = naive.moves(position, names)  # type: ignore[arg-type]
        found: dict[str, set[naive.Position | naive.Over]] = {}
        for line in lines_for(view):
            order = attempt(view, line)
            if not isinstance(order, Order):
                continue
            found[line] = set()
            for after in outcomes(state, order):
                key = plain(after)
                found[line].add(key)
                if key not in states:
                    states[key] = after
                    waiting.append((key, states[key]))
        assert found == expected, position
    return len(states), ends


def count(kit: tuple[int, ...], players: int) -> tuple[int, int]:
    """Count all positions, and the ends among them, by the plain enumeration alone."""
    known: set[naive.Position | naive.Over] = set(naive.deals(kit, players))
    waiting = list(known)
    while waiting:
        position = waiting.pop()
        if position[0] != "over":
            reached = set().union(*naive.moves(position, NAMES[:players]).values())  # type: ignore[arg-type]
            waiting += reached - known
            known |= reached
    return len(known), sum(position[0] == "over" for position in known)


@pytest.mark.parametrize("name", KITS)
def test_all_positions_and_results_are_those_of_a_plain_enumeration(name: str) -> None:
    players, kit, counts = KITS[name]
    assert search(kit, players) == count(kit, players) == counts


@pytest.mark.parametrize("name", KITS)
def test_the_number_of_deals_is_what_combinatorics_says(name: str) -> None:
    """A deal is an order of the kit, the two cards of the first player being alike in either order."""
    players, kit, _ = KITS[name]
    orders = factorial(len(kit)) // prod(factorial(copies) for copies in Counter(kit).values())
    deals = naive.deals(kit, players)
    assert sum(len(set(hands[0])) for _, hands, *_ in deals) == orders


@pytest.mark.prove
@pytest.mark.skipif("PBEM_PROVE" not in os.environ, reason="run by `make prove`")
@pytest.mark.parametrize("name", LARGE)
def test_prove_it_for_larger_kits(name: str) -> None:
    players, kit = LARGE[name]
    assert search(kit, players) == count(kit, players)
