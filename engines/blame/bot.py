"""Play carefully: picture the table after each order, by what is remembered of the cards, and give the best.

Secret: the bot knows its view and the events that its seat saw, and nothing else.
"""

from collections.abc import Callable, Sequence

from engines.blame.deck import EMBLEMS, TREASON, emblems
from engines.blame.deeds import DRAW_FOR_BACK
from engines.blame.legal import may_bury
from engines.blame.memory import Memory
from engines.blame.offers import receivers
from engines.blame.orders import Back, Bury, Give, Pass, Take, format
from engines.blame.outlook import Outlook
from engines.blame.plans import Weighed, turns
from engines.blame.table import View
from engines.blame.tallies import shown
from pbem.engine import Dice, Event

FAVOURITES = "STAGWV"
"""The Roles, the most useful ability first."""


def choose(view: View, seen: Sequence[Event], dice: Dice) -> str:
    """Give the order that seems best as a line; among equals a random one."""
    now = Outlook(view, Memory(view, seen))
    worths = tuple(CHOICES[view.ask](view, now))
    best = max(worth for _, worth in worths)
    return format(dice.choice([order for order, worth in worths if worth == best]))


def _roles(view: View, now: Outlook) -> Weighed:
    """Weigh the Roles that are left: few cards of it in hand first, then its ability."""
    for letter in EMBLEMS:
        if letter in view.untaken:
            held = sum(letter in emblems(card) for card in view.hand if card != TREASON)
            yield Take(letter), -len(EMBLEMS) * held - FAVOURITES.index(letter)


def _gifts(view: View, now: Outlook) -> Weighed:
    """Weigh each card as a gift to each who may get it."""
    for card in dict.fromkeys(view.hand):
        for name in receivers(view):
            table = now.copy()
            table.lose(now.me, shown(card))
            table.gain(view.names.index(name), shown(card), 1)
            yield Give(card, name), table.worth()


def _burials(view: View, now: Outlook) -> Weighed:
    """Weigh each card to bury."""
    for card in dict.fromkeys(view.hand):
        table = now.copy()
        table.bury(now.me, shown(card))
        yield Bury(card), table.worth()


def _secrets(view: View, now: Outlook) -> Weighed:
    """Weigh each card that may be buried while a new pile is about to start, and none."""
    now.turn_up()
    yield Pass(), now.worth()
    for order, worth in _burials(view, now):
        if isinstance(order, Bury) and may_bury(view, order.card):
            yield order, worth


def _nobility(view: View, now: Outlook) -> Weighed:
    """Weigh the Role of Viceroy against three cards."""
    yield Pass(), now.worth()
    now.drawn(now.me, DRAW_FOR_BACK)
    if now.draw:
        now.swap(view.swap)
    yield Back(), now.worth()


CHOICES: dict[str, Callable[[View, Outlook], Weighed]] = {
    "role": _roles,
    "turn": turns,
    "gift": _gifts,
    "baksheesh": _burials,
    "bury": _secrets,
    "nobility": _nobility,
}
