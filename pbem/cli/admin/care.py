"""Take care of the database: copy it, bring it up to date, and go on after a halt."""

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli import logs, show
from pbem.cli.room import config_file, database, opened, sender_of_letters

Target = Annotated[Path, typer.Argument(help="The file to write; it must not exist yet.", metavar="FILE")]
Drop = Annotated[bool, typer.Option("--drop-queued", help="Never send the letters that wait now.")]


def backup(context: typer.Context, file: Target) -> None:
    """Copy the database to a file.

    It comes out whole and checked, even while `pbem serve` runs. The copy holds all cards and letters, but not
    config.toml and not the token key: keep those as well.
    """
    from pbem.store.backup import backup as copy

    with opened(context) as room:
        copy(room.db, file)
        key = room.config.path(room.config.store.key_file)
    show.line(f"{file} holds the database as it was just now, and was checked ({file.stat().st_size:,} bytes)")
    show.line(f"Keep {key} and the config too: without the key no old letter can be answered.")


def confirm(context: typer.Context, drop_queued: Drop = False) -> None:
    """Go on after a halt.

    You say with it that the clock is right, or that this restored database is the one to go on with. Open deadlines
    get at least the grace period. After a restore old letters are void, and all players are written to.
    """
    from pbem.services import instance

    with opened(context) as room:
        done = instance.confirm(room.db, room.house, room.now, drop_queued=drop_queued)
        for told in done:
            show.line(told)
        show.line(f"Letters that wait: {sender_of_letters(room)}")


def upgrade(context: typer.Context) -> None:
    """Bring the database up to this version.

    A copy of it is made first. It refuses beside a running `pbem serve`.
    """
    from pbem.config import load
    from pbem.store import migrate

    config = load(config_file(context))
    logs.start(config)
    with database(config) as db:
        before = migrate.current(db)
        if before == migrate.head():
            show.line(f"the database is at {before}, the newest step; nothing to do")
            return
        show.line(f"from {before or 'an empty database'} to {migrate.head()} ...")
        kept = migrate.upgrade(db)
    if kept:
        show.line(f"as it was before, it lies in {kept}")
    show.line("done; `pbem doctor` looks it over")
