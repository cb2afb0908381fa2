"""Give the game contract: what a game module must have, with the errors and the Dice it speaks of.

This is the only module of pbem that a game imports. A game is a plain module that satisfies `Module`; the house
completes it with the hooks it left out to an `Engine` (see `pbem.games`). A game uses no clock, no randomness but the
Dice handed in, and no I/O.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pbem.errors import AmbiguousOrder, BadOption, BadOrder, IllegalOrder, UnreadableOrder

__all__ = [
    "AmbiguousOrder",
    "BadOption",
    "BadOrder",
    "Dice",
    "Engine",
    "Event",
    "IllegalOrder",
    "Module",
    "Notation",
    "Prompt",
    "Result",
    "UnreadableOrder",
]

Item = TypeVar("Item")
AnyState = Any
AnyView = Any
Order = Any
AnyOptions = Any


class Dice:
    """Give a repeatable stream of choices: the same key, the same choices, on any machine.

    Source: SHA-256 over the key and a counter, read as 32-bit words; `below` rejects what would bias it.
    """

    __slots__ = ("_count", "_key", "_words")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._count = 0
        self._words: list[int] = []

    def _word(self) -> int:
        if not self._words:
            block = hashlib.sha256(self._key + self._count.to_bytes(8, "big")).digest()
            self._count += 1
            self._words = [int.from_bytes(block[at : at + 4], "big") for at in range(28, -1, -4)]
        return self._words.pop()

    def below(self, bound: int) -> int:
        """Draw a whole number from 0 to bound - 1, each as likely as the other (bound: 1 to 2**32)."""
        if not 1 <= bound <= 2**32:
            raise ValueError(f"a draw needs a bound from 1 to 2**32, not {bound}")
        limit = 2**32 - 2**32 % bound
        while (word := self._word()) >= limit:
            pass
        return word % bound

    def choice(self, items: Sequence[Item]) -> Item:
        """Draw one of the items (at least one)."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Give the items in a random order."""
        cards = list(items)
        for last in range(len(cards) - 1, 0, -1):
            other = self.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        return tuple(cards)


@dataclass(frozen=True, slots=True)
class Prompt:
    """Say what the game asks of one seat now.

    `kind` is one lower-case word, public. `asked` is one sentence to the player, `examples` are lines that would be
    accepted, made from the seat's view.
    Secret: `asked` and `examples` are for the seat alone.
    """

    kind: str
    optional: bool
    asked: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Say that something happened, and who may see it.

    `seen_by` names the seats, None means everybody (an observer included). `facts` are plain values (JSON).
    One happening that looks different to some is two events: the public one, and the private one beside it.
    """

    kind: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    seen_by: tuple[int, ...] | None = None

    def visible(self, seat: int | None) -> bool:
        """Tell whether the seat (None: an observer) may see it."""
        return self.seen_by is None or seat in self.seen_by


@dataclass(frozen=True, slots=True)
class Notation:
    """Describe one order of a game.

    `words` and `signs` are patterns: lower-case words are typed as they stand, UPPER-CASE ones are placeholders
    (CARD, NAME, ...). `example` is a line that could be sent.
    """

    what: str
    words: str
    signs: str
    example: str


@dataclass(frozen=True, slots=True)
class Result:
    """Say how a game ended: one of ENDINGS, the winning seats, a score for each seat, all public."""

    ending: str
    winners: tuple[int, ...]
    scores: tuple[int, ...]


class Module(Protocol):
    """Name what every game module has; the other hooks are described at `Engine`."""

    TITLE: str
    SEATS: range
    VERSION: int
    ENDINGS: tuple[str, ...]
    MEMORY: str
    NOTATION: tuple[Notation, ...]
    State: type
    View: type
    Options: type

    def setup(self, names: tuple[str, ...], options: AnyOptions, dice: Dice) -> AnyState: ...
    def awaiting(self, state: AnyState) -> Mapping[int, Prompt]: ...
    def parse(self, view: AnyView, text: str) -> Order | None: ...
    def format(self, order: Order) -> str: ...
    def resolve(
        self, state: AnyState, orders: Mapping[int, Order], dice: Dice
    ) -> tuple[AnyState, tuple[Event, ...]]: ...
    def default(self, view: AnyView, dice: Dice) -> Order: ...
    def view(self, state: AnyState, seat: int | None) -> AnyView: ...
    def turn(self, state: AnyState) -> int: ...
    def result(self, state: AnyState) -> Result | None: ...
    def sample(self, view: AnyView, dice: Dice) -> str: ...
    def reshuffle(self, state: AnyState, seats: Collection[int | None], dice: Dice) -> AnyState: ...
    def audit(self, state: AnyState) -> None: ...


@dataclass(frozen=True)
class Engine:
    """Hold a game module's hooks, complete, with its name, its templates and its state's JSON form.

    `kinds` names every kind of prompt, for clocks of their own [none: any word is taken].
    `sample(view, dice)` gives a random legal order of a seat that is asked, or that may send one unasked.
    `turn(state)` numbers the rulebook's turns from 1; when it changes every seat gets a digest.
    `settled(state, orders)` tells whether sealed answers may be resolved [when all awaited are in].
    `interrupts(state)` gives the seats that may send an order unasked [nobody].
    `unasked(order)` tells whether these seats may send it whatever they are asked: it answers no prompt then, but is
    used at once and alone [none is, where something is asked].
    `silent(state)` gives the seats that may not `say` or `tell` now [nobody].
    `reshuffle(state, seats, dice)` gives another state that these seats together cannot tell from this one (a seat of
    None is an observer); no seats: all is dealt anew.
    `learned(event, seat)` tells whether an event that a seat sees tells it of hidden cards that it did not hold: how
    many it shows, 0 if it only says something of them, None for nothing [0: everything might].
    `scored(state)` gives the result of a game that is ended before its time, the ending "" [None: it has no scores].
    `audit(state)` raises AssertionError unless every card is somewhere, once.
    """

    name: str
    title: str
    seats: range
    version: int
    endings: tuple[str, ...]
    kinds: tuple[str, ...]
    memory: str
    notation: tuple[Notation, ...]
    standing: tuple[str, ...]
    bots: Mapping[str, Callable[[AnyView, Sequence[Event], Dice], str]]
    templates: str
    options: Callable[[Mapping[str, str]], AnyOptions]
    dump_options: Callable[[AnyOptions], str]
    load_options: Callable[[str], AnyOptions]
    dump: Callable[[AnyState], str]
    load: Callable[[str], AnyState]
    setup: Callable[[tuple[str, ...], AnyOptions, Dice], AnyState]
    awaiting: Callable[[AnyState], Mapping[int, Prompt]]
    interrupts: Callable[[AnyState], Collection[int]]
    unasked: Callable[[Order], bool]
    parse: Callable[[AnyView, str], Order | None]
    format: Callable[[Order], str]
    settled: Callable[[AnyState, Mapping[int, Order]], bool]
    resolve: Callable[[AnyState, Mapping[int, Order], Dice], tuple[AnyState, tuple[Event, ...]]]
    default: Callable[[AnyView, Dice], Order]
    view: Callable[[AnyState, int | None], AnyView]
    turn: Callable[[AnyState], int]
    silent: Callable[[AnyState], Collection[int]]
    result: Callable[[AnyState], Result | None]
    sample: Callable[[AnyView, Dice], str]
    reshuffle: Callable[[AnyState, Collection[int | None], Dice], AnyState]
    learned: Callable[[Event, int], int | None]
    scored: Callable[[AnyState], Result | None]
    audit: Callable[[AnyState], None]
