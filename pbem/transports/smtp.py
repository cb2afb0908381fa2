"""Hand letters to a mail server over SMTP, one recipient each, on a connection that is kept.

Source: RFC 5321 (SMTP), RFC 3207 (STARTTLS), RFC 4954 (AUTH), RFC 6531 (SMTPUTF8).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime

from aiosmtplib import (
    SMTP,
    SMTPAuthenticationError,
    SMTPConnectResponseError,
    SMTPException,
    SMTPNotSupported,
    SMTPResponseException,
    SMTPSenderRefused,
    SMTPServerDisconnected,
    SMTPTimeoutError,
)

from pbem.errors import PermanentFailure, TemporaryFailure, TransportFailure
from pbem.transports.server import Backoff, Server, expires_at, why

TIMEOUT = 30.0
"""How many seconds a server may take for one answer."""
AFTER_LETTER = 4
"""How many times as long it may take once it has a whole letter: it may look for viruses first."""
CLOSING = 421
TOO_LARGE = 552


class Line(SMTP):
    """Hang up at once: whoever is done with a connection does not wait for the server's half of the end of TLS."""

    def close(self) -> None:
        """Close the connection."""
        line = self.transport
        super().close()
        if isinstance(line, asyncio.WriteTransport):
            line.abort()


class Submission:
    """Be the way out: connected when it is first needed and again whenever the connection was lost."""

    def __init__(self, server: Server, domain: str, *, timeout: float = TIMEOUT, first_wait: float = 2.0) -> None:
        self.server = server
        self.backoff = Backoff(first_wait)
        self._domain = domain if domain.isascii() else "localhost"
        self._timeout = timeout
        self._smtp: SMTP | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()
        self._welcome = ""

    async def send(self, sender: str, to: str, raw: bytes) -> None:
        """Hand one letter over for one recipient.

        Raises: TemporaryFailure (also if it is not certain that the letter was taken), PermanentFailure.
        """
        self._settle()
        async with self._turn:
            smtp = await self._offered(sender, to, raw)
            async with self._careful():
                await smtp.data(raw, timeout=self._timeout * AFTER_LETTER)

    async def greeting(self) -> tuple[str, datetime | None]:
        """Log in if need be; give what the server said first, and until when its certificate holds.

        Raises: TemporaryFailure.
        """
        self._settle()
        async with self._turn:
            smtp = self._smtp or await self._open()
            until = expires_at(smtp.get_transport_info("peercert")) if self.server.tls != "none" else None
            return self.server.words(self._welcome), until

    async def close(self) -> None:
        """Take leave of the server."""
        smtp, self._smtp = self._smtp, None
        if smtp is not None and smtp.is_connected and self._loop is asyncio.get_running_loop():
            with suppress(SMTPException, OSError, ValueError):
                await smtp.quit(timeout=2)
            smtp.close()
            await asyncio.sleep(0)

    def _settle(self) -> None:
        """Start afresh in another event loop: a connection belongs to the loop in which it was made."""
        if self._loop is not asyncio.get_running_loop():
            self._loop, self._smtp, self._turn = asyncio.get_running_loop(), None, asyncio.Lock()

    async def _offered(self, sender: str, to: str, raw: bytes) -> SMTP:
        """Name sender and recipient; a kept connection that the server has given up meanwhile is opened anew."""
        if self._smtp is not None and self._smtp.is_connected:
            try:
                async with self._careful():
                    await self._name(self._smtp, sender, to, raw)
                    return self._smtp
            except TemporaryFailure as failure:
                if not _is_gone(failure.__cause__):
                    raise
        smtp = await self._open()
        async with self._careful():
            await self._name(smtp, sender, to, raw)
        return smtp

    @asynccontextmanager
    async def _careful(self) -> AsyncIterator[None]:
        """Turn what goes wrong with a letter into our failures; leave the connection ready for the next, or none."""
        try:
            yield
        except (SMTPException, OSError, ValueError) as error:
            await self._reset(error)
            raise self._failure(error) from error
        except BaseException as error:
            await self._reset(error)
            raise

    async def _name(self, smtp: SMTP, sender: str, to: str, raw: bytes) -> None:
        """Give the envelope."""
        wide = not (sender + to).isascii()
        if wide and not smtp.supports_extension("smtputf8"):
            raise SMTPNotSupported(f"{self.server} takes no address with letters beyond ASCII")
        options = [f"SIZE={len(raw)}"] if smtp.supports_extension("size") else []
        options += ["SMTPUTF8"] if wide else []
        options += ["BODY=8BITMIME"] if not raw.isascii() and smtp.supports_extension("8bitmime") else []
        await smtp.mail(sender, options=options, encoding="utf-8" if wide else "ascii")
        await smtp.rcpt(to, encoding="utf-8" if wide else "ascii")

    async def _open(self) -> SMTP:
        self.backoff.check()
        server = self.server
        try:
            smtp = Line(
                hostname=server.host, port=server.port, username=server.user or None, password=server.password or None,
                use_tls=server.tls == "tls", start_tls=server.tls == "starttls", local_hostname=self._domain,
                tls_context=server.context() if server.tls != "none" else None, timeout=self._timeout,
            )  # fmt: skip
            self._welcome = (await smtp.connect()).message
            if smtp.is_ehlo_or_helo_needed:
                await smtp.ehlo()
        except (SMTPException, OSError, ValueError) as error:
            raise self.backoff.failed(
                _no_way(error, server), refused=isinstance(error, SMTPAuthenticationError)
            ) from error
        self._smtp = smtp
        self.backoff.worked()
        return smtp

    async def _reset(self, error: BaseException) -> None:
        """Make the connection ready for the next letter after a plain refusal; after anything else give it up."""
        smtp, self._smtp = self._smtp, None
        if smtp is None:
            return
        if isinstance(error, SMTPResponseException | SMTPNotSupported) and smtp.is_connected:
            with suppress(SMTPException, OSError):
                await smtp.rset()
                self._smtp = smtp
                return
        smtp.close()

    def _failure(self, error: Exception) -> TransportFailure:
        """Turn what a server said about a letter into what may be done about it."""
        if isinstance(error, SMTPResponseException):
            return _refusal(error, self.server)
        if isinstance(error, SMTPNotSupported | ValueError):
            return PermanentFailure(self.server.words(error))
        if isinstance(error, SMTPTimeoutError):
            return TemporaryFailure(f"{self.server} did not answer in time")
        return TemporaryFailure(f"{self.server} broke off: {self.server.words(error)}")


