"""One set of steps serves both databases and gives the same tables; on PostgreSQL too a step is all or nothing."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlmodel import SQLModel

from pbem.errors import AdminError
from pbem.services.duties import Duties
from pbem.store import migrate
from pbem.store.session import connect
from pbem.testing.rehearsal import Company
from pbem.testing.stage import Stage, open_stage
from tests.real.postgres import PostgresServer
from tests.store.steps import BREAK, HARM, REBUILD, add_step
from tests.store.test_migrations import counts

NAMES = ("alice", "bob", "carol")
ALTER = REBUILD.replace(', recreate="always"', "")  # the same step as this database takes it


@pytest.fixture
def db(bare_url: str) -> Iterator[sa.Engine]:
    """Give an empty database of each kind."""
    engine = connect(bare_url)
    yield engine
    engine.dispose()


@pytest.fixture
def played(bare_postgres: str, tmp_path: Path) -> Iterator[Stage]:
    """Give a house whose database was made by the steps, with a game under way."""
    engine = connect(bare_postgres)
    migrate.upgrade(engine)
    engine.dispose()
    stage = open_stage(tmp_path / "house", url=bare_postgres)
    for name in NAMES:
        stage.add_player(name)
    game = stage.new_game("blame", NAMES)
    stage.poll()
    company = Company(stage, game).play("alice")
    while stage.game(game).turn <= 5 and next(company, None):
        pass
    stage.rig.duties.release()
    yield stage
    stage.close()


def schema(engine: sa.Engine) -> dict[str, object]:
    """Give all that the database says of its tables, but for Alembic's own."""
    look = sa.inspect(engine)
    return {name: _table(look, name) for name in look.get_table_names() if name != "alembic_version"}


def _table(look: sa.Inspector, name: str) -> object:
    columns = [
        (column["name"], str(column["type"]), column["nullable"], str(column["default"] or "").split("(")[0])
        for column in look.get_columns(name)
    ]
    indexes = [
        (index["name"], index["column_names"], index["unique"], _told(index.get("dialect_options", {})))
        for index in look.get_indexes(name)
    ]
    keys = [(key["name"], key["constrained_columns"], key["referred_table"]) for key in look.get_foreign_keys(name)]
    unique = [(one["name"], one["column_names"]) for one in look.get_unique_constraints(name)]
    primary = look.get_pk_constraint(name)["constrained_columns"]
    return primary, columns, sorted(indexes, key=str), sorted(keys, key=str), sorted(unique, key=str)


def _told(options: dict[str, object]) -> list[str]:
    return sorted(f"{name}: {value}" for name, value in options.items())


def test_migrating_from_nothing_equals_the_tables(
    db: sa.Engine, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    migrate.upgrade(db)
    with db.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []
    if db.dialect.name == "sqlite":
        made = connect(f"sqlite:///{tmp_path}/made.sqlite")
        SQLModel.metadata.create_all(made)
    else:
        made = connect(request.getfixturevalue("postgres_url"))
    assert schema(db) == schema(made)
    assert set(schema(db)) == set(SQLModel.metadata.tables)
    made.dispose()


def test_every_step_can_be_taken_back(db: sa.Engine) -> None:
    migrate.upgrade(db)
    up = schema(db)
    migrate.run(db, command.downgrade, "base")
    assert schema(db) == {}
    migrate.run(db, command.upgrade, "head")
    assert schema(db) == up


def test_where_a_database_stands(db: sa.Engine) -> None:
    with pytest.raises(AdminError, match="pbem admin upgrade"):
        migrate.check(db)
    assert migrate.upgrade(db) is None
    migrate.check(db)
    assert migrate.upgrade(db) is None


def test_a_database_that_is_out_of_reach_is_told(postgres: PostgresServer) -> None:
    db = connect(postgres.url("nowhere"))
    with pytest.raises(AdminError, match='database "nowhere" does not exist'):
        migrate.current(db)
    db.dispose()


def test_two_upgrades_at_once_are_one(bare_postgres: str) -> None:
    dbs = [connect(bare_postgres) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(migrate.upgrade, dbs)) == [None, None]
    assert migrate.is_current(dbs[0])
    for db in dbs:
        db.dispose()


def test_e03_a_step_that_rebuilds_a_parent_table_loses_no_row(
    played: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = counts(played.db)
    assert before["log_entry"] > 5
    add_step(tmp_path, monkeypatch, ALTER)
    assert migrate.upgrade(played.db) is None, "PostgreSQL's own tools make the copy"
    assert counts(played.db) == before
    with played.db.connect() as connection:
        assert connection.exec_driver_sql("SELECT remark FROM game").fetchall() == [(None,)]


@pytest.mark.parametrize("body", [HARM, BREAK])
def test_e03_a_step_that_would_do_harm_is_not_taken_at_all(
    played: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    before, was = (counts(played.db), schema(played.db)), migrate.current(played.db)
    add_step(tmp_path, monkeypatch, body)
    with pytest.raises(AdminError, match="was not changed"):
        migrate.upgrade(played.db)
    assert ((counts(played.db), schema(played.db)), migrate.current(played.db)) == (before, was)


def test_e03_no_step_is_taken_beside_a_process_that_serves(
    played: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was = migrate.head()
    add_step(tmp_path, monkeypatch, ALTER)
    other = Duties(played.db, "box (process 7) a1")
    other.renew(datetime.now(UTC))
    with pytest.raises(AdminError, match=r"at work on the database: box \(process 7\)"):
        migrate.upgrade(played.db)
    assert migrate.current(played.db) == was
    other.release()
    migrate.upgrade(played.db)
    assert migrate.current(played.db) == migrate.head() != was


def test_a_process_that_died_holds_up_an_upgrade_no_longer_than_its_duties_last(played: Stage) -> None:
    dead = Duties(played.db, "box (process 7) a1")
    dead.renew(datetime.now(UTC) - dead.span)
    migrate._refuse_beside_others(played.db)
