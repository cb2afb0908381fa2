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
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.core import table as tables
from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.store import games, mail
from pbem.store.session import read
from pbem.store.tables import Inbox, Outbox, Prompt
from pbem.testing.stage import Stage, open_stage
from pbem.transports.letterhead import Letterhead, write
from tests.databases import on_both
from tests.dying import POINTS, SHARED_POINTS

NAMES = ("alice", "bob", "carol")
CLOCK, ROUND = "100m", timedelta(minutes=50)
ROOT = Path(__file__).parent.parent
TRIES, ROUNDS = 40, 300
DEATHS, EACH = 1000, 40  # under `prove`, on each database: a fresh house for so many
LAPSE = timedelta(minutes=6)  # what a process that died had taken is free after that


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test on both databases."""
    on_both(metafunc)


@dataclass
class Deadly:
    """Be a house whose every pass may be its process's last; `sent` counts the mails that its players wrote.

    On PostgreSQL three processes make each pass together.
    """

    stage: Stage
    program: "subprocess.Popen[str]"
    chance: random.Random
    sent: int = 0
    died: Counter[str] = field(default_factory=Counter)

    @property
    def shared(self) -> bool:
        """Tell whether several processes serve this house."""
        return self.stage.rig.duties.shared

    @property
    def points(self) -> list[str]:
        """Name where a process may die."""
        return list(SHARED_POINTS if self.shared else POINTS)

    def strike(self, point: str, most: int = 1) -> None:
        """Play on until a process has died at a point, the so many-th time that it came there."""
        for number in range(ROUNDS):
            self._round()
            if died := self._pass(point, self._counts(most if number == 0 else 1)):  # some come once a pass at most
                self.died[point] += died
                self.settle()
                return
        raise AssertionError(f"no pass ever came to {point}")

    def settle(self) -> None:
        """Let fresh processes go on until nothing is left to do."""
        for _ in range(TRIES if self.shared else 1):
            if self.shared:
                self.stage.now += LAPSE
            self._pass("", [0] * (3 if self.shared else 1))
            if not self._waiting():
                return

    def _counts(self, most: int) -> list[int]:
        """Choose when each process is to die; of three one at least, and not always all."""
        count = self.chance.randint(1, most)
        return self.chance.choice([[count, 0, 0], [count, count, 0], [count] * 3]) if self.shared else [count]

    def _waiting(self) -> bool:
        unread = (self.stage.config.path(self.stage.config.mail.inbox) / "new").iterdir()
        return any(unread) or read(self.stage.db, mail.queue_length) > 0

    def _round(self) -> None:
        """Let time pass, and some of those who are asked answer; deal a new game when one is over."""
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
        asked = [prompt for prompt in sitting.prompts.values() if prompt.order is None]
        for seat in sorted(prompt.seat for prompt in asked if self.stage.now <= prompt.deadline_at):
            if self.chance.random() < 0.7:
                order = sitting.engine.sample(sitting.table.view(seat), Dice(rehearsal_seed(f"{self.sent}")))
                self.stage.reply(sitting.seats[seat].name, order, to=self._newest(sitting.game.id or 0, seat))
                self.sent += 1

    def _newest(self, game_id: int, seat: int) -> EmailMessage:
        """Read the newest letter to a seat; all letters together would fill the memory."""
        row = read(self.stage.db, lambda session: mail.newest_letter(session, game_id, seat))
        assert row is not None
        office = self.stage.config.office
        head = Letterhead(office.name, office.address, office.plus)
        letter = email.message_from_bytes(write(mail.as_outbound(row), head), policy=email.policy.default)
        assert isinstance(letter, EmailMessage)
        return letter

    def _pass(self, point: str, counts: list[int]) -> int:
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        config, now = self.stage.config, self.stage.now.isoformat()
        asked = {"folder": str(config.folder), "url": config.store.url, "now": now, "point": point, "counts": counts}
        self.program.stdin.write(json.dumps(asked) + "\n")
        self.program.stdin.flush()
        return int(json.loads(self.program.stdout.readline()))


@pytest.fixture
def deadly(tmp_path: Path, store_url: str) -> Iterator[Deadly]:
    """Open a house that other processes serve."""
    stage = open_stage(tmp_path, url=store_url)
    for name in NAMES:
        stage.add_player(name)
    command = [sys.executable, "-m", "tests.dying"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as program:
        yield Deadly(stage, program, random.Random(7))
        assert program.stdin is not None
        program.stdin.close()
    stage.close()


def test_nothing_is_lost_or_done_twice_wherever_the_process_dies(deadly: Deadly) -> None:
    points = deadly.points
    if deadly.shared:  # all of them under `prove`
        points = [*points[::10], *(SHARED_POINTS.keys() - POINTS.keys())]
    for point in points:
        deadly.strike(point)
    deadly.settle()
    assert set(deadly.died) == set(points)
    check(deadly)


@pytest.mark.prove
@pytest.mark.parametrize("part", range(DEATHS // EACH))
def test_nothing_is_lost_or_done_twice_in_a_thousand_deaths(deadly: Deadly, part: int) -> None:
    deadly.chance.seed(part)
    for number in range(part * EACH, (part + 1) * EACH):
        deadly.strike(deadly.points[number % len(deadly.points)], most=3)
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
    written = [BytesHeaderParser(policy=email.policy.default).parsebytes(path.read_bytes()) for path in files]
    ids = Counter(str(letter["Message-ID"]).strip("<>").partition("@")[0] for letter in written)
    assert ids == Counter(row.letter_id for row in outbox)
    assert set(ids.values()) == {1}
    inbox = read(stage.db, lambda session: list(session.exec(select(Inbox))))
    assert sum(row.kind == "answer" for row in outbox) == len(inbox)
    reminders = [row.key for row in outbox if row.kind == "reminder"]
    assert reminders and len(reminders) == len(set(reminders))
