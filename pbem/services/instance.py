"""Tell the database that was serving from a restored or copied one.

The instance id stands in the database and in a file beside it, with the time of the last tick: a database that is older
than the file, or has another id, or lies elsewhere, is not the one that it was. Then nothing is read, sent or judged.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session

from pbem.config import Config
from pbem.core.clock import show_instant
from pbem.errors import EngineFault
from pbem.services import deadlines, letters, sittings
from pbem.services.house import House
from pbem.store import facts, games, mail
from pbem.store.session import read, transact
from pbem.store.tables import Game

RESTORED = "restored: "
OLDER = "this database is older than the one"
ELSEWHERE = "this database served in another place"


@dataclass(frozen=True)
class Known:
    """Say what the file beside the database keeps: whose it is, the last tick, how often a copy went on."""

    instance: str
    tick_at: datetime
    era: int = 0


def found(session: Session, house: House, now: datetime) -> None:
    """Give a new database its instance."""
    facts.set_fact(session, "instance", house.entropy(16).hex())
    facts.set_fact(session, "home", _home(session, house.config))
    facts.set_fact(session, "era", facts.find_fact(session, "era") or "0")
    facts.set_fact(session, "halt", "")
    facts.set_moment(session, "tick_at", now)


def known(session: Session) -> Known:
    """Give what the file beside this database should keep."""
    tick_at = facts.find_moment(session, "tick_at")
    assert tick_at is not None
    return Known(facts.find_fact(session, "instance") or "", tick_at, int(facts.find_fact(session, "era") or "0"))


def check(session: Session, house: House) -> str:
    """Give why this database must not serve, "" for nothing; what is found out is kept.

    Where several processes serve one database, each has such a file: what only shows that one of the files is another
    house's stops no other process.
    """
    why = strange(session, house.config)
    halt = facts.find_fact(session, "halt") or ""
    if halt.startswith(RESTORED):
        return halt
    if not why:
        return ""
    if not _is_shared(session) or why.startswith((OLDER, ELSEWHERE)):
        facts.set_fact(session, "halt", RESTORED + why)
    return RESTORED + why


def keep(house: House, kept: Known) -> None:
    """Write the file beside the database, whole or not at all: called after what it says is committed."""
    path = house.config.path(house.config.store.instance_file)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    with fresh.open("w") as file:
        file.write(json.dumps({"instance": kept.instance, "tick_at": kept.tick_at.isoformat(), "era": kept.era}) + "\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def confirm(db: sa.Engine, house: House, now: datetime, *, drop_queued: bool = False) -> list[str]:
    """Go on after a halt, and say what was done.

    A restored database gets a new instance and era, old letters are void, and every player is told how things stand.
    """
    done = transact(db, partial(_confirm, house=house, now=now, drop_queued=drop_queued))
    keep(house, read(db, known))
    return done


def _confirm(session: Session, house: House, now: datetime, drop_queued: bool) -> list[str]:
    halt = check(session, house) or facts.find_fact(session, "halt") or ""
    done = [f"was halted: {halt}" if halt else "was not halted"]
    dropped = mail.drop_queued(session) if drop_queued else 0
    if dropped:
        done.append(f"{dropped} waiting letters dropped")
    mail.hurry(session, now)
    deadlines.confirm(session, house, now)
    if halt.startswith(RESTORED):
        era = _next_era(session, house)
        found(session, house, now)
        facts.set_fact(session, "era", str(era))
        done += [_start_afresh(session, house, now, game, era) for game in _going_on(session)]
    return done


def _next_era(session: Session, house: House) -> int:
    """Count on from the file beside the database too: the same copy may be restored twice."""
    kept = _kept(house.config)
    return 1 + max(known(session).era, kept.era if isinstance(kept, Known) else 0)


def _going_on(session: Session) -> list[Game]:
    return [game for status in ("open", "paused") for game in games.list_games(session, status=status)]


def _start_afresh(session: Session, house: House, now: datetime, row: Game, era: int) -> str:
    """Void a game's old letters, and write to its players how it stands."""
    game = games.find_game(session, row.id or 0)
    assert game is not None
    assert game.id is not None
    game.epoch += era  # not by one: letters of an earlier restore of the same copy are void as well
    mail.drop_overtaken(session, game.id)
    try:
        sitting = sittings.sit(session, house, game)
    except EngineFault as fault:
        games.save_game(session, game)
        return f"{sittings.name_of(game)}: old letters are void; nobody is written to, since {fault}"
    opening = (
        f"The server was restored from a copy. The game stands as it stood then ({show_instant(now, 'UTC')} is now): "
        "please forget later letters, and answer this one."
    )
    letters.tell(session, house, sitting, now, everybody=True, opening=opening)
    sittings.rise(session, sitting, now)
    return f"{sittings.name_of(game)}: old letters are void, its players get new ones"


def strange(session: Session, config: Config) -> str:
    """Give why this database is not the one that was serving here, "" for nothing; change nothing.

    The file is read before the database, which other processes may take further meanwhile.
    """
    kept = _kept(config)
    if not isinstance(kept, Known):
        return kept
    last = facts.find_moment(session, "tick_at")
    if facts.find_fact(session, "instance") != kept.instance:
        return "this database belongs to another instance"
    if last is None or last < kept.tick_at:
        return f"{OLDER} that served until {kept.tick_at:%Y-%m-%d %H:%M} UTC"
    if facts.find_fact(session, "home") != _home(session, config):
        return ELSEWHERE
    return ""


def _kept(config: Config) -> Known | str:
    """Read the file beside the database, or say why that cannot be done."""
    path = config.path(config.store.instance_file)
    try:
        kept = json.loads(path.read_text())
        return Known(str(kept["instance"]), datetime.fromisoformat(kept["tick_at"]), int(kept.get("era", 0)))
    except FileNotFoundError:
        return f"there is no {path.name} beside this database"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return f"{path.name} beside this database cannot be read"


def _home(session: Session, config: Config) -> str:
    """Name where this database lies, as a digest: the machine and folder, or the PostgreSQL server and its database."""
    if _is_shared(session):
        place = sa.select(sa.text("system_identifier"), sa.func.current_database()).select_from(
            sa.text("pg_control_system()")
        )
        server, name = session.connection().execute(place).one()
    else:
        machine = Path("/etc/machine-id")
        server, name = machine.read_text().strip() if machine.exists() else "", config.folder.resolve()
    return hashlib.sha256(f"{server}\0{name}".encode()).hexdigest()[:16]


def _is_shared(session: Session) -> bool:
    """Tell whether processes in several places may serve this database."""
    return session.get_bind().dialect.name != "sqlite"
