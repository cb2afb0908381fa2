"""Whoever changes a game that somebody else changed meanwhile is told so; what is due is found by index."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.dialects import sqlite
from sqlmodel import Session

from pbem.errors import Conflict
from pbem.services import desk
from pbem.store import games
from pbem.store.session import read, transact
from pbem.testing.stage import Stage, open_stage

NAMES = ("alice", "bob", "carol")
HOUR = timedelta(hours=1)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Open a house with three players and a game."""
    stage = open_stage(tmp_path)
    for name in NAMES:
        stage.add_player(name)
    stage.new_game("blame", NAMES, first="alice")
    yield stage
    stage.close()


def test_a_game_that_was_changed_meanwhile_is_a_conflict(stage: Stage) -> None:
    mine, theirs = stage.game("blame-1"), stage.game("blame-1")
    transact(stage.db, lambda session: games.save_game(session, theirs))
    assert theirs.revision == mine.revision + 1
    with pytest.raises(Conflict, match="changed meanwhile"):
        transact(stage.db, lambda session: games.save_game(session, mine))


def test_a_log_entry_s_number_is_unique_in_its_game(stage: Stage) -> None:
    (entry,) = read(stage.db, lambda session: games.log_of(session, 1))

    def again(session: Session) -> None:
        session.add(type(entry)(**entry.model_dump()))

    with pytest.raises(Conflict):
        transact(stage.db, again)


def test_due_is_what_is_unanswered_in_a_game_that_goes_on(stage: Stage) -> None:
    deadline = stage.sitting("blame-1").prompts[0].deadline_at

    def due() -> list[int]:
        return read(stage.db, lambda session: games.games_due(session, deadline))

    assert due() == [1]
    assert read(stage.db, lambda session: games.games_due(session, deadline - HOUR)) == []
    transact(stage.db, lambda session: desk.pause(session, stage.house, stage.now, desk.get_game(session, "blame-1")))
    assert due() == []


def test_the_longest_overdue_is_judged_first(stage: Stage) -> None:
    stage.now += HOUR
    later = stage.new_game("blame", NAMES, first="bob")
    stage.now -= 2 * HOUR
    sooner = stage.new_game("blame", NAMES, first="bob")
    far = stage.now + timedelta(days=9)
    due = read(stage.db, lambda session: games.games_due(session, far))
    assert [f"blame-{number}" for number in due] == [sooner, "blame-1", later]


@pytest.mark.parametrize(
    ("query", "index"), [(games.due_query, "ix_prompt_due"), (games.remind_query, "ix_prompt_remind")]
)
def test_a_tick_finds_by_index_what_is_due_among_many_that_wait(stage: Stage, query: object, index: str) -> None:
    assert callable(query)
    asked = str(query(stage.now).compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
    with stage.db.connect() as connection:
        plan = " ".join(str(row) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked}"))
    assert index in plan
    assert "SCAN prompt" not in plan
