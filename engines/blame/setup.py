"""Deal a new game."""

from engines.blame.deck import DECK, EMBLEMS, ordered
from engines.blame.table import Options, State
from pbem.engine import BadOption, Dice


def setup(names: tuple[str, ...], options: Options, dice: Dice) -> State:
    """Deal a new game.

    Rule: B1, B2
    Raises: BadOption
    """
    first = _first_player(names, options, dice)
    seats = range(len(names))
    roles = dice.shuffled(EMBLEMS)
    cards = list(dice.shuffled([code for code, _ in DECK]))
    hands = [[cards.pop() for _ in range(options.hand)] for _ in seats]
    pile = (cards.pop(),)
    chosen = options.roles == "random"
    return State(
        names=names,
        options=options,
        deck=DECK,
        roles=roles[: len(names)] if chosen else ("",) * len(names),
        untaken=tuple(sorted(roles[len(names) :] if chosen else roles, key=EMBLEMS.index)),
        hands=tuple(map(ordered, hands)),
        secrets=((),) * len(names),
        pile=pile,
        draw=tuple(cards),
        first=first,
        turn=1 if chosen else 0,
        player=first,
        asked=tuple(("turn" if chosen else "role") if seat == first else "" for seat in seats),
    )


def _first_player(names: tuple[str, ...], options: Options, dice: Dice) -> int:
    if not options.first:
        return dice.below(len(names))
    for seat, name in enumerate(names):
        if name.casefold() == options.first.casefold():
            return seat
    raise BadOption(f"first={options.first}: nobody at this table has that name; the players are {', '.join(names)}")
