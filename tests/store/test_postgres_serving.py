"""Three real processes serve one PostgreSQL database: each order and each letter once, and one of them judges."""

import itertools
import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.services import duties
from pbem.store import games, leases, mail
from pbem.store.session import read
from pbem.testing.stage import Stage, open_stage
from tests.real.servers import PATIENCE, until
from tests.store.serving import KEY
from tests.test_crash import ROOT, logged_orders

NAMES = ("alice", "bob", "carol")


@dataclass
class Fleet:
    """Be a house that several processes serve; `sent` counts what its players wrote."""

    stage: Stage
    diary: Path
    span: str = "20"
    sent: int = 0
    processes: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def launch(self, count: int = 1) -> None:
        """Let more processes serve."""
        config = self.stage.config
        command = [sys.executable, "-m", "tests.store.serving", str(config.folder), config.store.url, self.span]
        for _ in range(count):
            self.processes.append(subprocess.Popen([*command, str(self.diary)], cwd=ROOT))

    def holder(self, duty: str = duties.JUDGE) -> "subprocess.Popen[bytes] | None":
        """Find the process that has a duty now."""
        found = read(self.stage.db, lambda session: leases.living(session, datetime.now(UTC)))
        name = next((lease.holder for lease in found if lease.name == duty), "")
        return next((process for process in self.processes if f"(process {process.pid})" in name), None)

    def serving(self) -> int:
        """Count the processes that say that they serve."""
        found = read(self.stage.db, lambda session: leases.living(session, datetime.now(UTC)))
        return sum(lease.name.startswith(duties.HERE) for lease in found)

    def noted(self, what: str) -> list[dict[str, Any]]:
        """Give what stands in the diary of one thing."""
        lines = self.diary.read_text().splitlines() if self.diary.exists() else []
        return [entry for entry in map(json.loads, lines) if entry["what"] == what]

    def settle(self) -> None:
        """Wait until all that was written is dealt with, and all letters are sent."""
        until(self._is_settled, "the processes deal with all that waits")

    def _is_settled(self) -> bool:
        unread = (self.stage.config.path(self.stage.config.mail.inbox) / "new").iterdir()
        return not any(unread) and not read(self.stage.db, mail.queue_length)

    def play(self, steps: int = 1) -> None:
        """Let everybody who is asked answer, in all games at once."""
        for _ in range(steps):
            self.settle()
            for game in read(self.stage.db, lambda session: games.list_games(session, status="open")):
                self._answer(f"blame-{game.id}")
            self.settle()

    def _answer(self, name: str) -> None:
        self.stage.now = datetime.now(UTC)
        sitting = self.stage.sitting(name)
        for seat in sitting.prompts:
            player = sitting.seats[seat].name
            order = sitting.engine.sample(sitting.table.view(seat), Dice(rehearsal_seed(f"{name} {self.sent}")))
            letters = [letter for letter in self.stage.mails(player) if f"[{name}]" in str(letter["Subject"])]
            self.stage.reply(player, order, to=letters[-1])
            self.sent += 1


@pytest.fixture
def fleet(tmp_path: Path, postgres_url: str) -> Iterator[Fleet]:
    """Open a house with four games, which nobody serves yet; all processes are ended in any case."""
    stage = open_stage(tmp_path / "house", datetime.now(UTC), url=postgres_url)
    stage.rig.clock = lambda: datetime.now(UTC)
    assert stage.house.key == KEY
    for name in NAMES:
        stage.add_player(name)
    for number in range(4):
        stage.new_game("blame", NAMES, seed=f"fleet {number}")
    (stage.config.path(stage.config.mail.inbox) / "new").mkdir(parents=True)
    fleet = Fleet(stage, tmp_path / "diary")
    yield fleet
    for process in fleet.processes:
        process.kill()
        process.wait()
    stage.close()


def stop(process: "subprocess.Popen[bytes]", number: signal.Signals = signal.SIGTERM) -> int:
    """Stop a process, and give how it ended."""
    process.send_signal(number)
    return process.wait(PATIENCE)


def check(fleet: Fleet) -> None:
    """Make sure that each order and each letter was made once."""
    orders = logged_orders(fleet.stage)
    waiting = sum(len([p for p in fleet.stage.sitting(f"blame-{n}").prompts.values() if p.order]) for n in range(1, 5))
    assert sum(orders.values()) + waiting == fleet.sent
    assert read(fleet.stage.db, lambda session: {row.verdict for row in mail.list_messages(session)}) == {"answered"}
    rows = read(fleet.stage.db, lambda session: mail.list_letters(session, 10_000))
    ids = Counter(str(letter["Message-ID"]).strip("<>").partition("@")[0] for letter in fleet.stage.mails())
    assert ids == Counter(row.letter_id for row in rows)
    assert set(ids.values()) == {1}


def judges(fleet: Fleet) -> set[int]:
    """Give who judged, and make sure that no two did at the same time."""
    spans = sorted((entry["since"], entry["at"], entry["pid"]) for entry in fleet.noted("judged"))
    for (_, end, one), (begin, _, other) in itertools.pairwise(spans):
        assert one == other or end <= begin, "two judged at the same time"
    return {pid for *_, pid in spans}


def test_three_processes_make_each_order_and_each_letter_once_and_one_of_them_judges(fleet: Fleet) -> None:
    fleet.launch(3)
    until(lambda: fleet.serving() == 3, "all three serve")
    fleet.play(3)
    first = until(fleet.holder, "one of them judges")
    assert stop(first) == 0
    until(lambda: fleet.holder() not in (None, first), "another judges, as the first one gave its duties back")
    fleet.play(3)
    check(fleet)
    sent = fleet.noted("sent")
    assert set(Counter(entry["key"] for entry in sent).values()) == {1}, "no letter was handed over twice"
    assert len({entry["pid"] for entry in sent}) > 1, "the work was shared"
    until(lambda: len(judges(fleet)) > 1, "the second one has judged too")


@pytest.mark.parametrize("duty", [duties.JUDGE, duties.post("mail")])
def test_whoever_is_killed_another_takes_over_when_its_lease_has_lapsed(fleet: Fleet, duty: str) -> None:
    fleet.span = "2"
    fleet.launch(3)
    until(lambda: fleet.serving() == 3, "all three serve")
    fleet.play()
    for _ in range(2):
        dead = until(lambda: fleet.holder(duty), "one of them has the duty")
        assert stop(dead, signal.SIGKILL) == -signal.SIGKILL
        until(lambda gone=dead: fleet.holder(duty) not in (None, gone), "another has taken it over")  # type: ignore[misc]
        fleet.play()
    check(fleet)


def test_a_process_that_dies_in_mid_letter_loses_none(fleet: Fleet) -> None:
    """It has claimed letters: whoever is left sends them once the claim has lapsed."""
    fleet.span = "2"
    fleet.launch()
    until(lambda: fleet.noted("sent"), "it begins to send")
    assert stop(fleet.processes[0], signal.SIGKILL) == -signal.SIGKILL
    fleet.launch(2)
    fleet.play()
    check(fleet)
