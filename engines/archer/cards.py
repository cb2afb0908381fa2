"""Read the characters from cards.toml: which there are, how often, and what each card says.

A character is its number, which is its strength. The kit is the characters of all cards, the strongest first.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

MALORY, LANA, RAY, PAM, CHERYL, CYRIL, KRUEGER, STERLING = range(8, 0, -1)
NEEDED = {2: 6, 3: 4, 4: 3}
"""The points needed to win, by the number of players (A1)."""


@dataclass(frozen=True, slots=True)
class Character:
    """Hold what a card shows.

    Rule: A1
    """

    number: int
    name: str
    full: str
    copies: int
    text: str


def _load() -> dict[int, Character]:
    table = tomllib.loads(files(__package__).joinpath("cards.toml").read_text(encoding="utf-8"))
    return {facts["number"]: Character(**facts) for facts in table["characters"]}


CHARACTERS = _load()
KIT = tuple(one.number for one in CHARACTERS.values() for _ in range(one.copies))


def named(character: int) -> str:
    """Write a character as people do: `7 Lana`."""
    return f"{character} {CHARACTERS[character].name}"


def listed(items: Iterable[str], joint: str = "and") -> str:
    """Write a list as people do: `bob, cleo and dan`."""
    *most, last = items
    return f"{', '.join(most)} {joint} {last}" if most else last
