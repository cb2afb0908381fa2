"""Test the careful player: legal, sealed off from what it may not know, and clearly better than chance."""

import os
from collections.abc import Callable, Sequence
from math import sqrt

import pytest

import engines.archer as archer
from engines.archer.beliefs import Beliefs
from engines.archer.legal import orders
from engines.archer.table import Options
from pbem.engine import Dice, Event

from .tables import NAMES, Table, lay

Choose = Callable[[archer.View, Sequence[Event], Dice], str]
Z = 1.96
careful: Choose = archer.BOTS["careful"]


def chance(view: archer.View, seen: Sequence[Event], dice: Dice) -> str:
    """Play at random."""
    return archer.sample(view, dice)


def sober(view: archer.View, seen: Sequence[Event], dice: Dice) -> str:
    """Play at random, but never Malory."""
    card = dice.choice([card for card in view.hand if card != 8] or view.hand)
    return archer.format(dice.choice(tuple(orders(view, card))))


def match(players: Sequence[Choose], number: int) -> archer.State:
    """Play a game to its end."""
    names = NAMES[: len(players)]
    state = archer.setup(names, Options(), Dice(b"deal %d" % number))
    dice, minds = Dice(b"game %d" % number), Dice(b"minds %d" % number)
    seen: list[list[Event]] = [[] for _ in names]
    while not state.ending:
        seat = state.player
        view = archer.view(state, seat)
        order = archer.parse(view, players[seat](view, seen[seat], minds))
        assert order is not None
        state, events = archer.resolve(state, {seat: order}, dice)
        for other, heard in enumerate(seen):
            heard += [event for event in events if event.visible(other)]
    return state


def won(one: Choose, others: Choose, count: int, games: int) -> float:
    """Give the share of the games that one player wins against others of another kind, its seat going round."""
    share = 0.0
    for number in range(games):
        players = [others] * count
        players[number % count] = one
        winners = match(players, number).winners
        share += (number % count in winners) / len(winners)
    return share / games


def wilson(share: float, games: int) -> tuple[float, float]:
    """Give the 95 % interval of a share (Wilson)."""
    middle = share + Z * Z / (2 * games)
    spread = Z * sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    return (middle - spread) / (1 + Z * Z / games), (middle + spread) / (1 + Z * Z / games)


def test_the_interval_is_that_of_the_books() -> None:
    low, high = wilson(0.5, 100)
    assert (round(low, 4), round(high, 4)) == (0.4038, 0.5962)


@pytest.mark.parametrize(("count", "least"), [(2, 0.85), (3, 0.8), (4, 0.65)])
def test_the_careful_player_beats_chance_at_every_table(count: int, least: float) -> None:
    games = 60 * count
    low, _ = wilson(won(careful, chance, count, games), games)
    assert low > least > 1 / count


@pytest.mark.parametrize(("count", "least"), [(2, 0.8), (3, 0.65), (4, 0.5)])
def test_the_careful_player_beats_who_only_spares_malory(count: int, least: float) -> None:
    games = 60 * count
    low, _ = wilson(won(careful, sober, count, games), games)
    assert low > least > 1 / count


def test_chance_does_not_beat_itself() -> None:
    low, high = wilson(won(chance, lambda *given: chance(*given), 3, 240), 240)
    assert low < 1 / 3 < high


@pytest.mark.prove
@pytest.mark.skipif("PBEM_PROVE" not in os.environ, reason="run by `make prove`")
@pytest.mark.parametrize("count", [2, 3, 4])
def test_prove_the_share_in_many_games(count: int) -> None:
    low, _ = wilson(won(careful, sober, count, 3000), 3000)
    assert low > 1.5 / count


def test_the_choice_is_a_function_of_the_view_and_the_events() -> None:
    for number in range(12):
        state = archer.setup(NAMES[:3], Options(), Dice(b"%d" % number))
        other = archer.reshuffle(state, [state.player], Dice(b"%d" % number))
        lines = [careful(archer.view(one, one.player), (), Dice(b"x")) for one in (state, other)]
        assert lines[0] == lines[1]


def chosen(table: Table) -> str:
    """Give what the careful player does whose turn it is, having heard all."""
    seat = table.state.player
    return careful(table.view(seat), [event for event in table.past if event.visible(seat)], Dice(b"x"))


def test_it_guesses_what_it_has_seen() -> None:
    table = Table(lay("4 2", "3", "1", secret=7, draw="1 3 1 5")).send("cheryl look", "1 cleo ray", "1 bob ray")
    assert chosen(table) == "play krueger lana"
    table = Table(lay("1 5", "7", "3", draw="1 1 1")).send("1 bob ray", "1 cleo ray", "1 bob ray")
    assert chosen(table) == "play sterling bob lana"


def test_it_knows_who_took_the_secret_that_it_saw() -> None:
    table = Table(lay("4 1", "6", "3", secret=7, draw="2 4 2 1")).send("cheryl look", "ray cleo", "2 malory")
    mind = Beliefs(table.view(0), [event for event in table.past if event.visible(0)])
    assert mind.known[2] == 7 and chosen(table) == "play sterling cleo lana"


def test_it_forgets_what_may_have_gone() -> None:
    table = Table(lay("1 4", "5", "3", draw="5 1 2")).send("1 bob lana")
    assert Beliefs(table.view(0), table.past).known == {1: 5}
    table.send("pam cleo")
    assert Beliefs(table.view(0), table.past).known == {}


def test_it_weighs_what_is_left_unseen() -> None:
    table = Table(lay("1 4", "5", "3", secret=8, draw="1", laid={1: "5 2 2 3", 2: "1 1 4"}))
    odds = Beliefs(table.view(0), []).odds(1)
    assert odds == {8: 1 / 7, 7: 1 / 7, 6: 1 / 7, 5: 1 / 7, 3: 1 / 7, 1: 2 / 7}
    table.send("1 cleo lana")
    mind = Beliefs(table.view(0), [event for event in table.past if event.visible(0)])
    assert mind.odds(1) == {8: 1 / 6, 7: 1 / 6, 6: 1 / 6, 5: 1 / 6, 1: 2 / 6} and mind.odds(2) == {3: 1.0}


def test_it_hears_what_a_wrong_guess_and_a_duel_tell() -> None:
    table = Table(lay("1 1", "3", "4", "5", draw="5 3 2")).send("1 bob lana")
    assert 7 not in Beliefs(table.view(3), [event for event in table.past if event.visible(3)]).odds(1)
    table = Table(lay("3 5", "4", "1", "1")).send("3 bob")
    assert set(Beliefs(table.view(2), [event for event in table.past if event.visible(2)]).odds(0)) == {5, 6, 7, 8}


def test_it_never_plays_malory_while_it_may_keep_it() -> None:
    for other in "7654321":
        assert chosen(Table(lay(f"8 {other}", "1", "1"))) != "play malory"
