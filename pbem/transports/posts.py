"""Build the posts that the config names."""

from pathlib import Path

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

__all__ = ["letterhead", "mailbox", "posts", "submission"]


def posts(config: Config) -> list[Transport]:
    """Give every post of a house; nothing is connected yet.

    Raises: AdminError if a password_file cannot be read.
    """
    head = letterhead(config)
    if config.mail.transport == "imap":
        return [Mail(mailbox(config), submission(config), head)]
    return [Maildir(config.path(config.mail.inbox), config.path(config.mail.outbox), head)]


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
    if settings.password_file is None:
        return settings.password.get_secret_value()
    path: Path = config.path(settings.password_file)
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise AdminError(f"{part}: the password_file {path} cannot be read: {told}") from error
