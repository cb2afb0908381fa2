"""Read one mailbox over IMAP: reading marks nothing, and what is dealt with is known by a mark that no person sets.

Everything here is synchronous, for one thread at a time; `mail` gives it a thread of its own.
Source: RFC 3501 (IMAP4rev1), RFC 2177 (IDLE), RFC 5530 (response codes).
"""

import imaplib
import re
import select
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from socket import SHUT_RDWR, socket

from imap_tools import BaseMailBox
from imap_tools.errors import UnexpectedCommandStatusError

from pbem.errors import TemporaryFailure
from pbem.transports.imap_login import Refused, connect, cut, log_in
from pbem.transports.parts import SIZE
from pbem.transports.server import Backoff, Server, expires_at, why

TIMEOUT = 30.0
"""How many seconds a server may take for one answer."""
LIMIT = SIZE + 1
"""How many bytes of a mail are fetched: one more than are looked at, so that the rest is missed."""
CHUNK = 500

# A mail program sets \Seen when a person looks at a mail, so \Seen decides nothing here. Where a server keeps no
# keywords of ours (Exchange), two flags at once do instead: no program sets both by itself.
DONE = "$PbemDone"
KEYWORD = (f"UNKEYWORD {DONE}", rf"({DONE} \Seen)")
TWO_FLAGS = ("OR UNANSWERED UNFLAGGED", r"(\Answered \Flagged \Seen)")

UID = re.compile(rb"\bUID (\d+)", re.I)
ARRIVED = re.compile(rb'\bINTERNALDATE "([^"]{1,40})"', re.I)


class Watched(Enum):
    """Say how a watch ended."""

    NEWS = "something came"
    QUIET = "nothing came"
    RUNG = "other work waits"
    UNABLE = "the server cannot tell"


@dataclass(frozen=True, slots=True)
class Waiting:
    """Name a mail that waits; UIDs mean nothing without the mailbox's validity."""

    validity: str
    uid: int
    received_at: datetime

    @property
    def handle(self) -> str:
        """Give the name by which the mail is marked."""
        return f"{self.validity}.{self.uid}"


