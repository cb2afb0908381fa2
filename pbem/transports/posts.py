"""Build the posts that the config names."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from pbem.config import Config
from pbem.config import Server as Settings
from pbem.errors import AdminError
from pbem.transports.base import Transport
from pbem.transports.imap import Mailbox
from pbem.transports.letterhead import Letterhead
from pbem.transports.mail import Mail
from pbem.transports.maildir import Maildir
from pbem.transports.server import Server
from pbem.transports.smtp import Submission

if TYPE_CHECKING:
    from pbem.transports.matrix.post import Matrix

__all__ = ["letterhead", "mailbox", "posts", "rooms", "submission"]


def posts(config: Config) -> list[Transport]:
    """Give every post of a house; nothing is connected yet.

    Raises: AdminError if a password_file cannot be read.
    """
    head = letterhead(config)
    others = [rooms(config)] if config.matrix.homeserver else []
    if config.mail.transport == "imap":
        return [Mail(mailbox(config), submission(config), head), *others]
    return [Maildir(config.path(config.mail.inbox), config.path(config.mail.outbox), head), *others]


def rooms(config: Config) -> "Matrix":
    """Give the post of a homeserver.

    Raises: AdminError.
    """
    try:
        from nio.crypto import ENCRYPTION_ENABLED

        from pbem.transports.matrix.post import Matrix
        from pbem.transports.matrix.session import Account, Session
    except ImportError as error:
        raise AdminError("[matrix] needs more to be installed: pip install 'pbem[matrix]'") from error
    told = config.matrix
    account = Account(
        homeserver=told.homeserver.rstrip("/"),
        user=told.user,
        password=_secret(config, "matrix", "password_file", told.password_file, told.password),
        token=_secret(config, "matrix", "token_file", told.token_file, told.token),
        device_name=told.device_name,
        ca_file=config.path(told.ca_file) if told.ca_file else None,
    )
    encrypted = told.encryption and ENCRYPTION_ENABLED
    return Matrix(Session(account, config.path(told.folder), encrypted=encrypted), config.office.name)


def letterhead(config: Config) -> Letterhead:
    """Say who writes."""
    return Letterhead(config.office.name, config.office.address, config.office.plus)


def mailbox(config: Config) -> Mailbox:
    """Give the office's mailbox.

    Raises: AdminError.
    """
    return Mailbox(_server(config, "mail.imap", config.mail.imap), config.mail.imap.folder)


def submission(config: Config) -> Submission:
    """Give the way out.

    Raises: AdminError.
    """
    return Submission(_server(config, "mail.smtp", config.mail.smtp), config.office.domain)


def _server(config: Config, part: str, settings: Settings) -> Server:
    ca_file = config.path(settings.ca_file) if settings.ca_file else None
    return Server(
        part, settings.host, settings.port, settings.user, _password(config, part, settings), settings.tls, ca_file
    )


def _password(config: Config, part: str, settings: Settings) -> str:
    return _secret(config, part, "password_file", settings.password_file, settings.password)


def _secret(config: Config, part: str, name: str, file: Path | None, given: SecretStr) -> str:
    if file is None:
        return given.get_secret_value()
    path: Path = config.path(file)
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise AdminError(f"{part}: the {name} {path} cannot be read: {told}") from error
