"""Say what the rules allow, as far as one seat's view tells, and make an order of what a line says.

Every refusal is a function of the view and the line alone.
Secret: so none tells more than the view does.
"""

from collections.abc import Callable

from engines.accuse.deck import CLUES, KINDS, TRAP, own_place
from engines.accuse.orders import Accuse, Bid, Challenge, Flip, Give, Order, Pass, Play, Show
from engines.accuse.reading import Parts
from engines.accuse.table import View
from pbem.engine import AmbiguousOrder, IllegalOrder

ANSWERS = {
    "play": ("play", "accuse"),
    "flip": ("flip", "accuse"),
    "challenge": ("challenge", "pass", "accuse"),
    "give": ("give", "show", "accuse"),
    "show": ("give", "show", "accuse"),
    "accuse": ("accuse",),
    "bid": ("bid",),
}
"""The verbs that may answer each question; to accuse is none of them once somebody was wrong."""


def check(view: View, parts: Parts) -> Order:
    """Make the order that a line says, if it may be sent now and the rules allow it.

    Raises: IllegalOrder, AmbiguousOrder
    """
    if parts.verb == "accuse":
        return _accuse(view, parts)
    if parts.verb not in ANSWERS.get(view.ask, ()):
        raise IllegalOrder(_not_now(view, parts.verb))
    return CHECKS[parts.verb](view, parts)


def _not_now(view: View, verb: str) -> str:
    if view.ask:
        return f'"{verb}" does not answer what you are asked now.'
    if view.seat is not None and view.hunting:
        return "Nothing is asked of you now; all that you may do is to accuse."
    return "Nothing is asked of you now."


def _accuse(view: View, parts: Parts) -> Accuse:
    """Check an accusation: at any time before the first wrong one, and after that where it is due.

    Rule: C16, C17, C17a, C20
    """
    if not parts.cards and view.ask != "accuse":
        raise IllegalOrder('"accuse nobody" gives up an accusation that is due, and none is due from you.')
    if view.ask == "accuse" or (view.hunting and view.seat is not None):
        return Accuse(parts.cards)
    raise IllegalOrder(_why_not_accuse(view))


def _why_not_accuse(view: View) -> str:
    if view.ending:
        return "The game is over: nobody accuses any more."
    if view.seat in view.out:
        return "You have had your guess and are out."
    if view.ask == "flip":
        return f"Before you accuse you must turn up face-down cards: {view.due} more."
    if view.ask == "bid":
        return "After the first wrong accusation players bid before they guess: nobody accuses now."
    return "It is not your turn to guess."


def _held(view: View, card: str) -> str:
    """Give a card that must be in hand.

    Secret: the words are the same wherever else the card lies.
    """
    if card not in view.hand:
        raise IllegalOrder(f"{card} is not in your hand ({' '.join(view.hand) or 'you hold no card'}).")
    return card


def _play(view: View, parts: Parts) -> Play:
    """Check a play: any card of the hand, declared as anything but a Trap.

    Rule: C2, C7
    """
    card = _held(view, parts.cards[0])
    place = parts.place or own_place(card, view.center)
    if not place:
        what = "the number of a Center card" if view.center else "a Character, a Location or a Weapon"
        raise IllegalOrder(f"A Trap has no place of its own: declare it as {what}.")
    if place == TRAP:
        raise IllegalOrder("A Trap cannot be declared: declare the card as something else.")
    if view.center and place in CLUES:
        raise IllegalOrder(f"In this game a card is declared by its Center card's number alone: {place[1:]}.")
    if not view.center and place not in CLUES:
        readings = [kind + place for kind in KINDS]
        lines = [f"play {card} as {reading}" for reading in readings]
        raise AmbiguousOrder(f"{place} may mean {readings[0]}, {readings[1]} or {readings[2]}.", *lines)
    return Play(card, place)


def _flip(view: View, parts: Parts) -> Flip:
    """Check the cards to turn up.

    Rule: C8, C20
    """
    numbers, able = parts.numbers, view.flippable
    for number in numbers:
        if number not in able:
            raise IllegalOrder(_why_not_flip(view, number))
        if numbers.count(number) > 1:
            raise IllegalOrder(f"#{number} is named twice.")
    if len(numbers) > view.due:
        raise IllegalOrder(f"These are {len(numbers)} cards, and {view.due} must be turned up.")
    return Flip(numbers)


def _why_not_flip(view: View, number: int) -> str:
    if all(laid.number != number for laid in view.down):
        return f"No face-down card has the number {number}."
    if view.hunting:
        return f"#{number} is the last card played, which may not be turned up."
    return f"#{number} lies in front of yourself, and you may not turn up those."


def _challenge(view: View, parts: Parts) -> Challenge:
    """Check a challenge, and the card named ahead.

    Rule: C14
    """
    return Challenge(_held(view, parts.cards[0]) if parts.cards else "", parts.if_held)


def _pass(view: View, parts: Parts) -> Pass:
    return Pass()


def _lose(view: View, parts: Parts) -> Give | Show:
    """Check the card owed; either word will do.

    Rule: C12, C13
    """
    card = _held(view, parts.cards[0])
    return Give(card) if view.ask == "give" else Show(card)


def _bid(view: View, parts: Parts) -> Bid:
    """Check a bid.

    Rule: C19
    """
    (count,) = parts.numbers
    if count > len(view.down):
        raise IllegalOrder(f"There are {len(view.down)} face-down cards, so {count} cannot be bid.")
    return Bid(count)


def speaks_against(view: View) -> bool:
    """Tell whether the seat knows, from its own cards and what lies open, that the open play is not what was declared.

    Rule: C10 (`challenge if held`)
    """
    laid = view.open
    if laid is None:
        return False
    own = {one.card for one in view.down if one.card}
    known = {*view.hand, *view.up, *own}
    declared = [kind + laid.declared for kind in KINDS] if view.center else [laid.declared]
    return known.issuperset(declared)


CHECKS: dict[str, Callable[[View, Parts], Order]] = {
    "play": _play,
    "flip": _flip,
    "challenge": _challenge,
    "pass": _pass,
    "give": _lose,
    "show": _lose,
    "bid": _bid,
}
