"""Test the way out against a real Postfix, and against small servers that say what Postfix never would."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiosmtpd.smtp import SMTP as Server_
from aiosmtpd.smtp import Envelope, Session

from pbem.core.message import Address, Outbound
from pbem.errors import PermanentFailure, TemporaryFailure, TransportFailure
from pbem.transports.mail import Mail
from pbem.transports.server import Server
from pbem.transports.smtp import Submission
from tests.cases import LETTER
from tests.real.relay import relayed, settle
from tests.real.servers import MailServer, User, until


def to(place: str, **other: str) -> Outbound:
    return replace(LETTER, to=Address("mail", place), **other)  # type: ignore[arg-type]


@pytest.fixture
async def post(mail_server: MailServer, office: User) -> AsyncIterator[Mail]:
    post = mail_server.post(office)
    yield post
    await post.close()


async def refusal(post: Mail, place: str, kind: type[TransportFailure]) -> str:
    with pytest.raises(kind) as caught:
        await post.send(to(place))
    return str(caught.value)


async def test_a_letter_arrives_whole(post: Mail, office: User, alice: User) -> None:
    await post.send(to(alice.address, subject="[blame-7] Deine Züge: ♠", text=f"{LETTER.text}\n.\n..dots\n\täöü ♥\n"))
    (mail,) = until(alice.mails, "the letter")
    assert str(mail["Subject"]) == "[blame-7] Deine Züge: ♠"
    assert mail["Message-ID"] == f"<g7a4k7q2.3f2a@{office.server.domain}>"
    assert mail["Return-Path"] == f"<{office.address}>"
    text = mail.get_body(("plain",))
    assert text is not None
    assert text.get_content().replace("\r", "").endswith("\n.\n..dots\n\täöü ♥\n")


async def test_lines_that_begin_with_a_dot_stay_as_they_are(mail_server: MailServer, office: User, alice: User) -> None:
    submission = Submission(mail_server.account(office, "mail.smtp"), "x.example")
    raw = b"Subject: dots\r\n\r\n.\r\n..\r\n.a\r\n\r\nend\r\n.\r\n"
    await submission.send(office.address, alice.address, raw)
    await submission.close()
    (mail,) = until(alice.mails, "the letter")
    assert mail.get_content().replace("\r", "") == ".\n..\n.a\n\nend\n.\n"


@pytest.mark.parametrize(("name", "tls"), [("SUBMISSION", "starttls"), ("SUBMISSIONS", "tls")])
async def test_one_connection_is_kept_for_many_letters(
    mail_server: MailServer, office: User, alice: User, name: str, tls: str
) -> None:
    async with relayed(mail_server.port(name)) as relay:
        post = mail_server.post(office, smtp=mail_server.account(office, "mail.smtp", relay.port, tls=tls))
        await asyncio.gather(*(post.send(to(alice.address, key=f"k{number}")) for number in range(5)))
        assert relay.connections == 1
        relay.break_off()  # as a server does with a connection that was idle
        await post.send(to(alice.address, key="k5"))
        assert relay.connections == 2
        await post.close()
    await asyncio.to_thread(until, lambda: len(alice.mails()) == 6, "six letters")


async def test_a61_a_refused_recipient_spoils_nothing(post: Mail, alice: User) -> None:
    domain = alice.server.domain
    assert "550 5.2.2" in await refusal(post, f"full@{domain}", PermanentFailure)
    assert "450 4.2.1" in await refusal(post, f"later@{domain}", TemporaryFailure)
    await post.send(to(alice.address))
    assert await refusal(post, "ann@elsewhere.example", PermanentFailure)
    await post.send(to(alice.address, key="again"))
    assert len(await asyncio.to_thread(until, lambda: alice.mails()[1:], "two letters")) == 1


async def test_a_connection_closed_in_mid_letter(mail_server: MailServer, office: User, alice: User) -> None:
    """The letter goes out again later, under the same id; the first half never arrives."""
    letter = to(alice.address, text="a long line of a long letter\n" * 20_000)
    async with relayed(mail_server.port("SUBMISSION"), limit=100_000) as relay:
        post = mail_server.post(office, smtp=mail_server.account(office, "mail.smtp", relay.port))
        with pytest.raises(TemporaryFailure, match="broke off"):
            await post.send(letter)
        relay.limit = None
        await post.send(letter)
        await post.close()
    (mail,) = await asyncio.to_thread(until, alice.mails, "the letter")
    assert mail["Message-ID"] == f"<g7a4k7q2.3f2a@{office.server.domain}>"


async def test_a_server_that_hangs_is_given_up_in_time(mail_server: MailServer, office: User, alice: User) -> None:
    async with relayed(mail_server.port("SUBMISSION")) as relay:
        smtp = mail_server.account(office, "mail.smtp", relay.port)
        post = mail_server.post(office, smtp=smtp, timeout=2, first_wait=60)
        await post.send(to(alice.address))
        relay.fall_silent()
        async with asyncio.timeout(20):
            assert "did not answer" in await refusal(post, alice.address, TemporaryFailure)
            assert "does not answer" in await refusal(post, alice.address, TemporaryFailure)
            tried = relay.connections
            assert "does not answer" in await refusal(post, alice.address, TemporaryFailure)
            assert relay.connections == tried  # it is not tried again at once for every letter
            await post.close()


async def test_a_server_that_is_gone_and_back(mail_server: MailServer, office: User, alice: User) -> None:
    post = mail_server.post(office, first_wait=0)
    await post.send(to(alice.address))
    with mail_server.stopped("postfix"):
        for _ in range(2):
            with pytest.raises(TemporaryFailure):
                await post.send(to(alice.address, key="second"))
    await post.send(to(alice.address, key="second"))
    await post.close()
    wanted = {f"<g7a4k7q2.{key}@{office.server.domain}>" for key in ("3f2a", "second")}
    await asyncio.to_thread(until, lambda: {mail["Message-ID"] for mail in alice.mails()} == wanted, "both letters")


async def test_a_wrong_password_is_said_and_never_shown(mail_server: MailServer, office: User, alice: User) -> None:
    smtp = mail_server.account(office, "mail.smtp", password="hunter2hunter2")
    post = mail_server.post(office, smtp=smtp)
    told = await refusal(post, alice.address, TemporaryFailure)
    assert f"refuses the login of {office.address}" in told
    assert "[mail.smtp]" in told
    assert "hunter2" not in told + repr(smtp) + repr(post.__dict__)
    await post.close()


async def test_a_certificate_that_nobody_vouches_for(mail_server: MailServer, office: User, alice: User) -> None:
    for name, tls in (("SUBMISSION", "starttls"), ("SUBMISSIONS", "tls")):
        smtp = mail_server.account(office, "mail.smtp", mail_server.port(name), tls=tls, ca_file=None)
        post = mail_server.post(office, smtp=smtp)
        told = await refusal(post, alice.address, TemporaryFailure)
        assert "certificate" in told and "ca_file in [mail.smtp]" in told
        await post.close()


async def test_a_ca_file_that_is_none(mail_server: MailServer, office: User, alice: User) -> None:
    smtp = mail_server.account(office, "mail.smtp", ca_file=mail_server.ca_file.with_name("none.pem"))
    assert "ca_file" in await refusal(mail_server.post(office, smtp=smtp), alice.address, TemporaryFailure)


class Inbox:
    """Take letters, or refuse them in a word."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.taken: list[Envelope] = []

    async def handle_DATA(self, server: Server_, session: Session, envelope: Envelope) -> str:
        self.taken.append(envelope)
        return self.answer


