"""Deal with one message: who is it, what does it say, do it, answer it."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog
from sqlmodel import Session

from pbem.core.digest import Note
from pbem.core.intake import Facts, Judgement, Verdict, judge
from pbem.core.message import Address, Inbound
from pbem.core.quotes import own_words
from pbem.core.reading import read as read_lines
from pbem.core.render import listed
from pbem.core.token import Token, verify
from pbem.errors import AdminError, Conflict, EngineFault
from pbem.services import (
    commands,
    commons,
    desk,
    entrance,
    gathering,
    letters,
    pages,
    receipts,
    returned,
    seated,
    talk,
    turns,
    withdrawn,
)
from pbem.services.hearing import Hearing, clean
from pbem.services.house import House
from pbem.services.letters import Reply
from pbem.store import games, mail, players
from pbem.store.session import transact
from pbem.store.tables import Player

log = structlog.get_logger()
ANSWERED = (Verdict.GO_ON, Verdict.ASK_BACK, Verdict.EXPLAIN)
ADVICE = {
    "forged": "If you sent it, send it through the mail server of your own address.",
    "beyond the limits": "If you sent it, write a short mail of plain text.",
    "loop": "If you sent it, write again in an hour; a line that says help is always understood.",
}
"""What to do about a message that was held, by the check that held it; else the address is what is wrong."""
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
        return transact(db, lambda session: _set_aside(session, house, now, message, again, fault_in))


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
        sender = _player(session, facts.sender_id)
        assert sender is not None
        readable = _explain(session, house, now, message, sender, judgement)
    elif judgement.verdict is Verdict.BOUNCE:
        _bounce(session, house, now, message)
    elif judgement.verdict is Verdict.HOLD:
        _hold(session, house, now, message, facts, judgement)
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


def cause_of(message: Inbound) -> str:
    """Give the key of the one answer to a message."""
    digest = hashlib.sha256(f"{message.transport} {message.external_id}".encode()).digest()[:10]
    return "a-" + base64.b32encode(digest).decode().lower()


def _play(
    session: Session, house: House, now: datetime, message: Inbound, token: Token, *, public: bool = False
) -> bool:
    """Read the player's own words and do what they say; tell whether anything could be read.

    People talk in a public room: what is no command is not answered there.
    """
    game = games.find_game(session, token.game_id)
    assert game is not None
    if game.status == gathering.STATUS:
        return gathering.hear(session, house, now, message, game, token.seat, cause_of(message))
    try:
        sitting = turns.sit(session, house, game)
        reply = Reply(cause_of(message), via=message.transport)
        hearing = Hearing(session, house, now, message, token, sitting, reply, public=public)
        readable = _obeyed(hearing)
        if public and not readable:
            return False
        receipts.issue(hearing)
        letters.tell(session, house, sitting, now, replies={token.seat: hearing.reply}, everybody=hearing.all_hear)
        mail.add_letters(session, talk.letters_of(hearing))
        if hearing.misplaced:
            mail.add_letters(session, [commons.removal(message, now, reply.cause + letters.era(session))])
        if hearing.changed:
            turns.rise(session, sitting, now)
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


def _explain(
    session: Session, house: House, now: datetime, message: Inbound, sender: Player, judgement: Judgement
) -> bool:
    """Tell a registered player how to answer, or ask which game was meant; tell whether help was asked for."""
    open_games = [turns.name_of(game) for game, _ in games.games_of(session, sender.id or 0)]
    reply = Reply(cause_of(message) + letters.era(session), via=message.transport)
    if judgement.check in (entrance.AT_THE_DOOR, entrance.EXPOSED):
        return _receive_at_the_door(session, house, now, message, sender, judgement, reply)
    if judgement.verdict is Verdict.ASK_BACK:
        reply.opening = (
            f"Your message was not acted on, since it is not clear which game you mean: {judgement.reason}. "
            "Please reply to the newest letter of the game you mean, and leave its subject as it is."
        )
    else:
        reply.opening = (
            "Your message was not acted on, since it answers no letter of a game. To play, reply to the newest letter "
            "of your game: the reply carries the sign by which your seat is known."
        )
    playing = f"You are playing in {listed(open_games)}." if open_games else "You are in no game that goes on."
    reply.notes.append(Note(clean(message.subject)[:60] or "(no subject)", playing))
    asks_help = _asks_help(message)
    if asks_help:
        reply.sections.append(pages.help_page(house.renderer, None))
    letters.plain(session, house, sender, reply, f"[{house.config.office.name}] About your message", now)
    return asks_help


def _receive_at_the_door(
    session: Session, house: House, now: datetime, message: Inbound, sender: Player, judgement: Judgement, reply: Reply
) -> bool:
    """Greet who comes in, or say that a room is not private."""
    name = house.config.office.name
    if judgement.check == entrance.AT_THE_DOOR:
        entrance.confirm(session, message, now)
        reply.opening, about = entrance.WELCOME, f"[{name}] Welcome"
    else:
        reply.opening, about = (
            f"{entrance.SHUT} The reason: {message.mark('exposed')}.",
            f"[{name}] About your message",
        )
    letters.plain(session, house, sender, reply, about, now)
    return judgement.check == entrance.AT_THE_DOOR


def _asks_help(message: Inbound) -> bool:
    """Tell whether a line asks for help: the one command that needs no game."""
    words = own_words(message.text, message.html, None).text
    lines = read_lines(words, is_order=lambda line: False, vocabulary=(), names=())
    return any(line.command is not None and line.command.word == "help" for line in lines)


def _hold(session: Session, house: House, now: datetime, message: Inbound, facts: Facts, judgement: Judgement) -> None:
    """Keep a message for the moderators; who is told of it is told once a day, however many there are.

    The player whose name or token it bears is told, and the moderators where it bears a token or one of their names.
    """
    about = _player(session, facts.holder_id if facts.token else facts.sender_id)
    day = f"{now:%Y%m%d}"
    if about is not None:
        reply = Reply(f"h-{about.id}-{day}{letters.era(session)}")
        advice = ADVICE.get(judgement.check, "If you sent it, write from an address that is registered for you.")
        sign = "your seat's sign" if facts.token else "your name"
        reply.opening = (
            f"A message that bears {sign} came from {_whence(message, facts, about)} "
            f"and was held, not acted on: {judgement.reason}. {advice}"
        )
        letters.plain(session, house, about, reply, f"[{house.config.office.name}] A message was held", now)
    for claim, key in _claims(session, house, message, facts):
        told = f"A message that claims to come from {claim} was held; see `pbem admin inbox`."
        letters.alarm(session, house, f"held-{key}-{day}", told, now)


def _whence(message: Inbound, facts: Facts, about: Player) -> str:
    """Name where a message came from; players are not told each other's addresses."""
    if facts.sender_id is None:
        return clean(message.sender)[:60] or "nobody"
    return "your own address" if facts.sender_id == about.id else "another player's address"


