"""Read the cards from cards.toml, and say of what kind each is.

A code is the letter of a kind and a number: `C3`, `L4`, `W6`. In a State the Traps are `X1` to `X4`, so that each can
be followed; what anybody sees of one is `X`.
"""

import tomllib
from collections.abc import Iterable
from importlib.resources import files

KINDS = ("C", "L", "W")
KIND_NAMES = {"C": "Character", "L": "Location", "W": "Weapon"}
TRAP = "X"


def _load() -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Give the Traps, and everything that has a name."""
    table = tomllib.loads(files(__package__).joinpath("cards.toml").read_text(encoding="utf-8"))
    trap = table["trap"]
    named = [*table["characters"].items(), *table["locations"].items(), *table["weapons"].items()]
    traps = tuple(f"{TRAP}{number}" for number in range(1, trap["copies"] + 1))
    return traps, (*named, (TRAP, trap["name"]), *table["centers"].items())


TRAPS, NAMED = _load()
CENTERS = tuple(code for code, _ in NAMED if code.isdigit())
CLUES = tuple(code for code, _ in NAMED if code[0] in KINDS)
"""The eighteen cards that are no Traps: what may be declared and accused."""
CARDS = (*CLUES, *TRAPS)
RANK = {card: rank for rank, card in enumerate(CARDS)}
FACE = {card: TRAP if card in TRAPS else card for card in CARDS}
"""What is seen of each card."""


def of_kind(kind: str) -> tuple[str, ...]:
    """Give the six cards of a kind.

    Rule: C1
    """
    return tuple(card for card in CLUES if card[0] == kind)


def fits(card: str, declared: str) -> bool:
    """Tell whether a card is what was declared: a code, or with `declare=center` a Center card's number.

    Rule: C2
    """
    return FACE[card] == declared or (declared in CENTERS and card in CLUES and card[1:] == declared)


def own_place(card: str, center: bool) -> str:
    """Give what a card is declared as if it is declared truly; "" for a Trap, which has no place.

    Rule: C2, C7
    """
    if card[0] == TRAP:
        return ""
    return card[1:] if center else card


def ordered(cards: Iterable[str]) -> tuple[str, ...]:
    """Give the cards in the order of a hand, so that no place in it tells where a card came from."""
    return tuple(sorted(cards, key=RANK.__getitem__))


def by_kind(cards: Iterable[str]) -> tuple[str, ...]:
    """Give the three cards of an accusation in the order Character, Location, Weapon."""
    return tuple(sorted(cards, key=lambda card: KINDS.index(card[0])))