@asynccontextmanager
async def small_server(answer: str = "250 taken", *, utf8: bool = False) -> AsyncIterator[tuple[Inbox, Server]]:
    """Run a mail server in this process; it knows neither TLS nor logins."""
    inbox = Inbox(answer)
    server = await asyncio.get_running_loop().create_server(
        lambda: Server_(inbox, hostname="localhost", enable_SMTPUTF8=utf8), "127.0.0.1", 0
    )
    try:
        yield inbox, Server("mail.smtp", "127.0.0.1", server.sockets[0].getsockname()[1], "", "", "none")
    finally:
        server.close()
        await server.wait_closed()
        await settle()


async def test_an_address_beyond_ascii() -> None:
    for wide in (True, False):
        async with small_server(utf8=wide) as (inbox, server):
            submission = Submission(server, "x.example")
            sending = submission.send("office@x.example", "jürgen@bücher.example", "To: jürgen\r\n\r\nü\r\n".encode())
            if wide:
                await sending
                assert inbox.taken[0].rcpt_tos == ["jürgen@bücher.example"]
            else:
                with pytest.raises(PermanentFailure, match="beyond ASCII"):
                    await sending
                await submission.send("office@x.example", "ann@x.example", b"Subject: x\r\n\r\n")
            await submission.close()


@pytest.mark.parametrize(
    ("answer", "kind"), [("554 no \x1b[31mspam\x07 here", PermanentFailure), ("451 greylisted", TemporaryFailure)]
)
async def test_what_a_server_says_of_the_letter_itself(answer: str, kind: type[TransportFailure]) -> None:
    async with small_server(answer) as (_, server):
        submission = Submission(server, "x.example")
        with pytest.raises(kind) as caught:
            await submission.send("office@x.example", "ann@x.example", b"Subject: x\r\n\r\n")
        assert answer[:3] in str(caught.value) and str(caught.value).isprintable()
        await submission.close()


async def test_a_letter_that_cannot_be_written_is_permanent(post: Mail, alice: User) -> None:
    with pytest.raises(PermanentFailure, match="control character"):
        await post.send(to(alice.address, subject="a\nb"))


def test_a_password_in_a_servers_mouth_is_blotted_out() -> None:
    server = Server("mail.smtp", "localhost", 25, "ann", "hunter2", "none")
    assert server.words(b"bad password \x1b[1mhunter2\r\n for ann") == "bad password [1m*** for ann"
    assert server.context().verify_mode == ssl.CERT_REQUIRED
