"""Play games at random over their hooks alone, repeatably: what the checks look at, step by step.

A game's number says all about it: how many play, by which options, and what everybody does.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pbem.core.dice import rehearsal_seed
from pbem.engine import AnyState, BadOrder, Dice, Engine, Event, Order
from pbem.testing.texts import mutated

NAMES = ("alice", "bob", "carol", "dora", "emil", "fay", "gus", "hana", "ines", "jon", "kim", "lena")
STEPS_LIMIT = 2000
LATE, UNUSUAL, UNASKED = 16, 6, 8
"""One answer in so many is the default, one is tried misspelt; before one step in so many somebody interrupts."""
BOTS = 3
"""One game in so many is the bots' own, if there are any: what takes skill to reach is reached there."""


@dataclass(frozen=True)
class Match:
    """Name one random game. `racing`: by its options the order in which answers come in may matter."""

    engine: Engine
    number: int
    players: int
    options: Mapping[str, str]
    racing: bool = False

    def dice(self, purpose: str) -> Dice:
        """Open a stream of this game's own."""
        return Dice(rehearsal_seed(f"{self.engine.name} {self.number} {purpose}"))

    def setup(self) -> AnyState:
        """Deal it."""
        with blamed(f"{self}, setup"):
            options = self.engine.options(self.options)
            return self.engine.setup(NAMES[: self.players], options, self.dice("deal"))

    def __str__(self) -> str:
        options = "".join(f", {name}={value}" for name, value in self.options.items())
        return f"{self.engine.name}, game {self.number} ({self.players} players{options})"


@dataclass(frozen=True)
class Step:
    """Hold one step: `snapshot` is the state before it, written down before any hook saw it.

    Orders: `texts` and `orders` stand as they came in, `sealed` holds all that were on their way.
    """

    match: Match
    number: int
    before: AnyState
    snapshot: str
    texts: Mapping[int, str]
    orders: Mapping[int, Order]
    sealed: Mapping[int, Order]
    after: AnyState
    events: tuple[Event, ...]

    @property
    def engine(self) -> Engine:
        """Give the game's engine."""
        return self.match.engine

    @property
    def seats(self) -> range:
        """Give the seats."""
        return range(self.match.players)

    def dice(self, purpose: str = "step") -> Dice:
        """Open a stream of this step's own; the step itself was resolved by the one called so."""
        return self.match.dice(f"{purpose} {self.number}")

    def __str__(self) -> str:
        return f"{self.match}, step {self.number}"


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Turn whatever a hook raises into a failure that says where it was."""
    try:
        yield
    except AssertionError as error:
        if str(error).startswith(what.partition(",")[0]):
            raise  # it says where it was
        raise AssertionError(f"{what}: {str(error) or 'this does not hold'}") from error
    except Exception as error:
        raise AssertionError(f"{what}: raised {type(error).__name__}: {error}") from error


def play(match: Match, *, silent: bool = False) -> Iterator[Step]:
    """Play a game to its end; `silent`: nobody ever answers.

    Raises: AssertionError if it does not end.
    """
    state, seen = match.setup(), tuple[Event, ...]()
    for number in range(1, STEPS_LIMIT + 1):
        with blamed(f"{match}, step {number}"):
            if match.engine.result(state) is not None or not match.engine.awaiting(state):
                return
            step = _Turn(match, number, state, seen, silent).step()
        yield step
        state, seen = step.after, (*seen, *step.events)
    whose = "whose players never answer " if silent else ""
    raise AssertionError(f"{match}: the game {whose}has not ended after {STEPS_LIMIT} steps")


@dataclass(frozen=True)
class _Turn:
    """Make one step of a game at random."""

    match: Match
    number: int
    state: AnyState
    seen: tuple[Event, ...]
    silent: bool

    def step(self) -> Step:
        """Let those who are asked answer, in any order, until the game can go on; or let somebody interrupt."""
        match, engine, state = self.match, self.match.engine, self.state
        snapshot, dice = engine.dump(state), match.dice(f"moves {self.number}")
        asked = engine.awaiting(state)
        unasked = sorted(set(engine.interrupts(state)) - asked.keys())
        interrupted = unasked and not self.silent and not self._by_bots and not dice.below(UNASKED)
        seats = (dice.choice(unasked),) if interrupted else dice.shuffled(tuple(asked))
        texts = {seat: self._text(seat, dice) for seat in seats}
        sealed = {seat: self._order(seat, text) for seat, text in texts.items()}
        orders = sealed if interrupted else until_settled(engine, state, sealed)
        after, events = engine.resolve(state, orders, match.dice(f"step {self.number}"))
        given = {seat: texts[seat] for seat in orders}
        return Step(match, self.number, state, snapshot, given, orders, sealed, after, events)

    @property
    def _by_bots(self) -> bool:
        return bool(self.match.engine.bots) and self.match.number % BOTS == BOTS - 1

    def _text(self, seat: int, dice: Dice) -> str:
        engine, view = self.match.engine, self.match.engine.view(self.state, seat)
        if self.silent or not dice.below(LATE):
            asked = self.silent or seat in engine.awaiting(self.state)
            return engine.format(engine.default(view, dice)) if asked else engine.sample(view, dice)
        if self._by_bots:
            bot = engine.bots[dice.choice(sorted(engine.bots))]
            return bot(view, [event for event in self.seen if event.visible(seat)], dice)
        text = engine.sample(view, dice)
        misspelt = mutated(text, dice) if not dice.below(UNUSUAL) else text
        return misspelt if _is_order(engine, view, misspelt) else text

    def _order(self, seat: int, text: str) -> Order:
        view = self.match.engine.view(self.state, seat)
        try:
            order = self.match.engine.parse(view, text)
        except BadOrder as error:
            raise AssertionError(f"seat {seat} answers {text!r}, which parse refuses: {error}") from error
        assert order is not None, f"seat {seat} answers {text!r}, which parse takes for talk"
        return order


def until_settled(engine: Engine, state: AnyState, sealed: Mapping[int, Order]) -> dict[int, Order]:
    """Let sealed answers come in one by one, and give those with which the game goes on."""
    orders: dict[int, Order] = {}
    for seat, order in sealed.items():
        orders[seat] = order
        if engine.settled(state, orders):
            return orders
    raise AssertionError(f"all who are asked have answered ({sorted(sealed)}), and settled still says no")


def _is_order(engine: Engine, view: object, text: str) -> bool:
    try:
        return engine.parse(view, text) is not None
    except BadOrder:
        return False
