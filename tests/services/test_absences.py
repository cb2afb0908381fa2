"""Test that no deadline falls into an absence, which has its bounds, and that the others see until when."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import Session

from pbem.errors import AdminError
from pbem.services import desk, leaving
from pbem.store.session import transact
from pbem.testing.stage import NOON, Stage, open_stage, text_of
from tests.services.company import NAMES, Company, said

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def deadline(company: Company, name: str) -> datetime:
    sitting = company.sitting
    return sitting.prompts[sitting.names.index(name)].deadline_at


def rule(company: Company, ruling: object, *more: object) -> object:
    def work(session: Session) -> object:
        game = desk.get_game(session, company.game)
        return ruling(session, company.stage.house, company.stage.now, game, *more)  # type: ignore[operator]

    return transact(company.stage.db, work)


def say_for(company: Company, name: str, text: str | None) -> list[str]:
    house, now = company.stage.house, company.stage.now
    return transact(company.stage.db, lambda session: leaving.said_for(session, house, now, name, text))


def test_a_deadline_that_falls_into_it_moves_behind_it_with_what_was_left(company: Company) -> None:
    """The clock runs for a day, stands still for four, and runs for the two days that were left."""
    assert deadline(company, "alice") == NOON + 3 * DAY
    post = company.write("alice", "away 5 days")
    assert deadline(company, "alice") == NOON + 5 * DAY + 2 * DAY
    assert "From Tue 3 March 2026, 12:00 UTC until Sat 7 March 2026, 12:00 UTC no deadline of yours" in said(
        post.to("alice")[0]
    )
    assert post.readers == list(NAMES), "a deadline was moved, so all hear of it"


def test_the_others_see_until_when(company: Company) -> None:
    post = company.write("alice", "away 2026-03-03 2026-03-06")
    waits = (
        "alice (turn), until Mon 9 March 2026, 00:00 UTC, away from Tue 3 March 2026, 12:00 UTC until Sat 7 March 2026"
    )
    told = said(post.only("bob"))
    assert waits in told and "alice is away from Tue 3 March 2026, 12:00 UTC until Sat 7 March 2026, 00:00 UTC" in told
    company.stage.pass_time(2 * DAY)
    assert "00:00 UTC, away until Sat 7 March 2026, 00:00 UTC" in said(company.write("bob", "status").only("bob"))


def test_what_is_asked_meanwhile_is_due_behind_it(company: Company) -> None:
    company.write("bob", "away 2026-03-04 2026-03-08")
    company.write("alice", "draw")
    assert deadline(company, "bob") == datetime(2026, 3, 9, tzinfo=UTC) + (
        NOON + 3 * DAY - datetime(2026, 3, 4, tzinfo=UTC)
    )
    company.stage.pass_time(6 * DAY)
    assert company.sitting.table.turn() == 2, "nobody plays for bob meanwhile"


def test_it_never_moves_a_deadline_that_is_less_than_a_day_off(company: Company) -> None:
    company.stage.pass_time(2 * DAY + HOUR)
    post = company.write("alice", "away 10 days")
    assert deadline(company, "alice") == NOON + 3 * DAY and post.readers == ["alice"]
    company.stage.pass_time(DAY)
    assert company.sitting.table.turn() == 2, "time ran out for alice"


def test_who_comes_back_early_has_what_was_left_and_a_day_at_least(company: Company) -> None:
    company.write("alice", "away 9 days")
    company.stage.pass_time(4 * DAY)
    post = company.write("alice", "away back")
    assert deadline(company, "alice") == NOON + 4 * DAY + 2 * DAY
    assert post.readers == list(NAMES) and "alice is back" in said(post.only("bob"))
    assert "You are not away" in said(company.write("alice", "away back").only("alice"))


def test_an_absence_taken_back_before_it_began_costs_no_day(company: Company) -> None:
    company.write("alice", "away 14 days")
    company.write("alice", "away back")
    assert deadline(company, "alice") == NOON + 3 * DAY
    assert "no deadline of yours" in said(company.write("alice", "away 14 days").to("alice")[0])


def test_there_are_so_many_days_a_game_and_player(company: Company) -> None:
    assert "That is 19 days; of the 14 days a game, 14 days remain" in said(
        company.write("alice", "away 20 days").only("alice")
    )
    company.write("alice", "away 11 days")
    told = said(company.write("alice", "away 2026-04-01 2026-04-05").only("alice"))
    assert "That is 5 days; of the 14 days a game, 4 days remain" in told
    assert "absence already" in said(company.write("alice", "away 3 days").only("alice"))
    assert "no deadline of yours" in said(company.write("bob", "away 14 days").to("bob")[0]), "each has his own"


def test_the_host_sets_how_many(tmp_path_factory: pytest.TempPathFactory) -> None:
    stage = open_stage(tmp_path_factory.mktemp("none"), time={"away_days": 0})
    company = Company.deal(stage)
    assert "of the 0 days a game, none remain" in said(company.write("alice", "away 5 days").only("alice"))
    stage.close()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("away", "for how long"),
        ("away 5", "is no absence"),
        ("away 5 weeks", "is no absence"),
        ("away 2026-02-30 2026-03-05", "no day of the calendar"),
        ("away 2026-03-09 2026-03-05", "ends before it begins"),
        ("away 2025-03-01 2025-03-05", "is over already"),
        ("away 0 days", "is over already"),
        ("away 1 day", "begins a day after it is said"),
    ],
)
def test_what_is_no_absence_is_told_with_lines_that_would_work(company: Company, words: str, why: str) -> None:
    (letter,) = company.write("alice", words).to("alice")
    assert why in said(letter) and "\n      away 5 days\n" in text_of(letter)
    assert company.sitting.absences == []


def test_days_are_those_of_the_players_own_zone(stage: Stage) -> None:
    for name, zone in (("alice", "Asia/Tokyo"), ("bob", "UTC"), ("carol", "UTC")):
        stage.add_player(name, zone=zone)
    company = Company(stage, stage.new_game("blame", NAMES, seed="queen", first="alice"))
    stage.poll()
    company.write("alice", "away 2026-03-05 2026-03-05")
    (absence,) = company.sitting.absences
    assert absence.since_at == datetime(2026, 3, 4, 15, tzinfo=UTC) and absence.until_at - absence.since_at == DAY


def test_after_a_pause_no_deadline_lies_in_it_either(company: Company) -> None:
    company.write("alice", "away 2026-03-06 2026-03-09")
    assert deadline(company, "alice") == NOON + 3 * DAY
    rule(company, desk.pause)
    company.stage.now += DAY
    rule(company, desk.resume)
    assert deadline(company, "alice") == datetime(2026, 3, 10, 12, tzinfo=UTC)


def test_a_deadline_that_lost_time_moved_into_it_is_not_judged(company: Company) -> None:
    company.write("alice", "away 2026-03-06 2026-03-09")
    company.stage.now += DAY - HOUR  # the service is down meanwhile
    company.stage.poll()
    company.stage.pass_time(4 * DAY)
    assert company.sitting.table.turn() == 1 and deadline(company, "alice") > datetime(2026, 3, 10, tzinfo=UTC)


def test_no_ruling_sets_a_deadline_into_it(company: Company) -> None:
    company.write("alice", "away 2026-03-06 2026-03-09")
    with pytest.raises(AdminError, match="pbem admin edit-player alice --back"):
        rule(company, desk.deadline, datetime(2026, 3, 7, tzinfo=UTC))


def test_the_host_says_it_for_somebody_who_cannot_write(company: Company) -> None:
    other = Company.deal(company.stage, "other")
    assert say_for(company, "alice", "5 days") == [company.game, other.game]
    for one in (company, other):
        assert deadline(one, "alice") == NOON + 7 * DAY
    with pytest.raises(AdminError, match="blame-1: part of that time is an absence already"):
        say_for(company, "alice", "5 days")
    assert say_for(company, "alice", None) == [company.game, other.game]
    assert deadline(other, "alice") == NOON + 3 * DAY
    with pytest.raises(AdminError, match="no game of alice"):
        say_for(company, "alice", None)


def test_who_resigned_is_away_no_more(company: Company) -> None:
    company.write("bob", "resign yes")
    for words in ("away 5 days", "away back"):
        assert "no more" in said(company.write("bob", words).only("bob"))


def test_it_stands_in_the_log_and_in_the_receipt(company: Company) -> None:
    post = company.write("bob", "away 5 days")
    assert '"away 5 days"; entry 2 of the log.' in said(post.only("bob"))
    assert "bob is away from" in said(company.write("carol", "log").only("carol"))


def test_back_alone_is_the_order_where_the_game_has_one(company: Company, open_game: Company) -> None:
    company.write("alice", "away 5 days")
    assert company.write("alice", "back").readers == ["alice"] and company.sitting.absences[0].until_at > NOON + DAY
    open_game.write("alice", "away 5 days")
    assert "Welcome back" in said(open_game.write("alice", "Back.").to("alice")[0])


@pytest.fixture
def open_game(company: Company) -> Company:
    """Deal the three a game that has no order `back`."""
    other = Company(company.stage, company.stage.new_game("archer", NAMES, first="alice"))
    other.poll()
    return other
