"""Write the letters that belong to no game: alarms to the moderators, answers and invitations to a player."""

from datetime import datetime
from textwrap import shorten

from sqlmodel import Session

from pbem.core.digest import Page, compose
from pbem.core.message import Address
from pbem.services import envelopes, moderators
from pbem.services.addressing import chosen
from pbem.services.house import MATRIX, House
from pbem.services.letters import Reply
from pbem.store import mail, players
from pbem.store.tables import Player

SUBJECT = 60  # characters of an alarm that its subject shows


def alarm(session: Session, house: House, key: str, told: str, now: datetime) -> None:
    """Tell every moderator in one line, once per key; never a secret."""
    for name, whose, to in moderators.alarmed(house.config):
        letter_key = f"m-{key}-{whose}{envelopes.era(session)}"
        if not mail.has_letter(session, letter_key):
            page = Page(name="", title=house.config.office.name, to=name, turn=0, opening=told, answered=False)
            text, html = compose(house.renderer, page, None)
            row = envelopes.letter_row(
                to.transport,
                to.place,
                "alarm",
                letter_key,
                f"[{house.config.office.name}] {shorten(told, SUBJECT, placeholder=' ...')}",
                text,
                html,
                now,
            )
            mail.add_letters(session, [row])


def plain(session: Session, house: House, player: Player, reply: Reply, subject: str, now: datetime) -> None:
    """Queue an answer to a registered player that belongs to no game."""
    places = players.places_of(session, [player.id or 0]).get(player.id or 0, [])
    place, _ = chosen(player, places, reply.via)
    if place is not None and not mail.has_letter(session, reply.cause):
        page = Page(
            name="", title=house.config.office.name, to=player.name, turn=0, opening=reply.opening,
            notes=tuple(reply.notes), sections=tuple(reply.sections),
        )  # fmt: skip
        text, html = compose(house.renderer, page, None)
        row = envelopes.letter_row(place.transport, place.place, "answer", reply.cause, subject, text, html, now)
        mail.add_letters(session, [row | {"player_id": player.id}])


def invite(session: Session, house: House, now: datetime, player: Player, address: Address) -> None:
    """Queue what makes a Matrix room for a player: it waits there until the player comes in, and tells no secret."""
    if address.transport != MATRIX:
        return
    opening = (
        f"{player.name}, letters of your games can come here too. Write prefer matrix, prefer mail or prefer both."
    )
    page = Page(name="", title=house.config.office.name, to=player.name, turn=0, opening=opening)
    text, html = compose(house.renderer, page, None)
    key = f"i-{player.id}-{now:%Y%m%d%H%M%S}{envelopes.era(session)}"
    subject = f"[{house.config.office.name}] Your room"
    row = envelopes.letter_row(MATRIX, address.place, "invitation", key, subject, text, html, now)
    mail.add_letters(session, [row | {"player_id": player.id}])
