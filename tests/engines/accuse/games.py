"""Play whole games at random: answers come in one at a time, in any order, and some accuse unasked."""

from collections.abc import Iterator
from dataclasses import dataclass

import engines.accuse as accuse
from engines.accuse.deck import of_kind
from engines.accuse.orders import Accuse, Order
from engines.accuse.table import State
from pbem.engine import Dice, Event

from .tables import NAMES, options

VARIANTS = (
    "",
    "declare=center",
    "challenge=first",
    "max_turns=6",
    "declare=center challenge=first max_turns=40",
)
LATE = 20  # of so many answers one is the game's own
LUCKY = 4  # and of so many accusations one is right


@dataclass(frozen=True)
class Step:
    """Hold one step of a game that was played at random."""

    before: State
    lines: dict[int, str]
    orders: dict[int, Order]
    after: State
    events: tuple[Event, ...]


def new_game(number: int) -> State:
    """Deal the game with this number: its players and options go round all variants."""
    count = 2 + number % 3
    return accuse.setup(NAMES[:count], options(VARIANTS[number // 3 % len(VARIANTS)]), Dice(b"deal %d" % number))


def play(state: State, dice: Dice, rash: int = 60) -> Iterator[Step]:
    """Play a game to its end with random orders, some by default; of so many steps one is an accusation unasked."""
    while not state.ending:
        able = accuse.interrupts(state)
        if able and rash and dice.below(rash) == 0:
            orders: dict[int, Order] = {dice.choice(able): _accusation(state, dice)}
        else:
            orders = _answers(state, dice)
        lines = {seat: accuse.format(order) for seat, order in orders.items()}
        after, events = accuse.resolve(state, orders, dice)
        yield Step(state, lines, orders, after, events)
        state = after


def _accusation(state: State, dice: Dice) -> Accuse:
    """Accuse anybody; of so many accusations one is right, so that games end in all ways."""
    if dice.below(LUCKY) == 0:
        return Accuse(state.culprits)
    return Accuse(tuple(dice.choice(of_kind(kind)) for kind in "CLW"))


def _answers(state: State, dice: Dice) -> dict[int, Order]:
    """Let who is asked answer one after the other, until what is in settles it."""
    orders: dict[int, Order] = {}
    for seat in dice.shuffled(tuple(accuse.awaiting(state))):
        view = accuse.view(state, seat)
        if dice.below(LATE) == 0:
            orders[seat] = accuse.default(view, dice)
        elif view.ask == "accuse":
            orders[seat] = _accusation(state, dice)
        else:
            order = accuse.parse(view, accuse.sample(view, dice))
            assert order is not None
            orders[seat] = order
        if accuse.settled(state, orders):
            break
    assert accuse.settled(state, orders)
    return orders
