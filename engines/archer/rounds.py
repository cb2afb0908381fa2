"""Deal a round, go from turn to turn, end a round, and end the game."""

from collections.abc import Sequence

from engines.archer.board import ANY, Board, everybody
from engines.archer.table import NO_SECRET, State
from pbem.engine import Dice, Result

ENDINGS = ("guess", "alone", "deck")
"""How the last round ended: by a right guess of the secret, by one player left, by an empty deck."""


def deal_round(board: Board, first: int, dice: Dice) -> None:
    """Shuffle the whole kit, lay the secret, deal each player one card, and let the first one draw.

    Rule: A3
    """
    seats = range(len(board.points))
    board.round += 1
    board.first = first
    board.draw = list(dice.shuffled(range(len(board.kit))))
    board.secret = board.draw.pop()
    board.hands = [[] for _ in seats]
    board.laid = [[] for _ in seats]
    board.seen = [[] for _ in seats]
    board.shielded = [False for _ in seats]
    board.shown = [0] * len(board.kit)
    board.fits = [ANY] * len(board.kit)
    board.note("round", round=board.round, seat=first)
    for seat in seats:
        board.note_for((seat,), "dealt", seat=seat, card=board.take_top(seat))
    begin_turn(board, first)


def begin_turn(board: Board, seat: int) -> None:
    """Begin a turn: the player's protection ends, and the player draws.

    Rule: A3, A15
    """
    board.turn += 1
    board.player = seat
    board.shielded[seat] = False
    drawn = board.take_top(seat)
    board.note("turn", turn=board.turn, seat=seat, left=len(board.draw))
    board.note_for((seat,), "drew", seat=seat, card=drawn)


def end_turn(board: Board, dice: Dice) -> None:
    """End a turn: the round is over, or the next player still in has the turn.

    Rule: A6, A8, A9
    """
    inside = board.inside()
    if board.winners:
        end_round(board, "guess", board.winners, dice)
    elif len(inside) == 1:
        end_round(board, "alone", inside, dice)
    elif not board.draw:
        end_round(board, "deck", _highest(board, inside), dice)
    else:
        begin_turn(board, next((seat for seat in inside if seat > board.player), inside[0]))


def _highest(board: Board, inside: Sequence[int]) -> list[int]:
    """Give the seats that hold the highest card.

    Rule: A7
    """
    strengths = {seat: board.kit[board.hands[seat][0]] for seat in inside}
    return [seat for seat in inside if strengths[seat] == max(strengths.values())]


def end_round(board: Board, how: str, winners: Sequence[int], dice: Dice) -> None:
    """Score a round and show every hand and the secret; then the next round is dealt, or the game is over.

    Rule: A7, A8, A9, A10, A12
    """
    for seat in winners:
        board.points[seat] += 1
    board.note(
        "round_over",
        round=board.round,
        how=how,
        winners=list(winners),
        hands=[board.kit[hand[0]] if hand else None for hand in board.hands],
        secret=None if board.secret == NO_SECRET else board.kit[board.secret],
        points=list(board.points),
    )
    board.winners = tuple(seat for seat, points in enumerate(board.points) if points >= board.state.needed)
    if board.winners:
        _end_game(board, how)
    else:
        deal_round(board, _next_first(board, winners), dice)


def _next_first(board: Board, winners: Sequence[int]) -> int:
    """Give who starts the next round: of several winners the first in seat order, counted from the last starter.

    Rule: A11
    """
    return min(winners, key=lambda seat: (seat - board.first) % len(board.points))


def _end_game(board: Board, how: str) -> None:
    """End the game, every hand and the secret open.

    Rule: A4, A10, A12
    """
    board.ending = how
    board.seen = [[] for _ in board.hands]
    open_cards = [card for hand in board.hands for card in hand]
    open_cards += [] if board.secret == NO_SECRET else [board.secret]
    for card in open_cards:
        board.shown[card] = everybody(len(board.hands))
    board.note("ended", how=how, winners=list(board.winners), points=list(board.points))


def result(state: State) -> Result | None:
    """Tell how the game ended, or None while it goes on.

    Rule: A10
    """
    return Result(state.ending, state.winners, state.points) if state.ending else None
