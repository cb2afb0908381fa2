"""Say what the rules allow, as far as one seat's view tells, and make an order of what a line says.

Every refusal is a function of the view and the line alone.
Secret: so none tells more than the view does.
"""

from collections.abc import Callable, Iterable, Sequence

from engines.blame.deck import EMBLEMS, ROLES, TREASON, emblems
from engines.blame.deeds import EXTRAS, MOST_CARDS, NUMBERS, deed_of, first_break
from engines.blame.orders import Back, Bury, Give, Order, Pass, Play, Take, pair
from engines.blame.reading import Parts
from engines.blame.table import View
from pbem.engine import BadOrder, IllegalOrder, UnreadableOrder

ANSWERS = {
    "turn": frozenset({"draw", "play", "swap", "exchange", "accuse", "spy", "give", "bury"}),
    "gift": frozenset({"give"}),
    "baksheesh": frozenset({"bury"}),
    "bury": frozenset({"bury", "pass"}),
    "nobility": frozenset({"back", "pass"}),
    "role": frozenset({"take"}),
}


def may_accuse(view: View, seat: int) -> bool:
    """Tell whether this seat may accuse that other one.

    Rule: B14
    """
    return not _why_not_accuse(view, seat)


def _why_not_accuse(view: View, seat: int) -> str:
    if seat == view.seat:
        return "you cannot accuse yourself"
    if not view.hand_sizes[seat]:
        return f"{view.names[seat]} has no card in hand"
    if view.options.abilities == "on" and view.roles[seat] == "G" and not view.secret_counts[seat]:
        return f"{view.names[seat]} is the General and has no Secrets"
    return ""


def check(view: View, parts: Parts) -> Order:
    """Make the order that a line says, if it answers what is asked and the rules allow it.

    Raises: UnreadableOrder, IllegalOrder
    """
    kind = view.ask
    if not kind:
        raise IllegalOrder("Nothing is asked of you now.")
    for verb in parts.used:
        if verb not in ANSWERS[kind]:
            raise IllegalOrder(f'"{verb}" does not answer what you are asked now.')
    return CHECKS[kind](view, parts)


def _turn(view: View, parts: Parts) -> Play:
    """Check the order of a turn.

    Rule: B6, B7, B9
    """
    cards = parts.cards
    if "draw" in parts.used and cards:
        raise UnreadableOrder('"draw" means that no card is played, yet the order names cards to play.')
    if "draw" not in parts.used and not cards:
        raise IllegalOrder('A turn starts with the cards to play, or with "draw" for none.')
    if len(cards) > MOST_CARDS:
        raise IllegalOrder(f"A turn has at most {MOST_CARDS} cards; these are {len(cards)}.")
    left = _left(view, cards)
    gift = _hold_ahead(view, left, parts.gift) if parts.gift else ""
    bury = _first_held(view, parts.bury, left) if parts.bury else ""
    if wrong := first_break(view.top, cards):
        if view.options.mistakes == "refuse":
            raise IllegalOrder(_why_break(view.top, cards, wrong))
        return Play(cards[:wrong])
    return _with_deed(view, parts, cards, gift, bury)


def _left(view: View, cards: Iterable[str]) -> list[str]:
    """Give the hand without the cards, each of which must be in it as often as it is named.

    Rule: B7
    """
    left = list(view.hand)
    for card in cards:
        if card not in left:
            raise _not_held(view, card)
        left.remove(card)
    return left


def _not_held(view: View, card: str) -> BadOrder:
    """Say why a card cannot be used, whoever has it.

    Secret: the words are the same wherever the card lies.
    """
    if card in view.hand:
        return IllegalOrder(f"{card} is named more often than you hold it.")
    if card in view.titles:
        return IllegalOrder(f"{card} is not in your hand ({' '.join(view.hand) or 'you hold no card'}).")
    return UnreadableOrder(f"There is no card {card} in this game.")


def _hold_ahead(view: View, left: list[str], card: str) -> str:
    """Check that a card named ahead is in hand and not among those played.

    Rule: B21
    """
    if card in left:
        return card
    if card in view.hand:
        raise IllegalOrder(f"{card} is among the cards you play, so it cannot be given or buried too.")
    raise _not_held(view, card)


def _first_held(view: View, cards: Sequence[str], left: list[str]) -> str:
    """Give the first of the cards that is left in hand."""
    for card in cards:
        if card in left:
            return card
    return _hold_ahead(view, left, cards[0])


def _why_break(top: str, cards: Sequence[str], wrong: int) -> str:
    card = cards[wrong - 1]
    under = cards[wrong - 2] if wrong > 1 else top
    if card == TREASON:
        return "At most one Treason may be played in a turn."
    return f"{card} cannot lie on {under}: they share no Emblem."


