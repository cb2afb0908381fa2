"""Deal with one message: who is it, what does it say, do it, answer it."""

import json
import re
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog
from sqlmodel import Session

from pbem.core.intake import Facts, Verdict, judge
from pbem.core.message import Address, Inbound
from pbem.core.quotes import own_words
from pbem.core.token import Token, verify
from pbem.errors import AdminError, Conflict, EngineFault
from pbem.services import (
    commands,
    commons,
    entrance,
    envelopes,
    explaining,
    gathering,
    holding,
    letters,
    receipts,
    returned,
    seated,
    sittings,
    talk,
    withdrawn,
)
from pbem.services.hearing import Hearing
from pbem.services.house import House
from pbem.services.letters import Reply
from pbem.store import games, mail, players
from pbem.store.session import transact
from pbem.store.tables import Player

log = structlog.get_logger()
ANSWERED = (Verdict.GO_ON, Verdict.ASK_BACK, Verdict.EXPLAIN)
SUBJECT_GAME = re.compile(r"\b([a-z][a-z0-9]*)-(\d{1,9})\b", re.I)


def receive(db: sa.Engine, house: House, now: datetime, message: Inbound, again: int | None = None) -> str:
    """Deal with a message for good, and give its fate: whatever the program fails on is set aside.

    Raises: Conflict, AdminError if the database is out of reach: the message is not dealt with then.
    """
    try:
        return transact(db, lambda session: handle(session, house, now, message, again))
    except (Conflict, AdminError):
        raise
    except Exception as error:
        log.error("message set aside", sender=message.sender, exc_info=error)
        fault_in = error.game_id if isinstance(error, EngineFault) else None
        return transact(db, lambda session: holding.set_aside(session, house, now, message, again, fault_in))


def handle(session: Session, house: House, now: datetime, message: Inbound, again: int | None = None) -> str:
    """Deal with one message in one transaction, reading first and writing last; a second delivery changes nothing.

    `again` is the number of a message that was kept and is to be handled anew.
    """
    known = mail.find_message(session, message.transport, message.external_id)
    if known is not None and known.id != again:
        return known.verdict
    facts = gather(session, house, now, message)
    judgement = judge(message, facts)
    readable = False
    if judgement.verdict is Verdict.GO_ON:
        assert facts.token is not None
        readable = _play(session, house, now, message, facts.token, public=facts.public)
    elif judgement.verdict in (Verdict.ASK_BACK, Verdict.EXPLAIN):
        sender = session.get(Player, facts.sender_id)
        assert sender is not None
        readable = explaining.explain(session, house, now, message, sender, judgement)
    elif judgement.verdict is Verdict.BOUNCE:
        returned.bounced(session, house, now, message)
    elif judgement.verdict is Verdict.HOLD:
        holding.hold(session, house, now, message, facts, judgement)
    if again is not None:
        mail.drop_message(session, again)
    verdict = "answered" if judgement.verdict in ANSWERED else judgement.verdict.value
    reasons = [f"{judgement.check}: {judgement.reason}", *message.doubts]
    _record(session, now, message, facts, verdict, reasons, readable)
    return verdict


def gather(session: Session, house: House, now: datetime, message: Inbound) -> Facts:
    """Look up what intake asks of the database."""
    office = house.config.office
    answered = [verify(answer.partition("@")[0].partition(".")[0], house.key) for answer in message.answers]
    addressed = [verify(place.partition("@")[0].partition("+")[2], house.key) for place in message.recipients]
    owner = players.find_owner(session, Address(message.transport, message.sender))
    if taken := message.mark("redacts"):
        answered = [withdrawn.seat_of(session, message, owner.id if owner else None)]
    public, seated_there = commons.seat_in(session, message, owner.id if owner else None)
    if seated_there is not None and not any(answered):
        answered = [seated_there]
    spoken_to = [token for token in answered if token is not None]
    answers = entrance.meant(session, house, message, spoken_to, owner.id if owner else None)
    known = [token for token in (*answers, *addressed) if token is not None]
    seat = games.find_seat(session, known[0].game_id, known[0].seat) if known else None
    since = now - timedelta(hours=1)
    return Facts(
        ours=frozenset({office.address.casefold(), house.config.matrix.user.casefold()} - {""}),
        authserv_id=office.authserv_id,
        sender_id=owner.id if owner and owner.active else None,
        answered=answers,
        addressed=tuple(token for token in addressed if token is not None),
        holder_id=seat.player_id if seat else None,
        subject_games=_subject_games(session, message.subject),
        unreadable=mail.count_unreadable(session, message.sender.strip().casefold(), since),
        vain=bool(taken) and not answers,
        public=public,
    )


def _play(
    session: Session, house: House, now: datetime, message: Inbound, token: Token, *, public: bool = False
) -> bool:
    """Read the player's own words and do what they say; tell whether anything could be read.

    People talk in a public room: what is no command is not answered there.
    """
    game = games.find_game(session, token.game_id)
    assert game is not None
    if game.status == gathering.STATUS:
        return gathering.hear(session, house, now, message, game, token.seat, envelopes.cause_of(message))
    try:
        sitting = sittings.sit(session, house, game)
        reply = Reply(envelopes.cause_of(message), via=message.transport)
        hearing = Hearing(session, house, now, message, token, sitting, reply, public=public)
        readable = _obeyed(hearing)
        if public and not readable:
            return False
        receipts.issue(hearing)
        letters.tell(session, house, sitting, now, replies={token.seat: hearing.reply}, everybody=hearing.all_hear)
        mail.add_letters(session, talk.letters_of(hearing))
        if hearing.misplaced:
            mail.add_letters(session, [commons.removal(message, now, reply.cause + envelopes.era(session))])
        if hearing.changed:
            sittings.rise(session, sitting, now)
        else:
            games.save_seats(session, [sitting.seats[token.seat]])
    except EngineFault as fault:
        fault.game_id = game.id
        raise
    return readable


def _obeyed(hearing: Hearing) -> bool:
    """Do what the player's own words say; tell whether anything could be read."""
    message, session = hearing.message, hearing.session
    if message.mark("redacts"):
        withdrawn.withdraw(hearing)
        return True
    sent = mail.find_letter(session, [answer.partition("@")[0].casefold() for answer in message.answers])
    text = seated.named(session, hearing.sitting, message)
    return commands.obey(hearing, own_words(text, message.html, sent.text if sent else None))


def _record(
    session: Session, now: datetime, message: Inbound, facts: Facts, verdict: str, reasons: list[str], readable: bool
) -> None:
    token = facts.token
    mail.add_message(
        session, message, now, verdict=verdict, reasons=json.dumps(reasons, ensure_ascii=False), readable=readable,
        player_id=facts.sender_id, game_id=token.game_id if token else None, seat=token.seat if token else None,
    )  # fmt: skip


def _subject_games(session: Session, subject: str) -> frozenset[int]:
    """Find the games that a subject names in our own way: `[blame-7]`."""
    found: set[int] = set()
    for engine, number in SUBJECT_GAME.findall(subject)[:5]:
        if games.is_called(session, int(number), engine.lower()):
            found.add(int(number))
    return frozenset(found)
