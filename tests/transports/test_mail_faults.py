"""Test what happens when the mailbox's server refuses, falls silent, dies, or is away for a while."""

import asyncio
import re
from collections.abc import AsyncIterator

import pytest

from pbem.errors import TemporaryFailure
from pbem.transports import imap
from pbem.transports.base import Delivery
from pbem.transports.mail import GIVEN_UP, TRIES, Mail
from pbem.transports.server import Backoff
from tests.real.relay import Relay, relayed, settle
from tests.real.servers import MailServer, User
from tests.transports.test_imap import a_mail, names, waiting


async def failure(post: Mail) -> str:
    with pytest.raises(TemporaryFailure) as caught:
        await waiting(post)
    return str(caught.value)


@pytest.fixture
async def relay(mail_server: MailServer) -> AsyncIterator[Relay]:
    async with relayed(mail_server.port("IMAPS")) as relay:
        yield relay


@pytest.fixture
async def behind(mail_server: MailServer, office: User, relay: Relay) -> AsyncIterator[Mail]:
    """Give the post whose mailbox is behind the relay, with little patience."""
    account = mail_server.account(office, "mail.imap", relay.port)
    post = mail_server.post(office, imap=account, timeout=2, slice_=0.5, first_wait=0.01)
    yield post
    await post.close()


async def test_a_wrong_password_is_said_and_never_shown(mail_server: MailServer, office: User) -> None:
    for password in ("hunter2hunter2", "hünter2hünter2"):
        account = mail_server.account(office, "mail.imap", password=password)
        post = mail_server.post(office, imap=account, first_wait=60)
        told = await failure(post)
        assert f"refuses the login of {office.address}" in told
        assert "[mail.imap]" in told
        assert password not in told + repr(account)
        assert told == await failure(post), "it is not tried again at once"
        await post.close()


@pytest.mark.parametrize(("name", "tls"), [("IMAPS", "tls"), ("IMAP", "starttls")])
async def test_the_certificate_counts(mail_server: MailServer, office: User, name: str, tls: str) -> None:
    account = mail_server.account(office, "mail.imap", mail_server.port(name), tls=tls)
    office.put(a_mail("one"))
    post = mail_server.post(office, imap=account)
    assert names(await waiting(post)) == ["one"]
    await post.close()
    strange = mail_server.account(office, "mail.imap", mail_server.port(name), tls=tls, ca_file=None)
    told = await failure(mail_server.post(office, imap=strange))
    assert "certificate" in told and "ca_file in [mail.imap]" in told


async def test_tls_where_there_is_none(mail_server: MailServer, office: User) -> None:
    account = mail_server.account(office, "mail.imap", mail_server.port("IMAP"))
    assert "TLS" in await failure(mail_server.post(office, imap=account))


async def test_a_folder_that_is_not_there(mail_server: MailServer, office: User) -> None:
    assert "'Nowhere'" in await failure(mail_server.post(office, folder="Nowhere"))


async def test_a_server_that_is_stopped_and_started(mail_server: MailServer, office: User) -> None:
    office.put(a_mail("one"))
    post = mail_server.post(office, first_wait=0)
    (one,) = await waiting(post)
    with mail_server.stopped("dovecot"):
        assert await failure(post)
        assert "cannot be reached" in await failure(post)
        with pytest.raises(TemporaryFailure):
            await post.done(one.handle)
    office.put(a_mail("two"))
    assert names(await waiting(post)) == ["one", "two"]
    await post.done(one.handle)
    assert names(await waiting(post)) == ["two"]
    await post.close()


async def test_a_server_that_is_stopped_while_idling(mail_server: MailServer, office: User) -> None:
    post = mail_server.post(office, first_wait=0.01)
    await waiting(post)
    task = asyncio.create_task(post.wait(600))
    with await asyncio.to_thread(mail_server.stopped, "dovecot"):
        await asyncio.wait_for(task, 20)
        assert await failure(post)
    await asyncio.wait_for(post.wait(600), 20)  # it is back: the next pass is brought forward
    assert await waiting(post) == []
    await post.close()


