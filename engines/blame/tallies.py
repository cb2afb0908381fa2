"""Tally cards by what they show, in hundredths: six Emblems and Treason.

A card not known counts as the average of all that are unseen, so that whole hands can be added, exchanged and scored
whether they are known or not. Only whole numbers are used: the same cards weigh the same on any machine.
"""

from collections.abc import Iterable, Sequence
from functools import cache

from engines.blame.deck import EMBLEMS, TREASON, emblems

ONE = 100
"""A whole card, or certainty."""
MARKS = EMBLEMS + TREASON
TREASONS = len(EMBLEMS)
"""The place of Treason in a tally; an Emblem has its place in EMBLEMS."""

Tally = tuple[int, ...]
NOTHING: Tally = (0,) * len(MARKS)


@cache
def shown(card: str) -> Tally:
    """Tally one card."""
    if card == TREASON:
        return (*NOTHING[:TREASONS], ONE)
    return (*(ONE if letter in emblems(card) else 0 for letter in EMBLEMS), 0)


def tally(cards: Iterable[str]) -> Tally:
    """Tally cards."""
    return tuple(map(sum, zip(NOTHING, *map(shown, cards), strict=True)))


def plus(one: Tally, two: Tally, times: int = 1) -> Tally:
    """Add a tally, so many times."""
    return tuple([first + times * second for first, second in zip(one, two, strict=True)])


def average(cards: Sequence[str]) -> Tally:
    """Tally the average card."""
    return tuple(mark // max(1, len(cards)) for mark in tally(cards))


def balance(points: int, spread: int) -> int:
    """Weigh points, in thousandths: the more there are, the less one more weighs."""
    return 1000 * points // (spread + abs(points))


@cache
def chance_of_more(lead: int, hidden: int) -> int:
    """Give how likely a lead in cards is above nothing after so many hidden ones, in hundredths.

    Of two Emblems a hidden card is thought to show the one alone once in five, and the other alone as often.
    """
    ways = {lead: 1}
    for _ in range(hidden):
        wider: dict[int, int] = {}
        for value, count in ways.items():
            for step, weight in ((-1, 1), (0, 3), (1, 1)):
                wider[value + step] = wider.get(value + step, 0) + weight * count
        ways = wider
    return int(ONE * sum(count for value, count in ways.items() if value > 0) // 5**hidden)
