"""A seat is handed over: the newcomer gets all that it was shown, the leaver nothing more, and nobody holds two."""

import functools
import json
from typing import Any

import pytest

from pbem.errors import AdminError
from pbem.services import handover, peeking, rulings
from pbem.services.moderators import Ruler
from pbem.testing.stage import Stage
from tests.services.company import NAMES, OFFICE, Company, said, whole
from tests.services.hours import HOUR, due, log_of, outbox, rule, told
from tests.services.test_desk import replayed

MONA = Ruler("mona", moderator=True)


def replace(company: Company, player: str, newcomer: str, **more: Any) -> list[str]:
    ruling = functools.partial(handover.replace, **more)
    return list(rule(company, ruling, player, newcomer, "vanished", MONA))


@pytest.fixture
def table(company: Company) -> Company:
    """Give a game with dave and emma waiting outside."""
    company.stage.add_player("dave")
    company.stage.add_player("emma")
    return company


def test_the_newcomer_gets_the_view_a_fresh_clock_and_the_turn(table: Company) -> None:
    table.stage.pass_time(50 * HOUR)
    hand = table.hand("alice")
    replace(table, "alice", "DAVE")
    assert due(table) == table.stage.now + 72 * HOUR
    post = table.poll()
    assert post.readers == ["alice", "bob", "carol", "dave"]
    letter = said(post.only("dave"))
    assert "You, dave, have taken over a seat: at this table you are called alice" in letter
    assert all(card in letter for card in hand) and "The deal is sealed" in letter and "THE LOG" in letter
    assert "The moderator mona gave the seat of alice to dave; alice has left it. Reason given: vanished" in told(
        table, "bob"
    )
    assert "done" in said(table.write("dave", "draw").to("dave")[0])
    replayed(table.stage, table.game)


def test_the_leaver_cannot_move_any_more_and_queued_letters_are_dropped(table: Company) -> None:
    old = table.newest("alice")
    rule(table, rulings.skip, "alice", "x", MONA)
    replace(table, "alice", "dave")
    assert [row.status for row in outbox(table.stage, "alice")] == ["sent", "failed", "queued"]
    assert "goes on without you" in str(table.poll().to("alice")[0]["Subject"])
    post = table.write("alice", "draw", to=old)
    assert post.to("alice") == []
    assert table.sitting.table.step == 1


def test_the_leaver_is_told_what_all_are_told_and_nothing_more(table: Company) -> None:
    hand = table.hand("alice")
    replace(table, "alice", "dave")
    (letter,) = table.poll().to("alice")
    told = "The moderator mona gave the seat of alice to dave; alice has left it. Reason given: vanished"
    assert f"You get no more letters of blame-1. {told}" in said(letter)
    assert not [card for card in hand if card in whole(letter).split()]
    assert letter["Reply-To"] is None or letter["Reply-To"].addresses[0].addr_spec == OFFICE, "no sign of the seat"
    post = table.write("dave", "draw")
    assert post.to("dave") and post.to("alice") == []


def test_who_is_given_the_own_seat_back_does_not_leave_it(table: Company) -> None:
    table.write("alice", "resign yes")
    replace(table, "alice", "alice")
    assert "goes on without you" not in str([letter["Subject"] for letter in table.poll().to("alice")])


def test_missed_deadlines_count_for_who_missed_them(table: Company) -> None:
    table.stage.pass_time(74 * HOUR)
    assert table.sitting.seats[0].defaults == 1
    replace(table, "alice", "dave")
    seat = table.sitting.seats[0]
    assert (seat.missed, seat.defaults) == (0, 0)
    assert json.loads(log_of(table)[-1].body)["before"] == {"missed": 1, "defaults": 1}


def test_answers_ahead_are_not_given_any_more_but_offered(table: Company) -> None:
    table.write("bob", "on bury W1, pass")
    replace(table, "bob", "dave")
    letter = table.poll().only("dave")
    assert "ANSWERS GIVEN AHEAD" in letter and "    on bury W1, pass\n" in letter
    table.blame_alice()
    assert table.orders == []
    assert "Kept" in said(table.write("dave", "on bury W1, pass").only("dave"))


