"""Deal a new game."""

from engines.accuse.deck import KINDS, NAMED, TRAPS, of_kind, ordered
from engines.accuse.sight import shown_at_deal
from engines.accuse.table import Options, State
from pbem.engine import BadOption, Dice

FACE_UP = 3


def setup(names: tuple[str, ...], options: Options, dice: Dice) -> State:
    """Deal a new game, and let the first player begin.

    Rule: C3, C4
    Raises: BadOption
    """
    first = _first_player(names, options, dice)
    seats = range(len(names))
    kinds = [list(dice.shuffled(of_kind(kind))) for kind in KINDS]
    culprits = tuple(kind.pop() for kind in kinds)
    hands = [[TRAPS[seat], *(kind.pop() for kind in kinds)] for seat in seats]
    rest = list(dice.shuffled([card for kind in kinds for card in kind]))
    up = ordered(rest.pop() for _ in range(FACE_UP))
    for at, card in enumerate(rest):
        hands[at % len(names)].append(card)
    dealt = tuple(map(ordered, hands))
    return State(
        names=names,
        options=options,
        deck=NAMED,
        dealt=dealt,
        culprits=culprits,
        hands=dealt,
        down=(),
        up=up,
        gone=TRAPS[len(names) :],
        shown=shown_at_deal(dealt, up),
        given=0,
        turn=1,
        player=first,
        asked=tuple(_first_question(options) if seat == first else "" for seat in seats),
    )


def _first_question(options: Options) -> str:
    """Ask for a play, or with `max_turns=1` for an accusation at once.

    Rule: C7, C9
    """
    return "accuse" if options.max_turns == 1 else "play"


def _first_player(names: tuple[str, ...], options: Options, dice: Dice) -> int:
    if not options.first:
        return dice.below(len(names))
    for seat, name in enumerate(names):
        if name.casefold() == options.first.casefold():
            return seat
    raise BadOption(f"first={options.first}: nobody at this table has that name; the players are {', '.join(names)}")
