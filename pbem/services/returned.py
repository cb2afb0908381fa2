"""Deal with a letter that came back or was given up: try the next address, tell the moderators, stop the clock."""

import re
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.core.message import Address, Inbound
from pbem.core.token import verify
from pbem.services import addressing, clocks, envelopes, notices, turns
from pbem.services.house import House
from pbem.store import games, mail, players
from pbem.store.tables import Outbox, Place, Player, Seat


def bounced(session: Session, house: House, now: datetime, message: Inbound) -> None:
    """Record at the letter which it names that it did not arrive, once, and see to it."""
    row = mail.find_letter(session, [letter.partition("@")[0].casefold() for letter in message.bounced])
    if row is not None and row.id is not None and row.status != "bounced":
        mail.mark_letter(session, row.id, status="bounced", bounced_at=now, error="the post brought it back")
        lost(session, house, row, now, "came back")


def lost(session: Session, house: House, row: Outbox, now: datetime, how: str) -> None:
    """Send a letter that did not arrive to its player's next address, and tell the moderators; `how` it was lost.

    They are told once a day for an address. An alarm that is lost raises no other.
    """
    if row.kind == "alarm":
        return
    player = session.get(Player, row.player_id) if row.player_id else None
    places = players.places_of(session, [player.id or 0]).get(player.id or 0, []) if player else []
    at = next((at for at, place in enumerate(places) if place.key == Address(row.transport, row.place).key), None)
    following = [place for place in places[0 if at is None else at + 1 :] if place.confirmed_at]
    again = bool(following) and _send_again(session, house, row, following[0], now)
    if again:
        _give_back(session, house, row, now)
    whose = f"{player.id}-{places[at].id}-{now:%Y%m%d}" if player and at is not None else f"{row.id}"
    told = f"Letter {row.id}{f' to {player.name}' if player else ''} {how}; "
    told += "it goes to the next address that is registered." if again else "see `pbem admin outbox`."
    notices.alarm(session, house, f"lost-{whose}", told, now)


def elsewhere(session: Session, house: House, row: Outbox, now: datetime, alarm: str) -> bool:
    """Send a letter that its post cannot take now by another post of its player's, and tell whether there is one.

    A letter that came from another post, or that has a copy there, waits. The moderators are told once what is wrong.
    """
    if alarm:
        notices.alarm(session, house, f"room-{row.id}", alarm, now)
    player = session.get(Player, row.player_id) if row.player_id else None
    if player is None or row.kind == "invitation" or re.search(r"-n\d+$|-2$", row.key):
        return False
    places = players.places_of(session, [player.id or 0]).get(player.id or 0, [])
    other = next((place for place in places if place.transport != row.transport and place.confirmed_at), None)
    return other is not None and _send_again(session, house, row, other, now)


def _send_again(session: Session, house: House, row: Outbox, place: Place, now: datetime) -> bool:
    """Queue the letter to another address under an id of its own, and tell whether that was right.

    Secret: for the player whose letter it was, if the seat is still held by that player.
    """
    base, _, number = re.fullmatch(r"(.*?)(-n(\d+))?", row.key).groups("0")  # type: ignore[union-attr]
    key = f"{base}-n{int(number) + 1}"
    seat = session.get(Seat, (row.game_id, row.seat)) if row.game_id else None
    if mail.has_letter(session, key) or (seat is not None and seat.player_id != row.player_id):
        return False
    copy = row.model_dump(exclude={"id", "sent_at", "bounced_at"}) | {
        "key": key, "letter_id": row.letter_id.removesuffix(row.key) + key, "thread": row.thread or row.letter_id,
        "transport": place.transport, "place": place.place, "status": "queued", "attempts": 0, "error": "",
        "created_at": now, "next_try_at": now,
    }  # fmt: skip
    if seat is not None:
        player = players.get_players(session, [place.player_id])[place.player_id]
        envelopes.guard(house, copy, seat, addressing.Reader(player, place), seat.name)
    mail.add_letters(session, [copy])
    return True


def _give_back(session: Session, house: House, row: Outbox, now: datetime) -> None:
    """Let the seat's clock begin anew, if no letter that asks it has arrived: up to one more clock's length in all."""
    token = verify(row.token, house.key) if row.kind != "talk" else None
    game = games.find_game(session, token.game_id) if token else None
    if token is None or game is None or game.status != "open":
        return
    prompt = next((p for p in games.open_prompts(session, token.game_id).values() if p.number == token.prompt), None)
    if prompt is None or "sent" in {fate for fate, _ in clocks.letters_asking(session, house, game, prompt)}:
        return
    length = turns.clock(game, prompt.kind)
    given = min(length, max(prompt.deadline_at - prompt.asked_at, timedelta(0)))
    until = min(prompt.asked_at + 2 * length, now + given)
    if until > prompt.deadline_at:
        clocks.extend(prompt, until, now)
        games.save_prompts(session, [prompt])
