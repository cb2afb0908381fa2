"""Know one server of the post: where it is, how to log in, when to try it again, and how to tell of its refusals."""

import ssl
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pbem.errors import TemporaryFailure

__all__ = ["Backoff", "Server", "expires_at", "why"]

LONGEST = 60.0
"""How many seconds pass at most before a server is tried again."""
AFTER_REFUSAL = 600.0
"""The same after a refused login: who knocks too often is locked out."""


@dataclass(frozen=True, slots=True)
class Server:
    """Name a server and the account on it; `part` is where the config speaks of it.

    Secret: the password is never shown.
    """

    part: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    tls: str
    ca_file: Path | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    def context(self) -> ssl.SSLContext:
        """Trust the authority of `ca_file` alone, or those that this machine trusts.

        Raises: OSError.
        """
        return ssl.create_default_context(cafile=str(self.ca_file) if self.ca_file else None)

    def words(self, said: object) -> str:
        """Give what a server said as one short line, without control characters and without the password."""
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        text = text.replace(self.password, "***") if self.password else text
        plain = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text)
        return " ".join(plain.split())[:200]


def why(error: BaseException, server: Server) -> str:
    """Say in one line why a server could not be used, and how to mend it where that is known."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"the certificate of {server} is not trusted ({server.words(error.verify_message)}): "
            f"mend host or ca_file in [{server.part}], or the certificate"
        )
    if isinstance(error, TimeoutError):
        return f"{server} does not answer"
    if isinstance(error, ssl.SSLError):
        return f"{server} does not speak TLS as [{server.part}] says: {server.words(error.reason or error)}"
    if isinstance(error, FileNotFoundError | PermissionError):
        return f"the ca_file of [{server.part}] cannot be read: {server.words(error.strerror)}"
    if isinstance(error, OSError):
        return f"{server} cannot be reached: {server.words(error.strerror or error)}"
    return f"{server} failed: {server.words(error) or type(error).__name__}"


def expires_at(certificate: object) -> datetime | None:
    """Read until when a certificate holds."""
    end = certificate.get("notAfter") if isinstance(certificate, dict) else None
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(end), UTC) if end else None


@dataclass
class Backoff:
    """Keep from trying a server again too soon after it failed: each time twice as long, up to a minute."""

    first: float = 2.0
    clock: Callable[[], float] = time.monotonic
    _span: float = 0.0
    _until: float = 0.0
    _why: str = ""

    @property
    def left(self) -> float:
        """Give how many seconds are left until it may be tried again."""
        return max(0.0, self._until - self.clock())

    def check(self) -> None:
        """Say again why it failed, while it is too soon.

        Raises: TemporaryFailure.
        """
        if self.left:
            raise TemporaryFailure(self._why)

    def failed(self, told: str, *, refused: bool = False) -> TemporaryFailure:
        """Note that it failed, and give the failure."""
        self._span = min(self._span * 2 or self.first, AFTER_REFUSAL if refused else LONGEST)
        self._until, self._why = self.clock() + self._span, told
        return TemporaryFailure(told)

    def worked(self) -> None:
        """Note that it works again."""
        self._span = self._until = 0.0
