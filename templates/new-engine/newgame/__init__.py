"""Play Newgame: all lay a card in secret, and the highest takes the round."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from pbem.engine import Dice, Event, IllegalOrder, Notation, Prompt, Result

TITLE = "Newgame"
SEATS = range(2, 5)
VERSION = 1
ENDINGS = ("played",)
MEMORY = "open"
NOTATION = (Notation("lay a card", "lay CARD", "CARD", "lay 7"),)
DECK, HAND = tuple(range(1, 25)), 5


@dataclass(frozen=True)
class Options:
    """Hold what players may agree on: nothing yet."""


@dataclass(frozen=True)
class State:
    """Hold the whole game; `laid` are the cards of each round over, by seat."""

    names: tuple[str, ...]
    hands: tuple[tuple[int, ...], ...]
    pile: tuple[int, ...]
    laid: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class View:
    """Hold what one seat may know: its own hand, and what all can see."""

    names: tuple[str, ...]
    hand: tuple[int, ...]
    laid: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]


def setup(names: tuple[str, ...], options: Options, dice: Dice) -> State:
    """Deal the hands; nobody sees the rest."""
    cards = list(dice.shuffled(DECK))
    hands = tuple(tuple(sorted(cards.pop() for _ in range(HAND))) for _ in names)
    return State(names, hands, tuple(cards))


def awaiting(state: State) -> Mapping[int, Prompt]:
    """Ask everybody for a card, as long as there are any."""
    seats = range(len(state.names)) if any(state.hands) else ()
    return {seat: Prompt("card", False, "Lay a card.", tuple(map(format, state.hands[seat]))) for seat in seats}


def parse(view: View, text: str) -> int | None:
    """Read `lay 7` or `7`; anything else is talk."""
    word = text.casefold().removeprefix("lay ").strip()
    if word not in map(str, DECK):
        return None
    if int(word) not in view.hand:
        raise IllegalOrder(f"You do not hold {word}.", *map(format, view.hand))
    return int(word)


def format(order: int) -> str:
    """Write an order as the log keeps it."""
    return f"lay {order}"


def resolve(state: State, orders: Mapping[int, int], dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Turn the cards up."""
    cards = tuple(orders[seat] for seat in sorted(orders))
    hands = tuple(tuple(card for card in hand if card not in cards) for hand in state.hands)
    state = replace(state, hands=hands, laid=(*state.laid, cards))
    events = [Event("laid", {"seat": seat, "card": card}) for seat, card in enumerate(cards)]
    if over := result(state):
        events.append(Event("ended", {"winners": list(over.winners)}))
    return state, tuple(events)


def default(view: View, dice: Dice) -> int:
    """Lay any card: so it tells nothing of the others."""
    return dice.choice(view.hand)


def sample(view: View, dice: Dice) -> str:
    """Give a random legal order."""
    return format(dice.choice(view.hand))


def view(state: State, seat: int | None) -> View:
    """Show a seat, or an observer, what it may know."""
    return View(state.names, () if seat is None else state.hands[seat], state.laid, points(state))


def points(state: State) -> tuple[int, ...]:
    """Count the rounds that each seat has taken."""
    taken = [cards.index(max(cards)) for cards in state.laid]
    return tuple(taken.count(seat) for seat in range(len(state.names)))


def turn(state: State) -> int:
    """Number the rounds from 1."""
    return len(state.laid) + any(state.hands)


def result(state: State) -> Result | None:
    """End when the hands are empty: most rounds win."""
    scores = points(state)
    best = tuple(seat for seat, score in enumerate(scores) if score == max(scores))
    return None if any(state.hands) else Result("played", best, scores)


def reshuffle(state: State, seats: Collection[int | None], dice: Dice) -> State:
    """Deal anew what none of these seats can see: other hands and the pile."""
    hidden = [seat for seat in range(len(state.names)) if seat not in seats]
    hands = list(state.hands)
    mixed = list(dice.shuffled(sum((hands[seat] for seat in hidden), state.pile)))
    for seat in hidden:
        hands[seat] = tuple(sorted(mixed.pop() for _ in hands[seat]))
    return replace(state, hands=tuple(hands), pile=tuple(mixed))


def audit(state: State) -> None:
    """Find every card somewhere, once."""
    assert sorted(sum((*state.hands, *state.laid), state.pile)) == list(DECK)
