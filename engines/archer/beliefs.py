"""Remember, as a careful player does, what the events tell of the hidden cards, and weigh what is left unseen.

Secret: all of it comes from one seat's view and the events that this seat saw.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engines.archer.board import ANY
from engines.archer.table import View
from pbem.engine import Event

Odds = Mapping[int, float]
"""How likely a hidden card is each character."""
Facts = Mapping[str, Any]


class Beliefs:
    """Hold what a seat knows of each hand, and of the secret (place None), in this round.

    `known` is the character that lies there for certain, `may` has the bits of those that nothing said in public rules
    out. `exposed` is the own card that another player has seen, or 0.
    """

    def __init__(self, view: View, seen: Sequence[Event]) -> None:
        self.known: dict[int | None, int] = {}
        self.may: dict[int | None, int] = {}
        self.exposed = 0
        self._seat = view.seat
        self._own: list[int] = []
        self._winner: int | None = None
        start = next((at for at in range(len(seen) - 1, -1, -1) if seen[at].kind == "round"), 0)
        for event in seen[start:]:
            if hear := HEARD.get(event.kind):
                hear(self, event.facts)
        self.left = view.unseen
        for character in self.known.values():
            self.left[character] -= 1

    def odds(self, place: int | None) -> Odds:
        """Give how likely the card at a place is each character, by the copies that are left unseen."""
        if place in self.known:
            return {self.known[place]: 1.0}
        may = self.may.get(place, ANY)
        return shares({character: count for character, count in self.left.items() if may >> character & 1})

    def top(self) -> Odds:
        """Give how likely the deck's top card is each character."""
        return shares(self.left)

    def _forget(self, place: int | None) -> None:
        self.known.pop(place, None)
        self.may.pop(place, None)
        if place == self._seat:
            self.exposed = 0

    def _narrow(self, place: int | None, characters: int) -> None:
        self.may[place] = self.may.get(place, ANY) & characters

    def held(self, facts: Facts) -> None:
        """Hear which card is the own hand now."""
        self._own = [facts["card"]]

    def drew(self, facts: Facts) -> None:
        """Hear which card was drawn to it."""
        self._own.append(facts["card"])

    def played(self, facts: Facts) -> None:
        """Hear what was played: if it may be the card that was known, nothing is known of that hand any more."""
        seat, card = facts["seat"], facts["card"]
        if seat == self._seat:
            if card in self._own:
                self._own.remove(card)
            self.exposed = 0 if card == self.exposed else self.exposed
        elif self.known.get(seat, card) == card and self.may.get(seat, ANY) >> card & 1:
            self._forget(seat)

    def laid(self, facts: Facts) -> None:
        """Hear that a hand was laid; if a duel brought it there, the winner's card is higher."""
        self._forget(facts["seat"])
        if self._winner is not None:
            self._narrow(self._winner, -1 << 1 + facts["card"])
            self._winner = None

    def shuffled(self, facts: Facts) -> None:
        """Hear that hands and the secret were dealt anew."""
        for place in (None, *facts["seats"]):
            self._forget(place)

    def took_secret(self, facts: Facts) -> None:
        """Hear who took the secret: what was known of it is now known of that hand."""
        for table in (self.known, self.may):
            if None in table:
                table[facts["seat"]] = table.pop(None)

    def saw_secret(self, facts: Facts) -> None:
        """See the secret."""
        self.known[None] = facts["card"]

    def saw_hand(self, facts: Facts) -> None:
        """See another's hand."""
        self.known[facts["other"]] = facts["card"]

    def dueled(self, facts: Facts) -> None:
        """Hear who lost a duel."""
        lower = facts["lower"]
        if lower is not None:
            self._winner = facts["other"] if lower == facts["seat"] else facts["seat"]

    def duel_cards(self, facts: Facts) -> None:
        """See the other's card in a duel, as the other sees one's own."""
        if facts["seat"] == self._seat:
            self.known[facts["other"]], self.exposed = facts["cards"][1], facts["cards"][0]
        else:
            self.known[facts["seat"]], self.exposed = facts["cards"]

    def guessed_secret(self, facts: Facts) -> None:
        """Hear what the secret is not."""
        self._narrow(None, ~(1 << facts["named"]))

    def guessed(self, facts: Facts) -> None:
        """Hear what a hand is not; who guesses at one's own sees it."""
        self._narrow(facts["other"], ~(1 << facts["named"]))
        if facts["other"] == self._seat and self._own:
            self.exposed = self._own[0]


def shares(weights: Mapping[int, int]) -> Odds:
    """Give the shares of weights that are above zero, or equal ones if there are none."""
    left = {character: weight for character, weight in weights.items() if weight > 0} or dict.fromkeys(weights, 1)
    whole = sum(left.values())
    return {character: weight / whole for character, weight in left.items()}


HEARD: dict[str, Callable[[Beliefs, Facts], None]] = {
    "dealt": Beliefs.held,
    "drew": Beliefs.drew,
    "got": Beliefs.held,
    "played": Beliefs.played,
    "discarded": Beliefs.laid,
    "out": Beliefs.laid,
    "shuffled": Beliefs.shuffled,
    "took_secret": Beliefs.took_secret,
    "saw_secret": Beliefs.saw_secret,
    "saw_hand": Beliefs.saw_hand,
    "dueled": Beliefs.dueled,
    "duel_cards": Beliefs.duel_cards,
    "guessed_secret": Beliefs.guessed_secret,
    "guessed": Beliefs.guessed,
}
