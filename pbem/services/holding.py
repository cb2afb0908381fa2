"""Keep for the moderators what cannot be acted on: messages that intake holds, and those that the program failed on."""

import json
from collections.abc import Iterator
from datetime import datetime

from sqlmodel import Session

from pbem.core.intake import Facts, Judgement
from pbem.core.message import Address, Inbound
from pbem.services import desk, envelopes, moderators, notices, sittings
from pbem.services.hearing import clean
from pbem.services.house import House
from pbem.services.letters import Reply
from pbem.store import games, mail
from pbem.store.tables import Player

ADVICE = {
    "forged": "If you sent it, send it through the mail server of your own address.",
    "beyond the limits": "If you sent it, write a short mail of plain text.",
    "loop": "If you sent it, write again in an hour; a line that says help is always understood.",
}
"""What to do about a message that was held, by the check that held it; else the address is what is wrong."""


def hold(session: Session, house: House, now: datetime, message: Inbound, facts: Facts, judgement: Judgement) -> None:
    """Keep a message for the moderators; who is told of it is told once a day, however many there are.

    The player whose name or token it bears is told, and the moderators where it bears a token or one of their names.
    """
    about = _named(session, facts)
    day = f"{now:%Y%m%d}"
    if about is not None:
        reply = Reply(f"h-{about.id}-{day}{envelopes.era(session)}")
        advice = ADVICE.get(judgement.check, "If you sent it, write from an address that is registered for you.")
        sign = "your seat's sign" if facts.token else "your name"
        reply.opening = (
            f"A message that bears {sign} came from {_whence(message, facts, about)} "
            f"and was held, not acted on: {judgement.reason}. {advice}"
        )
        notices.plain(session, house, about, reply, f"[{house.config.office.name}] A message was held", now)
    for claim, key in _claims(session, house, message, facts):
        told = f"A message that claims to come from {claim} was held; see `pbem admin inbox`."
        notices.alarm(session, house, f"held-{key}-{day}", told, now)


def set_aside(
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
    notices.alarm(session, house, f"aside-{now:%Y%m%d%H}", told, now)
    if game_id is not None:
        desk.fault(session, house, now, game_id)
    return "aside"


def _named(session: Session, facts: Facts) -> Player | None:
    """Find the player whose name or token a message bears."""
    player_id = facts.holder_id if facts.token else facts.sender_id
    return session.get(Player, player_id) if player_id is not None else None


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
        yield f"{seat.name} in {sittings.name_of(game)}", f"{token.game_id}-{token.seat}"
    for name in moderators.owners(house.config, Address(message.transport, message.sender)):
        yield f"moderator {name}", name
