"""Try the homeserver as `pbem doctor` does: nothing is sent, and no device is made that is not kept."""

import stat
from pathlib import Path

from pbem.config import Config
from pbem.errors import AdminError, TransportFailure
from pbem.transports.checking import Checked
from pbem.transports.matrix.session import Session
from pbem.transports.posts import rooms

__all__ = ["examine"]

OTHERS = stat.S_IRWXG | stat.S_IRWXO


async def examine(config: Config) -> list[Checked]:
    """Log in, and look who may read the secrets, and whether what is named is there."""
    found = [one for path in _secrets(config) if (one := _private(path))]
    try:
        session = rooms(config).session
    except AdminError as error:
        return [*found, Checked("matrix", False, str(error), "mend [matrix] in the config")]
    try:
        return [*found, *await _login(config, session)]
    except TransportFailure as failure:
        return [*found, Checked("matrix", False, str(failure), "mend [matrix], or the homeserver")]
    finally:
        await session.close()


async def _login(config: Config, session: Session) -> list[Checked]:
    versions = await session.call("GET", "account", "whoami")
    own = str(versions.get("user_id", ""))
    if own.casefold() != config.matrix.user.casefold():
        told = f"the login is that of {own}, not of {config.matrix.user}"
        return [Checked("matrix", False, told, "mend user in [matrix], or take the token of that account")]
    found = [Checked("matrix", True, f"the login works: {own}")]
    if room := config.matrix.moderators_room:
        joined = await session.call("GET", "joined_rooms")
        there = room in joined.get("joined_rooms", ())
        mend = "" if there else f"invite {own} to it"
        found.append(Checked("moderators", there, f"{room}{'' if there else ': the bot is not in it'}", mend))
    return found


def _secrets(config: Config) -> list[Path]:
    told = config.matrix
    folder = config.path(told.folder)
    files = [config.path(file) for file in (told.password_file, told.token_file) if file]
    return [path for path in (*files, folder, folder / "device.json") if path.exists()]


def _private(path: Path) -> Checked | None:
    if path.stat().st_mode & OTHERS:
        mend = f"chmod {'700' if path.is_dir() else '600'} {path}"
        return Checked("matrix files", False, f"others on this machine may use {path}", mend)
    return None
