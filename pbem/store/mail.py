"""Read and write the inbox and the outbox."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from pbem.core.message import Address, Inbound, Outbound
from pbem.store.session import rows as rows_of
from pbem.store.tables import Game, Inbox, Outbox

ADD_MESSAGE, ADD_LETTER = sa.insert(Inbox), sa.insert(Outbox)
MESSAGE = select(Inbox).where(
    Inbox.transport == sa.bindparam("transport"), Inbox.external_id == sa.bindparam("external_id")
)
UNREADABLE = (
    select(sa.func.count())
    .select_from(Inbox)
    .where(
        Inbox.sender_key == sa.bindparam("sender"), Inbox.handled_at > sa.bindparam("since"),
        Inbox.verdict == "answered", col(Inbox.readable).is_(False),
    )
)  # fmt: skip
LETTER = select(Outbox).where(Outbox.letter_id == sa.bindparam("letter_id"))
LETTER_OF = select(Outbox.id).where(Outbox.key == sa.bindparam("key"))


def find_message(session: Session, transport: str, external_id: str) -> Inbox | None:
    """Find what became of a message that a transport brought before."""
    return session.scalars(MESSAGE, {"transport": transport, "external_id": external_id}).first()


def add_message(session: Session, message: Inbound, now: datetime, **fate: object) -> int:
    """Record a message with its fate, and give its number."""
    values = {
        "transport": message.transport,
        "external_id": message.external_id,
        "sender": message.sender,
        "sender_key": message.sender.strip().casefold(),
        "subject": message.subject,
        "raw": message.raw,
        "received_at": message.received_at,
        "handled_at": now,
        "readable": False,
        **fate,
    }
    done = session.connection().execute(ADD_MESSAGE, values)
    assert done.inserted_primary_key is not None
    return int(done.inserted_primary_key[0])


def drop_message(session: Session, inbox_id: int) -> None:
    """Take a message out, because it is about to be handled anew."""
    session.connection().execute(sa.delete(Inbox).where(col(Inbox.id) == inbox_id))


def list_messages(session: Session, limit: int = 50) -> list[Inbox]:
    """List the newest messages."""
    return list(session.exec(select(Inbox).order_by(col(Inbox.id).desc()).limit(limit)))


def messages_about(
    session: Session, game_id: int, player_ids: Sequence[int], since: datetime, until: datetime
) -> list[Inbox]:
    """List the messages of a time that belong to a game, and those of its players that belong to none; oldest first."""
    ours = sa.or_(
        col(Inbox.game_id) == game_id, sa.and_(col(Inbox.game_id).is_(None), col(Inbox.player_id).in_(player_ids))
    )
    query = select(Inbox).where(ours, col(Inbox.received_at) <= until, col(Inbox.handled_at) >= since)
    return rows_of(session, query.order_by(col(Inbox.received_at), col(Inbox.id)))


def letters_about(session: Session, game_id: int, since: datetime, until: datetime) -> list[Outbox]:
    """List the letters of a game that were written in a time, oldest first."""
    query = select(Outbox).where(Outbox.game_id == game_id, Outbox.created_at >= since, Outbox.created_at <= until)
    return rows_of(session, query.order_by(col(Outbox.id)))


def subjects_of(session: Session, game_id: int) -> set[str]:
    """Give the subjects of a game's letters; those of talk tell who wrote to whom, and are left out."""
    query = select(Outbox.subject).where(Outbox.game_id == game_id, Outbox.kind != "talk").distinct()
    return set(session.exec(query))


def messages_of(session: Session, game_id: int, seat: int) -> list[Inbox]:
    """List the messages that were taken to come from a seat, oldest first."""
    query = select(Inbox).where(Inbox.game_id == game_id, Inbox.seat == seat).order_by(col(Inbox.id))
    return list(session.exec(query.options(defer(Inbox.raw))))  # type: ignore[arg-type]


def find_inbox(session: Session, inbox_id: int) -> Inbox | None:
    """Find a message by its number."""
    return session.get(Inbox, inbox_id)


