"""Offer orders from one seat's view: prompts with their examples, the default, a random one.

Secret: all of it is a function of the view, so nothing here tells more than the view does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from engines.accuse.deck import CENTERS, CLUES, of_kind, own_place
from engines.accuse.orders import Accuse, Bid, Challenge, Flip, Give, Order, Pass, Play, Show, format
from engines.accuse.table import State, View
from engines.accuse.view import view as view_of
from pbem.engine import Dice, Prompt

MOST_EXAMPLES = 4
OPTIONAL = ("challenge",)
RASH = 20  # of so many random answers one is an accusation
BOLD = 4  # and of so many answers to a play one is a challenge


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
    lines = dict.fromkeys(format(order) for order in EXAMPLES[view.ask](view))
    return tuple(islice(lines, MOST_EXAMPLES))


def instead(view: View, words: Sequence[str]) -> tuple[str, ...]:
    """Give lines that would be accepted now in the place of one that is not.

    Rule: C16
    """
    if words[0] == "accuse" and "nobody" not in words and view.hunting and view.seat is not None:
        return (format(_example_accusation(view)),)
    return examples(view)


def _ask_play(view: View) -> str:
    return "It is your turn: play a card of your hand, declared as what it is or as any other."


def _ask_flip(view: View) -> str:
    if not view.hunting:
        cards = "1 face-down card" if view.due == 1 else f"{view.due} face-down cards"
        return f"Turn up {cards}, in the middle or in front of others; then you must accuse."
    last = any(laid.number == view.given for laid in view.down)
    but = f" but #{view.given}, the last one played" if last else ""
    return f"You have no card to play: turn up any face-down card{but}."


def _ask_challenge(view: View) -> str:
    laid = view.open
    assert laid is not None
    return f"{view.names[laid.seat]} played #{laid.number} as {_named(view, laid.declared)}: challenge it, or pass."


def _named(view: View, declared: str) -> str:
    """Give what was declared with its name."""
    title = view.titles[declared]
    return f"{declared} ({title})" if declared in CLUES else f"one of number {declared} ({title})"


def _ask_give(view: View) -> str:
    name = view.names[view.player]
    return f"The play was true: give {name} one card of your hand."


def _ask_show(view: View) -> str:
    return "It was a Trap: put one card of your hand face up on the table."


def _ask_accuse(view: View) -> str:
    what = "one Character, one Location and one Weapon"
    if not view.hunting:
        return f"Now you must accuse: {what}."
    if view.turn >= view.options.max_turns:
        return f"The game has gone on for long enough, and you must accuse: {what}."
    return f"Nobody holds a card, and none may be turned up, so you must accuse: {what}."


def _ask_bid(view: View) -> str:
    return (
        "Bid how many face-down cards you would turn up before you guess, "
        f"0 to {len(view.down)}. The lowest bid guesses first."
    )


def _example_plays(view: View) -> Iterator[Order]:
    for card in view.hand[:2]:
        if place := own_place(card, view.center):
            yield Play(card, place)
    for card in (view.hand[0], view.hand[-1]):
        yield Play(card, next(place for place in reversed(_places(view)) if place != own_place(card, view.center)))


def _places(view: View) -> tuple[str, ...]:
    """Give all that a card may be declared as.

    Rule: C2, C7
    """
    return CENTERS if view.center else CLUES


def _example_flips(view: View) -> Iterator[Order]:
    able = view.flippable
    if view.due > 1:
        yield Flip(able[: view.due])
    for number in able:
        yield Flip((number,))


def _example_challenges(view: View) -> Iterator[Order]:
    yield Pass()
    yield Challenge()
    yield Challenge(view.hand[0])
    yield Challenge(if_held=True)


def _example_gifts(view: View) -> Iterator[Order]:
    for card in dict.fromkeys(view.hand):
        yield Give(card)


def _example_shows(view: View) -> Iterator[Order]:
    for card in dict.fromkeys(view.hand):
        yield Show(card)


def _example_accusation(view: View) -> Accuse:
    """Accuse somebody who may have been it, as far as this seat was shown."""
    return Accuse(tuple(cards[0] for cards in view.possible))


def _example_accusations(view: View) -> Iterator[Order]:
    yield _example_accusation(view)
    yield Accuse()


def _example_bids(view: View) -> Iterator[Order]:
    most = len(view.down)
    for count in dict.fromkeys((0, most // 4, most // 2, most)):
        yield Bid(count)


def default(view: View, dice: Dice) -> Order:
    """Give the order that stands when time runs out."""
    match view.ask:
        case "play":
            return Play(dice.choice(view.hand), dice.choice(_places(view)))
        case "flip":
            return Flip(dice.shuffled(view.flippable)[: view.due])
        case "give":
            return Give(dice.choice(view.hand))
        case "show":
            return Show(dice.choice(view.hand))
        case "bid":
            return Bid(len(view.down))
        case "accuse":
            return Accuse()
    return Pass()


def sample(view: View, dice: Dice) -> str:
    """Give a random legal order as a line."""
    return format(_random_order(view, dice))


def _random_order(view: View, dice: Dice) -> Order:
    """Answer at random, and now and then accuse instead, which is all that a seat may do that is asked nothing."""
    if view.ask in ("accuse", "") or (view.hunting and view.ask != "challenge" and not dice.below(RASH)):
        return Accuse(tuple(dice.choice(of_kind(kind)) for kind in "CLW"))
    match view.ask:
        case "play":
            return _random_play(view, dice)
        case "flip":
            return Flip(dice.shuffled(view.flippable)[: 1 + dice.below(view.due)])
        case "challenge":
            return _random_challenge(view, dice)
        case "bid":
            return Bid(dice.below(len(view.down) + 1))
    return default(view, dice)


def _random_play(view: View, dice: Dice) -> Play:
    """Play a random card, truly as often as not."""
    card = dice.choice(view.hand)
    own = own_place(card, view.center)
    return Play(card, own if own and dice.below(2) else dice.choice(_places(view)))


def _random_challenge(view: View, dice: Dice) -> Order:
    if dice.below(BOLD):
        return Pass()
    lost = "" if dice.below(2) else dice.choice(view.hand)
    return Challenge(lost, if_held=dice.below(3) == 0)


ASKED: dict[str, Callable[[View], str]] = {
    "play": _ask_play,
    "flip": _ask_flip,
    "challenge": _ask_challenge,
    "give": _ask_give,
    "show": _ask_show,
    "accuse": _ask_accuse,
    "bid": _ask_bid,
}
EXAMPLES: dict[str, Callable[[View], Iterator[Order]]] = {
    "play": _example_plays,
    "flip": _example_flips,
    "challenge": _example_challenges,
    "give": _example_gifts,
    "show": _example_shows,
    "accuse": _example_accusations,
    "bid": _example_bids,
}
