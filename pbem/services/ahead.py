"""Know the answers that are there before anything is asked: those given ahead, and those of bots.

An answer given ahead is kept for a kind of prompt: alternatives, of which the first that is legal is used. One that is
no longer legal is dropped when its turn comes, and the seat is told why.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from pbem.core import table as tables
from pbem.core.table import Table
from pbem.engine import Order
from pbem.errors import BadOrder
from pbem.store.tables import Standing


@dataclass
class Ahead:
    """Hold a game's answers given ahead, by seat and kind, and what became of them: `told` by seat, `changed` rows."""

    rows: dict[tuple[int, str], Standing] = field(default_factory=dict)
    told: dict[int, list[str]] = field(default_factory=dict)
    changed: set[tuple[int, str]] = field(default_factory=set)

    def order(self, table: Table, seat: int, kind: str) -> Order | None:
        """Give the first of a seat's answers ahead to a prompt that is legal now; drop those before it.

        Secret: what is told of the dropped is for the seat alone.
        Raises: EngineFault.
        """
        row = self.rows.get((seat, kind))
        while row is not None:
            words = alternatives(row)
            try:
                return read(table, seat, kind, words[0])
            except BadOrder as error:
                self._drop(row, words, error)
                row = self.rows.get((seat, kind))
        return None

    def keep(self, row: Standing) -> None:
        """Keep an answer for a kind of prompt, in place of the one before."""
        self.rows[row.seat, row.kind] = row
        self.changed.add((row.seat, row.kind))

    def forget(self, seat: int, kind: str) -> Standing | None:
        """Take an answer back, and give what it was."""
        self.changed.add((seat, kind))
        return self.rows.pop((seat, kind), None)

    def of(self, seat: int) -> list[Standing]:
        """List a seat's answers given ahead, by kind."""
        return [row for (number, _), row in sorted(self.rows.items()) if number == seat]

    def _drop(self, row: Standing, words: Sequence[str], error: BadOrder) -> None:
        told = f'Your answer ahead to "{row.kind}", "{words[0]}", could not be used and was dropped: {error.why}'
        self.told.setdefault(row.seat, []).append(told)
        if len(words) > 1:
            self.keep(row.model_copy(update={"words": json.dumps(words[1:])}))
        else:
            self.forget(row.seat, row.kind)


def alternatives(row: Standing) -> list[str]:
    """Give the answers of a row, the first to be used first."""
    return [str(words) for words in json.loads(row.words)]


def read(table: Table, seat: int, kind: str, words: str) -> Order:
    """Read an answer ahead as an order; the kind may be left out: `on bury T1` means `bury T1`.

    Raises: BadOrder, EngineFault.
    """
    try:
        order = tables.read(table, seat, words)
        error = BadOrder("this is no order that answers it.")
    except BadOrder as refused:
        order, error = None, refused
    if order is None:
        try:
            order = tables.read(table, seat, f"{kind} {words}")
        except BadOrder as refused:
            error = refused if isinstance(error, type(refused)) else error
    if order is None:
        raise error
    return order
