"""Each letter has one row and one recipient; one that fails holds up no other, and is never forgotten in silence."""

import pytest

from pbem.errors import PermanentFailure, TemporaryFailure
from pbem.outbox import LONGEST_WAIT, TRIES
from pbem.services import desk, envelopes
from pbem.services.house import POST
from pbem.store import mail
from pbem.store.session import transact
from pbem.store.tables import Outbox
from pbem.testing.stage import Stage
from tests.services.company import NAMES, Company, recipient
from tests.services.hours import HOUR, MINUTE, letters_about, outbox, rule
from tests.services.posts import shake


def queue(stage: Stage, *names: str) -> None:
    """Queue a letter for each of these people."""
    rows = [
        envelopes.letter_row(
            POST, f"{name}@example.org", "answer", f"key-{name}", "Hello", "Hello.", "<p>Hello.</p>", stage.now
        )
        for name in names
    ]
    transact(stage.db, lambda session: mail.add_letters(session, rows))


def fates(stage: Stage) -> dict[str, str]:
    """Give what became of the letters, by the name of the recipient."""
    return {row.place.partition("@")[0]: row.status for row in outbox(stage) if row.kind != "alarm"}


def fate(stage: Stage, name: str) -> Outbox:
    """Give the newest letter to somebody."""
    return outbox(stage, name)[-1]


def test_what_is_announced_is_one_row_for_each_recipient(company: Company) -> None:
    rule(company, desk.pause)
    rows = outbox(company.stage)[-3:]
    assert [row.place for row in rows] == [f"{name}@example.org" for name in NAMES]
    assert len({row.key for row in rows}) == 3
    company.stage.poll()
    assert [recipient(letter).partition("@")[0] for letter in company.stage.mails()[-3:]] == list(NAMES)


@pytest.mark.parametrize("error", [ValueError("a bad row"), PermanentFailure("no such box"), TemporaryFailure("later")])
def test_e09_one_bad_row_holds_up_none_of_ten_good_ones(stage: Stage, error: Exception) -> None:
    good = [f"good{number}" for number in range(10)]
    queue(stage, "bad", *good)
    post = shake(stage)
    post.refuses["bad@example.org"] = error
    assert stage.poll().failed == 1
    assert [fates(stage)[name] for name in good] == ["sent"] * 10


def test_e09_a_bad_row_is_tried_again_then_given_up_and_the_moderators_are_told(stage: Stage) -> None:
    queue(stage, "bad")
    post = shake(stage)
    post.refuses["bad@example.org"] = ValueError("hand: S1, W3")
    for _ in range(TRIES):
        assert fate(stage, "bad").status == "queued"
        stage.poll()
        stage.now += LONGEST_WAIT
    stage.poll()
    row = fate(stage, "bad")
    assert (row.status, row.attempts, row.error) == ("failed", TRIES, "ValueError"), "the text may hold cards"
    (alarm,) = letters_about(stage, "mona", "was given up")
    assert f"Letter {row.id} was given up after {TRIES} tries; see `pbem admin outbox`." in alarm
    stage.now += LONGEST_WAIT
    stage.poll()
    assert len(post.sent) == TRIES + 1


def test_what_failed_for_now_is_tried_again_later_and_later(stage: Stage) -> None:
    queue(stage, "slow")
    post = shake(stage)
    post.refuses["slow@example.org"] = TemporaryFailure("try again")
    waits = []
    for _ in range(10):
        stage.now = fate(stage, "slow").next_try_at
        stage.poll()
        waits.append((fate(stage, "slow").next_try_at - stage.now) / MINUTE)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 240, 240]
    stage.now += 239 * MINUTE
    assert stage.poll().failed == 0, "not before its time"
    post.refuses.clear()
    stage.now += MINUTE
    assert stage.poll().sent == 1
    assert (fate(stage, "slow").status, fate(stage, "slow").error) == ("sent", "")


def test_a_mail_server_that_is_away_for_a_day_loses_no_letter(stage: Stage) -> None:
    queue(stage, "alice")
    post = shake(stage)
    post.refuses["alice@example.org"] = TemporaryFailure("no route")
    stage.pass_time(24 * HOUR)
    post.refuses.clear()
    stage.pass_time(5 * HOUR)
    assert fates(stage) == {"alice": "sent"}


def test_what_never_will_work_is_given_up_at_once_and_the_moderators_are_told(stage: Stage) -> None:
    queue(stage, "nobody")
    post = shake(stage)
    post.refuses["nobody@example.org"] = PermanentFailure("no such mailbox")
    stage.poll()
    assert (fate(stage, "nobody").status, fate(stage, "nobody").error) == ("failed", "no such mailbox")
    stage.poll()
    assert len(letters_about(stage, "mona", "was given up after 1 try;")) == 1
    assert post.sent.count("key-nobody") == 1


def test_an_alarm_that_cannot_be_sent_raises_no_alarm(stage: Stage) -> None:
    post = shake(stage)
    post.refuses = {f"{name}@example.org": PermanentFailure("gone") for name in ("nobody", "mona")}
    queue(stage, "nobody")
    for _ in range(4):
        stage.poll()
    assert [row.status for row in outbox(stage)] == ["failed", "failed"]


def test_a_letter_for_a_post_that_is_not_there_is_given_up(stage: Stage) -> None:
    queue(stage, "alice")
    transact(stage.db, lambda session: mail.mark_letter(session, 1, transport="pigeon"))
    stage.poll()
    assert (fate(stage, "alice").status, fate(stage, "alice").error) == ("failed", "there is no post 'pigeon'")


def test_a_letter_sent_again_is_the_same_file_under_the_same_message_id(stage: Stage) -> None:
    queue(stage, "alice")
    stage.poll()
    (first,) = stage.mails()
    transact(stage.db, lambda session: mail.mark_letter(session, 1, status="queued"))
    stage.now += HOUR
    stage.poll()
    (again,) = stage.mails()
    assert again.as_bytes() == first.as_bytes()
    assert fate(stage, "alice").status == "sent"


def test_a_pass_sends_all_that_waits_however_much_that_is(stage: Stage) -> None:
    queue(stage, *(f"player{number}" for number in range(250)))
    assert stage.poll().sent == 250


def test_letters_go_out_in_the_order_in_which_they_were_written(stage: Stage) -> None:
    post = shake(stage)
    queue(stage, "carol", "alice", "bob")
    stage.poll()
    assert post.sent == ["key-carol", "key-alice", "key-bob"]
