"""Define every table of the turn store.

Times are aware UTC. Nothing here that PostgreSQL could not do.
"""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Index, LargeBinary, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.moment import Moment

NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
SQLModel.metadata.naming_convention = NAMES


class Fact(SQLModel, table=True):
    """Keep one thing that the house knows of itself: its instance, its last tick, whether it may send."""

    __tablename__ = "fact"
    name: str = Field(primary_key=True)
    value: str = Field(sa_type=Text)


class Player(SQLModel, table=True):
    """Register a person; other players see the name alone."""

    __tablename__ = "player"
    id: int | None = Field(default=None, primary_key=True)
    name: str
    key: str = Field(unique=True)  # the name, casefolded
    zone: str = "UTC"
    active: bool = True
    created_at: datetime = Field(sa_type=Moment)
    prefer: str = Field(default="", sa_column_kwargs={"server_default": ""})  # mail, matrix, both, or as they stand


class Place(SQLModel, table=True):
    """Keep one address of one player: `rank` 0 is where letters go.

    `confirmed_at`: since when it is known to be the player's; nothing secret goes to one that is not.
    """

    __tablename__ = "place"
    __table_args__ = (UniqueConstraint("transport", "key"),)
    id: int | None = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", index=True)
    transport: str
    place: str
    key: str  # as compared
    rank: int = 0
    confirmed_at: datetime | None = Field(default=None, sa_type=Moment)


class Game(SQLModel, table=True):
    """Keep one match: its terms, and the snapshot of its state (the log's last).

    `clocks` is JSON: seconds by kind of prompt, "" for all others. `pace` is in seconds: answers take effect every so
    often, reckoned from the start of the game; 0: as they come in. `peeks`: when the players are told what
    moderators looked at, at the "end" of the game or at once ("open"). `disputes`: whether one stops the clocks
    ("stop") or the game goes on ("go").
    """

    __tablename__ = "game"
    id: int | None = Field(default=None, primary_key=True)
    engine: str
    version: int
    options: str = Field(sa_type=Text)
    seed: bytes = Field(sa_type=LargeBinary)
    rehearsal: bool = False
    clocks: str = Field(sa_type=Text)
    status: str = "open"  # gathering, open, paused, over, ended
    epoch: int = 0
    state: str = Field(sa_type=Text)
    step: int = 0
    entries: int = 0
    chain: str = ""
    turn: int = 0
    prompts: int = 0  # how many were ever opened
    revision: int = 0  # raised by every change of the game's rows
    created_at: datetime = Field(sa_type=Moment)
    paused_at: datetime | None = Field(default=None, sa_type=Moment)
    ended_at: datetime | None = Field(default=None, sa_type=Moment)
    pace: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    room: str = Field(default="", sa_column_kwargs={"server_default": ""})  # a public Matrix room
    peeks: str = Field(default="end", sa_column_kwargs={"server_default": "end"})
    disputes: str = Field(default="stop", sa_column_kwargs={"server_default": "stop"})


class Seat(SQLModel, table=True):
    """Keep one place at a table: `heard` is the last log entry that its letters told, `missed` counts in a row.

    `bot` names what plays a seat that no player holds.
    """

    __tablename__ = "seat"
    game_id: int = Field(foreign_key="game.id", primary_key=True)
    number: int = Field(primary_key=True)
    player_id: int | None = Field(default=None, foreign_key="player.id", index=True)
    name: str
    heard: int = 0
    missed: int = 0
    defaults: int = 0
    resigned: bool = False
    thread: str = ""  # the id of the first letter of this game and seat
    bot: str = Field(default="", sa_column_kwargs={"server_default": ""})


class Prompt(SQLModel, table=True):
    """Keep what one seat is asked, by when, and its sealed answer.

    `remind_at`: no reminder of a moment before it is due any more; None: none at all is to come.
    """

    __tablename__ = "prompt"
    __table_args__ = (
        UniqueConstraint("game_id", "number"),
        Index("ix_prompt_due", "deadline_at", sqlite_where=sa.text("closed_at IS NULL"),
              postgresql_where=sa.text("closed_at IS NULL")),
        Index("ix_prompt_remind", "remind_at", sqlite_where=sa.text("closed_at IS NULL"),
              postgresql_where=sa.text("closed_at IS NULL")),
        Index("ix_prompt_open", "game_id", sqlite_where=sa.text("closed_at IS NULL"),
              postgresql_where=sa.text("closed_at IS NULL")),
    )  # fmt: skip
    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id")
    number: int  # from 1 in its game
    seat: int
    kind: str
    asked_at: datetime = Field(sa_type=Moment)
    deadline_at: datetime = Field(sa_type=Moment)
    remind_at: datetime | None = Field(default=None, sa_type=Moment)
    order: str | None = Field(default=None, sa_type=Text)  # canonical, sealed
    order_at: datetime | None = Field(default=None, sa_type=Moment)
    given_by: str | None = None
    closed_at: datetime | None = Field(default=None, sa_type=Moment)


class Standing(SQLModel, table=True):
    """Keep the answers that a seat gave ahead to one kind of prompt: `words` is a JSON list, the first used first."""

    __tablename__ = "standing"
    game_id: int = Field(foreign_key="game.id", primary_key=True)
    seat: int = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    words: str = Field(sa_type=Text)
    given_at: datetime = Field(sa_type=Moment)


