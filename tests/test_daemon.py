"""The house goes on until it is told to stop: what fails for a while is tried again, what dies ends it aloud."""

import asyncio
import os
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from structlog.testing import capture_logs

from pbem import daemon
from pbem.daemon import Passed
from pbem.rig import Rig
from pbem.testing.stage import Stage, open_stage
from pbem.transports.base import Delivery
from tests.services.company import Company
from tests.services.posts import shake

PATIENCE = 60
NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
TICK = timedelta(milliseconds=20)
Logged = list[Any]


@dataclass
class Passes:
    """Stand before the daemon's own pass, and let a test wait for one."""

    real: Callable[[Rig], Any]
    made: list[Passed] = field(default_factory=list)
    failed: int = 0
    _event: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, rig: Rig) -> Passed:
        """Make the pass, and say how it went."""
        try:
            passed: Passed = await self.real(rig)
        except Exception:
            self.failed += 1
            raise
        finally:
            self._event.set()
        self.made.append(passed)
        return passed

    async def more(self, count: int = 1) -> None:
        """Wait until some more passes were made."""
        wanted = len(self.made) + count
        while len(self.made) < wanted:
            await self._next()

    async def failure(self) -> None:
        """Wait until a pass has failed."""
        while not self.failed:
            await self._next()

    async def _next(self) -> None:
        self._event.clear()
        await self._event.wait()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Open a house that makes a pass as often as it can."""
    stage = open_stage(tmp_path, time={"tick": TICK}, moderators={"mona": "mona@example.org"})
    yield stage
    stage.close()


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Passes:
    """Watch the passes that the daemon makes."""
    passes = Passes(daemon.one_pass)
    monkeypatch.setattr(daemon, "one_pass", passes)
    return passes


@pytest.fixture
def logged() -> Iterator[Logged]:
    """Give what is logged."""
    with capture_logs() as entries:
        yield entries


def events(logged: Logged, name: str) -> list[Any]:
    """Give the entries of one event."""
    return [entry for entry in logged if entry["event"] == name]


def terminate() -> None:
    """Tell this process to end, as systemd does."""
    os.kill(os.getpid(), signal.SIGTERM)


@asynccontextmanager
async def serving(stage: Stage) -> AsyncIterator["asyncio.Task[None]"]:
    """Let the daemon run beside the test."""
    async with asyncio.timeout(PATIENCE):
        task = asyncio.create_task(daemon.serve(stage.rig))
        yield task
        if not task.done():
            terminate()
        with suppress(Exception):
            await task


async def test_it_makes_passes_until_it_is_told_to_stop(stage: Stage, passes: Passes, logged: Logged) -> None:
    for name in ("alice", "bob", "carol"):
        stage.add_player(name)
    stage.new_game("blame", ["alice", "bob", "carol"])
    async with serving(stage) as task:
        await passes.more(3)
        terminate()
        await task
    assert [passed.sent for passed in passes.made][:2] == [3, 0]
    assert logged[0]["event"] == "serving"
    assert logged[-1]["event"] == "stopped"


async def test_a_stop_waits_for_the_pass_under_way(stage: Stage, passes: Passes) -> None:
    company = await asyncio.to_thread(Company.deal, stage)
    stage.reply("alice", "draw")
    begun, go_on, post = asyncio.Event(), asyncio.Event(), shake(stage)

    async def receive() -> AsyncIterator[Delivery]:
        begun.set()
        await go_on.wait()
        async for delivery in post.real.receive():
            yield delivery

    post.receive = receive  # type: ignore[method-assign]
    async with serving(stage) as task:
        await begun.wait()
        terminate()
        done, _ = await asyncio.wait([task], timeout=TICK.total_seconds() * 3)
        assert not done, "it did not wait for the pass"
        go_on.set()
        await task
    assert passes.made[-1].received == 1
    assert company.sitting.table.turn() == 2
    assert passes.made[-1].sent == 3, "the letters of that pass went out"


async def test_a_database_that_is_gone_for_a_while_costs_passes_and_no_more(
    stage: Stage, passes: Passes, logged: Logged
) -> None:
    def rename(old: str, new: str) -> None:
        connection = sqlite3.connect(str(stage.db.url.database), timeout=PATIENCE)
        connection.execute(f"ALTER TABLE {old} RENAME TO {new}")
        connection.close()

    async with serving(stage) as task:
        await passes.more()
        rename("fact", "gone")
        await passes.failure()
        rename("gone", "fact")
        await passes.more(2)
        assert not task.done()
    assert "no such table: fact" in str(events(logged, "a pass failed")[0]["exc_info"])


async def test_a_pass_that_dies_ends_the_house_with_an_error(stage: Stage, passes: Passes, logged: Logged) -> None:
    post = shake(stage)

    def bug() -> None:
        raise RuntimeError("a bug")

    async with serving(stage) as task:
        await passes.more()
        post.meanwhile = bug
        with pytest.raises(RuntimeError, match="a bug"):
            await task
    assert len(events(logged, "a pass failed")) == 1


async def test_a_task_beside_the_passes_that_dies_ends_the_house_too(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(*_: object) -> None:
        raise RuntimeError("the watch died")

    monkeypatch.setattr(daemon, "_watch_clock", die)
    async with serving(stage) as task:
        with pytest.raises(RuntimeError, match="the watch died"):
            await task


async def test_d09_a_clock_that_is_put_back_by_years_does_not_stop_the_passes(
    stage: Stage, passes: Passes, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedulers = list[AsyncIOScheduler]()

    class Kept(AsyncIOScheduler):  # type: ignore[misc]
        def start(self, *given: object) -> None:
            schedulers.append(self)
            super().start(*given)

    monkeypatch.setattr(daemon, "AsyncIOScheduler", Kept)
    async with serving(stage):
        await passes.more()
        (job,) = schedulers[0].get_jobs()
        job.modify(next_run_time=datetime.now(UTC) + timedelta(days=3650))  # as if now were years before
        await passes.more(2)


def test_d09_a_jump_of_years_ahead_is_one_pass_that_was_missed() -> None:
    trigger = daemon.Steady(timedelta(seconds=30))
    assert trigger.get_next_fire_time(None, NOW) == NOW
    far = NOW + timedelta(days=3650)
    assert trigger.get_next_fire_time(NOW, far) == far + timedelta(seconds=30)


async def test_a_halt_is_logged_once_not_at_each_pass(stage: Stage, passes: Passes, logged: Logged) -> None:
    stage.config.path(stage.config.store.instance_file).unlink()
    async with serving(stage):
        await passes.more(4)
    (entry,) = events(logged, "halted until `pbem admin confirm`")
    assert "there is no instance beside this database" in entry["why"]
    assert all(passed == Passed(halted=passed.halted) for passed in passes.made), "nothing was read or sent"


async def test_no_card_order_or_token_stands_in_the_log(stage: Stage, passes: Passes, logged: Logged) -> None:
    company = await asyncio.to_thread(Company.deal, stage)
    stage.reply("alice", "play G1 GS2 S1 accuse bob")
    async with serving(stage):
        await passes.more(2)
    token = str(company.newest("bob")["Message-ID"]).partition(".")[0].strip("<")
    told = str(logged)
    for secret in (token, "GS2", "accuse", "alice@example.org"):
        assert secret not in told
