"""Run the house: the one file that knows services, transports and scheduler together.

A pass reads every post, deals with what came, judges deadlines, and sends what waits. `poll` makes one pass; `serve`
makes one every tick until it is told to stop. Synchronous services run in one thread, the writer.
"""

import asyncio
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import sqlalchemy as sa
import structlog
from apscheduler.events import EVENT_JOB_ERROR, JobExecutionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger
from sqlmodel import Session

from pbem.errors import AdminError, Conflict, PermanentFailure, TemporaryFailure, TransportFailure
from pbem.services import deadlines, instance, letters, office, upgrades
from pbem.services.house import House
from pbem.store import facts, mail
from pbem.store.session import read, transact
from pbem.store.tables import Outbox
from pbem.transports.base import Transport

log = structlog.get_logger()
Outcome = TypeVar("Outcome")
TRIES = 8
FIRST_WAIT = timedelta(minutes=1)


@dataclass
class Rig:
    """Hold what a running house is made of; `clock` gives the time, aware UTC; `upgraded`: games were checked."""

    db: sa.Engine
    house: House
    transports: Sequence[Transport]
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    upgraded: bool = False
    writer: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(max_workers=1))

    async def work(self, action: Callable[..., Outcome], *given: object) -> Outcome:
        """Do synchronous work in the writer's thread."""
        return await asyncio.get_running_loop().run_in_executor(self.writer, lambda: action(*given))


@dataclass(frozen=True)
class Passed:
    """Say what one pass did."""

    received: int = 0
    sent: int = 0
    failed: int = 0
    halted: str = ""
    unread: str = ""


async def one_pass(rig: Rig) -> Passed:
    """Read the posts, deal with what came, judge what is due, and send what waits."""
    if halted := await rig.work(_check_instance, rig):
        log.error("nothing is read, sent or judged until `pbem admin confirm`", why=halted)
        return Passed(halted=halted)
    halted = await rig.work(_check_clock, rig)
    if not rig.upgraded:
        await rig.work(upgrades.check, rig.db, rig.house, rig.clock())
        rig.upgraded = True
    received, unread = 0, ""
    for transport in rig.transports:
        try:
            received += await _read_post(rig, transport)
        except TransportFailure as failure:
            unread = str(failure)
            log.warning("a post cannot be read", post=transport.name, why=unread)
    if not unread and not halted:
        await rig.work(_note_tick, rig)
        await rig.work(deadlines.tick, rig.db, rig.house, rig.clock())
    sent, failed = await send_waiting(rig)
    return Passed(received, sent, failed, halted, unread)


async def _read_post(rig: Rig, transport: Transport) -> int:
    """Deal with each message of a post; only what is committed is told to the post as done."""
    count = 0
    async for delivery in transport.receive():
        try:
            fate = await rig.work(office.receive, rig.db, rig.house, rig.clock(), delivery.message)
        except Conflict:
            log.warning("left for the next pass", post=transport.name)
            continue
        await transport.done(delivery.handle)
        count += 1
        log.info("message", post=transport.name, fate=fate)
    return count


async def send_waiting(rig: Rig) -> tuple[int, int]:
    """Send each letter whose time has come: one that fails never holds up the next."""
    by_name = {transport.name: transport for transport in rig.transports}
    sent = failed = 0
    for row in await rig.work(read, rig.db, lambda session: mail.due_letters(session, rig.clock())):
        if await _send(rig, by_name.get(row.transport), row):
            sent += 1
        else:
            failed += 1
    return sent, failed


async def _send(rig: Rig, transport: Transport | None, row: Outbox) -> bool:
    try:
        if transport is None:
            raise PermanentFailure(f"there is no post {row.transport!r}")
        await transport.send(mail.as_outbound(row))
    except Exception as error:
        why = str(error) if isinstance(error, TransportFailure) else f"{type(error).__name__}"
        final = isinstance(error, PermanentFailure) or row.attempts + 1 >= TRIES
        log.warning("a letter could not be sent", letter=row.id, why=why, given_up=final)
        if not isinstance(error, TemporaryFailure | PermanentFailure):
            log.error("sending failed in an unforeseen way", letter=row.id, exc_info=error)
        await rig.work(_mark_unsent, rig, row, why, final)
        return False
    await rig.work(_mark_sent, rig, row)
    return True


def _mark_sent(rig: Rig, row: Outbox) -> None:
    now = rig.clock()
    transact(
        rig.db,
        lambda session: mail.mark_letter(
            session, row.id or 0, status="sent", sent_at=now, attempts=row.attempts + 1, error=""
        ),
    )


def _mark_unsent(rig: Rig, row: Outbox, why: str, final: bool) -> None:
    now = rig.clock()
    values = {"attempts": row.attempts + 1, "error": why, "status": "failed" if final else "queued"}
    values["next_try_at"] = now + FIRST_WAIT * 2 ** min(row.attempts, 10)  # type: ignore[assignment]

    def work(session: Session) -> None:
        mail.mark_letter(session, row.id or 0, **values)
        if final and row.kind != "alarm":
            letters.alarm(
                session, rig.house, f"unsent-{row.id}",
                f"Letter {row.id} was given up after {row.attempts + 1} tries; see `pbem admin outbox`.", now,
            )  # fmt: skip

    transact(rig.db, work)


def _check_instance(rig: Rig) -> str:
    return transact(rig.db, lambda session: instance.check(session, rig.house))


def _check_clock(rig: Rig) -> str:
    now = rig.clock()
    return transact(rig.db, lambda session: deadlines.check_clock(session, rig.house, now))


def _note_tick(rig: Rig) -> None:
    now = rig.clock()

    def work(session: Session) -> str:
        deadlines.post_was_read(session, rig.house, now)
        return facts.find_fact(session, "instance") or ""

    instance.keep(rig.house, transact(rig.db, work), now)


async def serve(rig: Rig) -> None:
    """Make a pass every tick until SIGTERM or SIGINT; the pass under way is finished first.

    Raises: whatever a pass could not deal with, after the log has it: a house that stands still must not look alive.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    failures: list[BaseException] = []

    def failed(happened: JobExecutionEvent) -> None:
        log.error("a pass failed", exc_info=happened.exception)
        if not isinstance(happened.exception, AdminError | OSError):
            failures.append(happened.exception)
            loop.call_soon_threadsafe(stop.set)

    passing = asyncio.Lock()  # held by a pass, so that a stop can wait for its end

    async def tick() -> None:
        async with passing:
            passed = await one_pass(rig)
        if passed.received or passed.sent or passed.failed:
            log.info("pass", received=passed.received, sent=passed.sent, failed=passed.failed)

    scheduler = AsyncIOScheduler(timezone=UTC)
    scheduler.add_listener(failed, EVENT_JOB_ERROR)
    scheduler.add_job(
        tick, IntervalTrigger(seconds=rig.house.config.time.tick.total_seconds(), timezone=UTC),
        max_instances=1, coalesce=True, misfire_grace_time=None, next_run_time=datetime.now(UTC),
    )  # fmt: skip
    scheduler.start()
    log.info("serving", tick=rig.house.config.time.tick.total_seconds())
    await stop.wait()
    scheduler.pause()
    async with passing:
        scheduler.shutdown(wait=False)
    log.info("stopped")
    if failures:
        raise failures[0]