def _is_gone(error: BaseException | None) -> bool:
    """Tell whether a server merely closed a connection that had been idle, or carried enough letters."""
    closing = isinstance(error, SMTPResponseException) and error.code == CLOSING
    return closing or isinstance(error, SMTPServerDisconnected)


def _refusal(error: SMTPResponseException, server: Server) -> TransportFailure:
    """Judge a refusal by its code; one of the sender concerns every letter, so none is given up for it."""
    told = f"{server} says {error.code} {server.words(error.message)}"
    if isinstance(error, SMTPSenderRefused) and error.code != TOO_LARGE:
        return TemporaryFailure(f"{told}: may [{server.part}] user write as {server.words(error.sender)}?")
    return PermanentFailure(told) if error.code >= 500 else TemporaryFailure(told)


def _no_way(error: BaseException, server: Server) -> str:
    """Say why no letter can be handed over."""
    if isinstance(error, SMTPAuthenticationError):
        said = f"{error.code} {server.words(error.message)}"
        return f"{server} refuses the login of {server.user} ({said}): mend [{server.part}]"
    if isinstance(error, SMTPConnectResponseError | SMTPResponseException):
        return f"{server} takes no letters now: {error.code} {server.words(error.message)}"
    if isinstance(error, SMTPTimeoutError):
        return f"{server} does not answer"
    return why(error.__cause__ if isinstance(error.__cause__, OSError) else error, server)
