"""Read and write disputes."""

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, select

from pbem.store.session import rows as rows_of
from pbem.store.tables import Dispute

ROWS = SQLModel.metadata.tables["dispute"]
COLUMNS = ("status", "appealed_by", "appeal", "stop_at")
"""What may change of a dispute."""
OF_GAME = select(Dispute).where(Dispute.game_id == sa.bindparam("game")).order_by(col(Dispute.id))
ONE = select(Dispute).where(Dispute.id == sa.bindparam("number"))
WAITING = ("open", "appealed")


def add_dispute(session: Session, row: Dispute) -> int:
    """Enter a dispute, and give its number."""
    done = session.connection().execute(sa.insert(ROWS), row.model_dump(exclude={"id"}))
    assert done.inserted_primary_key is not None
    row.id = int(done.inserted_primary_key[0])
    return row.id


def save_dispute(session: Session, row: Dispute) -> None:
    """Write what changed of a dispute."""
    values = {name: getattr(row, name) for name in COLUMNS}
    session.connection().execute(sa.update(ROWS).where(ROWS.c.id == row.id).values(values))


def find_dispute(session: Session, number: int) -> Dispute | None:
    """Find a dispute by its number."""
    return next(iter(rows_of(session, ONE, number=number)), None)


def disputes_of(session: Session, game_id: int) -> list[Dispute]:
    """List the disputes of a game, oldest first."""
    return rows_of(session, OF_GAME, game=game_id)


def waiting(session: Session, game_id: int) -> list[int]:
    """Give the numbers of a game's disputes that wait for a ruling."""
    return [row.id or 0 for row in disputes_of(session, game_id) if row.status in WAITING]


def list_disputes(session: Session, *, waiting: bool) -> list[Dispute]:
    """List all disputes, oldest first; `waiting`: only those that wait for a ruling."""
    query = select(Dispute).order_by(col(Dispute.id))
    return rows_of(session, query.where(col(Dispute.status).in_(WAITING)) if waiting else query)
