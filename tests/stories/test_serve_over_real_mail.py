"""Serve over real servers: what comes is answered at once, though the tick is an hour; a stop is quick."""

import asyncio
import signal
import smtplib
from datetime import UTC, datetime

import pytest

from pbem.testing.stage import reply_to, text_of
from tests.cli.console import PATIENCE, Console, wait_for
from tests.real.servers import MailServer, User, until

CONFIG = """
[office]
address = "{office.address}"
[time]
tick = "1h"
[mail]
transport = "imap"
[mail.imap]
host = "localhost"
port = {imap}
user = "{office.address}"
password_file = "password"
ca_file = "{ca_file}"
[mail.smtp]
host = "localhost"
port = {smtp}
user = "{office.address}"
ca_file = "{ca_file}"
"""


@pytest.fixture
def served(cli: Console, mail_server: MailServer, office: User, monkeypatch: pytest.MonkeyPatch) -> Console:
    """Give a house whose office is a real mailbox; one password is in a file, the other in the environment."""
    imap, smtp = mail_server.port("IMAPS"), mail_server.port("SUBMISSION")
    text = CONFIG.format(office=office, imap=imap, smtp=smtp, ca_file=mail_server.ca_file)
    (cli.folder / "config.toml").write_text(text)
    (cli.folder / "password").write_text(f"{office.password}\n")
    (cli.folder / "password").chmod(0o600)
    monkeypatch.setenv("PBEM_MAIL__SMTP__PASSWORD", office.password)
    return cli


def game(cli: Console, mail_server: MailServer) -> User:
    """Deal a game, and give the mailbox of alice, whose turn it is."""
    users = [mail_server.user() for _ in range(3)]
    for name, user in zip(("alice", "bob", "carol"), users, strict=True):
        cli.done("admin", "add-player", name, "--email", user.address)
    cli.done("admin", "new-game", "blame", "--players", "alice,bob,carol", "--seed", "x", "--option", "first=alice")
    return users[0]


def test_an_answer_comes_long_before_the_next_tick(served: Console, mail_server: MailServer) -> None:
    alice = game(served, mail_server)
    with served.serving() as process:
        (letter,) = until(alice.mails, "the first letter")
        raw = reply_to(letter, alice.address, "draw", datetime.now(UTC), 1)
        with smtplib.SMTP("127.0.0.1", mail_server.port("SMTP"), timeout=PATIENCE) as line:
            line.sendmail(alice.address, [str(letter["Reply-To"])], raw)
        answer = until(lambda: alice.mails()[1:], "the answer")[0]
        assert 'Read as "draw" and done.' in text_of(answer)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "Traceback" not in said


def test_servers_that_go_and_come_back_while_serving(served: Console, mail_server: MailServer) -> None:
    alice = game(served, mail_server)
    with served.serving() as process:
        (letter,) = until(alice.mails, "the first letter")
        with mail_server.stopped("dovecot"):
            wait_for(process, "a post was not read to its end")
        raw = reply_to(letter, alice.address, "status", datetime.now(UTC), 1)
        with smtplib.SMTP("127.0.0.1", mail_server.port("SMTP"), timeout=PATIENCE) as line:
            line.sendmail(alice.address, [str(letter["Reply-To"])], raw)
        until(lambda: alice.mails()[1:], "the answer", 90)


def test_the_doctor_tries_both_servers(served: Console, office: User) -> None:
    said = served.done("doctor")
    assert "imap" in said and "smtp" in said and "inbox" not in said
    assert "plus addresses arrive" in served.done("doctor", "--letter")
    assert office.mails() == []
    (served.folder / "password").write_text("wrong")
    ran = served("doctor")
    assert ran.code == 1
    assert "refuses the login" in ran.out and office.password not in ran.out + ran.err


async def test_a_poll_lets_go_of_its_connections(served: Console, mail_server: MailServer) -> None:
    alice = game(served, mail_server)
    assert await asyncio.to_thread(served.done, "poll") == "read 0 messages, sent 3 letters\n"
    await asyncio.to_thread(until, alice.mails, "the letter")


def test_nothing_is_delivered_into_a_folder_that_nobody_reads(served: Console, office: User) -> None:
    assert f"send it to {office.address}" in served.refused("deliver")
