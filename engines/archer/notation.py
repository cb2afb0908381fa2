"""Read orders: the table of the notation, and `parse` from a line to an order."""

from functools import lru_cache

from engines.archer import legal, offers, reading
from engines.archer.orders import Order
from engines.archer.table import View
from pbem.engine import BadOrder, Notation

NOTATION = (
    Notation("play Malory", "play malory", "8", "play malory"),
    Notation("play Lana", "play lana", "7", "play lana"),
    Notation("play Ray at a player", "ray NAME", "6 NAME", "ray bob"),
    Notation("play Pam at a player", "pam NAME", "5 NAME", "pam bob"),
    Notation("play Cheryl and be protected", "cheryl hide", "4 hide", "cheryl hide"),
    Notation("play Cheryl and look at the secret", "cheryl look", "4 look", "cheryl look"),
    Notation("play Cyril at a player", "cyril NAME", "3 NAME", "cyril bob"),
    Notation("play Krueger and guess the secret", "krueger CHARACTER", "2 CHARACTER", "krueger lana"),
    Notation(
        "play Sterling and guess a player's card", "sterling NAME CHARACTER", "1 NAME CHARACTER", "sterling bob lana"
    ),
    Notation("play Cyril when nobody is open to it", "play cyril", "3", "play cyril"),
    Notation("play Sterling when nobody is open to it", "play sterling", "1", "play sterling"),
)


@lru_cache(maxsize=256)
def _spellings(names: tuple[str, ...]) -> dict[str, str]:
    return {name.casefold(): name for name in names}


def parse(view: View, text: str) -> Order | None:
    """Read a line as the seat's order; None: it is talk.

    Raises: UnreadableOrder, IllegalOrder, AmbiguousOrder, with lines that would be accepted
    """
    try:
        parts = reading.read(text, _spellings(view.names))
        return legal.check(view, parts) if parts else None
    except BadOrder as error:
        raise type(error)(error.why, *offers.examples(view, reading.meant(text))) from None
