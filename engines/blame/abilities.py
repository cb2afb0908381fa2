"""Carry out what the abilities of the Roles demand, in the order of the rules page."""

from collections.abc import Mapping
from typing import cast

from engines.blame.board import Board
from engines.blame.deck import ordered
from engines.blame.deeds import DRAW_FOR_BACK, DRAW_FOR_NONE, DRAW_FOR_ONE
from engines.blame.ending import end_turn
from engines.blame.orders import Back, Bury, Give, Order, Play


def nobility(board: Board, orders: Mapping[int, Order]) -> None:
    """Let the robbed Viceroy draw three cards and undo the swap, or not.

    Rule: B12
    """
    ((seat, order),) = orders.items()
    if isinstance(order, Back):
        board.take_from_draw(seat, DRAW_FOR_BACK)
        board.note("swapped_back", seat=seat, roles=board.swap_roles(board.state.swap))
    else:
        board.note("declined", seat=seat, what="nobility")
    end_turn(board)


def sorcery(board: Board, seat: int, order: Play) -> None:
    """Exchange the Wizard's whole hand with another player's.

    Rule: B13
    """
    other = board.seat(order.name)
    hands = board.hands
    gave, got = hands[seat], hands[other]
    hands[seat], hands[other] = got, gave
    board.note("exchanged", seat=seat, other=other, gave=len(gave), got=len(got))
    cards = {"gave": board.cards(ordered(gave)), "got": board.cards(ordered(got))}
    if gave or got:
        board.note_for((seat, other), "exchanged_cards", seat=seat, other=other, **cards)
    end_turn(board)


def espionage(board: Board, seat: int, order: Play) -> None:
    """Take another player's Secrets into hand, then give that player a card.

    Rule: B16, B21
    """
    other = board.seat(order.name)
    taken = board.secrets[other]
    board.secrets[other] = []
    board.hands[seat] += taken
    board.note("spied", seat=seat, other=other, count=len(taken))
    if taken:
        board.note_for((seat, other), "spied_cards", seat=seat, other=other, cards=board.cards(taken))
    board.spied = other
    if board.hands[seat]:
        _gift_ahead(board, seat, order)
    else:
        end_turn(board)


def absolution(board: Board, seat: int, order: Play) -> None:
    """Draw one card, then give one away.

    Rule: B19, B21
    """
    board.take_from_draw(seat, DRAW_FOR_ONE)
    _gift_ahead(board, seat, order)


def _gift_ahead(board: Board, seat: int, order: Play) -> None:
    """Give at once what was named ahead; else ask for the gift.

    Rule: B21
    """
    if order.gift:
        board.give(seat, board.seat(order.to), order.gift)
        end_turn(board)
    else:
        board.asked[seat] = "gift"


def gift(board: Board, orders: Mapping[int, Order]) -> None:
    """Give the card that was asked for.

    Rule: B16, B19, B22
    """
    order = cast(Give, orders[board.player])
    board.give(board.player, board.seat(order.to), order.card)
    end_turn(board)


def baksheesh(board: Board, seat: int, order: Play) -> None:
    """Draw three cards, then bury one.

    Rule: B20, B21
    """
    board.take_from_draw(seat, DRAW_FOR_NONE)
    if order.bury:
        board.bury(seat, order.bury)
        end_turn(board)
    else:
        board.asked[seat] = "baksheesh"


def burial(board: Board, orders: Mapping[int, Order]) -> None:
    """Bury the card that was asked for.

    Rule: B20
    """
    board.bury(board.player, cast(Bury, orders[board.player]).card)
    end_turn(board)