def count_unreadable(session: Session, sender_key: str, since: datetime) -> int:
    """Count the answered messages of a sender in which nothing could be read."""
    return session.scalars(UNREADABLE, {"sender": sender_key, "since": since}).one()


def add_letters(session: Session, letters: Sequence[dict[str, object]]) -> None:
    """Queue letters: each a dict of the outbox's columns."""
    if letters:
        session.connection().execute(ADD_LETTER, list(letters))


def newest_tokens(session: Session, player_id: int, other_than: str, before: datetime) -> list[str]:
    """Give the tokens of the letters that a player got by other posts than one before a moment, the newest first."""
    query = (
        select(Outbox.token)
        .where(
            Outbox.player_id == player_id, Outbox.transport != other_than, Outbox.token != "",
            col(Outbox.kind) != "talk", col(Outbox.sent_at) <= before,
        )
        .order_by(col(Outbox.id).desc())
        .limit(20)
    )  # fmt: skip
    return list(session.exec(query))


def has_letter(session: Session, key: str) -> bool:
    """Tell whether a letter of that key was ever queued."""
    return session.scalars(LETTER_OF, {"key": key}).first() is not None


def letters_caused(session: Session, game_id: int, cause: str) -> list[Outbox]:
    """List the letters that answer one message, oldest first: one, unless it went by two posts or once more."""
    query = select(Outbox).where(Outbox.game_id == game_id, col(Outbox.key).startswith(cause, autoescape=True))
    return list(session.exec(query.order_by(col(Outbox.id))))


def find_letter(session: Session, letter_ids: Sequence[str]) -> Outbox | None:
    """Find the first of these letters that we wrote, by the id that the post knows."""
    for letter_id in letter_ids[:20]:
        row = session.scalars(LETTER, {"letter_id": letter_id}).first()
        if row is not None:
            return row
    return None


def newest_letter(session: Session, game_id: int, seat: int) -> Outbox | None:
    """Find the newest letter to a seat that can be answered."""
    query = select(Outbox).where(Outbox.game_id == game_id, Outbox.seat == seat, Outbox.token != "")
    return session.exec(query.order_by(col(Outbox.id).desc()).limit(1)).first()


def due_letters(session: Session, now: datetime, after: int = 0, limit: int = 100) -> list[Outbox]:
    """List queued letters whose time has come, those after a number, oldest first."""
    query = (
        select(Outbox)
        .where(Outbox.status == "queued", Outbox.next_try_at <= now, col(Outbox.id) > after)
        .order_by(col(Outbox.id))
        .limit(limit)
    )
    rows = list(session.exec(query))
    for row in rows:
        session.expunge(row)
    return rows


def claim_letters(
    session: Session, now: datetime, until: datetime, after: int = 0, limit: int = 100, without: Sequence[str] = ()
) -> list[Outbox]:
    """Take queued letters whose time has come, so that no other process takes them before `until`; oldest first.

    Those of the posts `without` are left to others.

    Whoever takes them and dies has lost none: they are due again then.
    """
    free = (
        select(Outbox.id)
        .where(
            Outbox.status == "queued",
            Outbox.next_try_at <= now,
            col(Outbox.id) > after,
            col(Outbox.transport).not_in(without),
        )
        .order_by(col(Outbox.id))
        .limit(limit)
        .with_for_update(skip_locked=True)
        .cte("free")
    )
    claim = sa.update(Outbox).where(col(Outbox.id).in_(sa.select(free.c.id))).values(next_try_at=until)
    done = session.scalars(claim.returning(Outbox), execution_options={"synchronize_session": False})
    rows = sorted(done, key=lambda row: row.id or 0)
    for row in rows:
        session.expunge(row)
    return rows


def hurry_to(session: Session, address: Address, now: datetime) -> None:
    """Let the letters that wait for one address go out now."""
    waiting = sa.and_(
        col(Outbox.status) == "queued", col(Outbox.transport) == address.transport, col(Outbox.place) == address.place
    )
    session.connection().execute(sa.update(Outbox).where(waiting).values(next_try_at=now, attempts=0))


