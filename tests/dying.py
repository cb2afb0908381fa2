"""Make passes over a house, and die where one is told to: a program of its own, driven by a line of JSON a pass.

    python -m tests.dying
    {"folder": ..., "url": ..., "now": ..., "point": "before mail.mark_letter", "counts": [2, 0]}

For each of the counts a process of its own makes a pass, all at the same time. It kills itself the second time (2) that
it comes to the point, or never (0); the answer says how many did.
"""

import asyncio
import functools
import inspect
import json
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy.orm
import structlog

from pbem import daemon
from pbem.config import Config
from pbem.rig import PASSING
from pbem.services import deadlines, instance, office, sittings, turns
from pbem.services.house import House
from pbem.store import games, leases, mail
from pbem.store.session import connect
from pbem.testing.stage import rig_of
from pbem.transports.maildir import Maildir

PLACES: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (daemon, ("_check_instance",)),
    (deadlines, ("begin_pass", "post_was_read", "tick", "judge", "remind", "letter_went_out")),
    (instance, ("keep",)),
    (office, ("receive", "handle")),
    (sittings, ("rise",)),
    (turns, ("time_out",)),
    (games, ("save_game", "add_entries", "save_prompts", "add_prompts", "save_seats")),
    (mail, ("add_letters", "add_message", "mark_letter")),
    (sqlalchemy.orm.Session, ("commit",)),
    (Maildir, ("done", "send")),
    (os, ("fsync", "replace")),
)
SHARING: tuple[tuple[Any, tuple[str, ...]], ...] = ((leases, ("take", "release")), (mail, ("claim_letters",)))
"""Where a process comes to only if several serve one database."""


def named(places: tuple[tuple[Any, tuple[str, ...]], ...]) -> dict[str, tuple[Any, str, str]]:
    """Name what is before and after each place."""
    return {
        f"{when} {place.__name__.rpartition('.')[2]}.{name}": (place, name, when)
        for place, names in places
        for name in names
        for when in ("before", "after")
    }


POINTS, SHARED_POINTS = named(PLACES), named(PLACES + SHARING)


def main() -> None:
    """Make the passes of each line, each in a process of its own."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    for line in sys.stdin:
        asked = json.loads(line)
        house = furnish(asked["folder"], asked["url"])
        children = [begin_pass(house, asked["now"], asked["point"], count) for count in asked["counts"]]
        ends = [os.waitpid(child, 0)[1] for child in children]
        assert set(ends) <= {0, signal.SIGKILL}, ends
        print(json.dumps(ends.count(signal.SIGKILL)), flush=True)


def begin_pass(house: House, now: str, point: str, count: int) -> int:
    """Let a process of its own make a pass, and give its number."""
    if (child := os.fork()) == 0:
        make_pass(house, now, point, count)
        os._exit(0)
    return child


@functools.cache
def furnish(folder: str, url: str) -> House:
    """Furnish a house, its templates compiled: what each process would do again, and is not what is tried here."""
    house = House(Config(folder=Path(folder), store={"url": url}), b"k" * 32)
    connect(house.config.database_url).dispose()  # its driver is read in
    for environment in vars(house.renderer).values():
        for name in environment.list_templates():
            environment.get_template(name)
    return house


def make_pass(house: House, now: str, point: str, count: int) -> None:
    """Make a pass as a process that was just started does; where others work too, one of them may be first."""
    rig = rig_of(connect(house.config.database_url), house)
    rig.clock = lambda: datetime.fromisoformat(now)
    if count:
        lay_mine(*SHARED_POINTS[point], count)
    with suppress(*(PASSING if rig.duties.shared else ())):
        asyncio.run(daemon.poll(rig))


def lay_mine(place: Any, name: str, when: str, count: int) -> None:
    """Let this process die at a point, the so many-th time that it comes there."""
    real: Callable[..., Any] = getattr(place, name)
    left = iter(range(count - 1, -1, -1))

    def step(now: str) -> None:
        if now == when and next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    @functools.wraps(real)
    def plain(*given: Any, **named: Any) -> Any:
        step("before")
        outcome = real(*given, **named)
        step("after")
        return outcome

    @functools.wraps(real)
    async def patient(*given: Any, **named: Any) -> Any:
        step("before")
        outcome = await real(*given, **named)
        step("after")
        return outcome

    setattr(place, name, patient if inspect.iscoroutinefunction(real) else plain)


if __name__ == "__main__":
    main()
