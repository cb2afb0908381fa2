"""What the host rules stands in the log and is announced to all; the log replays with it."""

from datetime import timedelta

import pytest

from pbem.core import table as tables
from pbem.core.clock import parse_instant
from pbem.errors import AdminError
from pbem.services import desk
from pbem.store import games
from pbem.store.session import read
from pbem.store.tables import Game, LogEntry
from pbem.testing.rehearsal import Company as Bots
from pbem.testing.rehearsal import play_out
from pbem.testing.stage import Stage
from tests.services.company import NAMES, Company
from tests.services.hours import DAY, HOUR, MINUTE, due, letters_about, log_of, orders, rule, told


def rulings(company: Company) -> list[str]:
    """Give the bodies of the rulings in the log."""
    return [row.body for row in log_of(company) if row.kind == "ruling"]


def test_a_deadline_is_set_for_all_that_are_asked(company: Company) -> None:
    company.blame_alice()
    at = company.stage.now + 5 * HOUR
    assert rule(company, desk.deadline, at) == ["bob", "carol"]
    assert (due(company, 1), due(company, 2)) == (at, at)


def test_a_deadline_is_set_for_one_player_in_any_letter_case(company: Company) -> None:
    company.blame_alice()
    before, at = due(company, 1), company.stage.now + 5 * HOUR
    assert rule(company, desk.deadline, at, "CAROL") == ["carol"]
    assert (due(company, 1), due(company, 2)) == (before, at)


def test_a_new_deadline_stands_in_the_log_and_is_announced_to_every_player(company: Company) -> None:
    rule(company, desk.deadline, company.stage.now + 5 * HOUR, None, "alice is on a boat")
    company.stage.poll()
    (body,) = rulings(company)
    assert "house.extended" in body and "2026-03-02T17:00:00+00:00" in body and "alice is on a boat" in body
    for name in NAMES:
        assert "The host set a new deadline for alice. Reason given: alice is on a boat" in told(company, name)
    assert "Mon 2 March 2026, 17:00 UTC" in told(company, "alice")


def test_a_new_deadline_is_judged_and_reminded_of(company: Company) -> None:
    rule(company, desk.deadline, company.stage.now + 10 * HOUR)
    company.stage.pass_time(7 * HOUR)
    assert len(letters_about(company.stage, "alice", "A reminder")) == 2, "at half the time, and four hours before"
    company.stage.pass_time(4 * HOUR)
    assert orders(company) == ['[[0,"draw","default"]]']


@pytest.mark.parametrize(
    ("ago", "player", "why"),
    [(HOUR, None, "1 hour ago; a deadline must lie ahead"), (-HOUR, "bob", "nothing is asked of bob"),
     (-HOUR, "nobody", "nothing is asked of nobody")],
)  # fmt: skip
def test_a_deadline_that_cannot_be_changes_nothing(
    company: Company, ago: timedelta, player: str | None, why: str
) -> None:
    before = due(company)
    with pytest.raises(AdminError, match=why):
        rule(company, desk.deadline, company.stage.now - ago, player)
    assert (due(company), rulings(company)) == (before, [])


def test_d04_a_wall_time_that_comes_twice_gives_the_players_more_time(company: Company) -> None:
    at = parse_instant("2026-10-25 02:30 Europe/Berlin", "UTC", company.stage.now)
    rule(company, desk.deadline, at)
    company.stage.poll()
    assert due(company).isoformat() == "2026-10-25T01:30:00+00:00"
    assert "until Sun 25 October 2026, 01:30 UTC" in told(company, "alice")


def test_d11_a_pause_gives_back_exactly_the_time_that_was_left(company: Company) -> None:
    stage = company.stage
    stage.pass_time(70 * HOUR)
    for length in (48 * HOUR, 30 * MINUTE, 100 * DAY):
        left = due(company) - stage.now
        rule(company, desk.pause)
        stage.pass_time(min(length, 3 * DAY))
        rule(company, desk.resume)
        assert due(company) - stage.now == left == 2 * HOUR, "however often it is done"
    stage.pass_time(4 * HOUR)
    assert orders(company) == ['[[0,"draw","default"]]']


def test_while_a_game_is_paused_nobody_is_timed_out_or_reminded(company: Company) -> None:
    rule(company, desk.pause)
    company.stage.pass_time(200 * HOUR)
    assert orders(company) == []
    assert letters_about(company.stage, "alice", "A reminder") == []


def test_an_order_to_a_paused_game_is_answered_and_not_done(company: Company) -> None:
    rule(company, desk.pause)
    company.write("alice", "draw")
    assert "blame-1 is paused; your clock stands still" in told(company, "alice")
    assert orders(company) == []
    rule(company, desk.resume)
    company.stage.poll()
    company.write("alice", "draw")
    assert orders(company) == ['[[0,"draw","player"]]']


def test_pause_and_resume_are_announced_to_every_player_with_their_reasons(company: Company) -> None:
    rule(company, desk.pause, "a holiday")
    company.stage.poll()
    for name in NAMES:
        assert "The host paused the game: all clocks stand still. Reason given: a holiday" in told(company, name)
    rule(company, desk.resume, "it is over")
    company.stage.poll()
    for name in NAMES:
        assert "The host resumed the game" in told(company, name)
        assert "Reason given: it is over" in told(company, name)
    assert ["paused" in body for body in rulings(company)] == [True, False]


