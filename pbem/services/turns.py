"""Take orders, resolve steps, and ask the next question; all of it in a `Sitting`, in memory."""

import json
from collections.abc import Collection
from datetime import datetime, timedelta

from pbem.core import table as tables
from pbem.core.clock import last_beat
from pbem.core.proof import DEFAULT
from pbem.core.table import Answer, Entry, Table
from pbem.engine import Event, Order
from pbem.errors import BadOrder, EngineFault, GameOver, NotAwaited
from pbem.services import clocks
from pbem.services.sittings import Sitting, name_of
from pbem.store.tables import Game, Prompt, Seat

PLAYER, AHEAD, BOT, RESIGNED, MODERATOR = "player", "ahead", "bot", "resigned", "moderator"
"""Who gave an answer."""
OWN = (PLAYER, AHEAD)


def begin(game: Game, seats: list[Seat], entry: Entry, table: Table, now: datetime) -> Sitting:
    """Take a game in hand that was just dealt, and ask its first question."""
    sitting = Sitting(game, table, seats, {}, entries=[(entry, 0)])
    ask(sitting, now)
    advance(sitting, now)
    return sitting


def check_open(sitting: Sitting) -> None:
    """Make sure that orders are taken.

    Raises: GameOver, NotAwaited.
    """
    if sitting.game.status in ("over", "ended"):
        raise GameOver(f"{name_of(sitting.game)} is over; no more orders are taken.")
    if sitting.game.status == "paused":
        raise NotAwaited(
            f"{name_of(sitting.game)} is paused; your clock stands still, please write again once it goes on."
        )


def read(sitting: Sitting, seat: int, text: str) -> Order | None:
    """Read a text as an order of a seat against its view; None if it is talk.

    Raises: BadOrder, EngineFault.
    """
    return tables.read(sitting.table, seat, text)


def is_unasked(sitting: Sitting, seat: int, text: str) -> bool:
    """Tell whether a text is an order that this seat may send at any time, whatever it is asked."""
    if seat not in sitting.engine.interrupts(sitting.table.state):
        return False
    try:
        order = read(sitting, seat, text)
    except BadOrder:
        return False
    return order is not None and sitting.engine.unasked(order)


def answer(sitting: Sitting, seat: int, order: Order, at: datetime, given_by: str = PLAYER) -> None:
    """Seal a seat's answer to what it is asked.

    Raises: NotAwaited if nothing is asked of it.
    """
    prompt = sitting.prompts.get(seat)
    if prompt is None:
        raise NotAwaited("Nothing is asked of you just now.")
    prompt.order = sitting.engine.format(order)
    prompt.order_at, prompt.given_by = at, given_by
    sitting.orders[seat] = order
    sitting.touched[prompt.number] = prompt


def retract(sitting: Sitting, seat: int) -> str:
    """Take a sealed answer back, and give what it was.

    Raises: NotAwaited if there is none.
    """
    prompt = sitting.prompts.get(seat)
    if prompt is None or prompt.order is None:
        raise NotAwaited("No sealed answer of yours waits; what was used cannot be taken back.")
    was, prompt.order, prompt.order_at, prompt.given_by = prompt.order, None, None, None
    sitting.orders.pop(seat, None)
    sitting.touched[prompt.number] = prompt
    return was


def advance(sitting: Sitting, now: datetime) -> None:
    """Resolve steps as long as all that is needed is there; resigned seats answer by their default.

    In a paced game what came in since the last beat waits for the next.
    Raises: EngineFault.
    """
    while sitting.is_open:
        for number, prompt in sitting.prompts.items():
            if sitting.seats[number].resigned and prompt.order is None:
                answer(sitting, number, tables.default(sitting.table, number), now, RESIGNED)
        answers = _answers(sitting, now)
        if not tables.settled(sitting.table, answers):
            return
        _step(sitting, answers, now)


def interrupt(sitting: Sitting, seat: int, order: Order, now: datetime) -> None:
    """Resolve at once an order that the game takes unasked."""
    _step(sitting, {seat: Answer(order)}, now)
    advance(sitting, now)


