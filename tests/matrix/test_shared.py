"""Several processes on one database: one of them alone uses the Matrix account."""

import asyncio
from pathlib import Path

from pbem.daemon import one_pass
from pbem.rig import Rig
from pbem.services.envelopes import letter_row
from pbem.store import mail
from pbem.store.session import transact
from pbem.transports.matrix.post import Matrix
from tests.matrix.court import PEOPLE, Court, opened
from tests.services.company import outbox


def test_who_does_not_read_the_post_sends_nothing_by_it(tmp_path: Path, postgres_url: str) -> None:
    with opened(tmp_path, postgres_url) as court:
        court.deal("b08-sent-while-down.json")
        other = Rig(court.stage.db, court.stage.house, [court.stage.rig.transports[0], Matrix(court.server.session)])
        other.clock = lambda: court.stage.now
        try:
            _two_pass(court, other)
        finally:
            other.writer.shutdown()


def _two_pass(court: Court, other: Rig) -> None:
    court.poll()
    heard, now = len(court.heard()), court.stage.now
    row = letter_row("matrix", PEOPLE["ann"], "notice", "n-1", "s", "hello", "", now)
    transact(court.stage.db, lambda session: mail.add_letters(session, [row]))
    assert "post:matrix" in asyncio.run(one_pass(other)).left
    assert court.heard()[heard:] == []
    court.poll()
    assert court.heard()[heard:] == ["hello"]
    assert {row.status for row in outbox(court.stage)} == {"sent"}