def mark_letter(session: Session, outbox_id: int, **values: object) -> None:
    """Write what became of a letter."""
    session.connection().execute(sa.update(Outbox).where(col(Outbox.id) == outbox_id).values(**values))


def drop_queued(session: Session) -> int:
    """Give up all letters that wait, and count them."""
    return _drop(session, "dropped by the operator")


def drop_overtaken(session: Session, game_id: int) -> int:
    """Give up the letters of a game that wait and that a newer one will replace (talk stays), and count them."""
    return _drop(
        session, "overtaken: the database was restored", col(Outbox.game_id) == game_id, col(Outbox.kind) != "talk"
    )


def drop_letters_of(session: Session, game_id: int, seat: int) -> int:
    """Give up the letters to a seat that wait: whoever it was handed over to gets others."""
    return _drop(session, "the seat was handed over", col(Outbox.game_id) == game_id, col(Outbox.seat) == seat)


def _drop(session: Session, why: str, *which: sa.ColumnElement[bool]) -> int:
    done = session.connection().execute(
        sa.update(Outbox).where(col(Outbox.status) == "queued", *which).values(status="failed", error=why)
    )
    return done.rowcount


def hurry(session: Session, now: datetime) -> None:
    """Let no letter wait beyond now: its next try was reckoned by a wrong clock."""
    session.connection().execute(
        sa.update(Outbox).where(col(Outbox.status) == "queued", col(Outbox.next_try_at) > now).values(next_try_at=now)
    )


def letters_bearing(session: Session, game_id: int, token: str) -> list[tuple[str, datetime]]:
    """Give status and time of writing of the letters that bear a token, oldest first; talk asks nothing."""
    query = select(Outbox.status, Outbox.created_at).where(
        Outbox.game_id == game_id, Outbox.token == token, Outbox.kind != "talk"
    )
    return [(status, created_at) for status, created_at in session.exec(query.order_by(col(Outbox.id)))]


def list_letters(session: Session, limit: int = 50) -> list[Outbox]:
    """List the newest letters."""
    return list(session.exec(select(Outbox).order_by(col(Outbox.id).desc()).limit(limit)))


def queue_length(session: Session) -> int:
    """Count the letters that wait to be sent."""
    return session.exec(select(sa.func.count()).select_from(Outbox).where(Outbox.status == "queued")).one()


@dataclass(frozen=True, slots=True)
class Counts:
    """Count moves, and messages and letters by their fate; `oldest` is when the oldest waiting letter was written."""

    moves: int
    messages: dict[str, int]
    letters: dict[str, int]
    oldest: datetime | None


def counts(session: Session) -> Counts:
    """Count what came, what went, and what was played."""
    steps = select(sa.func.coalesce(sa.func.sum(Game.step), 0))
    came = select(Inbox.verdict, sa.func.count()).group_by(Inbox.verdict)
    went = select(Outbox.status, sa.func.count()).group_by(Outbox.status)
    oldest = select(Outbox.created_at).where(Outbox.status == "queued").order_by(col(Outbox.id)).limit(1)
    return Counts(
        int(session.exec(steps).one()), dict(session.exec(came).all()), dict(session.exec(went).all()),
        session.exec(oldest).first(),
    )  # fmt: skip


def as_outbound(row: Outbox) -> Outbound:
    """Give a row of the outbox as a letter."""
    return Outbound(
        key=row.key,
        to=Address(row.transport, row.place),
        token=row.token,
        thread=row.thread,
        subject=row.subject,
        text=row.text,
        html=row.html,
        file_name=row.file_name,
        file=row.file,
        created_at=row.created_at,
        rings=row.rings,
        examples=tuple(json.loads(row.examples)) if row.examples else (),
    )


def reasons_of(row: Inbox) -> list[str]:
    """Read why a message met its fate."""
    return [str(reason) for reason in json.loads(row.reasons)]
