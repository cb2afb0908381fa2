"""Let a player say by which post letters are to come."""

from pbem.core.reading import Command
from pbem.errors import UnknownCommand
from pbem.services.addressing import BOTH
from pbem.services.hearing import Hearing
from pbem.services.house import MATRIX, POST
from pbem.store import players
from pbem.store.tables import Player

WORDS = {POST: "by mail", MATRIX: "by Matrix", BOTH: "by mail and by Matrix"}


def prefer(hearing: Hearing, command: Command) -> None:
    """Send a player's letters by one post from now on, or by both; orders are taken by either.

    Raises: UnknownCommand, where no confirmed address of that post is registered.
    """
    wanted = command.rest.casefold()
    player = hearing.session.get(Player, hearing.seat.player_id)
    assert player is not None
    places = players.places_of(hearing.session, [player.id or 0]).get(player.id or 0, [])
    known = {place.transport for place in places if place.confirmed_at is not None}
    missing = ({POST, MATRIX} if wanted == BOTH else {wanted}) - known
    if missing:
        raise UnknownCommand(
            f"No address of yours {WORDS[min(missing)]} is known here; please ask who runs the office."
        )
    player.prefer = wanted
    hearing.session.add(player)
    hearing.session.flush()
    hearing.note(f"prefer {wanted}", f"Your letters come {WORDS[wanted]} from now on. You may answer by either.")
