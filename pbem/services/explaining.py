"""Answer a registered player whose message is no move in a game: how to play, which game was meant, who may come in."""

from datetime import datetime

from sqlmodel import Session

from pbem.core.digest import Note
from pbem.core.intake import Judgement, Verdict
from pbem.core.message import Inbound
from pbem.core.quotes import own_words
from pbem.core.reading import read as read_lines
from pbem.core.render import listed
from pbem.services import entrance, envelopes, notices, pages, sittings
from pbem.services.hearing import clean
from pbem.services.house import House
from pbem.services.letters import Reply
from pbem.store import games
from pbem.store.tables import Player


def explain(
    session: Session, house: House, now: datetime, message: Inbound, sender: Player, judgement: Judgement
) -> bool:
    """Tell a registered player how to answer, or ask which game was meant; tell whether help was asked for."""
    open_games = [sittings.name_of(game) for game, _ in games.games_of(session, sender.id or 0)]
    reply = Reply(envelopes.cause_of(message) + envelopes.era(session), via=message.transport)
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
    notices.plain(session, house, sender, reply, f"[{house.config.office.name}] About your message", now)
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
    notices.plain(session, house, sender, reply, about, now)
    return judgement.check == entrance.AT_THE_DOOR


def _asks_help(message: Inbound) -> bool:
    """Tell whether a line asks for help: the one command that needs no game."""
    words = own_words(message.text, message.html, None).text
    lines = read_lines(words, is_order=lambda line: False, vocabulary=(), names=())
    return any(line.command is not None and line.command.word == "help" for line in lines)
