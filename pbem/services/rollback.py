"""Put a game back to how it stood after an earlier step, knowing what each seat has learned since; or forward again."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from pbem.core import table as tables
from pbem.core.line import Line, follow
from pbem.core.table import Entry, Table
from pbem.engine import Event
from pbem.errors import AdminError
from pbem.services import desk, letters, sittings, turns
from pbem.services.house import House
from pbem.services.moderators import Ruler
from pbem.services.sittings import Sitting
from pbem.store import games
from pbem.store.tables import Game, LogEntry

ROLLED_BACK, FORWARDED, UNDONE = "house.rolled_back", "house.forwarded", "house.undone"
OPENING = "This turn was taken back: please forget the letters since, and move again if you are asked below."


@dataclass(frozen=True)
class Learned:
    """Count what one seat was shown: cards that only some saw, cards that all saw; `hints` tell of cards, showing none.

    Secret: how many, never which.
    """

    name: str
    privately: int = 0
    openly: int = 0
    hints: int = 0

    @property
    def anything(self) -> bool:
        """Tell whether it learned anything."""
        return bool(self.privately or self.openly or self.hints)

    def __str__(self) -> str:
        if not self.anything:
            return f"{self.name} has learned nothing since"
        hints = f", and {self.hints} hints" if self.hints else ""
        return f"{self.name} has learned since: {self.privately} cards shown to some, {self.openly} shown to all{hints}"


def rollback(
    session: Session, house: House, now: datetime, game: Game, step: int, reason: str, by: Ruler,
    *, redeal: bool | None = None,
) -> list[Learned]:  # fmt: skip
    """Put a game back to how it stood after a step (0: as it was dealt), and give what each seat has learned since.

    `redeal`: what no seat could know at that step is dealt anew; None: not needed if nobody has learned anything.
    Raises: AdminError, also if somebody has and nothing is said.
    """
    sitting = desk.take(session, house, game, by, "open", "paused")
    rows = games.log_of(session, game.id or 0)
    line = line_of(rows)
    node = line.standing_after(step)
    last = next(node.step for node in reversed(line.nodes()) if node.step is not None)
    if node is None or step == last:
        there = ", ".join(str(one.step) for one in line.nodes()[-9:] if one.step not in (None, last))
        raise AdminError(
            f"{sittings.name_of(game)} cannot go back to step {step}; the latest to go back to: {there or 'none'}"
        )
    learned = learned_since(sitting, rows, node.number)
    if redeal is None and any(one.anything for one in learned):
        raise AdminError(f"somebody has learned something since step {step}: say --redeal or --keep")
    facts = {"step": step, "last": last, "redealt": bool(redeal), **desk.reasoned(reason), **by.facts()}
    told = [str(one) for one in learned]
    put_back(session, sitting, rows, node.number, Event(ROLLED_BACK, facts), now, redeal=bool(redeal),
             by=by.signature, told="all", before=last, after=step, learned=told)  # fmt: skip
    tell(session, house, sitting, now)
    return learned


def rehearse(
    session: Session, house: House, now: datetime, game: Game, step: int, reason: str, by: Ruler, *, redeal: bool | None
) -> list[Learned]:
    """Roll back for a preview, even where it must still be said whether to deal anew."""
    return rollback(session, house, now, game, step, reason, by, redeal=bool(redeal))


def forward(session: Session, house: House, now: datetime, game: Game, reason: str, by: Ruler) -> None:
    """Take the last rollback back, while nothing was played since.

    Raises: AdminError.
    """
    sitting = desk.take(session, house, game, by, "open", "paused")
    rows = games.log_of(session, game.id or 0)
    head = line_of(rows).head
    if head is None or head.body.get("what") not in (ROLLED_BACK, UNDONE):
        raise AdminError(f"the last thing in {sittings.name_of(game)} is no rollback, or it was played on since")
    facts = {**desk.reasoned(reason), **by.facts()}
    put_back(session, sitting, rows, head.number - 1, Event(FORWARDED, facts), now,
             by=by.signature, told="all", before=head.number, after=head.number - 1)  # fmt: skip
    tell(session, house, sitting, now, "The game goes on from where it stood before it was taken back.")


def line_of(rows: Iterable[LogEntry]) -> Line:
    """Follow a game's log."""
    return follow((row.number, row.kind, row.body) for row in rows)


def steps_since(rows: list[LogEntry], entry: int) -> list[LogEntry]:
    """Give the steps in force that came after an entry."""
    numbers = {node.number for node in line_of(rows).nodes()}
    return [row for row in rows if row.kind == "step" and row.number > entry and row.number in numbers]


def learned_since(sitting: Sitting, rows: list[LogEntry], entry: int) -> list[Learned]:
    """Count for each seat what the steps since an entry have shown it, by the audiences of their events."""
    events = [event for row in steps_since(rows, entry) for event in games.events_of(row)]
    return [_learned(sitting, seat.number, seat.name, events) for seat in sitting.seats]


def _learned(sitting: Sitting, seat: int, name: str, events: list[Event]) -> Learned:
    cards = {True: 0, False: 0}
    hints = 0
    for event in events:
        shown = sitting.engine.learned(event, seat) if event.visible(seat) else None
        if shown:
            cards[event.seen_by is None] += shown
        hints += shown == 0
    return Learned(name, cards[False], cards[True], hints)


def put_back(
    session: Session, sitting: Sitting, rows: list[LogEntry], entry: int, event: Event, now: datetime, *,
    redeal: bool = False, **more: object,
) -> None:  # fmt: skip
    """Let the game stand as it did after an entry; old letters are void, and what is asked is asked anew.

    Raises: EngineFault if the log does not replay up to there.
    """
    played = [(row.kind, row.body, row.chain) for row in rows if row.number <= entry]
    past = tables.verify(sitting.engine, sitting.game.seed, played)
    seats = range(len(sitting.seats)) if redeal else ()
    table, made = tables.restore(sitting.table, past.state, entry, event, redeal=seats, **more)
    in_force = {node.number for node in line_of(row for row in rows if row.number <= entry).nodes()}
    kept = [row for row in rows if row.number <= entry and (row.kind != "step" or row.number in in_force)]
    sitting.past = tuple(event for row in kept for event in games.events_of(row))
    for seat in sitting.seats:
        seat.heard = min(seat.heard, entry)  # so that the letter tells what was taken back
    _stand_again(sitting, table, made, sitting.game.paused_at or now)


def _stand_again(sitting: Sitting, table: Table, entry: Entry, at: datetime) -> None:
    """Let old letters and orders be void, and ask anew what is asked; `at`: from when the clocks run."""
    sitting.entries.append((entry, sitting.table.turn()))
    sitting.table, sitting.fresh = table, len(sitting.entries)
    sitting.game.epoch += 1
    turns.close_prompts(sitting, at)
    turns.ask(sitting, at)


def tell(session: Session, house: House, sitting: Sitting, now: datetime, opening: str = OPENING) -> None:
    """Let the game go on, tell every seat, and write it all."""
    turns.advance(sitting, now)
    letters.tell(session, house, sitting, now, everybody=True, opening=opening)
    sittings.rise(session, sitting, now)
