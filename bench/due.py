"""Measure a tick at which very many games are due at once: the default played, and three letters written, for each."""

import os
import time
from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import SQLModel

from bench import office
from bench.growth import multiply
from bench.measure import emit
from pbem.services import deadlines
from pbem.store import games
from pbem.store.session import read, transact

GAMES = int(os.environ.get("BENCH_DUE", "10000"))


def run() -> None:
    """Print the games judged a second, and how long all took."""
    with office.house() as stage:
        stage.new_game("blame", office.PLAYERS, seed="due")
        multiply(stage, GAMES - 1)
        with stage.db.begin() as db:
            db.execute(sa.update(SQLModel.metadata.tables["outbox"]).values(status="sent"))
        stage.now += timedelta(days=30)
        transact(stage.db, lambda session: deadlines.post_was_read(session, "mail", stage.now))
        due = len(read(stage.db, lambda session: games.games_due(session, stage.now)))
        start = time.perf_counter()
        deadlines.tick(stage.db, stage.house, stage.now, ("mail",))
        seconds = time.perf_counter() - start
        left = len(read(stage.db, lambda session: games.games_due(session, stage.now)))
    assert (due, left) == (GAMES, 0), (due, left)
    emit(f"due: {GAMES:,} games due at once", seconds, "s")
    emit("due: judged, their letters written", GAMES / seconds, "games/s")
