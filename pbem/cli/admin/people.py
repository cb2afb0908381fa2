"""Register players, change them, list them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli import show
from pbem.cli.options import AsJson, Emails, Yes, Zone
from pbem.cli.room import agreed, opened

if TYPE_CHECKING:
    from sqlmodel import Session

Name = Annotated[str, typer.Argument(help="One word: letters and digits, a letter first.", metavar="NAME")]
Added = Annotated[list[str], typer.Option("--add-email", help="One more address.", metavar="ADDRESS")]
Removed = Annotated[list[str], typer.Option("--remove-email", help="An address to forget.", metavar="ADDRESS")]


def add_player(context: typer.Context, name: Name, email: Emails, zone: Zone = None) -> None:
    """Register a player.

    Other players see the name alone. Letters go to the first address, and to the next one if they come back; answers
    are taken from any of them. An address belongs to one player only.
    """
    from pbem.services import lobby

    with opened(context) as room:
        player = room.write(lambda session: lobby.add_player(session, room.house, room.now, name, email, zone))
    show.line(f"{player.name} is registered: letters go to {email[0].strip()}, times are told in {player.zone}")


def edit_player(
    context: typer.Context, name: Name, add_email: Added = [], remove_email: Removed = [], zone: Zone = None  # noqa: B006
) -> None:  # fmt: skip
    """Change a player's addresses or time zone.

    The first address that is left gets the letters.
    """
    from pbem.errors import AdminError
    from pbem.services import lobby
    from pbem.store.players import places_of

    if not (add_email or remove_email or zone):
        raise AdminError("nothing to change: give --add-email, --remove-email or --zone")

    def work(session: "Session") -> tuple[str, str, list[str]]:
        player = lobby.edit_player(session, room.house, name, add=add_email, remove=remove_email, zone=zone)
        session.add(player)
        session.flush()
        return player.name, player.zone, [place.place for place in places_of(session, [player.id or 0])[player.id or 0]]

    with opened(context) as room:
        called, lives, places = room.write(work)
    show.line(f"{called}: {', '.join(places)} (letters go to the first); {lives}")


def players(context: typer.Context, json: AsJson = False) -> None:
    """List the players, their addresses and games."""
    with opened(context) as room:
        found = room.read(_rows)
    if json:
        show.as_json(found)
    else:
        rows = [[one["name"], ", ".join(one["emails"]), one["zone"], ", ".join(one["games"])] for one in found]
        show.table(("PLAYER", "ADDRESSES", "ZONE", "GAMES"), rows, "no players yet; `pbem admin add-player` adds one")


def forget(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Take a person out of everything but the logs of the games played.

    Addresses, mails and letters are emptied, and cannot be brought back. Refused while a game of that player goes on,
    or a letter to somebody else waits that may name the player.
    """
    from pbem.services import keeping

    with opened(context) as room:
        agreed(f"Forget {name} for good?", yes)
        played = room.write(lambda session: keeping.forget(session, name))
    show.line(f"{name} is forgotten; the logs that name the seat stay: {', '.join(played) or 'none'}")
    show.line("Copies made before hold what they held: throw those away as well.")


def _rows(session: "Session") -> list[dict[str, Any]]:
    from pbem.services.turns import name_of
    from pbem.store import games
    from pbem.store import players as store

    people = store.list_players(session)
    places = store.places_of(session, [player.id or 0 for player in people])
    return [
        {
            "name": player.name,
            "emails": [place.place for place in places.get(player.id or 0, [])],
            "zone": player.zone,
            "games": [name_of(game) for game, _ in games.games_of(session, player.id or 0)],
        }
        for player in people
    ]
