"""Keep who was ever shown which card: the bits of the seats, and one bit for everybody who looks on.

Rule: C5, C6, C12
"""

from collections.abc import Collection

from engines.accuse.deck import CARDS, RANK

PUBLIC = 1 << 4
ALL = (1 << 5) - 1


def bits(seats: Collection[int | None]) -> int:
    """Give the bits of some seats; None is an observer, who sees what is public."""
    found = 0
    for seat in seats:
        found |= PUBLIC if seat is None else 1 << seat
    return found


def shown_at_deal(hands: tuple[tuple[str, ...], ...], up: tuple[str, ...]) -> tuple[int, ...]:
    """Note that everybody was shown the own hand and what lies face up.

    Rule: C3, C5
    """
    shown = [0] * len(CARDS)
    for seat, hand in enumerate(hands):
        for card in hand:
            shown[RANK[card]] = 1 << seat
    for card in up:
        shown[RANK[card]] = ALL
    return tuple(shown)
