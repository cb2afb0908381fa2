"""Test a whole house over real servers: bounces, refused letters, plus addresses or none, poison, an outage."""

import asyncio
import smtplib
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import col, select

from pbem.daemon import Passed, one_pass
from pbem.services import office as offices
from pbem.store.session import read
from pbem.store.tables import Inbox, Outbox
from pbem.testing.stage import Stage, open_stage, reply_to, text_of
from pbem.transports.mail import Mail
from tests.real.servers import MailServer, User, until

NAMES = ("alice", "bob", "carol")
Founded = Callable[..., Stage]


@pytest.fixture
async def found(tmp_path: Path, mail_server: MailServer, office: User) -> AsyncIterator[Founded]:
    """Give what opens a house whose office is a real mailbox, with players at addresses."""
    stages: list[Stage] = []

    def founded(places: dict[str, str], **settings: object) -> Stage:
        stage = open_stage(tmp_path, datetime.now(UTC), **mail_server.config(office, **settings))
        stage.rig.clock = lambda: datetime.now(UTC)
        stages.append(stage)
        for name, place in places.items():
            stage.add_player(name, *place.split())
        return stage

    yield founded
    for stage in stages:
        for transport in stage.rig.transports:
            assert isinstance(transport, Mail)
            await transport.close()
        stage.close()


@pytest.fixture
def people(mail_server: MailServer) -> dict[str, User]:
    return {name: mail_server.user() for name in NAMES}


def places(people: dict[str, User]) -> dict[str, str]:
    return {name: user.address for name, user in people.items()}


def deal(stage: Stage) -> str:
    return stage.new_game("blame", NAMES, seed="queen", first="alice", max_turns="9")


def outbox(stage: Stage, place: str) -> list[Outbox]:
    query = select(Outbox).where(Outbox.place == place).order_by(col(Outbox.id))
    return read(stage.db, lambda session: list(session.exec(query)))


def inbox(stage: Stage) -> list[Inbox]:
    return read(stage.db, lambda session: list(session.exec(select(Inbox).order_by(col(Inbox.id)))))


async def passed(stage: Stage, count: int = 1) -> Passed:
    """Make passes until so many messages have come."""
    received = 0
    async with asyncio.timeout(60):
        while True:
            one = await one_pass(stage.rig)
            received += one.received
            if received >= count:
                return one
            await stage.rig.transports[0].wait(60)


def newest(user: User, count: int) -> EmailMessage:
    return until(lambda: user.mails()[count - 1 :], f"letter {count} to {user.address}")[-1]


def answer(user: User, letter: EmailMessage, words: str, number: int = 1) -> None:
    """Answer as a mail program does, by the port at which other servers come in."""
    raw = reply_to(letter, user.address, words, datetime.now(UTC), number)
    to = str(letter["Reply-To"])
    with smtplib.SMTP("127.0.0.1", user.server.port("SMTP"), timeout=30) as line:
        line.sendmail(user.address, [to], raw)


async def test_a_reply_to_the_plus_address_is_known_by_its_token_alone(
    found: Founded, people: dict[str, User], office: User
) -> None:
    """Delivered-To has the token, though the letter's id is lost and To is another address."""
    stage = found(places(people))
    deal(stage)
    await one_pass(stage.rig)
    letter = newest(people["alice"], 1)
    plus = str(letter["Reply-To"])
    raw = reply_to(letter, people["alice"].address, "status", datetime.now(UTC), 1, To="undisclosed@x.example")
    lines = [line for line in raw.split(b"\r\n") if not line.startswith((b"In-Reply-To", b"References"))]
    with smtplib.SMTP("127.0.0.1", office.server.port("SMTP"), timeout=30) as line:
        line.sendmail(people["alice"].address, [plus], b"\r\n".join(lines))
    await passed(stage)
    (row,) = inbox(stage)
    assert (row.verdict, row.seat) == ("answered", 0)
    assert plus.partition("@")[0].encode() in row.raw.partition(b"\n\n")[0]
    assert "+" in plus


async def test_a_mailbox_without_plus_addresses_works_by_message_id(
    found: Founded, people: dict[str, User], office: User
) -> None:
    stage = found(places(people), plus=False)
    deal(stage)
    await one_pass(stage.rig)
    letter = newest(people["alice"], 1)
    assert str(letter["Reply-To"]) == office.address
    answer(people["alice"], letter, "draw")
    await passed(stage)
    assert (inbox(stage)[0].verdict, inbox(stage)[0].seat) == ("answered", 0)
    assert 'Read as "draw" and done.' in text_of(newest(people["alice"], 2))


