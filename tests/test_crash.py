"""Whatever dies when, nothing is lost and nothing is done twice: real processes, killed at every point of a pass."""

import email
import email.policy
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.core import table as tables
from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.store import games
from pbem.store.session import read
from pbem.store.tables import Inbox, Outbox, Prompt
from pbem.testing.stage import Stage, open_stage
from tests.dying import POINTS

NAMES = ("alice", "bob", "carol")
CLOCK, ROUND = "100m", timedelta(minutes=50)
ROOT = Path(__file__).parent.parent
TRIES = 40


@dataclass
class Deadly:
    """Be a house whose every pass may be its process's last; `sent` counts the mails that its players wrote."""

    stage: Stage
    program: "subprocess.Popen[str]"
    chance: random.Random
    sent: int = 0
    died: Counter[str] = field(default_factory=Counter)

    def strike(self, point: str, most: int = 1) -> None:
        """Play on until a process has died at a point, the so many-th time that it came there."""
        for _ in range(TRIES):
            self._round()
            if self._pass(point, self.chance.randint(1, most)):
                self.died[point] += 1
                return
        raise AssertionError(f"no pass ever came to {point}")

    def settle(self) -> None:
        """Let a fresh process go on until nothing is left to do."""
        self._pass("", 0)

    def _round(self) -> None:
        """Let time pass, and some of those who are asked answer; deal a new game when one is over."""
        self.settle()
        self.stage.now += ROUND
        going_on = [game for game in read(self.stage.db, games.list_games) if game.status == "open"]
        if not going_on:
            self.stage.new_game("blame", NAMES, seed=f"crash {self.sent}", clocks=[CLOCK], max_turns="12")
            self.settle()
        for game in read(self.stage.db, games.list_games):
            if game.status == "open":
                self._answer(f"blame-{game.id}")

    def _answer(self, name: str) -> None:
        sitting = self.stage.sitting(name)
        in_time = [seat for seat, prompt in sitting.prompts.items() if self.stage.now <= prompt.deadline_at]
        for seat in sorted(in_time):
            if self.chance.random() < 0.7:
                order = sitting.engine.sample(sitting.table.view(seat), Dice(rehearsal_seed(f"{self.sent}")))
                letters = [m for m in self.stage.mails(sitting.seats[seat].name) if f"[{name}]" in str(m["Subject"])]
                self.stage.reply(sitting.seats[seat].name, order, to=letters[-1])
                self.sent += 1

    def _pass(self, point: str, count: int) -> bool:
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        asked = {"folder": str(self.stage.config.folder), "now": self.stage.now.isoformat()}
        self.program.stdin.write(json.dumps({**asked, "point": point, "count": count}) + "\n")
        self.program.stdin.flush()
        return bool(json.loads(self.program.stdout.readline()))


@pytest.fixture
def deadly(tmp_path: Path) -> Iterator[Deadly]:
    """Open a house that other processes serve."""
    stage = open_stage(tmp_path)
    for name in NAMES:
        stage.add_player(name)
    command = [sys.executable, "-m", "tests.dying"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as program:
        yield Deadly(stage, program, random.Random(7))
        assert program.stdin is not None
        program.stdin.close()
    stage.close()


def test_nothing_is_lost_or_done_twice_wherever_the_process_dies(deadly: Deadly) -> None:
    for point in POINTS:
        deadly.strike(point)
    deadly.settle()
    assert set(deadly.died) == set(POINTS)
    check(deadly)


@pytest.mark.prove
def test_nothing_is_lost_or_done_twice_in_a_thousand_deaths(deadly: Deadly) -> None:
    points = list(POINTS)
    for number in range(1000):
        deadly.strike(points[number % len(points)], most=3)
    deadly.settle()
    check(deadly)


def check(deadly: Deadly) -> None:
    """Count what became of every mail and every letter, and play every log again."""
    stage = deadly.stage
    mails_in(deadly)
    letters_out(stage)
    for game in read(stage.db, games.list_games):
        rows = read(stage.db, lambda session, number=game.id or 0: games.log_of(session, number))  # type: ignore[misc]
        again = tables.replay(stage.house.engine("blame"), game.seed, [(row.kind, row.body) for row in rows])
        assert (again.chain, again.entries) == (game.chain, game.entries)
        assert game.status in ("open", "over"), "no game met a fault"


def mails_in(deadly: Deadly) -> None:
    """Make sure that each mail of a player was answered once, and that its order stands in the log once."""
    stage = deadly.stage
    inbox = read(stage.db, lambda session: list(session.exec(select(Inbox))))
    assert len(inbox) == len({row.external_id for row in inbox}) == deadly.sent
    assert {row.verdict for row in inbox} == {"answered"}
    assert list((stage.config.path(stage.config.mail.inbox) / "new").iterdir()) == []
    prompts = read(stage.db, lambda session: list(session.exec(select(Prompt))))
    closed = [prompt for prompt in prompts if prompt.closed_at]
    given = Counter((prompt.game_id, prompt.seat, prompt.order, prompt.given_by) for prompt in closed)
    assert given == logged_orders(stage), "each answer stands in the log, once"
    by_players = sum(count for (*_, by), count in given.items() if by == "player")
    waiting = sum(1 for prompt in prompts if prompt.closed_at is None and prompt.order)
    assert by_players + waiting == deadly.sent, "each order was taken, once"
    assert by_players < sum(given.values()), "time ran out for some"


def logged_orders(stage: Stage) -> "Counter[tuple[int, int, str | None, str | None]]":
    """Count the orders that stand in the logs."""
    orders: Counter[tuple[int, int, str | None, str | None]] = Counter()
    for game in read(stage.db, games.list_games):
        for row in read(stage.db, lambda session, number=game.id or 0: games.log_of(session, number)):  # type: ignore[misc]
            orders.update((game.id or 0, *order) for order in json.loads(row.body).get("orders", []))
    return orders


def letters_out(stage: Stage) -> None:
    """Make sure that each letter lies in the outbox folder once, and each mail of a player has one answer."""
    outbox = read(stage.db, lambda session: list(session.exec(select(Outbox))))
    assert {row.status for row in outbox} == {"sent"}
    folder = stage.config.path(stage.config.mail.outbox)
    files = [path for box in ("new", "cur") for path in (folder / box).iterdir()]
    written = [email.message_from_bytes(path.read_bytes(), policy=email.policy.default) for path in files]
    ids = Counter(str(letter["Message-ID"]).strip("<>").partition("@")[0] for letter in written)
    assert ids == Counter(row.letter_id for row in outbox)
    assert set(ids.values()) == {1}
    inbox = read(stage.db, lambda session: list(session.exec(select(Inbox))))
    assert sum(row.kind == "answer" for row in outbox) == len(inbox)
    reminders = [row.key for row in outbox if row.kind == "reminder"]
    assert reminders and len(reminders) == len(set(reminders))
