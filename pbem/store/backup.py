"""Copy a SQLite database while it is in use: whole, checked, and under its name only once it is on the disk."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from pbem.errors import AdminError
from pbem.store.lock import database_file


def backup(db: sa.Engine, target: Path) -> None:
    """Copy the database to a file that does not exist yet, with all that was committed before.

    Secret: the copy holds every card, as the database does; nobody else may read it.
    Raises: AdminError; there is no such file then.
    """
    source = database_file(db)
    if source is None:
        raise AdminError(f"this is a {db.dialect.name} database: copy it with its own tool (pg_dump for PostgreSQL)")
    if target.exists() or target.is_symlink():
        raise AdminError(f"{target} exists already; name a file that does not")
    fresh = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _copy(source, fresh)
        _check(fresh)
        _publish(fresh, target)
    except (OSError, sqlite3.Error) as error:
        raise AdminError(f"no backup was made: {error}") from error
    finally:
        for leftover in (fresh, *(fresh.with_name(fresh.name + tail) for tail in ("-wal", "-shm", "-journal"))):
            leftover.unlink(missing_ok=True)


def _copy(source: Path, fresh: Path) -> None:
    """Copy by SQLite's own online backup, in one step: a reader that writers need not wait for."""
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with (
        closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(fresh)) as new,
    ):
        old.backup(new)


def _check(fresh: Path) -> None:
    """Open the copy as a restored one would be, and look at all of it."""
    with closing(sqlite3.connect(fresh)) as copy:
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, with nothing beside it
        found = [row[0] for row in copy.execute("PRAGMA integrity_check")]
        if found != ["ok"] or copy.execute("PRAGMA foreign_key_check").fetchall():
            raise sqlite3.DatabaseError(f"the copy is damaged, so the database may be: {found[0]}")


def _publish(fresh: Path, target: Path) -> None:
    """Give the copy its name once it is on the disk; what has that name meanwhile is never overwritten."""
    _sync(fresh)
    os.link(fresh, target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
