"""Say who rules on a game: a moderator of the config or the host, and nobody who plays in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from pbem.config import Config
from pbem.core.message import Address
from pbem.errors import AdminError
from pbem.services.house import MATRIX, POST
from pbem.store import players
from pbem.store.tables import Player, Seat


@dataclass(frozen=True)
class Ruler:
    """Name who rules: a moderator, whom the players are told, or the host, who is known by the login name alone."""

    name: str = ""
    moderator: bool = False

    @property
    def signature(self) -> str:
        """Give who it was, as the log keeps it."""
        return self.name if self.moderator else "host"

    def facts(self) -> dict[str, str]:
        """Give what an announcement tells of it."""
        return {"by": self.name} if self.moderator else {}


HOST = Ruler()


def acting(config: Config, name: str) -> Ruler:
    """Find the moderator of that name, in any letter case.

    Raises: AdminError, naming those that there are.
    """
    known = {one.casefold(): one for one in config.moderators}
    if name.casefold() in known:
        return Ruler(known[name.casefold()], moderator=True)
    there = f"there are: {', '.join(sorted(known.values()))}; say --as-moderator NAME" if known else "name some there"
    raise AdminError(f"{name or 'nobody'} is no moderator in the config; {there}")


def addresses(config: Config, name: str) -> list[Address]:
    """Give the addresses of a moderator, named in any letter case; a Matrix id begins with @."""
    places = {one.casefold(): places for one, places in config.moderators.items()}.get(name.casefold(), ())
    return [Address(MATRIX if place.startswith("@") else POST, place) for place in places]


def owners(config: Config, address: Address) -> list[str]:
    """Name the moderators to whom an address belongs, compared as registered addresses are."""
    wanted = (address.transport, address.key)
    return [
        name for name in config.moderators if wanted in {(one.transport, one.key) for one in addresses(config, name)}
    ]


def alarmed(config: Config) -> Iterator[tuple[str, str, Address]]:
    """Give whom alarms go to, each with a key of its own: every mail address of moderators once, and their room."""
    known: set[str] = set()
    for name in config.moderators:
        for number, address in enumerate(one for one in addresses(config, name) if one.transport == POST):
            if address.key not in known:
                yield name, f"{name}-{number + 1}" if number else name, address
            known.add(address.key)
    if room := config.matrix.moderators_room:
        yield "room", "room", Address(MATRIX, room)


def is_same(session: Session, config: Config, name: str, player: Player) -> bool:
    """Tell whether somebody who may rule is this player: by name, or by an address that belongs to both."""
    owners = [players.find_owner(session, address) for address in addresses(config, name)]
    return player.key == name.casefold() or any(owner is not None and owner.id == player.id for owner in owners)


def plays(session: Session, config: Config, seats: Sequence[Seat], name: str) -> bool:
    """Tell whether somebody who may rule holds one of these seats."""
    ids = [seat.player_id for seat in seats if seat.player_id is not None]
    return any(is_same(session, config, name, player) for player in players.get_players(session, ids).values())


def check_apart(session: Session, config: Config, named: str, seats: Sequence[Seat], ruler: Ruler) -> None:
    """Make sure that who rules on a game holds no seat in it.

    Raises: AdminError.
    """
    if ruler.name and plays(session, config, seats, ruler.name):
        raise AdminError(
            f"{ruler.name} plays in {named}, so another moderator must do that: "
            "who holds a seat may not rule there, look at a hand, or read its mail"
        )
