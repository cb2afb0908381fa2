"""Send the letters that wait in the outbox: one that fails never holds up the next, and none is forgotten in silence.

Where several processes serve one database, each sends what it has claimed, and no other sends that meanwhile.
"""

from datetime import timedelta
from functools import partial

import structlog
from sqlmodel import Session

from pbem.errors import Elsewhere, PermanentFailure, TransportFailure
from pbem.rig import Rig
from pbem.services import deadlines, returned
from pbem.store import mail
from pbem.store.session import loose, read, transact
from pbem.store.tables import Outbox
from pbem.transports.base import Transport

log = structlog.get_logger()
TRIES = 20  # with these waits two days: a mail server may be out of reach for a day and more
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=4)
CLAIMED = 10  # letters at a time


async def send_waiting(rig: Rig) -> tuple[int, int]:
    """Send each letter whose time has come, once: one that fails never holds up the next."""
    by_name = {transport.name: transport for transport in rig.transports}
    outcomes: list[bool | None] = []
    last = 0
    while rows := await rig.work(_due, rig, last):
        outcomes += [await _send(rig, by_name.get(row.transport), row) for row in rows if _is_claimed(rig, row)]
        last = rows[-1].id or 0
    return outcomes.count(True), outcomes.count(False)


def _due(rig: Rig, after: int) -> list[Outbox]:
    """Give letters to send, which no other process sends meanwhile: few at a time, where there may be others."""
    now = rig.clock()
    if not rig.duties.shared:
        return read(rig.db, partial(mail.due_letters, now=now, after=after))
    claim = partial(
        mail.claim_letters, now=now, until=now + rig.claim, after=after, limit=CLAIMED, without=rig.left_alone
    )
    return transact(loose(rig.db), claim)


def _is_claimed(rig: Rig, row: Outbox) -> bool:
    """Tell whether a letter is still ours to send: those before it may have taken too long."""
    return not rig.duties.shared or rig.clock() < row.next_try_at


async def _send(rig: Rig, transport: Transport | None, row: Outbox) -> bool | None:
    """Send a letter, and tell whether that was done; None: it waits for its player, or goes by another post."""
    try:
        if transport is None:
            raise PermanentFailure(f"there is no post {row.transport!r}")
        await transport.send(mail.as_outbound(row))
    except Exception as error:
        why = str(error) if isinstance(error, TransportFailure) else type(error).__name__
        final = isinstance(error, PermanentFailure) or row.attempts + 1 >= TRIES
        log.warning("a letter could not be sent", letter=row.id, why=why, given_up=final)
        if not isinstance(error, TransportFailure):
            log.error("sending failed in an unforeseen way", letter=row.id, exc_info=error)
        elsewhere = error if isinstance(error, Elsewhere) and not (error.patient and row.attempts == 0) else None
        if elsewhere is not None and await rig.work(_sent_elsewhere, rig, row, elsewhere):
            return None
        await rig.work(_mark_unsent, rig, row, why, final)
        return None if isinstance(error, Elsewhere) and not (error.patient or final) else False
    await rig.work(_mark_sent, rig, row)
    return True


def _mark_sent(rig: Rig, row: Outbox) -> None:
    now = rig.clock()

    def work(session: Session) -> None:
        deadlines.letter_went_out(session, rig.house, row, now)
        mail.mark_letter(session, row.id or 0, status="sent", sent_at=now, attempts=row.attempts + 1, error="")

    transact(rig.db, work)


def _sent_elsewhere(rig: Rig, row: Outbox, error: Elsewhere) -> bool:
    """Let a letter go by another post, if its player has one; the moderators are told what is wrong with this one."""
    now = rig.clock()

    def work(session: Session) -> bool:
        goes = returned.elsewhere(session, rig.house, row, now, error.alarm)
        if goes:
            told = f"sent by another post: {error}"
            mail.mark_letter(session, row.id or 0, status="failed", attempts=row.attempts + 1, error=told)
        return goes

    return transact(rig.db, work)


def _mark_unsent(rig: Rig, row: Outbox, why: str, final: bool) -> None:
    now, tries = rig.clock(), row.attempts + 1
    status, again = "failed" if final else "queued", now + min(FIRST_WAIT * 2**row.attempts, LONGEST_WAIT)

    def work(session: Session) -> None:
        mail.mark_letter(session, row.id or 0, status=status, attempts=tries, error=why, next_try_at=again)
        if final:
            returned.lost(
                session, rig.house, row, now, f"was given up after {tries} {'try' if tries == 1 else 'tries'}"
            )

    transact(rig.db, work)
