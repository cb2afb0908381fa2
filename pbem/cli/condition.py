"""Examine what stands in a database: is it sound, does time go on, what waits, what is broken."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from pbem.config import Config
from pbem.core.clock import show_span
from pbem.services import duties, instance
from pbem.services.sittings import name_of
from pbem.store import facts, games, lock, mail
from pbem.store.session import read
from pbem.store.tables import Game, Inbox, Outbox

DAY = timedelta(days=1)
RECENT = timedelta(days=7)


@dataclass(frozen=True)
class Finding:
    """Say what one check found; `mend` is what to do, where it is not ok."""

    what: str
    ok: bool
    told: str
    mend: str = ""


def sound(db: sa.Engine) -> Iterator[Finding]:
    """Let SQLite look at every page and every reference."""
    if db.dialect.name != "sqlite":
        return
    with db.connect() as connection:
        found = [row[0] for row in connection.exec_driver_sql("PRAGMA integrity_check(3)")]
        loose = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(3)
    told = "; ".join(
        [*(text for text in found if text != "ok"), *(f"a row of {row[0]} points nowhere" for row in loose)]
    )
    if told:
        yield Finding("integrity", False, told, "stop serving, and copy the newest backup back")
    else:
        yield Finding("integrity", True, "every page and every reference is sound")


def living(db: sa.Engine, config: Config, now: datetime) -> Iterator[Finding]:
    """Look at clock, halt, queue, inbox and games."""
    yield Finding("serving", True, "; ".join(_serving(db, now)) or "nobody serves just now")
    findings = read(
        db,
        lambda session: [
            *_halt(session, config),
            *_clock(session, config, now),
            *_post(session, now),
            *_faults(session),
        ],
    )
    yield from findings


def _serving(db: sa.Engine, now: datetime) -> list[str]:
    if lock.database_file(db) is None:
        return read(db, lambda session: duties.told(session, now))
    holder = lock.owner(db)
    return [f"{holder} is running"] if holder else []


def _halt(session: Session, config: Config) -> Iterator[Finding]:
    strange = instance.strange(session, config)  # first of all, since it reads a file that is older than the database
    if why := facts.find_fact(session, "halt") or strange:
        yield Finding("halt", False, f"nothing is judged: {why}", "if that is well, run `pbem admin confirm`")
    else:
        yield Finding("halt", True, "sending and judging are on")


def _clock(session: Session, config: Config, now: datetime) -> Iterator[Finding]:
    last = facts.find_moment(session, "tick_at")
    if last is None:
        yield Finding("clock", False, "the database knows no last pass", "`pbem admin confirm`")
        return
    ago = f"the last pass was {show_span(now - last)} ago"
    if now < last - config.time.tick:
        told = f"the clock stands {show_span(last - now)} before the last pass"
        yield Finding("clock", False, told, "set it right, then `pbem admin confirm`")
    elif now - last > DAY and not facts.find_fact(session, "halt"):
        yield Finding("clock", False, f"{ago}: is the clock right?", "if it is, `pbem poll`, then `pbem admin confirm`")
    elif games.list_games(session, status="open") and now - last > config.time.downtime_after:
        yield Finding("clock", False, ago, "run `pbem serve`, or `pbem poll` from cron")
    else:
        yield Finding("clock", True, f"{now:%Y-%m-%d %H:%M} UTC; {ago}")


def _post(session: Session, now: datetime) -> Iterator[Finding]:
    """Count what waits, and what was given up or set aside of late."""
    lost = session.exec(
        select(sa.func.count())
        .select_from(Outbox)
        .where(col(Outbox.status).in_(["failed", "bounced"]), Outbox.created_at > now - RECENT)
    ).one()
    aside = session.exec(
        select(sa.func.count()).select_from(Inbox).where(Inbox.verdict == "aside", Inbox.handled_at > now - RECENT)
    ).one()
    waiting = f"waiting letters: {mail.queue_length(session)}"
    if lost:
        mend = "`pbem admin outbox`, then `outbox retry ID`, or `pbem admin edit-player` where an address is wrong"
        yield Finding("queue", False, f"{waiting}; not delivered in 7 days: {lost}", mend)
    else:
        yield Finding("queue", True, waiting)
    if aside:
        yield Finding("messages", False, f"set aside in 7 days: {aside}", "`pbem admin inbox`, then `inbox retry ID`")


def _faults(session: Session) -> Iterator[Finding]:
    """Find the games that the program paused itself: no ruling in the log says so."""
    found = games.list_games(session)
    broken = [name_of(game) for game in found if game.status == "paused" and not _was_ruled(session, game)]
    if broken:
        yield Finding(
            "games",
            False,
            f"paused by a fault of the program: {', '.join(broken)}",
            "the log says what failed; then `pbem admin resume`",
        )
    else:
        yield Finding("games", True, f"going on: {sum(game.status == 'open' for game in found)}")


def _was_ruled(session: Session, game: Game) -> bool:
    last = games.log_of(session, game.id or 0, after=game.entries - 1)
    return bool(last) and any(event.kind == "house.paused" for event in games.events_of(last[-1]))
