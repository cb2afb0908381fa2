"""Test the mailbox against a real Dovecot: nothing is marked by reading, nothing lost by a person's reading."""

import asyncio
import email.policy
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest

from pbem.errors import TemporaryFailure
from pbem.transports import imap
from pbem.transports.base import Delivery
from pbem.transports.mail import Mail
from tests.real.servers import MailServer, User

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def a_mail(name: str, words: str = "draw", sender: str = "ann@example.org") -> bytes:
    mail = EmailMessage(policy=email.policy.SMTP)
    mail["From"], mail["To"], mail["Subject"], mail["Message-ID"] = sender, "office@x", name, f"<{name}@x>"
    mail.set_content(words)
    return mail.as_bytes()


@pytest.fixture
async def post(mail_server: MailServer, office: User) -> AsyncIterator[Mail]:
    post = mail_server.post(office)
    yield post
    await post.close()


async def waiting(post: Mail) -> list[Delivery]:
    return [delivery async for delivery in post.receive()]


def names(found: list[Delivery]) -> list[str]:
    return [delivery.message.subject for delivery in found]


async def test_oldest_first_by_when_the_server_got_it(post: Mail, office: User) -> None:
    for name, hours in (("second", 2), ("first", 1), ("third", 3)):
        office.put(a_mail(name), dt=START + timedelta(hours=hours))
    found = await waiting(post)
    assert names(found) == ["first", "second", "third"]
    assert found[0].message.received_at == START + timedelta(hours=1)
    assert found[0].message.received_at.tzinfo is UTC
    assert found[0].message.text == "draw\n"
    assert (found[0].message.transport, found[0].message.external_id[:8]) == ("mail", "first@x#")


async def test_receiving_marks_nothing(post: Mail, office: User) -> None:
    office.put(a_mail("one"))
    assert len(await waiting(post)) == len(await waiting(post)) == 1
    assert office.flags() == [set()]


async def test_done_is_marked_and_comes_no_more(post: Mail, office: User) -> None:
    office.put(a_mail("one"))
    office.put(a_mail("two"))
    one, _ = await waiting(post)
    await post.done(one.handle)
    assert names(await waiting(post)) == ["two"]
    assert {"\\Seen", imap.DONE} in office.flags() and set() in office.flags()
    await post.done(one.handle)
    await post.done("77.1")


@pytest.mark.parametrize("flags", [["\\Seen"], ["\\Seen", "\\Answered"], ["\\Flagged"], ["\\Deleted"]])
async def test_what_a_person_has_looked_at_is_not_lost(post: Mail, office: User, flags: list[str]) -> None:
    office.put(a_mail("one"), flag_set=flags)
    (one,) = await waiting(post)
    await post.done(one.handle)
    with office.open() as box:
        box.client.uid("STORE", "1:*", "-FLAGS", "(\\Seen)")  # "mark as unread"
    assert await waiting(post) == []


async def test_a_server_without_keywords(post: Mail, office: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imap, "KEYWORD", imap.TWO_FLAGS)
    office.put(a_mail("one"), flag_set=["\\Seen", "\\Answered"])
    (one,) = await waiting(post)
    await post.done(one.handle)
    assert await waiting(post) == []
    assert office.flags() == [{"\\Seen", "\\Answered", "\\Flagged"}]


async def test_one_that_vanishes_does_not_stop_the_rest(post: Mail, office: User) -> None:
    for name in ("one", "two", "three"):
        office.put(a_mail(name))
    found = []
    async for delivery in post.receive():
        found.append(delivery)
        if len(found) == 1:
            with office.open() as box:
                box.delete("2")
    assert names(found) == ["one", "three"]
    await post.done("1.2")


