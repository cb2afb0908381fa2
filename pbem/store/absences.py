"""Read and write absences."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, select

from pbem.store.session import rows as rows_of
from pbem.store.tables import Absence, Seat

ROWS = SQLModel.metadata.tables["absence"]
OF_GAME = select(Absence).where(Absence.game_id == sa.bindparam("game")).order_by(col(Absence.id))


def absences_of(session: Session, seats: Sequence[Seat]) -> list[Absence]:
    """List the absences at one table, past and to come, of those who hold its seats now."""
    holders = {seat.number: seat.player_id for seat in seats}
    rows = rows_of(session, OF_GAME, game=seats[0].game_id)
    return [row for row in rows if holders.get(row.seat) == row.player_id]


def add_absence(session: Session, row: Absence) -> None:
    """Enter an absence."""
    done = session.connection().execute(sa.insert(ROWS), row.model_dump(exclude={"id"}))
    assert done.inserted_primary_key is not None
    row.id = int(done.inserted_primary_key[0])


def end_absence(session: Session, row: Absence) -> None:
    """Write when an absence ends, or take one out that never began."""
    this = ROWS.c.id == row.id
    if row.until_at <= row.since_at:
        session.connection().execute(sa.delete(ROWS).where(this))
    else:
        session.connection().execute(sa.update(ROWS).where(this).values(until_at=row.until_at))
