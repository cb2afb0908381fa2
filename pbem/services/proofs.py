"""Make the file that proves a game: all of it once the game has ended, before that what one seat knew.

Secret: no address stands in it, and nothing that players said to each other.
"""

import json
from collections.abc import Collection
from datetime import datetime

from sqlmodel import Session

from pbem.core import proof
from pbem.core.proof import Line, Proof, Slip
from pbem.core.reading import Command
from pbem.errors import AdminError, NotAwaited
from pbem.services import addressing, desk, peeking, sittings
from pbem.services.hearing import Hearing
from pbem.services.house import POST, House
from pbem.services.moderators import Ruler
from pbem.store import games, receipts
from pbem.store.gathering import find_gathering
from pbem.store.tables import Game

ENDED = ("over", "ended")


def file_name(game: Game) -> str:
    """Give the name under which a game's file is kept."""
    return f"{sittings.name_of(game)}.jsonl"


def whole(session: Session, game: Game) -> Proof:
    """Give all that proves a game.

    Raises: AdminError until the game has ended.
    """
    if game.status not in ENDED:
        raise AdminError(
            f"{sittings.name_of(game)} is {game.status}: its whole file exists only after its end; "
            "--as NAME --reason TEXT opens what one seat knew"
        )
    return _gather(session, game)


def public(session: Session, game: Game, opened: Collection[int]) -> Proof:
    """Give all of a game that has ended, else what an onlooker may know, with the receipts of the seats opened.

    Secret: for who rules there.
    """
    found = _gather(session, game)
    return found if game.status in ENDED else proof.public(found, opened)


def of_seat(session: Session, game: Game, seat: int) -> Proof:
    """Give what one seat knew of a game.

    Secret: for the seat alone.
    """
    return proof.cut(_gather(session, game), seat)


def export(hearing: Hearing, command: Command) -> None:
    """Send the file with the answer: the whole one after the end, before it what the sender knew.

    Raises: NotAwaited where that may not be looked back at yet, or the post brings no files.
    """
    game, engine = hearing.sitting.game, hearing.sitting.engine
    reader = addressing.readers(hearing.session, [hearing.seat]).get(hearing.seat.number)
    if reader is None or reader.place is None or reader.place.transport != POST:
        raise NotAwaited("Files go by mail only. Please ask the host for it: pbem admin export.")
    if game.status in ENDED:
        found = whole(hearing.session, game)
        told = "The whole file of the game is attached, with the seed. To check it: pbem verify FILE"
    elif engine.memory == "closed":
        raise NotAwaited(f"{engine.title} forbids to look back, so the file opens only when the game is over.")
    else:
        found = of_seat(hearing.session, game, hearing.seat.number)
        told = "What you know of the game so far is attached. The whole file, with the seed, exists after the end."
    hearing.reply.file_name, hearing.reply.file = file_name(game), proof.write(found)
    hearing.note("export", told)


def opened(
    session: Session, house: House, now: datetime, game: Game, name: str, reason: str, by: Ruler
) -> Proof:  # fmt: skip
    """Open what one seat knew to a moderator; that this was done stands in the game's log at once, like a look.

    Secret: the seat's own; to be shown to the moderator only after the transaction.
    Raises: AdminError if there is no such seat, no reason, or somebody who plays there asks.
    """
    sitting = desk.take(session, house, game, by)
    seat = desk.seat_of(sitting, name)
    peeking.enter(session, house, now, sitting, "file", {"seat": seat.number, **desk.reasoned(reason)}, by)
    return of_seat(session, game, seat.number)


def _gather(session: Session, game: Game) -> Proof:
    assert game.id is not None
    lines = tuple(
        Line(row.number, row.kind, json.loads(row.body), games.events_of(row), row.state_hash, row.chain)
        for row in games.log_of(session, game.id)
    )
    slips = tuple(
        Slip(row.seat, row.number, row.body, row.deeds, row.hash) for row in receipts.receipts_of(session, game.id)
    )
    gathering = find_gathering(session, game.id)
    secret = gathering.secret if gathering else None
    return Proof(sittings.name_of(game), game.status, None, game.seed, secret, lines, slips)
