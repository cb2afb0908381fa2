"""Weigh the orders of a turn: what each leads to, by the number of cards and the Role held."""

from collections.abc import Callable, Iterator

from engines.blame.deck import emblems
from engines.blame.deeds import DRAW_FOR_BACK, DRAW_FOR_NONE, DRAW_FOR_ONE, MOST_CARDS, deed_of
from engines.blame.legal import may_accuse
from engines.blame.offers import pairs, runs
from engines.blame.orders import Order, Play
from engines.blame.outlook import Outlook
from engines.blame.table import View
from engines.blame.tallies import ONE, shown

IN_MIND = 12
"""How many cards of the hand a player weighs at once, and of those that show the same."""
ALIKE = 2

Weighed = Iterator[tuple[Order, int]]
Cards = tuple[str, ...]


def turns(view: View, now: Outlook) -> Weighed:
    """Weigh all runs of the cards that matter most; of those that show the same, one."""
    hand = _in_mind(view, now)
    weighed = set()
    for count in range(MOST_CARDS + 1):
        weigh = DEEDS[deed_of(view.role, count, view.options.abilities)]
        for cards in runs(view.top, hand, count):
            kind = [emblems(card) for card in cards]
            kinds = tuple(kind if weigh is _swap else sorted(kind))
            if kinds not in weighed:
                weighed.add(kinds)
                yield from weigh(view, cards, now.copy().play(cards))


def _in_mind(view: View, now: Outlook) -> Cards:
    """Give the cards worth a thought, the weightiest first."""
    kinds: dict[str, list[str]] = {}
    for card in view.hand:
        kinds.setdefault(emblems(card), []).append(card)
    ranked = sorted(kinds.values(), key=lambda cards: _weight(view, now, cards[0]), reverse=True)
    return tuple(card for cards in ranked for card in cards[:ALIKE])[:IN_MIND]


def _weight(view: View, now: Outlook, card: str) -> tuple[int, int]:
    """Give the points that a card costs, then how many others it speaks against."""
    return now.points(now.me, shown(card)), sum(view.roles[seat] in emblems(card) for seat in view.others)


def _draw(view: View, cards: Cards, table: Outlook) -> Weighed:
    table.drawn(table.me, DRAW_FOR_ONE if cards else DRAW_FOR_NONE)
    yield Play(cards), table.worth()


def _baksheesh(view: View, cards: Cards, table: Outlook) -> Weighed:
    table.drawn(table.me, DRAW_FOR_NONE)
    if table.draw:
        table.rid(table.me)
    yield Play(), table.worth()


def _absolution(view: View, cards: Cards, table: Outlook) -> Weighed:
    table.drawn(table.me, DRAW_FOR_ONE)
    yield Play(cards), max(_given(table.copy(), seat).worth() for seat in view.others)


def _given(table: Outlook, other: int) -> Outlook:
    """Give another player the costliest card, if the game goes on."""
    if table.draw and table.sizes[table.me]:
        card = table.costliest(table.me)
        table.lose(table.me, card)
        table.gain(other, card, 1)
    return table


def _swap(view: View, cards: Cards, table: Outlook) -> Weighed:
    """Weigh every swap that the top card allows."""
    for pair in pairs(cards[-1]):
        changed = table.copy()
        changed.swap(pair)
        worth = changed.worth()
        yield Play(cards, pair), (worth + _undone(view, table, worth)) // 2 if "V" in pair else worth


def _undone(view: View, table: Outlook, worth: int) -> int:
    """Give the worth when a robbed Viceroy takes the Role back, or as it was if none can."""
    holder = next((seat for seat in view.others if view.roles[seat] == "V"), None)
    if holder is None or view.options.abilities == "off":
        return worth
    undone = table.copy()
    undone.drawn(holder, DRAW_FOR_BACK)
    return undone.worth()


def _sorcery(view: View, cards: Cards, table: Outlook) -> Weighed:
    """Weigh the exchange of hands with each player."""
    me = table.me
    for seat in view.others:
        changed = table.copy()
        changed.held[me], changed.held[seat] = table.held[seat], table.held[me]
        changed.sizes[me], changed.sizes[seat] = table.sizes[seat], table.sizes[me]
        yield Play(cards, verb="exchange", name=view.names[seat]), changed.worth()


def _espionage(view: View, cards: Cards, table: Outlook) -> Weighed:
    """Weigh the Secrets of each player, and a gift for them."""
    for seat in view.others:
        changed = table.copy()
        count = changed.secrets[seat]
        changed.gain(table.me, tuple(count * mark for mark in table.unknown), count)
        changed.secrets[seat] = 0
        yield Play(cards, verb="spy", name=view.names[seat]), _given(changed, seat).worth()


def _accuse(view: View, cards: Cards, table: Outlook) -> Weighed:
    """Weigh an accusation of each who may be accused, right and wrong, by what is known of the pile."""
    size = view.pile_size + len(cards)
    lost = _blamed(table, table.me, size)
    able = [seat for seat in view.others if may_accuse(view, seat)]
    for seat in able:
        chance = table.certainty(seat)
        worth = chance * _blamed(table, seat, size) + (ONE - chance) * lost
        yield Play(cards, verb="accuse", name=view.names[seat]), worth // ONE
    if not able:
        yield Play(cards), lost


def _blamed(table: Outlook, seat: int, size: int) -> int:
    """Give the worth when a player takes the Blame."""
    changed = table.copy()
    changed.blame(seat, size)
    return changed.worth()


DEEDS: dict[str, Callable[[View, Cards, Outlook], Weighed]] = {
    "draw": _draw,
    "baksheesh": _baksheesh,
    "absolution": _absolution,
    "swap": _swap,
    "sorcery": _sorcery,
    "accuse": _accuse,
    "espionage": _espionage,
}
