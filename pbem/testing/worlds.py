"""Do the same in several worlds, through the real office and the real store, and give the letters that come of it.

Each world is forgotten afterwards: its transaction is rolled back, and the rows that would have been written to the
outbox are what the players would have got, byte for byte.
"""

import functools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, col, select

from pbem.core.message import Inbound
from pbem.core.receipts import masked
from pbem.engine import AnyState, Dice, Engine
from pbem.services import letters, office, sittings, turns
from pbem.services.sittings import Sitting
from pbem.store import games
from pbem.store.session import transact
from pbem.store.tables import Game, Outbox
from pbem.testing.plays import NAMES
from pbem.testing.stage import Stage, open_stage

Letter = tuple[object, ...]
Act = Callable[[Session], object]
SHOWN = (
    *("key", "letter_id", "kind", "transport", "place", "token", "thread"),
    *("subject", "text", "html", "status", "next_try_at"),
)
"""What of an outbox row leaves the house, or tells when it does."""
ONE_IN_UNASKED = 8


@contextmanager
def stage_for(engine: Engine) -> Iterator[Stage]:
    """Set up a house for a while that plays one game, with a player for each of its seats."""
    with tempfile.TemporaryDirectory() as folder:
        stage = open_stage(Path(folder), guest=engine)
        try:
            for name in NAMES[: engine.seats[-1]]:
                stage.add_player(name)
            yield stage
        finally:
            stage.close()


def play_through(stage: Stage, name: str, dice: Dice) -> Iterator[Sitting]:
    """Play a game at random straight through the services, and give every position before it is played on."""
    while (sitting := stage.sitting(name)).is_open:
        yield sitting
        transact(stage.db, functools.partial(_move, stage=stage, name=name, dice=dice))


def moves(sitting: Sitting, dice: Dice) -> dict[int, str]:
    """Choose what is sent next, in the order in which it comes in: answers of all who are asked, or an interruption."""
    engine, state = sitting.engine, sitting.table.state
    unasked = sorted(set(engine.interrupts(state)) - sitting.prompts.keys())
    interrupted = unasked and not dice.below(ONE_IN_UNASKED)
    seats = (dice.choice(unasked),) if interrupted else dice.shuffled(sorted(sitting.prompts))
    return {seat: engine.sample(engine.view(state, seat), dice) for seat in seats}


class Position:
    """Hold one position of a game, from which other worlds are entered."""

    def __init__(self, stage: Stage, sitting: Sitting) -> None:
        self.stage, self.sitting = stage, sitting
        self._letters = self._newest()

    def letters(self, state: AnyState, *acts: Act) -> dict[int | None, list[Letter]]:
        """Do something in the world of a state, and give the letters it makes, by seat, in their order."""
        with Session(self.stage.db, expire_on_commit=False, autoflush=False) as session:
            try:
                before = session.exec(select(sa.func.max(Outbox.id))).one() or 0
                snapshot = self.sitting.engine.dump(state)
                this = col(Game.id) == self.sitting.game.id
                session.connection().execute(sa.update(Game).where(this).values(state=snapshot))
                for act in acts:
                    act(session)
                rows = session.exec(select(Outbox).where(col(Outbox.id) > before).order_by(col(Outbox.id)))
                made: dict[int | None, list[Letter]] = {}
                for row in rows:
                    made.setdefault(row.seat, []).append(tuple(_shown(row, name) for name in SHOWN))
                return made
            finally:
                session.rollback()

    def sending(self, seat: int, words: str) -> Act:
        """Let a seat's player answer the newest letter."""
        place, letter_id = self._letters[seat]
        words = words.encode(errors="replace").decode()  # as a mail would bring it
        message = Inbound(
            transport="mail", external_id=f"{seat} {words}", sender=place, recipients=(),
            answers=(f"{letter_id}@example.org",), subject="", text=words, html=None,
            received_at=self.stage.now, raw=b"",
        )  # fmt: skip
        return lambda session: office.handle(session, self.stage.house, self.stage.now, message)

    def reminding(self, seat: int) -> Act:
        """Let a seat be reminded."""

        def act(session: Session) -> None:
            game = games.find_game(session, self.sitting.game.id or 0)
            assert game is not None
            again = sittings.sit(session, self.stage.house, game)
            letters.remind(session, self.stage.house, again, seat, self.stage.now, self.stage.now)

        return act

    def _newest(self) -> dict[int, tuple[str, str]]:
        """Give the address and the id of the newest letter to each seat."""
        with Session(self.stage.db) as session:
            query = select(Outbox).where(Outbox.game_id == self.sitting.game.id).order_by(col(Outbox.id))
            return {row.seat: (row.place, row.letter_id) for row in session.exec(query) if row.seat is not None}


def _shown(row: Outbox, name: str) -> object:
    """Give what a letter shows, the hashes of receipts blotted out: they commit to what is hidden."""
    value = getattr(row, name)
    return masked(value) if name in ("text", "html") else value


def _move(session: Session, stage: Stage, name: str, dice: Dice) -> None:
    """Let everybody who is asked answer at random, or somebody interrupt."""
    game = games.find_game(session, int(name.rpartition("-")[2]))
    assert game is not None
    sitting = sittings.sit(session, stage.house, game)
    for seat, text in moves(sitting, dice).items():
        order = turns.read(sitting, seat, text)
        if seat not in sitting.prompts:
            turns.interrupt(sitting, seat, order, stage.now)
        else:
            turns.answer(sitting, seat, order, stage.now)
            turns.advance(sitting, stage.now)
        if sitting.moved:
            break
    letters.tell(session, stage.house, sitting, stage.now)
    sittings.rise(session, sitting, stage.now)
