"""Let one process at a time have a duty: it says so again and again, and whoever falls silent loses it.

Each function is one statement, so that of two processes at the same moment one is the first. A lease keeps work from
being done twice, it does not make doing it twice safe: that is what revisions and unique keys do.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from pbem.store.tables import Lease

FORGOTTEN = timedelta(days=1)
"""A process that fell silent so long ago is not listed any more."""


def take(session: Session, name: str, holder: str, now: datetime, span: timedelta) -> bool:
    """Take a duty, or keep it, for a span from now on; tell whether it is the holder's."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    wanted = insert(Lease).values(name=name, holder=holder, until=now + span)
    free = sa.or_(col(Lease.holder) == holder, col(Lease.until) <= now)
    taken = wanted.on_conflict_do_update(
        index_elements=["name"], set_={"holder": holder, "until": now + span}, where=free
    )
    return session.connection().execute(taken.returning(col(Lease.name))).first() is not None


def release(session: Session, holder: str, names: Iterable[str]) -> None:
    """Give duties back, if they are the holder's."""
    mine = sa.delete(Lease).where(col(Lease.holder) == holder, col(Lease.name).in_(list(names)))
    session.connection().execute(mine)


def living(session: Session, now: datetime) -> list[Lease]:
    """List what is held now, by name."""
    return list(session.exec(select(Lease).where(Lease.until > now).order_by(col(Lease.name))))


def sweep(session: Session, now: datetime) -> None:
    """Forget what was held long ago."""
    session.connection().execute(sa.delete(Lease).where(col(Lease.until) < now - FORGOTTEN))
