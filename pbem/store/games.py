"""Read and write games, with their seats, prompts and log.

Rows that are read here are detached: whoever changes one says so with `save_*`.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.core.table import Entry
from pbem.engine import Event
from pbem.errors import Conflict
from pbem.store.session import rows as rows_of
from pbem.store.tables import Game, LogEntry, Prompt, Seat, Standing

Asked = TypeVar("Asked")
GAME_COLUMNS = (
    *("version", "status", "epoch", "state", "step", "entries", "chain", "turn", "prompts"),
    *("paused_at", "ended_at", "clocks"),
)
"""What may change of a game after its start."""
PROMPT_COLUMNS = ["asked_at", "deadline_at", "remind_at", "order", "order_at", "given_by", "closed_at"]
SEAT_COLUMNS = ["player_id", "bot", "heard", "missed", "defaults", "resigned", "thread"]


def _table(rows: type[SQLModel]) -> sa.Table:
    return SQLModel.metadata.tables[str(rows.__tablename__)]


def _update(rows: type[SQLModel], columns: Sequence[str], key: Sequence[str]) -> sa.Update:
    """Build an update of some columns where those of the key match `key_NAME`: built once, compiled once."""
    table = _table(rows)
    where = [table.c[name] == sa.bindparam(f"key_{name}") for name in key]
    return sa.update(table).where(*where).values({name: sa.bindparam(name) for name in columns})


SAVE_GAME = _update(Game, (*GAME_COLUMNS, "revision"), ("id", "revision"))
SAVE_SEAT = _update(Seat, SEAT_COLUMNS, ("game_id", "number"))
SAVE_PROMPT = _update(Prompt, PROMPT_COLUMNS, ("id",))
ADD_PROMPT, ADD_ENTRY = sa.insert(_table(Prompt)), sa.insert(_table(LogEntry))
GAME = select(Game).where(Game.id == sa.bindparam("game"))
CALLED = select(Game.id).where(Game.id == sa.bindparam("game"), Game.engine == sa.bindparam("engine"))
SEATS = select(Seat).where(Seat.game_id == sa.bindparam("game")).order_by(col(Seat.number))
OPEN_PROMPTS = (
    select(Prompt)
    .where(Prompt.game_id == sa.bindparam("game"), col(Prompt.closed_at).is_(None))
    .order_by(col(Prompt.number))
)
PUBLIC = select(Game).where(Game.room == sa.bindparam("room")).order_by(col(Game.id).desc()).limit(1)
STANDING = select(Standing).where(Standing.game_id == sa.bindparam("game"))
SEALED = (
    select(Game.id, Game.created_at, Game.pace, sa.func.min(col(Prompt.order_at)))
    .join(Prompt, col(Prompt.game_id) == Game.id)
    .where(Game.status == "open", Game.pace > 0, col(Prompt.closed_at).is_(None), col(Prompt.order).is_not(None))
    .group_by(col(Game.id))
)
LOG = (
    select(LogEntry)
    .where(
        LogEntry.game_id == sa.bindparam("game"),
        LogEntry.number > sa.bindparam("after"),
        LogEntry.turn >= sa.bindparam("turn"),
    )
    .order_by(col(LogEntry.number))
)


def find_game(session: Session, game_id: int) -> Game | None:
    """Find a game by its number."""
    return next(iter(rows_of(session, GAME, game=game_id)), None)


def find_public(session: Session, room: str) -> Game | None:
    """Find the newest game whose public room this is."""
    return next(iter(rows_of(session, PUBLIC, room=room)), None) if room else None


def is_called(session: Session, game_id: int, engine: str) -> bool:
    """Tell whether the game of that number is one of that engine."""
    return session.scalars(CALLED, {"game": game_id, "engine": engine}).first() is not None


def list_games(session: Session, *, status: str | None = None) -> list[Game]:
    """List games, oldest first."""
    query = select(Game).order_by(col(Game.id))
    return list(session.exec(query.where(Game.status == status) if status else query))


def games_of(session: Session, player_id: int) -> list[tuple[Game, Seat]]:
    """List the games in which a player holds a seat and that still go on."""
    query = (
        select(Game, Seat)
        .join(Seat, col(Seat.game_id) == Game.id)
        .where(Seat.player_id == player_id, col(Game.status).in_(["gathering", "open", "paused"]))
        .order_by(col(Game.id))
    )
    return [(game, seat) for game, seat in session.exec(query)]


def seats_of(session: Session, game_id: int) -> list[Seat]:
    """List a game's seats in their order."""
    return rows_of(session, SEATS, game=game_id)


