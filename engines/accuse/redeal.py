"""Deal anew what some seats were never shown, so that no rule of the game tells them of it."""

from collections.abc import Collection, Iterable

from engines.accuse.deck import CARDS, KINDS, RANK, TRAP, ordered
from engines.accuse.sight import bits
from engines.accuse.table import Laid, State
from pbem.engine import Dice

EXCHANGES = 6  # tries for each card


def reshuffle(state: State, seats: Collection[int | None], dice: Dice) -> State:
    """Exchange, pair after pair, the cards that none of these seats was ever shown; no seats: any cards.

    The deal stays one that could have been: the culprits are one of each kind and were not accused wrongly, every hand
    was dealt a Trap and one of each kind, and no Trap was dealt elsewhere.
    Orders: every place keeps its number of cards; numbers, declarations, turn and prompts stay.
    """
    eyes = bits(seats)
    free = [card for card, shown in zip(CARDS, state.shown, strict=True) if not shown & eyes and _in_play(state, card)]
    deal = _Deal(state)
    for _ in range(EXCHANGES * len(free) if len(free) > 1 else 0):
        deal.exchange(dice.choice(free), dice.choice(free))
    return _renamed(state, deal.now)


def _in_play(state: State, card: str) -> bool:
    """Tell whether a card was dealt at all; the Traps of the box were not."""
    return card[0] != TRAP or any(card in hand for hand in state.dealt)


class _Deal:
    """Hold which card takes which one's place: `now[old]` is the new card where the old one lies."""

    def __init__(self, state: State) -> None:
        self.now = {card: card for card in CARDS}
        self._hand_of = {card: seat for seat, hand in enumerate(state.dealt) for card in hand}
        self._kinds = [[card[0] for card in hand] for hand in state.dealt]
        self._culprits = state.culprits
        self._wrong = [cards for _, cards in state.accusations]

    def exchange(self, one: str, other: str) -> None:
        """Exchange what lies in two places, if the deal could have been so."""
        a, b = self.now[one], self.now[other]
        if a[0] != b[0] and not self._may_differ(one, other, a[0], b[0]):
            return
        self.now[one], self.now[other] = b, a
        if tuple(self.now[card] for card in self._culprits) in self._wrong:
            self.now[one], self.now[other] = a, b
        elif a[0] != b[0]:
            self._count(one, a[0], b[0])
            self._count(other, b[0], a[0])

    def _may_differ(self, one: str, other: str, a: str, b: str) -> bool:
        """Tell whether two places may exchange cards of different kinds; a hand's only Trap never leaves it.

        Rule: C3
        """
        if one in self._culprits or other in self._culprits:
            return False
        home, away = self._hand_of.get(one), self._hand_of.get(other)
        if home == away:
            return True
        return self._can_spare(home, a) and self._can_spare(away, b)

    def _can_spare(self, seat: int | None, kind: str) -> bool:
        return seat is None or self._kinds[seat].count(kind) > 1

    def _count(self, place: str, old: str, new: str) -> None:
        seat = self._hand_of.get(place)
        if seat is not None:
            self._kinds[seat].remove(old)
            self._kinds[seat].append(new)


def _renamed(state: State, now: dict[str, str]) -> State:
    """Give the state with every card replaced; who was shown a place's card was shown the new one there."""

    def new(cards: Iterable[str]) -> tuple[str, ...]:
        return tuple(now[card] for card in cards)

    shown = list(state.shown)
    for old, card in now.items():
        shown[RANK[card]] = state.shown[RANK[old]]
    culprits = new(state.culprits)
    assert tuple(card[0] for card in culprits) == KINDS
    return State(
        names=state.names,
        options=state.options,
        deck=state.deck,
        dealt=tuple(ordered(new(hand)) for hand in state.dealt),
        culprits=culprits,
        hands=tuple(ordered(new(hand)) for hand in state.hands),
        down=tuple(Laid(one.number, now[one.card], one.declared, one.seat) for one in state.down),
        up=ordered(new(state.up)),
        gone=new(state.gone),
        shown=tuple(shown),
        given=state.given,
        turn=state.turn,
        player=state.player,
        asked=state.asked,
        due=state.due,
        accusations=state.accusations,
        bids=state.bids,
        queue=state.queue,
        ending=state.ending,
        winners=state.winners,
    )
