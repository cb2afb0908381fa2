"""A letter that came back: that seat's clock stands still, the moderators hear, the next address is tried."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from pbem.errors import PermanentFailure
from pbem.services import desk, people
from pbem.store.session import transact
from pbem.testing.stage import Stage, text_of
from tests.services.company import Company
from tests.services.hours import HOUR, due, letters_about, orders, outbox, rule
from tests.services.posts import shake
from tests.services.test_time_lost import bounce

HOME, WORK, PHONE = "bob@example.org", "bob@work.example", "bob@phone.example"
CLOCK = timedelta(hours=72)


@pytest.fixture
def company(company: Company) -> Company:
    """Let bob have three addresses, and ask him something."""
    edit(company.stage, add=[WORK, PHONE])
    company.write("alice", "draw")
    return company


def edit(stage: Stage, add: Sequence[str] = (), remove: Sequence[str] = ()) -> None:
    """Change bob's addresses."""
    transact(
        stage.db, lambda session: people.edit_player(session, stage.house, stage.now, "bob", add=add, remove=remove)
    )


def come_back(company: Company, place: str) -> None:
    """Let the newest letter to an address come back."""
    company.deliver(bounce(company.stage.mails(place)[-1]))


def asked_at(company: Company) -> datetime:
    """Give when bob was asked."""
    return company.sitting.prompts[1].asked_at


def test_the_same_letter_goes_to_the_next_address_and_can_be_answered_there(company: Company) -> None:
    lost = company.stage.mails(HOME)[-1]
    come_back(company, HOME)
    (found,) = company.stage.mails(WORK)
    assert text_of(found) == text_of(lost)
    assert found["Message-ID"] != lost["Message-ID"]
    assert found["Reply-To"] == lost["Reply-To"]
    company.write("bob", "draw", to=found, sender=WORK)
    assert orders(company)[1:] == ['[[1,"draw","player"]]']


def test_the_moderators_are_told_once_a_day_for_an_address(company: Company) -> None:
    stage = company.stage
    come_back(company, HOME)
    (told,) = letters_about(stage, "mona", "came back")
    assert "to bob came back; it goes to the next address that is registered." in told
    assert HOME not in told
    stage.pass_time(37 * HOUR)  # a reminder, on the next day
    come_back(company, HOME)
    assert len(letters_about(stage, "mona", "came back")) == 2
    rule(company, desk.deadline, stage.now + CLOCK)
    stage.poll()
    come_back(company, HOME)
    assert len(letters_about(stage, "mona", "came back")) == 2
    assert len(stage.mails(WORK)) == 3, "every letter goes on all the same"


def test_a_report_that_comes_twice_sends_one_letter(company: Company) -> None:
    lost = company.stage.mails(HOME)[-1]
    company.deliver(bounce(lost), bounce(lost).replace(b"<bounce.", b"<again."))
    assert len(company.stage.mails(WORK)) == 1


def test_the_clock_begins_anew_when_the_letter_goes_to_another_address(company: Company) -> None:
    since = asked_at(company)
    company.stage.now += HOUR
    come_back(company, HOME)
    assert due(company, 1) == company.stage.now + CLOCK
    company.stage.pass_time(30 * HOUR)
    come_back(company, WORK)
    assert (asked_at(company), due(company, 1)) == (since, company.stage.now + CLOCK)


def test_no_more_than_one_more_clock_s_length_is_given_and_then_the_moderators_decide(company: Company) -> None:
    stage, since = company.stage, asked_at(company)
    letters = [stage.mails(HOME)[-1]]
    for place, wait in ((WORK, 35), (PHONE, 71)):
        stage.pass_time(wait * HOUR)
        company.deliver(*map(bounce, letters), *map(bounce, stage.mails(HOME)[2:]))
        letters = stage.mails(place)
    assert due(company, 1) == since + 2 * CLOCK
    lost = [letter for place in (HOME, WORK, PHONE) for letter in stage.mails(place)]
    company.deliver(*map(bounce, lost))
    for _ in range(60):
        stage.pass_time(HOUR)
        company.deliver(*(bounce(one) for place in (HOME, WORK, PHONE) for one in stage.mails(place)))
    assert len(orders(company)) == 1, "nothing is played for who was asked nothing"
    assert letters_about(stage, "mona", "please decide: the game waits for you.")
    rule(company, desk.deadline, stage.now + HOUR)
    stage.pass_time(3 * HOUR)
    assert orders(company)[1:] == ['[[1,"draw","default"]]']


def test_what_reached_another_address_is_judged(company: Company) -> None:
    come_back(company, HOME)
    company.stage.pass_time(74 * HOUR)
    assert orders(company)[1:] == ['[[1,"draw","default"]]']


def test_a_clock_that_one_letter_has_reached_goes_on(company: Company) -> None:
    stage, before = company.stage, due(company, 1)
    stage.pass_time(37 * HOUR)
    stage.deliver(bounce(stage.mails(HOME)[-2]))
    stage.poll()
    assert due(company, 1) == before, "the reminder arrived"
    assert len(stage.mails(WORK)) == 1


def test_after_the_last_address_nothing_is_tried(company: Company) -> None:
    for place in (HOME, WORK, PHONE):
        come_back(company, place)
    assert [row.status for row in outbox(company.stage) if row.place == PHONE] == ["bounced"]
    told = letters_about(company.stage, "mona", "came back")
    assert len(told) == 3
    assert "see `pbem admin outbox`" in told[-1]


def test_a_letter_that_the_mail_server_refuses_for_good_goes_to_the_next_address_too(company: Company) -> None:
    stage = company.stage
    post = shake(stage)
    post.refuses[HOME] = PermanentFailure("no such mailbox")
    company.write("carol", "say hello")
    stage.poll()
    assert "hello" in text_of(stage.mails(WORK)[-1])
    assert "was given up after 1 try; it goes to the next address" in letters_about(stage, "mona", "given up")[0]


def test_an_address_that_was_taken_away_meanwhile_gives_way_to_the_first(company: Company) -> None:
    stage = company.stage
    edit(stage, remove=[HOME, WORK])
    come_back(company, HOME)
    assert len(stage.mails(PHONE)) == 1
