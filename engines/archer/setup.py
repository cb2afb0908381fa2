"""Deal a new game."""

from engines.archer.board import Board
from engines.archer.cards import KIT, NEEDED
from engines.archer.rounds import deal_round
from engines.archer.table import NO_SECRET, Options, State
from pbem.engine import BadOption, Dice


def setup(names: tuple[str, ...], options: Options, dice: Dice) -> State:
    """Deal a new game.

    Rule: A1, A2, A3
    Raises: BadOption
    """
    return deal(names, options, dice, KIT, NEEDED[len(names)])


def deal(names: tuple[str, ...], options: Options, dice: Dice, kit: tuple[int, ...], needed: int) -> State:
    """Deal a game with a kit of its own, the strongest card first, in which so many points win.

    Orders: a kit has a card for the secret, one for each player, and at least one to draw.
    Raises: BadOption
    """
    first = _first_player(names, options, dice)
    nobody: tuple[tuple[()], ...] = ((),) * len(names)
    board = Board(
        State(
            names=names,
            options=options,
            kit=kit,
            needed=needed,
            points=(0,) * len(names),
            round=0,
            turn=0,
            first=first,
            player=first,
            hands=nobody,
            secret=NO_SECRET,
            draw=(),
            laid=nobody,
            shielded=(False,) * len(names),
            seen=nobody,
            shown=(),
            fits=(),
        )
    )
    deal_round(board, first, dice)
    return board.close()


def _first_player(names: tuple[str, ...], options: Options, dice: Dice) -> int:
    if not options.first:
        return dice.below(len(names))
    for seat, name in enumerate(names):
        if name.casefold() == options.first.casefold():
            return seat
    raise BadOption(f"first={options.first}: nobody at this table has that name; the players are {', '.join(names)}")