async def test_a_mail_of_30_mb_is_fetched_in_part_and_the_next_is_read(post: Mail, office: User) -> None:
    head = b"From: ann@example.org\r\nSubject: big\r\nMessage-ID: <big@x>\r\n\r\n"
    office.put(head + (b"draw " * 190 + b"\r\n") * (30_000_000 // 952))
    office.put(a_mail("small"))
    big, small = await waiting(post)
    assert len(big.message.raw) == imap.LIMIT
    assert "only the first MiB was looked at" in big.message.doubts
    assert small.message.text == "draw\n"
    assert big.message.external_id == (await waiting(post))[0].message.external_id


async def test_8_bit_and_broken_mails_come_as_they_are(post: Mail, office: User) -> None:
    raws = [
        "From: jürgen@bücher.example\r\nSubject: Grüße\r\n\r\ndraw für ü\r\n".encode(),
        b"From: ann@example.org\r\nSubject: \xff\xfe\r\n\r\n\xe4\xf6\r\n",
        b"no header at all",
    ]
    for raw in raws:
        office.put(raw)
    found = await waiting(post)
    assert [delivery.message.raw for delivery in found] == raws
    assert found[0].message.sender == "jürgen@bücher.example"
    assert found[0].message.subject == "Grüße"


async def test_a58_a_mailbox_numbered_anew(mail_server: MailServer, office: User) -> None:
    """Forty mails are numbered anew in another order, with two new ones among them: the office knows all but those."""
    mails = [a_mail(f"old-{number}") for number in range(40)]
    with office.open(None) as box:
        box.folder.create("Office")
        for raw in mails:
            box.append(raw, "Office")
    post = mail_server.post(office, folder="Office")
    before = {delivery.message.external_id for delivery in await waiting(post)}
    await post.done((await waiting(post))[0].handle)
    handles = [delivery.handle for delivery in await waiting(post)]
    again = mails[::-1]
    again.insert(2, a_mail("new-3"))
    again.insert(16, a_mail("new-17"))
    with office.open(None) as box:
        box.folder.rename("Office", "Kept")
        box.folder.create("Office")
        for raw in again:
            box.append(raw, "Office")
    with suppress(TemporaryFailure):
        await post.done(handles[0])  # of the old numbers: marks none of the new
    after = await settled(post)
    assert len(after) == 42
    new = [one.message.subject for one in after if one.message.external_id not in before]
    assert new == ["new-3", "new-17"]
    await post.close()


async def settled(post: Mail) -> list[Delivery]:
    """Read the mailbox, once more if the server first has to say that it was taken away."""
    try:
        return await waiting(post)
    except TemporaryFailure:
        return await waiting(post)


async def test_idle_wakes(post: Mail, office: User) -> None:
    assert await waiting(post) == []
    task = asyncio.create_task(post.wait(60))
    await asyncio.to_thread(office.put, a_mail("one"))
    await asyncio.wait_for(task, 20)
    (one,) = await waiting(post)
    task = asyncio.create_task(post.wait(60))
    await post.done(one.handle)  # our own marks wake nobody
    await asyncio.to_thread(office.put, a_mail("two"))
    await asyncio.wait_for(task, 20)
    assert names(await waiting(post)) == ["two"]


async def test_what_came_before_the_wait_began_ends_it_at_once(post: Mail, office: User) -> None:
    assert await waiting(post) == []
    office.put(a_mail("one"))
    await asyncio.wait_for(post.wait(60), 20)
    assert names(await waiting(post)) == ["one"]
    await post.wait(0.2)  # it was listed: not news again


async def test_work_does_not_wait_for_the_watch_nor_does_its_end(post: Mail, office: User) -> None:
    office.put(a_mail("one"))
    await waiting(post)
    task = asyncio.create_task(post.wait(60))
    async with asyncio.timeout(10):
        for _ in range(3):
            assert len(await waiting(post)) == 1
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await post.close()


async def test_a_server_without_idle_just_waits(post: Mail, office: User, monkeypatch: pytest.MonkeyPatch) -> None:
    await waiting(post)
    box = post._mailbox._box
    assert box is not None
    monkeypatch.setattr(box.client, "capabilities", ("IMAP4REV1",))
    await asyncio.wait_for(post.wait(0.1), 10)
