"""Read and write what the house knows of itself."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from pbem.store.tables import Fact

VALUE = select(Fact.value).where(Fact.name == sa.bindparam("name"))


def find_fact(session: Session, name: str) -> str | None:
    """Find a fact by name."""
    return session.scalars(VALUE, {"name": name}).first()


def set_fact(session: Session, name: str, value: str) -> None:
    """Write a fact."""
    session.merge(Fact(name=name, value=value))
    session.flush()


def find_moment(session: Session, name: str) -> datetime | None:
    """Find a fact that is a time."""
    value = find_fact(session, name)
    return datetime.fromisoformat(value) if value else None


def set_moment(session: Session, name: str, at: datetime) -> None:
    """Write a fact that is a time."""
    set_fact(session, name, at.isoformat())


def names(session: Session, prefix: str) -> list[str]:
    """List the facts whose names begin with a prefix."""
    query = select(Fact.name).where(col(Fact.name).startswith(prefix, autoescape=True)).order_by(col(Fact.name))
    return list(session.exec(query))
