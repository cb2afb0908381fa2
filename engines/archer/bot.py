"""Play carefully: weigh each order by what is known and by what is left unseen, and give the best.

The worth of an order is about the chance to win the round after it.
Secret: the bot knows its view and the events that its seat saw, and nothing else.
"""

from collections.abc import Callable, Sequence

from engines.archer.beliefs import Beliefs, Odds
from engines.archer.cards import CHERYL, CYRIL, KRUEGER, LANA, MALORY, PAM, RAY, STERLING
from engines.archer.legal import orders
from engines.archer.orders import LOOK, Play, format
from engines.archer.table import View
from pbem.engine import Dice, Event

FADING = 0.9
"""How fast the worth of a high card fades with the turns that a player has still to come."""
LOW, HIGH = 0.7, 0.6
"""The share of a fair chance that the lowest card keeps in the middle of a round, and what the highest adds."""
HIDDEN, LOOKED, LEARNED = 1.12, 1.04, 1.02
"""What protection, a look at the secret, and a look at a hand add to the chance."""
SURE_GUESS = 0.8
"""The chance that a secret just seen is still there when Krueger, in hand, can guess it."""
EXPOSED = 0.55
"""What is left of the chance with a card that another player has seen."""
ALIKE = 1e-9


def choose(view: View, seen: Sequence[Event], dice: Dice) -> str:
    """Give the order that seems best as a line; among equals a random one."""
    mind = Mind(view, seen)
    worths = {order: mind.worth(order) for card in dict.fromkeys(view.hand) for order in orders(view, card)}
    best = max(worths.values())
    return format(dice.choice([order for order, worth in worths.items() if worth >= best - ALIKE]))


class Mind:
    """Hold what a player thinks of while choosing: the table, and how likely each hidden card is what."""

    def __init__(self, view: View, seen: Sequence[Event]) -> None:
        self.view = view
        self.beliefs = Beliefs(view, seen)
        self.secret = self.beliefs.odds(None)
        self.hands = {seat: self.beliefs.odds(seat) for seat in view.others if view.inside[seat]}

    def worth(self, order: Play) -> float:
        """Give the worth of an order."""
        hand = list(self.view.hand)
        hand.remove(order.card)
        return WORTHS[order.card](self, order, hand[0])

    def seat(self, order: Play) -> int:
        """Give the seat at which an order plays its card."""
        return self.view.names.index(order.name)

    def stand(self, kept: int, changed: dict[int, Odds] | None = None, spent: int = 0) -> float:
        """Give the chance to win the round with a card against the hands that are left.

        At the end of the deck the highest hand wins; before it a high card is worth less, since much may happen.
        """
        hands = self.hands if changed is None else changed
        if not hands:
            return 1.0
        left = max(0, self.view.draw_size - spent)
        beaten = [_beaten(kept, odds) for odds in hands.values()]
        shown = 1.0
        for chance in beaten:
            shown *= chance
        late = 1 / (1 + FADING * left / (1 + len(hands)))
        early = (LOW + HIGH * sum(beaten) / len(beaten)) / (1 + len(hands))
        worth = late * shown + (1 - late) * early
        return worth * EXPOSED if left and kept == self.beliefs.exposed else worth

    def rid(self, seat: int) -> dict[int, Odds]:
        """Give the hands without one that is out."""
        return {other: odds for other, odds in self.hands.items() if other != seat}


def _beaten(kept: int, odds: Odds) -> float:
    """Give how likely a card beats a hidden one; a tie counts half."""
    return sum(chance * (1.0 if card < kept else 0.5) for card, chance in odds.items() if card <= kept)


def _malory(mind: Mind, order: Play, kept: int) -> float:
    return 0.0


def _lana(mind: Mind, order: Play, kept: int) -> float:
    """Weigh a hand dealt anew: any card of those unseen."""
    pool = mind.beliefs.top()
    hands = {seat: odds if mind.view.shielded[seat] else pool for seat, odds in mind.hands.items()}
    return sum(chance * mind.stand(card, hands) for card, chance in pool.items())


def _ray(mind: Mind, order: Play, kept: int) -> float:
    return _redrawn(mind, order, mind.secret, kept)


def _pam(mind: Mind, order: Play, kept: int) -> float:
    return _redrawn(mind, order, mind.beliefs.top() if mind.view.draw_size else mind.secret, kept)


def _redrawn(mind: Mind, order: Play, drawn: Odds, kept: int) -> float:
    """Weigh a new card in one's own hand or in another's."""
    seat = mind.seat(order)
    if seat == mind.view.player:
        return sum(chance * mind.stand(card, spent=1) for card, chance in drawn.items())
    return mind.stand(kept, mind.hands | {seat: drawn}, spent=1)


def _cheryl(mind: Mind, order: Play, kept: int) -> float:
    stand = mind.stand(kept)
    if order.way != LOOK:
        return min(1.0, stand * HIDDEN)
    if None in mind.beliefs.known or not mind.view.draw_size:
        return stand
    return max(stand, SURE_GUESS) if kept == KRUEGER else stand * LOOKED


def _cyril(mind: Mind, order: Play, kept: int) -> float:
    """Weigh a duel: won by the higher card, nothing by equal ones, and the round is lost by the lower."""
    if not order.name:
        return mind.stand(kept)
    seat = mind.seat(order)
    odds = mind.hands[seat]
    won = sum(chance for card, chance in odds.items() if card < kept)
    return won * mind.stand(kept, mind.rid(seat)) + odds.get(kept, 0) * mind.stand(kept)


def _krueger(mind: Mind, order: Play, kept: int) -> float:
    right = mind.secret.get(order.named, 0)
    return right + (1 - right) * mind.stand(kept)


def _sterling(mind: Mind, order: Play, kept: int) -> float:
    if not order.name:
        return mind.stand(kept)
    seat = mind.seat(order)
    right = mind.hands[seat].get(order.named, 0)
    return right * mind.stand(kept, mind.rid(seat)) + (1 - right) * LEARNED * mind.stand(kept)


WORTHS: dict[int, Callable[[Mind, Play, int], float]] = {
    MALORY: _malory,
    LANA: _lana,
    RAY: _ray,
    PAM: _pam,
    CHERYL: _cheryl,
    CYRIL: _cyril,
    KRUEGER: _krueger,
    STERLING: _sterling,
}
