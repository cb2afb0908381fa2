"""For small decks, to the end: who has learned from an order is who can rule out more deals by it than before.

All deals are played side by side. What a seat knows is the set of deals in which it would have seen the same.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from types import ModuleType
from typing import Any

import pytest

import engines.archer as archer
import engines.blame as blame
from engines.archer.board import eye
from engines.blame.deck import ordered
from pbem import games
from pbem.engine import BadOrder, Dice, Event
from pbem.services.undo import learners
from tests.engines.archer.test_exhaustive import Every, begin, lines_for

History = tuple[Any, ...]
NO_DICE = Dice(b"none fall")


@dataclass(frozen=True)
class World:
    """Be one deal, some steps on: how it stands, and what each seat has seen since the deal."""

    deal: int
    state: Any
    seen: tuple[History, ...]
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Moved:
    """Be one step in one world."""

    before: World
    after: World
    seat: int
    events: tuple[Event, ...]


def start(game: ModuleType, deals: Sequence[Any], seats: int) -> list[World]:
    """Give every deal once."""
    seen = [tuple((repr(game.view(state, seat)),) for seat in range(seats)) for state in deals]
    return [World(number, state, seen[number]) for number, state in enumerate(deals)]


def moves(game: ModuleType, worlds: Sequence[World], lines: Callable[[Any], Iterator[str]]) -> Iterator[Moved]:
    """Make every legal step in every world that goes on."""
    for world in worlds:
        if game.result(world.state) is not None:
            continue
        (seat,) = game.awaiting(world.state)
        view = game.view(world.state, seat)
        for line in dict.fromkeys(lines(view)):
            try:
                order = game.parse(view, line)
            except BadOrder:
                continue
            if order is not None:
                yield moved(game, world, seat, game.format(order), order)


def moved(game: ModuleType, world: World, seat: int, line: str, order: Any) -> Moved:
    after, events = game.resolve(world.state, {seat: order}, NO_DICE)
    seen = tuple(
        (*history, told(events, one), repr(game.view(after, one)), line if one == seat else "")
        for one, history in enumerate(world.seen)
    )
    return Moved(world, World(world.deal, after, seen, (*world.path, line)), seat, events)


def told(events: Sequence[Event], seat: int) -> str:
    return repr([(event.kind, event.facts) for event in events if event.visible(seat)])


def possible(worlds: Sequence[World], seat: int) -> Mapping[History, set[int]]:
    """Give, for all that a seat may have seen, the deals in which it would have."""
    deals: dict[History, set[int]] = defaultdict(set)
    for world in worlds:
        deals[world.seen[seat]].add(world.deal)
    return deals


def archer_lines(view: Any) -> Iterator[str]:
    return lines_for(view)


def blame_lines(view: Any) -> Iterator[str]:
    """Give all orders with at most one card, and all choices of a Role."""
    yield from (f"take {role}" for role in "VATGWS")
    yield from ("draw", "pass")
    for code, _ in view.deck:
        yield from (f"play {code} draw", f"bury {code}", f"play {code}")


def blame_deals() -> list[blame.State]:
    """Deal five cards to two players, one each, one turned up, two to draw, in every way; Roles are chosen first."""
    cards = ("V1", "A1", "VA1", "T1", "VT1")
    first = blame.setup(("ann", "bob"), blame.Options(first="ann", roles="choose", hand=1), NO_DICE)
    fields = {name: getattr(first, name) for name in first.__slots__}
    return [
        blame.State(**fields | {
            "deck": tuple((card, card) for card in cards), "hands": (ordered(deal[:1]), ordered(deal[1:2])),
            "pile": deal[2:3], "draw": deal[3:],
        })
        for deal in permutations(cards)
    ]  # fmt: skip


SMALL: dict[str, tuple[ModuleType, Callable[[], list[Any]], int, int, Callable[[Any], Iterator[str]]]] = {
    "archer-five": (archer, lambda: list(begin((8, 6, 4, 2, 1), 2)), 2, 2, archer_lines),
    "archer-duels": (archer, lambda: list(begin((5, 3, 3, 2, 1), 2)), 2, 2, archer_lines),
    "archer-three": (archer, lambda: list(begin((4, 3, 2, 1, 1, 1), 3)), 3, 1, archer_lines),
    "blame-roles": (blame, blame_deals, 2, 3, blame_lines),
}


@pytest.mark.parametrize("name", SMALL)
def test_c09_an_undo_is_free_if_and_only_if_no_seat_has_learned_anything(name: str) -> None:
    game, deals, seats, depth, lines = SMALL[name]
    engine = games.get(name.partition("-")[0])
    worlds = start(game, deals(), seats)
    free = asked = 0
    for _ in range(depth):
        steps = list(moves(game, worlds, lines))
        known = [(possible(worlds, seat), possible([step.after for step in steps], seat)) for seat in range(seats)]
        for step in steps:
            if game.result(step.after.state) is not None:
                continue  # a game that is over is not played on
            really = {seat for seat in range(seats) if has_learned(game, step, seat, *known[seat])}
            said = learners(engine, step.seat, seats, [((step.seat,), step.events)])
            assert really <= said, (step.after.path, "somebody has learned something and is not named")
            assert bool(really) == bool(said), (step.after.path, "it would be asked though nobody has learned anything")
            free, asked = free + (not said), asked + bool(said)
        worlds = [step.after for step in steps]
    assert asked and (free or game is archer), "in Archer somebody draws a card in every step"


def has_learned(
    game: ModuleType, step: Moved, seat: int, before: Mapping[History, set[int]], after: Mapping[History, set[int]]
) -> bool:
    """Tell whether a seat can rule out a deal by a step, or was shown a card, even one that it could have reckoned."""
    if before[step.before.seen[seat]] != after[step.after.seen[seat]]:
        return True
    if game is not archer:
        return False
    shown = zip(step.before.state.shown, step.after.state.shown, strict=True)
    return any(new & eye(seat) and not old & eye(seat) for old, new in shown)


def places(state: archer.State) -> tuple[int, ...]:
    """Give the card of each place: hands, secret, deck."""
    return (*(card for hand in state.hands for card in hand), state.secret, *state.draw)


def common(state: archer.State) -> tuple[int, ...]:
    """Give what all seats together know of the places: a character, 0 where nobody was ever shown it."""
    return tuple(state.kit[card] if state.shown[card] else 0 for card in places(state))


def laid(state: archer.State) -> tuple[tuple[int, ...], ...]:
    """Give what lies open."""
    return tuple(tuple(state.kit[card] for card in cards) for cards in state.laid)


def hidden(state: archer.State, new: archer.State) -> tuple[int, ...]:
    """Give what lies now where nobody knew anything."""
    return tuple(new.kit[card] for card, known in zip(places(new), common(state), strict=True) if not known)


def dealt_anew(state: archer.State) -> Iterator[archer.State]:
    """Deal anew for all seats together, in every way that the dice may fall."""
    free = sum(not shown for shown in state.shown)
    for number in range(factorial(free)):
        yield archer.reshuffle(state, range(len(state.names)), Every(number))


def counted(back: int, redeal: bool) -> dict[Any, Counter[tuple[int, ...]]]:
    """Count what lies hidden after a rollback, by what is common knowledge there and by what a seat has seen since."""
    worlds = start(archer, list(begin((6, 5, 4, 2, 1, 1), 2)), 2)
    for _ in range(back):
        worlds = [step.after for step in moves(archer, worlds, archer_lines)]
    found: dict[Any, Counter[tuple[int, ...]]] = defaultdict(Counter)
    for step in moves(archer, worlds, archer_lines):
        then = step.before.state
        for new in dealt_anew(then) if redeal else (then,):
            for seat in range(2):
                found[(laid(then), common(then)), seat, step.after.seen[seat]][hidden(then, new)] += 1
    return found


def told_apart(found: dict[Any, Counter[tuple[int, ...]]]) -> int:
    """Count the common situations in which what a seat has seen since tells it anything of what lies hidden."""
    shares: dict[Any, set[Any]] = defaultdict(set)
    for (known, seat, _), counts in found.items():
        total = sum(counts.values())
        shares[known, seat].add(tuple(sorted((cards, count / total) for cards, count in counts.items())))
    return sum(len(different) > 1 for different in shares.values())


@pytest.mark.parametrize("back", [0, 1])
def test_f03_after_a_redeal_what_was_learned_tells_nothing_of_what_lies_hidden(back: int) -> None:
    assert told_apart(counted(back, redeal=True)) == 0
    if not back:
        assert told_apart(counted(back, redeal=False)) > 0, "with the cards kept it would"
