"""Read the user ids that stand in a message as the names of who sits at the table."""

import re

from sqlmodel import Session

from pbem.core.message import Address, Inbound
from pbem.services.sittings import Sitting
from pbem.store import players

USER = re.compile(r"@[^\s:@]+:[A-Za-z0-9.\-\[\]]+(?::\d+)?")


def named(session: Session, sitting: Sitting, message: Inbound) -> str | None:
    """Give a message's text with the name of a player at the table in the place of each user id that is theirs."""
    if message.text is None or "@" not in message.text:
        return message.text
    names: dict[str, str] = {}
    for user in set(USER.findall(message.text)):
        owner = players.find_owner(session, Address(message.transport, user))
        seat = next((seat for seat in sitting.seats if owner is not None and seat.player_id == owner.id), None)
        names[user] = seat.name if seat is not None else user
    return USER.sub(lambda found: names[found[0]], message.text)
