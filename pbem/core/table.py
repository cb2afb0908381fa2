"""Play a game without a clock or a store: log to state and prompts, orders in, step out.

A `Table` is one game's state with what is needed to go on. Every change is a new Table and an `Entry` for the log; the
entries are chained by hash, each salted from the seed.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pbem.core import dice
from pbem.engine import AnyState, AnyView, Engine, Event, Order, Prompt, Result
from pbem.errors import BadOrder, EngineFault, PbemError

RANDOM = "random"
"""The bot that every game has."""


@dataclass(frozen=True, slots=True)
class Table:
    """Hold one game's state now: `step` steps are resolved, `entries` stand in the log, `chain` is the last hash."""

    engine: Engine
    seed: bytes
    state: AnyState
    step: int
    entries: int
    chain: str

    def view(self, seat: int | None) -> AnyView:
        """Give all that a seat (None: an observer) may know."""
        return self.engine.view(self.state, seat)

    def awaiting(self) -> Mapping[int, Prompt]:
        """Give what is asked of whom."""
        return self.engine.awaiting(self.state)

    def result(self) -> Result | None:
        """Give the result, once there is one."""
        return self.engine.result(self.state)

    def turn(self) -> int:
        """Give the number of the rulebook's turn under way."""
        return self.engine.turn(self.state)


@dataclass(frozen=True, slots=True)
class Entry:
    """Be one entry of a game's log: `number` from 1, `body` and the state after it (`snapshot`) as JSON.

    Secret: all but the two salted hashes, `state_hash` and `chain`.
    """

    number: int
    kind: str
    body: str
    events: tuple[Event, ...]
    snapshot: str
    state_hash: str
    chain: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Be one seat's order as it goes into a step, and who gave it: `player`, `default` or `bot`."""

    order: Order
    given_by: str = "player"


def deal(
    engine: Engine, names: tuple[str, ...], options: Any, seed: bytes, **more: Any
) -> tuple[Table, Entry]:  # fmt: skip
    """Set a game up: the first table, and the entry that opens its log, which holds what `more` is to be proven.

    Raises: BadOption if the options do not fit the names.
    """
    state = engine.setup(names, options, dice.stream(seed, "step", 0))
    body = {
        "engine": engine.name,
        "version": engine.version,
        "names": names,
        "options": json.loads(engine.dump_options(options)),
        "commitment": dice.commitment(seed),
        **more,
    }
    return _enter(Table(engine, seed, state, 0, 0, ""), "deal", body, ())


def read(table: Table, seat: int, text: str) -> Order | None:
    """Read a text as an order of a seat, against its view alone; None if it is talk.

    Raises: BadOrder, EngineFault.
    """
    try:
        return table.engine.parse(table.view(seat), text)
    except BadOrder:
        raise
    except Exception as error:
        raise EngineFault(f"{table.engine.name} could not read an order") from error


def default(table: Table, seat: int) -> Order:
    """Choose what is played for a seat whose time ran out, from its view and the game's own stream.

    Raises: EngineFault.
    """
    try:
        stream = dice.stream(table.seed, f"default {seat}", table.step + 1)
        return table.engine.default(table.view(seat), stream)
    except Exception as error:
        raise EngineFault(f"{table.engine.name} has no default") from error


def choose(table: Table, seat: int, bot: str, seen: Sequence[Event]) -> Order:
    """Let a bot choose for a seat, from its view and the events that it saw; `random` is the game's sample.

    Raises: EngineFault.
    """
    stream = dice.stream(table.seed, f"bot {seat}", table.step + 1)
    engine, view = table.engine, table.view(seat)
    try:
        text = engine.sample(view, stream) if bot == RANDOM else engine.bots[bot](view, seen, stream)
        order = engine.parse(view, text)
    except Exception as error:
        raise EngineFault(f"bot {bot} of {engine.name} could not choose") from error
    if order is None:
        raise EngineFault(f"bot {bot} of {engine.name} gave no order: {text!r}")
    return order


def settled(table: Table, answers: Mapping[int, Answer]) -> bool:
    """Tell whether the sealed answers may be resolved now."""
    orders = {seat: answer.order for seat, answer in answers.items()}
    return bool(orders) and table.engine.settled(table.state, orders)


def step(table: Table, answers: Mapping[int, Answer]) -> tuple[Table, Entry]:
    """Resolve one set of orders, given in the order in which they came in.

    Raises: EngineFault if the game raises anything, or leaves nobody asked and no result.
    """
    number = table.step + 1
    orders = {seat: answer.order for seat, answer in answers.items()}
    try:
        state, events = table.engine.resolve(table.state, orders, dice.stream(table.seed, "step", number))
        after = replace(table, state=state, step=number)
        if bool(after.awaiting()) == (after.result() is not None):
            raise EngineFault(f"{table.engine.name} must ask somebody or have a result, not both")
    except PbemError as error:
        raise EngineFault(str(error)) from error
    except Exception as error:
        raise EngineFault(f"{table.engine.name} could not resolve step {number}") from error
    texts = [[seat, table.engine.format(answer.order), answer.given_by] for seat, answer in answers.items()]
    return _enter(after, "step", {"step": number, "orders": texts}, events)


