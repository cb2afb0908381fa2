"""Write the letters of a game into the outbox: digests to who should hear, answers, reminders."""

import json
from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session

from pbem.core import clock
from pbem.core.digest import Asked, Note, Page, Scene, Section, Waiting, compose
from pbem.core.token import Token
from pbem.engine import Event
from pbem.services import absences, addressing, chronicle, commons, envelopes
from pbem.services.addressing import Reader
from pbem.services.house import House
from pbem.services.sittings import Sitting, name_of
from pbem.services.terms import footers
from pbem.store import games, mail
from pbem.store.disputes import waiting
from pbem.store.tables import Seat


@dataclass
class Reply:
    """Gather what the answer to one player's message says.

    `wants_digest`: the player asked for it. `cause` is the key of the letter. `via`: the post that the message came by.
    """

    cause: str
    notes: list[Note] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    footers: list[str] = field(default_factory=list)
    opening: str = ""
    wants_digest: bool = False
    via: str = ""
    file_name: str = ""
    file: str = ""


def tell(
    session: Session, house: House, sitting: Sitting, now: datetime, *,
    replies: dict[int, Reply] | None = None, everybody: bool = False, opening: str = "",
) -> None:  # fmt: skip
    """Queue a letter for each seat that should hear of what changed, and for each that is owed an answer.

    All hear at a turn's end and at the game's; in between those who are newly asked, and who sent an order.
    Secret: each letter is made from the one seat's view.
    """
    replies = replies or {}
    hearing = _hearing(sitting, replies, everybody)
    told = addressing.readers(session, sitting.seats, {number: reply.via for number, reply in replies.items()})
    wanted = sorted((hearing | replies.keys()) & told.keys())
    mail.add_letters(session, commons.told(session, house, sitting, now, envelopes.era(session)))
    if not wanted:
        return
    desk = _Desk(session, house, sitting, now, hearing)
    rows = [
        desk.letter(sitting.seats[number], told[number], number in hearing, reply=replies.get(number), opening=opening)
        for number in wanted
    ]
    mail.add_letters(session, addressing.spread((row for row in rows if row), told))


def remind(session: Session, house: House, sitting: Sitting, number: int, moment: datetime, now: datetime) -> None:
    """Queue the reminder of one moment to a seat that has not answered yet.

    Secret: for the seat alone.
    """
    seat = sitting.seats[number]
    reader = addressing.readers(session, [seat]).get(number)
    if reader is None:
        return
    cause = f"r{seat.game_id}-{sitting.prompts[number].number}-{moment:%Y%m%d%H%M}"
    opening = "A reminder: the others wait for your answer."
    desk = _Desk(session, house, sitting, now, {number})
    row = desk.letter(seat, reader, True, kind="reminder", cause=cause, opening=opening)
    if row and not mail.has_letter(session, str(row["key"])):
        mail.add_letters(session, addressing.spread([row], {number: reader}))


def _hearing(sitting: Sitting, replies: dict[int, Reply], everybody: bool) -> set[int]:
    """Choose the seats that get a digest."""
    over = sitting.moved and sitting.game.status in ("over", "ended")
    if everybody or over or sitting.table.turn() != sitting.turn_before:
        return {seat.number for seat in sitting.seats if over or not seat.resigned}
    asked = {prompt.seat for prompt in sitting.opened if prompt.closed_at is None} | sitting.ahead.told.keys()
    actors = {number for number, reply in replies.items() if reply.wants_digest or sitting.moved}
    return {number for number in asked if not sitting.seats[number].resigned} | actors


