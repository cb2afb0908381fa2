"""Play Game of Blame: this module is the game, as the contract asks for it.

The rules stand in rules.md in numbered lines; docstrings and tests cite them (`Rule: B14`).
"""

from engines.blame.bot import choose
from engines.blame.ending import ENDINGS, result
from engines.blame.notation import NOTATION, parse
from engines.blame.offers import awaiting, default, sample
from engines.blame.orders import format
from engines.blame.rules import resolve
from engines.blame.setup import setup
from engines.blame.table import Options, State, View
from engines.blame.telling import learned, scored
from engines.blame.view import audit, reshuffle, view

TITLE = "Game of Blame"
SEATS = range(2, 5)
VERSION = 1
MEMORY = "closed"
KINDS = ("role", "turn", "gift", "baksheesh", "bury", "nobility")
STANDING = ("bury", "nobility")
BOTS = {"careful": choose}


def turn(state: State) -> int:
    """Number the turns from 1; 0 while Roles are chosen.

    Rule: B2, B25
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
