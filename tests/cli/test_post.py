"""Letters and messages are listed with their fate alone, and what went wrong is done again."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from pbem.core.message import Inbound
from pbem.services.house import furnish
from pbem.store import mail
from pbem.store.tables import Outbox
from tests.cli.console import Console

STRANGE = (
    b"From: eve@example.com\nTo: games@example.org\nSubject: hello\nMessage-ID: <1@example.com>\n\nplay AW2 quietly\n"
)


def aside(cli: Console, raw: bytes, subject: str = "hello") -> int:
    """Put a message into the inbox as one that the program failed on."""
    received = datetime.now(UTC) - timedelta(hours=5)
    message = Inbound("mail", "<1@example.com>#1", "eve@example.com", (), (), subject, "", None, received, raw)
    return cli.store(
        lambda session: mail.add_message(session, message, received, verdict="aside", reasons='["failed"]')
    )


def test_letters_are_listed_without_what_they_say(cli: Console) -> None:
    cli.game()
    with cli.stage() as stage:
        stage.poll()
        stage.reply("alice", "play everything quietly")
    cli.done("poll")
    sent, came = cli.json("admin", "outbox"), cli.json("admin", "inbox")
    assert [letter["to"] for letter in sent][-3:] == ["carol@example.org", "bob@example.org", "alice@example.org"]
    assert {letter["status"] for letter in sent} == {"sent"}
    assert [(one["sender"], one["game"], one["verdict"]) for one in came] == [
        ("alice@example.org", "blame-1", "answered")
    ]
    shown = cli.done("admin", "outbox") + cli.done("admin", "inbox") + str(sent) + str(came)
    tokens = cli.store(lambda session: [row.token for row in session.exec(select(Outbox))])
    assert all(tokens)
    for secret in (*tokens, "quietly", "THE TABLE", furnish(cli.config).key.hex()):
        assert secret not in shown


def test_a_token_in_a_subject_is_blotted_out(cli: Console) -> None:
    cli.game()
    token = cli.store(lambda session: [row.token for row in session.exec(select(Outbox))])[0]
    aside(cli, STRANGE, subject=f"I answer {token.upper()}!")
    assert cli.json("admin", "inbox")[0]["subject"] == "I answer (token)!"
    assert token.upper() not in cli.done("admin", "inbox")


def test_nothing_came_and_nothing_went(cli: Console) -> None:
    assert "no letters yet" in cli.done("admin", "outbox")
    assert "no messages yet" in cli.done("admin", "inbox")


def test_only_so_many(cli: Console) -> None:
    cli.game()
    assert [letter["id"] for letter in cli.json("admin", "outbox", "--limit", "2")] == [3, 2]
    cli.refused("admin", "outbox", "--limit", "0", code=2)


def test_a_message_is_dealt_with_again_as_received_when_it_was(cli: Console) -> None:
    number = aside(cli, STRANGE)
    before = cli.json("admin", "inbox")[0]["received_at"]
    assert "held" in cli.done("admin", "inbox", "retry", str(number))
    (row,) = cli.json("admin", "inbox")
    assert (row["verdict"], row["received_at"]) == ("held", before)


def test_a_held_message_counts_once_its_sender_is_registered(cli: Console) -> None:
    number = aside(cli, STRANGE)
    cli.done("admin", "add-player", "eve", "--email", "eve@example.com")
    assert "answered" in cli.done("admin", "inbox", "retry", str(number))
    answered = cli.json("admin", "inbox")[0]["id"]
    assert "nothing is to be done again" in cli.refused("admin", "inbox", "retry", str(answered))


def test_a_letter_that_was_given_up_is_sent_again(cli: Console) -> None:
    cli.game()
    cli.store(lambda session: mail.mark_letter(session, 2, status="failed", attempts=8, error="no such box"))
    assert cli.json("admin", "outbox")[1]["error"] == "no such box"
    cli.done("admin", "outbox", "retry", "2")
    assert "sent 3 letters" in cli.done("poll")
    assert "nothing is sent twice" in cli.refused("admin", "outbox", "retry", "2")


def test_e09_a_letter_that_cannot_be_written_holds_up_no_other_and_is_told(cli: Console) -> None:
    cli.game()
    bad = sa.update(Outbox).where(sa.column("id") == 1).values(place="nowhere\nBcc: eve@example.com")
    cli.store(lambda session: session.connection().execute(bad).rowcount)
    ran = cli("poll")
    assert (ran.code, ran.err) == (1, "")
    assert "sent 3 letters, 1 letter could not be sent" in ran.out, "it goes to the address that is registered"
    assert cli.json("admin", "outbox")[-1]["status"] == "failed"
    assert "not delivered in 7 days: 1" in cli("doctor").out


@pytest.mark.parametrize("box", ["inbox", "outbox"])
def test_there_is_no_such_number(cli: Console, box: str) -> None:
    assert "there is no" in cli.refused("admin", box, "retry", "77")
    cli.refused("admin", box, "retry", "x", code=2)


def _subject(session: Session, text: str) -> None:
    session.connection().execute(sa.update(Outbox).values(subject=text))


def test_f11_a_subject_of_200_characters_survives_store_and_post(cli: Console) -> None:
    cli.game()
    subject = ("A long but legal title " * 9)[:199] + "."
    cli.store(lambda session: _subject(session, subject))
    cli.done("poll")
    with cli.stage() as stage:
        assert {str(letter["Subject"]) for letter in stage.mails()} == {subject}
    assert cli.json("admin", "outbox")[0]["subject"] == subject
