"""Look at what came and what went: who, when, and what became of it; never what a letter says.

Secret: no body and no token is shown, and a token that somebody put into a subject is blotted out.
"""

from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from pbem.cli import show
from pbem.cli.options import AsJson
from pbem.cli.room import opened
from pbem.core.token import tokenless

if TYPE_CHECKING:
    from sqlmodel import Session

    from pbem.store.tables import Inbox, Outbox

Row = TypeVar("Row")
Number = Annotated[int, typer.Argument(help="Its number in the list.", metavar="ID")]
Limit = Annotated[int, typer.Option(help="How many, from the newest on.", min=1, max=10_000)]
GROUP: dict[str, Any] = {"invoke_without_command": True, "rich_markup_mode": None, "add_completion": False}
RETRIED = ("held", "aside")

outbox = typer.Typer(**GROUP)
inbox = typer.Typer(**GROUP)


@outbox.callback()
def list_outbox(context: typer.Context, limit: Limit = 50, json: AsJson = False) -> None:
    """List the letters from the office.

    Newest first; `retry` sends one again.
    """
    if context.invoked_subcommand is not None:
        return
    with opened(context) as room:
        found = room.read(lambda session: _letters(session, limit))
    head = ("ID", "QUEUED", "KIND", "GAME", "TO", "SUBJECT", "STATUS", "ERROR")
    _list(found, json, head, "id created_at kind game to subject status error", "no letters yet")


@outbox.command("retry")
def retry_letter(context: typer.Context, id: Number) -> None:
    """Send a letter again.

    One that was given up or came back goes out again under the same id.
    """
    from pbem.store import mail
    from pbem.store.tables import Outbox, Seat

    def work(session: "Session") -> None:
        row = _found(session.get(Outbox, id), "letter", id)
        if row.status == "sent":
            _refuse(f"letter {id} was sent; nothing is sent twice")
        seat = session.get(Seat, (row.game_id, row.seat)) if row.game_id is not None else None
        if seat is not None and seat.player_id != row.player_id:
            _refuse(f"letter {id} was for somebody who has left that seat since")
        mail.mark_letter(session, id, status="queued", attempts=0, next_try_at=room.now, error="")

    with opened(context) as room:
        room.write(work)
    show.line(f"letter {id} waits to be sent again")


@inbox.callback()
def list_inbox(context: typer.Context, limit: Limit = 50, json: AsJson = False) -> None:
    """List the messages to the office.

    Newest first; `retry` deals with one again.
    """
    if context.invoked_subcommand is not None:
        return
    with opened(context) as room:
        found = room.read(lambda session: _messages(session, limit))
    head = ("ID", "RECEIVED", "SENDER", "SUBJECT", "GAME", "VERDICT", "REASONS")
    _list(found, json, head, "id received_at sender subject game verdict reasons", "no messages yet")


@inbox.command("retry")
def retry_message(context: typer.Context, id: Number) -> None:
    """Deal with a message again.

    With one that was held, or that the program failed on; it counts as received when it was.
    """
    from pbem.errors import AdminError
    from pbem.services import office
    from pbem.store import mail
    from pbem.transports import kept

    with opened(context) as room:
        row = _found(room.read(lambda session: mail.find_inbox(session, id)), "message", id)
        if row.verdict not in RETRIED:
            _refuse(f"message {id} was {row.verdict}, so nothing is to be done again")
        message = kept.look(row.transport, row.raw, row.received_at).message
        fate = office.receive(room.db, room.house, room.now, message, again=id)
        if fate == "aside":
            raise AdminError(f"the program failed on message {id} again; the log says how")
    show.line(f"message {id} was dealt with again: {fate}")


def _letters(session: "Session", limit: int) -> list[dict[str, Any]]:
    from pbem.store import mail

    return [_letter(session, row) for row in mail.list_letters(session, limit)]


def _letter(session: "Session", row: "Outbox") -> dict[str, Any]:
    return {
        "id": row.id,
        "created_at": _at(row.created_at),
        "sent_at": _at(row.sent_at),
        "kind": row.kind,
        "game": _game(session, row.game_id),
        "to": row.place,
        "subject": tokenless(row.subject),
        "status": row.status,
        "attempts": row.attempts,
        "error": tokenless(row.error),
    }


def _messages(session: "Session", limit: int) -> list[dict[str, Any]]:
    from pbem.store import mail

    return [_message(session, row) for row in mail.list_messages(session, limit)]


def _message(session: "Session", row: "Inbox") -> dict[str, Any]:
    from pbem.store.mail import reasons_of

    return {
        "id": row.id,
        "received_at": _at(row.received_at),
        "sender": tokenless(row.sender),
        "subject": tokenless(row.subject),
        "game": _game(session, row.game_id),
        "seat": row.seat,
        "verdict": row.verdict,
        "reasons": [tokenless(reason) for reason in reasons_of(row)],
    }


def _list(found: list[dict[str, Any]], json: bool, head: tuple[str, ...], keys: str, nothing: str) -> None:
    if json:
        show.as_json(found)
        return
    show.table(head, [[_cell(one[key]) for key in keys.split()] for one in found], nothing)


def _cell(value: Any) -> Any:
    return "; ".join(value) if isinstance(value, list) else value


def _at(moment: Any) -> str | None:
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _game(session: "Session", game_id: int | None) -> str | None:
    from pbem.services.sittings import name_of
    from pbem.store.tables import Game

    game = session.get(Game, game_id) if game_id is not None else None
    return name_of(game) if game else None


def _found(row: Row | None, what: str, id: int) -> Row:
    if row is None:
        _refuse(f"there is no {what} {id}")
    return row


def _refuse(why: str) -> NoReturn:
    from pbem.errors import AdminError

    raise AdminError(why)