async def test_a_real_bounce_is_recorded_at_the_letter_that_it_names(
    found: Founded, people: dict[str, User], mail_server: MailServer
) -> None:
    nobody = f"nobody@{mail_server.domain}"
    stage = found({**places(people), "bob": nobody})
    deal(stage)
    assert (await one_pass(stage.rig)).sent == 3
    await passed(stage)
    assert [row.verdict for row in inbox(stage)] == ["bounced"]
    assert b"multipart/report" in inbox(stage)[0].raw
    assert outbox(stage, nobody)[0].status == "bounced"
    assert {outbox(stage, people[name].address)[0].status for name in ("alice", "carol")} == {"sent"}


async def test_a_real_bounce_sends_the_letter_to_the_next_address(
    found: Founded, people: dict[str, User], mail_server: MailServer
) -> None:
    nobody, bob = f"nobody@{mail_server.domain}", people["bob"]
    stage = found({**places(people), "bob": f"{nobody} {bob.address}"})
    deal(stage)
    await one_pass(stage.rig)
    assert (await passed(stage)).sent == 1
    letter = newest(bob, 1)
    assert text_of(letter) == outbox(stage, nobody)[0].text
    answer(bob, letter, "status")
    await passed(stage, 2)  # the answer comes back too, and goes on
    assert "YOUR HAND" in text_of(newest(bob, 2)), "the seat is known by that letter"


async def test_a61_one_refused_recipient_spoils_nothing(
    found: Founded, people: dict[str, User], mail_server: MailServer
) -> None:
    """Ann gets her letter once, Bob's has failed for good, Cleo's is tried again alone."""
    full, later = f"full@{mail_server.domain}", f"later@{mail_server.domain}"
    stage = found({"alice": people["alice"].address, "bob": full, "carol": later})
    deal(stage)
    one = await one_pass(stage.rig)
    assert (one.sent, one.failed) == (1, 2)
    (bob,), (carol,) = outbox(stage, full), outbox(stage, later)
    assert (bob.status, carol.status, carol.attempts) == ("failed", "queued", 1)
    assert "550" in bob.error and "450" in carol.error
    stage.rig.clock = lambda: carol.next_try_at
    one = await one_pass(stage.rig)
    assert (one.sent, one.failed) == (0, 1)
    assert outbox(stage, later)[0].attempts == 2
    newest(people["alice"], 1)
    assert len(people["alice"].mails()) == 1


async def test_a57_poison_stops_nothing(
    found: Founded, people: dict[str, User], office: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mail on which the program fails is set aside; those before and after it are dealt with, once, in one pass."""
    stage = found(places(people))
    deal(stage)
    await one_pass(stage.rig)
    handle = offices.handle

    def poisoned(*given: object, **more: object) -> str:
        if b"poison" in given[3].raw:  # type: ignore[attr-defined]
            raise RuntimeError("header access raised")
        return handle(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(offices, "handle", poisoned)
    now = datetime.now(UTC)
    for name, words in (("alice", "draw"), ("carol", "poison"), ("bob", "status")):
        letter = newest(people[name], 1)
        office.put(reply_to(letter, people[name].address, words, now, NAMES.index(name)))
    counts = [(await one_pass(stage.rig)).received for _ in range(3)]
    assert counts == [3, 0, 0]
    assert [row.verdict for row in inbox(stage)] == ["answered", "aside", "answered"]
    assert 'Read as "draw" and done.' in text_of(newest(people["alice"], 2))


async def test_a58_a_renumbered_mailbox_makes_no_move_twice_and_loses_none(
    found: Founded, people: dict[str, User], office: User
) -> None:
    stage = found(places(people))
    deal(stage)
    await one_pass(stage.rig)
    now = datetime.now(UTC)
    letters = {name: newest(people[name], 1) for name in NAMES}
    old = [reply_to(letters["carol"], people["carol"].address, "status", now, number) for number in range(8)]
    for raw in old:
        office.put(raw)
    assert (await one_pass(stage.rig)).received == 8
    with office.open() as box:  # the same mails come back under new numbers, in another order, with two new ones
        box.delete("1:*")
    new = [reply_to(letters["alice"], people["alice"].address, "draw", now, 100)]
    new += [reply_to(letters["bob"], people["bob"].address, "status", now, 101)]
    again = [*old[::-1][:2], new[0], *old[::-1][2:], new[1]]
    for raw in again:
        office.put(raw)
    await one_pass(stage.rig)
    assert [row.seat for row in inbox(stage)] == [2] * 8 + [0, 1]
    assert (await one_pass(stage.rig)).received == 0


async def test_an_outage_loses_nothing(found: Founded, people: dict[str, User], mail_server: MailServer) -> None:
    stage = found(places(people))
    deal(stage)
    with mail_server.stopped():
        one = await one_pass(stage.rig)
        assert one.unread and (one.sent, one.failed) == (0, 3)
    stage.rig.clock = lambda: max(row.next_try_at for name in NAMES for row in outbox(stage, people[name].address))
    async with asyncio.timeout(60):
        while (await one_pass(stage.rig)).unread:
            await stage.rig.transports[0].wait(1)
    for name in NAMES:
        assert len(until(people[name].mails, name)) == 1
