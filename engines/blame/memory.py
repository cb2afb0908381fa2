"""Remember, as a careful player does, which cards lie in the Blame pile and which the others hold.

Secret: all of it comes from one seat's view and the events that this seat saw.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from engines.blame.deck import TREASON
from engines.blame.table import View
from pbem.engine import Event

Facts = Mapping[str, Any]


class Memory:
    """Hold what a seat remembers of the cards that it cannot see now.

    `pile` are the cards of the Blame pile that are known, and `hidden` the number of the others there; `held` are the
    cards that another player is thought to hold, `unseen` all cards whose place is not known.
    """

    def __init__(self, view: View, seen: Sequence[Event]) -> None:
        self.pile: list[str] = []
        self.held: dict[int, list[str]] = {seat: [] for seat in range(len(view.names))}
        self._seat = view.seat
        for event in seen:
            if hear := HEARD.get(event.kind):
                hear(self, event.facts)
        self._look(view)
        self.hidden = view.pile_size - len(self.pile)
        unseen = Counter(card for card, _ in view.deck)
        unseen.subtract(chain(view.hand, view.secrets, self.pile, *self.held.values()))
        self.unseen = tuple(unseen.elements())

    def _look(self, view: View) -> None:
        """Let what lies open now correct what is remembered."""
        if len(self.pile) > view.pile_size or self.pile[-1:] != [view.top][: view.pile_size]:
            self.pile = [view.top] if view.top else []
        for card in (*view.hand, *view.secrets, *self.pile):
            self._find(card)
        for seat, cards in self.held.items():
            size = 0 if seat == view.seat else view.hand_sizes[seat]
            self.held[seat] = cards[max(0, len(cards) - size) :]

    def _find(self, card: str) -> None:
        """Think of an Issue no more where it was thought to be."""
        if card != TREASON:
            for cards in self.held.values():
                if card in cards:
                    cards.remove(card)

    def _gain(self, seat: int, cards: Iterable[str]) -> None:
        for card in cards:
            self._find(card)
            self.held[seat].append(card)

    def _lose(self, seat: int, card: str) -> None:
        if card in self.held[seat]:
            self.held[seat].remove(card)

    def played(self, facts: Facts) -> None:
        """See cards played on the pile."""
        for card in codes(facts["cards"]):
            self._lose(facts["seat"], card)
            self._find(card)
            self.pile.append(card)

    def turned(self, facts: Facts) -> None:
        """See a card start a pile."""
        self.pile = [facts["card"][0]]

    def counted(self, facts: Facts) -> None:
        """See the whole pile."""
        self.pile = codes(facts["cards"])[::-1]

    def blamed(self, facts: Facts) -> None:
        """See who takes the pile."""
        self._gain(facts["seat"], self.pile)
        self.pile = []

    def buried(self, facts: Facts) -> None:
        """Think that who buries a card buries a Treason, if one is known to be there."""
        self._lose(facts["seat"], TREASON)

    def gave(self, facts: Facts) -> None:
        """Think that a gift between others is a Treason, if one is known to be there."""
        if self._seat not in (facts["seat"], facts["other"]) and TREASON in self.held[facts["seat"]]:
            self._lose(facts["seat"], TREASON)
            self._gain(facts["other"], [TREASON])

    def gave_card(self, facts: Facts) -> None:
        """See a card given or received."""
        self._lose(facts["seat"], facts["card"][0])
        self._gain(facts["other"], [facts["card"][0]])

    def exchanged(self, facts: Facts) -> None:
        """See two hands exchanged."""
        one, two = facts["seat"], facts["other"]
        self.held[one], self.held[two] = self.held[two], self.held[one]

    def exchanged_cards(self, facts: Facts) -> None:
        """See both hands of an exchange."""
        self.held[facts["seat"]] = codes(facts["got"])
        self.held[facts["other"]] = codes(facts["gave"])

    def spied_cards(self, facts: Facts) -> None:
        """See which Secrets came into whose hand."""
        self._gain(facts["seat"], codes(facts["cards"]))


def codes(cards: Iterable[Sequence[str]]) -> list[str]:
    """Give the codes of cards as facts tell them."""
    return [card[0] for card in cards]


HEARD: dict[str, Callable[[Memory, Facts], None]] = {
    "played": Memory.played,
    "turned": Memory.turned,
    "counted": Memory.counted,
    "blamed": Memory.blamed,
    "buried": Memory.buried,
    "gave": Memory.gave,
    "gave_card": Memory.gave_card,
    "exchanged": Memory.exchanged,
    "exchanged_cards": Memory.exchanged_cards,
    "spied_cards": Memory.spied_cards,
}