def test_a_paused_game_keeps_the_whole_fresh_clock_for_the_newcomer(table: Company) -> None:
    from pbem.services import desk

    table.stage.pass_time(10 * HOUR)
    rule(table, desk.pause)
    table.stage.pass_time(30 * HOUR)
    replace(table, "alice", "dave")
    rule(table, desk.resume)
    assert due(table) == table.stage.now + 72 * HOUR


def test_a_bot_takes_a_seat_and_answers_at_once(table: Company) -> None:
    replace(table, "alice", "bot:random")
    assert table.sitting.seats[0].bot == "random" and table.sitting.table.step >= 1
    assert "to bot:random; alice has left it" in said(table.poll().only("alice"))
    assert "gave the seat of alice to bot:random" in told(table, "bob")
    replace(table, "alice", "dave")
    assert "bot:random has left it" in said(table.poll().only("carol"))


def test_where_memory_is_open_all_that_was_ever_shown_is_in_the_letter(stage: Stage) -> None:
    for name in (*NAMES, "dave"):
        stage.add_player(name)
    company = Company(stage, stage.new_game("archer", NAMES, seed="queen", first="alice"))
    for _ in range(6):
        rule(company, rulings.skip, None, "x", MONA)
    company.poll()
    log = said(company.write("bob", "log").to("bob")[0]).partition("THE LOG")[2]
    log = log.partition("YOUR RECEIPTS")[0]
    replace(company, "bob", "dave")
    assert "drew" in log and log in said(company.poll().only("dave"))


def test_f06_nobody_takes_a_second_seat_now_or_over_time(table: Company) -> None:
    with pytest.raises(AdminError, match=r"bob has held the seat of bob from entry 1 until now: its hand, and 0 cards"):
        replace(table, "alice", "bob")
    replace(table, "alice", "dave")
    for again in ("alice", "ALICE"):
        with pytest.raises(AdminError, match="alice has held the seat of alice from entry 1 until entry 2"):
            replace(table, "bob", again)
    with pytest.raises(AdminError, match="who plays the seat of alice already"):
        replace(table, "alice", "dave")
    assert replace(table, "alice", "emma") == []
    with pytest.raises(AdminError, match="dave has held the seat of alice from entry 2 until entry 3"):
        replace(table, "carol", "dave")


def test_f06_the_same_person_in_another_letter_case_is_the_same_person(table: Company) -> None:
    with pytest.raises(AdminError, match="is registered for alice already"):
        table.stage.add_player("ann", "Alice@Example.ORG")
    with pytest.raises(AdminError, match="there is a player Alice already"):
        table.stage.add_player("Alice", "other@example.org")


def test_f06_an_override_stands_in_the_log_with_what_that_person_knows(table: Company) -> None:
    table.write("alice", "draw")
    replace(table, "alice", "dave")
    known = replace(table, "bob", "alice", knowing=True)
    assert known == [
        "alice has held the seat of alice from entry 1 until entry 3 of the log: its hand, and 3 cards that only some "
        "were shown"
    ]
    assert json.loads(log_of(table)[-1].body)["known"] == known


def test_who_has_looked_as_a_moderator_takes_no_seat(table: Company) -> None:
    table.stage.add_player("dora", "Mona@Example.org")
    rule(table, peeking.peek, "bob", "x", MONA)
    with pytest.raises(AdminError, match="dora has looked at hidden views of this game as a moderator"):
        replace(table, "alice", "dora")


def test_who_came_back_to_the_own_seat_knows_no_other(table: Company) -> None:
    replace(table, "alice", "dave")
    assert replace(table, "alice", "alice") == []


@pytest.mark.parametrize(("newcomer", "why"), [("zoe", "no player 'zoe'"), ("bot:clever", "no bot 'clever'")])
def test_a_newcomer_that_is_not_there(table: Company, newcomer: str, why: str) -> None:
    with pytest.raises(AdminError, match=why):
        replace(table, "alice", newcomer)
