"""Play Archer: Once You Go Blackmail...: this module is the game, as the contract asks for it.

The rules stand in rules.md in numbered lines; docstrings and tests cite them (`Rule: A12`).
"""

from engines.archer.bot import choose
from engines.archer.notation import NOTATION, parse
from engines.archer.offers import awaiting, default, sample
from engines.archer.orders import format
from engines.archer.rounds import ENDINGS, result
from engines.archer.rules import resolve
from engines.archer.setup import setup
from engines.archer.table import Options, State, View
from engines.archer.telling import learned, scored
from engines.archer.view import audit, reshuffle, view

TITLE = "Archer: Once You Go Blackmail..."
SEATS = range(2, 5)
VERSION = 1
MEMORY = "open"
KINDS = ("turn",)
STANDING = ()
BOTS = {"careful": choose}


def turn(state: State) -> int:
    """Number the turns from 1, through all rounds.

    Rule: A3
    """
    return state.turn


__all__ = [
    "BOTS",
    "ENDINGS",
    "KINDS",
    "MEMORY",
    "NOTATION",
    "SEATS",
    "STANDING",
    "TITLE",
    "VERSION",
    "Options",
    "State",
    "View",
    "audit",
    "awaiting",
    "default",
    "format",
    "learned",
    "parse",
    "reshuffle",
    "resolve",
    "result",
    "sample",
    "scored",
    "setup",
    "turn",
    "view",
]
