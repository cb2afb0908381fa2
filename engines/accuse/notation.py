"""Read and write orders: the table of the notation, and `parse` from a line to an order."""

from functools import lru_cache

from engines.accuse import legal, offers, reading
from engines.accuse.orders import Order
from engines.accuse.table import View
from pbem.engine import BadOrder, Notation

NOTATION = (
    Notation("play a card as what it is", "play CARD", "CARD", "play C3"),
    Notation("play a card as another (a bluff)", "play CARD as CARD", "CARD=CARD", "play C3 as W5"),
    Notation("play a Trap", "play X as CARD", "X=CARD", "play X as L2"),
    Notation("turn face-down cards up", "flip NUMBER", "flip NUMBER", "flip #4"),
    Notation("challenge the play", "challenge", "!", "challenge"),
    Notation("challenge, and name the card to lose if it was wrong", "challenge give CARD", "!CARD>",
             "challenge give C2"),
    Notation("challenge only where your own cards, or those face up, speak against the play", "challenge if held",
             "challenge if held", "challenge if held"),
    Notation("let the play stand", "pass", "pass", "pass"),
    Notation("give the declarer the card you owe", "give CARD", "CARD>", "give C2"),
    Notation("put the card you owe face up", "show CARD", "CARD>", "show C2"),
    Notation("accuse, at any time", "accuse CARD CARD CARD", "accuse CARD CARD CARD", "accuse C1 L4 W6"),
    Notation("give up an accusation that is due", "accuse nobody", "accuse nobody", "accuse nobody"),
    Notation("bid for the next guess", "bid NUMBER", "bid NUMBER", "bid 3"),
)  # fmt: skip


@lru_cache(maxsize=256)
def _spellings(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names)


def parse(view: View, text: str) -> Order | None:
    """Read a line as the seat's order; None: it is talk.

    Raises: UnreadableOrder, IllegalOrder, AmbiguousOrder, with lines that would be accepted
    """
    words = reading.split(text)
    try:
        parts = reading.read(words, _spellings(view.names))
        return legal.check(view, parts) if parts else None
    except BadOrder as error:
        works = error.examples or offers.instead(view, words)
        raise type(error)(error.why, *works) from None
