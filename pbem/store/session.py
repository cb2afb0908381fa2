"""Open the database, and run one piece of work as one transaction.

Both databases show a transaction one moment of the store: whoever wrote in between makes it a Conflict, and the work is
done once more, this time with the lock taken first. On SQLite that is the write lock, on PostgreSQL a lock of the table
of games that lets others read. SQLite begins as a reader, so that its write lock is taken only at the first insert.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlmodel import Session, SQLModel, create_engine
from sqlmodel.sql.expression import SelectOfScalar

from pbem.errors import AdminError, Conflict, PbemError

Outcome = TypeVar("Outcome")
Row = TypeVar("Row", bound=SQLModel)
BUSY_MS = 10_000
IDLE_MS = 60_000  # a transaction in which nothing happens for so long is a process that hangs: it holds up no other
BEATEN = {"40001": "somebody was first", "40P01": "two waited for each other", "55P03": "the database is busy"}
"""What PostgreSQL calls a conflict, by SQLSTATE."""
KEPT_ALIVE = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""A server whose machine went away is noticed within a minute."""


def connect(url: str) -> sa.Engine:
    """Open the database behind a URL; nothing is connected yet.

    Secret: what is raised never shows a password.
    Raises: AdminError if the URL is none, or its driver is not installed.
    """
    place = _parsed(url)
    if place.get_backend_name() == "postgresql":
        return _postgres(place)
    engine = create_engine(place)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _parsed(url: str) -> sa.URL:
    try:
        place = sa.make_url(url)
    except (ArgumentError, ValueError) as error:  # its text may repeat a password
        raise AdminError("the database URL cannot be used: write sqlite:///FILE or postgresql+psycopg://...") from error
    if place.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql", "postgresql+psycopg"):
        raise AdminError(f"the database URL cannot be used: {place.drivername} is neither SQLite nor PostgreSQL")
    return place


def _postgres(place: sa.URL) -> sa.Engine:
    given: dict[str, object] = {**KEPT_ALIVE, "tcp_user_timeout": 30_000, "application_name": "pbem"}
    asked = {"synchronous_commit": "on", "lock_timeout": BUSY_MS, "idle_in_transaction_session_timeout": IDLE_MS}
    given["options"] = " ".join(f"-c {name}={value}" for name, value in asked.items())
    given = {name: value for name, value in given.items() if name not in place.query}
    place = place.set(drivername="postgresql+psycopg")
    try:
        engine = create_engine(place, connect_args=given, isolation_level="REPEATABLE READ", pool_pre_ping=True)
    except ImportError as error:
        raise AdminError("PostgreSQL needs psycopg, which is not installed: pip install 'pbem[postgres]'") from error
    event.listen(engine, "begin", _begin_postgres)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={BUSY_MS}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("lock") else "BEGIN")


def _begin_postgres(connection: sa.Connection) -> None:
    """Lock before the first query: that is when PostgreSQL chooses the moment which a transaction sees."""
    if connection.get_execution_options().get("lock"):
        connection.exec_driver_sql("LOCK TABLE game IN SHARE ROW EXCLUSIVE MODE")


def loose(engine: sa.Engine) -> sa.Engine:
    """Give the same database for work of one statement, which on PostgreSQL is never a Conflict: it sees the newest."""
    return engine if is_sqlite(engine) else engine.execution_options(isolation_level="READ COMMITTED")


def is_sqlite(engine: sa.Engine) -> bool:
    """Tell whether one process owns this database."""
    return engine.dialect.name == "sqlite"


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


def rows(session: Session, query: SelectOfScalar[Row], **given: object) -> list[Row]:
    """Read rows, detached, by a query that was built once: to build one costs more than to run it."""
    found = list(session.scalars(query, given))
    for row in found:
        session.expunge(row)
    return found


def _attempt(engine: sa.Engine, work: Callable[[Session], Outcome]) -> Outcome:
    try:
        with Session(engine, expire_on_commit=False, autoflush=False) as session:
            outcome = work(session)
            session.commit()
            return outcome
    except DBAPIError as error:
        known = _known(error)
        if known is None:
            raise
        raise known from error


def _known(error: DBAPIError) -> PbemError | None:
    """Give what an error of the database is to us; None if it is a fault of the program."""
    if beaten := BEATEN.get(getattr(error.orig, "sqlstate", None) or ""):
        return Conflict(f"{beaten}, try again")
    if isinstance(error, IntegrityError):
        return Conflict(told(error))
    if isinstance(error, OperationalError) and ("locked" in str(error.orig) or "busy" in str(error.orig)):
        return Conflict("the database is busy, try again")
    if isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated:
        return AdminError(f"the database cannot be used: {told(error)}")
    if type(error) is DatabaseError:  # damaged, or no database at all
        return AdminError(f"the database cannot be used: {told(error)}; see `pbem doctor`")
    return None


def told(error: Exception) -> str:
    """Give what the database says of an error, in one line.

    Secret: neither the statement nor a value is shown; PostgreSQL adds whole rows to some errors.
    """
    orig = getattr(error, "orig", error)
    said = getattr(getattr(orig, "diag", None), "message_primary", None) or orig
    return " ".join(str(said).split())
