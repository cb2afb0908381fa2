"""When time runs out the game answers; whoever answered in time is never told otherwise."""

from typing import Any

import pytest

from pbem.errors import Conflict
from pbem.services import office, sittings
from pbem.services.sittings import Sitting
from pbem.testing.stage import Stage, text_of
from tests.services.company import NAMES, Company
from tests.services.hours import HOUR, MINUTE, SECOND, due, letters_about, mail_at, orders, seat_them, told
from tests.services.posts import shake

RAN_OUT = "Time ran out for {}, and the game answered instead."


def test_every_prompt_has_a_deadline_by_the_game_s_clock(stage: Stage) -> None:
    company = seat_them(stage, "48h", "bury=6h")
    stage.poll()
    assert due(company) == stage.now + 48 * HOUR
    stage.now += HOUR
    company.blame_alice()
    assert [due(company, seat) for seat in (1, 2)] == [stage.now + 6 * HOUR] * 2


def test_without_a_clock_of_its_own_a_game_has_the_house_s(company: Company) -> None:
    assert due(company) == company.stage.now + company.stage.config.time.clock


def test_when_time_runs_out_the_default_is_played_and_everybody_is_told(company: Company) -> None:
    company.stage.pass_time(73 * HOUR)
    assert orders(company) == ['[[0,"draw","default"]]']
    assert (company.sitting.seats[0].missed, company.sitting.seats[0].defaults) == (1, 1)
    for name in NAMES:
        assert RAN_OUT.format("alice") in told(company, name)
    assert company.sitting.prompts[1].deadline_at == company.stage.now + 72 * HOUR, "the game goes on"


def test_before_its_deadline_nothing_is_played(company: Company) -> None:
    company.stage.pass_time(72 * HOUR)
    assert orders(company) == []


def test_who_answers_has_missed_nothing_in_a_row(company: Company) -> None:
    company.stage.pass_time(73 * HOUR)
    company.write("bob", "draw")
    company.write("carol", "draw")
    company.write("alice", "draw")
    assert (company.sitting.seats[0].missed, company.sitting.seats[0].defaults) == (0, 1)


def test_three_in_a_row_are_told_to_the_moderators_once(company: Company) -> None:
    for turn in range(4):
        assert len(letters_about(company.stage, "mona", "deadlines in a row")) == (turn == 3)
        company.stage.pass_time(74 * HOUR)
        for name in ("bob", "carol"):
            assert company.write(name, "draw").to(name)
    (alarm,) = letters_about(company.stage, "mona", "deadlines in a row")
    assert "alice has missed 3 deadlines in a row in blame-1." in alarm
    assert company.sitting.seats[0].missed == 4


def test_c13_of_two_who_are_asked_at_once_both_default_and_the_phase_settles_once(company: Company) -> None:
    company.blame_alice()
    company.stage.pass_time(74 * HOUR)
    assert orders(company)[1:] == ['[[1,"pass","default"],[2,"pass","default"]]']
    assert [seat.defaults for seat in company.sitting.seats] == [0, 1, 1]


