"""Make passes over a house, and die where one is told to: a program of its own, driven by a line of JSON a pass.

    python -m tests.dying    {"folder": ..., "now": ..., "point": "before mail.mark_letter", "count": 2}

Each pass is made by a process of its own, which kills itself the second time (`count`) that it comes to the point; the
answer says whether it did.
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
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy.orm
import structlog

from pbem import daemon
from pbem.config import Config
from pbem.services import deadlines, instance, office, turns
from pbem.services.house import House
from pbem.store import games, mail
from pbem.store.session import connect
from pbem.testing.stage import rig_of
from pbem.transports.maildir import Maildir

PLACES: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (daemon, ("_check_instance",)),
    (deadlines, ("begin_pass", "post_was_read", "tick", "judge", "remind", "letter_went_out")),
    (instance, ("keep",)),
    (office, ("receive", "handle")),
    (turns, ("rise", "time_out")),
    (games, ("save_game", "add_entries", "save_prompts", "add_prompts", "save_seats")),
    (mail, ("add_letters", "add_message", "mark_letter")),
    (sqlalchemy.orm.Session, ("commit",)),
    (Maildir, ("done", "send")),
    (os, ("fsync", "replace")),
)
POINTS = {
    f"{when} {place.__name__.rpartition('.')[2]}.{name}": (place, name, when)
    for place, names in PLACES
    for name in names
    for when in ("before", "after")
}


def main() -> None:
    """Make a pass for each line, in a process of its own."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    for line in sys.stdin:
        asked = json.loads(line)
        house = furnish(asked.pop("folder"))
        child = os.fork()
        if child == 0:
            make_pass(house, **asked)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert status in (0, signal.SIGKILL), status
        print(json.dumps(status == signal.SIGKILL), flush=True)


@functools.cache
def furnish(folder: str) -> House:
    """Furnish a house, its templates compiled: what each process would do again, and is not what is tried here."""
    house = House(Config(folder=Path(folder)), b"k" * 32)
    for environment in vars(house.renderer).values():
        for name in environment.list_templates():
            environment.get_template(name)
    return house


def make_pass(house: House, now: str, point: str, count: int) -> None:
    """Make a pass as a process that was just started does."""
    rig = rig_of(connect(house.config.database_url), house)
    rig.clock = lambda: datetime.fromisoformat(now)
    if point:
        lay_mine(*POINTS[point], count)
    asyncio.run(daemon.one_pass(rig))


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
