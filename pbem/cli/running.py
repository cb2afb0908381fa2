"""Let the house run: `pbem serve` until it is stopped, `pbem poll` for one pass."""

import asyncio
from typing import TYPE_CHECKING

import typer

from pbem.cli import show
from pbem.cli.room import config_file, opened, rigged

if TYPE_CHECKING:
    from pbem.daemon import Passed


def serve(context: typer.Context) -> None:
    """Run the house until it is stopped.

    Every tick it reads the post, judges deadlines and sends letters; Ctrl-C or SIGTERM ends it after the pass under
    way. What it does is told on stderr, and as JSON lines in the log file. One `serve` at a time may own a SQLite
    database; several may share one in PostgreSQL.
    """
    from pbem import daemon
    from pbem.store.lock import owned

    with opened(context, aloud=True) as room, owned(room.db, "pbem serve"), rigged(room) as rig:
        asyncio.run(daemon.serve(rig))


def poll(context: typer.Context) -> None:
    """Make one pass, for cron or by hand.

    It reads the post, judges what is due, and sends what waits. Exits with 1 if the house is halted, or the post
    cannot be read, or a letter could not be sent.
    """
    from pbem import daemon
    from pbem.store import mail
    from pbem.store.lock import owned

    with opened(context) as room, owned(room.db, "pbem poll"), rigged(room) as rig:
        passed = asyncio.run(daemon.poll(rig))
        waiting = room.read(mail.queue_length)
    show.line(_told(passed, waiting))
    _judge(passed)


def deliver(context: typer.Context) -> None:
    """Put the mail on standard input into the office's inbox.

    A mail program that sends by this, as by `sendmail`, can answer the letters in the Maildirs without any mail
    server. What it adds behind the command (addresses, options) changes nothing.
    """
    import sys

    from pbem.config import load
    from pbem.errors import AdminError
    from pbem.transports import maildir

    config = load(config_file(context))
    if config.mail.transport != "maildir":
        raise AdminError(f"mail comes over IMAP here: send it to {config.office.address}")
    try:
        maildir.deliver(config.path(config.mail.inbox), sys.stdin.buffer.read())
    except OSError as error:
        raise AdminError(f"the mail could not be delivered: {error.strerror}") from error


def _told(passed: "Passed", waiting: int) -> str:
    parts = [f"read {_count(passed.received, 'message')}", f"sent {_count(passed.sent, 'letter')}"]
    if passed.failed:
        parts.append(f"{_count(passed.failed, 'letter')} could not be sent (see `pbem admin outbox`)")
    if waiting:
        parts.append(f"{_count(waiting, 'letter')} still to be sent")
    if passed.left:
        parts.append("the rest is done by another process (see `pbem doctor`)")
    return ", ".join(parts)


def _judge(passed: "Passed") -> None:
    """Say what kept the pass from being whole.

    Raises: AdminError.
    """
    from pbem.errors import AdminError

    if passed.halted:
        raise AdminError(f"the house is halted ({passed.halted}); if that is well, run `pbem admin confirm`")
    if passed.unread:
        raise AdminError(f"the post could not be read: {passed.unread}")
    if passed.failed:
        raise typer.Exit(1)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
