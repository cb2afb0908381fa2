"""Share the duties of a house between the processes that serve it: each post has one reader, and there is one judge.

On SQLite one process owns the database, and all duties are its own. On PostgreSQL each is a lease: kept while its
process says so in time, and taken over by another after that.
"""

import os
import secrets
import socket
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

import sqlalchemy as sa
from sqlmodel import Session

from pbem.store import leases
from pbem.store.session import is_sqlite, loose, transact

JUDGE = "judge"
HERE = "here:"
SPAN = timedelta(seconds=25)  # with a tick of 30 s another process takes over within a minute


def post(name: str) -> str:
    """Name the duty of reading a post."""
    return f"post:{name}"


def this_process() -> str:
    """Name this process: where it runs, its number, and a word, since numbers are used again."""
    return f"{socket.gethostname()} (process {os.getpid()}) {secrets.token_hex(4)}"


@dataclass
class Duties:
    """Hold what one process may do: `held` are the duties that it has."""

    db: sa.Engine
    holder: str = field(default_factory=this_process)
    span: timedelta = SPAN
    held: set[str] = field(default_factory=set)

    @property
    def shared(self) -> bool:
        """Tell whether other processes may serve the same database."""
        return not is_sqlite(self.db)

    def take(self, name: str, now: datetime) -> bool:
        """Take a duty, or keep it; tell whether it is this process's."""
        if not self.shared:
            return True
        work = partial(leases.take, name=name, holder=self.holder, now=now, span=self.span)
        mine = transact(loose(self.db), work)
        (self.held.add if mine else self.held.discard)(name)
        return mine

    def renew(self, now: datetime) -> None:
        """Keep what this process has; the first time say that it serves, for `pbem doctor` and for upgrades."""
        here = HERE + self.holder
        if here not in self.held:
            transact(loose(self.db), partial(leases.sweep, now=now))
        for name in {here, *self.held}:
            self.take(name, now)

    def release(self) -> None:
        """Give everything back, so that nobody need wait."""
        if self.held:
            transact(loose(self.db), partial(leases.release, holder=self.holder, names=tuple(self.held)))
            self.held.clear()


def told(session: Session, now: datetime) -> list[str]:
    """Say in a line each which processes serve, and what each of them does: `box (process 17): reads mail, judges`."""
    found = leases.living(session, now)
    does: dict[str, list[str]] = {lease.holder: [] for lease in found if lease.name.startswith(HERE)}
    for lease in found:
        if lease.holder in does and not lease.name.startswith(HERE):
            does[lease.holder].append("judges" if lease.name == JUDGE else f"reads {lease.name.partition(':')[2]}")
    return sorted(_line(holder, works) for holder, works in does.items())


def _line(holder: str, works: Collection[str]) -> str:
    return f"{holder.rpartition(' ')[0]}{': ' if works else ''}{', '.join(works)}"
