"""Gather what a dispute is settled by: the log around it, what came, what went; what is hidden opens like a look.

Secret: for moderators who hold no seat in the game.
"""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlmodel import Session

from pbem.core import receipts
from pbem.core.evidence import Evidence, Letter, Message, Ruling
from pbem.core.message import Inbound
from pbem.core.quotes import own_words
from pbem.core.token import tokenless
from pbem.services import chronicle, desk, disputes, envelopes, pages, peeking, sittings
from pbem.services.house import House
from pbem.services.moderators import Ruler
from pbem.services.sittings import Sitting
from pbem.store import games, mail, players
from pbem.store import receipts as receipt_store
from pbem.store.tables import Dispute, Inbox, LogEntry, Outbox, Receipt

OWN_WORDS = ("subject", "thread-topic", "comments", "keywords")
"""Headers into which a sender may write what is nobody else's business."""
BEFORE = ("re:", "aw:", "fw:", "fwd:", "sv:", "antw:", "rv:", "res:")
"""What mail programs put before a subject."""
HIDDEN, CODED = "(the sender's own words)", "(hidden: it has a token in it)"
TURNS = 2
"""How many turns before the one in which it was opened are looked at."""


class Header(Protocol):
    """Be a header of a kept message: its name, its value as it came, and what that says once decoded."""

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def plain(self) -> str: ...


class Kept(Protocol):
    """Be a message that was kept, as the office reads it, with its headers."""

    @property
    def message(self) -> Inbound: ...
    @property
    def headers(self) -> Sequence[Header]: ...


Look = Callable[[str, bytes, datetime], Kept]
"""Read a kept message again: its post, its bytes, and when it was received."""


def show(
    session: Session, house: House, now: datetime, number: int, look: Look, by: Ruler, *,
    names: Sequence[str] = (), reason: str = "", back: int = TURNS,
) -> Evidence:  # fmt: skip
    """Give the evidence of a dispute, from `back` turns before it on.

    Secret: for who rules. What the players `names` wrote and were told in private is opened as a look is: it stands in
    the log with the reason before anything is shown.
    Raises: AdminError, also for who holds a seat in the game.
    """
    row = disputes.get_dispute(session, number)
    game = games.find_game(session, row.game_id)
    assert game is not None
    sitting = desk.take(session, house, game, by)
    opened = [desk.seat_of(sitting, name).number for name in names]
    for seat in opened:
        facts = {"seat": seat, **desk.reasoned(reason)}
        peeking.enter(session, house, now, sitting, "letters", facts, by)
        sitting = desk.take(session, house, game, by)
    return _Desk(session, house, sitting, row, look, frozenset(opened), back).evidence(now)


