"""Examine a house, a check after the other; nothing is changed. What makes the rest pointless ends it."""

import asyncio
import os
import stat
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import sqlalchemy as sa
from pydantic import BaseModel
from sqlalchemy.exc import DBAPIError

from pbem import paths
from pbem.cli import condition
from pbem.cli.condition import Finding
from pbem.config import Config, load
from pbem.core import clock
from pbem.core.render import listed
from pbem.errors import AdminError
from pbem.services import moderators
from pbem.services.house import POST, furnish
from pbem.store import lock, migrate
from pbem.store.session import connect

OWN_VARIABLES = ("PBEM_CONFIG",)
FREE = "PBEM_MODERATORS__"  # whatever follows is a name
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def examine(file: Path, *, letter: bool = False) -> Iterator[Finding]:
    """Make every check that can be made; `letter`: have the office write to itself too."""
    yield from _bundled()
    yield from _environment()
    try:
        config = load(file)
    except AdminError as error:
        yield Finding("config", False, str(error), "mend the file, or name another with --config")
        return
    yield from _config(file, config)
    yield from _key(config)
    yield from _mail(config, letter) if config.mail.transport == "imap" else _maildirs(config)
    yield from _matrix(config) if config.matrix.homeserver else ()
    yield from _database(config)


def _bundled() -> Iterator[Finding]:
    for name in ("templates", "migrations"):
        try:
            yield Finding(name, True, str(paths.bundled(name)))
        except FileNotFoundError as error:
            yield Finding(name, False, str(error), "install pbem anew")


def _environment() -> Iterator[Finding]:
    """Find variables that would be passed over in silence, since no setting has their name."""
    known = {*_variables("PBEM", Config), *OWN_VARIABLES}
    given = sorted(name for name in os.environ if name.upper().startswith("PBEM_"))
    strange = [name for name in given if name.upper() not in known and not name.upper().startswith(FREE)]
    for name in strange:
        mend = "unset it; settings are named as in config.toml: PBEM_TIME__TICK"
        yield Finding("environment", False, f"{name} names no setting", mend)
    if given and not strange:
        yield Finding("environment", True, ", ".join(given))


def _variables(prefix: str, model: type[BaseModel]) -> Iterator[str]:
    """Name the variable of each setting, and of the settings within it."""
    joint = "_" if prefix == "PBEM" else "__"
    for name, field in model.model_fields.items():
        variable = f"{prefix}{joint}{name.upper()}"
        yield variable
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _variables(variable, kind)


def _config(file: Path, config: Config) -> Iterator[Finding]:
    try:
        clock.parse_zone(config.office.zone)
        clock.parse_rungs(config.time.reminders)
        told = str(file.resolve())
        yield _private("config", file.resolve(), told) if _holds_password(file) else Finding("config", True, told)
    except AdminError as error:
        yield Finding("config", False, f"{file}: {error}", "mend it in the config file")
    yield from _alarms(config)
    log = config.path(config.log.file)
    if os.access(log if log.exists() else log.parent, os.W_OK):
        yield Finding("log", True, str(log))
    else:
        yield Finding("log", False, f"{log} cannot be written", "let this user write there, or name another in [log]")


def _alarms(config: Config) -> Iterator[Finding]:
    """Find moderators whom no alarm can reach."""
    room = config.matrix.moderators_room
    mailed = {name for name in config.moderators for one in moderators.addresses(config, name) if one.transport == POST}
    if not room and (silent := sorted(set(config.moderators) - mailed)):
        mend = "add a mail address in [moderators], or name a moderators_room in [matrix]"
        yield Finding("alarms", False, f"none reaches {listed(silent)}, since no mail address is named", mend)
    elif config.moderators or room:
        yield Finding("alarms", True, "go to " + ", ".join(to.place for _, _, to in moderators.alarmed(config)))


def _holds_password(file: Path) -> bool:
    """Tell whether the file itself holds a password, as a setting or in the database's URL."""
    values = tomllib.loads(file.read_text(encoding="utf-8"))
    servers = [values.get("mail", {}).get(name, {}) for name in ("imap", "smtp")]
    url = values.get("store", {}).get("url", "")
    in_url = ":" in url.partition("//")[2].rpartition("@")[0] or "password=" in url
    matrix = values.get("matrix", {})
    return in_url or any(one.get(name) for one in (*servers, matrix) for name in ("password", "token"))


def _key(config: Config) -> Iterator[Finding]:
    path = config.path(config.store.key_file)
    try:
        furnish(config)
    except AdminError as error:
        yield Finding("key", False, str(error), "copy the key back from where you keep one")
        return
    yield _private("key", path, f"{path}, for its owner alone")


def _private(what: str, path: Path, told: str) -> Finding:
    if path.stat().st_mode & OTHERS:
        return Finding(what, False, f"others on this machine may use {path}", f"chmod 600 {path}")
    return Finding(what, True, told)


def _maildirs(config: Config) -> Iterator[Finding]:
    for what, place in (("inbox", config.mail.inbox), ("outbox", config.mail.outbox)):
        folder = config.path(place)
        parts = [folder / name for name in ("tmp", "new", "cur")]
        if missing := [part for part in parts if not part.is_dir()]:
            mend = "mkdir -p " + " ".join(str(part) for part in missing)
            yield Finding(what, False, f"{folder} is no Maildir: it lacks {missing[0].name}", mend)
        elif any(not os.access(part, os.R_OK | os.W_OK | os.X_OK) for part in parts):
            yield Finding(what, False, f"{folder} cannot be read and written", f"give this user {folder}")
        else:
            yield Finding(what, True, f"{folder}, a Maildir")


def _mail(config: Config, letter: bool) -> Iterator[Finding]:
    """Try the servers of the post."""
    from pbem.transports import checking

    found = asyncio.run(checking.examine(config))
    if letter and all(one.ok for one in found):
        found += asyncio.run(checking.write_to_itself(config))
    return (Finding(one.what, one.ok, one.told, one.mend) for one in found)


def _matrix(config: Config) -> Iterator[Finding]:
    """Try the homeserver."""
    try:
        from pbem.transports.matrix import checking
    except ImportError:
        yield Finding("matrix", False, "[matrix] needs more to be installed", "pip install 'pbem[matrix]'")
        return
    found = asyncio.run(checking.examine(config))
    yield from (Finding(one.what, one.ok, one.told, one.mend) for one in found)


def _database(config: Config) -> Iterator[Finding]:
    """Look at the file first, so that looking never makes one."""
    try:
        db = connect(config.database_url)
    except AdminError as error:
        yield Finding("database", False, str(error), "mend [store] url")
        return
    place = lock.database_file(db)
    try:
        if place is not None and not place.is_file():
            yield Finding("database", False, f"there is no {place}", "copy a backup there, or `pbem init` a new folder")
            return
        if place is not None:
            yield _private("database", place, f"{place}, for its owner alone")
        yield from _contents(config, db)
    except (AdminError, DBAPIError) as error:
        yield Finding(
            "database", False, str(error).split("\n")[0], "copy a backup back, or see who else has the database open"
        )
    finally:
        db.dispose()


def _contents(config: Config, db: sa.Engine) -> Iterator[Finding]:
    found, wanted = migrate.current(db), migrate.head()
    if found != wanted:
        yield Finding(
            "migration",
            False,
            f"at {found or 'nothing'}, needed is {wanted}",
            "stop serving, then `pbem admin upgrade`",
        )
        return
    yield Finding("migration", True, f"{found}, the newest")
    yield from condition.sound(db)
    yield from condition.living(db, config, datetime.now(UTC))
