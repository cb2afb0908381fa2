"""Carry out what each card says, a function a card, from the strongest to the weakest.

The card has left the hand before: "the hand" is the card that was kept (A3).
"""

from collections.abc import Callable

from engines.archer.board import Board
from engines.archer.cards import CHERYL, CYRIL, KRUEGER, LANA, MALORY, PAM, RAY, STERLING
from engines.archer.orders import HIDE, Play
from engines.archer.table import NO_SECRET
from pbem.engine import Dice


def malory(board: Board, seat: int, order: Play, dice: Dice) -> None:
    """Take whoever plays it out of the round.

    Rule: A16
    """
    board.out(seat)


def lana(board: Board, seat: int, order: Play, dice: Dice) -> None:
    """Shuffle the hands of all unprotected players and the secret, and deal them again.

    Rule: A15, A17
    """
    seats = [other for other in board.inside() if not board.shielded[other]]
    pool = [board.secret, *(board.hands[other].pop() for other in seats)]
    board.secret, *cards = dice.shuffled(pool)
    board.expire(None, "lana")
    board.note("shuffled", seat=seat, seats=list(seats))
    for other, card in zip(seats, cards, strict=True):
        board.expire(other, "lana")
        board.note_for((other,), "got", seat=other, card=board.give(other, card))


def ray(board: Board, seat: int, order: Play, dice: Dice) -> None:
    """Make a player discard and take the secret; the deck's top card becomes the secret, if there is one.

    Rule: A14, A18
    """
    other = board.seat(order.name)
    _discard(board, other)
    board.expire(None, "ray")
    taken = board.take_secret(other)
    if board.draw:
        board.secret = board.draw.pop()
    board.note("took_secret", seat=other, replaced=board.secret != NO_SECRET, left=len(board.draw))
    board.note_for((other,), "got", seat=other, card=taken)


def pam(board: Board, seat: int, order: Play, dice: Dice) -> None:
    """Make a player discard and draw; from an empty deck the secret is taken.

    Rule: A14, A19
    """
    other = board.seat(order.name)
    _discard(board, other)
    if board.draw:
        taken = board.take_top(other)
        board.note("redrew", seat=other, left=len(board.draw))
    else:
        board.expire(None, "pam")
        taken = board.take_secret(other)
        board.note("took_secret", seat=other, replaced=False, left=0)
    board.note_for((other,), "got", seat=other, card=taken)


def _discard(board: Board, seat: int) -> None:
    """Make a player lay the hand face up, without effect.

    Rule: A16, A18, A19
    """
    (card,) = board.hands[seat]
    board.note("discarded", seat=seat, card=board.lay(seat, card, "discarded"))


def cheryl(board: Board, seat: int, order: Play, dice: Dice) -> None:
    """Protect its player until the own next turn, or show that player the secret.

    Rule: A15, A20
    """
    if order.way == HIDE:
        board.shielded[seat] = True
        board.note("hid", seat=seat)
    else:
        board.note("looked", seat=seat)
        board.note_for((seat,), "saw_secret", seat=seat, card=board.see(seat, None))


def cyril(board: Board, seat: int, order: Play, dice: Dice) -> None:
    """Let two players compare their hands: the lower is out.

    Rule: A13, A21
    """
    if not order.name:
        return board.note("without_effect", seat=seat)
    other = board.seat(order.name)
    theirs, own = board.see(seat, other), board.see(other, seat)
    lower = None if own == theirs else seat if own < theirs else other
    board.note("dueled", seat=seat, other=other, lower=lower)
    board.note_for((seat, other), "duel_cards", seat=seat, other=other, cards=[own, theirs])
    if lower is None:
        for one in (seat, other):  # all know that the two are alike, so neither can be another card by itself
            board.narrow(board.hands[one][0], 1 << own)
        return None
    higher = other if lower == seat else seat
    board.narrow(board.hands[higher][0], -1 << 1 + min(own, theirs))
    return board.out(lower)


def krueger(board: Board, seat: int, order: Play, dice: Dice) -> None:
    """Guess the secret and see it; whoever is right wins the round.

    Rule: A9, A22
    """
    secret = board.secret
    right = board.kit[secret] == order.named
    board.note("guessed_secret", seat=seat, named=order.named, right=right)
    if right:
        board.winners = (seat,)
        return
    board.narrow(secret, ~(1 << order.named))
    board.note_for((seat,), "saw_secret", seat=seat, card=board.see(seat, None))


def sterling(board: Board, seat: int, order: Play, dice: Dice) -> None:
    """Guess a player's card and see it; if the guess is right, that player is out.

    Rule: A13, A23
    """
    if not order.name:
        return board.note("without_effect", seat=seat)
    other = board.seat(order.name)
    card = board.see(seat, other)
    right = card == order.named
    board.note("guessed", seat=seat, other=other, named=order.named, right=right)
    if right:
        return board.out(other)
    board.narrow(board.hands[other][0], ~(1 << order.named))
    return board.note_for((seat,), "saw_hand", seat=seat, other=other, card=card)


EFFECTS: dict[int, Callable[[Board, int, Play, Dice], None]] = {
    MALORY: malory,
    LANA: lana,
    RAY: ray,
    PAM: pam,
    CHERYL: cheryl,
    CYRIL: cyril,
    KRUEGER: krueger,
    STERLING: sterling,
}
