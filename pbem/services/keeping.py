"""Keep no more than is needed, and forget a person on request."""

from datetime import datetime, timedelta

import structlog
from sqlmodel import Session

from pbem.errors import AdminError
from pbem.services import people, sittings
from pbem.services.house import House
from pbem.store import facts, keeping

log = structlog.get_logger()
EVERY = timedelta(days=1)


def tidy(session: Session, house: House, now: datetime) -> None:
    """Once a day, empty the raw mails and sent bodies of games that ended long enough ago; their logs stay."""
    last = facts.find_moment(session, "tidied_at")
    if last is not None and now - last < EVERY:
        return
    emptied = keeping.drop_bodies(session, now - house.config.store.keep)
    facts.set_moment(session, "tidied_at", now)
    if emptied:
        log.info("old mails emptied", mails=emptied)


def forget(session: Session, name: str) -> list[str]:
    """Take a person out of everything but the logs of the games played, and give the names of those.

    Raises: AdminError while a game of that player goes on, or a letter to somebody else waits that may name the player.
    """
    player = people.get_player(session, name)
    assert player.id is not None
    played = keeping.games_ever(session, player.id)
    going_on = [sittings.name_of(game) for game in played if game.status in ("gathering", "open", "paused")]
    if going_on:
        raise AdminError(f"{player.name} still plays in {', '.join(going_on)}; end that first")
    game_ids = [game.id or 0 for game in played]
    if keeping.waiting_for_others(session, player, game_ids):
        raise AdminError(f"letters that may name {player.name} wait to be sent; try again after the next pass")
    keeping.erase(session, player, game_ids)
    return [sittings.name_of(game) for game in played]
