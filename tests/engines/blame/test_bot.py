"""Test the careful player: legal, sealed off from what it may not know, and clearly better than chance."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import pytest

import engines.blame as blame
from engines.blame.deck import TREASON, emblems
from engines.blame.memory import Memory
from engines.blame.orders import Bury, Give, Order, Play
from engines.blame.table import Options
from pbem.engine import Dice, Event

from .tables import NAMES, VARIANTS, lay, new_game, play

Choose = Callable[[blame.View, Sequence[Event], Dice], str]
Z = 1.96
careful: Choose = blame.BOTS["careful"]


def chance(view: blame.View, seen: Sequence[Event], dice: Dice) -> str:
    """Play at random."""
    return blame.sample(view, dice)


def thrifty(view: blame.View, seen: Sequence[Event], dice: Dice) -> str:
    """Of eight random orders play the one that sheds the most points; accuse nobody if there is another way."""
    return max((blame.sample(view, dice) for _ in range(8)), key=lambda line: shed(view, blame.parse(view, line)))


def shed(view: blame.View, order: Order | None) -> int:
    """Give the points that an order takes out of the hand."""
    match order:
        case Play(cards, gift=gift, bury=bury):
            return -1 if order.verb == "accuse" else sum(points(view, card) for card in (*cards, gift, bury) if card)
        case Give(card) | Bury(card):
            return points(view, card)
    return 0


def points(view: blame.View, card: str) -> int:
    """Give the points that a card in hand costs."""
    return 6 if card == TREASON else int(view.role in emblems(card))


def match(players: Sequence[Choose], number: int) -> blame.State:
    """Play a game to its end."""
    names = NAMES[: len(players)]
    state = blame.setup(names, Options(), Dice(b"deal %d" % number))
    dice, minds = Dice(b"game %d" % number), Dice(b"minds %d" % number)
    seen: list[list[Event]] = [[] for _ in names]
    while not state.ending:
        orders: dict[int, Order] = {}
        for seat in blame.awaiting(state):
            view = blame.view(state, seat)
            order = blame.parse(view, players[seat](view, seen[seat], minds))
            assert order is not None
            orders[seat] = order
        state, events = blame.resolve(state, orders, dice)
        for other, heard in enumerate(seen):
            heard += [event for event in events if event.visible(other)]
    return state


def won(one: Choose, others: Choose, count: int, games: int) -> float:
    """Give the share of the games that one player wins against others of another kind, its seat going round.

    A win that is shared counts as the part that is left for each.
    """
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


@pytest.mark.parametrize(("count", "least"), [(2, 0.9), (3, 0.7), (4, 0.5)])
def test_the_careful_player_beats_chance_at_every_table(count: int, least: float) -> None:
    games = 60 * count
    low, _ = wilson(won(careful, chance, count, games), games)
    assert low > least > 1 / count, low


@pytest.mark.parametrize(("count", "least"), [(2, 0.8), (3, 0.4), (4, 0.28)])
def test_the_careful_player_beats_who_only_sheds_points(count: int, least: float) -> None:
    games = 40 * count
    low, _ = wilson(won(careful, thrifty, count, games), games)
    assert low > least > 1 / count, low


def test_chance_does_not_beat_itself() -> None:
    low, high = wilson(won(chance, lambda *given: chance(*given), 3, 240), 240)
    assert low < 1 / 3 < high


@pytest.mark.prove
@pytest.mark.skipif("PBEM_PROVE" not in os.environ, reason="run by `make prove`")
@pytest.mark.parametrize("other", [chance, thrifty])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_prove_the_share_in_many_games(count: int, other: Choose) -> None:
    low, _ = wilson(won(careful, other, count, 1000), 1000)
    assert low > (1.5 if other is chance else 1.2) / count


def test_every_choice_is_an_order_whatever_the_options() -> None:
    asked: Counter[str] = Counter()
    for number in range(4 * len(VARIANTS)):
        seen: list[list[Event]] = [[] for _ in NAMES]
        for step in play(new_game(number), Dice(b"moves %d" % number)):
            for seat in step.lines:
                view = blame.view(step.before, seat)
                line = careful(view, seen[seat], Dice(b"x"))
                order = blame.parse(view, line)
                assert order is not None and blame.format(order) == line
                asked[view.ask] += 1
            for seat, heard in enumerate(seen):
                heard += [event for event in step.events if event.visible(seat)]
    assert set(asked) == set(blame.KINDS)


def test_the_choice_is_a_function_of_the_view_and_the_events() -> None:
    for number in range(24):
        seen: list[list[Event]] = [[] for _ in NAMES]
        for step in play(new_game(number), Dice(b"moves %d" % number)):
            for seat in step.lines if step.before.turn % 5 == 0 else ():
                other = blame.reshuffle(step.before, [seat], Dice(b"other"))
                views = [blame.view(state, seat) for state in (step.before, other)]
                assert views[0] == views[1]
                assert len({careful(view, tuple(seen[seat]), Dice(b"x")) for view in views}) == 1
            for seat, heard in enumerate(seen):
                heard += [event for event in step.events if event.visible(seat)]


def test_it_remembers_the_pile_card_by_card() -> None:
    for number in range(24):
        seen: list[Event] = []
        for step in play(new_game(number), Dice(b"moves %d" % number)):
            seen += [event for event in step.events if event.visible(0)]
            memory = Memory(blame.view(step.after, 0), seen)
            assert memory.hidden <= 1, "only the first card of all is in no event"
            assert memory.pile == [*step.after.pile[memory.hidden :]]


def heard(kind: str, **facts: Any) -> Event:
    """Make an event, its cards written as codes."""
    told = {key: [[card, ""] for card in text.split()] if key == "cards" else text for key, text in facts.items()}
    return Event(kind, told)


def chosen(state: blame.State, *seen: Event) -> str:
    """Give what the careful player does at the first seat."""
    return careful(blame.view(state, 0), seen, Dice(b"x"))


def test_it_remembers_who_took_which_cards() -> None:
    table = lay("A1", "V1 V2 X GS1", "S1", roles="ATV", pile="T1 T2")
    took = heard("counted", seat=2, other=1, emblems=["V", "T"], cards="X V2 V1", counts=[0, 1], blamed=1)
    turned = Event("turned", {"card": ["T1", ""], "left": 30})
    seen = (took, heard("blamed", seat=1, count=3), turned, heard("played", seat=2, role="V", cards="T2"))
    memory = Memory(blame.view(table, 0), seen)
    assert memory.pile == ["T1", "T2"] and memory.held == {0: [], 1: ["V1", "V2", "X"], 2: []}
    memory = Memory(blame.view(table, 0), (*seen, heard("gave", seat=1, other=2), heard("buried", seat=2)))
    assert memory.held == {0: [], 1: ["V1", "V2"], 2: []}, "who gives or buries unseen is thought to be rid of Treason"


def test_it_accuses_by_the_pile_that_it_remembers() -> None:
    table = lay("V2 VA1 AS1", "W1 W2", roles="GA", pile="T1 GW1 GS1 VS1")
    light = heard("played", seat=1, role="A", cards="T2 TW1 VW1 VS1")
    heavy = heard("played", seat=1, role="A", cards="GT1 GW1 GS1 VS1")
    assert chosen(table, light).endswith("accuse bob")
    assert "accuse" not in chosen(table, heavy)


def test_it_rids_itself_of_treason() -> None:
    assert chosen(lay("T1 W1 X", "V2", roles="GA", asked="bury", blamed=1, pile="")) == "bury X"
    assert chosen(lay("A1 W1 X", "V2", roles="TA", asked="baksheesh")) == "bury X"
    assert chosen(lay("A1 W1 X", "V2", roles="AG", asked="gift")) == "give X bob"
    assert "X" in chosen(lay("A1 W1 X", "T2", roles="GT", pile="S1"))


def test_it_gives_to_the_rival_who_is_closest() -> None:
    took = [heard("played", seat=2, role="W", cards="X"), heard("blamed", seat=1, count=1)]
    table = lay("G1 X", "X", "S2", roles="ATW", asked="gift")
    assert chosen(table, *took) == "give X cleo"


def test_it_takes_the_role_that_its_hand_speaks_of_least() -> None:
    table = replace(lay("VA1 VT1 GW1", "A1", roles="VA", asked="role"), roles=("", ""), untaken=tuple("VATGWS"))
    assert chosen(table) == "take S"


def test_it_takes_nobility_back_only_where_that_pays() -> None:
    changes: dict[str, Any] = {"asked": "nobility", "swap": "VA", "pile": "VA1"}
    assert chosen(lay("A1 A2 AT1 AG1 AW1", "S1", roles="AV", **changes)) == "back"
    assert chosen(lay("V1 V2 VT1", "S1", roles="AV", **changes)) == "pass"


def test_it_ends_the_game_when_it_is_ahead_and_not_when_behind() -> None:
    took = [heard("played", seat=1, role="A", cards="X A1 A2"), heard("blamed", seat=1, count=3)]
    assert chosen(lay("T1", "X A1 A2", roles="GA", pile="W1", last=1), *took) == "draw"
    assert chosen(lay("GW1 G1 X", "T2", roles="GA", pile="W1", last=1)) != "draw"
