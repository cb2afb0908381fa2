"""Deal with what comes by rooms and not by letters: who stands at the door, which game typed words are meant for."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session

from pbem.core.message import Address, Inbound
from pbem.core.token import Token, verify
from pbem.services.house import House
from pbem.store import games, mail, players

AT_THE_DOOR = "at the door"
EXPOSED = "exposed"
WELCOME = (
    "Welcome. This room is for you and the office alone, and your letters come here: each says what is asked of you, "
    "and you answer by typing one line. Whoever else comes in ends that: nothing secret is told here then."
)
SHUT = (
    "Your message was not acted on, since the room that it was written in is not private. "
    "Please write in the room to which the office invited you, or answer by mail."
)


def confirm(session: Session, message: Inbound, now: datetime) -> None:
    """Note that an address is its player's, since its owner came to us, and let the letters go that wait for that."""
    address = Address(message.transport, message.sender)
    players.confirm_place(session, address, now)
    mail.hurry_to(session, address, now)


def meant(
    session: Session, house: House, message: Inbound, answered: Sequence[Token], sender_id: int | None
) -> tuple[Token, ...]:
    """Choose among the newest letters of each game, by whichever post, those that typed words may answer.

    A game named in front is meant; else one in which the sender holds the seat still comes before one that the sender
    has left, and one that goes on before one that is over.
    """
    if not message.mark("typed") or sender_id is None:
        return tuple(answered)
    others = mail.newest_tokens(session, sender_id, message.transport, message.received_at)
    newest: dict[int, Token] = {}
    for token in (*answered, *filter(None, (verify(word, house.key) for word in others))):
        known = newest.setdefault(token.game_id, token)
        newest[token.game_id] = max(known, token, key=lambda one: (one.epoch, one.prompt))
    found = [(token, game) for token in newest.values() if (game := games.find_game(session, token.game_id))]
    named = [token for token, game in found if f"{game.engine}-{game.id}" == message.subject]
    own = [(token, game) for token, game in found if _holds(session, sender_id, token)] or found
    going_on = [token for token, game in own if game.status in ("open", "paused")]
    return tuple(named[:1] or going_on or [token for token, _ in own[:1]])


def _holds(session: Session, player_id: int, token: Token) -> bool:
    """Tell whether a player holds the seat of a token: it may have been handed over since."""
    seat = games.find_seat(session, token.game_id, token.seat)
    return seat is not None and seat.player_id == player_id
