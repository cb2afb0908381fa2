"""One piece of work is one transaction: nothing is lost between two writers, and nothing is half-written."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from pbem.errors import AdminError, Conflict
from pbem.services import desk, office
from pbem.store import facts, games, session
from pbem.store.session import connect, read, transact
from pbem.testing.stage import Stage, open_stage, reply_to
from pbem.transports import mime
from tests.services.company import Company

PATIENCE = 60


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sa.Engine]:
    """Give a database with tables and nothing in them."""
    engine = connect(f"sqlite:///{tmp_path}/test.sqlite")
    SQLModel.metadata.create_all(engine)
    yield engine
    engine.dispose()


def count_up(db: sa.Engine) -> None:
    """Read a number, and write the next one."""

    def work(session: Session) -> None:
        number = int(facts.find_fact(session, "count") or "0")
        facts.set_fact(session, "count", str(number + 1))

    while True:
        try:
            transact(db, work)
        except Conflict:
            continue
        return


def test_every_connection_is_durable_checked_and_patient(db: sa.Engine) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": session.BUSY_MS}
    for _ in range(2):
        with db.connect() as connection:
            assert {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in wanted} == wanted
        db.dispose()


def test_a_url_that_is_none_and_a_file_that_is_no_database_are_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("This is no database. " * 100)
    with pytest.raises(AdminError, match="cannot be used"):
        connect("carrier-pigeon://")
    db = connect(f"sqlite:///{tmp_path}/notes.txt")
    with pytest.raises(AdminError, match="cannot be used"):
        read(db, lambda session: facts.find_fact(session, "x"))
    db.dispose()


def test_what_fails_half_way_leaves_nothing_behind(db: sa.Engine) -> None:
    def work(session: Session) -> None:
        facts.set_fact(session, "half", "written")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        transact(db, work)
    assert read(db, lambda session: facts.find_fact(session, "half")) is None


def test_a_conflict_is_tried_once_more_with_the_lock_taken_first(db: sa.Engine) -> None:
    other, begins = connect(str(db.url)), list[str]()

    @sa.event.listens_for(db, "before_cursor_execute")
    def note(_connection: object, _cursor: object, text: str, *_more: object) -> None:
        begins.extend([text] if text.startswith("BEGIN") else [])

    def work(session: Session) -> None:
        number = int(facts.find_fact(session, "count") or "0")
        if len(begins) == 1:
            count_up(other)  # somebody writes between our read and our write
        facts.set_fact(session, "count", str(number + 1))

    transact(db, work)
    other.dispose()
    assert begins == ["BEGIN", "BEGIN IMMEDIATE"]
    assert read(db, lambda session: facts.find_fact(session, "count")) == "2"


def test_a_conflict_that_comes_twice_is_given_up(db: sa.Engine) -> None:
    tries = []

    def work(_: Session) -> None:
        tries.append(1)
        raise Conflict("somebody was first")

    with pytest.raises(Conflict):
        transact(db, work)
    assert len(tries) == 2


def test_writers_at_the_same_time_lose_no_increment(db: sa.Engine) -> None:
    others = [connect(str(db.url)) for _ in range(4)]

    def many(engine: sa.Engine) -> None:
        for _ in range(25):
            count_up(engine)

    with ThreadPoolExecutor(len(others)) as pool:
        list(pool.map(many, others))
    for engine in others:
        engine.dispose()
    assert read(db, lambda session: facts.find_fact(session, "count")) == "100"


def together(*works: Callable[[], object]) -> None:
    """Do things at the same moment, each in a thread of its own."""
    gate = threading.Barrier(len(works))

    def go(work: Callable[[], object]) -> object:
        gate.wait(PATIENCE)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        list(pool.map(go, works))


def bury_at_once(stage: Stage, number: int) -> None:
    """Let bob and carol bury a card at the same moment, over connections of their own, and look at what came of it."""
    company = Company.deal(stage)
    company.blame_alice()
    dbs = [connect(str(stage.db.url)) for _ in range(2)]

    def bury(db: sa.Engine, name: str, card: str) -> str:
        raw = reply_to(company.newest(name), f"{name}@example.org", f"bury {card}", stage.now, number)
        return office.receive(db, stage.house, stage.now, mime.read(raw, "mail", stage.now))

    together(lambda: bury(dbs[0], "bob", "W1"), lambda: bury(dbs[1], "carol", "A1"))
    for db in dbs:
        db.dispose()
    rows = read(stage.db, lambda session: games.log_of(session, company.sitting.game.id or 0))
    assert [row.kind for row in rows] == ["deal", "step", "step"], "the burials are one step, taken once"
    assert '[1,"bury W1","player"]' in rows[2].body and '[2,"bury A1","player"]' in rows[2].body
    assert company.sitting.table.turn() == 2


def _c12(folder: Path, runs: int) -> None:
    for number in range(runs):
        stage = open_stage(folder / str(number))
        bury_at_once(stage, number)
        stage.close()


def test_c12_two_sealed_answers_at_the_same_moment_are_both_kept(tmp_path: Path) -> None:
    _c12(tmp_path, 20)


@pytest.mark.prove
def test_c12_two_sealed_answers_at_the_same_moment_are_both_kept_always(tmp_path: Path) -> None:
    _c12(tmp_path, 200)


class Held:
    """Hold the write lock of a database until told to let go."""

    def __init__(self, url: str) -> None:
        self._db = connect(url)

    def __enter__(self) -> "Held":
        self._connection = self._db.connect()
        self._connection.execution_options(lock=True).exec_driver_sql("UPDATE fact SET value = value")
        return self

    def let_go(self) -> None:
        """End the transaction; what it wrote is kept."""
        self._connection.commit()

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._db.dispose()


def extend(stage: Stage, db: sa.Engine) -> None:
    """Give everybody a day more, as `pbem admin deadline` does."""
    at = stage.now + 24 * (stage.config.time.clock / 24)

    def work(session: Session) -> list[str]:
        return desk.deadline(session, stage.house, stage.now, desk.get_game(session, "blame-1"), at)

    transact(db, work)


def test_e01_a_command_and_a_move_wait_for_a_turn_that_is_being_resolved(tmp_path: Path) -> None:
    stage = open_stage(tmp_path)
    company = Company.deal(stage)
    raw = reply_to(company.newest("alice"), "alice@example.org", "draw", stage.now, 1)
    dbs = [connect(str(stage.db.url)) for _ in range(2)]
    with Held(str(stage.db.url)) as held, ThreadPoolExecutor(2) as pool:
        command = pool.submit(extend, stage, dbs[0])
        move = pool.submit(office.receive, dbs[1], stage.house, stage.now, mime.read(raw, "mail", stage.now))
        assert not command.done() or not move.done()
        held.let_go()
        assert move.result(PATIENCE) == "answered"
        command.result(PATIENCE)
    rows = read(stage.db, lambda session: games.log_of(session, 1))
    assert sorted(row.kind for row in rows) == ["deal", "ruling", "step"]
    for db in dbs:
        db.dispose()
    stage.close()


def test_e01_a_command_that_has_waited_long_enough_says_so_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = open_stage(tmp_path)
    Company.deal(stage)
    monkeypatch.setattr(session, "BUSY_MS", 20)
    db = connect(str(stage.db.url))
    with Held(str(stage.db.url)), pytest.raises(Conflict, match="busy, try again"):
        extend(stage, db)
    rows = read(stage.db, lambda session: games.log_of(session, 1))
    assert [row.kind for row in rows] == ["deal"]
    db.dispose()
    stage.close()
