"""Tell the database that was serving from a restored or copied one.

The instance id stands in the database and in a file beside it, with the time of the last tick: a database that is older than
the file, or has another id, or lies elsewhere, is not the one that it was. Then nothing is read, sent or judged.
"""

import hashlib
import json
from datetime import datetime
from pathlib import Path

import structlog
from sqlmodel import Session

from pbem.config import Config
from pbem.core.clock import show_instant
from pbem.services import deadlines, letters, turns
from pbem.services.house import House
from pbem.store import facts, games, mail

log = structlog.get_logger()
RESTORED = "restored: "


def found(session: Session, house: House, now: datetime) -> None:
    """Give a new database its instance, and write the file beside it."""
    facts.set_fact(session, "instance", house.entropy(16).hex())
    facts.set_fact(session, "home", _home(house.config))
    facts.set_fact(session, "era", facts.find_fact(session, "era") or "0")
    facts.set_fact(session, "halt", "")
    facts.set_moment(session, "tick_at", now)
    facts.set_moment(session, "read_at", now)


def check(session: Session, house: House) -> str:
    """Give why this database must not serve, "" for nothing; what is found out is kept."""
    halt = facts.find_fact(session, "halt") or ""
    if halt.startswith(RESTORED):
        return halt
    why = strange(session, house.config)
    if not why:
        return ""
    facts.set_fact(session, "halt", RESTORED + why)
    return RESTORED + why


def keep(house: House, instance: str, tick_at: datetime) -> None:
    """Write the file beside the database: called after a tick is committed."""
    path = house.config.path(house.config.store.instance_file)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(json.dumps({"instance": instance, "tick_at": tick_at.isoformat()}) + "\n")
    fresh.replace(path)


def confirm(session: Session, house: House, now: datetime, *, drop_queued: bool = False) -> list[str]:
    """Go on after a halt, and say what was done.

    A restored database gets a new instance and era, old letters are void, and every player is told how things stand.
    """
    halt = check(session, house) or facts.find_fact(session, "halt") or ""
    done = [f"was halted: {halt}" if halt else "was not halted"]
    dropped = mail.drop_queued(session) if drop_queued else 0
    if dropped:
        done.append(f"{dropped} waiting letters dropped")
    deadlines.confirm(session, house, now)
    if halt.startswith(RESTORED):
        found(session, house, now)
        facts.set_fact(session, "era", str(int(facts.find_fact(session, "era") or "0") + 1))
        for game in games.list_games(session):
            if game.status in ("open", "paused"):
                _start_afresh(session, house, now, game.id or 0)
                done.append(f"{turns.name_of(game)}: old letters are void, its players get new ones")
    keep(house, facts.find_fact(session, "instance") or "", now)
    return done


def _start_afresh(session: Session, house: House, now: datetime, game_id: int) -> None:
    game = games.find_game(session, game_id)
    assert game is not None
    game.epoch += 1
    sitting = turns.sit(session, house, game)
    for seat in sitting.seats:
        seat.heard = min(seat.heard, sitting.table.entries)
    opening = (
        f"The server was restored from a copy. The game stands as it stood then ({show_instant(now, 'UTC')} is now): "
        "please forget later letters, and answer this one."
    )
    letters.tell(session, house, sitting, now, everybody=True, opening=opening)
    turns.rise(session, sitting, now)


def strange(session: Session, config: Config) -> str:
    """Give why this database is not the one that was serving here, "" for nothing; change nothing."""
    path = config.path(config.store.instance_file)
    try:
        kept = json.loads(path.read_text())
        instance, tick_at = str(kept["instance"]), datetime.fromisoformat(kept["tick_at"])
    except FileNotFoundError:
        return f"there is no {path.name} beside this database"
    except (OSError, ValueError, KeyError, TypeError):
        return f"{path.name} beside this database cannot be read"
    last = facts.find_moment(session, "tick_at")
    if facts.find_fact(session, "instance") != instance:
        return "this database belongs to another instance"
    if last is None or last < tick_at:
        return f"this database is older than the one that served until {tick_at:%Y-%m-%d %H:%M} UTC"
    if facts.find_fact(session, "home") != _home(config):
        return "this database served in another place"
    return ""


def _home(config: Config) -> str:
    """Name this machine and folder, as a digest."""
    machine = Path("/etc/machine-id")
    named = machine.read_text().strip() if machine.exists() else ""
    return hashlib.sha256(f"{named}\0{config.folder.resolve()}".encode()).hexdigest()[:16]
