"""Hold the orders as values, and write each in its canonical words."""

from dataclasses import dataclass

from engines.blame.deck import EMBLEMS, TREASON, emblems


@dataclass(frozen=True, slots=True)
class Play:
    """Play no to three cards, with all that was named along with them.

    `swap` is two Emblem letters in the order of EMBLEMS, or "". `verb` is accuse, exchange, spy or "", and `name` whom.
    `gift` is a card given ahead to the player `to`, `bury` a card buried ahead.
    Rule: B9, B21
    """

    cards: tuple[str, ...] = ()
    swap: str = ""
    verb: str = ""
    name: str = ""
    gift: str = ""
    to: str = ""
    bury: str = ""


@dataclass(frozen=True, slots=True)
class Give:
    """Give a card of the hand to a player.

    Rule: B16, B19
    """

    card: str
    to: str


@dataclass(frozen=True, slots=True)
class Bury:
    """Bury a card of the hand among the own Secrets.

    Rule: B18, B20
    """

    card: str


@dataclass(frozen=True, slots=True)
class Back:
    """Draw three cards and swap the Role back.

    Rule: B12
    """


@dataclass(frozen=True, slots=True)
class Pass:
    """Decline what is optional."""


@dataclass(frozen=True, slots=True)
class Take:
    """Take a Role.

    Rule: B2
    """

    emblem: str


Order = Play | Give | Bury | Back | Pass | Take


def pair(letters: str) -> str:
    """Give two Emblem letters in the order of EMBLEMS."""
    return "".join(sorted(letters, key=EMBLEMS.index))


def format_swap(top: str, swap: str) -> str:
    """Name the Emblems to swap that the top card leaves open.

    Rule: B11
    """
    open_letters = swap if top == TREASON else swap.replace(emblems(top), "", 1) if len(emblems(top)) == 1 else ""
    return f"swap {' '.join(open_letters)}" if open_letters else ""


def _format_play(order: Play) -> str:
    parts = [
        f"play {' '.join(order.cards)}" if order.cards else "draw",
        format_swap(order.cards[-1], order.swap) if order.swap else "",
        f"{order.verb} {order.name}" if order.verb else "",
        f"give {order.gift} {order.to}" if order.gift else "",
        f"bury {order.bury}" if order.bury else "",
    ]
    return " ".join(part for part in parts if part)


def format(order: Order) -> str:
    """Write an order in its canonical words."""
    match order:
        case Play():
            return _format_play(order)
        case Give(card, to):
            return f"give {card} {to}"
        case Bury(card):
            return f"bury {card}"
        case Take(emblem):
            return f"take {emblem}"
        case Back():
            return "back"
        case Pass():
            return "pass"
