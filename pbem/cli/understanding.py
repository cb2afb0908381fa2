"""Tell how the office would understand a mail, without a trace: the same intake and the same reading, no deed."""

from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

import typer
from sqlmodel import Session

from pbem.cli.room import Room, opened
from pbem.core.intake import judge
from pbem.core.message import Inbound
from pbem.core.quotes import own_words
from pbem.core.reading import Line
from pbem.core.token import Token
from pbem.errors import AdminError, EngineFault
from pbem.services import commands, gathering, moderators, office, sittings
from pbem.services.house import POST
from pbem.services.moderators import Ruler
from pbem.store import games, mail, players
from pbem.transports import mime

Understood = dict[str, Any]


def understand(context: typer.Context, raw: bytes, reader: str) -> Understood:
    """Give own words, the reading of each line, sender, seat, verdict and reasons.

    Where there is no house, the words alone can be told.
    Raises: AdminError if the reader holds a seat in the game that it is about.
    """
    message = mime.read(raw, POST, datetime.now(UTC))
    with ExitStack() as stack:
        try:
            room = stack.enter_context(opened(context))
        except AdminError as error:
            return _words_alone(message, str(error))
        return room.read(lambda session: _understand(session, room, message, reader))


def _words_alone(message: Inbound, why: str) -> Understood:
    return {
        "own_words": own_words(message.text, message.html, None).text,
        "lines": [],
        "sender": None,
        "seat": None,
        "verdict": None,
        "reasons": [f"only the words can be told: {why}", *message.doubts],
    }


def _understand(session: Session, room: Room, message: Inbound, reader: str) -> Understood:
    facts = office.gather(session, room.house, room.now, message)
    judgement = judge(message, facts)
    if facts.token is not None:
        _check_apart(session, room, facts.token, reader)
    reasons = [f"{judgement.check}: {judgement.reason}", *message.doubts, *_known(session, message)]
    sent = mail.find_letter(session, [answer.partition("@")[0].casefold() for answer in message.answers])
    words = own_words(message.text, message.html, sent.text if sent else None)
    seat: Understood | None = None
    lines: list[Understood] = []
    if facts.token is not None:
        seat, lines = _at_table(session, room, facts.token, words.text, reasons)
    sender = (
        players.get_players(session, [facts.sender_id]).get(facts.sender_id) if facts.sender_id is not None else None
    )
    return {
        "own_words": words.text,
        "lines": lines,
        "sender": sender.name if sender else None,
        "seat": seat,
        "verdict": judgement.verdict.value,
        "reasons": reasons,
    }


def _check_apart(session: Session, room: Room, token: Token, reader: str) -> None:
    if (game := games.find_game(session, token.game_id)) is not None:
        seats = games.seats_of(session, token.game_id)
        moderators.check_apart(session, room.config, sittings.name_of(game), seats, Ruler(reader))


def _at_table(
    session: Session, room: Room, token: Token, words: str, reasons: list[str]
) -> tuple[Understood | None, list[Understood]]:
    """Name the seat of a token, and read the lines as that seat's."""
    game = games.find_game(session, token.game_id)
    if game is None:
        reasons.append("its token names a game that is not here")
        return None, []
    if game.status == gathering.STATUS:
        reasons.append("its game is not dealt yet: it takes `seed WORDS` and `ready` alone")
        return None, []
    try:
        sitting = sittings.sit(session, room.house, game)
        seat = {"game": sittings.name_of(game), "seat": token.seat, "name": sitting.names[token.seat]}
        return seat, [_line(line) for line in commands.classify(sitting, token.seat, words)]
    except EngineFault as fault:
        reasons.append(f"the game could not read it: {fault}")
        return None, []


def _line(line: Line) -> Understood:
    return {"text": line.text, "kind": line.kind} | ({"mended": line.mended} if line.mended else {})


def _known(session: Session, message: Inbound) -> list[str]:
    row = mail.find_message(session, message.transport, message.external_id)
    return [f"it was dealt with before: {row.verdict} (message {row.id} of the inbox)"] if row else []
