"""Read and write what the seeds of games are made of."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, select

from pbem.store.session import rows as rows_of
from pbem.store.tables import Game, Gathering

ROWS, GAMES = SQLModel.metadata.tables["gathering"], SQLModel.metadata.tables["game"]
ONE = select(Gathering).where(Gathering.game_id == sa.bindparam("game"))


def add_gathering(session: Session, row: Gathering) -> None:
    """Begin to wait for players' words."""
    session.connection().execute(sa.insert(ROWS), row.model_dump())


def find_gathering(session: Session, game_id: int) -> Gathering | None:
    """Find of what the seed of a game is made; None if it is the house's alone."""
    return next(iter(rows_of(session, ONE, game=game_id)), None)


def save_gathering(session: Session, row: Gathering) -> None:
    """Write words, and who is ready."""
    this = sa.update(ROWS).where(ROWS.c.game_id == row.game_id)
    session.connection().execute(this.values(words=row.words, ready=row.ready))


def save_seed(session: Session, game: Game) -> None:
    """Write what a game gets when it is dealt, beside what may change later: its seed, and when it began."""
    this = sa.update(GAMES).where(GAMES.c.id == game.id)
    session.connection().execute(this.values(seed=game.seed, created_at=game.created_at))


def due(session: Session, until: datetime) -> list[int]:
    """List the games that wait for words no longer."""
    query = select(Gathering.game_id).join(Game, col(Game.id) == Gathering.game_id)
    return list(session.exec(query.where(Game.status == "gathering", Gathering.until_at <= until)))
