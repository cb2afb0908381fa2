"""After an upgrade of a game, replay what goes on: what differs is paused and said, never silently changed."""

import functools
from datetime import datetime

import sqlalchemy as sa
import structlog
from sqlmodel import Session

from pbem.core import table
from pbem.errors import AdminError, Conflict, EngineFault
from pbem.services import desk, sittings
from pbem.services.house import House
from pbem.store import games
from pbem.store.session import read, transact
from pbem.store.tables import Game

log = structlog.get_logger()


def check(db: sa.Engine, house: House, now: datetime) -> None:
    """Replay every game that goes on and was last played by another version of its engine."""
    for game_id in read(db, lambda session: _outdated(session, house)):
        try:
            transact(db, functools.partial(_adopt, house=house, game_id=game_id))
        except (Conflict, AdminError):
            raise
        except Exception as error:
            log.error("a game does not replay after the upgrade", game=game_id, exc_info=error)
            transact(db, functools.partial(desk.fault, house=house, now=now, game_id=game_id))


def _outdated(session: Session, house: House) -> list[int]:
    return [game.id or 0 for game in games.list_games(session, status="open") if game.version != _version(house, game)]


def _version(house: House, game: Game) -> int | None:
    """Give the version of a game's engine that is installed now, None if there is none."""
    try:
        return sittings.engine_of(house, game).version
    except EngineFault:
        return None


def _adopt(session: Session, house: House, game_id: int) -> None:
    """Let the present version go on with a game that replays to the same chain.

    Raises: EngineFault if it does not.
    """
    game = games.find_game(session, game_id)
    assert game is not None
    engine = sittings.engine_of(house, game)
    log_rows = games.log_of(session, game_id)
    again = table.verify(engine, game.seed, ((row.kind, row.body, row.chain) for row in log_rows))
    game.version, game.state = engine.version, engine.dump(again.state)
    games.save_game(session, game)
    log.info("adopted by a new version", game=sittings.name_of(game), version=engine.version)
