"""Play a turn of Game of Blame: a function a rule, in the rulebook's order, over an open Board.

An order that comes here was read against the seat's view, so it is legal; what an order must be stands in `legal`.
"""

from collections.abc import Callable, Mapping
from typing import cast

from engines.blame.abilities import absolution, baksheesh, burial, espionage, gift, nobility, sorcery
from engines.blame.board import Board, DrawPileEmpty
from engines.blame.deck import TREASON
from engines.blame.deeds import DRAW_FOR_NONE, DRAW_FOR_ONE, deed_of, first_break
from engines.blame.ending import begin_turn, end_game, end_turn
from engines.blame.orders import Bury, Order, Play, Take
from engines.blame.table import State
from pbem.engine import Dice, Event


def resolve(state: State, orders: Mapping[int, Order], dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Make a step: carry out what the asked seats answered.

    Rule: B10
    """
    board = Board(state)
    kind = next(kind for kind in state.asked if kind)
    try:
        STEPS[kind](board, orders)
    except DrawPileEmpty:
        end_game(board, "deck")
    return board.close(), tuple(board.events)


def _role(board: Board, orders: Mapping[int, Order]) -> None:
    """Let a player take a Role; when all have one the first turn begins.

    Rule: B2
    """
    seat = board.player
    emblem = cast(Take, orders[seat]).emblem
    board.untaken.remove(emblem)
    board.roles[seat] = emblem
    board.note("chose", seat=seat, role=emblem)
    board.player = (seat + 1) % len(board.roles)
    if "" in board.roles:
        board.asked[board.player] = "role"
    else:
        begin_turn(board, board.player)


def _turn(board: Board, orders: Mapping[int, Order]) -> None:
    """Play the cards of a turn, then do what their number and the Role held now demand.

    Rule: B6, B7, B9, B23
    """
    order = cast(Play, orders[board.player])
    seat = board.player
    role = board.roles[seat]
    under = board.pile[-1] if board.pile else ""
    for card in order.cards:
        board.hands[seat].remove(card)
        board.pile.append(card)
    board.note("played", seat=seat, role=role, cards=board.cards(order.cards))
    if first_break(under, order.cards):
        _mistake(board, seat, (under, *order.cards))
    else:
        DEEDS[deed_of(role, len(order.cards), board.state.options.abilities)](board, seat, order)


def _mistake(board: Board, seat: int, run: tuple[str, ...]) -> None:
    """Make the player of a wrong card take the Blame.

    Rule: B7 (`mistakes=blame`)
    """
    why = "treason" if run[-1] == TREASON and TREASON in run[1:-1] else "emblem"
    board.note("mistake", seat=seat, card=board.card(run[-1]), under=board.card(run[-2]), why=why)
    _blame(board, seat, counted=False)


def _draw(board: Board, seat: int, order: Play) -> None:
    """Draw three cards for none, one for one.

    Rule: B9
    """
    board.take_from_draw(seat, DRAW_FOR_ONE if order.cards else DRAW_FOR_NONE)
    end_turn(board)


def _swap(board: Board, seat: int, order: Play) -> None:
    """Swap two Role cards; a Viceroy who loses the Role to another's swap may undo it.

    Rule: B11, B12
    """
    viceroy = board.place("V") if "V" in order.swap else None
    board.note("swapped", seat=seat, roles=board.swap_roles(order.swap))
    if viceroy is None or viceroy == seat or board.state.options.abilities == "off":
        end_turn(board)
    else:
        board.swap = order.swap
        board.asked[viceroy] = "nobility"


def _accuse(board: Board, seat: int, order: Play) -> None:
    """Count the Blame pile against the accused, or take it if nobody may be accused.

    Rule: B14, B15, B17
    """
    if not order.name:
        board.note("nobody", seat=seat)
        return _blame(board, seat, counted=False)
    other = board.seat(order.name)
    board.note("accused", seat=seat, other=other)
    own, theirs = board.roles[seat], board.roles[other]
    mine, yours = board.count(own), board.count(theirs)
    blamed = other if yours > mine else seat
    board.note(
        "counted",
        seat=seat,
        other=other,
        emblems=[own, theirs],
        cards=board.cards(reversed(board.pile)),
        counts=[mine, yours],
        blamed=blamed,
    )
    return _blame(board, blamed, counted=True)


def _blame(board: Board, seat: int, *, counted: bool) -> None:
    """Take the whole Blame pile, then ask every other player who has a card for a burial.

    Rule: B17, B18
    """
    taken = board.take_pile(seat)
    board.note("blamed", seat=seat, count=len(taken))
    if not counted:
        board.note_for((seat,), "blamed_cards", seat=seat, cards=board.cards(taken))
    board.blamed = seat
    board.asked = ["bury" if hand and other != seat else "" for other, hand in enumerate(board.hands)]
    if not any(board.asked):
        _new_pile(board)


def _burials(board: Board, orders: Mapping[int, Order]) -> None:
    """Carry out the sealed burials in the order of seats, whichever came in first.

    Rule: B18
    """
    board.blamed = board.state.blamed
    for seat in sorted(orders):
        order = orders[seat]
        if isinstance(order, Bury):
            board.bury(seat, order.card)
        else:
            board.note("declined", seat=seat, what="bury")
    _new_pile(board)


def _new_pile(board: Board) -> None:
    """Start a new Blame pile, and let the next player or the one who took the Blame go on.

    Rule: B18a
    """
    if board.state.options.restart == "top":
        board.turn_up()
    end_turn(board, board.blamed if board.state.options.after_blame == "blamed" else None)


STEPS: dict[str, Callable[[Board, Mapping[int, Order]], None]] = {
    "role": _role,
    "turn": _turn,
    "gift": gift,
    "baksheesh": burial,
    "bury": _burials,
    "nobility": nobility,
}
DEEDS: dict[str, Callable[[Board, int, Play], None]] = {
    "draw": _draw,
    "swap": _swap,
    "accuse": _accuse,
    "absolution": absolution,
    "baksheesh": baksheesh,
    "sorcery": sorcery,
    "espionage": espionage,
}
