"""Lay out tables and play on them: what the tests of this room share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations
from typing import Any, TypeVar

import engines.archer as archer
from engines.archer.board import ANY, everybody, eye
from engines.archer.cards import KIT, NEEDED
from engines.archer.orders import Order
from engines.archer.table import NO_SECRET, Options, State
from pbem.engine import BadOrder, Dice, Event

Item = TypeVar("Item")
NAMES = ("ann", "bob", "cleo", "dan")


class Stacked(Dice):
    """Give shuffles that were chosen beforehand: the order with this number, counted from 0."""

    def __init__(self, number: int = 0) -> None:
        super().__init__(b"stacked")
        self.number = number

    def shuffled(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Give the items in the chosen order."""
        return next(islice(permutations(items), self.number, None))


def cards(text: str) -> list[int]:
    """Read characters as `7 5 1`."""
    return [int(word) for word in text.split()]


def lay(
    *hands: str,
    secret: int = 0,
    draw: str = "",
    laid: Mapping[int, str] | None = None,
    short: bool = False,
    **changes: Any,
) -> State:
    """Lay out a state in which seat 0 has the turn: hands, the secret, the next cards to draw, and the cards laid.

    The cards named nowhere lie in the rest of the deck; with `short` the kit has none but those named. A hand of "" is
    that of a player who is out. With no secret named it is the strongest card left.
    """
    held = [cards(hand) for hand in hands]
    lying = [cards((laid or {}).get(seat, "")) for seat in range(len(hands))]
    tops = cards(draw)
    named = [*([secret] if secret else []), *tops, *(card for place in (*held, *lying) for card in place)]
    kit = tuple(sorted(named, reverse=True)) if short else KIT
    left = list(range(len(kit)))

    def take(character: int) -> int:
        card = next(card for card in left if kit[card] == character)
        left.remove(card)
        return card

    tokens = [tuple(sorted(map(take, hand))) for hand in held]
    open_cards = [tuple(map(take, place)) for place in lying]
    next_cards = [take(character) for character in tops]
    under = take(secret or kit[left[0]])
    nobody: tuple[tuple[()], ...] = ((),) * len(hands)
    state = State(
        names=NAMES[: len(hands)],
        options=Options(),
        kit=kit,
        needed=NEEDED[len(hands)],
        points=(0,) * len(hands),
        round=1,
        turn=1,
        first=0,
        player=0,
        hands=tuple(tokens),
        secret=under,
        draw=(*left, *reversed(next_cards)),
        laid=tuple(open_cards),
        shielded=(False,) * len(hands),
        seen=nobody,
        shown=_shown(len(kit), tokens, open_cards),
        fits=(ANY,) * len(kit),
    )
    state = replace(state, **changes)
    archer.audit(state)
    return state


def _shown(cards: int, hands: list[tuple[int, ...]], laid: list[tuple[int, ...]]) -> tuple[int, ...]:
    """Give who was shown each card: its holder, and all what lies open."""
    shown = [0] * cards
    for seat, hand in enumerate(hands):
        for card in hand:
            shown[card] = eye(seat)
    for card in (card for place in laid for card in place):
        shown[card] = everybody(len(hands))
    return tuple(shown)


@dataclass
class Table:
    """Hold a state and what has happened on it: in the last step, and in all."""

    state: State
    events: tuple[Event, ...] = ()
    past: list[Event] = field(default_factory=list)

    def send(self, *lines: str, dice: Dice | None = None) -> "Table":
        """Make a step from each line, of the player whose turn it is."""
        for line in lines:
            seat = self.state.player
            order = archer.parse(archer.view(self.state, seat), line)
            assert order is not None, f"{line} was read as talk"
            self.state, self.events = archer.resolve(self.state, {seat: order}, dice or Dice(b"test"))
            self.past += self.events
            archer.audit(self.state)
        return self

    def view(self, seat: int | None) -> archer.View:
        """Give what a seat may know."""
        return archer.view(self.state, seat)

    def seen(self, seat: int | None) -> list[str]:
        """Name the events of the last step that a seat sees."""
        return [event.kind for event in self.events if event.visible(seat)]

    def facts(self, kind: str, seat: int | None = None) -> dict[str, Any]:
        """Give the facts of the one event of this kind (that this seat alone sees)."""
        (event,) = [event for event in self.events if event.kind == kind and (seat is None or event.seen_by == (seat,))]
        return dict(event.facts)

    def hand(self, seat: int) -> str:
        """Give a hand as text."""
        return " ".join(str(self.state.kit[card]) for card in self.state.hands[seat])

    def laid(self, seat: int) -> str:
        """Give the cards laid before a seat as text."""
        return " ".join(str(self.state.kit[card]) for card in self.state.laid[seat])

    @property
    def secret(self) -> int:
        """Give the secret's character, or 0."""
        return 0 if self.state.secret == NO_SECRET else self.state.kit[self.state.secret]


def attempt(view: archer.View, line: str) -> Order | BadOrder | None:
    """Give what a line is read as: an order, a refusal, or None for talk."""
    try:
        return archer.parse(view, line)
    except BadOrder as error:
        return error


def refusal(state: State, line: str, seat: int = 0) -> BadOrder:
    """Give the refusal of a line, and check that the lines it offers are accepted."""
    view = archer.view(state, seat)
    error = attempt(view, line)
    assert isinstance(error, BadOrder), f"{line} was read as {error}"
    assert bool(error.examples) == bool(view.ask)
    assert all(archer.parse(view, example) is not None for example in error.examples)
    return error


@dataclass(frozen=True)
class Step:
    """Hold one step of a game that was played at random."""

    before: State
    seat: int
    line: str
    order: Order
    after: State
    events: tuple[Event, ...]


def new_game(number: int) -> State:
    """Deal the game with this number: its players go round all table sizes."""
    names = NAMES[: 2 + number % 3]
    first = names[number % len(names)] if number % 4 == 0 else ""
    return archer.setup(names, Options(first), Dice(b"deal %d" % number))


def play(state: State, dice: Dice) -> Iterator[Step]:
    """Play a game to its end with random orders, some by default."""
    while not state.ending:
        ((seat, _),) = archer.awaiting(state).items()
        view = archer.view(state, seat)
        late = dice.below(20) == 0
        line = archer.format(archer.default(view, dice)) if late else archer.sample(view, dice)
        order = archer.parse(view, line)
        assert order is not None
        after, events = archer.resolve(state, {seat: order}, dice)
        yield Step(state, seat, line, order, after, events)
        state = after
