"""Make the outbox rows of letters: key, id, token and address, and a guard against the wrong one."""

import base64
import hashlib
from datetime import datetime

from sqlmodel import Session

from pbem.core.message import Inbound
from pbem.core.token import Token, sign, verify
from pbem.errors import EngineFault
from pbem.services.addressing import Reader
from pbem.services.house import House
from pbem.store import facts
from pbem.store.tables import Inbox, Seat


def row_for(
    house: House, reader: Reader, seat: Seat, token: Token, *, kind: str, key: str, subject: str, text: str, html: str,
    now: datetime,
) -> dict[str, object]:  # fmt: skip
    """Make the outbox row of one letter to one seat's reader; the first one opens the seat's thread."""
    assert reader.place is not None
    signed = sign(token, house.key)
    letter_id = f"{signed}.{key}"
    row = letter_row(reader.place.transport, reader.place.place, kind, key, subject, text, html, now) | {
        "letter_id": letter_id,
        "game_id": seat.game_id,
        "seat": seat.number,
        "player_id": reader.player.id,
        "token": signed,
        "thread": seat.thread,
    }
    seat.thread = seat.thread or letter_id
    return row


def letter_row(
    transport: str, place: str, kind: str, key: str, subject: str, text: str, html: str, now: datetime
) -> dict[str, object]:
    """Make an outbox row of a letter outside games."""
    return {
        "key": key, "letter_id": key.lower(), "kind": kind, "game_id": None, "seat": None, "player_id": None,
        "transport": transport, "place": place, "token": "", "thread": "", "subject": subject, "text": text,
        "html": html, "rings": False, "examples": "", "file_name": "", "file": "", "status": "queued", "attempts": 0,
        "error": "", "created_at": now, "next_try_at": now,
    }  # fmt: skip


def guard(house: House, row: dict[str, object], seat: Seat, reader: Reader, shown_to: str) -> None:
    """Compare seat, view, token and recipient once more before a letter is written.

    Raises: EngineFault if they are not one and the same: nothing is sent then.
    """
    token = verify(str(row["token"]), house.key)
    same = (
        token is not None
        and (token.game_id, token.seat) == (seat.game_id, seat.number) == (row["game_id"], row["seat"])
        and reader.player.id == seat.player_id == row["player_id"]
        and reader.place is not None
        and (reader.place.player_id, reader.place.place) == (seat.player_id, row["place"])
        and shown_to == seat.name
    )
    if not same:
        raise EngineFault("a letter was about to go to the wrong seat; nothing was sent")


def era(session: Session) -> str:
    """Give what sets letters apart from those of a database that was restored since."""
    value = facts.find_fact(session, "era") or "0"
    return "" if value == "0" else f"-e{value}"


def cause_of(message: Inbound | Inbox) -> str:
    """Give the key of the one answer to a message, also to one that lies in the inbox."""
    digest = hashlib.sha256(f"{message.transport} {message.external_id}".encode()).digest()[:10]
    return "a-" + base64.b32encode(digest).decode().lower()
