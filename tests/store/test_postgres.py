"""PostgreSQL as the store: no write is lost, no password shown, no letter claimed twice; it may go away for a while."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from sqlmodel import Session

from pbem.errors import AdminError, Conflict
from pbem.store import facts, mail, session
from pbem.store.session import connect, loose, read, transact
from pbem.store.tables import Fact
from pbem.testing.stage import Stage, open_stage
from tests.real.postgres import PostgresServer
from tests.services.company import Company
from tests.store.test_session import bury_at_once, count_up

SECRET = "correct-horse"


@pytest.fixture
def db(postgres_url: str) -> Iterator[sa.Engine]:
    """Give a database with tables and nothing in them."""
    engine = connect(postgres_url)
    yield engine
    engine.dispose()


@pytest.fixture
def stage(postgres_url: str, tmp_path: Path) -> Iterator[Stage]:
    """Open a house."""
    stage = open_stage(tmp_path, url=postgres_url)
    yield stage
    stage.close()


def find(name: str) -> Callable[[Session], str | None]:
    """Give the work of looking a fact up."""
    return partial(facts.find_fact, name=name)


def put(name: str, value: str) -> Callable[[Session], None]:
    """Give the work of writing a fact."""
    return partial(facts.set_fact, name=name, value=value)


def test_a_transaction_sees_one_moment(db: sa.Engine) -> None:
    def work(session: Session) -> tuple[str | None, str | None]:
        before = facts.find_fact(session, "x")
        session.expire_all()
        transact(loose(db), put("x", "written by another"))
        return before, facts.find_fact(session, "x")

    assert read(db, work) == (None, None)
    assert read(db, find("x")) == "written by another"


@pytest.mark.parametrize("url", ["postgresql", "postgresql+psycopg"])
def test_either_way_to_write_the_url_will_do(postgres_url: str, url: str) -> None:
    db = connect(postgres_url.replace("postgresql+psycopg", url, 1))
    assert db.driver == "psycopg"
    assert read(db, find("x")) is None
    db.dispose()


def test_a_conflict_is_tried_once_more_with_the_games_locked_first(db: sa.Engine) -> None:
    begins, tries = list[str](), list[int]()

    @sa.event.listens_for(db, "before_cursor_execute")
    def note(_connection: object, _cursor: object, text: str, *_more: object) -> None:
        begins.append(text.partition(" ")[0])

    def work(session: Session) -> None:
        number = int(facts.find_fact(session, "count") or "0")
        tries.append(number)
        if len(tries) == 1:
            transact(loose(db), put("count", "1"))  # somebody writes between our read and our write
            begins.clear()
        facts.set_fact(session, "count", str(number + 1))

    transact(db, work)
    assert tries == [0, 1]
    assert begins[begins.index("LOCK") :][:2] == ["LOCK", "SELECT"]
    assert read(db, find("count")) == "2"


def test_writers_at_the_same_time_lose_no_increment(db: sa.Engine) -> None:
    def many(_: int) -> None:
        for _ in range(25):
            count_up(db)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(many, range(4)))
    assert read(db, find("count")) == "100"


def test_two_that_wait_for_each_other_are_a_conflict_not_a_crash(db: sa.Engine) -> None:
    for name in "ab":
        transact(db, put(name, "0"))
    gate, outcomes = threading.Barrier(2), list[str]()

    def cross(first: str, second: str) -> None:
        def work(session: Session) -> None:
            facts.set_fact(session, first, "1")
            gate.wait(60)
            facts.set_fact(session, second, "1")

        try:
            session._attempt(loose(db), work)
            outcomes.append("done")
        except Conflict as conflict:
            outcomes.append(str(conflict))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(cross, "ab", "ba"))
    assert sorted(outcomes) == ["done", "two waited for each other, try again"]


def test_what_is_locked_for_too_long_is_busy(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "BUSY_MS", 20)
    db = connect(postgres_url)
    transact(db, put("x", "0"))
    with db.connect() as held, held.begin():
        held.exec_driver_sql("UPDATE fact SET value = '1'")
        with pytest.raises(Conflict, match="busy, try again"):
            transact(db, put("x", "2"))
    assert read(db, find("x")) == "1"
    db.dispose()


def _c12(stage: Stage, runs: int) -> None:
    for number in range(runs):
        bury_at_once(stage, number)


def test_c12_two_sealed_answers_at_the_same_moment_are_both_kept(stage: Stage) -> None:
    _c12(stage, 20)


@pytest.mark.prove
def test_c12_two_sealed_answers_at_the_same_moment_are_both_kept_always(stage: Stage) -> None:
    _c12(stage, 200)


def test_no_letter_is_claimed_twice_while_the_claim_lasts(stage: Stage) -> None:
    Company.deal(stage)
    for number in range(4):
        stage.new_game("blame", ["alice", "bob", "carol"], seed=str(number))
    until = stage.now + timedelta(minutes=5)
    gate = threading.Barrier(3)

    def claim(_: int) -> list[str]:
        gate.wait(60)
        work = partial(mail.claim_letters, now=stage.now, until=until, limit=4)
        return [row.key for row in transact(loose(stage.db), work)]

    with ThreadPoolExecutor(3) as pool:
        claimed = [key for keys in pool.map(claim, range(3)) for key in keys]
    assert len(claimed) == len(set(claimed)) == 12
    again = transact(loose(stage.db), partial(mail.claim_letters, now=until, until=until + timedelta(minutes=5)))
    assert {row.key for row in again} == set(claimed)


def test_a_claim_that_lapsed_is_sent_again_under_the_same_id(stage: Stage) -> None:
    company = Company.deal(stage)
    before = len(stage.mails())
    stage.new_game("blame", ["alice", "bob", "carol"])
    until = stage.now + stage.rig.claim
    lost = transact(loose(stage.db), partial(mail.claim_letters, now=stage.now, until=until))
    assert company.poll().letters == (), "another process is about to send them"
    stage.now = until
    ids = [str(letter["Message-ID"]).strip("<>").partition("@")[0] for letter in company.poll().letters]
    assert sorted(ids) == sorted(row.letter_id for row in lost)
    assert len(stage.mails()) == before + 3


def test_a_letter_whose_claim_ran_out_before_its_turn_is_left(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    company = Company.deal(stage)
    stage.new_game("blame", ["alice", "bob", "carol"])
    (post,) = stage.rig.transports
    real = type(post).send

    async def slow(self: object, letter: object) -> None:
        stage.now += stage.rig.claim * 0.7
        await real(self, letter)  # type: ignore[arg-type]

    monkeypatch.setattr(type(post), "send", slow)
    assert (len(company.poll().letters), len(company.poll().letters)) == (2, 1), "the third is claimed again"
    rows = read(stage.db, lambda session: mail.list_letters(session, 3))
    assert [row.attempts for row in rows] == [1, 1, 1]


def test_a_connection_that_was_lost_is_made_anew(db: sa.Engine, postgres: PostgresServer) -> None:
    transact(db, put("x", "1"))
    postgres.cut()
    assert read(db, find("x")) == "1"


def test_a_connection_that_is_lost_in_mid_work_is_out_of_reach_and_nothing_is_half_written(
    db: sa.Engine, postgres: PostgresServer
) -> None:
    def work(session: Session) -> None:
        facts.set_fact(session, "x", "half")
        postgres.cut()
        facts.set_fact(session, "y", "half")

    with pytest.raises(AdminError, match="the database cannot be used"):
        transact(db, work)
    assert read(db, find("x")) is None


def test_a_server_that_is_gone_for_a_while_costs_no_move(stage: Stage, postgres: PostgresServer) -> None:
    company = Company.deal(stage)
    stage.reply("alice", "draw")
    with postgres.stopped("immediate"), pytest.raises(AdminError, match="the database cannot be used") as caught:
        stage.poll()
    assert "\n" not in str(caught.value)
    assert stage.poll().received == 1
    assert company.sitting.table.entries == 2


def test_a_wrong_password_is_told_and_never_shown(postgres: PostgresServer) -> None:
    db = connect(postgres.guarded_url("shared", password=SECRET))
    with pytest.raises(AdminError) as caught:
        read(db, find("x"))
    assert "password authentication failed" in str(caught.value)
    assert SECRET not in f"{caught.value}{caught.value.__cause__}{db}{db.url}"
    right = connect(postgres.guarded_url("postgres"))
    with right.connect() as connection:
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1
    right.dispose()
    db.dispose()


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql+psycopg//pbem:{SECRET}@host/pbem",
        f"postgresql+psycopg://pbem:{SECRET}@host:port/pbem",
        f"mysql://pbem:{SECRET}@host/pbem",
        f"postgresql+asyncpg://pbem:{SECRET}@host/pbem",
    ],
)
def test_a_url_that_cannot_be_is_told_in_one_line_without_its_password(url: str) -> None:
    with pytest.raises(AdminError, match="the database URL cannot be used") as caught:
        connect(url)
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_the_driver_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(AdminError, match=r"pip install 'pbem\[postgres\]'"):
        connect("postgresql+psycopg:///pbem")


def test_what_a_url_asks_for_itself_is_not_overruled(postgres: PostgresServer) -> None:
    db = connect(postgres.url("postgres") + "&application_name=mine")
    with db.connect() as connection:
        assert connection.exec_driver_sql("SHOW application_name").scalar() == "mine"
        assert connection.exec_driver_sql("SHOW lock_timeout").scalar() == "10s"
        assert connection.exec_driver_sql("SHOW transaction_isolation").scalar() == "repeatable read"
    db.dispose()


def test_a_conflict_names_what_is_unique_and_no_value(db: sa.Engine) -> None:
    transact(db, put("a secret", "x"))

    def again(session: Session) -> None:
        session.add(Fact(name="a secret", value="y"))

    with pytest.raises(Conflict, match="pk_fact") as caught:
        transact(db, again)
    assert "secret" not in str(caught.value)


def test_a_fault_of_the_program_is_none_of_these(db: sa.Engine) -> None:
    with pytest.raises(sa.exc.ProgrammingError) as caught:
        read(db, lambda session: session.connection().exec_driver_sql("SELECT nothing FROM nowhere"))
    assert isinstance(caught.value.orig, psycopg.errors.UndefinedTable)
