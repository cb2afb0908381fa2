"""Migrating from nothing gives the tables; a step loses no row, or is not taken."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlmodel import SQLModel

from pbem.errors import AdminError
from pbem.services import office
from pbem.store import migrate
from pbem.store.backup import backup
from pbem.store.lock import owned
from pbem.store.session import connect
from pbem.testing.rehearsal import Company
from pbem.testing.stage import Stage, open_stage
from pbem.transports import mime
from tests.store.steps import BREAK, HARM, add_step


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sa.Engine]:
    """Give an empty database."""
    engine = connect(f"sqlite:///{tmp_path}/test.sqlite")
    yield engine
    engine.dispose()


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Stage]:
    """Give a house with two games under way, 20 turns played, and 100 messages dealt with."""
    stage = open_stage(tmp_path)
    for name in ("alice", "bob", "carol"):
        stage.add_player(name)
    first = stage.new_game("blame", ["alice", "bob", "carol"])
    stage.poll()
    company = Company(stage, first).play("alice")
    while stage.game(first).turn <= 20 and next(company, None):
        pass
    stage.new_game("blame", ["alice", "bob", "carol"])
    for number in range(100):
        raw = f"From: eve@example.com\nMessage-ID: <{number}@example.com>\n\nhello\n".encode()
        office.receive(stage.db, stage.house, stage.now, mime.read(raw, "mail", stage.now))
    migrate.run(stage.db, command.stamp, "head")
    yield stage
    stage.close()


def schema(engine: sa.Engine) -> list[tuple[str, list[str]]]:
    """Give every table and index as SQL: how it begins, and its parts in any order."""
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name != 'alembic_version' ORDER BY type, name"
        )
        return [_parts(" ".join(sql.split())) for (sql,) in rows]


def _parts(sql: str) -> tuple[str, list[str]]:
    head, _, rest = sql.partition("(")
    body, _, tail = rest.rpartition(")")
    return f"{head.strip()} {tail.strip()}", sorted(part.strip() for part in re.split(r",(?![^(]*\))", body))


def counts(engine: sa.Engine) -> dict[str, int]:
    """Count the rows of every table."""
    with engine.connect() as connection:
        return {
            name: int(connection.exec_driver_sql(f'SELECT count(*) FROM "{name}"').scalar() or 0)
            for name in SQLModel.metadata.tables
        }


def test_migrating_from_nothing_equals_the_tables(db: sa.Engine, tmp_path: Path) -> None:
    migrate.upgrade(db)
    with db.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []
    made = connect(f"sqlite:///{tmp_path}/made.sqlite")
    SQLModel.metadata.create_all(made)
    assert schema(db) == schema(made)
    made.dispose()


def test_every_step_can_be_taken_back(db: sa.Engine) -> None:
    migrate.upgrade(db)
    up = schema(db)
    migrate.run(db, command.downgrade, "base")
    assert schema(db) == []
    migrate.run(db, command.upgrade, "head")
    assert schema(db) == up


def test_the_steps_name_no_type_of_a_library_that_may_change_it() -> None:
    for path in (migrate.scripts() / "versions").glob("*.py"):
        assert not re.search(r"sqlmodel|AutoString|Moment|pbem", path.read_text()), path


def test_where_a_database_stands(db: sa.Engine) -> None:
    assert (migrate.current(db), migrate.is_current(db)) == (None, False)
    with pytest.raises(AdminError, match="pbem admin upgrade"):
        migrate.check(db)
    assert migrate.upgrade(db) is None
    assert (migrate.current(db), migrate.is_current(db)) == (migrate.head(), True)
    migrate.check(db)


def test_e03_a_step_that_rebuilds_a_parent_table_loses_no_row(
    played: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = counts(played.db)
    assert before["game"] == 2
    assert before["inbox"] > 100
    assert before["log_entry"] > 20
    add_step(tmp_path, monkeypatch)
    kept = migrate.upgrade(played.db)
    assert counts(played.db) == before
    with played.db.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall() == []
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("SELECT remark FROM game").fetchall() == [(None,)] * 2
    assert kept is not None
    old = connect(f"sqlite:///{kept}")
    assert counts(old) == before
    old.dispose()


def test_e03_no_step_is_taken_beside_a_daemon(played: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    was = migrate.head()
    add_step(tmp_path, monkeypatch)
    with owned(played.db, "pbem serve"), pytest.raises(AdminError, match="pbem serve"):
        migrate.upgrade(played.db)
    assert migrate.current(played.db) == was
    assert not list(tmp_path.glob("*.before-*"))


@pytest.mark.parametrize("body", [HARM, BREAK])
def test_e03_a_step_that_would_do_harm_is_not_taken_at_all(
    played: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    before, was, at = counts(played.db), schema(played.db), migrate.head()
    add_step(tmp_path, monkeypatch, body)
    with pytest.raises(AdminError):
        migrate.upgrade(played.db)
    assert (counts(played.db), schema(played.db), migrate.current(played.db)) == (before, was, at)
    with pytest.raises(AdminError):
        migrate.upgrade(played.db)
    assert len(list(tmp_path.glob("*.before-*"))) == 2


def test_e04_every_backup_made_while_the_office_works_can_be_restored(tmp_path: Path) -> None:
    (tmp_path / "house").mkdir()
    stage = open_stage(tmp_path / "house")
    for name in ("alice", "bob", "carol"):
        stage.add_player(name)
    game = stage.new_game("blame", ["alice", "bob", "carol"])
    stage.poll()
    enough = threading.Event()
    player = threading.Thread(target=_play, args=(stage, game, enough))
    player.start()
    try:
        for number in range(10):
            committed = _last_entry(stage.db)
            backup(stage.db, tmp_path / f"{number}.sqlite")
            restored = connect(f"sqlite:///{tmp_path / f'{number}.sqlite'}")
            with restored.connect() as connection:
                assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            assert committed <= _last_entry(restored)
            restored.dispose()
    finally:
        enough.set()
        player.join()
        stage.close()
    assert _last_entry(stage.db) > 1
    stage.db.dispose()


def _play(stage: Stage, game: str, enough: threading.Event) -> None:
    for _ in Company(stage, game).play("alice"):
        if enough.is_set():
            return


def _last_entry(engine: sa.Engine) -> int:
    with engine.connect() as connection:
        return int(connection.exec_driver_sql("SELECT coalesce(max(number), 0) FROM log_entry").scalar() or 0)
