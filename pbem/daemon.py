"""Run the house: the one file that knows services, transports and scheduler together.

A pass reads every post, deals with what came, judges deadlines, and sends what waits. `poll` makes one pass; `serve`
makes one every tick until it is told to stop. Synchronous services run in one thread, the writer. Where several
processes serve one database, each does in a pass what is its duty then, and sends what no other is about to send.
"""

import asyncio
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog
from apscheduler.events import EVENT_JOB_ERROR, JobExecutionEvent
from apscheduler.job import Job
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger

from pbem.errors import Conflict, PermanentFailure, TransportFailure
from pbem.metrics import Metrics
from pbem.outbox import send_waiting
from pbem.rig import PASSING, Rig, is_alone, let_go, on_duty
from pbem.services import deadlines, duties, instance, keeping, notices, office, upgrades
from pbem.store import facts
from pbem.store.session import read, transact
from pbem.transports.base import Transport

__all__ = ["Passed", "Rig", "one_pass", "poll", "serve"]
log = structlog.get_logger()
LONG = 3600.0  # seconds: how long one wait for a post lasts


@dataclass(frozen=True)
class Passed:
    """Say what one pass did."""

    received: int = 0
    sent: int = 0
    failed: int = 0
    halted: str = ""
    unread: str = ""
    left: tuple[str, ...] = ()


async def one_pass(rig: Rig) -> Passed:
    """Read the posts, deal with what came, judge what is due, and send what waits; what others do is left to them."""
    if halted := await rig.work(_check_instance, rig):
        return Passed(halted=halted)
    judges = await _is_ours(rig, duties.JUDGE)
    halted = await rig.work(_begin if judges else _halted, rig)
    if not halted:
        await rig.work(_keep_instance, rig)
    if not rig.upgraded:
        await rig.work(upgrades.check, rig.db, rig.house, rig.clock())
        rig.upgraded = True
    received, unread, left = 0, "", [] if judges else [duties.JUDGE]
    for transport in rig.transports:
        if not await _is_ours(rig, duty := duties.post(transport.name)):
            left.append(duty)
            if is_alone(transport):
                await let_go(transport)
            continue
        count, why = await _read_post(rig, transport)
        received, unread = received + count, why or unread
    if judges and not halted:
        await rig.work(deadlines.tick, rig.db, rig.house, rig.clock(), rig.posts)
        await rig.work(transact, rig.db, partial(keeping.tidy, house=rig.house, now=rig.clock()))
    sent, failed = await send_waiting(rig)
    return Passed(received, sent, failed, halted, unread, tuple(left))


async def _is_ours(rig: Rig, duty: str) -> bool:
    return await rig.work(rig.duties.take, duty, rig.clock())


async def poll(rig: Rig) -> Passed:
    """Make one pass."""
    async with on_duty(rig):
        return await one_pass(rig)


async def _read_post(rig: Rig, transport: Transport) -> tuple[int, str]:
    """Deal with each message of a post, and count them; say why some were left, "" if none were.

    Only what is committed is told to the post as done. Read to its end is what had come when reading began.
    """
    begun, count, left = rig.clock(), 0, ""
    try:
        async for delivery in transport.receive():
            if not count:
                await rig.work(_note_answering, rig)
            try:
                fate = await rig.work(office.receive, rig.db, rig.house, rig.clock(), delivery.message)
            except Conflict as conflict:
                left = str(conflict)
                continue
            await transport.done(delivery.handle)
            count += 1
            log.info("message", post=transport.name, fate=fate)
    except TransportFailure as failure:
        left = str(failure)
        if isinstance(failure, PermanentFailure):
            await rig.work(_alarm, rig, transport.name, left)
    if left:
        log.warning("a post was not read to its end", post=transport.name, why=left)
    else:
        await rig.work(_note_answering, rig)
        await rig.work(_note_read, rig, transport.name, begun)
    return count, left


def _alarm(rig: Rig, post: str, why: str) -> None:
    """Tell the moderators, once a day, that a post cannot be read until somebody mends it."""
    log.error("a post cannot be read until somebody mends it", post=post, why=why)
    now = rig.clock()
    told = f"The post {post} cannot be read, and waits for somebody to mend it: {why}."
    transact(rig.db, partial(notices.alarm, house=rig.house, key=f"post-{post}-{now:%Y%m%d}", told=told, now=now))


def _check_instance(rig: Rig) -> str:
    return transact(rig.db, partial(instance.check, house=rig.house))


def _begin(rig: Rig) -> str:
    """Note in the database that the judge begins a pass; give why nothing may be judged."""
    return transact(rig.db, partial(deadlines.begin_pass, house=rig.house, now=rig.clock()))


def _halted(rig: Rig) -> str:
    return read(rig.db, partial(facts.find_fact, name="halt")) or ""


def _keep_instance(rig: Rig) -> None:
    """Note the pass in the file beside the database too, after the commit."""
    instance.keep(rig.house, read(rig.db, instance.known))


