"""Try the office's mailbox and mail server, as `pbem doctor` does; only the letter to itself leaves anything there.

The letter tells what no login does: that letters arrive, what the server's clock says, and whether plus addresses work.
"""

import asyncio
import re
import secrets
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

from pbem.config import Config
from pbem.core.message import Address, Outbound
from pbem.errors import PbemError, TransportFailure
from pbem.transports.imap import Mailbox, Waiting
from pbem.transports.letterhead import write
from pbem.transports.posts import letterhead, mailbox, submission
from pbem.transports.smtp import Submission

__all__ = ["Checked", "examine", "write_to_itself"]

DATE = re.compile(r"\w{3}, \d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}")
SOON = timedelta(days=14)
APART = timedelta(minutes=2)
OTHERS = stat.S_IRWXG | stat.S_IRWXO
FOR_PLAIN, FOR_PLUS, PAUSE = 60.0, 20.0, 0.5


@dataclass(frozen=True)
class Checked:
    """Say what one check found; `mend` is what to do, where it is not ok."""

    what: str
    ok: bool
    told: str
    mend: str = ""


async def examine(config: Config) -> list[Checked]:
    """Log in to both servers, and look at certificates, clocks and who may read the passwords."""
    found = [one for part in ("imap", "smtp") if (one := _private(config, part))]
    try:
        box, way_out = mailbox(config), submission(config)
    except PbemError as error:
        return [
            *found,
            Checked("password", False, str(error), "write the password there, or name its file in the config"),
        ]
    try:
        found += await _server("imap", lambda: asyncio.to_thread(box.greeting))
        found += await _server("smtp", way_out.greeting)
        return [*found, *await _newest(box)]
    finally:
        await way_out.close()
        await asyncio.to_thread(box.close)


async def write_to_itself(config: Config, *, for_plain: float = FOR_PLAIN, for_plus: float = FOR_PLUS) -> list[Checked]:
    """Send two letters to the office, one of them to a plus address, and wait for them; they are removed at the end."""
    box, way_out = mailbox(config), submission(config)
    try:
        return [one async for one in _letters(config, box, way_out, for_plain, for_plus)]
    except TransportFailure as failure:
        return [Checked("letter", False, str(failure), "mend what is wrong above, then try again")]
    finally:
        await way_out.close()
        await asyncio.to_thread(box.close)


def _private(config: Config, part: str) -> Checked | None:
    file = config.mail.imap.password_file if part == "imap" else config.mail.smtp.password_file
    path: Path | None = config.path(file) if file else None
    if path and path.is_file() and path.stat().st_mode & OTHERS:
        return Checked(f"{part} password", False, f"others on this machine may use {path}", f"chmod 600 {path}")
    return None


async def _server(what: str, greet: Callable[[], Awaitable[tuple[str, datetime | None]]]) -> list[Checked]:
    try:
        greeting, until = await greet()
    except TransportFailure as failure:
        return [Checked(what, False, str(failure), f"mend [mail.{what}], or the server")]
    now = datetime.now(UTC)
    found = [Checked(what, True, "the login works")]
    if until is not None and until < now + SOON:
        told = f"the server's certificate ends {until:%Y-%m-%d}"
        found.append(Checked(f"{what} cert", False, told, "ask who runs the server to renew it"))
    if date := DATE.search(greeting):
        found.append(_clock(f"{what} clock", parsedate_to_datetime(date[0]), now))
    return found


async def _newest(box: Mailbox) -> list[Checked]:
    """Look whether the newest mail came in the future: letters are judged by the server's clock."""
    try:
        newest = await asyncio.to_thread(box.newest)
    except TransportFailure:
        return []
    now = datetime.now(UTC)
    return [_clock("imap clock", newest, now)] if newest is not None and newest > now + APART else []


def _clock(what: str, theirs: datetime, ours: datetime) -> Checked:
    if abs(theirs - ours) > APART:
        told = f"the server's clock says {theirs:%Y-%m-%d %H:%M} UTC, ours {ours:%Y-%m-%d %H:%M}"
        return Checked(what, False, told, "set this machine's clock right, or tell who runs the server")
    return Checked(what, True, "the server's clock agrees with ours")


async def _letters(
    config: Config, box: Mailbox, way_out: Submission, for_plain: float, for_plus: float
) -> AsyncIterator[Checked]:
    address, word = config.office.address, secrets.token_hex(8)
    local, _, domain = address.partition("@")
    sent_at = datetime.now(UTC)
    await _send(config, way_out, address, f"probe-{word}")
    refused = ""
    try:
        await _send(config, way_out, f"{local}+{word}@{domain}", f"probe-{word}-plus")
    except TransportFailure as failure:
        refused = str(failure)
    plain = await _arrived(box, f"<probe-{word}@{domain}>", for_plain)
    if plain is None:
        told = f"a letter to {address} did not arrive in {for_plain:.0f} s"
        yield Checked("letter", False, told, "is [office] address the address of the mailbox in [mail.imap]?")
        return
    yield Checked("letter", True, f"a letter to {address} arrived")
    yield _clock("clock apart", plain.received_at, sent_at)
    plus = None if refused else await _arrived(box, f"<probe-{word}-plus@{domain}>", for_plus)
    yield _plus(config, plus is not None, refused)
    for one in (plain, plus):
        if one is not None:
            await asyncio.to_thread(box.remove, one.handle)


def _plus(config: Config, works: bool, refused: str) -> Checked:
    if works and not config.office.plus:
        return Checked("plus", True, "plus addresses arrive: plus = true in [office] would be safer")
    if works or not config.office.plus:
        return Checked("plus", True, f"plus addresses {'arrive' if works else 'do not arrive, and are not used'}")
    told = f"plus addresses do not arrive{': ' if refused else ''}{refused}"
    return Checked("plus", False, told, "set plus = false in [office]")


async def _send(config: Config, way_out: Submission, to: str, key: str) -> None:
    head = letterhead(config)
    words = "pbem doctor wrote this letter to itself; it takes it away again.\n"
    letter = Outbound(key, Address("mail", to), "", "", "A letter to itself", words, "", datetime.now(UTC))
    await way_out.send(head.address, to, write(letter, head))


async def _arrived(box: Mailbox, message_id: str, seconds: float) -> Waiting | None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (found := await asyncio.to_thread(box.find, message_id)) is None and loop.time() < end:
        await asyncio.sleep(PAUSE)
    return found
