"""Find where the time of a move goes: each part's own time, without that of the parts inside it."""

import functools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import sqlalchemy.orm

from bench import office as bench
from bench.measure import emit
from pbem.core import digest
from pbem.services import addressing, commands, letters, office, sittings
from pbem.store import mail
from pbem.transports import mime

PARTS: dict[str, tuple[tuple[Any, str], ...]] = {
    "reading the mail": ((mime, "read"),),
    "who is it": ((office, "gather"), (office, "judge")),
    "the game read": ((sittings, "sit"), (addressing, "readers")),
    "own words": ((office, "own_words"),),
    "order and step": ((commands, "obey"),),
    "the game's pages": ((digest.Scene, "digest"), (digest.Scene, "lines")),
    "the letters around them": ((letters, "tell"), (letters, "compose")),
    "rows written": ((sittings, "rise"), (mail, "add_letters"), (office, "_record")),
    "commit": ((sqlalchemy.orm.Session, "commit"),),
    "the rest": ((office, "receive"),),
}


class Watch:
    """Add up the own time of each part."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self._open: list[str] = []
        self._since = 0.0

    def watched(self, part: str, real: Callable[..., Any]) -> Callable[..., Any]:
        """Give the same function, watched."""

        @functools.wraps(real)
        def call(*given: Any, **named: Any) -> Any:
            self._turn()
            self._open.append(part)
            try:
                return real(*given, **named)
            finally:
                self._turn()
                self._open.pop()

        return call

    def _turn(self) -> None:
        """Book what passed since the last turn."""
        now = time.perf_counter()
        if self._open:
            self.spent[self._open[-1]] += now - self._since
        self._since = now


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch every part while a block runs."""
    watch = Watch()
    with ExitStack() as stack:
        for part, places in PARTS.items():
            for place, name in places:
                stack.enter_context(patch.object(place, name, watch.watched(part, getattr(place, name))))
        yield watch


def run(moves: int = 300) -> None:
    """Print the share of each part."""
    with watching() as watch, bench.house() as stage:
        game = stage.new_game("blame", bench.PLAYERS, seed="parts")
        done = 0
        watch.spent.clear()
        while done < moves:
            done += len(bench.a_move(stage, game, done)) or moves
    whole = sum(watch.spent.values())
    for part in PARTS:
        emit(f"office: {part}", 100 * watch.spent[part] / whole, "%")