def _note_answering(rig: Rig) -> None:
    transact(rig.db, partial(deadlines.post_answers, house=rig.house, now=rig.clock(), posts=rig.posts))


def _note_read(rig: Rig, post: str, begun: datetime) -> None:
    transact(rig.db, partial(deadlines.post_was_read, post=post, begun=begun))


async def serve(rig: Rig) -> None:
    """Make a pass every tick until SIGTERM or SIGINT; the pass under way is finished first.

    Raises: whatever a pass could not deal with, after the log has it: a house that stands still must not look alive.
    """
    stop, failures = _told_to_stop(), list[BaseException]()

    def failed(happened: JobExecutionEvent) -> None:
        log.error("a pass failed", exc_info=happened.exception)
        if not isinstance(happened.exception, PASSING):
            failures.append(happened.exception)
            stop.set()

    rounds = Rounds(rig)
    scheduler = AsyncIOScheduler(timezone=UTC)
    scheduler.add_listener(failed, EVENT_JOB_ERROR)
    tick = rig.house.config.time.tick
    job = _every(tick, scheduler, rounds)
    scheduler.start()
    log.info("serving", tick=tick.total_seconds())
    watches = [asyncio.create_task(_watch_clock(job, tick))]
    watches += [asyncio.create_task(_watch_post(rounds, job, transport)) for transport in rig.transports]
    for watch in watches:
        watch.add_done_callback(lambda _: stop.set())
    async with on_duty(rig):
        await stop.wait()
        scheduler.pause()
        async with rounds.under_way:
            scheduler.shutdown(wait=False)
        failures += await _end(watches)
    log.info("stopped")
    if failures:
        raise failures[0]


def _told_to_stop() -> asyncio.Event:
    """Give what SIGTERM and SIGINT set."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


def _every(tick: timedelta, scheduler: AsyncIOScheduler, rounds: "Rounds") -> Job:
    """Let a pass be made at once and every tick; one that is late is made all the same, and none beside another."""
    return scheduler.add_job(
        rounds.make,
        Steady(tick),
        max_instances=1,
        coalesce=True,
        misfire_grace_time=None,
        next_run_time=datetime.now(UTC),
    )


@dataclass
class Rounds:
    """Make passes, and tell what they did; `under_way` is held by a pass, so that a stop can wait for its end."""

    rig: Rig
    under_way: asyncio.Lock = field(default_factory=asyncio.Lock)
    _halted: str = ""
    _metrics: Metrics = field(default_factory=Metrics)

    async def make(self) -> None:
        """Make a pass."""
        async with self.under_way:
            passed = await one_pass(self.rig)
            await self.rig.work(self._count, passed)
        if passed.received or passed.sent or passed.failed:
            log.info("pass", received=passed.received, sent=passed.sent, failed=passed.failed)
        if passed.halted and passed.halted != self._halted:
            log.error("halted until `pbem admin confirm`", why=passed.halted)
        self._halted = passed.halted

    def _count(self, passed: Passed) -> None:
        """Write the figures, if somebody wants them; what goes wrong with that is no trouble of the house."""
        config, now = self.rig.house.config, self.rig.clock()
        self._metrics.passed(halted=bool(passed.halted), unread=bool(passed.unread), unsent=passed.failed)
        if config.metrics.file is None:
            return
        try:
            read(self.rig.db, partial(self._metrics.look, now=now))
            self._metrics.write(config.path(config.metrics.file))
        except PASSING as error:
            log.warning("the figures could not be written", why=str(error))


class Steady(BaseTrigger):  # type: ignore[misc]
    """Fire at once, then every so often after the last time; what was missed is one run, however far a clock jumps."""

    def __init__(self, span: timedelta) -> None:
        self._span = span

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """Reckon from now, not from what should have been."""
        return now + self._span if previous_fire_time else now


async def _watch_clock(job: Job, tick: timedelta) -> None:
    """Call a pass back that a clock put back has left in the far future: the scheduler waits by the wall clock."""
    while True:
        await asyncio.sleep(tick.total_seconds())
        if job.next_run_time is not None and job.next_run_time > datetime.now(UTC) + 2 * tick:
            job.modify(next_run_time=datetime.now(UTC))


async def _watch_post(rounds: "Rounds", job: Job, transport: Transport) -> None:
    """Bring the next pass forward whenever something may have come; a post that others read is left alone."""
    rig = rounds.rig
    while True:
        if rig.duties.shared and duties.post(transport.name) not in rig.duties.held:
            await asyncio.sleep(rig.house.config.time.tick.total_seconds())
            continue
        await transport.wait(LONG)
        async with rounds.under_way:  # a pass that is under way may have looked too soon
            job.modify(next_run_time=datetime.now(UTC))


async def _end(tasks: "Sequence[asyncio.Task[None]]") -> list[BaseException]:
    """End tasks that should go on for ever, and give what they died of, if they did."""
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    return [end for end in ends if isinstance(end, BaseException) and not isinstance(end, asyncio.CancelledError)]
