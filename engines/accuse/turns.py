"""Begin turns, in the order of the rules page."""

from engines.accuse.board import Board


def begin_turn(board: Board, seat: int) -> None:
    """Begin a turn, and ask its player for what the hand and the table leave to do.

    Rule: C7, C8, C9
    """
    board.turn += 1
    board.player = seat
    board.note("turn", turn=board.turn, seat=seat)
    if board.turn >= board.state.options.max_turns:
        _corner(board, "turns")
    elif board.hands[seat]:
        board.asked[seat] = "play"
    elif any(laid.number != board.given for laid in board.down):
        board.asked[seat] = "flip"
        board.due = 1
    elif any(board.hands):
        board.note("passed_over", seat=seat)
        end_turn(board)
    else:
        _corner(board, "empty")


def _corner(board: Board, why: str) -> None:
    """Make the player accuse.

    Rule: C9
    """
    board.note("cornered", seat=board.player, why=why)
    board.asked[board.player] = "accuse"


def end_turn(board: Board) -> None:
    """Let the next player have the turn.

    Rule: C15
    """
    begin_turn(board, (board.player + 1) % len(board.hands))