class Absence(SQLModel, table=True):
    """Keep a time into which no deadline of a seat falls, as long as this player holds it."""

    __tablename__ = "absence"
    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", index=True)
    seat: int
    player_id: int = Field(foreign_key="player.id")
    since_at: datetime = Field(sa_type=Moment)
    until_at: datetime = Field(sa_type=Moment)


class LogEntry(SQLModel, table=True):
    """Keep one entry of a game's log; never changed, never deleted."""

    __tablename__ = "log_entry"
    game_id: int = Field(foreign_key="game.id", primary_key=True)
    number: int = Field(primary_key=True)
    kind: str  # deal, step, ruling, restore
    turn: int
    body: str = Field(sa_type=Text)
    events: str = Field(sa_type=Text)
    state_hash: str
    chain: str
    entered_at: datetime = Field(sa_type=Moment)


class Receipt(SQLModel, table=True):
    """Keep the receipt of one message of a seat; never changed, never deleted.

    `body` is what its hash is made of, `deeds` what the commitment in it holds (JSON, the seat's own). `cause` is the
    key of the answer that showed it.
    """

    __tablename__ = "receipt"
    game_id: int = Field(foreign_key="game.id", primary_key=True)
    seat: int = Field(primary_key=True)
    number: int = Field(primary_key=True)  # from 1 for each seat
    cause: str
    turn: int
    body: str = Field(sa_type=Text)
    deeds: str = Field(sa_type=Text)
    hash: str
    made_at: datetime = Field(sa_type=Moment)


class Gathering(SQLModel, table=True):
    """Keep of what the seed of a game was made, or will be once all are ready or the time is over.

    `secret` is the host's part, committed to before any words came; `words` and `ready` are JSON lists by seat.
    """

    __tablename__ = "gathering"
    game_id: int = Field(foreign_key="game.id", primary_key=True)
    secret: bytes = Field(sa_type=LargeBinary)
    words: str = Field(sa_type=Text)
    ready: str = Field(sa_type=Text)
    until_at: datetime = Field(sa_type=Moment)


class Dispute(SQLModel, table=True):
    """Keep one dispute: who opened it, and what it is about, which moderators alone read; the log has its rulings.

    `seat`: whose it is (None: a moderator's, `opened_by`). `status`: open, ruled, appealed. `stop_at`: since when it
    stops the game's clocks.
    """

    __tablename__ = "dispute"
    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", index=True)
    seat: int | None = None
    opened_by: str = ""
    text: str = Field(sa_type=Text)
    status: str = "open"
    appealed_by: int | None = None
    appeal: str = Field(default="", sa_type=Text)
    stop_at: datetime | None = Field(default=None, sa_type=Moment)
    opened_at: datetime = Field(sa_type=Moment)


class Inbox(SQLModel, table=True):
    """Keep one message that came, and what became of it.

    `verdict`: answered, ignored, bounced, held, aside (the program failed on it).
    """

    __tablename__ = "inbox"
    __table_args__ = (
        UniqueConstraint("transport", "external_id"),
        Index("ix_inbox_sender", "sender_key", "handled_at"),
    )
    id: int | None = Field(default=None, primary_key=True)
    transport: str
    external_id: str
    sender: str
    sender_key: str
    player_id: int | None = Field(default=None, foreign_key="player.id")
    game_id: int | None = Field(default=None, foreign_key="game.id", index=True)
    seat: int | None = None
    subject: str
    verdict: str
    reasons: str = Field(sa_type=Text)  # JSON list
    readable: bool = False
    raw: bytes = Field(sa_type=LargeBinary)
    received_at: datetime = Field(sa_type=Moment)
    handled_at: datetime = Field(sa_type=Moment)


class Outbox(SQLModel, table=True):
    """Keep one letter to one recipient, sent by its own task.

    `status`: queued, sent, failed, bounced. `letter_id` is what the post knows it by. `rings`: it asks or reminds;
    `examples` is a JSON list of lines that would answer it. `file` is what it brings, if anything.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index("ix_outbox_queued", "next_try_at", sqlite_where=sa.text("status = 'queued'"),
              postgresql_where=sa.text("status = 'queued'")),
    )  # fmt: skip
    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(unique=True)
    letter_id: str = Field(index=True)
    kind: str
    game_id: int | None = Field(default=None, foreign_key="game.id", index=True)
    seat: int | None = None
    player_id: int | None = Field(default=None, foreign_key="player.id", index=True)
    transport: str
    place: str
    token: str
    thread: str
    subject: str
    text: str = Field(sa_type=Text)
    html: str = Field(sa_type=Text)
    status: str = "queued"
    attempts: int = 0
    error: str = Field(default="", sa_type=Text)
    created_at: datetime = Field(sa_type=Moment)
    next_try_at: datetime = Field(sa_type=Moment)
    sent_at: datetime | None = Field(default=None, sa_type=Moment)
    bounced_at: datetime | None = Field(default=None, sa_type=Moment)
    rings: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    examples: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    file_name: str = Field(default="", sa_column_kwargs={"server_default": ""})
    file: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})


class Lease(SQLModel, table=True):
    """Keep which process has a duty, `judge` or `post:NAME`, and until when unless it says so again.

    Processes that serve also stand here as `here:HOLDER`.
    """

    __tablename__ = "lease"
    name: str = Field(primary_key=True)
    holder: str
    until: datetime = Field(sa_type=Moment)
