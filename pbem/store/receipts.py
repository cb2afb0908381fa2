"""Read and write receipts."""

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, select

from pbem.store.session import rows as rows_of
from pbem.store.tables import Receipt

ADD = sa.insert(SQLModel.metadata.tables["receipt"])
OF_GAME = (
    select(Receipt).where(Receipt.game_id == sa.bindparam("game")).order_by(col(Receipt.seat), col(Receipt.number))
)
OF_SEAT = OF_GAME.where(Receipt.seat == sa.bindparam("seat"))
LAST = (
    select(Receipt)
    .where(Receipt.game_id == sa.bindparam("game"), Receipt.seat == sa.bindparam("seat"))
    .order_by(col(Receipt.number).desc())
    .limit(1)
)


def add_receipt(session: Session, row: Receipt) -> None:
    """Enter a receipt."""
    session.connection().execute(ADD, row.model_dump())


def last_receipt(session: Session, game_id: int, seat: int) -> Receipt | None:
    """Find the last receipt of a seat."""
    return next(iter(rows_of(session, LAST, game=game_id, seat=seat)), None)


def receipts_of(session: Session, game_id: int, seat: int | None = None) -> list[Receipt]:
    """List the receipts of a game by seat, or those of one seat, each seat's oldest first."""
    if seat is None:
        return rows_of(session, OF_GAME, game=game_id)
    return rows_of(session, OF_SEAT, game=game_id, seat=seat)
