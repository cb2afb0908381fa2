"""Say what an event tells of cards."""

from pbem.engine import Event

OWN = {"culprits": 3, "flipped": 1, "ended": 3, "wrong": 0}
OWNER = {"bluff": "other", "proved": "other", "trap": "other", "gave_card": "seat", "showed": "seat"}
"""Whose card it was that an event shows to the others."""


def learned(event: Event, seat: int) -> int | None:
    """Count the cards that an event shows to a seat which did not hold them; 0: it tells of them without showing one.

    Rule: C6, C11, C12, C13, C17
    """
    if event.kind in OWNER:
        return None if event.facts[OWNER[event.kind]] == seat else 1
    return OWN.get(event.kind)
