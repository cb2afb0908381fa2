"""Know from a game's log who held which seat when, and what somebody who held one knows."""

import json
from dataclasses import dataclass

from sqlmodel import Session

from pbem.config import Config
from pbem.services import chronicle, moderators
from pbem.services.sittings import Sitting
from pbem.store import games
from pbem.store.tables import LogEntry, Player

REPLACED = "house.replaced"


@dataclass(frozen=True)
class Tenure:
    """Say who held a seat, from one entry of the log to another (None: still)."""

    seat: int
    holder: str
    since: int
    until: int | None


def tenures(rows: list[LogEntry]) -> list[Tenure]:
    """Give who held each seat, in the order in which they took them."""
    held: dict[int, tuple[str, int]] = {}
    past: list[Tenure] = []
    for row in rows:
        body = json.loads(row.body)
        if row.kind == "deal":
            held = {seat: (name, row.number) for seat, name in enumerate(body["names"])}
        elif body.get("what") == REPLACED:
            name, since = held[body["seat"]]
            past.append(Tenure(body["seat"], name, since, row.number))
            held[body["seat"]] = (body["now"], row.number)
    return [*past, *(Tenure(seat, name, since, None) for seat, (name, since) in held.items())]


def knowledge(session: Session, config: Config, sitting: Sitting, player: Player, seat: int) -> list[str]:
    """Say what a player knows of a game beyond one seat: other seats held, then and now, and hidden views looked at.

    Secret: how many cards, never which.
    """
    rows = games.log_of(session, sitting.game.id or 0)
    told = []
    for one in tenures(rows):
        if one.seat != seat and one.holder.casefold() == player.key:
            spoken = f"until entry {one.until} of the log" if one.until else "until now"
            cards = _private(sitting, rows, one)
            told.append(
                f"{player.name} has held the seat of {sitting.names[one.seat]} from entry {one.since} {spoken}: "
                f"its hand, and {cards} cards that only some were shown"
            )
    looks = [event for row in rows for event in games.events_of(row) if event.kind in chronicle.LATE]
    if any(moderators.is_same(session, config, str(event.facts.get("by", "")), player) for event in looks):
        told.append(f"{player.name} has looked at hidden views of this game as a moderator")
    return told


def _private(sitting: Sitting, rows: list[LogEntry], tenure: Tenure) -> int:
    """Count the cards that a seat was shown, not openly, while somebody held it."""
    end = tenure.until or len(rows)
    events = [event for row in rows if row.number <= end for event in games.events_of(row)]
    mine = (event for event in events if event.seen_by is not None and event.visible(tenure.seat))
    return sum(sitting.engine.learned(event, tenure.seat) or 0 for event in mine if not event.kind.startswith("house."))