def test_an_end_without_a_result_closes_the_game_and_tells_everybody(company: Company) -> None:
    rule(company, desk.end, "the room burnt down")
    company.stage.poll()
    for name in NAMES:
        assert "The host ended the game without a result. Reason given: the room burnt down" in told(company, name)
    assert company.stage.game(company.game).status == "ended"
    assert company.sitting.prompts == {}
    company.stage.pass_time(100 * HOUR)
    assert orders(company) == []
    company.write("alice", "draw")
    assert "blame-1 is over" in told(company, "alice")


def test_a_paused_game_may_be_ended(company: Company) -> None:
    rule(company, desk.pause)
    rule(company, desk.end)
    assert company.stage.game(company.game).status == "ended"


def test_what_does_not_fit_the_game_s_state_is_refused(company: Company) -> None:
    with pytest.raises(AdminError, match="blame-1 is open"):
        rule(company, desk.resume)
    rule(company, desk.pause)
    for ruling in (desk.pause, desk.deadline):
        given = (company.stage.now + HOUR,) if ruling is desk.deadline else ()
        with pytest.raises(AdminError, match="blame-1 is paused"):
            rule(company, ruling, *given)
    rule(company, desk.end)
    for ruling in (desk.pause, desk.resume, desk.end):
        with pytest.raises(AdminError, match="blame-1 is ended"):
            rule(company, ruling)


def test_a_reason_is_one_line_of_plain_text(company: Company) -> None:
    for reason in ("two\nlines", "\x1b[2J", "a\u202eb", "Hello\r\nBcc: eve@example.com"):
        with pytest.raises(AdminError, match="one line"):
            rule(company, desk.pause, reason)
    assert company.stage.game(company.game).status == "open"


@pytest.mark.parametrize("name", ["blame-1", "BLAME-1", " blame-1 ", "1"])
def test_a_game_is_found_by_its_name_or_number(company: Company, name: str) -> None:
    assert read(company.stage.db, lambda session: desk.get_game(session, name)).id == 1


@pytest.mark.parametrize("name", ["blame-2", "archer-1", "", "blame-", "-1", "blame-1; drop table game", "9" * 30])
def test_a_game_that_is_not_there_is_told_with_those_that_are(company: Company, name: str) -> None:
    with pytest.raises(AdminError, match=r"there is no game .*; going on: blame-1"):
        read(company.stage.db, lambda session: desk.get_game(session, name))


def replayed(stage: Stage, name: str) -> None:
    """Play a game's log again from its rows alone, and compare every state, hash and link of the chain."""
    game: Game = stage.game(name)
    rows: list[LogEntry] = read(stage.db, lambda session: games.log_of(session, game.id or 0))
    engine = stage.house.engine(game.engine)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    for count in range(1, len(rows) + 1):
        again = tables.replay(engine, game.seed, [(row.kind, row.body) for row in rows[:count]])
        assert again.chain == rows[count - 1].chain
    assert engine.dump(again.state) == game.state
    assert (again.chain, again.entries, again.step) == (game.chain, game.entries, game.step)
    verified = tables.verify(engine, game.seed, [(row.kind, row.body, row.chain) for row in rows])
    assert engine.dump(verified.state) == game.state


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_whole_game_replays_from_its_log_to_the_same_state_and_chain(stage: Stage, players: int) -> None:
    names = ("alice", "bob", "carol", "dave")[:players]
    for name in names:
        stage.add_player(name)
    game = stage.new_game("blame", names, seed=f"replay {players}", max_turns="25")
    stage.poll()
    play_out(stage, game)
    assert stage.game(game).status == "over"
    replayed(stage, game)


def test_a_log_with_rulings_time_outs_and_a_resignation_replays_to_the_same_chain(company: Company) -> None:
    stage = company.stage
    company.blame_alice()
    rule(company, desk.deadline, stage.now + 9 * HOUR, "bob", 'für Ⅻ "Züge" 🂡')
    company.write("bob", "bury W1")
    rule(company, desk.pause, "a holiday")
    rule(company, desk.resume)
    stage.pass_time(74 * HOUR)
    company.write("carol", "resign yes")
    bots = Bots(stage, company.game)
    for _ in zip(range(6), bots.play("alice"), strict=False):
        replayed(stage, company.game)
    rule(company, desk.end)
    replayed(stage, company.game)
    assert len(rulings(company)) == 5


@pytest.mark.parametrize("kind", ["step", "ruling"])
def test_a_log_that_was_tampered_with_does_not_give_the_same_chain(company: Company, kind: str) -> None:
    company.write("alice", "draw")
    rule(company, desk.pause, "x")
    game = company.stage.game(company.game)
    rows = [(row.kind, row.body) for row in log_of(company)]

    def tampered(body: str) -> str:
        return body.replace('"x"', '"y"').replace('"player"', '"default"')

    changed = [(of, tampered(body) if of == kind else body) for of, body in rows]
    assert changed != rows
    assert tables.replay(company.sitting.engine, game.seed, changed).chain != game.chain
