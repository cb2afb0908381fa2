"""Offer orders from one seat's view: prompts with their examples, the default, a random one.

Secret: all of it is a function of the view, so nothing here tells more than the view does.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from engines.archer.cards import CHARACTERS, CHERYL, CYRIL, KRUEGER, MALORY, PAM, RAY, STERLING, listed, named
from engines.archer.legal import in_hand, orders
from engines.archer.orders import HIDE, Order, Play, format
from engines.archer.table import State, View
from engines.archer.view import view as view_of
from pbem.engine import Dice, Prompt

EXAMPLES_EACH = 2


def awaiting(state: State) -> Mapping[int, Prompt]:
    """Give what is asked: a card of the player whose turn it is, of nobody when the game is over."""
    return {} if state.ending else {state.player: prompt(view_of(state, state.player))}


def prompt(view: View) -> Prompt:
    """Give what is asked of the view's seat."""
    which = in_hand(view, "or") if len(set(view.hand)) > 1 else f"both {named(view.hand[0])}"
    asked = f"It is your turn: play one of your two cards, {which}.{_ask_whom(view)}"
    return Prompt(view.ask, False, asked, examples(view))


def _ask_whom(view: View) -> str:
    """Say who is open to a card, if one of the hand asks for a player.

    Rule: A13, A14
    """
    aimed = [card for card in (RAY, PAM, CYRIL, STERLING) if card in view.hand]
    if not aimed:
        return ""
    others = [view.names[seat] for seat in view.open]
    on_oneself = [named(card) for card in dict.fromkeys(view.hand) if card in (RAY, PAM)]
    own = f"; {listed(on_oneself)} may be played on yourself too" if on_oneself else ""
    return f" Open to your cards: {listed(others) if others else 'nobody'}{own}."


def examples(view: View, card: int = 0) -> tuple[str, ...]:
    """Give lines that would be accepted now, two for each card at most; one card's first, if it is in hand."""
    if not view.ask:
        return ()
    cards = sorted(set(view.hand), key=lambda one: (one != card, one))
    return tuple(format(order) for one in cards for order in islice(_examples(view, one), EXAMPLES_EACH))


def _examples(view: View, card: int) -> Iterator[Order]:
    """Give some orders for a card: at one player after another rather than all at the first.

    Secret: the character that is guessed by way of example tells nothing of any card.
    """
    if card == STERLING and view.open:
        return (Play(card, view.names[seat], 8 - at) for at, seat in enumerate(view.open))
    return orders(view, card)


def default(view: View, dice: Dice) -> Order:
    """Give the order that stands when time runs out: a random card, but never Malory if there is another.

    Secret: so it tells next to nothing of the card that is kept, and nothing of what the player has seen.
    """
    card = dice.choice([card for card in view.hand if card != MALORY] or view.hand)
    names = [view.names[seat] for seat in view.open]
    if card in (RAY, PAM):
        return Play(card, (names or [view.names[view.player]])[0])
    if card == CHERYL:
        return Play(card, way=HIDE)
    if card == KRUEGER:
        return Play(card, named=_rarest(view, [*CHARACTERS]))
    if card == CYRIL and names:
        return Play(card, names[0])
    if card == STERLING and names:
        return Play(card, names[0], _rarest(view, [one for one in CHARACTERS if one != STERLING]))
    return Play(card)


def _rarest(view: View, characters: list[int]) -> int:
    """Give the character of which the fewest copies lie face up; of several, the strongest."""
    laid = [card for cards in view.laid for card in cards]
    return min(characters, key=lambda character: (laid.count(character), -character))


def sample(view: View, dice: Dice) -> str:
    """Give a random legal order as a line: one of the two cards, and with it anything that it allows."""
    return format(dice.choice(tuple(orders(view, dice.choice(view.hand)))))
