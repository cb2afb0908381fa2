"""Time that was lost through the server's fault is given back: it was down, or a seat's letter did not arrive."""

from datetime import timedelta
from email.message import EmailMessage

from pbem.errors import PermanentFailure, TemporaryFailure
from pbem.services import desk
from pbem.testing.stage import Stage
from tests.services.company import Company
from tests.services.hours import HOUR, due, letters_about, mail_at, orders, outbox, rule, seat_them
from tests.services.posts import shake


def sleep(stage: Stage, span: timedelta) -> None:
    """Let time pass in which no pass is made."""
    stage.now += span


def test_after_a_long_gap_open_deadlines_move_by_as_long(company: Company) -> None:
    before = due(company)
    company.stage.pass_time(10 * HOUR)
    sleep(company.stage, 5 * HOUR)
    company.stage.poll()
    assert due(company) == before + 5 * HOUR
    company.stage.poll()
    assert due(company) == before + 5 * HOUR, "once"


def test_after_a_long_gap_the_grace_is_left_at_least(company: Company) -> None:
    company.stage.pass_time(71 * HOUR)
    sleep(company.stage, 3 * HOUR)
    company.stage.poll()
    assert due(company) == company.stage.now + company.stage.config.time.grace
    assert orders(company) == []


def test_a_short_gap_moves_nothing(company: Company) -> None:
    before = due(company)
    for _ in range(20):
        sleep(company.stage, company.stage.config.time.downtime_after)
        company.stage.poll()
    assert due(company) == before


def test_by_an_hourly_poll_deadlines_fall_due(company: Company) -> None:
    for _ in range(73):
        sleep(company.stage, HOUR)
        company.stage.poll()
    assert orders(company) == ['[[0,"draw","default"]]']


def test_an_answer_that_came_while_the_house_was_down_is_not_late(company: Company) -> None:
    end = due(company)
    company.stage.pass_time(70 * HOUR)
    sleep(company.stage, 5 * HOUR)
    mail_at(company, "alice", "draw", end + HOUR)
    company.stage.poll()
    assert orders(company) == ['[[0,"draw","player"]]']


def test_time_in_which_the_post_could_not_be_read_is_given_back_though_the_house_ran(company: Company) -> None:
    before, post = due(company), shake(company.stage)
    company.stage.pass_time(10 * HOUR)
    post.down = True
    company.stage.pass_time(30 * HOUR)
    post.down = False
    company.stage.poll()
    assert due(company) == before + 30 * HOUR
    assert company.stage.poll().halted == "", "a post that is down for more than a day is no wrong clock"


def test_what_was_asked_during_the_gap_is_given_back_only_its_own_part(stage: Stage) -> None:
    stage.poll()
    sleep(stage, 4 * HOUR)
    company = seat_them(stage)
    sleep(stage, 3 * HOUR)
    stage.poll()
    assert due(company) == stage.now + 72 * HOUR
    stage.poll()
    assert due(company) == stage.now + 72 * HOUR


