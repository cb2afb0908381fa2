"""Read and write players and their addresses."""

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from pbem.core.message import Address
from pbem.store.session import rows
from pbem.store.tables import Place, Player

PLAYERS = select(Player).where(col(Player.id).in_(sa.bindparam("ids", expanding=True)))
PLACES = (
    select(Place)
    .where(col(Place.player_id).in_(sa.bindparam("ids", expanding=True)))
    .order_by(col(Place.rank), col(Place.id))
)
OWNER = (
    select(Player)
    .join(Place, col(Place.player_id) == Player.id)
    .where(Place.transport == sa.bindparam("transport"), Place.key == sa.bindparam("key"))
)


def find_player(session: Session, name: str) -> Player | None:
    """Find a player by name, in any letter case."""
    return session.exec(select(Player).where(Player.key == name.casefold())).first()


def get_players(session: Session, player_ids: list[int]) -> dict[int, Player]:
    """Give players by number."""
    return {player.id or 0: player for player in rows(session, PLAYERS, ids=player_ids)}


def list_players(session: Session) -> list[Player]:
    """List all players by name."""
    return list(session.exec(select(Player).order_by(col(Player.key))))


def find_owner(session: Session, address: Address) -> Player | None:
    """Find the player who registered an address."""
    return session.scalars(OWNER, {"transport": address.transport, "key": address.key}).first()


def places_of(session: Session, player_ids: list[int]) -> dict[int, list[Place]]:
    """Give the addresses of players, the first of each being where letters go."""
    places: dict[int, list[Place]] = {}
    for place in rows(session, PLACES, ids=player_ids):
        places.setdefault(place.player_id, []).append(place)
    return places


def add_player(session: Session, player: Player, addresses: list[Address], confirmed: Collection[str]) -> Player:
    """Insert a player with addresses, the first of which gets the letters; those of `confirmed` posts are known."""
    session.add(player)
    session.flush()
    assert player.id is not None
    for rank, address in enumerate(addresses):
        known = player.created_at if address.transport in confirmed else None
        add_place(session, player.id, address, rank, known)
    return player


def add_place(
    session: Session, player_id: int, address: Address, rank: int, confirmed_at: datetime | None = None
) -> None:
    """Insert one more address of a player."""
    row = Place(
        player_id=player_id, transport=address.transport, place=address.place.strip(), key=address.key, rank=rank,
        confirmed_at=confirmed_at,
    )  # fmt: skip
    session.add(row)
    session.flush()


def confirm_place(session: Session, address: Address, now: datetime) -> bool:
    """Note that an address is its player's; tell whether that is new."""
    known = sa.and_(
        col(Place.transport) == address.transport, col(Place.key) == address.key, col(Place.confirmed_at).is_(None)
    )
    return session.connection().execute(sa.update(Place).where(known).values(confirmed_at=now)).rowcount > 0
