"""End a turn, end a game, and score it."""

from engines.blame.board import Board
from engines.blame.deck import TREASON, emblems, ordered
from engines.blame.table import State
from pbem.engine import Result

ENDINGS = ("deck", "turns")
TREASON_SCORE = 6


def score(role: str, hand: tuple[str, ...] | list[str]) -> int:
    """Score a hand: one for each Issue with the own Emblem, six for each Treason.

    Rule: B24
    """
    return sum(TREASON_SCORE if card == TREASON else role in emblems(card) for card in hand)


def end_game(board: Board, ending: str) -> None:
    """End the game, show every hand and name the winners.

    Rule: B10, B24, B25
    """
    board.asked = [""] * len(board.hands)
    board.spied = board.blamed = None
    board.ending = ending
    board.scores = tuple(map(score, board.roles, board.hands))
    best = min(board.scores)
    board.winners = tuple(seat for seat, points in enumerate(board.scores) if points == best)
    board.note(
        "ended",
        ending=ending,
        roles=list(board.roles),
        hands=[board.cards(ordered(hand)) for hand in board.hands],
        scores=list(board.scores),
        winners=list(board.winners),
    )


def result(state: State) -> Result | None:
    """Tell how the game ended, or None while it goes on.

    Rule: B24
    """
    return Result(state.ending, state.winners, state.scores) if state.ending else None


def end_turn(board: Board, following: int | None = None) -> None:
    """End the turn: the next one begins, or the game is scored.

    Rule: B18a, B25
    """
    board.spied = board.blamed = None
    if board.turn >= board.state.options.max_turns:
        end_game(board, "turns")
    else:
        begin_turn(board, (board.player + 1) % len(board.hands) if following is None else following)


def begin_turn(board: Board, seat: int) -> None:
    """Begin the next turn, and ask its player for it.

    Rule: B2, B18a
    """
    board.turn += 1
    board.player = seat
    board.asked[seat] = "turn"
    board.note("turn", turn=board.turn, seat=seat)