@dataclass(frozen=True)
class _Desk:
    """Lay out the evidence of one dispute."""

    session: Session
    house: House
    sitting: Sitting
    row: Dispute
    look: Look
    opened: frozenset[int]
    back: int

    def evidence(self, now: datetime) -> Evidence:
        row, sitting = self.row, self.sitting
        log = chronicle.rows(self.session, sitting, now)
        told = [entry for entry in log if json.loads(entry.body).get("dispute") == row.id]
        until = told[-1].entered_at if row.status == "ruled" else now
        around = [entry for entry in log if entry.turn >= told[0].turn - self.back and entry.entered_at <= until]
        since = around[0].entered_at
        came, went = self._came(since, until), self._went(since, until)
        known = mail.subjects_of(self.session, row.game_id)
        slips = {slip.cause: slip for slip in receipt_store.receipts_of(self.session, row.game_id)}
        answers = {envelopes.cause_of(one): one.id or 0 for one in came}
        return Evidence(
            dispute=row.id or 0,
            game=sittings.name_of(sitting.game),
            title=sitting.engine.title,
            names=sitting.names,
            by=self._opener(),
            opened_at=_at(row.opened_at),
            entry=told[0].number,
            text=row.text,
            status=row.status,
            clocks=self._clocks(),
            appealed_by="" if row.appealed_by is None else sitting.names[row.appealed_by],
            appeal=row.appeal,
            rulings=tuple(_ruling(entry) for entry in told if json.loads(entry.body)["what"] == disputes.RULED),
            log=tuple(pages.observed(self.session, self.house, sitting, around)),
            messages=tuple(self._message(one, slips, known) for one in came),
            letters=tuple(self._letter(one, answers) for one in went),
            opened=tuple(sitting.names[seat] for seat in sorted(self.opened)),
        )

    def _opener(self) -> str:
        row, names = self.row, self.sitting.names
        moderator = f"the moderator {row.opened_by}" if row.opened_by else ""
        return moderator if row.seat is None else names[row.seat] + (f" (by {moderator})" if moderator else "")

    def _clocks(self) -> str:
        if self.row.status == "ruled":
            return "It was ruled on."
        stop = self.row.stop_at
        stands = stop is not None and stop == self.sitting.game.paused_at
        return f"It waits for a ruling; {'the clocks stand still' if stands else 'the game goes on'}."

    def _came(self, since: datetime, until: datetime) -> list[Inbox]:
        holders = [seat.player_id for seat in self.sitting.seats if seat.player_id is not None]
        return mail.messages_about(self.session, self.row.game_id, holders, since, until)

    def _went(self, since: datetime, until: datetime) -> list[Outbox]:
        return mail.letters_about(self.session, self.row.game_id, since, until)

    def _message(self, one: Inbox, slips: dict[str, Receipt], known: Collection[str]) -> Message:
        kept = self.look(one.transport, one.raw, one.received_at)
        slip = slips.get(envelopes.cause_of(one))
        is_open = one.seat in self.opened
        player = players.get_players(self.session, [one.player_id]).get(one.player_id) if one.player_id else None
        deeds = receipts.load(slip.deeds) if slip else ()
        return Message(
            number=one.id or 0,
            post=one.transport,
            sender=tokenless(one.sender),
            player=player.name if player else "",
            seat="" if one.seat is None else self.sitting.names[one.seat],
            why=tuple(tokenless(reason) for reason in mail.reasons_of(one)),
            received=_at(one.received_at),
            handled=_at(one.handled_at),
            verdict=one.verdict,
            headers=tuple((header.name, _value(header, None if is_open else known)) for header in kept.headers),
            receipt=slip.hash if slip else "",
            words=self._words(kept.message) if is_open else None,
            reading=tuple(deed.shown for deed in deeds) if is_open else None,
        )

    def _words(self, message: Inbound) -> str:
        sent = mail.find_letter(self.session, [answer.partition("@")[0].casefold() for answer in message.answers])
        return tokenless(own_words(message.text, message.html, sent.text if sent else None).text)

    def _letter(self, one: Outbox, answers: dict[str, int]) -> Letter:
        seat = one.seat or 0
        return Letter(
            number=one.id or 0,
            to=self.sitting.names[seat],
            post=one.transport,
            place=one.place,
            kind=one.kind,
            subject=tokenless(one.subject) if one.kind != "talk" or one.seat in self.opened else "",
            answers=next((number for cause, number in answers.items() if one.key.startswith(cause)), 0),
            written=_at(one.created_at),
            sent=_at(one.sent_at),
            back=_at(one.bounced_at),
            status=one.status,
            error=tokenless(one.error),
            text=tokenless(one.text) if one.seat in self.opened else None,
        )


def _value(header: Header, known: Collection[str] | None) -> str:
    """Give a header's value without tokens; own words of the sender only where nothing is to be hidden (None)."""
    if known is not None and header.name in OWN_WORDS and not _is_ours(header.plain, known):
        return HIDDEN
    return CODED if _has_coded_token(header) else tokenless(header.value)


def _has_coded_token(header: Header) -> bool:
    """Tell whether a token stands there encoded, or broken by a fold, so that it would not be blotted out."""
    shown, plain = tokenless(header.value), tokenless(header.plain)
    broken = ("".join(text.split()) for text in (shown, plain))
    return (shown == header.value and plain != header.plain) or any(tokenless(text) != text for text in broken)


def _is_ours(subject: str, known: Collection[str]) -> bool:
    """Tell whether a subject is that of a letter of ours, with what mail programs put before it."""
    return any(
        subject.endswith(one) and all(part in BEFORE for part in subject.removesuffix(one).lower().split())
        for one in known
    )


def _ruling(entry: LogEntry) -> Ruling:
    body = json.loads(entry.body)
    return Ruling(entry.number, str(body["by"]), _at(entry.entered_at), str(body["ruling"]), bool(body["dismissed"]))


def _at(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S} UTC"
