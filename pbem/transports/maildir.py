"""Serve two Maildirs as a post: mail comes from `inbox`, letters go to `outbox`, and a mail program can open both.

Source: the Maildir convention: a mail is written to `tmp`, renamed into `new`, and carries its flags in `cur`.
"""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from pbem.core.message import Outbound
from pbem.errors import PermanentFailure, TemporaryFailure
from pbem.transports.base import Delivery
from pbem.transports.letterhead import Letterhead, write
from pbem.transports.mime import read

FOLDERS = ("tmp", "new", "cur")
FLAGS = ":2,"
SEEN = "S"


class Maildir:
    """Be the post whose mailboxes are folders on this machine; it satisfies `Transport`."""

    def __init__(self, inbox: Path, outbox: Path, head: Letterhead, name: str = "mail") -> None:
        self.name = name
        self._inbox = inbox
        self._outbox = outbox
        self._head = head

    async def receive(self) -> AsyncIterator[Delivery]:
        """Bring every mail without the seen flag, oldest first; one that vanished or cannot be read is passed over.

        Raises: TemporaryFailure, if the folder itself cannot be read.
        """
        try:
            _make(self._inbox)
            waiting = sorted(_unseen(self._inbox))
        except OSError as error:
            raise TemporaryFailure(f"the folder {self._inbox} cannot be read: {error.strerror}") from error
        for arrived, base, path in waiting:
            if (raw := _bytes(path)) is not None:
                yield Delivery(base, read(raw, self.name, datetime.fromtimestamp(arrived, UTC)))

    async def done(self, handle: str) -> None:
        """Move a mail to `cur` with the seen flag, wherever a mail program has put it meanwhile.

        Raises: TemporaryFailure, if it cannot be moved.
        """
        try:
            for path in _named(self._inbox, handle):
                flags = set(path.name.partition(FLAGS)[2]) | {SEEN}
                os.replace(path, self._inbox / "cur" / f"{handle}{FLAGS}{''.join(sorted(flags))}")
        except OSError as error:
            raise TemporaryFailure(f"{handle} cannot be marked as seen: {error.strerror}") from error

    async def wait(self, timeout: float) -> None:
        """Wait so many seconds: a folder tells nobody what comes."""
        await asyncio.sleep(timeout)

    async def send(self, letter: Outbound) -> None:
        """Put a letter into `new`, whole or not at all; one that is there already is not put there twice.

        Raises: TemporaryFailure (the disk is full, ...), PermanentFailure (it cannot be written as a mail).
        """
        try:
            raw = write(letter, self._head).replace(b"\r\n", b"\n")
        except ValueError as error:
            raise PermanentFailure(str(error)) from error
        base = f"{int(letter.created_at.timestamp())}.{hashlib.sha256(letter.key.encode()).hexdigest()[:24]}.pbem"
        try:
            _make(self._outbox)
            if not _lies(self._outbox, base):
                _put(self._outbox, base, raw)
        except OSError as error:
            raise TemporaryFailure(f"the folder {self._outbox} takes no mail: {error.strerror}") from error


def deliver(folder: Path, raw: bytes) -> None:
    """Put a mail into a Maildir, whole or not at all, as a mail server does.

    Raises: OSError.
    """
    _make(folder)
    _put(folder, f"{uuid4().hex}.mail", raw)


def _make(folder: Path) -> None:
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)


def _files(folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Give the base name, the flags and the path of each mail, in `new` first."""
    for name in ("new", "cur"):
        for entry in sorted(os.listdir(folder / name)):
            base, _, flags = entry.partition(FLAGS)
            if not base.startswith("."):
                yield base, flags, folder / name / entry


def _unseen(folder: Path) -> Iterator[tuple[float, str, Path]]:
    """Give when each mail came, its base name and its path; a mail program moves to `cur` what it only listed."""
    for base, flags, path in _files(folder):
        if SEEN not in flags:
            with suppress(OSError):
                yield path.stat().st_mtime, base, path


def _named(folder: Path, handle: str) -> Iterator[Path]:
    return (path for base, _, path in _files(folder) if base == handle)


def _lies(folder: Path, base: str) -> bool:
    """Tell whether a mail is there, without a look at all the new ones: there may be very many."""
    new = folder / "new"
    if (new / base).exists() or (new / f"{base}{FLAGS}").exists():
        return True
    return any(entry.partition(FLAGS)[0] == base for entry in os.listdir(folder / "cur"))


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _put(folder: Path, base: str, raw: bytes) -> None:
    written = folder / "tmp" / base
    with written.open("wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
    os.replace(written, folder / "new" / base)
    handle = os.open(folder / "new", os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
