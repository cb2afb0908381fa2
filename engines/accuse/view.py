"""Show a state to one seat, and count the cards."""

from functools import lru_cache

from engines.accuse.deck import CARDS, CLUES, FACE, KINDS, TRAP, ordered
from engines.accuse.sight import ALL, PUBLIC, bits
from engines.accuse.table import Laid, State, View


def view(state: State, seat: int | None) -> View:
    """Give all that a seat (None: an observer) may know.

    Rule: C5, C6, C17
    """
    bit = PUBLIC if seat is None else 1 << seat
    seen = [card for card, shown in zip(CLUES, state.shown, strict=False) if shown & bit]
    culprits: tuple[str, ...] = ()
    if state.culprits[0] in seen:
        culprits = state.culprits
        seen = [card for card in seen if card not in culprits]
    return View(
        seat,
        state.names,
        state.options,
        state.deck,
        () if seat is None else tuple([FACE[card] for card in state.hands[seat]]),
        tuple(map(len, state.hands)),
        tuple([_laid(laid, seat) for laid in state.down]),
        tuple([FACE[card] for card in state.up]),
        len(state.gone),
        tuple(seen),
        culprits,
        state.given,
        state.turn,
        state.player,
        state.asked,
        state.due,
        state.accusations,
        state.bids,
        state.queue,
        state.ending,
        state.winners,
    )


def _laid(laid: Laid, seat: int | None) -> Laid:
    """Show a face-down card: what it is to who laid it alone.

    Rule: C6, C18
    """
    if laid.seat != seat:
        return _seen("", laid.number, laid.declared, laid.seat)
    return _seen(TRAP, laid.number, laid.declared, laid.seat) if laid.card[0] == TRAP else laid


@lru_cache(maxsize=4096)
def _seen(card: str, number: int, declared: str, seat: int) -> Laid:
    return Laid(number, card, declared, seat)


def audit(state: State) -> None:
    """Check that every card is somewhere, once, and that the deal was as printed.

    Rule: C3
    Raises: AssertionError
    """
    laid = [one.card for one in state.down]
    places = [*state.hands, laid, state.up, state.gone, state.culprits]
    assert sorted(card for place in places for card in place) == sorted(CARDS)
    assert tuple(card[0] for card in state.culprits) == KINDS
    for seat, hand in enumerate(state.dealt):
        kinds = [card[0] for card in hand]
        assert kinds.count(TRAP) == 1 and set(kinds) == {*KINDS, TRAP}
        assert all(state.shown[CARDS.index(card)] & bits((seat,)) for card in (*hand, *state.hands[seat]))
    numbers = [one.number for one in state.down]
    assert numbers == sorted(set(numbers)) and all(0 < number <= state.given for number in numbers)
    assert all(state.shown[CARDS.index(card)] == ALL for card in state.up)
    assert all(hand == ordered(hand) for hand in (*state.hands, *state.dealt, state.up))
