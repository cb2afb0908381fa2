"""Test seats that the machine plays, and games whose answers take effect at a beat."""

from datetime import timedelta

import pytest

from pbem.core import table as tables
from pbem.errors import AdminError
from pbem.store import games
from pbem.store.session import read
from pbem.testing.stage import Stage
from tests.services.company import Company, said

HOUR = timedelta(hours=1)


def bodies(stage: Stage, name: str) -> list[str]:
    number = stage.game(name).id or 0
    return [row.body for row in read(stage.db, lambda session: games.log_of(session, number))]


@pytest.fixture
def alone(stage: Stage) -> Company:
    """Deal alice a game against two bots, in which she begins."""
    stage.add_player("alice")
    company = Company(
        stage, stage.new_game("blame", ["alice", "bot:random", "bot:random"], seed="queen", first="alice")
    )
    company.poll()
    return company


def test_bots_have_names_that_can_be_typed_and_get_no_letters(alone: Company) -> None:
    assert alone.sitting.names == ("alice", "random2", "random3")
    assert {str(mail["To"]) for mail in alone.stage.mails()} == {"alice@example.org"}
    assert "with alice, random2 and random3 at the table" in said(alone.newest("alice"))


def test_bots_answer_at_once_and_their_game_replays(alone: Company) -> None:
    alone.write("alice", "draw")
    assert set(alone.sitting.prompts) == {0}, "both have played; alice is asked again, or for a burial"
    rows = bodies(alone.stage, alone.game)
    assert '"bot"' in rows[2]
    number = alone.sitting.game.id or 0
    log = read(alone.stage.db, lambda session: [(row.kind, row.body) for row in games.log_of(session, number)])
    engine = alone.stage.house.engine("blame")
    assert tables.replay(engine, alone.sitting.game.seed, log).chain == alone.sitting.game.chain


def test_what_all_bots_did_since_is_told(alone: Company) -> None:
    told = said(alone.write("alice", "draw").to("alice")[0])
    happened = told.partition("WHAT HAPPENED")[2].partition("THE TABLE")[0]
    assert "random2" in happened and "random3" in happened, "each had a turn meanwhile"


def test_a_whole_game_against_bots_ends(alone: Company) -> None:
    for _ in range(300):
        if not alone.sitting.is_open:
            break
        alone.stage.now += timedelta(hours=80)
        alone.stage.poll()
        alone.stage.poll()
    assert alone.stage.game(alone.game).status in ("open", "over")


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["bot:random", "bot:random"], "bots alone play no game"),
        (["alice", "bot:clever"], "Game of Blame has no bot 'clever'; there are: bot:random"),
        (["random2", "bot:random"], "a player is called random2"),
    ],
)
def test_seats_that_cannot_be_are_refused(stage: Stage, names: list[str], told: str) -> None:
    stage.add_player("alice")
    stage.add_player("random2")
    with pytest.raises(AdminError, match=told):
        stage.new_game("blame", names)


@pytest.fixture
def paced(stage: Stage) -> Company:
    """Deal a game in which answers take effect every hour from noon on."""
    for name in ("alice", "bob", "carol"):
        stage.add_player(name)
    company = Company(stage, stage.new_game("blame", ["alice", "bob", "carol"], seed="queen", first="alice", pace="1h"))
    company.poll()
    return company


def test_an_answer_takes_effect_at_the_next_beat(paced: Company) -> None:
    paced.stage.now += HOUR / 4
    answer = said(paced.write("alice", "draw").to("alice")[0])
    assert "It is sealed until Mon 2 March 2026, 13:00 UTC at least" in answer and paced.orders == ["draw"]
    paced.stage.now += HOUR / 2
    assert paced.poll().letters == ()
    paced.stage.now += HOUR / 4
    assert paced.poll().readers == ["alice", "bob", "carol"] and paced.orders == []


def test_answers_by_hand_ahead_and_by_a_bot_take_effect_at_the_same_moment(paced: Company) -> None:
    paced.write("carol", "on bury pass")
    paced.blame_alice()
    paced.stage.now += HOUR + timedelta(minutes=1)
    paced.poll()
    paced.stage.now += HOUR / 2
    paced.write("bob", "pass")
    entries = paced.sitting.table.entries
    assert len(paced.orders) == 2, "all are in, and nothing happens before the beat"
    paced.stage.now += HOUR / 2 + timedelta(minutes=1)
    paced.poll()
    assert paced.sitting.table.entries == entries + 1


def test_until_the_beat_an_answer_can_be_taken_back(paced: Company) -> None:
    paced.write("alice", "draw")
    assert "was taken back" in said(paced.write("alice", "retract").to("alice")[0])
    paced.stage.now += HOUR + timedelta(minutes=1)
    paced.poll()
    assert 0 in paced.sitting.prompts and paced.orders == []


def test_what_time_ran_out_for_waits_for_the_beat_too(paced: Company) -> None:
    due = paced.wait_until_nearly_due()
    paced.stage.now = due + timedelta(minutes=3)
    paced.poll()
    assert len(paced.orders) == 1
    assert "answered for you" in said(paced.write("alice", "draw").to("alice")[0]) or not paced.orders
