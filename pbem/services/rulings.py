"""Act for a seat, let its default be played, expel its player, and score a game that is ended."""

from datetime import datetime

from sqlmodel import Session

from pbem.core import table as tables
from pbem.engine import Event, Order
from pbem.errors import AdminError, BadOrder
from pbem.services import chronicle, desk, peeking, sittings, turns
from pbem.services.house import House
from pbem.services.moderators import Ruler
from pbem.services.sittings import Sitting
from pbem.services.turns import MODERATOR
from pbem.store.tables import Game, Prompt

LONGEST = 200


def order(
    session: Session, house: House, now: datetime, game: Game, player: str, text: str, reason: str, by: Ruler
) -> bool:
    """Give an order for a seat, in place of an answer that it may have sealed; tell whether that could be done.

    Secret: whether a hand allows an order tells something of the hand, so a try that fails stands in the log as well.
    Raises: AdminError for what all can see is wrong.
    """
    sitting = desk.take(session, house, game, by, "open")
    event = given(sitting, player, text, reason)
    wanted = _read(session, house, now, sitting, player, text, reason, by)
    if wanted is None:
        return False
    seat: int = event.facts["seat"]
    unasked = turns.is_unasked(sitting, seat, text)
    desk.enter(sitting, event, by, order=sitting.engine.format(wanted))
    if unasked or seat not in sitting.prompts:
        turns.interrupt(sitting, seat, wanted, now)
    else:
        turns.answer(sitting, seat, wanted, now, MODERATOR)
    desk.tell(session, house, now, sitting)
    return True


def can_order(
    session: Session, house: House, now: datetime, game: Game, player: str, text: str, reason: str, by: Ruler
) -> bool:
    """Tell whether an order can be given for a seat once the game goes on; if not, the try stands in the log.

    Raises: AdminError for what all can see is wrong.
    """
    sitting = desk.take(session, house, game, by, "open", "paused")
    return _read(session, house, now, sitting, player, text, reason, by) is not None


def _read(
    session: Session, house: House, now: datetime, sitting: Sitting, player: str, text: str, reason: str, by: Ruler
) -> Order | None:
    """Read an order for a seat; None if it cannot be given, and that it was tried stands in the log then.

    Raises: AdminError.
    """
    seat: int = given(sitting, player, text, reason).facts["seat"]
    try:
        wanted = turns.read(sitting, seat, text)
    except BadOrder:
        wanted = None
    if wanted is None:
        facts = {"seat": seat, **desk.because(reason)}
        peeking.enter(session, house, now, sitting, "hand", facts, by, kind=chronicle.TRIED)
    return wanted


def rehearse_order(
    session: Session, house: House, now: datetime, game: Game, player: str, text: str, reason: str, by: Ruler
) -> None:
    """Enter the announcement of an order alone, for a preview: nothing hidden is looked at."""
    sitting = desk.take(session, house, game, by, "open")
    desk.enter(sitting, given(sitting, player, text, reason), by)
    sittings.rise(session, sitting, now)


def given(sitting: Sitting, player: str, text: str, reason: str) -> Event:
    """Give the announcement of an order, which does not say what it is: it may be sealed.

    Raises: AdminError.
    """
    seat = desk.seat_of(sitting, player)
    if not text.strip() or len(text) > LONGEST or not text.isprintable():
        raise AdminError("an order is one line of plain text")
    if seat.number not in {*sitting.prompts, *sitting.engine.interrupts(sitting.table.state)}:
        raise AdminError(f"nothing is asked of {seat.name} in {sittings.name_of(sitting.game)} now")
    return Event("house.ordered", {"seat": seat.number, **desk.reasoned(reason)})


def skip(session: Session, house: House, now: datetime, game: Game, player: str | None, reason: str, by: Ruler) -> None:
    """Play the default now for a seat, or for all that are asked, unless they have answered already.

    Secret: nobody is told who had.
    Raises: AdminError if nothing is asked there.
    """
    sitting = desk.take(session, house, game, by, "open")
    event, asked = skipped(sitting, player, reason)
    left = [prompt.seat for prompt in asked if prompt.order is None]
    desk.enter(sitting, event, by, seats=left)
    for number in left:
        turns.answer(sitting, number, tables.default(sitting.table, number), now, MODERATOR)
        sitting.seats[number].defaults += 1
    desk.tell(session, house, now, sitting)


def rehearse_skip(
    session: Session, house: House, now: datetime, game: Game, player: str | None, reason: str, by: Ruler
) -> None:
    """Enter the announcement of a skip alone, for a preview: nothing hidden is looked at."""
    sitting = desk.take(session, house, game, by, "open")
    desk.enter(sitting, skipped(sitting, player, reason)[0], by)
    sittings.rise(session, sitting, now)


def skipped(sitting: Sitting, player: str | None, reason: str) -> tuple[Event, list[Prompt]]:
    """Give the announcement of a skip, and what is asked of those whom it means.

    Raises: AdminError.
    """
    number = None if player is None else desk.seat_of(sitting, player).number
    asked = [prompt for prompt in sitting.prompts.values() if number in (None, prompt.seat)]
    if not asked:
        raise AdminError(f"nothing is asked of {player or 'anybody'} in {sittings.name_of(sitting.game)} now")
    return Event("house.skipped", {"seat": number, **desk.reasoned(reason)}), asked


def expel(session: Session, house: House, now: datetime, game: Game, player: str, reason: str, by: Ruler) -> None:
    """Put a player out: from now on the game plays that seat, until somebody takes it over.

    Raises: AdminError.
    """
    sitting = desk.take(session, house, game, by, "open", "paused")
    seat = desk.seat_of(sitting, player)
    if seat.player_id is None or seat.resigned:
        raise AdminError(f"nobody plays the seat of {seat.name} who could be expelled")
    seat.resigned = True
    event = Event("house.expelled", {"seat": seat.number, **desk.reasoned(reason)})
    desk.rule(session, house, now, sitting, event, by, missed=seat.missed, defaults=seat.defaults)


def rehearse_score(session: Session, house: House, now: datetime, game: Game, reason: str, by: Ruler) -> None:
    """Enter that a game ends alone, for a preview: the scores may tell of hands."""
    sitting = desk.take(session, house, game, by, "open", "paused")
    desk.enter(sitting, Event("house.to_score", desk.reasoned(reason)), by)
    sittings.rise(session, sitting, now)


def score(session: Session, house: House, now: datetime, game: Game, reason: str, by: Ruler) -> None:
    """End a game and score it as it stands.

    Raises: AdminError where the game has no scores before its end.
    """
    sitting = desk.take(session, house, game, by, "open", "paused")
    result = sitting.engine.scored(sitting.table.state)
    if result is None:
        why = f"{sitting.engine.title} cannot be scored as it stands"
        raise AdminError(f"{why}; `pbem mod annul {sittings.name_of(game)}` ends it without a result")
    before = game.status
    turns.close(sitting, "over", now)
    facts = {"scores": list(result.scores), "winners": list(result.winners), **desk.reasoned(reason)}
    desk.rule(session, house, now, sitting, Event("house.scored", facts), by, before=before)
