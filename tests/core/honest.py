"""Play whole games over the core alone, with all that happens to one, and keep the file of each as a house would."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pbem import games
from pbem.core import dice, receipts, table
from pbem.core.proof import Line, Proof, Slip
from pbem.core.receipts import Deed
from pbem.core.table import Answer, Entry, Table
from pbem.engine import Dice, Event
from pbem.testing.plays import NAMES

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
LATE, RETRACTED, IDLE, RULED, UNASKED = 9, 7, 5, 12, 8
"""One answer in so many is the default, is taken back once, has a message beside it; one step in so many a ruling."""
ROLLED, BACK, FAR = 4, 8, 6
"""In one game in so many, one step in so many is taken back, with up to so many entries before it."""


@dataclass
class Game:
    """Hold a game while it is played: `words` are the players', if its seed is gathered."""

    name: str
    number: int
    players: int
    words: tuple[str, ...] | None = None
    lines: list[Line] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)
    stood: list[Table] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.engine = games.get(self.name)
        self.dice = Dice(dice.rehearsal_seed(f"players of {self.name} {self.number}"))
        self.secret = dice.rehearsal_seed(f"{self.name} {self.number}")
        self.names = NAMES[: self.players]
        self.seed = dice.gathered(self.secret, self.names, self.words) if self.words else self.secret

    @property
    def title(self) -> str:
        """Give the name that its letters would have."""
        return f"{self.name}-{self.number}"

    def play(self) -> Proof:
        """Play to the end, and give the file."""
        more = {"gathered": {"commitment": dice.commitment(self.secret), "words": self.words}} if self.words else {}
        if self.words:
            for seat, said in enumerate(self.words):
                self.receive(None, seat, Deed("seed", said))
        now, dealt = table.deal(self.engine, self.names, self.engine.options({}), self.seed, pbem="0.1.0", **more)
        self.enter(dealt)
        while now.result() is None:
            if not self.dice.below(RULED):
                now, entry = table.rule(now, Event("house.paused", {"reason": "dinner"}))
                self.enter(entry)
            self.stood.append(now)
            now, entry = table.step(now, self.answers(now))
            self.enter(entry)
            if self.number % ROLLED == 1 and now.result() is None and not self.dice.below(BACK):
                now = self.taken_back(now)
        secret = self.secret if self.words else None
        return Proof(self.title, "over", None, self.seed, secret, tuple(self.lines), tuple(self.slips))

    def taken_back(self, now: Table) -> Table:
        """Put the game back to how it stood before one of the last steps, dealt anew or not."""
        then = self.dice.choice([one for one in self.stood if now.entries - one.entries <= FAR])
        seats = range(self.players) if self.dice.below(2) else ()
        event = Event("house.rolled_back", {"step": then.step, "redealt": bool(seats)})
        now, entry = table.restore(now, then.state, then.entries, event, redeal=seats)
        self.enter(entry)
        return now

    def enter(self, entry: Entry) -> None:
        """Enter what was done."""
        body = json.loads(entry.body)
        self.lines.append(Line(entry.number, entry.kind, body, entry.events, entry.state_hash, entry.chain))

    def answers(self, now: Table) -> dict[int, Answer]:
        """Let those who are asked answer, in any order, or somebody interrupt; each message has its receipt."""
        asked = now.awaiting()
        unasked = sorted(set(self.engine.interrupts(now.state)) - asked.keys())
        if unasked and not self.dice.below(UNASKED):
            seat = self.dice.choice(unasked)
            return {seat: self.given(now, seat, 0, "")}
        found: dict[int, Answer] = {}
        for seat in self.dice.shuffled(tuple(asked)):
            found[seat] = self.given(now, seat, now.step + 1, asked[seat].kind)
            if table.settled(now, found):
                break
        return found

    def given(self, now: Table, seat: int, prompt: int, kind: str) -> Answer:
        """Let a seat answer in its own way."""
        if prompt and not self.dice.below(LATE):
            return Answer(table.default(now, seat), "default")
        if not self.dice.below(IDLE):
            self.receive(now, seat)
        if prompt and not self.dice.below(RETRACTED):
            other = self.engine.format(self.sample(now, seat))
            self.receive(now, seat, Deed("order", other, prompt, kind, now.entries))
            self.receive(now, seat, Deed("retract", "", prompt, kind, now.entries))
        order = self.sample(now, seat)
        self.receive(now, seat, Deed("order", self.engine.format(order), prompt, kind, now.entries))
        return Answer(order)

    def sample(self, now: Table, seat: int) -> object:
        """Choose an order at random."""
        return table.read(now, seat, self.engine.sample(now.view(seat), self.dice))

    def receive(self, now: Table | None, seat: int, *deeds: Deed) -> None:
        """Give a seat the receipt of a message."""
        own = [slip for slip in self.slips if slip.seat == seat]
        made = receipts.make(
            self.seed if now else self.secret, self.title, seat, len(own) + 1, deeds,
            received_at=NOON + timedelta(hours=len(self.slips)), entries=now.entries if now else 0,
            chain=now.chain if now else "", before=own[-1].hash if own else "",
        )  # fmt: skip
        self.slips.append(Slip(seat, len(own) + 1, made.body, receipts.dump(made.deeds), made.hash))


def honest(name: str, number: int) -> Proof:
    """Give the file of one honest game: three players or more, one in three with words of the players'."""
    seats = games.get(name).seats
    players = seats[number % len(seats)]
    words = tuple(f"{NAMES[seat]} says {number}" for seat in range(players)) if number % 3 == 2 else None
    return Game(name, number, players, words).play()
