"""Hold together what a running house is made of, and keep its duties while it runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import sqlalchemy as sa
import structlog

from pbem.errors import AdminError, Conflict
from pbem.services.duties import Duties, post
from pbem.services.house import House
from pbem.transports.base import Transport

log = structlog.get_logger()
Outcome = TypeVar("Outcome")
PASSING = (AdminError, Conflict, OSError)  # what may be over by the next pass


@dataclass
class Rig:
    """Hold what a running house is made of; `clock` gives the time, aware UTC; `upgraded`: games were checked.

    `claim`: how long a letter is kept for the process that is about to send it.
    """

    db: sa.Engine
    house: House
    transports: Sequence[Transport]
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    upgraded: bool = False
    claim: timedelta = timedelta(minutes=5)
    duties: Duties = field(init=False)
    writer: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(max_workers=1))

    def __post_init__(self) -> None:
        self.duties = Duties(self.db)

    @property
    def posts(self) -> tuple[str, ...]:
        """Name the posts."""
        return tuple(transport.name for transport in self.transports)

    @property
    def left_alone(self) -> tuple[str, ...]:
        """Name the posts that one process alone may use, and that another one reads now."""
        return tuple(one.name for one in self.transports if is_alone(one) and not self._reads(one.name))

    def _reads(self, name: str) -> bool:
        return not self.duties.shared or post(name) in self.duties.held

    async def work(self, action: Callable[..., Outcome], *given: object) -> Outcome:
        """Do synchronous work in the writer's thread."""
        return await asyncio.get_running_loop().run_in_executor(self.writer, lambda: action(*given))


async def let_go(transport: Transport) -> None:
    """Close a post's connections, if it keeps any."""
    if close := getattr(transport, "close", None):
        await close()


def is_alone(transport: Transport) -> bool:
    """Tell whether only the process that reads a post may send by it."""
    return bool(getattr(transport, "alone", False))


@asynccontextmanager
async def on_duty(rig: Rig) -> AsyncIterator[None]:
    """Keep the duties of this process as long as the block runs, and give them back at its end."""
    over = asyncio.Event()
    keeper = asyncio.create_task(_keep_duties(rig, over)) if rig.duties.shared else None
    try:
        yield
    finally:
        over.set()
        if keeper is not None:
            await keeper
        for transport in rig.transports:
            await let_go(transport)


async def _keep_duties(rig: Rig, over: asyncio.Event) -> None:
    """Renew the duties beside the writer, which may be busy for long; a database out of reach is tried again."""
    while not over.is_set():
        try:
            await asyncio.to_thread(rig.duties.renew, rig.clock())
        except PASSING as error:
            log.warning("the duties could not be renewed", why=str(error))
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), rig.duties.span.total_seconds() / 4)
    try:
        await asyncio.to_thread(rig.duties.release)
    except PASSING as error:
        log.warning("the duties lapse by themselves", why=str(error))
