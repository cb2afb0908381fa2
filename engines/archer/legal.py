"""Say what the rules allow, as far as one seat's view tells, and make an order of what a line says.

Every refusal is a function of the view and the line alone.
Secret: so none tells more than the view does.
"""

from collections.abc import Iterator

from engines.archer.cards import CHARACTERS, CHERYL, CYRIL, KRUEGER, PAM, RAY, STERLING, listed, named
from engines.archer.orders import HIDE, LOOK, Order, Play
from engines.archer.reading import Parts
from engines.archer.table import View
from pbem.engine import IllegalOrder, UnreadableOrder


def check(view: View, parts: Parts) -> Order:
    """Make the order that a line says, if it is asked for and the rules allow it.

    Raises: UnreadableOrder, IllegalOrder
    """
    card = parts.card
    if not view.ask:
        raise IllegalOrder("Nothing is asked of you now.")
    if card not in view.hand:
        raise IllegalOrder(f"{named(card)} is not in your hand ({in_hand(view)}).")
    if card in (RAY, PAM):
        _check_anybody(view, card, parts.name)
    elif card in (CYRIL, STERLING):
        _check_another(view, card, parts.name)
    if card == STERLING:
        _check_guess(parts)
    if card == CHERYL and not parts.way:
        raise UnreadableOrder(f'{named(card)} needs "hide" or "look" after it.')
    if card == KRUEGER and not parts.named:
        raise UnreadableOrder(f"{named(card)} needs a character after it: the secret, as you guess it.")
    return Play(card, parts.name, parts.named, parts.way)


def in_hand(view: View, joint: str = "and") -> str:
    """Name the cards of the hand."""
    return listed([named(card) for card in view.hand], joint)


def _check_anybody(view: View, card: int, name: str) -> None:
    """Check whom Ray or Pam is played at: oneself or another player who is open.

    Rule: A14
    """
    own = view.names[view.player]
    if not name:
        may = listed([*(view.names[seat] for seat in view.open), f"yourself, {own}"], "or")
        raise UnreadableOrder(f"{named(card)} needs a player's name after it: {may}.")
    if name != own:
        _check_open(view, name)


def _check_another(view: View, card: int, name: str) -> None:
    """Check whom Sterling or Cyril is played at: another player who is open, or nobody if there is none.

    Rule: A13
    """
    may = [view.names[seat] for seat in view.open]
    if name == view.names[view.player]:
        raise IllegalOrder(f"{named(card)} is played at another player, not at yourself.")
    if not name and may:
        raise IllegalOrder(f"{named(card)} must be played at a player who is open to it: {listed(may, 'or')}.")
    if name:
        _check_open(view, name)


def _check_open(view: View, name: str) -> None:
    """Check that another player is in the round, and not protected.

    Rule: A13, A15
    """
    seat = view.names.index(name)
    if not view.inside[seat]:
        raise IllegalOrder(f"{name} is out of this round.")
    if view.shielded[seat]:
        raise IllegalOrder(f"{name} is protected ({named(CHERYL)}) until the start of {name}'s next turn.")


def _check_guess(parts: Parts) -> None:
    """Check the character that Sterling guesses: any but Sterling, and one wherever a player is named.

    Rule: A13, A23
    """
    if parts.name and not parts.named:
        raise UnreadableOrder(f"{named(STERLING)} needs a character after the player: the hand, as you guess it.")
    if parts.named == STERLING:
        raise IllegalOrder(f"{named(STERLING)} may guess any character but {named(STERLING)}.")


def orders(view: View, card: int) -> Iterator[Order]:
    """Give every order that a card in hand allows now, its players in turn order, its characters from the strongest.

    Rule: A13, A14, A20, A22, A23
    """
    others = [view.names[seat] for seat in view.open]
    if card in (RAY, PAM):
        return (Play(card, name) for name in (*others, view.names[view.player]))
    if card == CHERYL:
        return (Play(card, way=way) for way in (HIDE, LOOK))
    if card == KRUEGER:
        return (Play(card, named=one) for one in CHARACTERS)
    if card == CYRIL and others:
        return (Play(card, name) for name in others)
    if card == STERLING and others:
        return (Play(card, name, one) for name in others for one in CHARACTERS if one != STERLING)
    return iter((Play(card),))
