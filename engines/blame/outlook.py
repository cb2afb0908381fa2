"""Picture the table as it would be after an order, and say how good it is for one seat."""

from collections.abc import Iterable

from engines.blame.ending import TREASON_SCORE
from engines.blame.memory import Memory
from engines.blame.table import View
from engines.blame.tallies import (
    MARKS,
    NOTHING,
    ONE,
    TREASONS,
    Tally,
    average,
    balance,
    chance_of_more,
    plus,
    shown,
    tally,
)

ACCUSING = 3
"""How many cards an accusation takes."""
SLOPE, MOST = 15, 45
"""In hundredths: how much likelier an accusation is for each card that speaks for it, and where that stops."""
SPREAD, SPREAD_A_CARD = 150, 60
"""How wide points may still stray, at the end and for each card left to draw, in hundredths of a point."""
OWN = 1
"""How much the own points weigh beside the leads, for each rival but one: of many one is likely to have few."""
AMMUNITION, ENOUGH = 12, 5
"""What a card in hand is worth to play with, in hundredths of a point, and how many are."""
TURN_CARDS = 2
"""How many cards of the Draw pile a turn is thought to use up, for games that end by their turns."""
GENERAL, SPYMASTER = MARKS.index("G"), MARKS.index("S")


class Outlook:
    """Hold the table as one seat pictures it.

    `held` and `pile` are tallies, `sizes` and `secrets` numbers of cards, `roles` places in a tally; all but the pile
    by seat. `hidden` cards of the pile are not known, `unknown` is the average card unseen. `draw` cards are left to
    draw, `turns` to come after this one.
    """

    __slots__ = (
        "draw", "gifted", "held", "hidden", "me", "pile", "restart", "roles", "secrets", "sizes", "turns", "unknown",
    )  # fmt: skip

    def __init__(self, view: View, memory: Memory) -> None:
        self.me = view.seat or 0
        self.unknown = average(memory.unseen)
        self.roles = [MARKS.index(role) if role else TREASONS for role in view.roles]
        self.sizes = list(view.hand_sizes)
        self.held = [
            plus(tally(cards), self.unknown, self.sizes[seat] - len(cards)) for seat, cards in memory.held.items()
        ]
        self.held[self.me] = tally(view.hand)
        self.secrets = list(view.secret_counts)
        self.hidden = memory.hidden
        self.pile = plus(tally(memory.pile), self.unknown, memory.hidden)
        self.draw = view.draw_size
        self.turns = view.options.max_turns - view.turn
        self.gifted = view.options.abilities == "on"
        self.restart = view.options.restart == "top"

    def copy(self) -> "Outlook":
        """Give a picture to paint over."""
        new = Outlook.__new__(Outlook)
        new.me, new.unknown, new.gifted, new.restart = self.me, self.unknown, self.gifted, self.restart
        new.roles, new.sizes, new.held, new.secrets = self.roles[:], self.sizes[:], self.held[:], self.secrets[:]
        new.hidden, new.pile, new.draw, new.turns = self.hidden, self.pile, self.draw, self.turns
        return new

    def gain(self, seat: int, cards: Tally, count: int) -> None:
        """Put so many cards into a hand."""
        self.held[seat] = plus(self.held[seat], cards)
        self.sizes[seat] += count

    def lose(self, seat: int, card: Tally) -> None:
        """Take a card out of a hand."""
        self.held[seat] = plus(self.held[seat], card, -1)
        self.sizes[seat] -= 1

    def play(self, cards: Iterable[str]) -> "Outlook":
        """Play cards of the own hand."""
        for card in cards:
            self.lose(self.me, shown(card))
            self.pile = plus(self.pile, shown(card))
        return self

    def drawn(self, seat: int, count: int) -> None:
        """Draw cards, as far as there are any."""
        count = min(count, self.draw)
        self.draw -= count
        self.gain(seat, tuple(count * mark for mark in self.unknown), count)

    def swap(self, pair: str) -> None:
        """Exchange two Roles."""
        one, two = map(MARKS.index, pair)
        ways = {one: two, two: one}
        self.roles = [ways.get(role, role) for role in self.roles]

    def bury(self, seat: int, card: Tally) -> None:
        """Move a card from a hand among the Secrets."""
        self.lose(seat, card)
        self.secrets[seat] += 1

    def costliest(self, seat: int) -> Tally:
        """Give the card that a player would best be rid of, in shares where the hand is not known."""
        held, own = self.held[seat], self.roles[seat]
        treason = min(ONE, held[TREASONS])
        issue = min(ONE - treason, held[own])
        return tuple(treason if mark == TREASONS else issue if mark == own else 0 for mark in range(len(MARKS)))

    def rid(self, seat: int) -> None:
        """Let a player bury the costliest card; a General keeps the Honour for less than a Treason."""
        card = self.costliest(seat)
        if self.sizes[seat] and any(card) and not (self.honoured(seat) and card[TREASONS] < ONE):
            self.bury(seat, card)

    def blame(self, seat: int, size: int) -> None:
        """Let a player take the pile of so many cards and the others bury one, and start a new pile."""
        self.gain(seat, self.pile, size)
        self.pile, self.hidden = NOTHING, 0
        for other in range(len(self.roles)):
            if other != seat:
                self.rid(other)
        self.turn_up()

    def turn_up(self) -> None:
        """Turn up the first card of a pile."""
        if self.restart:
            self.draw -= 1
            self.pile = self.unknown

    def honoured(self, seat: int) -> bool:
        """Tell whether a General's Honour forbids to accuse a player."""
        return self.gifted and self.roles[seat] == GENERAL and not self.secrets[seat]

    def lead(self, seat: int, other: int) -> int:
        """Give how far the pile speaks against the other rather than a player, in hundredths of a card."""
        return self.pile[self.roles[other]] - self.pile[self.roles[seat]]

    def certainty(self, other: int) -> int:
        """Give how likely the other would take the Blame if accused now, in hundredths."""
        guessed = self.hidden * (self.unknown[self.roles[other]] - self.unknown[self.roles[self.me]])
        return chance_of_more((self.lead(self.me, other) - guessed) // ONE, self.hidden)

    def threat(self, seat: int) -> int:
        """Give how likely a player soon accuses the own seat and is right, in hundredths."""
        idle = self.gifted and self.roles[seat] == SPYMASTER
        if idle or self.sizes[seat] < ACCUSING or not self.sizes[self.me] or self.honoured(self.me):
            return 0
        return max(0, min(MOST, SLOPE * self.lead(seat, self.me) // ONE)) // (len(self.roles) - 1)

    def points(self, seat: int, cards: Tally) -> int:
        """Score cards in a player's hand, in hundredths."""
        return cards[self.roles[seat]] + TREASON_SCORE * cards[TREASONS]

    def worth(self) -> int:
        """Give how well the own seat stands: against the closest rival, against all, and by its own points."""
        points = [self.points(seat, held) for seat, held in enumerate(self.held)]
        left = max(0, min(self.draw, TURN_CARDS * self.turns))
        if left:
            self._foresee(points)
        spread = SPREAD + SPREAD_A_CARD * left
        own = points.pop(self.me)
        stands = [balance(theirs - own, spread) for theirs in points]
        return min(stands) + sum(stands) // len(stands) - OWN * (len(stands) - 1) * balance(own, spread)

    def _foresee(self, points: list[int]) -> None:
        """Add what an accusation of the own seat may cost, and what cards to play with are worth."""
        for seat, size in enumerate(self.sizes):
            points[seat] -= AMMUNITION * min(ENOUGH, size)
            if seat != self.me:
                points[self.me] += self.threat(seat) * self.points(self.me, self.pile) // ONE
