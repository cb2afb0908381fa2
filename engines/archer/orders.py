"""Hold an order as a value, and write it in its canonical words."""

from dataclasses import dataclass

from engines.archer.cards import CHARACTERS

HIDE, LOOK = "hide", "look"


@dataclass(frozen=True, slots=True)
class Play:
    """Play one of the two cards in hand, with all that it asks for.

    `card` and `named` are characters (named: the one that is guessed, or 0), `name` is the player at whom the card is
    played, or "", `way` is what Cheryl does: hide, look, or "".
    Rule: A3, A20, A22, A23
    """

    card: int
    name: str = ""
    named: int = 0
    way: str = ""


Order = Play


def word(character: int) -> str:
    """Give the word for a character in orders."""
    return CHARACTERS[character].name.casefold()


def format(order: Order) -> str:
    """Write an order in its canonical words."""
    parts = ("play", word(order.card), order.name, word(order.named) if order.named else "", order.way)
    return " ".join(part for part in parts if part)
