"""Measure a move through the office: a reply mail in, three digests (text and HTML) committed, synchronous=FULL."""

import email
import email.policy
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, select

from bench.measure import emit
from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.services import office
from pbem.store import mail
from pbem.store.session import read
from pbem.store.tables import LogEntry, Outbox
from pbem.testing.stage import Stage, open_stage, reply_to
from pbem.transports import mime
from pbem.transports.letterhead import Letterhead, write

PLAYERS = ("alice", "bob", "carol")


@contextmanager
def house(url: str = "") -> Iterator[Stage]:
    """Open an empty house with three players."""
    with tempfile.TemporaryDirectory() as folder:
        stage = open_stage(Path(folder), url=url)
        for name in PLAYERS:
            stage.add_player(name)
        yield stage
        stage.close()


def run(moves: int = 400, url: str = "", name: str = "office") -> float:
    """Print and give the seconds of one move of a real game."""
    with house(url) as stage:
        times: list[float] = []
        number = 0
        while len(times) < moves:
            number += 1
            game = stage.new_game("blame", PLAYERS, seed=f"bench {number}")
            while len(times) < moves and (sat := a_move(stage, game, len(times))):
                times += sat
        letters, steps = _counts(stage)
    emit(f"{name}: a reply in, its letters committed", statistics.median(times) * 1000, "ms (median)")
    emit(f"{name}: the slowest in a hundred", sorted(times)[int(len(times) * 0.99)] * 1000, "ms (p99)")
    emit(f"{name}: letters a step", letters / steps, "letters")
    return statistics.median(times)


def a_move(stage: Stage, game: str, number: int) -> list[float]:
    """Let all who are asked answer, and give the seconds of each, from the mail's bytes to the commit."""
    sitting = stage.sitting(game)
    dice = Dice(rehearsal_seed(f"{game} {number}"))
    times = []
    for seat in sorted(sitting.prompts):
        text = sitting.engine.sample(sitting.table.view(seat), dice)
        raw = _reply(stage, game, seat, text)
        start = time.perf_counter()
        fate = office.receive(stage.db, stage.house, stage.now, mime.read(raw, "mail", stage.now))
        times.append(time.perf_counter() - start)
        assert fate == "answered", fate
    return times


def a_reply() -> bytes:
    """Give a reply as it comes in: the words above, the letter quoted below."""
    with house() as stage:
        return _reply(stage, stage.new_game("blame", PLAYERS, seed="bench", first="alice"), 0, "draw")


def _reply(stage: Stage, game: str, seat: int, text: str) -> bytes:
    """Write a reply to the newest letter of a seat, the letter quoted below, as mail programs do."""
    row = read(stage.db, lambda session: mail.newest_letter(session, int(game.rpartition("-")[2]), seat))
    assert row is not None
    letter = mail.as_outbound(row)
    head = Letterhead("pbem", stage.config.office.address, True)
    parsed = email.message_from_bytes(write(letter, head), policy=email.policy.default)
    assert isinstance(parsed, EmailMessage)
    return reply_to(parsed, letter.to.place, text, stage.now, row.id or 0)


def _counts(stage: Stage) -> tuple[int, int]:
    with Session(stage.db) as session:
        letters = session.exec(select(sa.func.count()).select_from(Outbox)).one()
        steps = session.exec(select(sa.func.count()).select_from(LogEntry).where(LogEntry.kind == "step")).one()
    return letters, steps
