"""Play a turn of Archer: one of the two cards is laid, its effect is carried out, and the turn ends.

An order that comes here was read against the seat's view, so it is legal; what an order must be stands in `legal`.
"""

from collections.abc import Mapping

from engines.archer.board import Board
from engines.archer.effects import EFFECTS
from engines.archer.orders import Order
from engines.archer.rounds import end_turn
from engines.archer.table import State
from pbem.engine import Dice, Event


def resolve(state: State, orders: Mapping[int, Order], dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Make a step: the player whose turn it is plays a card, which has left the hand before its effect.

    Rule: A3, A6
    """
    board = Board(state)
    seat = board.player
    order = orders[seat]
    board.lay(seat, next(card for card in board.hands[seat] if board.kit[card] == order.card), "laid")
    other = board.seat(order.name) if order.name else None
    board.note("played", seat=seat, card=order.card, other=other)
    EFFECTS[order.card](board, seat, order, dice)
    end_turn(board, dice)
    return board.close(), tuple(board.events)