class _Desk:
    """Write the letters of one sitting: what all see alike is rendered once."""

    def __init__(self, session: Session, house: House, sitting: Sitting, now: datetime, hearing: set[int]) -> None:
        self._session, self._house, self._sitting, self._now = session, house, sitting, now
        self._scene = Scene(house.renderer, sitting.table, sitting.names)
        self._prompts = sitting.table.awaiting() if sitting.is_open else {}
        self._log = self._unheard(hearing)
        self._era = envelopes.era(session)
        self._back = chronicle.taken_back(session, sitting)
        self._disputes = waiting(session, sitting.game.id or 0) if sitting.game.status == "paused" else []
        self._late = self._scene.lines(chronicle.told_late(session, sitting), None)

    def letter(
        self, seat: Seat, reader: Reader, hears: bool, *, reply: Reply | None = None, opening: str = "",
        kind: str = "", cause: str = "",
    ) -> dict[str, object] | None:  # fmt: skip
        """Write one seat's letter, or none where there is no address to send it to."""
        sitting = self._sitting
        if reader.place is None:
            return None
        told = sitting.ahead.told.get(seat.number, ())
        page = Page(
            name=name_of(sitting.game),
            title=sitting.engine.title,
            to=seat.name,
            turn=sitting.table.turn(),
            opening=" ".join(filter(None, ((reply and reply.opening) or opening, *told))),
            notes=tuple(reply.notes) if reply else (),
            sections=tuple(reply.sections) if reply else (),
            happened=self._happened(seat, reply) if hears else (),
            asked=self._asked(seat, reader) if hears else None,
            waiting=self._waiting(seat, reader) if hears else (),
            footers=(*(self._footers(seat) if hears else ()), *(reply.footers if reply else ())),
        )
        digest = self._scene.digest(seat.number) if hears else None
        text, html = compose(self._house.renderer, page, digest)
        if hears:
            seat.heard = sitting.table.entries
        prompt = sitting.prompts.get(seat.number)
        token = Token(sitting.game.id or 0, seat.number, sitting.game.epoch, prompt.number if prompt else 0)
        cause = cause or (reply.cause if reply else f"d{sitting.game.id}-{sitting.table.entries}-{seat.number}")
        row = envelopes.row_for(
            self._house, reader, seat, token, kind=kind or ("answer" if reply else "digest"), key=cause + self._era,
            subject=subject(sitting, seat.number if hears and not (prompt and prompt.order) else None),
            text=text, html=html, now=self._now,
        )  # fmt: skip
        row |= _ringing(page.asked)
        envelopes.guard(self._house, row, seat, reader, page.to)
        return row | ({"file_name": reply.file_name, "file": reply.file} if reply else {})

    def _unheard(self, hearing: set[int]) -> list[tuple[int, int, tuple[Event, ...]]]:
        """Give the entries that one of the hearing seats has not heard of, as (number, turn, events)."""
        sitting = self._sitting
        new = [(entry.number, turn, chronicle.told_events(entry.body, entry.events)) for entry, turn in sitting.entries]
        heard = min((sitting.seats[number].heard for number in hearing), default=sitting.table.entries)
        if heard + len(new) >= sitting.table.entries:
            return new
        old = games.log_of(self._session, sitting.game.id or 0, heard)
        return [(row.number, row.turn, chronicle.told_events(row.body, games.events_of(row))) for row in old] + new

    def _happened(self, seat: Seat, reply: Reply | None) -> tuple[str, ...]:
        """Tell what a seat has not heard of; where MEMORY is closed, who left the table hears the last turn alone."""
        sitting, log, heard = self._sitting, self._log, seat.heard
        if reply and reply.wants_digest and not sitting.moved:
            log, heard = chronicle.last_turn(self._session, sitting), 0
        since = sitting.table.turn() - 1 if sitting.engine.memory == "closed" and seat.resigned else 0
        lines: list[str] = []
        for number, turn, events in log:
            if number > heard and turn >= since:
                told = self._scene.lines(events, seat.number)
                lines += chronicle.struck(told) if number in self._back else told
        return tuple(lines)

    def _asked(self, seat: Seat, reader: Reader) -> Asked | None:
        prompt, row = self._prompts.get(seat.number), self._sitting.prompts.get(seat.number)
        if prompt is None or row is None or seat.resigned:
            return None
        return Asked(
            prompt.asked, prompt.examples, prompt.optional, *self._until(row.deadline_at, reader), row.order or ""
        )

    def _waiting(self, seat: Seat, reader: Reader) -> tuple[Waiting, ...]:
        return tuple(
            Waiting(
                self._sitting.seats[number].name,
                row.kind,
                self._until(row.deadline_at, reader)[0],
                absences.shown(self._sitting, row, reader.player.zone, self._now),
            )
            for number, row in sorted(self._sitting.prompts.items())
            if self._sitting.is_open and number != seat.number
        )

    def _until(self, deadline_at: datetime, reader: Reader) -> tuple[str, str]:
        return clock.show_instant(deadline_at, reader.player.zone), clock.show_span(deadline_at - self._now)

    def _footers(self, seat: Seat) -> tuple[str, ...]:
        entries = self._sitting.entries
        first = not seat.thread or bool(entries and entries[0][0].kind == "deal")
        return (*footers(self._sitting, first=first, disputes=self._disputes), *self._late)


def _ringing(asked: Asked | None) -> dict[str, object]:
    """Say in a letter's row whether it asks for an answer, and which lines would be one."""
    if asked is None or asked.sealed:
        return {}
    return {"rings": True, "examples": json.dumps(asked.examples, ensure_ascii=False) if asked.examples else ""}


def subject(sitting: Sitting, seat: int | None) -> str:
    """Name the game, the turn and what is asked (of the seat first), never a card."""
    name, turn = name_of(sitting.game), sitting.table.turn()
    if sitting.game.status in ("over", "ended"):
        return f"[{name}] The game is over"
    prompt = sitting.prompts.get(seat) if seat is not None and sitting.is_open else None
    if prompt is not None:
        return f"[{name}] Turn {turn}: your answer is wanted ({prompt.kind})"
    return f"[{name}] Turn {turn}"