def test_a_sealed_answer_s_deadline_moves_with_the_others(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    before = due(company, 1)
    sleep(company.stage, 5 * HOUR)
    company.stage.poll()
    assert (due(company, 1), due(company, 2)) == (before + 5 * HOUR, before + 5 * HOUR)


def test_a_gap_in_which_a_game_was_paused_counts_up_to_the_pause(company: Company) -> None:
    stage, before = company.stage, due(company)
    stage.pass_time(10 * HOUR)
    sleep(stage, 3 * HOUR)
    rule(company, desk.pause)
    sleep(stage, 6 * HOUR)
    stage.poll()
    stage.pass_time(2 * HOUR)
    rule(company, desk.resume)
    assert due(company) == before + 3 * HOUR + 8 * HOUR


def test_a_gap_within_a_pause_adds_nothing_to_what_was_left(company: Company) -> None:
    stage = company.stage
    stage.pass_time(70 * HOUR)
    rule(company, desk.pause)
    sleep(stage, 8 * HOUR)
    stage.poll()
    rule(company, desk.resume)
    assert due(company) == stage.now + 2 * HOUR


def unreachable(company: Company, failure: Exception) -> None:
    """Let no letter to bob arrive from now on, and let alice move, so that bob is asked."""
    post = shake(company.stage)
    post.refuses["bob@example.org"] = failure
    company.write("alice", "draw")


def test_a_seat_whose_letter_still_waits_is_not_judged_and_has_its_whole_clock_once_it_went_out(stage: Stage) -> None:
    company = seat_them(stage, "5h")
    post = shake(stage)
    post.refuses["alice@example.org"] = TemporaryFailure("try again")
    stage.pass_time(20 * HOUR)
    assert orders(company) == []
    post.refuses.clear()
    stage.pass_time(4 * HOUR)
    arrived_at = min(row.sent_at for row in outbox(stage, "alice") if row.sent_at)
    assert due(company) == arrived_at + 5 * HOUR
    stage.pass_time(6 * HOUR)
    assert orders(company) == ['[[0,"draw","default"]]']


def test_a_seat_whose_letters_do_not_arrive_has_one_more_clock_s_length_and_then_the_moderators_decide(
    company: Company,
) -> None:
    stage = company.stage
    unreachable(company, PermanentFailure("no such mailbox"))
    asked_at = stage.now
    stage.pass_time(73 * HOUR)
    assert due(company, 1) == asked_at + 144 * HOUR
    stage.pass_time(100 * HOUR)
    assert len(orders(company)) == 1, "bob was asked nothing that reached him, so nothing is played for him"
    alarms = letters_about(stage, "mona", "do not arrive")
    assert len(alarms) == 2
    assert "the seat has one more clock's length." in alarms[0]
    assert "please decide: the game waits for you." in alarms[1]


def test_a_deadline_that_the_moderators_then_set_is_judged(company: Company) -> None:
    stage = company.stage
    unreachable(company, PermanentFailure("no such mailbox"))
    stage.pass_time(150 * HOUR)
    rule(company, desk.deadline, stage.now + HOUR)
    stage.pass_time(3 * HOUR)
    assert orders(company)[1:] == ['[[1,"draw","default"]]']


def test_letters_that_come_back_did_not_arrive(company: Company) -> None:
    stage = company.stage
    company.write("alice", "draw")
    asked_at, back = stage.now, set[str]()
    for _ in range(73):
        for letter in stage.mails("bob"):
            if str(letter["Message-ID"]) not in back:
                back.add(str(letter["Message-ID"]))
                stage.deliver(bounce(letter))
        stage.pass_time(HOUR)
    assert len(orders(company)) == 1
    assert due(company, 1) == asked_at + 144 * HOUR


def test_one_letter_that_arrived_is_enough(company: Company) -> None:
    company.write("alice", "draw")
    company.stage.deliver(bounce(company.newest("bob")))
    company.stage.pass_time(73 * HOUR)
    assert orders(company)[1:] == ['[[1,"draw","default"]]'], "the reminders arrived"


def bounce(letter: EmailMessage) -> bytes:
    """Write what a mail server sends when it cannot deliver a letter."""
    number = str(letter["Message-ID"]).strip("<>")
    return (
        "From: MAILER-DAEMON@example.org\nTo: games@example.org\nSubject: Undelivered Mail Returned to Sender\n"
        f"Message-ID: <bounce.{number}>\n"
        "Auto-Submitted: auto-replied\nMIME-Version: 1.0\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nIt could not be delivered.\n"
        "--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; example.org\n\n"
        f"Final-Recipient: rfc822; {letter['To']}\nAction: failed\nStatus: 5.1.1\n\n"
        "--b\nContent-Type: text/rfc822-headers\n\n"
        f"Message-ID: {letter['Message-ID']}\nSubject: {letter['Subject']}\n\n"
        "--b--\n"
    ).encode()
