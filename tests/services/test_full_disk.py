"""A full disk loses nothing and does nothing twice: the system itself refuses to let a file grow."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlmodel import Session

from pbem.errors import AdminError
from pbem.rig import PASSING
from pbem.store.session import read, transact
from pbem.store.tables import Fact
from tests.services.company import Company


@contextmanager
def no_file_grows(beyond: int) -> Iterator[None]:
    """Let the system refuse every write beyond so many bytes into a file, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (beyond, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_an_order_that_came_while_the_disk_was_full_is_done_once_there_is_room(company: Company) -> None:
    before = len(company.stage.mails())
    wal = Path(f"{company.stage.db.url.database}-wal")
    with no_file_grows(wal.stat().st_size), pytest.raises(AdminError, match="the database cannot be used"):
        company.write("alice", "draw")
    assert company.sitting.table.turn() == 1 and len(company.stage.mails()) == before
    post = company.poll()
    assert company.sitting.table.turn() == 2 and post.readers == ["alice", "bob", "carol"]
    assert company.poll().letters == ()


def test_a_mail_that_was_not_even_read_is_read_once_there_is_room(company: Company) -> None:
    company.stage.reply("bob", "status")
    for _ in range(3):
        with no_file_grows(0), pytest.raises(PASSING):
            company.poll()
    assert company.poll().readers == ["bob"] and company.poll().letters == ()


def test_a_database_that_may_not_grow_says_so(company: Company) -> None:
    def fill(session: Session) -> None:
        session.connection().exec_driver_sql("PRAGMA max_page_count = 1")
        session.add_all(Fact(name=f"fill {number}", value="x" * 10_000) for number in range(50))

    with pytest.raises(AdminError, match="database or disk is full"):
        transact(company.stage.db, fill)
    assert read(company.stage.db, lambda session: session.get(Fact, "fill 0")) is None
