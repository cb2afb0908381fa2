"""Play a game made for the bench, which goes on for as long as it is asked to: one after the other says a number."""

import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from pbem import games
from pbem.engine import Dice, Event, Notation, Prompt, Result, UnreadableOrder

TITLE = "Counting"
SEATS = range(2, 5)
VERSION = 1
ENDINGS = ("counted",)
MEMORY = "closed"
NOTATION = (Notation("say a number", "say NUMBER", "NUMBER", "say 7"),)
LAST = 1_000_000


@dataclass(frozen=True)
class Options:
    """Agree on nothing."""


@dataclass(frozen=True, slots=True)
class State:
    """Hold who is to speak, what was said last, and each seat's secret number."""

    names: tuple[str, ...]
    turn: int
    said: int
    secrets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class View:
    """Show all but the others' secret numbers."""

    seat: int | None
    names: tuple[str, ...]
    turn: int
    said: int
    secret: int


def setup(names: tuple[str, ...], options: Options, dice: Dice) -> State:
    """Give each seat a number."""
    return State(names, 1, 0, tuple(dice.below(100) for _ in names))


def turn(state: State) -> int:
    """Number the turns."""
    return state.turn


def speaker(state: State) -> int:
    """Give whose turn it is."""
    return (state.turn - 1) % len(state.names)


def awaiting(state: State) -> dict[int, Prompt]:
    """Ask the next one for a number."""
    if state.turn > LAST:
        return {}
    return {speaker(state): Prompt("turn", False, "Say a number.", ("say 7",))}


def parse(view: View, text: str) -> int | None:
    """Read a number."""
    word, _, number = text.strip().partition(" ")
    if word != "say":
        return None
    if not (number.isascii() and number.isdigit() and len(number) < 6):
        raise UnreadableOrder(f'"{number}" is no number.', "say 7")
    return int(number)


def format(order: int) -> str:
    """Write a number."""
    return f"say {order}"


def resolve(state: State, orders: Mapping[int, int], dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Let a number be said."""
    ((seat, number),) = orders.items()
    event = Event("said", {"seat": seat, "number": number})
    return replace(state, turn=state.turn + 1, said=number), (event,)


def default(view: View, dice: Dice) -> int:
    """Say nought."""
    return 0


def view(state: State, seat: int | None) -> View:
    """Show the table to a seat."""
    return View(seat, state.names, state.turn, state.said, -1 if seat is None else state.secrets[seat])


def result(state: State) -> Result | None:
    """End after the last turn."""
    return Result("counted", (0,), (0,) * len(state.names)) if state.turn > LAST else None


def sample(view: View, dice: Dice) -> str:
    """Say any number."""
    return f"say {dice.below(100)}"


def reshuffle(state: State, seats: Collection[int | None], dice: Dice) -> State:
    """Give the other seats other numbers."""
    kept = enumerate(state.secrets)
    return replace(state, secrets=tuple(number if seat in seats else dice.below(100) for seat, number in kept))


def audit(state: State) -> None:
    """Count the numbers."""
    assert len(state.secrets) == len(state.names)


@contextmanager
def hosted() -> Iterator[None]:
    """Let this game be found beside the others."""
    templates = str(Path(__file__).with_name("templates"))
    found = {"counting": games.complete("counting", sys.modules[__name__], templates)}
    others, all_names = games.get, [*games.names(), "counting"]
    with (
        patch.object(games, "get", lambda name: found.get(name) or others(name)),
        patch.object(games, "names", lambda: all_names),
    ):
        yield
