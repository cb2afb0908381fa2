"""Register players: their names, addresses, time zones and preferred posts."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session

from pbem.core import clock
from pbem.core.message import Address
from pbem.core.reading import OFFICE_WORDS
from pbem.errors import AdminError
from pbem.services import notices
from pbem.services.addressing import BOTH
from pbem.services.house import MATRIX, POST, House
from pbem.store import players
from pbem.store.tables import Place, Player

NAME_LENGTH = 20
PREFERENCES = (POST, MATRIX, BOTH)
USER = re.compile(r"@[^\s:@]+:[A-Za-z0-9.\-\[\]]+(?::\d+)?")


def add_player(
    session: Session, house: House, now: datetime, name: str, emails: Sequence[str], zone: str | None = None, *,
    users: Sequence[str] = (),
) -> Player:  # fmt: skip
    """Register a player with one or more addresses; letters go to the first.

    A Matrix id of `users` is invited to a room, and gets letters once its owner has joined that.

    Raises: AdminError if the name or an address is taken or cannot be.
    """
    if not emails and not users:
        raise AdminError(f"{name} needs an address: --email {name}@example.org")
    addresses = [check_email(house, email) for email in emails] + [check_matrix(house, user) for user in users]
    return register(session, house, now, name, addresses, zone)


def register(
    session: Session, house: House, now: datetime, name: str, addresses: Sequence[Address], zone: str | None = None
) -> Player:
    """Register a player at addresses of any post; letters go to the first.

    Raises: AdminError if the name or an address is taken or cannot be.
    """
    name = check_name(name)
    if players.find_player(session, name):
        raise AdminError(f"there is a player {name} already")
    for address in addresses:
        _check_free(session, address)
    if len({address.key for address in addresses}) < len(addresses):
        raise AdminError("the same address is given twice")
    place = clock.parse_zone(zone or house.config.office.zone)
    player = Player(name=name, key=name.casefold(), zone=place, created_at=now)
    players.add_player(session, player, list(addresses), {address.transport for address in addresses} - {MATRIX})
    for address in addresses:
        notices.invite(session, house, now, player, address)
    return player


def edit_player(
    session: Session, house: House, now: datetime, name: str, *, add: Sequence[str] = (), remove: Sequence[str] = (),
    zone: str | None = None, prefer: str = "",
) -> Player:  # fmt: skip
    """Change a player's addresses, time zone and preferred post; the first address that is left gets the letters.

    Raises: AdminError.
    """
    player = get_player(session, name)
    assert player.id is not None
    if zone:
        player.zone = clock.parse_zone(zone)
    places = players.places_of(session, [player.id]).get(player.id, [])
    if prefer:
        player.prefer = check_preference(prefer)
    for address in (check_address(house, text) for text in add):
        _check_free(session, address)
        rank = 1 + max([place.rank for place in places], default=-1)
        players.add_place(session, player.id, address, rank, now if address.transport == POST else None)
        notices.invite(session, house, now, player, address)
    for text in remove:
        _remove(session, player, Address(MATRIX if text.strip().startswith("@") else POST, text))
    if not players.places_of(session, [player.id]).get(player.id):
        raise AdminError(f"{player.name} would have no address left; add another one first")
    return player


def get_player(session: Session, name: str) -> Player:
    """Find a player by name.

    Raises: AdminError, naming who there is.
    """
    player = players.find_player(session, name.strip())
    if player is None:
        known = [one.name for one in players.list_players(session)]
        raise AdminError(f"there is no player {name!r}; there are: {', '.join(known) or 'none yet'}")
    return player


def check_name(name: str) -> str:
    """Check a player's name: one word, no office word.

    Raises: AdminError, saying what would do.
    """
    name = unicodedata.normalize("NFKC", name)
    if not name[:1].isalpha() or not all(c.isalnum() or c == "_" for c in name) or len(name) > NAME_LENGTH:
        raise AdminError(
            f"{name!r} cannot be a player's name: one word of up to {NAME_LENGTH} letters and digits, a letter first"
        )
    if name.casefold() in OFFICE_WORDS:
        raise AdminError(f"{name!r} cannot be a player's name: the office uses that word")
    return name


def check_address(house: House, text: str) -> Address:
    """Check a mail address, or a Matrix id, which begins with @.

    Raises: AdminError.
    """
    return check_matrix(house, text) if text.strip().startswith("@") else check_email(house, text)


def check_email(house: House, text: str) -> Address:
    """Check a mail address.

    Raises: AdminError.
    """
    place = text.strip()
    local, at, domain = place.rpartition("@")
    barred = any(c.isspace() or not c.isprintable() or c in ',;<>()[]"\\' for c in place)
    if not (local and at and domain) or "@" in local or barred:
        raise AdminError(f"{text!r} is no mail address; write for example alice@example.org")
    own, _, ours = house.config.office.address.casefold().partition("@")
    if local.casefold().partition("+")[0] == own and domain.casefold() == ours:
        raise AdminError(f"{place} is the office's own address")
    return Address(POST, place)


def check_matrix(house: House, text: str) -> Address:
    """Check a Matrix user id.

    Raises: AdminError.
    """
    place = text.strip()
    if not USER.fullmatch(place) or not place.isprintable() or len(place) > 255:
        raise AdminError(f"{text!r} is no Matrix id; write for example @alice:example.org")
    if not house.config.matrix.homeserver:
        raise AdminError("the office has no Matrix account: fill in [matrix] in the config first")
    if place.casefold() == house.config.matrix.user.casefold():
        raise AdminError(f"{place} is the office itself")
    return Address(MATRIX, place)


def check_preference(text: str) -> str:
    """Check by which post a player wants letters.

    Raises: AdminError.
    """
    if text not in PREFERENCES:
        raise AdminError(f"{text!r} is no post; there are: {', '.join(PREFERENCES)}")
    return text


def _check_free(session: Session, address: Address) -> None:
    owner = players.find_owner(session, address)
    if owner is not None:
        raise AdminError(f"{address.place} is registered for {owner.name} already")


def _remove(session: Session, player: Player, address: Address) -> None:
    for place in players.places_of(session, [player.id or 0]).get(player.id or 0, []):
        if (place.transport, place.key) == (address.transport, address.key):
            session.delete(session.merge(Place(**place.model_dump())))
            session.flush()
            return
    raise AdminError(f"{address.place} is not registered for {player.name}")
