"""Start a real Postfix and a real Dovecot for a test session, and make mailboxes on them."""

import email
import email.policy
import itertools
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any, TypeVar

from imap_tools import BaseMailBox, MailBoxUnencrypted

from pbem.transports.imap import Mailbox
from pbem.transports.letterhead import Letterhead
from pbem.transports.mail import Mail
from pbem.transports.server import Server
from pbem.transports.smtp import Submission

SCRIPT = Path(__file__).parent / "mail.sh"
PATIENCE = 30.0
Found = TypeVar("Found")
numbers = itertools.count(1)


def until(look: Callable[[], Found | None], what: str, seconds: float = PATIENCE) -> Found:
    """Look again and again until something is found; fail by name when the time is up."""
    end = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain: {what}")
        time.sleep(0.02)
    return found


@dataclass(frozen=True)
class User:
    """Be somebody with a mailbox."""

    server: "MailServer"
    name: str

    @property
    def address(self) -> str:
        """Give the address, which is the name to log in with too."""
        return f"{self.name}@{self.server.domain}"

    @property
    def password(self) -> str:
        """Give the password."""
        return f"{self.name}-pw"

    @contextmanager
    def open(self, folder: str | None = "INBOX") -> Iterator[BaseMailBox]:
        """Open the mailbox as another mail program would, beside whoever has it open."""
        box = MailBoxUnencrypted("127.0.0.1", self.server.port("IMAP"), timeout=PATIENCE)
        try:
            yield box.login(self.address, self.password, folder)
        finally:
            box.logout()

    def put(self, raw: bytes, folder: str = "INBOX", **more: Any) -> None:
        """Put a mail into the mailbox as it is."""
        with self.open(None) as box:
            box.append(raw, folder, **more)

    def mails(self, folder: str = "INBOX") -> list[EmailMessage]:
        """Read all mails in the order in which they came, and mark none."""
        with self.open(folder) as box:
            raws = [bytes(one.obj.as_bytes()) for one in box.fetch(mark_seen=False)]
        return [_parsed(raw) for raw in raws]

    def flags(self, folder: str = "INBOX") -> list[set[str]]:
        """Give the flags of each mail, without `\\Recent`."""
        with self.open(folder) as box:
            return [set(one.flags) - {"\\Recent"} for one in box.fetch(mark_seen=False, headers_only=True)]


@dataclass(frozen=True)
class MailServer:
    """Be the two servers of one session."""

    folder: Path
    settings: dict[str, str]

    @property
    def domain(self) -> str:
        """Give the domain that the servers take mail for."""
        return self.settings["DOMAIN"]

    @property
    def ca_file(self) -> Path:
        """Give the certificate, which vouches for itself."""
        return Path(self.settings["CA_FILE"])

    def port(self, name: str) -> int:
        """Give the port of SMTP (no login), SUBMISSION (STARTTLS), SUBMISSIONS (TLS), IMAP, IMAPS or LMTP."""
        return int(self.settings[name])

    def user(self) -> User:
        """Give a mailbox that no other test has."""
        return User(self, f"user{next(numbers)}")

    @contextmanager
    def stopped(self, *server: str) -> Iterator[None]:
        """Stop both servers, or one of them, and start them again at the end."""
        run("stop", self.folder, *server)
        try:
            yield
        finally:
            run("start", self.folder)

    def account(self, user: User, part: str, port: int = 0, **other: Any) -> Server:
        """Say how to log in to IMAP or SMTP as somebody."""
        name = {"mail.imap": "IMAPS", "mail.smtp": "SUBMISSION"}[part]
        tls = {"mail.imap": "tls", "mail.smtp": "starttls"}[part]
        values = {"host": "localhost", "user": user.address, "password": user.password, "tls": tls}
        return Server(**{"part": part, "port": port or self.port(name), "ca_file": self.ca_file, **values, **other})

    def post(
        self, user: User, *, imap: Server | None = None, smtp: Server | None = None, folder: str = "INBOX",
        plus: bool = True, timeout: float = PATIENCE, slice_: float = 25.0, first_wait: float = 0.05,
    ) -> Mail:  # fmt: skip
        """Give the post whose office is this user."""
        imap, smtp = imap or self.account(user, "mail.imap"), smtp or self.account(user, "mail.smtp")
        mailbox = Mailbox(imap, folder, timeout=timeout, first_wait=first_wait)
        submission = Submission(smtp, self.domain, timeout=timeout, first_wait=first_wait)
        return Mail(mailbox, submission, Letterhead("PBEM judge", user.address, plus), slice_=slice_)

    def config(self, user: User, **other: Any) -> dict[str, Any]:
        """Give the settings of a house whose office is this user."""
        account = {"host": "localhost", "user": user.address, "password": user.password, "ca_file": self.ca_file}
        return {
            "office": {"address": user.address, **other},
            "mail": {
                "transport": "imap",
                "imap": {**account, "port": self.port("IMAPS")},
                "smtp": {**account, "port": self.port("SUBMISSION")},
            },
        }


def run(verb: str, folder: Path, *more: str) -> str:
    """Let the script do something; what it complains of is shown."""
    done = subprocess.run([SCRIPT, verb, folder, *more], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def started(folder: Path) -> MailServer:
    """Start both servers in a folder."""
    out = run("start", folder)
    return MailServer(folder, dict(line.split("=", 1) for line in out.splitlines()))


def _parsed(raw: bytes) -> EmailMessage:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message
