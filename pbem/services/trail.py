"""Follow a receipt for a moderator: the message that it belongs to, what became of it, and the letter that answered."""

import json
import re
from datetime import datetime

from sqlmodel import Session

from pbem.core import receipts
from pbem.core.clock import show_instant
from pbem.core.receipts import CODE, ORDER
from pbem.errors import AdminError
from pbem.services import desk, envelopes, gathering, moderators, peeking, sittings
from pbem.services.house import House
from pbem.services.moderators import Ruler
from pbem.services.proofs import ENDED
from pbem.store import games, mail
from pbem.store import receipts as store
from pbem.store.tables import Game, Inbox, Outbox, Player, Receipt

Told = list[tuple[str, str]]
"""What is told, each with its label."""
HIDDEN = 'hidden; --reason "..." opens it, and that stands in the log'


def follow(
    session: Session, house: House, now: datetime, game: Game, code: str, reason: str | None, by: Ruler
) -> Told:  # fmt: skip
    """Give all that a receipt leads to; what its message did is opened by a reason that stands in the log at once.

    Once the game is over, that is open to all.
    Secret: to be shown to the moderator only after the transaction.
    Raises: AdminError for a code that names no receipt, or several, or to somebody who plays there.
    """
    seats = games.seats_of(session, game.id or 0)
    moderators.check_apart(session, house.config, sittings.name_of(game), seats, by)
    row = _find(session, game, code)
    if reason is not None:
        _open(session, house, now, game, row, reason, by)
    zone, body = house.config.office.zone, json.loads(row.body)
    received = show_instant(datetime.fromisoformat(body["received"]), zone)
    return [
        ("receipt", f"message number {row.number} of {seats[row.seat].name} in {sittings.name_of(game)}"),
        ("hash", row.hash),
        ("received", f"{received}; the log had {body['entries']} entries then"),
        ("answers", _answers(session, row) or "no question that is closed by now"),
        ("did", _did(row) if reason is not None or game.status in ENDED else HIDDEN),
        *_message(session, row),
        *(("answer", _letter(letter, zone)) for letter in mail.letters_caused(session, row.game_id, row.cause)),
    ]


def _find(session: Session, game: Game, code: str) -> Receipt:
    """Find the receipt whose hash begins so, however the digits are spaced.

    Raises: AdminError.
    """
    digits, name = "".join(code.split()).lower(), sittings.name_of(game)
    if not re.fullmatch(rf"[0-9a-f]{{{CODE},64}}", digits):
        raise AdminError(f"{code!r} is no code: write the first {CODE} digits of a receipt (0-9, a-f), or more of them")
    found = [row for row in store.receipts_of(session, game.id or 0) if row.hash.startswith(digits)]
    if not found:
        raise AdminError(f"no receipt of {name} begins with {digits}; the code stands at the foot of the answer")
    if len(found) > 1:
        raise AdminError(f"{len(found)} receipts of {name} begin with {digits}; write more of the digits")
    return found[0]


def _open(session: Session, house: House, now: datetime, game: Game, row: Receipt, reason: str, by: Ruler) -> None:
    """Enter in the log that a receipt was opened.

    Raises: AdminError without a reason, or where there is no log yet.
    """
    if game.status == gathering.STATUS:
        raise AdminError(f"{sittings.name_of(game)} is not dealt yet: there is no log in which a look could stand")
    facts = {"seat": row.seat, "number": row.number, **desk.reasoned(reason)}
    peeking.enter(session, house, now, desk.take(session, house, game, by), "receipt", facts, by)


def _answers(session: Session, row: Receipt) -> str:
    """Name the questions that its orders answered: those that are closed, for who has answered already is secret."""
    asked = {deed.prompt: deed.kind for deed in receipts.load(row.deeds) if deed.did == ORDER and deed.prompt}
    prompts = {number: games.find_prompt(session, row.game_id, number) for number in asked}
    return ", ".join(
        f"question {number} ({asked[number]})" for number, prompt in prompts.items() if prompt and prompt.closed_at
    )


def _did(row: Receipt) -> str:
    """Say what the commitment holds.

    Secret: for the seat alone, until the game is over.
    """
    return receipts.told(receipts.load(row.deeds))


def _message(session: Session, row: Receipt) -> Told:
    """Tell which message of the inbox it is of, whose it was taken to be, and what became of it and why."""
    came = mail.messages_of(session, row.game_id, row.seat)
    message = next((one for one in came if envelopes.cause_of(one) == row.cause), None)
    if message is None:
        return [("message", "not kept any more")]
    told = f"number {message.id} of the inbox, from {_writer(session, message)} by {message.transport}"
    return [
        ("message", f"{told}: {message.verdict}"),
        *(("because", reason) for reason in mail.reasons_of(message)),
    ]


def _writer(session: Session, message: Inbox) -> str:
    player = session.get(Player, message.player_id) if message.player_id is not None else None
    return player.name if player else "nobody known"


def _letter(row: Outbox, zone: str) -> str:
    """Tell when a letter was written, and whether and when it went out and came back."""
    told = f"letter {row.id} by {row.transport}, written {show_instant(row.created_at, zone)}"
    told += f", sent {show_instant(row.sent_at, zone)}" if row.sent_at else f", {row.status}"
    return told + (f", came back {show_instant(row.bounced_at, zone)}" if row.bounced_at else "")
