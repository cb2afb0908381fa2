"""A clock that went back, or far ahead, judges nothing until an operator says that it is right."""

from datetime import UTC, datetime, timedelta

import pytest

from pbem.errors import TemporaryFailure
from pbem.services import desk, instance
from pbem.testing.stage import Stage
from tests.services.company import Company
from tests.services.hours import DAY, HOUR, MINUTE, due, letters_about, orders, outbox, rule, seat_them, told
from tests.services.posts import shake

WRONG = pytest.mark.parametrize(
    "wrong", [datetime(1970, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)], ids=["1970", "2031"]
)


def confirm(stage: Stage) -> list[str]:
    """Say that the clock is right, as `pbem admin confirm` does."""
    return instance.confirm(stage.db, stage.house, stage.now)


@WRONG
def test_d09_a_wrong_clock_judges_nothing_and_reminds_nobody(company: Company, wrong: datetime) -> None:
    stage = company.stage
    stage.now = wrong
    for _ in range(5):
        assert "clock" in stage.poll().halted
        stage.now += DAY
    assert orders(company) == []
    assert letters_about(stage, "alice", "A reminder") == []


@WRONG
def test_d09_the_moderators_are_told_once(company: Company, wrong: datetime) -> None:
    stage = company.stage
    stage.now = wrong
    for _ in range(3):
        stage.poll()
        stage.now += HOUR
    (alarm,) = letters_about(stage, "mona", "No deadline is judged until `pbem admin confirm`")
    assert "clock" in alarm


@WRONG
def test_d09_once_the_clock_is_right_and_confirmed_nobody_has_forfeited(company: Company, wrong: datetime) -> None:
    stage, before, real = company.stage, due(company), company.stage.now
    stage.now = wrong
    stage.poll()
    stage.now = real + HOUR
    assert stage.poll().halted, "it stays halted until somebody says so"
    assert "was halted: clock" in confirm(stage)[0]
    assert stage.poll().halted == ""
    assert due(company) == before + HOUR, "the hour in which nothing was judged is given back"
    stage.pass_time(73 * HOUR)
    assert orders(company) == ['[[0,"draw","default"]]']


@WRONG
def test_d09_a_move_is_taken_whatever_the_clock_says(company: Company, wrong: datetime) -> None:
    company.stage.now = wrong
    company.write("alice", "draw")
    assert orders(company) == ['[[0,"draw","player"]]']
    assert 'Read as "draw" and done.' in told(company, "alice")


@WRONG
def test_what_was_asked_under_a_wrong_clock_is_put_right(company: Company, wrong: datetime) -> None:
    stage, real = company.stage, company.stage.now
    stage.now = wrong
    company.write("alice", "draw")
    stage.now = real + 10 * MINUTE
    confirm(stage)
    assert abs(due(company, 1) - (stage.now + 72 * HOUR)) <= 10 * MINUTE
    stage.pass_time(37 * HOUR)
    assert len(letters_about(stage, "bob", "A reminder")) == 1


def test_what_was_asked_under_a_wrong_clock_and_paused_is_put_right(company: Company) -> None:
    stage, real = company.stage, company.stage.now
    stage.now = datetime(2031, 1, 1, tzinfo=UTC)
    company.write("alice", "draw")
    stage.now += HOUR
    rule(company, desk.pause)
    stage.now = real + HOUR
    confirm(stage)
    stage.now += DAY
    rule(company, desk.resume)
    assert due(company, 1) <= stage.now + 72 * HOUR
    assert due(company, 1) > stage.now + 70 * HOUR


def test_a_letter_whose_next_try_a_wrong_clock_put_far_ahead_is_tried_at_once(company: Company) -> None:
    stage = company.stage
    post = shake(stage)
    post.refuses["bob@example.org"] = TemporaryFailure("try again")
    real, stage.now = stage.now, stage.now + 2000 * DAY
    company.write("alice", "draw")
    post.refuses.clear()
    stage.now = real + HOUR
    stage.poll()
    confirm(stage)
    stage.poll()
    assert {row.status for row in outbox(stage)} == {"sent"}


def test_a_clock_that_is_a_little_off_is_no_matter(company: Company) -> None:
    stage = company.stage
    for seconds in (-20, 40, -30, 60 * 60, 23 * 60 * 60):
        stage.now += timedelta(seconds=seconds)
        assert stage.poll().halted == ""


def test_more_than_a_day_after_the_last_pass_somebody_must_say_that_it_was_a_stop(company: Company) -> None:
    stage, before = company.stage, due(company)
    stage.now += 5 * DAY
    assert "the last tick was 5 days ago" in stage.poll().halted
    confirm(stage)
    assert due(company) == before + 5 * DAY, "all of the stop is given back"


def test_a_deadline_that_the_host_set_far_ahead_stays_as_far_ahead(company: Company) -> None:
    stage = company.stage
    rule(company, desk.deadline, stage.now + 30 * DAY)
    stage.now -= HOUR
    stage.poll()
    confirm(stage)
    assert due(company) == stage.now + 30 * DAY


def test_after_confirm_every_deadline_lies_ahead_by_the_grace_at_least(stage: Stage) -> None:
    company = seat_them(stage, "1h")
    stage.poll()
    stage.now -= 2 * HOUR
    stage.poll()
    confirm(stage)
    assert due(company) >= stage.now + stage.config.time.clock / 72
    assert orders(company) == []


def test_who_confirms_when_nothing_is_amiss_is_told_so(company: Company) -> None:
    assert confirm(company.stage) == ["was not halted"]
    assert company.stage.poll().halted == ""