def _with_deed(view: View, parts: Parts, cards: tuple[str, ...], gift: str, bury: str) -> Play:
    """Add what the number of cards demands, and refuse what it does not.

    Rule: B9, B11, B13, B14, B16, B19, B20, B23
    """
    deed = deed_of(view.role, len(cards), view.options.abilities)
    for verb in parts.used:
        if verb not in EXTRAS[deed]:
            role = ROLES[view.role].name
            raise IllegalOrder(f'"{verb}" does not belong to {NUMBERS[len(cards)]} played as {role}.')
    match deed:
        case "swap":
            return Play(cards, _swap(cards[-1], parts.swap))
        case "sorcery":
            return Play(cards, verb="exchange", name=_other(view, parts.name, "exchange"))
        case "accuse":
            name = _accused(view, parts.name)
            return Play(cards, verb="accuse" if name else "", name=name)
        case "espionage":
            name = _other(view, parts.name, "spy")
            to = _receiver(view, parts.to, name) if gift else ""
            return Play(cards, verb="spy", name=name, gift=gift, to=to)
        case "absolution" if gift:
            return Play(cards, gift=gift, to=_receiver(view, parts.to, ""))
    return Play(cards, bury=bury)


def _swap(top: str, named: str) -> str:
    """Give the two Emblems to swap: the top card's, the rest as named.

    Rule: B11
    """
    fixed = "" if top == TREASON else emblems(top)
    free = 2 - len(fixed)
    if any(named.count(letter) > 1 for letter in named):
        raise IllegalOrder(f"A swap is of two different Roles, not {' and '.join(named)}.")
    chosen = "".join(letter for letter in named if letter not in fixed)
    if len(named) == free == 1 and not chosen:
        raise IllegalOrder(f"A swap is of two different Roles, and {top} already names {fixed}: name another Emblem.")
    if len(chosen) != free:
        raise IllegalOrder(_what_swap(top, fixed))
    return pair(fixed + chosen)


def _what_swap(top: str, fixed: str) -> str:
    if not fixed:
        return "On top lies a Treason: name the two Emblems to swap."
    if len(fixed) == 1:
        return f"On top lies {top}, so {fixed} is swapped: name one other Emblem."
    return f"On top lies {top}, so {fixed[0]} and {fixed[1]} are swapped, and no other."


def _other(view: View, name: str, verb: str) -> str:
    """Give the player named, who must be another one.

    Rule: B13, B16
    """
    if not name:
        raise IllegalOrder(f'This must say whom: "{verb}" needs the name of another player.')
    if name == view.names[view.seat or 0]:
        raise IllegalOrder(f'"{verb}" needs another player, not yourself.')
    return name


def _accused(view: View, name: str) -> str:
    """Give the accused, or "" if nobody may be accused.

    Rule: B14
    """
    able = [view.names[seat] for seat in view.others if may_accuse(view, seat)]
    if name in able or not (name or able):
        return name
    if not able:
        raise IllegalOrder("Nobody may be accused now: name nobody, and you take the Blame.")
    if not name:
        raise IllegalOrder(f"With 3 cards you must accuse; now you may accuse {' or '.join(able)}.")
    raise IllegalOrder(f"{name} cannot be accused: {_why_not_accuse(view, view.names.index(name))}.")


def _receiver(view: View, name: str, spied: str) -> str:
    """Give the player who gets a gift.

    Rule: B16, B19
    """
    if spied:
        if name not in ("", spied):
            raise IllegalOrder(f"The card must go to {spied}, whose Secrets are taken.")
        return spied
    return _other(view, name, "give")


def _gift(view: View, parts: Parts) -> Give:
    _left(view, (parts.gift,))
    spied = view.names[view.spied] if view.spied is not None else ""
    return Give(parts.gift, _receiver(view, parts.to, spied))


def _burial(view: View, parts: Parts) -> Bury:
    """Check the burial that the Treasurer owes.

    Rule: B20
    """
    return Bury(_first_held(view, parts.bury, list(view.hand)))


def may_bury(view: View, card: str) -> bool:
    """Tell whether the card of the hand may be buried when another took the Blame.

    Rule: B18
    """
    return view.options.bury == "any" or view.role in emblems(card)


def _bury(view: View, parts: Parts) -> Bury | Pass:
    """Check a burial after the Blame was taken.

    Rule: B18
    """
    _only_one(parts)
    if "pass" in parts.used:
        return Pass()
    order = _burial(view, parts)
    if not may_bury(view, order.card):
        raise IllegalOrder(f"{order.card} does not show your own Emblem {view.role}, so it may not be buried.")
    return order


def _nobility(view: View, parts: Parts) -> Back | Pass:
    """Check the answer of a Viceroy who lost the Role.

    Rule: B12
    """
    _only_one(parts)
    return Back() if "back" in parts.used else Pass()


def _only_one(parts: Parts) -> None:
    if len(parts.used) > 1:
        raise UnreadableOrder(f'"{parts.used[0]}" and "{parts.used[1]}" cannot stand in one order.')


def _role(view: View, parts: Parts) -> Take:
    """Check that the Role is left.

    Rule: B2
    """
    if parts.take not in view.untaken:
        left = ", ".join(letter for letter in EMBLEMS if letter in view.untaken)
        raise IllegalOrder(f"The {ROLES[parts.take].name} is taken; left are {left}.")
    return Take(parts.take)


CHECKS: dict[str, Callable[[View, Parts], Order]] = {
    "turn": _turn,
    "gift": _gift,
    "baksheesh": _burial,
    "bury": _bury,
    "nobility": _nobility,
    "role": _role,
}
