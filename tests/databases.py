"""Give tests both databases: SQLite in a file, and a real PostgreSQL that each worker starts once it needs one."""

import itertools
import os
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel

from pbem.store import tables as tables
from pbem.store.session import connect
from tests.real.postgres import PostgresServer, serving

KINDS = ("sqlite", "postgres")
numbers = itertools.count(1)


def need_postgres() -> None:
    """Skip by name where PostgreSQL cannot run; where PBEM_CI is set that is a failure."""
    from tests.conftest import need

    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
    os.environ["PATH"] += "".join(f":{folder}" for folder in reversed(folders))
    for program in ("initdb", "pg_ctl", "flock", *(["runuser"] if os.geteuid() == 0 else [])):
        need(program)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """Give a real PostgreSQL."""
    need_postgres()
    with serving(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture(scope="session")
def shared_database(postgres: PostgresServer) -> Iterator[sa.Engine]:
    """Give the one database with tables that the tests of this worker use one after the other."""
    engine = connect(postgres.make("shared"))
    SQLModel.metadata.create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def postgres_url(shared_database: sa.Engine) -> str:
    """Give the URL of a PostgreSQL database with tables and nothing in them."""
    names = ", ".join(f'"{name}"' for name in SQLModel.metadata.tables)
    with shared_database.begin() as connection:
        connection.exec_driver_sql(f"TRUNCATE {names} RESTART IDENTITY CASCADE")
    return shared_database.url.render_as_string(hide_password=False)


@pytest.fixture
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of a database that holds nothing; on SQLite there are no tables yet either.

    `on_both` says of which kind it is for each test.
    """
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite:///{tmp_path}/pbem.sqlite"
    return str(request.getfixturevalue("postgres_url"))


def on_both(metafunc: pytest.Metafunc, alone: Collection[str] = ()) -> None:
    """Run each test that has a database once on every kind, but for the modules that are left on SQLite alone."""
    if "store_url" in metafunc.fixturenames:
        module = metafunc.module.__name__.rpartition(".")[2]
        kinds = KINDS[:1] if module in alone else KINDS
        metafunc.parametrize("store_url", kinds, indirect=True)


@pytest.fixture
def bare_postgres(postgres: PostgresServer) -> Iterator[str]:
    """Give the URL of a PostgreSQL database without any table."""
    name = f"bare{next(numbers)}"
    yield postgres.make(name)
    postgres.drop(name)


@pytest.fixture(params=KINDS)
def bare_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of a database of each kind without any table."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/bare.sqlite"
    return str(request.getfixturevalue("bare_postgres"))
