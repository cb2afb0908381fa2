"""Offer orders from one seat's view: prompts with their examples, the default, a random one.

Secret: all of it is a function of the view, so nothing here tells more than the view does.
"""

from collections.abc import Callable, Iterator, Mapping

from engines.blame.deck import EMBLEMS, ROLES, TREASON, emblems
from engines.blame.deeds import MOST_CARDS, deed_of, fits
from engines.blame.legal import may_accuse, may_bury
from engines.blame.orders import Back, Bury, Give, Order, Pass, Play, Take, format, pair
from engines.blame.table import State, View
from engines.blame.view import view as view_of
from pbem.engine import Dice, Prompt

MOST_EXAMPLES = 4
OPTIONAL = ("bury", "nobility")


def awaiting(state: State) -> Mapping[int, Prompt]:
    """Give what is asked of each seat; nobody is asked when the game is over."""
    return {seat: prompt(view_of(state, seat)) for seat, kind in enumerate(state.asked) if kind}


def prompt(view: View) -> Prompt:
    """Give what is asked of the view's seat."""
    return Prompt(view.ask, view.ask in OPTIONAL, ASKED[view.ask](view), examples(view))


def examples(view: View) -> tuple[str, ...]:
    """Give up to four lines that would be accepted now; none if nothing is asked."""
    if not view.ask:
        return ()
    lines = []
    for order in EXAMPLES[view.ask](view):
        lines.append(format(order))
        if len(lines) == MOST_EXAMPLES:
            break
    return tuple(lines)


def _ask_role(view: View) -> str:
    left = ", ".join(f"{ROLES[letter].name} ({letter})" for letter in EMBLEMS if letter in view.untaken)
    return f"Take one of the Roles that are left: {left}."


def _ask_turn(view: View) -> str:
    on = f"on {view.top}" if view.top else "on the empty Blame pile"
    return f"It is your turn: draw, or play up to three cards {on}."


def _ask_gift(view: View) -> str:
    to = "another player" if view.spied is None else view.names[view.spied]
    return f"Give one card of your hand to {to}."


def _ask_baksheesh(view: View) -> str:
    return "Bury one card of your hand among your Secrets."


def _ask_bury(view: View) -> str:
    which = "one card of your hand"
    if view.options.bury == "own":
        which = f"one card of your hand that shows your own Emblem {view.role}"
    return f"You may bury {which} among your Secrets, or pass."


def _ask_nobility(view: View) -> str:
    thief = view.names[view.player]
    return f"{thief} swapped your Role of Viceroy: you may draw 3 cards and swap it back, or pass."


def _example_turns(view: View) -> Iterator[Order]:
    yield Play()
    for count in range(1, MOST_CARDS + 1):
        if cards := next(runs(view.top, view.hand, count), ()):
            yield _completed(view, cards)


def _completed(view: View, cards: tuple[str, ...], dice: Dice | None = None) -> Play:
    """Add to legal cards what they demand: by the dice, or the first that is legal."""

    def pick(items: tuple[str, ...]) -> str:
        return dice.choice(items) if dice else items[0]

    others = tuple(view.names[seat] for seat in view.others)
    match deed_of(view.role, len(cards), view.options.abilities):
        case "swap":
            return Play(cards, pick(pairs(cards[-1])))
        case "sorcery":
            return Play(cards, verb="exchange", name=pick(others))
        case "espionage":
            return Play(cards, verb="spy", name=pick(others))
        case "accuse":
            able = tuple(view.names[seat] for seat in view.others if may_accuse(view, seat))
            return Play(cards, verb="accuse", name=pick(able)) if able else Play(cards)
    return Play(cards)


def pairs(top: str) -> tuple[str, ...]:
    """Give the pairs of Emblems that a top card lets a player swap.

    Rule: B11
    """
    shown = emblems(top)
    if len(shown) == 2:
        return (shown,)
    firsts = EMBLEMS if top == TREASON else shown
    return tuple(dict.fromkeys(pair(one + two) for one in firsts for two in EMBLEMS if one != two))


def runs(top: str, hand: tuple[str, ...], count: int, treason: bool = True) -> Iterator[tuple[str, ...]]:
    """Give the legal runs of so many cards on a top card.

    Rule: B6
    """
    if not count:
        yield ()
        return
    for at, card in enumerate(hand):
        if fits(top, card) and (treason or card != TREASON):
            rest = hand[:at] + hand[at + 1 :]
            for run in runs(card, rest, count - 1, treason and card != TREASON):
                yield (card, *run)


def receivers(view: View) -> tuple[str, ...]:
    """Give the players who may get a gift.

    Rule: B16, B19
    """
    seats = view.others if view.spied is None else (view.spied,)
    return tuple(view.names[seat] for seat in seats)


def _example_gifts(view: View) -> Iterator[Order]:
    for card in dict.fromkeys(view.hand):
        for name in receivers(view):
            yield Give(card, name)


def _example_burials(view: View) -> Iterator[Order]:
    return (Bury(card) for card in dict.fromkeys(view.hand))


def _example_secrets(view: View) -> Iterator[Order]:
    yield Pass()
    for card in dict.fromkeys(view.hand):
        if may_bury(view, card):
            yield Bury(card)


def _example_nobility(view: View) -> Iterator[Order]:
    return iter((Back(), Pass()))


def _example_roles(view: View) -> Iterator[Order]:
    return (Take(letter) for letter in EMBLEMS if letter in view.untaken)


def default(view: View, dice: Dice) -> Order:
    """Give the order that stands when time runs out."""
    match view.ask:
        case "turn":
            return Play()
        case "gift":
            return Give(dice.choice(view.hand), receivers(view)[0])
        case "baksheesh":
            issues = [card for card in view.hand if card != TREASON and "T" in emblems(card)]
            return Bury(dice.choice(issues or view.hand))
        case "role":
            return next(_example_roles(view))
    return Pass()


def sample(view: View, dice: Dice) -> str:
    """Give a random legal order as a line."""
    if view.ask == "turn":
        return format(_random_turn(view, dice))
    return format(dice.choice(tuple(EXAMPLES[view.ask](view))))


def _random_turn(view: View, dice: Dice) -> Play:
    """Play as many cards of a random number as fit one after the other; name a gift or burial ahead now and then.

    Rule: B21
    """
    left = list(view.hand)
    cards: list[str] = []
    for _ in range(dice.below(MOST_CARDS + 1)):
        top = cards[-1] if cards else view.top
        fitting = [card for card in left if fits(top, card) and (card != TREASON or TREASON not in cards)]
        if not fitting:
            break
        cards.append(dice.choice(fitting))
        left.remove(cards[-1])
    order = _completed(view, tuple(cards), dice)
    if not left or dice.below(2):
        return order
    match deed_of(view.role, len(cards), view.options.abilities):
        case "baksheesh":
            return Play(bury=dice.choice(left))
        case "absolution":
            return Play(order.cards, gift=dice.choice(left), to=view.names[dice.choice(view.others)])
        case "espionage":
            return Play(order.cards, verb="spy", name=order.name, gift=dice.choice(left), to=order.name)
    return order


ASKED: dict[str, Callable[[View], str]] = {
    "role": _ask_role,
    "turn": _ask_turn,
    "gift": _ask_gift,
    "baksheesh": _ask_baksheesh,
    "bury": _ask_bury,
    "nobility": _ask_nobility,
}
EXAMPLES: dict[str, Callable[[View], Iterator[Order]]] = {
    "role": _example_roles,
    "turn": _example_turns,
    "gift": _example_gifts,
    "baksheesh": _example_burials,
    "bury": _example_secrets,
    "nobility": _example_nobility,
}
