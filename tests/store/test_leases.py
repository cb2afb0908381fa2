"""One process at a time has a duty; who falls silent loses it, who stops gives it back."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from threading import Barrier

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel

from pbem.config import Config
from pbem.services import duties
from pbem.services.duties import Duties
from pbem.store import leases
from pbem.store.session import connect, loose, read, transact
from pbem.testing.stage import NOON
from tests.databases import on_both

SPAN = timedelta(seconds=20)
LATER = NOON + SPAN


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test on both databases."""
    on_both(metafunc)


@pytest.fixture
def db(store_url: str) -> Iterator[sa.Engine]:
    """Give a database with tables and nothing in them."""
    engine = connect(store_url)
    SQLModel.metadata.create_all(engine)
    yield engine
    engine.dispose()


def take(db: sa.Engine, holder: str, now: datetime = NOON, name: str = "judge") -> bool:
    """Let somebody take a duty."""
    return transact(loose(db), partial(leases.take, name=name, holder=holder, now=now, span=SPAN))


def holders(db: sa.Engine, now: datetime = NOON) -> dict[str, str]:
    """Give who has what."""
    return {lease.name: lease.holder for lease in read(db, partial(leases.living, now=now))}


def test_who_has_a_duty_keeps_it_and_no_other_gets_it(db: sa.Engine) -> None:
    assert take(db, "one")
    assert not take(db, "two")
    assert take(db, "one", NOON + SPAN / 2)
    assert not take(db, "two", LATER), "it was renewed"
    assert holders(db) == {"judge": "one"}


def test_who_falls_silent_loses_it(db: sa.Engine) -> None:
    take(db, "one")
    assert not take(db, "two", LATER - timedelta(milliseconds=1))
    assert take(db, "two", LATER)
    assert not take(db, "one", LATER)
    assert holders(db, LATER) == {"judge": "two"}
    assert holders(db, LATER + SPAN) == {}


def test_each_duty_is_another_s(db: sa.Engine) -> None:
    assert take(db, "one") and take(db, "two", name="post:mail")
    assert holders(db) == {"judge": "one", "post:mail": "two"}


def test_what_is_given_back_is_free_at_once_and_nothing_of_another_s_is(db: sa.Engine) -> None:
    take(db, "one")
    take(db, "two", name="post:mail")
    transact(db, partial(leases.release, holder="one", names=["judge", "post:mail"]))
    assert holders(db) == {"post:mail": "two"}
    assert take(db, "two")


def test_what_was_held_long_ago_is_forgotten(db: sa.Engine) -> None:
    take(db, "one")
    take(db, "two", NOON + leases.FORGOTTEN, "post:mail")
    transact(db, partial(leases.sweep, now=LATER + leases.FORGOTTEN + SPAN / 2))
    assert holders(db) == {"post:mail": "two"}


def test_of_many_at_the_same_moment_one_gets_it(db: sa.Engine) -> None:
    gate = Barrier(4)

    def rush(name: str) -> bool:
        gate.wait(60)
        return take(db, name)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(rush, "abcd")) == [False, False, False, True]


def test_a_process_keeps_and_gives_back_all_that_it_has(db: sa.Engine) -> None:
    one, two = Duties(db, "one", SPAN), Duties(db, "two", SPAN)
    assert one.take("judge", NOON)
    one.renew(NOON + SPAN / 2)
    if not one.shared:
        assert holders(db) == {}, "one process owns the database, and nobody need be told"
        assert two.take("judge", NOON)
        return
    assert holders(db) == {"judge": "one", "here:one": "one"}
    assert not two.take("judge", LATER)
    one.release()
    assert holders(db) == {}
    assert two.take("judge", LATER)
    one.renew(LATER)
    assert holders(db, LATER) == {"judge": "two", "here:one": "one"}, "it takes nothing back unasked"


def test_a_process_that_lost_a_duty_to_another_lets_it_go(db: sa.Engine) -> None:
    one, two = Duties(db, "one", SPAN), Duties(db, "two", SPAN)
    if one.shared:
        one.take("judge", NOON)
        assert two.take("judge", LATER)
        one.renew(LATER)
        one.release()
        assert holders(db, LATER) == {"judge": "two"}


def test_it_is_told_who_serves_and_does_what(db: sa.Engine) -> None:
    for holder in ("box (process 7) a1", "den (process 9) b2"):
        take(db, holder, name=f"here:{holder}")
    take(db, "box (process 7) a1")
    take(db, "box (process 7) a1", name="post:mail")
    take(db, "gone (process 1) c3", NOON - SPAN, "post:matrix")
    told = read(db, partial(duties.told, now=NOON))
    assert told == ["box (process 7): judges, reads mail", "den (process 9)"]


def test_with_the_usual_tick_another_takes_over_within_a_minute() -> None:
    assert duties.SPAN + Config().time.tick < timedelta(minutes=1)


def test_two_processes_of_one_machine_have_two_names() -> None:
    assert duties.this_process() != duties.this_process()
