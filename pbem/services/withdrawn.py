"""Deal with a message that was taken away (a redaction): what was not used yet is taken back, what was used stands."""

from sqlmodel import Session

from pbem.core.message import Inbound
from pbem.core.token import Token
from pbem.services import turns
from pbem.services.hearing import Hearing
from pbem.store import games, mail
from pbem.store.tables import Inbox

STANDS = (
    "What it said was used, and stands: taking a message away changes nothing. Only a moderator can take back a move."
)


def seat_of(session: Session, message: Inbound, sender_id: int | None) -> Token | None:
    """Name the seat and the question that the message taken away spoke to, if it did anything at all."""
    row = _row(session, message)
    if row is None or row.player_id != sender_id or row.game_id is None or row.seat is None or not row.readable:
        return None
    game = games.find_game(session, row.game_id)
    prompt = games.open_prompts(session, row.game_id).get(row.seat)
    return Token(row.game_id, row.seat, game.epoch, prompt.number if prompt else 0) if game else None


def withdraw(hearing: Hearing) -> None:
    """Take a sealed answer back, if it is the one that the message gave; else say that it stands."""
    row, prompt = _row(hearing.session, hearing.message), hearing.prompt
    given = prompt is not None and prompt.order is not None and prompt.given_by == "player"
    if given and prompt is not None and row is not None and prompt.order_at == row.received_at:
        was = turns.retract(hearing.sitting, hearing.token.seat)
        hearing.changed = True
        told = f'Your answer "{was}" was taken back; the question is open again.'
        hearing.note("(a message taken away)", told, *hearing.examples())
    else:
        hearing.note("(a message taken away)", STANDS)


def _row(session: Session, message: Inbound) -> Inbox | None:
    return mail.find_message(session, message.transport, message.mark("redacts"))
