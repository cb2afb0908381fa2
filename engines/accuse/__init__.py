"""Play Accuse!: this module is the game, as the contract asks for it.

The rules stand in rules.md in numbered lines; docstrings and tests cite them (`Rule: C14`).
"""

from engines.accuse.accusing import ENDINGS, interrupts, result, silent, unasked
from engines.accuse.bot import BOTS
from engines.accuse.notation import NOTATION, parse
from engines.accuse.offers import awaiting, default, sample
from engines.accuse.orders import format
from engines.accuse.redeal import reshuffle
from engines.accuse.rules import resolve, settled
from engines.accuse.setup import setup
from engines.accuse.table import Options, State, View
from engines.accuse.telling import learned
from engines.accuse.view import audit, view

TITLE = "Accuse!"
SEATS = range(2, 5)
VERSION = 1
MEMORY = "open"
KINDS = ("play", "flip", "challenge", "give", "show", "accuse", "bid")
STANDING = ("challenge",)


def turn(state: State) -> int:
    """Number the turns from 1; the bidding and each guess count as one.

    Rule: C9, C19, C20
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
    "interrupts",
    "learned",
    "parse",
    "reshuffle",
    "resolve",
    "result",
    "sample",
    "settled",
    "setup",
    "silent",
    "turn",
    "unasked",
    "view",
]
