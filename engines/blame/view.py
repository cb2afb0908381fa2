"""Show a state to one seat, deal anew what some seats cannot see, and count the cards."""

from collections.abc import Collection
from dataclasses import replace

from engines.blame.deck import EMBLEMS, ordered
from engines.blame.table import State, View
from pbem.engine import Dice


def view(state: State, seat: int | None) -> View:
    """Give all that a seat (None: an observer) may know.

    Rule: B8, B24
    """
    hands, secrets, pile = state.hands, state.secrets, state.pile
    return View(
        seat,
        state.names,
        state.options,
        state.deck,
        state.roles,
        state.untaken,
        tuple(map(len, hands)),
        tuple(map(len, secrets)),
        len(state.draw),
        len(pile),
        pile[-1] if pile else "",
        () if seat is None else hands[seat],
        () if seat is None else secrets[seat],
        state.turn,
        state.player,
        state.asked,
        state.swap,
        state.spied,
        state.blamed,
        state.ending,
        hands if state.ending else (),
        state.scores,
        state.winners,
    )


def reshuffle(state: State, seats: Collection[int | None], dice: Dice) -> State:
    """Deal anew every card that none of these seats can see now; no seats: every card.

    What a seat can see is its view: its hand and Secrets, the pile's top card, at the end all hands. What it may
    remember of cards shown and gone out of sight is not kept: the game keeps no record of it (MEMORY is closed).
    For all seats together the whole pile stays: it was laid down before their eyes, so dealing it anew would bring
    cards back that all remember.
    Orders: every hand and pile keeps its size; Roles, turn and prompts stay.
    """
    places = range(len(state.names))
    open_hands = places if state.ending and seats else [seat for seat in places if seat in seats]
    hidden_hands = [seat for seat in places if seat not in open_hands]
    hidden_secrets = [seat for seat in places if seat not in seats]
    top = state.pile if set(places) <= set(seats) else state.pile[-1:] if seats else ()
    below = state.pile[: len(state.pile) - len(top)]
    hidden = [*below, *state.draw]
    hidden += [card for seat in hidden_hands for card in state.hands[seat]]
    hidden += [card for seat in hidden_secrets for card in state.secrets[seat]]
    cards = list(dice.shuffled(hidden))

    def deal(old: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(cards.pop() for _ in old)

    return replace(
        state,
        hands=tuple(ordered(deal(hand)) if seat in hidden_hands else hand for seat, hand in enumerate(state.hands)),
        secrets=tuple(deal(old) if seat in hidden_secrets else old for seat, old in enumerate(state.secrets)),
        pile=(*deal(below), *top),
        draw=deal(state.draw),
    )


def audit(state: State) -> None:
    """Check that every card of the deck and every Role is somewhere, once.

    Raises: AssertionError
    """
    places = [*state.hands, *state.secrets, state.pile, state.draw]
    assert sorted(card for place in places for card in place) == sorted(code for code, _ in state.deck)
    assert sorted([*filter(None, state.roles), *state.untaken]) == sorted(EMBLEMS)
    assert all(hand == ordered(hand) for hand in state.hands)
