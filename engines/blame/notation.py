"""Read and write orders: the table of the notation, and `parse` from a line to an order."""

from functools import lru_cache

from engines.blame import legal, offers, reading
from engines.blame.orders import Order
from engines.blame.table import View
from pbem.engine import BadOrder, Notation

NOTATION = (
    Notation("play no card", "draw", "0", "draw"),
    Notation("play one card", "play CARD", "CARD", "play V1"),
    Notation("play two cards, the top one shows two Emblems", "play CARD CARD", "CARD CARD", "play V1 VT2"),
    Notation(
        "play two cards, the top one shows one Emblem", "play CARD CARD swap EMBLEM", "CARD CARD ~EMBLEM",
        "play VT2 V1 swap A",
    ),
    Notation(
        "play two cards, the top one is a Treason", "play CARD CARD swap EMBLEM EMBLEM", "CARD CARD ~EMBLEM EMBLEM",
        "play V1 X swap A G",
    ),
    Notation(
        "play two cards as Wizard", "play CARD CARD exchange NAME", "CARD CARD =NAME", "play V1 VT2 exchange bob"
    ),
    Notation(
        "play three cards", "play CARD CARD CARD accuse NAME", "CARD CARD CARD !NAME", "play V1 VT2 TG1 accuse bob"
    ),
    Notation(
        "play three cards when nobody may be accused", "play CARD CARD CARD", "CARD CARD CARD", "play V1 VT2 TG1"
    ),
    Notation(
        "play three cards as Spymaster", "play CARD CARD CARD spy NAME", "CARD CARD CARD ?NAME",
        "play V1 VT2 TG1 spy bob",
    ),
    Notation("give a card, with or after the turn", "give CARD NAME", "CARD>NAME", "give A2 bob"),
    Notation("bury a card, with or after the turn", "bury CARD", "_CARD", "bury T1"),
    Notation("undo the swap of your Role (Nobility)", "back", "back", "back"),
    Notation("decline what is optional", "pass", "pass", "pass"),
    Notation("take a Role", "take EMBLEM", "take EMBLEM", "take G"),
)  # fmt: skip


@lru_cache(maxsize=256)
def _spellings(names: tuple[str, ...]) -> dict[str, str]:
    return {name.casefold(): name for name in names}


def parse(view: View, text: str) -> Order | None:
    """Read a line as the seat's order; None: it is talk.

    Raises: UnreadableOrder, IllegalOrder, with lines that would be accepted
    """
    names = _spellings(view.names)
    try:
        parts = reading.read(reading.split(text, names), names)
        return legal.check(view, parts) if parts else None
    except BadOrder as error:
        raise type(error)(error.why, *offers.examples(view)) from None