def _claims(session: Session, house: House, message: Inbound, facts: Facts) -> Iterator[tuple[str, str]]:
    """Give what a held message claims that the moderators should hear of, each with its key."""
    token = facts.token
    game = games.find_game(session, token.game_id) if token else None
    if token is not None and game is not None:
        seat = games.seats_of(session, token.game_id)[token.seat]
        yield f"{seat.name} in {turns.name_of(game)}", f"{token.game_id}-{token.seat}"
    for name, place in house.config.moderators.items():
        if place.casefold() == message.sender.strip().casefold():
            yield f"moderator {name}", name


def _bounce(session: Session, house: House, now: datetime, message: Inbound) -> None:
    """Record at the letter which it names that it did not arrive, once, and see to it."""
    row = mail.find_letter(session, [letter.partition("@")[0].casefold() for letter in message.bounced])
    if row is not None and row.id is not None and row.status != "bounced":
        mail.mark_letter(session, row.id, status="bounced", bounced_at=now, error="the post brought it back")
        returned.lost(session, house, row, now, "came back")


def _set_aside(
    session: Session, house: House, now: datetime, message: Inbound, again: int | None, game_id: int | None
) -> str:
    """Keep a message that the program failed on; it can be retried."""
    if again is not None:
        mail.drop_message(session, again)
    inbox_id = mail.add_message(
        session, message, now, verdict="aside", reasons=json.dumps(["the program failed on it; it can be retried"])
    )
    told = (
        f"Message {inbox_id} was set aside, since the program failed on it; `pbem admin inbox` lists it and any others."
    )
    letters.alarm(session, house, f"aside-{now:%Y%m%d%H}", told, now)
    if game_id is not None:
        desk.fault(session, house, now, game_id)
    return "aside"


def _record(
    session: Session, now: datetime, message: Inbound, facts: Facts, verdict: str, reasons: list[str], readable: bool
) -> None:
    token = facts.token
    mail.add_message(
        session, message, now, verdict=verdict, reasons=json.dumps(reasons, ensure_ascii=False), readable=readable,
        player_id=facts.sender_id, game_id=token.game_id if token else None, seat=token.seat if token else None,
    )  # fmt: skip


def _player(session: Session, player_id: int | None) -> Player | None:
    return session.get(Player, player_id) if player_id is not None else None


def _subject_games(session: Session, subject: str) -> frozenset[int]:
    """Find the games that a subject names in our own way: `[blame-7]`."""
    found: set[int] = set()
    for engine, number in SUBJECT_GAME.findall(subject)[:5]:
        if games.is_called(session, int(number), engine.lower()):
            found.add(int(number))
    return frozenset(found)
