"""Hold a game under test: how to find it, how it is played, and how much of it is looked at."""

import importlib
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, Literal

from pbem import games
from pbem.engine import Engine
from pbem.testing.plays import Match, Step, play

Options = Mapping[str, str]


@dataclass(frozen=True)
class Kit:
    """Look at one game: by the name it is installed under, a module, `package.module:what`, or an Engine.

    `options` are the option sets it is played with; in those of `racing` the rules let the order in which answers come
    in decide.
    `shown` names the kinds of events that tell, by the rules, what no view shows later: a pile that is counted and
    taken up, a guess that is spoken aloud.
    `hidden` says what the game hides: hands from the others, piles from all alike, or nothing at all.
    `games`, `positions` and `texts` say how many random games each check looks at, how many positions in the house, and
    how many odd texts a step.
    """

    game: str | ModuleType | Engine
    options: tuple[Options, ...] = ({},)
    racing: tuple[Options, ...] = ()
    shown: Collection[str] = ()
    hidden: Literal["hands", "piles", "nothing"] = "hands"
    games: int = 24
    positions: int = 8
    texts: int = 4

    @cached_property
    def engine(self) -> Engine:
        """Find the game, and complete it.

        Raises: AdminError if no game of that name is installed.
        """
        return find(self.game)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Give every step of the random games."""
        return tuple(itertools.chain.from_iterable(self.play(number) for number in range(self.games)))

    def match(self, number: int) -> Match:
        """Name the random game with this number: numbers go round all table sizes and option sets."""
        sizes, sets = self.engine.seats, (*self.options, *self.racing)
        at = number // len(sizes) % len(sets)
        return Match(self.engine, number, sizes[number % len(sizes)], sets[at], racing=at >= len(self.options))

    def matches(self, count: int | None = None) -> Iterator[Match]:
        """Name the random games, at least one for each table size with each option set."""
        least = len(self.engine.seats) * len((*self.options, *self.racing))
        return map(self.match, range(max(count or self.games, least)))

    def play(self, number: int) -> Iterable[Step]:
        """Play the random game with this number: a failure names it."""
        return play(self.match(number))


def find(game: str | ModuleType | Engine) -> Engine:
    """Find a game: see Kit."""
    if isinstance(game, Engine):
        return game
    if isinstance(game, ModuleType):
        return _complete(game)
    module, colon, inside = game.partition(":")
    if not colon and "." not in module:
        return games.get(module)
    found: Any = importlib.import_module(module)
    for name in filter(None, inside.split(".")):
        found = getattr(found, name)
    return _complete(found) if isinstance(found, ModuleType) else found


def _complete(module: ModuleType) -> Engine:
    return games.complete(module.__name__.rpartition(".")[2], module, games.templates_of(module))
