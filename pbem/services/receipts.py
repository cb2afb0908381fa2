"""Give the receipt of each message, and show it again."""

import json
from collections.abc import Sequence
from datetime import datetime

from markupsafe import escape
from sqlmodel import Session

from pbem.core import receipts
from pbem.core.clock import show_instant
from pbem.core.digest import Section
from pbem.core.message import Inbound
from pbem.core.reading import Command
from pbem.core.receipts import Deed
from pbem.core.render import wrap
from pbem.errors import NotAwaited, UnknownCommand
from pbem.services import sittings
from pbem.services.hearing import Hearing
from pbem.services.letters import Reply
from pbem.store import receipts as store
from pbem.store.tables import Game, Player, Receipt


def issue(hearing: Hearing) -> None:
    """Enter the receipt of a message once all its lines are done, and put it at the foot of the answer."""
    table = hearing.sitting.table
    enter(
        hearing.session, hearing.now, hearing.sitting.game, hearing.token.seat, hearing.message, hearing.reply,
        hearing.deeds, entries=table.entries, chain=table.chain, turn=table.turn(),
    )  # fmt: skip


def enter(
    session: Session, now: datetime, game: Game, seat: int, message: Inbound, reply: Reply, deeds: Sequence[Deed], *,
    entries: int = 0, chain: str = "", turn: int = 0,
) -> None:  # fmt: skip
    """Enter the receipt of a message, and put it at the foot of the answer; before the deal the log is empty."""
    last = store.last_receipt(session, game.id or 0, seat)
    number, before = (last.number + 1, last.hash) if last else (1, "")
    made = receipts.make(
        game.seed, sittings.name_of(game), seat, number, deeds,
        received_at=message.received_at, entries=entries, chain=chain, before=before,
    )  # fmt: skip
    row = Receipt(
        game_id=game.id or 0, seat=seat, number=number, cause=reply.cause, turn=turn, body=made.body,
        deeds=receipts.dump(made.deeds), hash=made.hash, made_at=now,
    )  # fmt: skip
    store.add_receipt(session, row)
    reply.footers.append(made.shown)


def receipt(hearing: Hearing, command: Command) -> None:
    """Show a receipt again, or list them all.

    Raises: UnknownCommand, NotAwaited.
    """
    if not command.rest:
        hearing.show(listing(hearing))
        return
    own = store.receipts_of(hearing.session, hearing.token.game_id, hearing.token.seat)
    row = next((row for row in reversed(own) if row.hash.startswith(command.rest[: receipts.CODE])), None)
    if row is None or len(command.rest) < receipts.CODE:
        codes = [f"receipt {row.hash[: receipts.CODE]}" for row in _open(hearing, own)[-3:]]
        raise UnknownCommand("You have no receipt of that code.", *(codes or ["receipt"]))
    if not _open(hearing, [row]):
        raise NotAwaited("The house shows the last turn only; this receipt can be read when the game is over.")
    hearing.note(f"receipt {command.rest}", _whole(hearing, row))


def listing(hearing: Hearing) -> Section:
    """List the receipts that a seat may look back at.

    Secret: for the seat alone.
    """
    own = _open(hearing, store.receipts_of(hearing.session, hearing.token.game_id, hearing.token.seat))
    lines = [f"{row.hash[: receipts.CODE]}: {_done(row)} ({_received(hearing, row)})" for row in own]
    lines = lines or ["There is none yet."]
    text = "\n".join(wrap(f"- {line}", 2, 4) for line in lines)
    items = "".join(f'<li style="margin:3px 0">{escape(line)}</li>' for line in lines)
    return Section("Your receipts", text, f'<ul style="margin:0;padding-left:20px">{items}</ul>')


def _open(hearing: Hearing, rows: list[Receipt]) -> list[Receipt]:
    """Give those that may be looked back at: where MEMORY is closed, the last turn's until the game is over."""
    sitting = hearing.sitting
    if sitting.engine.memory != "closed" or sitting.game.status in ("over", "ended"):
        return rows
    return [row for row in rows if row.turn >= sitting.table.turn() - 1]


def _whole(hearing: Hearing, row: Receipt) -> str:
    said = json.loads(row.body)
    return (
        f"Your message number {row.number} of this game, received {_received(hearing, row)}: {_done(row)}. The log had "
        f"{said['entries']} entries then. The whole hash: {row.hash}"
    )


def _done(row: Receipt) -> str:
    return receipts.told(receipts.load(row.deeds))


def _received(hearing: Hearing, row: Receipt) -> str:
    said = json.loads(row.body)["received"]
    player = hearing.session.get(Player, hearing.seat.player_id)
    return show_instant(datetime.fromisoformat(said), player.zone if player else "UTC")