def find_seat(session: Session, game_id: int, number: int) -> Seat | None:
    """Find a seat of a game by its number."""
    return next((seat for seat in seats_of(session, game_id) if seat.number == number), None)


def open_prompts(session: Session, game_id: int) -> dict[int, Prompt]:
    """Give what is asked now, by seat."""
    return {prompt.seat: prompt for prompt in rows_of(session, OPEN_PROMPTS, game=game_id)}


def standing_of(session: Session, game_id: int) -> list[Standing]:
    """List the answers that a game's seats gave ahead."""
    return rows_of(session, STANDING, game=game_id)


def save_standing(session: Session, game_id: int, seat: int, kind: str, row: Standing | None) -> None:
    """Keep a seat's answers ahead to a kind of prompt in place of those before, or none."""
    table = _table(Standing)
    at = sa.and_(table.c.game_id == game_id, table.c.seat == seat, table.c.kind == kind)
    session.connection().execute(sa.delete(table).where(at))
    if row is not None:
        session.connection().execute(sa.insert(table), [row.model_dump()])


def sealed(session: Session) -> list[tuple[int, datetime, timedelta, datetime]]:
    """List the paced games in which an answer waits: number, start, pace, and when the oldest came."""
    found = session.connection().execute(SEALED)
    return [(number, began, timedelta(seconds=pace), oldest) for number, began, pace, oldest in found]


def find_prompt(session: Session, game_id: int, number: int) -> Prompt | None:
    """Find a prompt, open or closed, by its number in its game."""
    return session.exec(select(Prompt).where(Prompt.game_id == game_id, Prompt.number == number)).first()


def answered_prompt(session: Session, game_id: int, seat: int) -> Prompt | None:
    """Find the newest prompt of a seat that is closed and was answered."""
    query = select(Prompt).where(
        Prompt.game_id == game_id,
        Prompt.seat == seat,
        col(Prompt.closed_at).is_not(None),
        col(Prompt.order).is_not(None),
    )
    return session.exec(query.order_by(col(Prompt.number).desc()).limit(1)).first()


def log_of(session: Session, game_id: int, after: int = 0, since_turn: int = 0) -> list[LogEntry]:
    """List a game's log entries: those after a number, from a turn on."""
    return rows_of(session, LOG, game=game_id, after=after, turn=since_turn)


def events_of(entry: LogEntry) -> tuple[Event, ...]:
    """Read the events of a log entry."""
    return tuple(
        Event(kind, facts, None if seen_by is None else tuple(seen_by))
        for kind, facts, seen_by in json.loads(entry.events)
    )


def add_game(session: Session, game: Game, seats: Sequence[Seat]) -> int:
    """Insert a new game with its seats, and give its number."""
    session.add(game)
    session.flush()
    assert game.id is not None
    for seat in seats:
        seat.game_id = game.id
        session.add(seat)
    session.flush()
    for row in (game, *seats):
        session.refresh(row)
        session.expunge(row)
    return game.id


