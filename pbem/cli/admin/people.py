"""Register players, change them, list them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli import show
from pbem.cli.options import AsJson, Emails, Users, Yes, Zone
from pbem.cli.room import agreed, opened, sender_of_letters

if TYPE_CHECKING:
    from sqlmodel import Session

    from pbem.store.tables import Player

Name = Annotated[str, typer.Argument(help="One word: letters and digits, a letter first.", metavar="NAME")]
Added = Annotated[list[str], typer.Option("--add-email", help="One more address.", metavar="ADDRESS")]
Away = Annotated[
    str | None,
    typer.Option(help="'5 days', or '2026-12-20 2027-01-02'.", metavar="WHEN", show_default=False),
]
Back = Annotated[bool, typer.Option("--back", help="End an absence.")]
Removed = Annotated[list[str], typer.Option("--remove-email", help="An address to forget.", metavar="ADDRESS")]
AddedUsers = Annotated[list[str], typer.Option("--add-matrix", help="One more Matrix id.", metavar="ID")]
RemovedUsers = Annotated[list[str], typer.Option("--remove-matrix", help="A Matrix id to forget.", metavar="ID")]
Prefer = Annotated[str, typer.Option("--prefer", help="Where letters go: mail, matrix or both.", metavar="POST")]


def add_player(
    context: typer.Context, name: Name, email: Emails = [], matrix: Users = [], zone: Zone = None  # noqa: B006
) -> None:  # fmt: skip
    """Register a player.

    Other players see the name alone. Letters go to the first address, and to the next one if they come back; answers
    are taken from any of them. An address belongs to one player only. A Matrix id is invited to a room, and gets
    letters once its owner has come in.
    """
    from pbem.services import people

    if not (email or matrix):
        raise typer.BadParameter("give --email or --matrix", context)

    def work(session: "Session") -> "Player":
        return people.add_player(session, room.house, room.now, name, email, zone, users=matrix)

    with opened(context) as room:
        player = room.write(work)
    place = [*email, *matrix][0].strip()
    show.line(f"{player.name} is registered: letters go to {place}, times are told in {player.zone}")


def edit_player(
    context: typer.Context, name: Name, add_email: Added = [], remove_email: Removed = [], add_matrix: AddedUsers = [],  # noqa: B006
    remove_matrix: RemovedUsers = [], prefer: Prefer = "", zone: Zone = None, away: Away = None, back: Back = False,  # noqa: B006
) -> None:  # fmt: skip
    """Change a player's addresses or time zone, where letters go, or say for somebody who cannot write who is away.


    The first address that is left gets the letters, unless the player prefers a post. A Matrix id is invited to a room,
    and gets letters once its owner has come in. An absence holds in every game of the player that goes on, as far as
    the host allows: no deadline of that seat falls into it.
    """
    from pbem.errors import AdminError
    from pbem.services import people
    from pbem.store.players import places_of

    add, remove = [*add_email, *add_matrix], [*remove_email, *remove_matrix]
    if not (add or remove or zone or prefer or away or back):
        raise AdminError(
            "nothing to change: give --add-email, --remove-email, --add-matrix, --prefer, --zone, --away or --back"
        )
    if away and back:
        raise AdminError("give either --away or --back")
    if away or back:
        _leave(context, name, away)
    if not (add or remove or zone or prefer):
        return

    def work(session: "Session") -> tuple[str, str, list[str]]:
        player = people.edit_player(
            session, room.house, room.now, name, add=add, remove=remove, zone=zone, prefer=prefer
        )
        session.add(player)
        session.flush()
        return player.name, player.zone, [place.place for place in places_of(session, [player.id or 0])[player.id or 0]]

    with opened(context) as room:
        called, lives, places = room.write(work)
    show.line(f"{called}: {', '.join(places)} (letters go to the first); {lives}")


def _leave(context: typer.Context, name: str, away: str | None) -> None:
    from pbem.services import leaving

    with opened(context) as room:
        games = room.write(lambda session: leaving.said_for(session, room.house, room.now, name, away))
        show.line(f"{name} is {f'away ({away})' if away else 'back'} in {', '.join(games)}: {sender_of_letters(room)}")


def players(context: typer.Context, json: AsJson = False) -> None:
    """List the players, their addresses and games."""
    with opened(context) as room:
        found = room.read(_rows)
    if json:
        show.as_json(found)
    else:
        rows = [
            [one["name"], ", ".join([*one["emails"], *one["matrix"]]), one["zone"], ", ".join(one["games"])]
            for one in found
        ]
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
    from pbem.services.house import MATRIX, POST
    from pbem.services.sittings import name_of
    from pbem.store import games
    from pbem.store import players as store

    people = store.list_players(session)
    places = store.places_of(session, [player.id or 0 for player in people])
    return [
        {
            "name": player.name,
            "emails": [place.place for place in places.get(player.id or 0, []) if place.transport == POST],
            "matrix": [place.place for place in places.get(player.id or 0, []) if place.transport == MATRIX],
            "zone": player.zone,
            "games": [name_of(game) for game, _ in games.games_of(session, player.id or 0)],
        }
        for player in people
    ]