@pytest.mark.parametrize("fault", [Relay.fall_silent, Relay.break_off])
async def test_a_connection_that_dies_while_idling(behind: Mail, relay: Relay, fault: object) -> None:
    assert callable(fault)
    assert await waiting(behind) == []
    task = asyncio.create_task(behind.wait(600))
    fault(relay)
    await asyncio.wait_for(task, 20)
    relay.passing.set()


async def test_a_server_that_answers_nothing(behind: Mail, relay: Relay) -> None:
    relay.fall_silent()
    async with asyncio.timeout(20):
        assert "does not answer" in await failure(behind)
        await behind.wait(0.3)
        await behind.wait(0.3)  # no busy loop: it waits as long as it was told to


async def test_a_mail_that_breaks_the_connection_stops_none_of_the_others(
    behind: Mail, office: User, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A57: some servers die of one mail each time; the others are read, it comes last, and time is not judged."""
    for name in ("one", "poison", "three"):
        office.put(a_mail(name))
    fetch = imap.Mailbox.fetch

    def breaking(box: imap.Mailbox, one: imap.Waiting) -> bytes | None:
        if one.uid == 2:
            relay.break_off()
        return fetch(box, one)

    monkeypatch.setattr(imap.Mailbox, "fetch", breaking)
    for _ in range(2):
        found, told = await read_to_the_failure(behind)
        assert (names(found), bool(told)) == (["one", "three"], True)
    monkeypatch.setattr(imap.Mailbox, "fetch", fetch)
    assert names(await waiting(behind)) == ["one", "three", "poison"]
    assert names(await waiting(behind)) == ["one", "poison", "three"]


async def test_a_mail_that_can_never_be_fetched_is_left_at_last(
    behind: Mail, office: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.put(a_mail("poison"))
    monkeypatch.setattr(imap.Mailbox, "fetch", refusing)
    for _ in range(TRIES - 1):
        assert "no" in await failure(behind)
    assert await waiting(behind) == []


async def test_a_server_that_gives_no_mail_at_all_fails_soon(
    behind: Mail, office: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(GIVEN_UP + 3):
        office.put(a_mail(str(number)))
    monkeypatch.setattr(imap.Mailbox, "fetch", refusing)
    await failure(behind)
    assert len(behind._odd) < GIVEN_UP


def refusing(box: imap.Mailbox, one: imap.Waiting) -> bytes | None:
    raise TemporaryFailure("no")


async def read_to_the_failure(post: Mail) -> tuple[list[Delivery], str]:
    found = []
    try:
        async for delivery in post.receive():
            found.append(delivery)
    except TemporaryFailure as error:
        return found, str(error)
    return found, ""


NONSENSE = [
    b"",
    b"HTTP/1.1 400 Bad Request\r\n\r\n",
    b"* BYE too many connections\r\n",
    b"* OK hello\r\n\x00\xff\r\n",
    b"* OK hello\r\n* 1 FETCH (UID {99999999999}\r\n",
    b"* PREAUTH hello\r\n",
]


@pytest.mark.parametrize("said", NONSENSE)
async def test_a_server_that_talks_nonsense(mail_server: MailServer, office: User, said: bytes) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        await reader.read(10)
        writer.transport.abort()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    account = mail_server.account(office, "mail.imap", port, tls="none")
    async with server:
        post = mail_server.post(office, imap=account, timeout=0.5)
        told = await failure(post)
        await post.close()
    await settle()
    assert re.match(rf"localhost:{port} ", told) and told.isprintable()


def test_a_server_is_tried_ever_more_seldom() -> None:
    now = 0.0
    backoff = Backoff(first=2, clock=lambda: now)
    spans = []
    for _ in range(8):
        backoff.failed("gone")
        spans.append(backoff.left)
        with pytest.raises(TemporaryFailure, match="gone"):
            backoff.check()
        now += backoff.left
        backoff.check()
    assert spans == [2, 4, 8, 16, 32, 60, 60, 60]
    assert [backoff.failed("no", refused=True) and backoff.left for _ in range(5)] == [120, 240, 480, 600, 600]
    backoff.worked()
    backoff.check()
