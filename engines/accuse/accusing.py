"""Accuse, and after the first wrong accusation bid and guess, in the order of the rules page."""

from collections.abc import Mapping, Sequence
from typing import cast

from engines.accuse.board import Board
from engines.accuse.deck import RANK
from engines.accuse.orders import Accuse, Bid, Flip, Order
from engines.accuse.sight import ALL, bits
from engines.accuse.table import State
from pbem.engine import Result

ENDINGS = ("accused", "guessed", "nobody")
NO_BID = -1


def accuse(board: Board, seat: int, order: Accuse) -> None:
    """Compare what is accused with the culprits.

    Rule: C16, C17, C17a, C21
    """
    if not order.cards:
        board.note("gave_up", seat=seat)
    else:
        board.note("accused", seat=seat, cards=board.cards(order.cards))
        if order.cards == board.state.culprits:
            return _end(board, "guessed" if board.accusations else "accused", (seat,))
        board.note("wrong", seat=seat)
        board.note_for((seat,), "culprits", seat=seat, cards=board.cards(board.state.culprits))
        for card in board.state.culprits:
            board.shown[RANK[card]] |= bits((seat,))
    first = not board.accusations
    board.accusations += ((seat, order.cards),)
    return _open_bidding(board, seat) if first else _next_guess(board)


def _open_bidding(board: Board, accuser: int) -> None:
    """Drop what was going on, lay all hands down, and ask for bids.

    Rule: C17, C18, C19
    """
    _drop(board)
    for seat in range(len(board.hands)):
        _lay_down(board, seat)
    left = _from(accuser, len(board.hands))
    if len(left) == 1:
        board.queue = left
        return _next_guess(board)
    board.turn += 1
    for seat in left:
        board.asked[seat] = "bid"
    return board.note("bidding", turn=board.turn, seats=[*sorted(left)], most=len(board.down))


def _drop(board: Board) -> None:
    """Forget an open window and its sealed answers, or the card owed.

    Rule: C17
    """
    for what in ("challenge", "give", "show"):
        if what in board.state.asked:
            seat = board.player if what == "challenge" else board.state.asked.index(what)
            board.note("dropped", what=what, seat=seat, number=board.given)


def _lay_down(board: Board, seat: int) -> None:
    """Lay a hand face down before its player, in an order drawn at random.

    Rule: C18
    """
    cards = board.dice.shuffled(board.hands[seat])
    laid = [board.lay(seat, card, "") for card in cards]
    if laid:
        board.note("laid_down", seat=seat, numbers=[one.number for one in laid])
        numbered = [[one.number, board.card(one.card)] for one in laid]
        board.note_for((seat,), "laid_down_cards", seat=seat, cards=[*numbered])


def _from(accuser: int, count: int) -> tuple[int, ...]:
    """Give the others in seat order from the first accuser.

    Rule: C19
    """
    return tuple((accuser + step) % count for step in range(1, count))


def bids(board: Board, orders: Mapping[int, Order]) -> None:
    """Show all bids, and let the lowest guess first.

    Rule: C19
    """
    bid = {seat: cast(Bid, order).count for seat, order in orders.items()}
    others = _from(board.accusations[0][0], len(board.hands))
    board.queue = tuple(sorted(others, key=bid.__getitem__))
    board.bids = tuple(bid.get(seat, NO_BID) for seat in range(len(board.hands)))
    board.note("bids", bids=[[seat, bid[seat]] for seat in board.queue])
    _next_guess(board)


def _next_guess(board: Board) -> None:
    """Let the next one guess, once as many cards are turned up as are due.

    Rule: C20, C21
    """
    if not board.queue:
        return _end(board, "nobody", ())
    seat, *rest = board.queue
    board.queue = tuple(rest)
    board.turn += 1
    board.player = seat
    board.due = _due(board, seat)
    board.asked[seat] = "flip" if board.due else "accuse"
    return board.note("guess", turn=board.turn, seat=seat, due=board.due)


def _due(board: Board, seat: int) -> int:
    """Give how many cards the guesser turns up.

    Rule: C20
    """
    if board.queue:
        before = board.bids[board.accusations[-1][0]] if len(board.accusations) > 1 else 0
        due = board.bids[seat] - before
    else:
        due = len(board.down) // 2
    return min(due, sum(not (laid.in_front and laid.seat == seat) for laid in board.down))


def guess(board: Board, order: Flip) -> None:
    """Turn cards up, and ask for the accusation once none is due any more.

    Rule: C20
    """
    for number in order.numbers:
        card = board.turn_up(number)
        board.note("flipped", seat=board.player, number=number, card=board.card(card), gone=False)
    board.due = board.state.due - len(order.numbers)
    board.asked[board.player] = "flip" if board.due else "accuse"


def _end(board: Board, ending: str, winners: Sequence[int]) -> None:
    """End the game, and show the culprits to all.

    Rule: C17, C21
    """
    board.ending = ending
    board.winners = tuple(winners)
    board.queue = ()
    for card in board.state.culprits:
        board.shown[RANK[card]] = ALL
    board.note("ended", ending=ending, winners=[*winners], culprits=board.cards(board.state.culprits))


def knowing(state: State) -> tuple[int, ...]:
    """Give who is out and was shown the culprits.

    Rule: C17, C17a
    """
    return tuple(seat for seat, cards in state.accusations if cards)


def interrupts(state: State) -> tuple[int, ...]:
    """Give who may accuse unasked: everybody, until the first wrong accusation; where it is due it is an answer.

    Rule: C9, C16
    """
    if state.accusations or state.ending:
        return ()
    return tuple(seat for seat, kind in enumerate(state.asked) if kind != "accuse")


def unasked(order: Order) -> bool:
    """Tell whether an order may come at any time, whatever its player is asked.

    Rule: C16
    """
    return isinstance(order, Accuse)


def silent(state: State) -> tuple[int, ...]:
    """Give who may not talk to the table: who knows the culprits, while others still guess.

    Rule: C17
    """
    return () if state.ending else knowing(state)


def result(state: State) -> Result | None:
    """Tell how the game ended, or None while it goes on: a point for the winner.

    Rule: C17, C21
    """
    if not state.ending:
        return None
    return Result(state.ending, state.winners, tuple(int(seat in state.winners) for seat in range(len(state.names))))
