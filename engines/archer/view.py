"""Show a state to one seat, deal anew what some seats were never shown, and count the cards."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache

from engines.archer.board import eye
from engines.archer.table import NO_SECRET, Sight, State, View
from pbem.engine import Dice

TRIES = 20
"""How often a deal that would not fit what was told in public is tried again."""


def view(state: State, seat: int | None) -> View:
    """Give all that a seat (None: an observer) may know.

    Rule: A3, A4, A12
    """
    kit, hands, over = state.kit, state.hands, bool(state.ending)
    return View(
        seat,
        state.names,
        state.options,
        kit,
        state.needed,
        state.points,
        state.round,
        state.turn,
        state.first,
        state.player,
        tuple(map(bool, hands)),
        state.shielded,
        _faces(kit, state.laid),
        len(state.draw),
        () if seat is None else tuple([kit[card] for card in hands[seat]]),
        ()
        if seat is None
        else tuple([Sight(sight.of, kit[sight.card], sight.turn, sight.past) for sight in state.seen[seat]]),
        state.ending,
        state.winners,
        tuple([kit[hand[0]] if hand else 0 for hand in hands]) if over else (),
        kit[state.secret] if over and state.secret != NO_SECRET else 0,
    )


@lru_cache(maxsize=64)
def _faces(kit: tuple[int, ...], piles: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Give the characters of the cards that lie open: all seats see the same."""
    return tuple([tuple([kit[card] for card in cards]) for cards in piles])


def reshuffle(state: State, seats: Collection[int | None], dice: Dice) -> State:
    """Exchange the cards that none of these seats was ever shown in this round; no seats: all cards.

    A card that one of them held or saw, or that lies face up, stays in its place, wherever it went since. The others
    change places so that all that was told of them still holds: a wrong guess, who lost a duel, that two were alike.
    So the whole round would have looked the same to these seats: nothing that they ever saw, and nothing that they can
    conclude from it, tells the two states apart.
    """
    eyes = sum({eye(seat) for seat in seats})
    free = [card for card, shown in enumerate(state.shown) if not (seats and shown & eyes)]
    for _ in range(TRIES):
        exchanged = _exchange(state, free, dice, bound=bool(seats))
        if exchanged:
            return _with_cards(state, exchanged)
    return state


def _exchange(state: State, free: list[int], dice: Dice, *, bound: bool) -> Mapping[int, int]:
    """Draw for each free card another for its place; give none if one is left for which no place fits."""
    left = list(dice.shuffled(free))
    if not bound:
        return dict(zip(free, left, strict=True))
    exchanged = {}
    for card in sorted(free, key=lambda card: state.fits[card].bit_count()):
        fitting = next((other for other in left if state.fits[card] >> state.kit[other] & 1), None)
        if fitting is None:
            return {}
        exchanged[card] = fitting
        left.remove(fitting)
    return exchanged


def _with_cards(state: State, exchanged: Mapping[int, int]) -> State:
    """Put each card's exchange into its place, with what was shown and told of it."""

    def new(card: int) -> int:
        return exchanged.get(card, card)

    old = {new(card): card for card in range(len(state.kit))}
    return replace(
        state,
        hands=tuple(tuple(sorted(map(new, hand))) for hand in state.hands),
        secret=new(state.secret),
        draw=tuple(map(new, state.draw)),
        laid=tuple(tuple(map(new, cards)) for cards in state.laid),
        seen=tuple(tuple(replace(sight, card=new(sight.card)) for sight in sights) for sights in state.seen),
        shown=tuple(state.shown[old[card]] for card in range(len(state.kit))),
        fits=tuple(state.fits[old[card]] for card in range(len(state.kit))),
    )


def audit(state: State) -> None:
    """Check that every card of the kit is somewhere, once, and that hands are as full as the round wants.

    Raises: AssertionError
    """
    secret = () if state.secret == NO_SECRET else (state.secret,)
    places = [*state.hands, *state.laid, state.draw, secret]
    assert sorted(card for place in places for card in place) == list(range(len(state.kit)))
    assert all(list(hand) == sorted(hand) for hand in state.hands)
    assert all(state.kit[card] >= state.kit[card + 1] for card in range(len(state.kit) - 1))
    for seat, hand in enumerate(state.hands):
        assert len(hand) in ((2,) if seat == state.player and not state.ending else (0, 1))
    assert secret or state.ending
