"""Connect to an IMAP server and log in, and cut a connection off.

Source: RFC 3501 (IMAP4rev1), RFC 4616 (PLAIN).
"""

import imaplib
from contextlib import suppress

from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.errors import MailboxLoginError

from pbem.transports.server import Server

__all__ = ["Refused", "connect", "cut", "log_in"]


class Refused(Exception):
    """Say that a server refuses a login; it says so in words."""


def connect(server: Server, timeout: float) -> BaseMailBox:
    """Connect as the config says; the certificate is checked.

    Raises: OSError, and whatever else imaplib makes of an answer.
    """
    if server.tls == "tls":
        return MailBox(server.host, server.port, timeout=timeout, ssl_context=server.context())
    if server.tls == "starttls":
        return MailBoxStartTls(server.host, server.port, timeout=timeout, ssl_context=server.context())
    return MailBoxUnencrypted(server.host, server.port, timeout=timeout)


def log_in(box: BaseMailBox, server: Server) -> None:
    """Log in, and ask anew what the server can do: many say IDLE only now.

    Raises: Refused, OSError, and whatever else imaplib makes of an answer.
    """
    plain = "AUTH=PLAIN" in box.client.capabilities or not (server.user + server.password).isascii()
    try:
        (box.login_utf8 if plain else box.login)(server.user, server.password, None)
    except (imaplib.IMAP4.abort, OSError):
        raise
    except (imaplib.IMAP4.error, MailboxLoginError) as error:
        said = error.command_result[1][-1] if isinstance(error, MailboxLoginError) else error
        raise Refused(
            f"{server} refuses the login of {server.user} ({server.words(said)}): mend [{server.part}]"
        ) from error
    kind, answer = box.client.capability()
    if kind == "OK" and answer[-1]:
        box.client.capabilities = tuple(answer[-1].decode("ascii", "replace").upper().split())


def cut(box: BaseMailBox) -> None:
    """Break a connection off."""
    with suppress(Exception):
        box.client.shutdown()
