"""Measure a move through the office: a reply mail in, three digests (text and HTML) committed, synchronous=FULL."""

import statistics
import tempfile
import time
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, col, select

from bench.measure import emit
from pbem.core.dice import rehearsal_seed
from pbem.core.message import Outbound
from pbem.engine import Dice
from pbem.services import office
from pbem.store import mail
from pbem.store.tables import LogEntry, Outbox
from pbem.testing.stage import Stage, open_stage, reply_to
from pbem.transports import mime
from pbem.transports.letterhead import Letterhead, write

PLAYERS = ("alice", "bob", "carol")


def run(moves: int = 400) -> float:
    """Print and give the milliseconds of one move."""
    with tempfile.TemporaryDirectory() as folder:
        stage = open_stage(Path(folder))
        for name in PLAYERS:
            stage.add_player(name)
        times: list[float] = []
        number = 0
        while len(times) < moves:
            number += 1
            times += _game(stage, stage.new_game("blame", PLAYERS, seed=f"bench {number}"))
        letters, steps = _counts(stage)
        stage.close()
    emit("office: a reply in, its letters committed", statistics.median(times) * 1000, "ms (median)")
    emit("office: the slowest in a hundred", sorted(times)[int(len(times) * 0.99)] * 1000, "ms (p99)")
    emit("office: letters a step", letters / steps, "letters")
    return statistics.median(times)


def a_reply() -> bytes:
    """Give a reply as it comes in: the words above, the letter quoted below."""
    with tempfile.TemporaryDirectory() as folder:
        stage = open_stage(Path(folder))
        for name in PLAYERS:
            stage.add_player(name)
        raw = _reply(stage, stage.new_game("blame", PLAYERS, seed="bench", first="alice"), 0, "draw", 0)
        stage.close()
    return raw


def _game(stage: Stage, game: str) -> list[float]:
    """Play one game, and time each message from its bytes to the commit."""
    dice = Dice(rehearsal_seed(game))
    times: list[float] = []
    while (sitting := stage.sitting(game)).is_open:
        for seat in sorted(sitting.prompts):
            text = sitting.engine.sample(sitting.table.view(seat), dice)
            raw = _reply(stage, game, seat, text, len(times))
            start = time.perf_counter()
            message = mime.read(raw, "mail", stage.now)
            fate = office.receive(stage.db, stage.house, stage.now, message)
            times.append(time.perf_counter() - start)
            assert fate == "answered", fate
    return times


def _reply(stage: Stage, game: str, seat: int, text: str, number: int) -> bytes:
    """Write a reply to the newest letter of a seat, the letter quoted below, as mail programs do."""
    import email
    import email.policy
    from email.message import EmailMessage

    with Session(stage.db) as session:
        query = select(Outbox).where(Outbox.game_id == int(game.rpartition("-")[2]), Outbox.seat == seat)
        row = session.exec(query.order_by(col(Outbox.id).desc())).first()
        assert row is not None
        letter: Outbound = mail.as_outbound(row)
    head = Letterhead("pbem", stage.config.office.address, True)
    parsed = email.message_from_bytes(write(letter, head), policy=email.policy.default)
    assert isinstance(parsed, EmailMessage)
    return reply_to(parsed, letter.to.place, text, stage.now, hash((game, number)) % 10**9)


def _counts(stage: Stage) -> tuple[int, int]:
    with Session(stage.db) as session:
        letters = session.exec(select(sa.func.count()).select_from(Outbox)).one()
        steps = session.exec(select(sa.func.count()).select_from(LogEntry).where(LogEntry.kind == "step")).one()
    return letters, steps
