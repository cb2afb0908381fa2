"""Say what an event tells of cards, and how the game would be scored now."""

from engines.archer.table import State
from pbem.engine import Event, Result

OWN = ("dealt", "drew", "got", "saw_secret", "saw_hand", "duel_cards")
OPEN = ("played", "discarded", "out")
HINTS = ("dueled", "guessed", "guessed_secret")


def learned(event: Event, seat: int) -> int | None:
    """Count the cards that an event shows to a seat which did not hold them; 0: it tells of them without showing one.

    Rule: A3, A4, A12
    """
    if event.kind in OWN:
        return 1
    if event.kind in OPEN:
        return None if event.facts["seat"] == seat else 1
    if event.kind == "round_over":
        hands = event.facts["hands"]
        others = [card for other, card in enumerate(hands) if card and other != seat]
        return len(others) + (event.facts["secret"] is not None)
    return 0 if event.kind in HINTS else None


def scored(state: State) -> Result:
    """Score a game that is ended before its time: the points won so far.

    Rule: A10
    """
    most = max(state.points)
    return Result("", tuple(seat for seat, points in enumerate(state.points) if points == most), state.points)