def save_game(session: Session, game: Game) -> None:
    """Write a game's changeable columns.

    Raises: Conflict if somebody changed the game since it was read.
    """
    values = {name: getattr(game, name) for name in GAME_COLUMNS}
    done = session.connection().execute(
        SAVE_GAME, {**values, "revision": game.revision + 1, "key_id": game.id, "key_revision": game.revision}
    )
    if done.rowcount != 1:
        raise Conflict(f"game {game.id} was changed meanwhile")
    game.revision += 1


def save_seats(session: Session, seats: Iterable[Seat]) -> None:
    """Write the changeable columns of seats."""
    rows = [
        {**{name: getattr(seat, name) for name in SEAT_COLUMNS}, "key_game_id": seat.game_id, "key_number": seat.number}
        for seat in seats
    ]
    if rows:
        session.connection().execute(SAVE_SEAT, rows)


def add_prompts(session: Session, prompts: Sequence[Prompt]) -> None:
    """Insert new prompts."""
    if prompts:
        rows = [prompt.model_dump(exclude={"id"}) for prompt in prompts]
        session.connection().execute(ADD_PROMPT, rows)


def save_prompts(session: Session, prompts: Iterable[Prompt]) -> None:
    """Write the changeable columns of prompts that were read before."""
    rows = [{**{name: getattr(prompt, name) for name in PROMPT_COLUMNS}, "key_id": prompt.id} for prompt in prompts]
    if rows:
        session.connection().execute(SAVE_PROMPT, rows)


def add_entries(session: Session, game: Game, entries: Sequence[tuple[Entry, int]], now: datetime) -> None:
    """Append entries, each with the turn in which it came, to a game's log."""
    rows = [entry_row(game, entry, turn, now).model_dump() for entry, turn in entries]
    if rows:
        session.connection().execute(ADD_ENTRY, rows)


def entry_row(game: Game, entry: Entry, turn: int, now: datetime) -> LogEntry:
    """Make the row of an entry."""
    events = json.dumps([[e.kind, dict(e.facts), e.seen_by] for e in entry.events], ensure_ascii=False)
    return LogEntry(
        game_id=game.id or 0, number=entry.number, kind=entry.kind, turn=turn, body=entry.body, events=events,
        state_hash=entry.state_hash, chain=entry.chain, entered_at=now,
    )  # fmt: skip


def games_due(session: Session, until: datetime) -> list[int]:
    """List the open games in which an unanswered prompt's deadline has passed, the longest overdue first."""
    return list(dict.fromkeys(session.exec(due_query(until))))


def prompts_to_remind(session: Session, until: datetime) -> list[Prompt]:
    """List the unanswered prompts of open games of which a reminder may be due."""
    prompts = list(session.exec(remind_query(until)))
    for prompt in prompts:
        session.expunge(prompt)
    return prompts


def open_clocks(session: Session) -> list[tuple[Prompt, Game]]:
    """List all that is asked now in games that go on or are paused, answered or not."""
    query = (
        select(Prompt, Game)
        .join(Game, col(Game.id) == Prompt.game_id)
        .where(col(Prompt.closed_at).is_(None))
        .order_by(col(Prompt.id))
    )
    found = [(prompt, game) for prompt, game in session.exec(query)]
    session.expunge_all()
    return found


def due_query(until: datetime) -> SelectOfScalar[int]:
    """Ask by index for what is due: many games wait, and few of them are due."""
    return _unanswered(select(Prompt.game_id)).where(Prompt.deadline_at <= until).order_by(col(Prompt.deadline_at))


def remind_query(until: datetime) -> SelectOfScalar[Prompt]:
    """Ask by index for whom to remind."""
    return _unanswered(select(Prompt)).where(col(Prompt.remind_at) <= until).order_by(col(Prompt.remind_at))


def _unanswered(query: SelectOfScalar[Asked]) -> SelectOfScalar[Asked]:
    return query.join(Game, col(Game.id) == Prompt.game_id).where(
        col(Prompt.closed_at).is_(None), col(Prompt.order).is_(None), Game.status == "open"
    )
