"""Bring a database to the tables that this version of the program works with.

The steps stand in `migrations/versions`; `python -m pbem.store.migrate "what changes"` drafts the next one from
`tables.py`. One set serves both databases. SQLite changes a table by copying and dropping it, so foreign keys are off
meanwhile and are checked at the end.
"""

import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.exc import DBAPIError

from pbem import paths
from pbem.errors import AdminError
from pbem.store.backup import backup
from pbem.store.leases import living
from pbem.store.lock import database_file, owned
from pbem.store.session import connect, is_sqlite, loose, read, told
from pbem.store.tables import Lease

LOCK = 7_230_513  # a number that means an upgrade of pbem to PostgreSQL's advisory locks


def head() -> str:
    """Name the newest step."""
    return str(ScriptDirectory.from_config(_settings()).get_current_head())


def current(db: sa.Engine) -> str | None:
    """Name the step that the database is at; None for an empty one.

    Raises: AdminError if it is no database, or out of reach.
    """
    try:
        with db.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    except (DBAPIError, OSError) as error:
        raise AdminError(f"the database cannot be used: {told(error)}") from error


def is_current(db: sa.Engine) -> bool:
    """Tell whether the database is at the newest step."""
    return current(db) == head()


def check(db: sa.Engine) -> None:
    """Make sure that the database is at the newest step.

    Raises: AdminError, saying what to do.
    """
    found, wanted = current(db), head()
    if found == wanted:
        return
    if found is None:
        raise AdminError("the database is empty; `pbem admin upgrade` makes its tables")
    if not _is_known(found):
        raise AdminError(f"the database was made by a newer pbem (it is at {found}, this one knows {wanted})")
    raise AdminError(
        f"the database is at {found}, this pbem needs {wanted}: stop serving, then run `pbem admin upgrade`"
    )


def upgrade(db: sa.Engine) -> Path | None:
    """Bring the database to the newest step, all or nothing; give where it was copied to before, if it held anything.

    Raises: AdminError if somebody serves it, if it is newer than the program, or if a step fails; it is as it was then.
    """
    with owned(db, "pbem admin upgrade"):
        found = current(db)
        if found == head():
            return None
        if found is not None and not _is_known(found):
            check(db)
        _refuse_beside_others(db)
        kept = _keep(db) if found is not None else None
        run(db, command.upgrade, "head")
        return kept


def run(db: sa.Engine, action: Callable[[Config, str], object], revision: str) -> None:
    """Do one of Alembic's commands in one transaction.

    Raises: AdminError if it fails, or leaves a row that points nowhere.
    """
    try:
        if is_sqlite(db):
            _run_on_sqlite(db, action, revision)
        else:
            _run_on_postgres(db, action, revision)
    except (DBAPIError, CommandError) as error:
        raise AdminError(f"the database was not changed: {told(error)}") from error


def _run_on_sqlite(db: sa.Engine, action: Callable[[Config, str], object], revision: str) -> None:
    with db.execution_options(lock=True).connect() as connection:
        raw: Any = connection.connection.driver_connection
        raw.execute("PRAGMA foreign_keys=OFF")  # says nothing once a transaction has begun
        try:
            with connection.begin():
                action(_settings(connection), revision)
                if lost := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
                    raise AdminError(f"a row of table {lost[0]} would point nowhere; nothing was changed")
        finally:
            raw.execute("PRAGMA foreign_keys=ON")


def _run_on_postgres(db: sa.Engine, action: Callable[[Config, str], object], revision: str) -> None:
    """Let one upgrade at a time run; PostgreSQL itself keeps every row pointing somewhere."""
    with loose(db).connect() as connection, connection.begin():
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
        action(_settings(connection), revision)


def _refuse_beside_others(db: sa.Engine) -> None:
    """Make sure that no process serves a database which several may serve.

    Raises: AdminError.
    """
    if is_sqlite(db) or not sa.inspect(db).has_table(str(Lease.__tablename__)):
        return
    if holders := {lease.holder.rpartition(" ")[0] for lease in read(db, partial(living, now=datetime.now(UTC)))}:
        raise AdminError(f"at work on the database: {', '.join(sorted(holders))}; stop them, or wait a minute")


def draft(message: str, number: str) -> None:
    """Write the step that leads from the newest one to the tables as they are now; read it before you trust it."""
    with tempfile.TemporaryDirectory() as folder:
        db = connect(f"sqlite:///{folder}/draft.sqlite")
        if ScriptDirectory.from_config(_settings()).get_current_head():
            run(db, command.upgrade, "head")
        with db.connect() as connection:
            command.revision(_settings(connection), message, autogenerate=True, rev_id=number)
        db.dispose()


def _settings(connection: sa.Connection | None = None) -> Config:
    settings = Config(attributes={"connection": connection})
    settings.set_main_option("script_location", str(scripts()).replace("%", "%%"))
    return settings


def scripts() -> Path:
    """Give the folder of the steps."""
    return paths.bundled("migrations")


def _is_known(revision: str) -> bool:
    return any(script.revision == revision for script in ScriptDirectory.from_config(_settings()).walk_revisions())


def _keep(db: sa.Engine) -> Path | None:
    """Copy a SQLite database to a name beside it that is free; other databases have their own tools."""
    place = database_file(db)
    if place is None:
        return None
    name = f"{place.name}.before-{head()}"
    tries = (place.with_name(name + tail) for tail in ("", *(f".{number}" for number in range(2, 100))))
    target = next(path for path in tries if not path.exists())
    backup(db, target)
    return target


if __name__ == "__main__":
    known = ScriptDirectory.from_config(_settings()).get_current_head() or "0"
    draft(" ".join(sys.argv[1:]), f"{int(known) + 1:04}")