def time_out(sitting: Sitting, seats: Collection[int], now: datetime) -> None:
    """Answer by the game's default for seats whose time ran out, count it, and go on.

    Raises: EngineFault.
    """
    for number in seats:
        answer(sitting, number, tables.default(sitting.table, number), now, DEFAULT)
        sitting.seats[number].missed += 1
        sitting.seats[number].defaults += 1
    advance(sitting, now)


def announce(sitting: Sitting, event: Event, **more: object) -> None:
    """Enter in the log what was done to the game from outside it."""
    turn = sitting.table.turn()
    sitting.table, entry = tables.rule(sitting.table, event, **more)
    sitting.entries.append((entry, turn))


def close(sitting: Sitting, status: str, now: datetime) -> None:
    """End a game: nothing is asked any more."""
    sitting.game.status, sitting.game.ended_at = status, now
    close_prompts(sitting, now)


def clock(game: Game, kind: str) -> timedelta:
    """Give how long a seat has for a kind of prompt."""
    clocks = json.loads(game.clocks)
    return timedelta(seconds=clocks.get(kind, clocks[""]))


def _answers(sitting: Sitting, now: datetime) -> dict[int, Answer]:
    """Give the answers that may take effect, in the order in which they came in."""
    answered = [prompt for prompt in sitting.prompts.values() if prompt.order is not None]
    if pace := timedelta(seconds=sitting.game.pace):
        beat = last_beat(sitting.game.created_at, pace, now)
        answered = [prompt for prompt in answered if (prompt.order_at or now) < beat]
    answered.sort(key=lambda prompt: (prompt.order_at or prompt.asked_at, prompt.seat))
    return {prompt.seat: Answer(_order(sitting, prompt), prompt.given_by or PLAYER) for prompt in answered}


def _order(sitting: Sitting, prompt: Prompt) -> Order:
    """Read a sealed answer again, unless it was read in this sitting."""
    if prompt.seat not in sitting.orders:
        try:
            sitting.orders[prompt.seat] = tables.read(sitting.table, prompt.seat, prompt.order or "")
        except BadOrder as error:
            raise EngineFault(f"{sitting.engine.name} no longer reads a sealed answer") from error
    return sitting.orders[prompt.seat]


def _step(sitting: Sitting, answers: dict[int, Answer], now: datetime) -> None:
    turn = sitting.table.turn()
    sitting.table, entry = tables.step(sitting.table, answers)
    sitting.entries.append((entry, turn))
    for number, given in answers.items():
        if given.given_by == PLAYER:
            sitting.seats[number].missed = 0
    close_prompts(sitting, now)
    if sitting.table.result() is not None:
        close(sitting, "over", now)
    else:
        ask(sitting, now)


def close_prompts(sitting: Sitting, now: datetime) -> None:
    """Ask nothing any more of what is asked now."""
    for prompt in sitting.prompts.values():
        prompt.closed_at = now
        if prompt.id is not None:
            sitting.touched[prompt.number] = prompt
    sitting.prompts, sitting.orders = {}, {}


def ask(sitting: Sitting, now: datetime) -> None:
    """Ask what the game asks now; whoever has an answer ready gives it."""
    game = sitting.game
    for seat, asked in sitting.table.awaiting().items():
        game.prompts += 1
        prompt = Prompt(
            game_id=game.id or 0, number=game.prompts, seat=seat, kind=asked.kind,
            asked_at=now, deadline_at=now + clock(game, asked.kind), remind_at=now,
        )  # fmt: skip
        clocks.spare(prompt, sitting.absences)
        sitting.prompts[seat] = prompt
        sitting.opened.append(prompt)
    for number in sitting.prompts:
        answer_ahead(sitting, number, now)


def answer_ahead(sitting: Sitting, number: int, now: datetime) -> None:
    """Answer at once for a bot that is asked, and for a seat that gave its answer ahead."""
    seat, prompt = sitting.seats[number], sitting.prompts.get(number)
    if prompt is None or prompt.order is not None:
        return
    if seat.bot:
        new = (event for entry, _ in sitting.entries[sitting.fresh :] for event in entry.events)
        seen = [event for event in (*sitting.past, *new) if event.visible(number)]
        answer(sitting, number, tables.choose(sitting.table, number, seat.bot, seen), now, BOT)
    elif not seat.resigned and (order := sitting.ahead.order(sitting.table, number, prompt.kind)) is not None:
        answer(sitting, number, order, now, AHEAD)
