"""Open a hidden view to a moderator, with an entry in the log's chain before anything is shown."""

from datetime import datetime

from sqlmodel import Session

from pbem.core.digest import Scene
from pbem.engine import Event
from pbem.services import chronicle, desk, letters, sittings, turns
from pbem.services.house import House
from pbem.services.moderators import Ruler
from pbem.services.sittings import Sitting
from pbem.store.tables import Game


def peek(session: Session, house: House, now: datetime, game: Game, player: str, reason: str, by: Ruler) -> str:
    """Give what a seat's digest shows now; the look stands in the log.

    Secret: to be shown to the moderator only after the transaction.
    Raises: AdminError for a seat that is not there, without a reason, or to somebody who plays there.
    """
    sitting = desk.take(session, house, game, by)
    seat = desk.seat_of(sitting, player)
    enter(session, house, now, sitting, "view", {"seat": seat.number, **desk.reasoned(reason)}, by)
    text, _ = Scene(house.renderer, sitting.table, sitting.names).digest(seat.number)
    asked = sitting.table.awaiting().get(seat.number) if sitting.is_open else None
    return text.strip("\n") + (f"\n\nAsked: {asked.asked}" if asked else "")


def enter(
    session: Session, house: House, now: datetime, sitting: Sitting, thing: str, facts: dict[str, object], by: Ruler,
    kind: str = chronicle.PEEKED,
) -> None:  # fmt: skip
    """Enter in the log that something hidden was opened to a moderator: `thing` says what it was.

    The players are told at once if the game is set so or is over, else when it ends.
    """
    at_once = sitting.game.peeks == "open" or chronicle.is_over(sitting)
    event = Event(kind, {"thing": thing, **facts, **by.facts()}, None if at_once else ())
    turns.announce(sitting, event, by=by.signature, told="at once" if at_once else "at the end")
    if at_once:
        letters.tell(session, house, sitting, now, everybody=True)
    sittings.rise(session, sitting, now)
