"""Lay out tables and play on them: what the tests of this room share."""

from dataclasses import dataclass, field, fields, replace
from typing import Any

import engines.accuse as accuse
from engines.accuse.deck import CLUES, FACE, KINDS, NAMED, RANK, TRAPS, ordered
from engines.accuse.orders import Accuse, Order
from engines.accuse.sight import ALL
from engines.accuse.table import Laid, Options, State
from pbem.engine import BadOrder, Dice, Event

NAMES = ("ann", "bob", "cleo", "dan")
TITLES = dict(NAMED)


def options(text: str = "") -> Options:
    """Read options as `declare=center max_turns=3`."""
    words = dict(part.split("=") for part in text.split())
    kinds = {one.name: int for one in fields(Options) if one.name == "max_turns"}
    return Options(**{name: kinds.get(name, str)(word) for name, word in words.items()})  # type: ignore[arg-type]


def card(code: str) -> list[str]:
    """Give a card as facts tell it."""
    return [code, TITLES[code]]


class _Box:
    """Take named cards out of the box, each once; every X is another Trap."""

    def __init__(self) -> None:
        self.clues = list(CLUES)
        self.traps = list(TRAPS)

    def take(self, code: str) -> str:
        """Take the card that shows this code."""
        if code == "X":
            return self.traps.pop(0)
        self.clues.remove(code)
        return code


def lay(
    *hands: str, culprits: str = "C6 L6 W6", down: str = "", asked: str = "play", player: int = 0, **changes: Any
) -> State:
    """Lay out a state: hands, and face-down cards as `C3=W5@1 X=L2@0 C4@1`: who laid it stands behind the @.

    They are numbered from #1 on; without = a card lies in front. The clues named nowhere lie face up, the Traps named
    nowhere are out. Seat 0 has the turn, unless another `player` is named.
    """
    box = _Box()
    aside = tuple(map(box.take, culprits.split()))
    held = [ordered(map(box.take, hand.split())) for hand in hands]
    laid = tuple(_laid(box, number, text) for number, text in enumerate(down.split(), 1))
    own = [[*hand, *(one.card for one in laid if one.seat == seat)] for seat, hand in enumerate(held)]
    dealt = _dealt(own, list(box.clues), [*box.traps, *(trap for cards in own for trap in _traps(cards)[1:])])
    state = State(
        names=NAMES[: len(hands)],
        options=Options(),
        deck=NAMED,
        dealt=dealt,
        culprits=aside,
        hands=tuple(held),
        down=laid,
        up=tuple(box.clues),
        gone=tuple(box.traps),
        shown=_shown(own, dealt, [*box.clues, *box.traps]),
        given=len(laid),
        turn=1,
        player=player,
        asked=tuple(asked if seat == player else "" for seat in range(len(hands))),
        due=1 if asked == "flip" else 0,
    )
    if isinstance(changes.get("options"), str):
        changes["options"] = options(changes["options"])
    state = replace(state, **changes)
    accuse.audit(state)
    return state


def _laid(box: _Box, number: int, text: str) -> Laid:
    what, _, seat = text.partition("@")
    code, _, declared = what.partition("=")
    return Laid(number, box.take(code), declared, int(seat))


def _traps(cards: list[str]) -> list[str]:
    return [one for one in cards if one in TRAPS]


def _dealt(own: list[list[str]], spare: list[str], traps: list[str]) -> tuple[tuple[str, ...], ...]:
    """Make a deal of what players have, filled up with what lies open so that each hand is as printed."""
    hands = []
    for cards in own:
        hand = [one for one in cards if one not in TRAPS]
        hand += _traps(cards)[:1] or [traps.pop(0)]
        for kind in KINDS:
            if not any(one[0] == kind for one in hand):
                hand.append(next(one for one in spare if one[0] == kind))
                spare.remove(hand[-1])
        hands.append(ordered(hand))
    return tuple(hands)


def _shown(own: list[list[str]], dealt: tuple[tuple[str, ...], ...], everybody: list[str]) -> tuple[int, ...]:
    shown = dict.fromkeys(RANK, 0)
    for seat, cards in enumerate(own):
        for one in (*cards, *dealt[seat]):
            shown[one] |= 1 << seat
    shown |= dict.fromkeys(everybody, ALL)
    return tuple(shown.values())


@dataclass
class Table:
    """Hold a state and what has happened on it."""

    state: State
    events: tuple[Event, ...] = ()
    dice: Dice = field(default_factory=lambda: Dice(b"test"))

    def read(self, **lines: str) -> dict[int, Order]:
        """Read what the named players send, in the order in which it came."""
        orders: dict[int, Order] = {}
        for name, line in lines.items():
            seat = self.state.names.index(name)
            order = accuse.parse(accuse.view(self.state, seat), line)
            assert order is not None, f"{line} was read as talk"
            orders[seat] = order
        return orders

    def settled(self, **lines: str) -> bool:
        """Tell whether what came in so far settles the window."""
        return accuse.settled(self.state, self.read(**lines))

    def send(self, **lines: str) -> "Table":
        """Make a step from what the named players send."""
        orders = self.read(**lines)
        assert accuse.settled(self.state, orders)
        if not any(isinstance(order, Accuse) for order in orders.values()):
            assert set(orders) <= set(accuse.awaiting(self.state))
        self.state, self.events = accuse.resolve(self.state, orders, self.dice)
        accuse.audit(self.state)
        return self

    def view(self, name: str) -> accuse.View:
        """Give what a player may know."""
        return accuse.view(self.state, self.state.names.index(name))

    def seen(self, seat: int | None) -> list[str]:
        """Name the events of the last step that a seat sees."""
        return [event.kind for event in self.events if event.visible(seat)]

    def facts(self, kind: str) -> dict[str, Any]:
        """Give the facts of the one event of this kind."""
        (event,) = [event for event in self.events if event.kind == kind]
        return dict(event.facts)

    def hand(self, seat: int) -> str:
        """Give a hand as its player sees it."""
        return " ".join(FACE[one] for one in self.state.hands[seat])

    @property
    def up(self) -> set[str]:
        """Give what lies face up."""
        return {FACE[one] for one in self.state.up}

    @property
    def asked(self) -> dict[str, str]:
        """Give what is asked of whom."""
        return {self.state.names[seat]: kind for seat, kind in enumerate(self.state.asked) if kind}


def attempt(view: accuse.View, line: str) -> Order | BadOrder | None:
    """Give what a line is read as: an order, a refusal, or None for talk."""
    try:
        return accuse.parse(view, line)
    except BadOrder as error:
        return error


def refusal(state: State, seat: int, line: str) -> BadOrder:
    """Give the refusal of a line, and check that the lines it offers are accepted."""
    view = accuse.view(state, seat)
    error = attempt(view, line)
    assert isinstance(error, BadOrder), f"{line} was read as {error}"
    assert error.examples or not view.ask
    assert all(accuse.parse(view, example) is not None for example in error.examples)
    return error
