"""Let one process at a time own a SQLite database: `serve.lock` beside it, held as long as that process lives.

The system lets go of the lock when the process ends, however it ends; the file itself may stay. Other databases have no
such lock: several processes may serve one.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from pbem.errors import AdminError

FILE = "serve.lock"
TRIES = 5
PAUSE = 0.02  # seconds: somebody who only looks holds the lock for a moment


def database_file(db: sa.Engine) -> Path | None:
    """Give the file that a SQLite database lies in; None for any other database."""
    place = db.url.database
    return Path(place) if db.dialect.name == "sqlite" and place and place != ":memory:" else None


@contextmanager
def owned(db: sa.Engine, by: str) -> Iterator[None]:
    """Own the database while the block runs; `by` is what others are told: `pbem serve`.

    Raises: AdminError if another process owns it, or there is no room for the lock file.
    """
    place = database_file(db)
    if place is None:
        yield
        return
    handle = _open(place.with_name(FILE), os.O_RDWR | os.O_CREAT)
    try:
        if not _seize(handle):
            raise AdminError(f"{_holder(handle)} is at work on {place.name} already; one process at a time may be")
        os.truncate(handle, 0)
        os.pwrite(handle, f"{by} (process {os.getpid()})".encode(), 0)
        yield
    finally:
        os.close(handle)


def owner(db: sa.Engine) -> str | None:
    """Tell who owns the database now: `pbem serve (process 17)`, or None for nobody that could be known."""
    place = database_file(db)
    if place is None or not place.with_name(FILE).exists():
        return None
    handle = _open(place.with_name(FILE), os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        return _holder(handle)
    finally:
        os.close(handle)


def _open(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise AdminError(f"{path} cannot be opened: {error.strerror}") from error


def _seize(handle: int) -> bool:
    for attempt in range(TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if attempt + 1 < TRIES:
                time.sleep(PAUSE)
    return False


def _holder(handle: int) -> str:
    return os.pread(handle, 80, 0).decode("utf-8", "replace") or "another process"
