"""Hear what players say of a quarrel: open disputes, and appeal."""

from pbem.core.reading import Command
from pbem.errors import NotAwaited, UnknownCommand
from pbem.services import disputes
from pbem.services.disputes import LONGEST
from pbem.services.hearing import Hearing, clean
from pbem.store import disputes as store
from pbem.store.tables import Dispute

AT_ONCE = 3  # disputes of one player in one game that may wait for a ruling


def dispute(hearing: Hearing, command: Command) -> None:
    """Open a dispute, and tell all players that there is one.

    Raises: UnknownCommand, NotAwaited.
    """
    text = _words(command.rest, "dispute TEXT")
    seat, rows = hearing.token.seat, store.disputes_of(hearing.session, hearing.token.game_id)
    waiting = [str(row.id) for row in rows if row.seat == seat and row.status in store.WAITING]
    if len(waiting) >= AT_ONCE:
        raise NotAwaited(f"Your disputes {', '.join(waiting)} wait for a ruling; please wait for that of one of them.")
    row = Dispute(game_id=hearing.token.game_id, seat=seat, text=text, opened_at=hearing.now)
    _enter(hearing, row, "dispute")


def appeal(hearing: Hearing, command: Command) -> None:
    """Ask that another moderator rule on a dispute, once.

    Raises: UnknownCommand, NotAwaited.
    """
    number, _, words = command.rest.partition(" ")
    row = store.find_dispute(hearing.session, int(number)) if number.isdecimal() and len(number) < 10 else None
    if row is None or row.game_id != hearing.token.game_id:
        ruled = [one for one in store.disputes_of(hearing.session, hearing.token.game_id) if one.status == "ruled"]
        why = f'There is no dispute "{clean(number)[:20]}" in this game.' if number else "Which dispute is meant?"
        raise UnknownCommand(why, *(f"appeal {one.id} TEXT" for one in ruled if one.appealed_by is None))
    text = _words(words, f"appeal {row.id} TEXT")
    _check_appeal(hearing, row)
    row.appeal, row.appealed_by, row.status = text, hearing.token.seat, "appealed"
    _enter(hearing, row, "appeal")


def _check_appeal(hearing: Hearing, row: Dispute) -> None:
    if row.status == "open":
        raise NotAwaited(f"Dispute {row.id} waits for its ruling still; there is nothing to appeal against yet.")
    if row.appealed_by is not None:
        raise NotAwaited(f"Dispute {row.id} was appealed once, and there is no second appeal.")
    if not disputes.can_appeal(hearing.session, hearing.house, hearing.sitting, row):
        raise NotAwaited(f"There is no other moderator who could rule on dispute {row.id}, so the ruling stands.")


def _enter(hearing: Hearing, row: Dispute, what: str) -> None:
    """Enter a dispute or an appeal, and tell its sender what comes of it."""
    number = disputes.enter(hearing.session, hearing.house, hearing.now, hearing.sitting, row)
    hearing.changed = hearing.all_hear = True
    hearing.did(what, str(number))
    if what == "appeal":
        told = f"Your words go to the moderators; another one than before must rule on dispute {number}."
    else:
        told = f"Your words go to the moderators as dispute {number}. The others are told that it is open, no more."
    stands = " All clocks stand still until the ruling." if row.stop_at else " The game goes on meanwhile."
    hearing.note(what, told + stands)


def _words(text: str, example: str) -> str:
    """Give what a player says of a quarrel, its lines kept.

    Raises: UnknownCommand.
    """
    said = "\n".join(line for line in (clean(line).strip() for line in text[:LONGEST].splitlines()) if line)
    if not said:
        raise UnknownCommand("This must say what it is about; the moderators alone will read that.", example)
    return said
