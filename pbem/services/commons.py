"""Keep a game's public room: what all may see is told there, and what is asked of one seat alone can be done there."""

import re
from datetime import datetime

from sqlmodel import Session

from pbem.core.digest import Page, Scene, compose
from pbem.core.message import Inbound
from pbem.core.token import Token
from pbem.services import chronicle
from pbem.services.chronicle import told_events
from pbem.services.envelopes import letter_row
from pbem.services.house import MATRIX, House
from pbem.services.sittings import Sitting, name_of
from pbem.store import games
from pbem.store.tables import Game

PRIVATE = (
    "Several are asked at once, so this belongs in private. Nothing was done; write it in your own room, "
    "or answer your letter."
)


def seat_in(session: Session, message: Inbound, sender_id: int | None) -> tuple[bool, Token | None]:
    """Tell whether a message was written in a game's public room, and name the writer's seat there.

    Typed words answer what is asked of that seat, if the room was told of the last step before they were written.
    """
    game = games.find_public(session, message.mark("room")) if message.transport == MATRIX else None
    if game is None or game.id is None:
        return False, None
    seat = next((one for one in games.seats_of(session, game.id) if one.player_id == sender_id is not None), None)
    if seat is None:
        return True, None
    prompt = games.open_prompts(session, game.id).get(seat.number)
    fresh = any(re.match(rf"{_key(game)}(?!\d)", answer) for answer in message.answers)
    return True, Token(game.id, seat.number, game.epoch, prompt.number if prompt is not None and fresh else 0)


def told(session: Session, house: House, sitting: Sitting, now: datetime, era: str) -> list[dict[str, object]]:
    """Give the one message that a public room gets after a step, or when steps were taken back: these stand first.

    Secret: nothing in it is; it is made of the view of no seat.
    """
    game = sitting.game
    if not game.room or not sitting.moved:
        return []
    scene = Scene(house.renderer, sitting.table, sitting.names)
    waiting = [f"{sitting.seats[number].name} ({row.kind})" for number, row in sorted(sitting.prompts.items())]
    page = Page(
        name=name_of(game), title=sitting.engine.title, to="all", turn=sitting.table.turn(),
        opening=f"The table waits for {', '.join(waiting)}." if waiting else "The game is over.",
        happened=_happened(session, scene, sitting),
    )  # fmt: skip
    text, html = compose(house.renderer, page, scene.table())
    game.entries = sitting.table.entries
    row = letter_row(MATRIX, game.room, "public", _key(game) + era, f"[{page.name}]", text, html, now)
    return [row | {"game_id": game.id, "thread": f"p{game.id}"}]


def _happened(session: Session, scene: Scene, sitting: Sitting) -> tuple[str, ...]:
    """Write what all may see of the steps that were taken back, marked so, and of all that was entered and stands."""
    back = chronicle.taken_back_now(session, sitting)
    gone = {row.number for row in back}
    undone = [event for row in back for event in told_events(row.body, games.events_of(row))]
    stands = [entry for entry, _ in sitting.entries if entry.number not in gone]
    events = [event for entry in stands for event in told_events(entry.body, entry.events)]
    return (*chronicle.struck(scene.lines(undone, None)), *scene.lines(events, None))


def removal(message: Inbound, now: datetime, cause: str) -> dict[str, object]:
    """Give the row that takes a message out of a public room, if the bot has the power to."""
    row = letter_row(MATRIX, message.mark("room"), "removal", f"x-{cause}", "", "", "", now)
    return row | {"thread": message.external_id}


def _key(game: Game) -> str:
    """Name what a room is told after a step: it tells which step typed words answer."""
    return f"p{game.id}-{game.entries}"
