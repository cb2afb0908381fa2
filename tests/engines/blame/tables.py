"""Lay out tables and play on them: what the tests of this room share."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import engines.blame as blame
from engines.blame.deck import DECK, EMBLEMS, ordered
from engines.blame.orders import Order
from engines.blame.table import Options, State
from pbem.engine import BadOrder, Dice, Event

NAMES = ("ann", "bob", "cleo", "dan")


def options(text: str = "") -> Options:
    """Read options as `hand=3 bury=own`."""
    words = dict(part.split("=") for part in text.split())
    kinds = {field.name: int for field in fields(Options) if field.name in ("hand", "max_turns")}
    return Options(**{name: kinds.get(name, str)(word) for name, word in words.items()})  # type: ignore[arg-type]


def lay(
    *hands: str,
    roles: str,
    pile: str = "V1",
    secrets: Mapping[int, str] | None = None,
    draw: str = "",
    last: int = 40,
    asked: str = "turn",
    **changes: Any,
) -> State:
    """Lay out a state: hands, pile (bottom first), the next cards to draw, and at most `last` cards to draw in all.

    The cards named nowhere lie in the rest of the Draw pile, or (beyond `last`) at the bottom of the Blame pile.
    Seat 0 has the turn.
    """
    held = [ordered(hand.split()) for hand in hands]
    hidden = [tuple((secrets or {}).get(seat, "").split()) for seat in range(len(hands))]
    rest = [code for code, _ in DECK]
    for card in [*pile.split(), *draw.split(), *(card for place in (*held, *hidden) for card in place)]:
        rest.remove(card)
    room = last - len(draw.split())
    under = () if last == 40 else tuple(rest[room:])
    rest = rest if last == 40 else rest[:room]
    names = NAMES[: len(hands)]
    state = State(
        names=names,
        options=Options(),
        deck=DECK,
        roles=tuple(roles),
        untaken=tuple(letter for letter in EMBLEMS if letter not in roles),
        hands=tuple(held),
        secrets=tuple(hidden),
        pile=(*under, *pile.split()),
        draw=(*rest, *reversed(draw.split())),
        first=0,
        turn=1,
        player=0,
        asked=(asked, *[""] * (len(hands) - 1)),
    )
    if isinstance(changes.get("options"), str):
        changes["options"] = options(changes["options"])
    state = replace(state, **changes)
    blame.audit(state)
    return state


@dataclass
class Table:
    """Hold a state and what has happened on it."""

    state: State
    events: tuple[Event, ...] = ()

    def send(self, **lines: str) -> "Table":
        """Make a step from what the named players send."""
        orders: dict[int, Order] = {}
        for name, line in lines.items():
            seat = self.state.names.index(name)
            order = blame.parse(blame.view(self.state, seat), line)
            assert order is not None, f"{line} was read as talk"
            orders[seat] = order
        assert set(orders) == set(blame.awaiting(self.state))
        self.state, self.events = blame.resolve(self.state, orders, Dice(b"test"))
        blame.audit(self.state)
        return self

    def seen(self, seat: int | None) -> list[str]:
        """Name the events of the last step that a seat sees."""
        return [event.kind for event in self.events if event.visible(seat)]

    def facts(self, kind: str) -> dict[str, Any]:
        """Give the facts of the one event of this kind."""
        (event,) = [event for event in self.events if event.kind == kind]
        return dict(event.facts)

    def hand(self, seat: int) -> str:
        """Give a hand as text."""
        return " ".join(self.state.hands[seat])


def attempt(view: blame.View, line: str) -> Order | BadOrder | None:
    """Give what a line is read as: an order, a refusal, or None for talk."""
    try:
        return blame.parse(view, line)
    except BadOrder as error:
        return error


def refusal(state: State, seat: int, line: str) -> BadOrder:
    """Give the refusal of a line, and check that the lines it offers are accepted."""
    view = blame.view(state, seat)
    error = attempt(view, line)
    assert isinstance(error, BadOrder), f"{line} was read as {error}"
    assert bool(error.examples) == bool(view.ask)
    assert all(blame.parse(view, example) is not None for example in error.examples)
    return error


VARIANTS = (
    "",
    "roles=choose",
    "mistakes=blame hand=7",
    "bury=own",
    "restart=empty after_blame=blamed",
    "abilities=off hand=1",
    "max_turns=9",
    "roles=choose bury=own mistakes=blame restart=empty after_blame=blamed max_turns=60",
)


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
    return blame.setup(NAMES[:count], options(VARIANTS[number // 3 % len(VARIANTS)]), Dice(b"deal %d" % number))


def play(state: State, dice: Dice) -> Iterator[Step]:
    """Play a game to its end with random orders, some by default."""
    while not state.ending:
        lines, orders = {}, {}
        for seat in blame.awaiting(state):
            view = blame.view(state, seat)
            late = dice.below(20) == 0
            lines[seat] = blame.format(blame.default(view, dice)) if late else _line(view, dice)
            order = blame.parse(view, lines[seat])
            assert order is not None
            orders[seat] = order
        after, events = blame.resolve(state, orders, dice)
        yield Step(state, lines, orders, after, events)
        state = after


def _line(view: blame.View, dice: Dice) -> str:
    """Give a random line; with `mistakes=blame` a wrong run of cards now and then."""
    if view.ask == "turn" and view.options.mistakes == "blame" and len(view.hand) > 2 and dice.below(8) == 0:
        line = "play " + " ".join(dice.shuffled(view.hand)[:2])
        if not isinstance(attempt(view, line), BadOrder):
            return line
    return blame.sample(view, dice)
