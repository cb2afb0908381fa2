"""Say what an event tells of cards, and how the game would be scored now."""

from engines.blame.ending import score
from engines.blame.table import State
from pbem.engine import Event, Result


def learned(event: Event, seat: int) -> int | None:
    """Count the cards that an event shows to a seat which did not hold them; None: it tells of no card.

    Rule: B8, B16, B17, B24
    """
    facts = event.facts
    if event.kind in ("drew_cards", "blamed_cards", "spied_cards", "counted"):
        return len(facts["cards"])
    if event.kind == "played":
        return len(facts["cards"]) or None if facts["seat"] != seat else None
    if event.kind == "exchanged_cards":
        return len(facts["got" if facts["seat"] == seat else "gave"]) or None
    if event.kind == "gave_card":
        return 1 if facts["other"] == seat else None
    if event.kind == "turned":
        return 1
    if event.kind == "ended":
        return sum(len(hand) for other, hand in enumerate(facts["hands"]) if other != seat)
    return None


def scored(state: State) -> Result | None:
    """Score a game that is ended before its time, as it is scored at its end; there is no score without Roles.

    Rule: B24
    """
    if not all(state.roles):
        return None
    scores = tuple(map(score, state.roles, state.hands))
    return Result("", tuple(seat for seat, points in enumerate(scores) if points == min(scores)), scores)
