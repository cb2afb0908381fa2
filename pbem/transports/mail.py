"""Be the post that real mail servers carry: letters come in over IMAP and go out over SMTP.

The mailbox has a thread of its own, in which one thing happens at a time; while nothing else is to be done the thread
watches for what comes (IDLE). It is woken by a bell, so that other work never waits for it.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import structlog

from pbem.core.message import Outbound
from pbem.errors import PermanentFailure, TemporaryFailure
from pbem.transports.base import Delivery
from pbem.transports.imap import Mailbox, Waiting, Watched
from pbem.transports.letterhead import Letterhead, write
from pbem.transports.mime import read
from pbem.transports.smtp import Submission

__all__ = ["Mail"]

log = structlog.get_logger()
Outcome = TypeVar("Outcome")
SLICE = 25.0
"""How many seconds one watch lasts: with the server's time to answer, its death is noticed within a minute."""
PAUSE = 0.5
"""How many seconds after other work the watch goes on."""
GIVEN_UP = 3
"""How many mails in a row may break the connection before a pass gives up."""
TRIES = 20
"""How many passes a mail that cannot be fetched keeps time from being judged."""
LEAVING = 5.0


class Mail:
    """Carry letters by a mailbox and a mail server; it satisfies `Transport`."""

    def __init__(
        self, mailbox: Mailbox, submission: Submission, head: Letterhead, *, name: str = "mail", slice_: float = SLICE
    ) -> None:
        self.name = name
        self._mailbox = mailbox
        self._submission = submission
        self._head = head
        self._slice = slice_
        self._thread: ThreadPoolExecutor | None = None
        self._bell: tuple[socket.socket, socket.socket] | None = None
        self._down = False
        self._odd: dict[str, int] = {}

    async def receive(self) -> AsyncIterator[Delivery]:
        """Bring every mail that is not dealt with, oldest first; those that could not be fetched before come last.

        Raises: TemporaryFailure, at the end if one mail could not be fetched, so that no time is judged without it.
        """
        waiting = await self._work(self._mailbox.waiting)
        self._odd = {one.handle: self._odd[one.handle] for one in waiting if one.handle in self._odd}
        broken, failure = 0, None
        for one in sorted(waiting, key=lambda one: one.handle in self._odd):
            try:
                raw = await self._work(self._mailbox.fetch, one)
            except TemporaryFailure as error:
                broken += 1
                if broken == GIVEN_UP:
                    raise
                failure = self._note(one, error) or failure
                continue
            broken = 0
            self._odd.pop(one.handle, None)
            if raw is not None:
                yield Delivery(one.handle, read(raw, self.name, one.received_at))
        if failure is not None:
            raise failure

    async def done(self, handle: str) -> None:
        """Mark a mail as dealt with, and as seen.

        Raises: TemporaryFailure; the mail then comes again, and is known.
        """
        await self._work(self._mailbox.mark, handle)

    async def send(self, letter: Outbound) -> None:
        """Hand a letter to the mail server for its one recipient.

        Raises: TemporaryFailure, PermanentFailure (it cannot be written as a mail, or the server will never take it).
        """
        try:
            raw = write(letter, self._head)
        except ValueError as error:
            raise PermanentFailure(str(error)) from error
        await self._submission.send(self._head.address, letter.to.place, raw)

    async def wait(self, timeout: float) -> None:
        """Wait until something comes, or the server fails or is back; at most so many seconds."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while (left := end - loop.time()) > 0:
            try:
                outcome = await self._watch(min(left, self._slice))
            except TemporaryFailure:
                if not self._down:
                    self._down = True
                    return
                await asyncio.sleep(min(left, max(PAUSE, self._mailbox.backoff.left)))
                continue
            if self._down or outcome is Watched.NEWS:
                self._down = False
                return
            if outcome is not Watched.QUIET:
                await asyncio.sleep(left if outcome is Watched.UNABLE else min(left, PAUSE))

    async def close(self) -> None:
        """Let go of both connections; they are made again when they are needed."""
        await self._submission.close()
        if self._thread is not None:
            try:
                await asyncio.wait_for(self._work(self._mailbox.close), LEAVING)
            except TimeoutError:
                self._mailbox.cut()
            self._thread.shutdown(wait=False)
        for end in self._bell or ():
            end.close()
        self._thread = self._bell = None

    def _note(self, one: Waiting, error: TemporaryFailure) -> TemporaryFailure | None:
        """Count how often a mail could not be fetched; after many passes the house goes on without it."""
        tries = self._odd[one.handle] = self._odd.get(one.handle, 0) + 1
        if tries in (1, TRIES):
            log.error("a mail cannot be fetched", handle=one.handle, why=str(error), tries=tries)
        return error if tries < TRIES else None

    async def _watch(self, seconds: float) -> Watched:
        """Watch in the mailbox's thread; whoever stops waiting for it ends it."""
        if self._bell is None:
            self._bell = socket.socketpair()
        try:
            return await self._run(self._watched, seconds, self._bell[1])
        except asyncio.CancelledError:
            self._ring()
            raise

    def _watched(self, seconds: float, bell: socket.socket) -> Watched:
        outcome = self._mailbox.watch(seconds, bell)
        if outcome is Watched.RUNG:
            bell.recv(4096)
        return outcome

    async def _work(self, action: Callable[..., Outcome], *given: object) -> Outcome:
        """Do something else in the mailbox's thread, which stops watching for it."""
        self._ring()
        return await self._run(action, *given)

    async def _run(self, action: Callable[..., Outcome], *given: object) -> Outcome:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="imap")
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: action(*given))

    def _ring(self) -> None:
        if self._bell is not None:
            self._bell[0].send(b"!")