def test_c13_who_answered_in_time_is_not_touched(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    company.stage.pass_time(74 * HOUR)
    assert orders(company)[1:] == ['[[1,"bury W1","player"],[2,"pass","default"]]']
    assert [seat.defaults for seat in company.sitting.seats] == [0, 0, 1]
    assert RAN_OUT.format("bob") not in told(company, "alice")
    assert RAN_OUT.format("carol") in told(company, "alice")


def test_d01_what_fell_due_while_the_machine_slept_is_judged_once_when_it_wakes(company: Company) -> None:
    company.stage.pass_time(71 * HOUR)
    company.stage.now += HOUR + 90 * SECOND
    for _ in range(3):
        company.stage.poll()
    assert orders(company) == ['[[0,"draw","default"]]']


def test_d12_a_mail_received_before_the_deadline_counts_however_late_it_is_read(company: Company) -> None:
    end = due(company)
    company.stage.pass_time(71 * HOUR)
    mail_at(company, "alice", "draw", end - 2 * SECOND)
    company.stage.now = end + 3 * MINUTE
    company.stage.poll()
    assert orders(company) == ['[[0,"draw","player"]]']
    assert 'Read as "draw" and done.' in told(company, "alice")
    assert company.sitting.seats[0].missed == 0


def test_d12_a_mail_received_after_the_deadline_is_late_whatever_its_date_says(company: Company) -> None:
    end = due(company)
    company.stage.pass_time(71 * HOUR)
    mail_at(company, "alice", "play G1 GS2 S1 accuse bob", end + 5 * SECOND, date="Thu, 05 Mar 2026 11:55:00 +0000")
    company.stage.now = end + 3 * MINUTE
    post = company.poll()
    assert orders(company) == ['[[0,"draw","default"]]']
    assert "after the deadline had passed" in " ".join(text_of(post.to("alice")[0]).split())


def test_d12_late_is_late_before_the_deadline_is_judged_too(company: Company) -> None:
    end = due(company)
    company.stage.pass_time(71 * HOUR)
    company.stage.now = end + 10 * SECOND
    company.write("alice", "play G1 GS2 S1 accuse bob")
    assert orders(company) == []
    assert "after the deadline had passed" in told(company, "alice")


def test_d12_a_mail_that_comes_while_the_post_is_being_read_is_waited_for(company: Company) -> None:
    stage, end = company.stage, due(company)
    stage.pass_time(71 * HOUR)
    stage.now = end - 5 * SECOND
    post = shake(stage)

    def meanwhile() -> None:
        mail_at(company, "alice", "draw", end - SECOND)
        stage.now = end + 5 * MINUTE

    post.meanwhile = meanwhile
    stage.poll()
    assert orders(company) == [], "what came after reading began is not known yet"
    post.meanwhile = lambda: None
    stage.poll()
    assert orders(company) == ['[[0,"draw","player"]]']


def test_d12_a_mail_may_show_up_a_moment_after_it_was_received(company: Company) -> None:
    end = due(company)
    company.stage.pass_time(71 * HOUR)
    company.stage.now = end + SECOND
    company.stage.poll()
    mail_at(company, "alice", "draw", end - SECOND)
    company.stage.now = end + 30 * SECOND
    company.stage.poll()
    assert orders(company) == ['[[0,"draw","player"]]']


def test_while_the_post_cannot_be_read_nobody_is_timed_out_or_reminded(company: Company) -> None:
    post = shake(company.stage)
    letters = len(company.stage.mails())
    post.down = True
    company.stage.pass_time(100 * HOUR)
    assert orders(company) == []
    assert len(company.stage.mails()) == letters


def test_a_post_that_breaks_off_was_not_read_to_its_end(company: Company) -> None:
    stage, end = company.stage, due(company)
    post = shake(stage)
    stage.pass_time(71 * HOUR)
    mail_at(company, "bob", "hello", end - 3 * SECOND)
    mail_at(company, "alice", "draw", end - 2 * SECOND)
    stage.now, post.breaks_after = end + 2 * MINUTE, 1
    assert stage.poll().unread == "the connection broke"
    assert orders(company) == []
    post.breaks_after = None
    stage.poll()
    assert orders(company) == ['[[0,"draw","player"]]']


def test_a_message_that_met_a_conflict_is_not_read_yet_so_nobody_is_timed_out(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, end = company.stage, due(company)
    stage.pass_time(71 * HOUR)
    mail_at(company, "alice", "draw", end - 2 * SECOND)
    stage.now = end + 2 * MINUTE
    with monkeypatch.context() as patch:

        def busy(*_: object) -> str:
            raise Conflict("the database is busy, try again")

        patch.setattr(office, "receive", busy)
        assert "busy" in stage.poll().unread
    assert orders(company) == []
    stage.poll()
    assert orders(company) == ['[[0,"draw","player"]]']


def test_what_one_game_breaks_on_keeps_no_other_from_being_judged(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = company.stage
    other, sit = stage.new_game("blame", NAMES, seed="queen", first="bob"), sittings.sit

    def broken(*given: Any) -> Sitting:
        sitting = sit(*given)
        if sitting.game.id == 1:
            raise RuntimeError("a bug")
        return sitting

    stage.pass_time(72 * HOUR)
    stage.now += HOUR
    with monkeypatch.context() as patch:
        patch.setattr(sittings, "sit", broken)
        stage.poll()
    assert stage.game("blame-1").status == "paused"
    assert stage.sitting(other).seats[1].defaults == 1


def test_games_that_fall_due_at_once_are_all_judged_in_one_pass_and_their_letters_sent(stage: Stage) -> None:
    for name in NAMES:
        stage.add_player(name)
    names = [stage.new_game("blame", NAMES, seed=f"seed {number}") for number in range(40)]
    stage.pass_time(72 * HOUR)
    stage.now += 2 * MINUTE
    assert stage.poll().sent > 100
    assert [sum(seat.defaults for seat in stage.sitting(name).seats) for name in names] == [1] * len(names)
    assert stage.poll().sent == 0
