"""Test the careful bot: what it writes is always an order, and it wins far more often than chance."""

import os
from collections.abc import Callable, Sequence
from math import sqrt

import pytest

import engines.accuse as accuse
from engines.accuse.orders import Order
from engines.accuse.suspicion import chance_of_trap, chance_of_truth, remember, suspect
from pbem.engine import Dice, Event

from .games import VARIANTS
from .tables import NAMES, Table, lay, options

Choose = Callable[[accuse.View, Sequence[Event], Dice], str]
careful: Choose = accuse.BOTS["careful"]
GAMES = 120  # a table size
MARGIN = 0.1


def random(view: accuse.View, seen: Sequence[Event], dice: Dice) -> str:
    return accuse.sample(view, dice)


def played(bots: Sequence[Choose], key: bytes, words: str = "") -> accuse.State:
    """Play a game between bots; each sees its view and the events that it may see."""
    dice = Dice(key)
    state = accuse.setup(NAMES[: len(bots)], options(words), dice)
    seen: list[list[Event]] = [[] for _ in bots]
    while not state.ending:
        orders: dict[int, Order] = {}
        for seat in accuse.awaiting(state):
            view = accuse.view(state, seat)
            order = accuse.parse(view, bots[seat](view, tuple(seen[seat]), dice))
            assert order is not None
            orders[seat] = order
        state, events = accuse.resolve(state, orders, dice)
        for seat, known in enumerate(seen):
            known.extend(event for event in events if event.visible(seat))
    return state


def wilson(won: int, games: int) -> tuple[float, float]:
    """Give the 95 % interval of a share (Wilson)."""
    z = 1.96
    share = won / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - half, middle + half


def won_by_careful(players: int, games: int) -> int:
    """Count the games that one careful seat, each in turn, wins against random ones."""
    won = 0
    for number in range(games):
        seat = number % players
        bots = [careful if other == seat else random for other in range(players)]
        won += seat in played(bots, b"share %d" % number).winners
    return won


@pytest.mark.parametrize("players", [2, 3, 4])
def test_careful_wins_more_than_its_share_against_random(players: int) -> None:
    low, high = wilson(won_by_careful(players, GAMES), GAMES)
    print(f"{players} players: careful wins {low:.0%} to {high:.0%} of {GAMES} games, its share is {1 / players:.0%}")
    assert low > 1 / players + MARGIN


@pytest.mark.prove
@pytest.mark.skipif("PBEM_PROVE" not in os.environ, reason="run by `make prove`")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_prove_careful_wins_more_than_its_share_in_many_games(players: int) -> None:
    low, _ = wilson(won_by_careful(players, 3000), 3000)
    assert low > 1 / players + 2 * MARGIN


@pytest.mark.parametrize("words", VARIANTS)
def test_careful_games_end_by_any_options(words: str) -> None:
    for number in range(9):
        state = played([careful] * (2 + number % 3), b"among themselves %d" % number, words)
        assert state.ending in accuse.ENDINGS
        accuse.audit(state)


def test_the_same_view_and_dice_give_the_same_order() -> None:
    view = accuse.view(lay("C3 L2 X", "W5 C1 X"), 0)
    assert careful(view, (), Dice(b"1")) == careful(view, (), Dice(b"1"))


def test_who_is_sure_accuses_whatever_is_asked() -> None:
    table = Table(lay("C3 L3 X", "X"))
    assert careful(table.view("ann"), (), Dice(b"")) == "accuse C6 L6 W6"
    table.send(ann="play C3")
    assert careful(table.view("bob"), (), Dice(b"")) != "accuse C6 L6 W6", "bob cannot know yet"


def test_a_claim_speaks_for_a_card_and_a_wrong_accusation_rules_it_out() -> None:
    plain = suspect(Table(lay("C3 L2 X", "W5 C1 C2")).view("ann"))
    claimed = suspect(Table(lay("C3 L2 X", "W5 C1", down="C2=C1@1")).view("ann"))
    assert plain.cards == {"C1": 1.0, "C2": 1.0, "C6": 1.0, "L6": 1.0, "W5": 1.0, "W6": 1.0}
    assert claimed.cards["C1"] < claimed.cards["C2"] == 1.0
    table = Table(lay("C3 L2 X", "W5 C1", "C2 X")).send(bob="accuse C2 L6 W6")
    assert ("C2", "L6", "W6") not in [triple for _, triple in suspect(table.view("ann")).triples]
    assert abs(sum(weight for weight, _ in suspect(table.view("ann")).triples) - 1) < 1e-9


def test_it_remembers_who_holds_what_and_who_bluffs() -> None:
    table = Table(lay("C3 L2 X", "W5 C1", "C2 X"))
    seen: list[Event] = []
    for lines in ({"ann": "play C3 as W1"}, {"bob": "challenge"}, {"bob": "play C1"}, {"cleo": "challenge give C2"}):
        seen += [event for event in table.send(**lines).events if event.visible(0)]
    memory = remember(table.view("ann"), seen)
    assert memory.theirs == {"C3": 1}, "C2 was given unseen by ann"
    assert memory.honesty[0] < memory.honesty[2] < memory.honesty[1]


def test_what_it_holds_itself_cannot_be_true() -> None:
    table = Table(lay("C3 X", "W5 C1", "C2 X")).send(ann="play C3 as W5")
    for name, possible in (("bob", False), ("cleo", True)):
        view = table.view(name)
        laid = view.open
        assert laid is not None
        assert (chance_of_truth(view, laid, remember(view, ()), suspect(view)) > 0) is possible


def test_traps_are_counted() -> None:
    view = Table(lay("C3 X", "W5 X", "C2 X")).view("ann")
    assert chance_of_trap(view) == 2 / 4