class Mailbox:
    """Be one mailbox, connected when it is first needed and again whenever the connection was lost."""

    def __init__(self, server: Server, folder: str, *, timeout: float = TIMEOUT, first_wait: float = 2.0) -> None:
        self.server = server
        self.backoff = Backoff(first_wait)
        self._folder = folder
        self._timeout = timeout
        self._box: BaseMailBox | None = None
        self._validity = ""
        self._mark = KEYWORD
        self._known: set[tuple[str, int]] = set()

    def waiting(self) -> list[Waiting]:
        """List what is not dealt with, oldest first.

        Raises: TemporaryFailure.
        """
        with self._talking() as box:
            self._enter(box)  # anew each time: the name may mean another mailbox by now
            uids = self._search(box)
            found = [one for at in range(0, len(uids), CHUNK) for one in self._described(box, uids[at : at + CHUNK])]
            self._known = {(self._validity, uid) for uid in uids}
            return sorted(found, key=lambda one: (one.received_at, one.uid))

    def fetch(self, one: Waiting) -> bytes | None:
        """Fetch a mail, or its first MiB, and mark nothing; None if it is not there any more.

        Raises: TemporaryFailure.
        """
        with self._talking() as box:
            if one.validity != self._validity:
                raise TemporaryFailure(f"{self.server} has numbered the mails of {self._folder!r} anew")
            kind, answer = box.client.uid("FETCH", str(one.uid), f"(UID BODY.PEEK[]<0.{LIMIT}>)")
            if kind != "OK":
                raise TemporaryFailure(f"{self.server} does not give mail {one.handle}: {self._told(answer)}")
            bodies = [bytes(item[1]) for item in answer if isinstance(item, tuple)]
            return bodies[0] if bodies else None

    def mark(self, handle: str) -> None:
        """Mark a mail as dealt with; one of another validity, or one that is gone, is passed over.

        Raises: TemporaryFailure.
        """
        self._store(handle, self._mark[1])

    def watch(self, seconds: float, bell: socket) -> Watched:
        """Wait until something comes that was neither listed nor told of before; `bell` is readable when work waits.

        Raises: TemporaryFailure.
        """
        with self._talking() as box:
            box.client.noop()  # else a search may not yet see what came
            known, self._known = self._known, {(self._validity, uid) for uid in self._search(box)}
            if self._known - known:
                return Watched.NEWS
            if "IDLE" not in box.client.capabilities:
                return Watched.UNABLE
            box.idle.start()  # type: ignore[no-untyped-call]
            early = _read_ahead(box.client)
            woken = _readable(box.client.sock, bell, 0.0 if early else seconds)
            _, said = box.idle.stop()  # type: ignore[no-untyped-call]
            if any(b"EXISTS" in line.upper() for line in [*early, *said] if line):
                return Watched.NEWS
            return Watched.RUNG if bell in woken else Watched.QUIET

    def find(self, message_id: str) -> Waiting | None:
        """Look for a mail by its Message-ID, whether it is dealt with or not.

        Raises: TemporaryFailure.
        """
        with self._talking() as box:
            self._enter(box)
            uids = [int(uid) for uid in box.uids(f'HEADER "Message-ID" "{message_id}"', None)]
            return next(iter(self._described(box, uids)), None)

    def remove(self, handle: str) -> None:
        """Take one of our own mails away; where that cannot be done for it alone, it is only marked.

        Raises: TemporaryFailure.
        """
        self._store(handle, self._mark[1])
        with self._talking() as box:
            if "UIDPLUS" in box.client.capabilities:
                self._store(handle, r"(\Deleted)")
                box.client.uid("EXPUNGE", handle.partition(".")[2])

    def greeting(self) -> tuple[str, datetime | None]:
        """Log in if need be; give what the server said first, and until when its certificate holds.

        Raises: TemporaryFailure.
        """
        with self._talking() as box:
            line = box.client.sock
            until = expires_at(line.getpeercert()) if isinstance(line, ssl.SSLSocket) else None
            return self.server.words(box.client.welcome or b""), until

    def newest(self) -> datetime | None:
        """Give when the newest mail came, whether it is dealt with or not.

        Raises: TemporaryFailure.
        """
        with self._talking() as box:
            self._enter(box)
            uids = [int(uid) for uid in box.uids("ALL", None)][-1:]
            return next((one.received_at for one in self._described(box, uids)), None)

    def close(self) -> None:
        """Take leave of the server."""
        box, self._box = self._box, None
        if box is not None:
            with suppress(Exception):
                box.logout()
            cut(box)

    def cut(self) -> None:
        """Break the connection off, from any thread: whoever waits for the server stops waiting."""
        if self._box is not None:
            with suppress(OSError):
                self._box.client.sock.shutdown(SHUT_RDWR)

    @contextmanager
    def _talking(self) -> Iterator[BaseMailBox]:
        """Give the open mailbox; whatever goes wrong with the connection ends it, and is a TemporaryFailure."""
        try:
            if self._box is None:
                self._open()
            assert self._box is not None
            yield self._box
        except TemporaryFailure:
            raise
        except UnexpectedCommandStatusError as error:  # a plain no: the connection is well
            raise TemporaryFailure(f"{self.server} says no: {self._told(error.command_result[1])}") from error
        except Exception as error:  # imaplib raises nearly anything where a server talks nonsense
            self._drop()
            raise TemporaryFailure(why(error, self.server)) from error

    def _open(self) -> None:
        self.backoff.check()
        try:
            box = connect(self.server, self._timeout)
        except Exception as error:
            raise self.backoff.failed(why(error, self.server)) from error
        try:
            log_in(box, self.server)
            self._enter(box)
        except Exception as error:
            cut(box)
            told = str(error) if isinstance(error, Refused | TemporaryFailure) else why(error, self.server)
            raise self.backoff.failed(told, refused=isinstance(error, Refused)) from error
        self._box = box
        self.backoff.worked()

    def _enter(self, box: BaseMailBox) -> None:
        """Select the folder, and learn its validity and what it keeps."""
        try:
            box.folder.set(self._folder)
        except (UnexpectedCommandStatusError, imaplib.IMAP4.readonly) as error:
            said = self._told(error.command_result[1]) if isinstance(error, UnexpectedCommandStatusError) else error
            raise TemporaryFailure(
                f"{self.server} does not open the folder {self._folder!r}: {self.server.words(said)}"
            ) from error
        self._validity = _response(box, "UIDVALIDITY")
        kept = _response(box, "PERMANENTFLAGS").upper()
        self._mark = KEYWORD if r"\*" in kept or DONE.upper() in kept else TWO_FLAGS

    def _store(self, handle: str, flags: str) -> None:
        validity, _, uid = handle.partition(".")
        with self._talking() as box:
            if validity == self._validity:
                kind, answer = box.client.uid("STORE", uid, "+FLAGS.SILENT", flags)
                if kind != "OK":
                    raise TemporaryFailure(f"{self.server} does not mark mail {handle}: {self._told(answer)}")

    def _search(self, box: BaseMailBox) -> list[int]:
        return [int(uid) for uid in box.uids(self._mark[0], None)]

    def _described(self, box: BaseMailBox, uids: list[int]) -> Iterator[Waiting]:
        if not uids:
            return
        kind, answer = box.client.uid("FETCH", ",".join(map(str, uids)), "(UID INTERNALDATE)")
        if kind != "OK":
            raise TemporaryFailure(f"{self.server} does not say what waits: {self._told(answer)}")
        for item in answer:  # other clients' flags may stand between what was asked for
            line = item[0] if isinstance(item, tuple) else item or b""
            if (uid := UID.search(line)) and int(uid[1]) in uids:
                yield Waiting(self._validity, int(uid[1]), _moment(ARRIVED.search(line)))

    def _told(self, answer: object) -> str:
        last = answer[-1] if isinstance(answer, list) and answer else answer
        return self.server.words(last if last is not None else "it gives no reason")

    def _drop(self) -> None:
        box, self._box = self._box, None
        if box is not None:
            cut(box)


def _response(box: BaseMailBox, code: str) -> str:
    _, answer = box.client.response(code)
    return bytes(answer[-1]).decode("ascii", "replace") if answer and answer[-1] else ""


def _moment(arrived: re.Match[bytes] | None) -> datetime:
    """Read when the server received a mail; where it does not say, the mail is taken to have come just now."""
    try:
        moment = parsedate_to_datetime(arrived[1].decode("ascii", "replace") if arrived else "")
    except ValueError:
        return datetime.now(UTC)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def _read_ahead(client: imaplib.IMAP4) -> list[bytes]:
    """Read what came in one packet with the word that the server idles: the socket will never tell of it."""
    lines = []
    patience = client.sock.gettimeout()
    client.sock.settimeout(0)
    try:
        while True:
            lines.append(client._get_line())
    except (OSError, imaplib.IMAP4.abort):  # there is no more; if that is the end, the next answer fails
        return lines
    finally:
        client.sock.settimeout(patience)


def _readable(line: socket, bell: socket, seconds: float) -> list[socket]:
    if isinstance(line, ssl.SSLSocket) and line.pending():
        return [line]
    poller = select.poll()
    for one in (line, bell):
        poller.register(one, select.POLLIN)
    ready = {number for number, _ in poller.poll(max(0.0, seconds) * 1000)}
    return [one for one in (line, bell) if one.fileno() in ready]
