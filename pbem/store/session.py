"""Open the database, and run one piece of work as one transaction.

SQLite begins as a reader, so that the write lock is taken only at the first insert; whoever wrote in between makes it a
Conflict, and the work is done once more, this time with the lock taken first.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError
from sqlmodel import Session, create_engine

from pbem.errors import AdminError, Conflict

Outcome = TypeVar("Outcome")
BUSY_MS = 10_000


def connect(url: str) -> sa.Engine:
    """Open the database behind a URL.

    Raises: AdminError if the URL is none.
    """
    try:
        engine = create_engine(url)
    except Exception as error:
        raise AdminError(f"the database URL {url!r} cannot be used: {error}") from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={BUSY_MS}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("lock") else "BEGIN")


def transact(engine: sa.Engine, work: Callable[[Session], Outcome]) -> Outcome:
    """Do the work in one transaction and commit it; on a conflict do it once more.

    Raises: Conflict if it fails twice; AdminError if the database is out of reach.
    """
    try:
        return _attempt(engine, work)
    except Conflict:
        return _attempt(engine.execution_options(lock=True), work)


def read(engine: sa.Engine, work: Callable[[Session], Outcome]) -> Outcome:
    """Do work that writes nothing."""
    return _attempt(engine, work)


def _attempt(engine: sa.Engine, work: Callable[[Session], Outcome]) -> Outcome:
    with Session(engine, expire_on_commit=False, autoflush=False) as session:
        try:
            outcome = work(session)
            session.commit()
            return outcome
        except IntegrityError as error:
            raise Conflict(str(error.orig)) from error
        except OperationalError as error:
            if "locked" in str(error.orig) or "busy" in str(error.orig):
                raise Conflict("the database is busy, try again") from error
            raise AdminError(f"the database cannot be used: {error.orig}") from error
        except DatabaseError as error:
            if type(error) is DatabaseError:  # damaged, or no database at all
                raise AdminError(f"the database cannot be used: {error.orig}; see `pbem doctor`") from error
            raise
