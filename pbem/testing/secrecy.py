"""Compare what leaves for a seat in two worlds that differ only in what this seat may not know.

Everything goes through the real office and the real store, in a transaction that is rolled back: the rows that would
have been written to the outbox are what the player would have got, byte for byte.
"""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from pbem.core import table
from pbem.core.digest import Scene
from pbem.core.message import Inbound
from pbem.core.table import Answer
from pbem.engine import AnyState, Dice
from pbem.services import letters, office, turns
from pbem.services.turns import Sitting
from pbem.store import games
from pbem.store.session import transact
from pbem.store.tables import Game, Outbox
from pbem.testing.stage import Stage

Letter = tuple[object, ...]
Act = Callable[[Session], object]
SHOWN = (
    *("key", "letter_id", "kind", "transport", "place", "token", "thread"),
    *("subject", "text", "html", "status", "next_try_at"),
)


@dataclass(frozen=True)
class Leak:
    """Say in which position which words made letters differ for a seat, and the first two that differ."""

    seat: int | None
    words: str
    here: object
    there: object


def play_through(stage: Stage, name: str, dice: Dice) -> Iterator[Sitting]:
    """Play a game at random straight through the services, and give every position before it is played on."""
    while (sitting := stage.sitting(name)).is_open:
        yield sitting
        transact(stage.db, functools.partial(_move, stage=stage, name=name, dice=dice))


def leaks(stage: Stage, sitting: Sitting, dice: Dice) -> Iterator[Leak]:
    """Look for letters that tell a seat, or an observer, more than its view does."""
    engine, state = sitting.engine, sitting.table.state
    for seat in (None, *range(len(sitting.seats))):
        other = engine.reshuffle(state, (seat,), dice)
        if seat is None:
            here, there = (_public(stage, sitting, world) for world in (state, other))
            yield from _differences(None, "the table", here, there)
            continue
        for words in questions(sitting, seat, dice):
            message = ask(stage, sitting, seat, words)
            act = _handling(stage, message)
            yield from _differences(
                seat, words, *(letters_for(stage, sitting, world, act).get(seat) for world in (state, other))
            )
        if seat in sitting.prompts:
            act = _reminding(stage, sitting, seat)
            yield from _differences(
                seat, "(reminder)", *(letters_for(stage, sitting, world, act).get(seat) for world in (state, other))
            )
        yield from _step_leaks(stage, sitting, seat, other, dice)


def questions(sitting: Sitting, seat: int, dice: Dice) -> tuple[str, ...]:
    """Write messages that change nothing: office commands, checks, and orders that are refused."""
    engine, view = sitting.engine, sitting.table.view(seat)
    samples = [engine.sample(sitting.table.view(other), dice) for other in sitting.prompts]
    checks = [f"check {text}" for text in samples]
    refused = [text for text in samples if _is_refused(engine.parse, view, text)]
    slips = [f"{row.example[0]}{row.example}" for row in engine.notation[:2]]
    return ("\n".join(["status", "log", *checks]), "help\nrules", "hello there", *refused[:2], *slips)


def letters_for(stage: Stage, sitting: Sitting, state: AnyState, act: Act) -> dict[int | None, list[Letter]]:
    """Do something in a world, and give the letters it makes, by seat; the world is then forgotten."""
    with Session(stage.db, expire_on_commit=False, autoflush=False) as session:
        try:
            before = session.exec(select(sa.func.max(Outbox.id))).one() or 0
            snapshot = sitting.engine.dump(state)
            session.connection().execute(sa.update(Game).where(col(Game.id) == sitting.game.id).values(state=snapshot))
            act(session)
            rows = session.exec(select(Outbox).where(col(Outbox.id) > before).order_by(col(Outbox.id)))
            made: dict[int | None, list[Letter]] = {}
            for row in rows:
                made.setdefault(row.seat, []).append(tuple(getattr(row, name) for name in SHOWN))
            return made
        finally:
            session.rollback()


def ask(stage: Stage, sitting: Sitting, seat: int, words: str, at: datetime | None = None) -> Inbound:
    """Write a message of a seat's player in answer to its newest letter."""
    with Session(stage.db) as session:
        query = select(Outbox).where(Outbox.game_id == sitting.game.id, Outbox.seat == seat)
        letter = session.exec(query.order_by(col(Outbox.id).desc())).first()
        assert letter is not None
        return Inbound(
            transport="mail", external_id=f"{seat} {words}", sender=letter.place,
            recipients=(), answers=(f"{letter.letter_id}@example.org",), subject="", text=words, html=None,
            received_at=at or stage.now, raw=b"",
        )  # fmt: skip


def _step_leaks(stage: Stage, sitting: Sitting, seat: int, other: AnyState, dice: Dice) -> Iterator[Leak]:
    """Let whoever is asked move the same in both worlds: where the seat sees the same, its letters are the same."""
    mover = next(iter(sitting.prompts))
    words = sitting.engine.sample(sitting.table.view(mover), dice)
    if mover != seat:  # the mover's hand must stay, so that the move is the same
        other = sitting.engine.reshuffle(sitting.table.state, (seat, mover), dice)
    outcomes = [_outcome(sitting, world, mover, seat, words) for world in (sitting.table.state, other)]
    if outcomes[0] is None or outcomes[0] != outcomes[1]:
        return
    act = _handling(stage, ask(stage, sitting, mover, words))
    here, there = (letters_for(stage, sitting, world, act).get(seat) for world in (sitting.table.state, other))
    yield from _differences(seat, f"({sitting.seats[mover].name}: {words})", here, there)


def _outcome(sitting: Sitting, world: AnyState, mover: int, seat: int, words: str) -> tuple[object, ...] | None:
    """Give what a seat sees of a step: its view after it, and the events it may see."""
    start = replace(sitting.table, state=world)
    order = table.read(start, mover, words)
    if order is None or not table.settled(start, {mover: Answer(order)}):
        return None
    after, entry = table.step(start, {mover: Answer(order)})
    seen = tuple((event.kind, repr(event.facts)) for event in entry.events if event.visible(seat))
    return after.view(seat), seen


def _public(stage: Stage, sitting: Sitting, world: AnyState) -> object:
    return Scene(stage.house.renderer, replace(sitting.table, state=world), sitting.names).table()


def _differences(seat: int | None, words: str, here: object, there: object) -> Iterator[Leak]:
    if here != there:
        yield Leak(seat, words, here, there)


def _handling(stage: Stage, message: Inbound) -> Act:
    return lambda session: office.handle(session, stage.house, stage.now, message)


def _reminding(stage: Stage, sitting: Sitting, seat: int) -> Act:
    def act(session: Session) -> None:
        game = games.find_game(session, sitting.game.id or 0)
        assert game is not None
        again = turns.sit(session, stage.house, game)
        letters.remind(session, stage.house, again, seat, stage.now, stage.now)

    return act


def _is_refused(parse: Callable[[Any, str], object], view: object, text: str) -> bool:
    try:
        return parse(view, text) is None
    except Exception:
        return True


def _move(session: Session, stage: Stage, name: str, dice: Dice) -> None:
    """Let every seat that is asked answer at random."""
    number = int(name.rpartition("-")[2])
    game = games.find_game(session, number)
    assert game is not None
    sitting = turns.sit(session, stage.house, game)
    for seat in sorted(sitting.prompts):
        text = sitting.engine.sample(sitting.table.view(seat), dice)
        turns.answer(sitting, seat, turns.read(sitting, seat, text), stage.now)
    turns.advance(sitting, stage.now)
    letters.tell(session, stage.house, sitting, stage.now)
    turns.rise(session, sitting, stage.now)
