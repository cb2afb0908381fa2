"""Read the cards from cards.toml, and read a card's code.

A code is one or two Emblem letters in the order of EMBLEMS and a copy number; a Treason is X.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

EMBLEMS = "VATGWS"
TREASON = "X"
_CODE = re.compile(r"([vatgws]{1,2})([0-9]{1,2})")


@dataclass(frozen=True, slots=True)
class Role:
    """Hold what a Role card shows.

    Rule: B5
    """

    emblem: str
    name: str
    office: str
    colour: str
    ability: str
    text: str


def _load() -> tuple[tuple[tuple[str, str], ...], dict[str, Role]]:
    table = tomllib.loads(files(__package__).joinpath("cards.toml").read_text(encoding="utf-8"))
    treason = table["treason"]
    cards = [*table["issues"].items(), *[(TREASON, treason["title"])] * treason["copies"]]
    roles = {emblem: Role(emblem, **table["roles"][emblem]) for emblem in EMBLEMS}
    return tuple(cards), roles


DECK, ROLES = _load()
TITLES = dict(DECK)


@cache
def emblems(card: str) -> str:
    """Give the Emblems that a card shows; a Treason shows them all.

    Rule: B4
    """
    return EMBLEMS if card == TREASON else card.rstrip("0123456789")


@lru_cache(maxsize=4096)
def code(word: str) -> str:
    """Give the code that a word spells, in any case and either letter order, or "".

    Rule: B4
    """
    if word in ("x", TREASON):
        return TREASON
    found = _CODE.fullmatch(word.lower())
    return "".join(sorted(found[1].upper(), key=EMBLEMS.index)) + found[2] if found else ""


@cache
def rank(card: str) -> tuple[int, ...]:
    """Order cards for a hand: single Emblems, pairs, Treasons, each in the order of EMBLEMS."""
    if card == TREASON:
        return (9,)
    shown = emblems(card)
    return (len(shown), *map(EMBLEMS.index, shown), int(card[len(shown) :]))


def ordered(cards: Iterable[str]) -> tuple[str, ...]:
    """Give the cards in the order of a hand, so that no place in it tells where a card came from."""
    return tuple(sorted(cards, key=rank))
