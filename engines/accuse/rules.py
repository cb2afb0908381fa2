"""Play Accuse! up to the first accusation: a function a rule, in the rulebook's order, over an open Board.

An order that comes here was read against the seat's view, so it is legal; what an order must be stands in `legal`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from engines.accuse.accusing import accuse, bids, guess
from engines.accuse.board import Board
from engines.accuse.deck import FACE, TRAP, fits
from engines.accuse.legal import speaks_against
from engines.accuse.orders import Accuse, Challenge, Flip, Give, Order, Play, Show
from engines.accuse.table import State
from engines.accuse.turns import end_turn
from engines.accuse.view import view
from pbem.engine import Dice, Event


def resolve(state: State, orders: Mapping[int, Order], dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Make a step: carry out an accusation, before anything else, or what the asked seats answered.

    Rule: C16
    """
    board = Board(state, dice)
    for seat, order in orders.items():
        if isinstance(order, Accuse):
            accuse(board, seat, order)
            break
    else:
        STEPS[next(filter(None, state.asked))](board, orders)
    return board.close(), tuple(board.events)


def settled(state: State, orders: Mapping[int, Order]) -> bool:
    """Tell whether the sealed answers settle what comes of them, so that no other is needed.

    Rule: C10, C16
    """
    if any(isinstance(order, Accuse) for order in orders.values()):
        return True
    if "challenge" in state.asked and challenger(state, orders) is not None:
        return True
    return all(seat in orders for seat, kind in enumerate(state.asked) if kind)


def _play(board: Board, orders: Mapping[int, Order]) -> None:
    """Lay a card face down where it is declared, and ask every other player who has a card for a challenge.

    Rule: C7, C10
    """
    seat = board.player
    order = cast(Play, orders[seat])
    laid = board.lay(seat, board.held(seat, order.card), order.declared)
    board.note("laid", seat=seat, number=laid.number, declared=board.place(laid.declared))
    board.note_for((seat,), "laid_card", seat=seat, number=laid.number, card=board.card(laid.card))
    board.asked = ["challenge" if hand and other != seat else "" for other, hand in enumerate(board.hands)]
    if not any(board.asked):
        _unchallenged(board, [])


def _flip(board: Board, orders: Mapping[int, Order]) -> None:
    """Turn a face-down card up; a Trap leaves the game.

    Rule: C8
    """
    if not board.state.accusations:
        (number,) = cast(Flip, orders[board.player]).numbers
        card = board.turn_up(number)
        trap = FACE[card] == TRAP
        board.note("flipped", seat=board.player, number=number, card=board.card(card), gone=trap)
        if trap:
            board.take_away(card)
        end_turn(board)
    else:
        guess(board, cast(Flip, orders[board.player]))


def in_order(state: State) -> Iterator[int]:
    """Give who may challenge, in seat order from the declarer on.

    Rule: C10
    """
    count = len(state.names)
    seats = ((state.player + step) % count for step in range(1, count))
    return (seat for seat in seats if state.asked[seat] == "challenge")


def challenger(state: State, orders: Mapping[int, Order]) -> int | None:
    """Give whose challenge counts; None as long as nobody's does.

    Rule: C10
    """
    for seat in in_order(state):
        if seat in orders and _challenges(state, seat, orders[seat]):
            return seat
        if seat not in orders and state.options.challenge == "seat":
            return None
    return None


def _challenges(state: State, seat: int, order: Order) -> bool:
    """Tell whether an answer is a challenge; `if held` is looked up in what the seat itself may know.

    Secret: so the outcome tells others no more than that the seat challenged, or passed.
    """
    return isinstance(order, Challenge) and (not order.if_held or speaks_against(view(state, seat)))


def _window(board: Board, orders: Mapping[int, Order]) -> None:
    """Let the challenge that counts be carried out, or the play stand.

    Rule: C10, C15
    """
    seat = challenger(board.state, orders)
    if seat is None:
        _unchallenged(board, list(in_order(board.state)))
    else:
        _challenge(board, seat, cast(Challenge, orders[seat]))


def _unchallenged(board: Board, asked: list[int]) -> None:
    """Leave the card face down at its place.

    Rule: C15
    """
    board.note("unchallenged", number=board.given, seats=[*asked])
    end_turn(board)


def _challenge(board: Board, seat: int, order: Challenge) -> None:
    """Turn the challenged card over for all to see.

    Rule: C11, C12, C13
    """
    laid = board.down[-1]
    board.note("challenged", seat=seat, other=laid.seat, number=laid.number)
    card = board.turn_up(laid.number)
    told = {"seat": seat, "other": laid.seat, "number": laid.number, "card": board.card(card)}
    if FACE[card] == TRAP:
        board.note("trap", **told)
        board.take_away(card)
        _lose(board, seat, order.lost, "show")
    elif fits(card, laid.declared):
        board.note("proved", **told)
        _lose(board, seat, order.lost, "give")
    else:
        board.note("bluff", **told, declared=board.place(laid.declared))
        board.up.remove(card)
        board.hands[seat].append(card)
        end_turn(board)


def _lose(board: Board, seat: int, named: str, how: str) -> None:
    """Take the card that was named ahead, or ask for one.

    Rule: C14
    """
    if not named:
        board.asked[seat] = how
        return
    if how == "give":
        board.give(seat, board.player, named)
    else:
        board.show(seat, named)
    end_turn(board)


def _give(board: Board, orders: Mapping[int, Order]) -> None:
    """Give the declarer the card owed.

    Rule: C12
    """
    ((seat, order),) = orders.items()
    board.give(seat, board.player, cast(Give, order).card)
    end_turn(board)


def _show(board: Board, orders: Mapping[int, Order]) -> None:
    """Put the card owed face up on the table.

    Rule: C13
    """
    ((seat, order),) = orders.items()
    board.show(seat, cast(Show, order).card)
    end_turn(board)


STEPS: dict[str, Callable[[Board, Mapping[int, Order]], None]] = {
    "play": _play,
    "flip": _flip,
    "challenge": _window,
    "give": _give,
    "show": _show,
    "bid": bids,
}