def rule(table: Table, event: Event, **more: Any) -> tuple[Table, Entry]:
    """Enter what was done to the game from outside it: the state stays as it is, the event is shown."""
    return _enter(table, "ruling", {"what": event.kind, **event.facts, **more}, (event,))


def course(engine: Engine, seed: bytes, entries: Iterable[tuple[str, str]]) -> Iterator[tuple[Table, Entry]]:
    """Play a log again from its start, (kind, body) of each entry in order, and give table and entry after each.

    Raises: EngineFault where the game no longer takes what the log says.
    """
    table: Table | None = None
    past: dict[int, AnyState] = {}
    for kind, body in entries:
        table, entry = _again(engine, seed, table, kind, body, past)
        yield table, entry


def restore(
    table: Table, past: AnyState, entry: int, event: Event, *, redeal: Iterable[int] = (), **more: Any
) -> tuple[Table, Entry]:
    """Enter that the game stands again as it did after an earlier entry, `past` being its state then.

    `redeal`: what these seats could not know then is dealt anew, from a stream of its own. Steps are counted on,
    so that the dice of a step that was taken back never fall again.
    Raises: EngineFault.
    """
    seats = tuple(redeal)
    body = {"what": event.kind, **event.facts, **more, "entry": entry, "redeal": seats}
    return _enter(replace(table, state=_dealt_anew(table, past, seats)), "restore", body, (event,))


def _dealt_anew(table: Table, past: AnyState, seats: tuple[int, ...]) -> AnyState:
    if not seats:
        return past
    try:
        return table.engine.reshuffle(past, seats, dice.stream(table.seed, "redeal", table.entries + 1))
    except Exception as error:
        raise EngineFault(f"{table.engine.name} could not deal anew") from error


def replay(engine: Engine, seed: bytes, entries: Iterable[tuple[str, str]]) -> Table:
    """Play a log again from its start: (kind, body) of each entry, in order.

    Raises: EngineFault where the game no longer takes what the log says.
    """
    tables = [table for table, _ in course(engine, seed, entries)]
    return _some(tables[-1] if tables else None)


def verify(engine: Engine, seed: bytes, entries: Iterable[tuple[str, str, str]]) -> Table:
    """Play a log again, and compare the chain after each entry: (kind, body, chain).

    Raises: EngineFault, naming the first entry that does not fit.
    """
    table: Table | None = None
    past: dict[int, AnyState] = {}
    for kind, body, chain in entries:
        table, entry = _again(engine, seed, table, kind, body, past)
        if entry.chain != chain:
            raise EngineFault(f"entry {entry.number} of the log does not replay to the same state")
    return _some(table)


def _again(
    engine: Engine, seed: bytes, table: Table | None, kind: str, text: str, past: dict[int, AnyState]
) -> tuple[Table, Entry]:
    """Play one entry again; `past` keeps how the game stood after each."""
    after, entry = _entered_again(engine, seed, table, kind, json.loads(text), past)
    past[entry.number] = after.state
    return after, entry


def _entered_again(
    engine: Engine, seed: bytes, table: Table | None, kind: str, body: dict[str, Any], past: dict[int, AnyState]
) -> tuple[Table, Entry]:
    if table is None:
        options = engine.load_options(json.dumps(body["options"]))
        dealt, _ = deal(engine, tuple(body["names"]), options, seed)
        return _enter(replace(dealt, entries=0, chain=""), kind, body, ())  # its version is the one it was dealt by
    if kind == "step":
        answers = {seat: Answer(_reread(table, seat, order), by) for seat, order, by in body["orders"]}
        return step(table, answers)
    if kind == "restore":
        if body["entry"] not in past:
            raise EngineFault(f"entry {table.entries + 1} of the log goes back to one that is not before it")
        table = replace(table, state=_dealt_anew(table, past[body["entry"]], tuple(body["redeal"])))
    return _enter(table, kind, body, ())


def _some(table: Table | None) -> Table:
    if table is None:
        raise EngineFault("the log is empty")
    return table


def _reread(table: Table, seat: int, text: str) -> Order:
    try:
        order = read(table, seat, text)
    except BadOrder as error:
        raise EngineFault(f"step {table.step + 1} does not replay: {error}") from error
    if order is None:
        raise EngineFault(f"step {table.step + 1} does not replay: an order is no longer read as one")
    return order


def _enter(table: Table, kind: str, body: Mapping[str, Any], events: tuple[Event, ...]) -> tuple[Table, Entry]:
    number = table.entries + 1
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    salt = dice.salt(table.seed, number)
    snapshot = table.engine.dump(table.state)
    state_hash = hashlib.sha256(salt + snapshot.encode()).hexdigest()
    link = b"\0".join([table.chain.encode(), salt, kind.encode(), text.encode(), state_hash.encode()])
    chain = hashlib.sha256(link).hexdigest()
    return replace(table, entries=number, chain=chain), Entry(number, kind, text, events, snapshot, state_hash, chain)
