"""Choose by which post, and to which address, a seat's letters go."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from pbem.store import players
from pbem.store.tables import Place, Player, Seat

BOTH = "both"
COPY = "-2"
"""The end of a key: the same letter by the other post too."""


@dataclass(frozen=True)
class Reader:
    """Name who reads a seat's letters: the player, and the address they go to; `also` gets a copy of each."""

    player: Player
    place: Place | None
    also: Place | None = None


def readers(session: Session, seats: Iterable[Seat], via: Mapping[int, str] = {}) -> dict[int, Reader]:
    """Give who reads the letters of each seat that a player holds; `via` is the post by which a seat just wrote."""
    held = {seat.number: seat.player_id for seat in seats if seat.player_id is not None}
    ids = list(set(held.values()))
    people, places = players.get_players(session, ids), players.places_of(session, ids)
    return {
        number: Reader(people[player_id], *chosen(people[player_id], places.get(player_id, []), via.get(number, "")))
        for number, player_id in held.items()
    }


def chosen(player: Player, places: Sequence[Place], via: str = "") -> tuple[Place | None, Place | None]:
    """Give the address of the post that a player prefers, or answers by, or the first; and the other one for `both`.

    Secret: an address that is not confirmed is chosen only where there is no other; its post keeps letters till then.
    """
    known = [place for place in places if place.confirmed_at is not None] or list(places)
    wanted = via if player.prefer in ("", BOTH) else player.prefer
    first = next((place for place in known if place.transport == wanted), next(iter(known), None))
    if player.prefer != BOTH or first is None:
        return first, None
    return first, next((place for place in known if place.transport != first.transport), None)


def spread(rows: Iterable[dict[str, object]], told: Mapping[int, Reader]) -> list[dict[str, object]]:
    """Give outbox rows, and a copy of each whose reader wants it by both posts."""
    found = []
    for row in rows:
        found.append(row)
        also = told[int(str(row["seat"]))].also
        if also is not None and also.player_id == row["player_id"]:
            copy = {"key": f"{row['key']}{COPY}", "letter_id": f"{row['letter_id']}{COPY}"}
            found.append(row | copy | {"transport": also.transport, "place": also.place})
    return found
