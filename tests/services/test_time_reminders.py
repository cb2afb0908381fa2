"""A ladder of reminders, one letter each, for what is not answered; what was missed is sent once."""

import pytest

from pbem.services import desk
from pbem.testing.stage import Stage, open_stage, text_of
from tests.services.company import NAMES, Company
from tests.services.hours import HOUR, MINUTE, rule, seat_them
from tests.services.posts import shake

REMINDER = "A reminder: the others wait for your answer."


def reminders(company: Company, name: str) -> list[str]:
    """Give how much time each reminder to a player said was left."""
    letters = [text_of(mail) for mail in company.stage.mails(name)]
    return [text.partition("Time left: ")[2].partition(".")[0] for text in letters if REMINDER in text]


def test_a_ladder_of_reminders_goes_out_one_letter_each(company: Company) -> None:
    company.stage.pass_time(72 * HOUR)
    assert reminders(company, "alice") == ["1 day 12 hours", "1 day", "4 hours"]
    assert reminders(company, "bob") == [], "nothing is asked of bob"


def test_rungs_that_fall_together_are_one_letter(stage: Stage) -> None:
    company = seat_them(stage, "48h")
    stage.pass_time(48 * HOUR)
    assert reminders(company, "alice") == ["1 day", "4 hours"]


def test_a_reminder_names_the_deadline_in_the_player_s_own_zone(stage: Stage) -> None:
    for name, zone in zip(NAMES, ["Asia/Kolkata", "UTC", "UTC"], strict=True):
        stage.add_player(name, zone=zone)
    Company(stage, stage.new_game("blame", NAMES, seed="queen", first="alice"))
    stage.pass_time(36 * HOUR)
    letter = text_of(stage.newest("alice"))
    assert REMINDER in letter
    assert "Until: Thu 5 March 2026, 17:30 Asia/Kolkata (UTC+5:30)." in letter


def test_what_was_answered_is_not_reminded_of(company: Company) -> None:
    company.stage.pass_time(35 * HOUR)
    company.write("alice", "draw")
    company.stage.pass_time(2 * HOUR)
    assert reminders(company, "alice") == []


def test_a_sealed_answer_is_not_reminded_of(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    company.stage.pass_time(70 * HOUR)
    assert reminders(company, "bob") == []
    assert len(reminders(company, "carol")) == 3


def test_a_reminder_is_sent_once_however_often_one_looks(company: Company) -> None:
    company.stage.pass_time(36 * HOUR)
    for _ in range(5):
        company.stage.now += MINUTE
        company.stage.poll()
    assert len(reminders(company, "alice")) == 1


def test_reminders_may_be_left_out(stage: Stage) -> None:
    (folder := stage.config.folder / "quiet").mkdir()
    quiet = open_stage(folder, time={"reminders": []})
    company = Company.deal(quiet)
    quiet.pass_time(71 * HOUR)
    assert reminders(company, "alice") == []
    quiet.close()


def test_a_paused_game_reminds_nobody_and_the_ladder_goes_on_where_it_stood(company: Company) -> None:
    stage = company.stage
    stage.pass_time(40 * HOUR)
    rule(company, desk.pause)
    stage.pass_time(100 * HOUR)
    assert reminders(company, "alice") == ["1 day 12 hours"]
    rule(company, desk.resume)
    stage.pass_time(31 * HOUR)
    assert reminders(company, "alice") == ["1 day 12 hours", "1 day", "4 hours"], "none of them a second time"


def test_d02_after_a_stop_of_eight_hours_one_pass_makes_up_for_all(company: Company) -> None:
    company.stage.pass_time(35 * HOUR)
    company.stage.now += 8 * HOUR
    for _ in range(3):
        company.stage.poll()
    assert reminders(company, "alice") == [], "the clock stood still: its ladder moved by as long"
    company.stage.pass_time(HOUR)
    assert reminders(company, "alice") == ["1 day 12 hours"]


def test_d02_two_reminders_that_fell_into_a_short_gap_are_one(stage: Stage) -> None:
    company = seat_them(stage, "49h")
    stage.pass_time(24 * HOUR)
    stage.now += HOUR + 30 * MINUTE  # half of 49 h and 24 h before its end both lie in here
    stage.poll()
    stage.poll()
    assert reminders(company, "alice") == ["23 hours 30 minutes"]


def test_d07_after_a_long_stop_no_flood_of_old_reminders_goes_out(stage: Stage) -> None:
    for name in NAMES:
        stage.add_player(name)
    company = Company(stage, "blame-1")
    for number in range(30):
        stage.new_game("blame", NAMES, seed=f"seed {number}", first="alice", clocks=[f"{3 + 5 * number}h"])
    stage.poll()
    before = len(stage.mails())
    post = shake(stage)
    post.down = True
    stage.pass_time(20 * HOUR)
    post.down = False
    for _ in range(3):
        stage.poll()
    late = [text_of(mail) for mail in stage.mails()[before:] if REMINDER in text_of(mail)]
    assert len(late) <= 30, "at most one for each question"
    assert all("Time left: less" not in letter for letter in late)
    assert company.sitting.seats[0].defaults == 0


@pytest.mark.parametrize("hours", [1, 2])
def test_by_an_hourly_poll_each_reminder_goes_out_within_the_hour(company: Company, hours: int) -> None:
    for _ in range(0, 72, hours):
        company.stage.now += hours * HOUR
        company.stage.poll()
    assert reminders(company, "alice") == ["1 day 12 hours", "1 day", "4 hours"]
