"""Say which cards may follow which, and what the number of cards played demands."""

from collections.abc import Sequence
from functools import cache

from engines.blame.deck import TREASON, emblems

MOST_CARDS = 3
DRAW_FOR_NONE = 3
DRAW_FOR_ONE = 1
DRAW_FOR_BACK = 3
NUMBERS = ("no card", "1 card", "2 cards", "3 cards")
DEEDS = ("draw", "draw", "swap", "accuse")
ABILITIES = {("T", 0): "baksheesh", ("A", 1): "absolution", ("W", 2): "sorcery", ("S", 3): "espionage"}
EXTRAS: dict[str, frozenset[str]] = {
    "draw": frozenset({"draw", "play"}),
    "baksheesh": frozenset({"draw", "bury"}),
    "absolution": frozenset({"play", "give"}),
    "swap": frozenset({"play", "swap"}),
    "sorcery": frozenset({"play", "exchange"}),
    "accuse": frozenset({"play", "accuse"}),
    "espionage": frozenset({"play", "spy", "give"}),
}


@cache
def fits(under: str, card: str) -> bool:
    """Tell whether a card may lie on another ("": on none).

    Rule: B6
    """
    return not under or any(emblem in emblems(under) for emblem in emblems(card))


def first_break(top: str, cards: Sequence[str]) -> int:
    """Give the number, from 1 on, of the first card that breaks the run; 0: none does.

    Rule: B6
    """
    treasons = 0
    for number, card in enumerate(cards, 1):
        treasons += card == TREASON
        if treasons > 1 or not fits(top, card):
            return number
        top = card
    return 0


def deed_of(role: str, count: int, abilities: str) -> str:
    """Name what so many cards demand of the Role held when they are played.

    Rule: B9, B23
    """
    if abilities == "on" and (role, count) in ABILITIES:
        return ABILITIES[role, count]
    return DEEDS[count]
