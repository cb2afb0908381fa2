"""Hold the orders as values, and write each in its canonical words."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Play:
    """Lay a card of the hand face down, declared as a card (with `declare=center`: as a Center card's number).

    Rule: C2, C7
    """

    card: str
    declared: str


@dataclass(frozen=True, slots=True)
class Flip:
    """Turn up face-down cards, by their numbers.

    Rule: C8, C20
    """

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Challenge:
    """Challenge the play, if need be only where the own cards speak against it; `lost` is the card to lose, or "".

    Rule: C10, C14
    """

    lost: str = ""
    if_held: bool = False


@dataclass(frozen=True, slots=True)
class Pass:
    """Let a play stand.

    Rule: C10
    """


@dataclass(frozen=True, slots=True)
class Give:
    """Give a card of the hand to the declarer.

    Rule: C12
    """

    card: str


@dataclass(frozen=True, slots=True)
class Show:
    """Put a card of the hand face up on the table.

    Rule: C13
    """

    card: str


@dataclass(frozen=True, slots=True)
class Accuse:
    """Accuse a Character, a Location and a Weapon, in this order; none of them: give a due accusation up.

    Rule: C16, C17a
    """

    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bid:
    """Bid how many face-down cards to turn up before guessing.

    Rule: C19
    """

    count: int


Order = Play | Flip | Challenge | Pass | Give | Show | Accuse | Bid


def _format_play(order: Play) -> str:
    """Write a play; a true one needs no `as`."""
    true = order.declared in (order.card, order.card[1:])
    return f"play {order.card}" if true else f"play {order.card} as {order.declared}"


def _format_challenge(order: Challenge) -> str:
    return "challenge" + " if held" * order.if_held + f" give {order.lost}" * bool(order.lost)


def format(order: Order) -> str:
    """Write an order in its canonical words."""
    match order:
        case Play():
            return _format_play(order)
        case Flip(numbers):
            return "flip " + " ".join(f"#{number}" for number in numbers)
        case Challenge():
            return _format_challenge(order)
        case Pass():
            return "pass"
        case Give(card):
            return f"give {card}"
        case Show(card):
            return f"show {card}"
        case Accuse(cards):
            return f"accuse {' '.join(cards) or 'nobody'}"
        case Bid(count):
            return f"bid {count}"
