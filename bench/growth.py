"""Measure whether a move grows slower: late in a long game, and with many other games in the store."""

import statistics

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from bench import counting, office
from bench.measure import emit
from pbem.services import desk, letters, sittings, turns
from pbem.store.session import transact
from pbem.testing.stage import Stage

LATE, OTHERS, PAIRS = 5000, 10_000, 250


def run() -> None:
    """Print both ratios, each from moves of the two houses in turn."""
    with counting.hosted(), office.house() as early, office.house() as late:
        games = [stage.new_game("counting", office.PLAYERS, seed="growth") for stage in (early, late)]
        play_on(late, games[1], LATE)
        emit(f"growth: at turn {LATE:,} against the start", _ratio(early, late, games), "times")
    with counting.hosted(), office.house() as few, office.house() as many:
        games = [stage.new_game("counting", office.PLAYERS, seed="growth") for stage in (few, many)]
        multiply(many, OTHERS)
        emit(f"growth: with {OTHERS:,} other games", _ratio(few, many, games), "times")


def play_on(stage: Stage, game: str, count: int) -> None:
    """Play so many turns, each with its letters, in a transaction of its own."""

    def one(session: Session) -> None:
        sitting = sittings.sit(session, stage.house, desk.get_game(session, game))
        (seat,) = sitting.prompts
        turns.answer(sitting, seat, 7, stage.now)
        turns.advance(sitting, stage.now)
        letters.tell(session, stage.house, sitting, stage.now)
        sittings.rise(session, sitting, stage.now)

    for _ in range(count):
        transact(stage.db, one)


def multiply(stage: Stage, count: int) -> None:
    """Copy the one game of a house, with its rows in every table, so many times."""
    with stage.db.begin() as db:
        numbers = f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {count})"
        for name in ("game", "seat", "prompt", "log_entry", "outbox"):
            table = SQLModel.metadata.tables[name]
            rows = f"select {', '.join(_copied(column) for column in table.columns)} from {name}, n"
            db.execute(sa.text(f"insert into {name} {numbers} {rows}"))


def _copied(column: "sa.Column[object]") -> str:
    """Say what stands in a column of the copy number i."""
    name = f'{column.table.name}."{column.name}"'
    if (column.table.name == "game" and column.name == "id") or column.name == "game_id":
        return f"{name} + i"
    if column.name == "id":
        return f"{name} + 100 * i"
    return f"{name} || '-' || i" if column.name in ("key", "letter_id") else name


def _ratio(one: Stage, other: Stage, games: list[str]) -> float:
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(PAIRS):
        for stage, game, spent in zip((one, other), games, times, strict=True):
            spent += office.a_move(stage, game, number)
    return statistics.median(times[1]) / statistics.median(times[0])
