"""Keep disputes: each stops the game's clocks until a moderator has ruled, if the game says so.

What it is about is for the moderators; all players are told that there is one, and what was ruled. One appeal is heard,
by another moderator.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from pbem.core import dice
from pbem.engine import Event
from pbem.errors import AdminError
from pbem.services import desk, moderators, notices, sittings, turns
from pbem.services.house import House
from pbem.services.moderators import Ruler
from pbem.services.sittings import Sitting
from pbem.store import disputes as store
from pbem.store import games
from pbem.store.tables import Dispute, Game

DISPUTED, APPEALED, RULED = "house.disputed", "house.appealed", "house.ruled"
STOP = "stop"
"""What a game says whose clocks disputes stop."""
LONGEST = 4000  # characters of what it is about
ANY = ("open", "paused", "over", "ended")


@dataclass(frozen=True)
class Deed:
    """Say what a ruling does beside its words: a ruling of the desk, and what that is given before reason and ruler.

    `check` tells whether it can be done, and keeps in the log that this was asked, where the answer tells something.
    """

    act: Callable[..., Any]
    given: tuple[object, ...] = ()
    check: Callable[..., bool] | None = None

    def can(self, session: Session, house: House, now: datetime, game: Game, reason: str, by: Ruler) -> bool:
        """Tell whether it can be done."""
        return self.check is None or self.check(session, house, now, game, *self.given, reason, by)

    def do(self, session: Session, house: House, now: datetime, game: Game, reason: str, by: Ruler) -> Any:
        """Do it."""
        return self.act(session, house, now, game, *self.given, reason, by)


def open_for(
    session: Session, house: House, now: datetime, game: Game, text: str, player: str | None, by: Ruler
) -> int:
    """Open a dispute at the desk, for a player who told of it elsewhere or for nobody, and give its number.

    Raises: AdminError.
    """
    sitting = desk.take(session, house, game, by, *ANY)
    seat = None if player is None else desk.seat_of(sitting, player).number
    row = Dispute(game_id=game.id or 0, seat=seat, opened_by=by.name, text=_words(text), opened_at=now)
    number = enter(session, house, now, sitting, row, by)
    desk.tell(session, house, now, sitting)
    return number


def enter(
    session: Session, house: House, now: datetime, sitting: Sitting, row: Dispute, by: Ruler | None = None
) -> int:
    """Enter a new dispute, or an appeal, in the log, stop the clocks, and alarm the moderators; give its number."""
    appealed = row.status == "appealed"
    others = [one for one in store.disputes_of(session, row.game_id) if one.id != row.id]
    row.stop_at = _stop(sitting, row, others, now)
    number = row.id or store.add_dispute(session, row)
    store.save_dispute(session, row)
    text = row.appeal if appealed else row.text
    facts = {"dispute": number, "seat": _whose(row), "stopped": row.stop_at is not None, **(by.facts() if by else {})}
    kind = APPEALED if appealed else DISPUTED
    turns.announce(sitting, Event(kind, facts), said=sealed(sitting.game.seed, number, text))
    did = "was appealed" if appealed else "is open"
    told = f"Dispute {number} in {sittings.name_of(sitting.game)} {did}: pbem mod dispute show {number}"
    notices.alarm(session, house, f"{'appeal' if appealed else 'dispute'}-{number}", told, now)
    return number


def rule(
    session: Session, house: House, now: datetime, game: Game, number: int, text: str, deed: Deed | None,
    dismissed: bool, by: Ruler,
) -> Any:  # fmt: skip
    """Rule on a dispute and tell all players: in words, and by a deed if there is one; give what came of that.

    The clocks that it stopped run again, unless another dispute stops them too. An order that cannot be given rules
    nothing: that it was tried stands in the log, and False is given.
    Raises: AdminError, also for a moderator who ruled on it before it was appealed.
    """
    row = get_dispute(session, number)
    sitting = desk.take(session, house, game, by, *ANY)
    _check_waits(session, row, by)
    reason = f"the ruling on dispute {number}"
    if deed is not None and not deed.can(session, house, now, game, reason, by):
        return False
    appeal = "heard" if row.status == "appealed" else "open" if _free(session, house, sitting) - {by.name} else "none"
    facts = {"dispute": number, "ruling": _words(text), "dismissed": dismissed, "appeal": appeal}
    desk.enter(sitting, Event(RULED, facts), by)
    row.status = "ruled"
    _let_go(session, sitting, row, reason, by, now)
    store.save_dispute(session, row)
    if deed is None:
        desk.tell(session, house, now, sitting)
        return None
    sittings.rise(session, sitting, now)
    return deed.do(session, house, now, game, reason, by)


def get_dispute(session: Session, number: int) -> Dispute:
    """Find a dispute by its number.

    Raises: AdminError, naming those that wait.
    """
    row = store.find_dispute(session, number)
    if row is None:
        waiting = ", ".join(str(one.id) for one in store.list_disputes(session, waiting=True))
        raise AdminError(f"there is no dispute {number}; waiting for a ruling: {waiting or 'none'}")
    return row


def rulers(session: Session, row: Dispute) -> set[str]:
    """Name the moderators who ruled on a dispute."""
    bodies = [json.loads(entry.body) for entry in games.log_of(session, row.game_id) if entry.kind == "ruling"]
    return {body["by"] for body in bodies if body["what"] == RULED and body["dispute"] == row.id}


def can_appeal(session: Session, house: House, sitting: Sitting, row: Dispute) -> bool:
    """Tell whether there is another moderator, with no seat in the game, who could rule on a dispute again."""
    return bool(_free(session, house, sitting) - rulers(session, row))


def sealed(seed: bytes, number: int, text: str) -> str:
    """Commit to what a dispute is about, so that it can be shown later that it was this and nothing else."""
    return hashlib.sha256(b"pbem dispute\0" + dice.salt(seed, number, "dispute") + text.encode()).hexdigest()


def _words(text: str) -> str:
    """Give one line of plain text that was typed at the desk.

    Raises: AdminError.
    """
    said = text.strip()
    if not said or not said.isprintable() or len(said) > LONGEST:
        raise AdminError(f'this needs a line of plain text, {LONGEST} characters at most: --text "..."')
    return said


def _stop(sitting: Sitting, row: Dispute, others: list[Dispute], now: datetime) -> datetime | None:
    """Stop the clocks, or keep them stopped with another dispute, and give since when; None: the game goes on.

    A player stops them once until there is a ruling.
    """
    game = sitting.game
    whose = _whose(row)
    if game.disputes != STOP or (whose is not None and any(_stops(one, whose) for one in others)):
        return None
    if game.status == "open":
        game.status, game.paused_at = "paused", now
        return now
    held = {one.stop_at for one in others} - {None}
    return game.paused_at if game.status == "paused" and game.paused_at in held else None


def _whose(row: Dispute) -> int | None:
    """Give the seat that waits for the ruling: whoever appealed, else whose dispute it is."""
    return row.appealed_by if row.status == "appealed" else row.seat


def _stops(row: Dispute, seat: int) -> bool:
    """Tell whether a dispute or its appeal is this seat's, waits, and was given a stop."""
    return row.status in store.WAITING and _whose(row) == seat and row.stop_at is not None


def _let_go(session: Session, sitting: Sitting, row: Dispute, reason: str, by: Ruler, now: datetime) -> None:
    """Let the clocks run again that a dispute stopped, if they still stand for it and for no other."""
    game, since, row.stop_at = sitting.game, row.stop_at, None
    others = [one for one in store.disputes_of(session, row.game_id) if one.id != row.id]
    if since is None or game.status != "paused" or game.paused_at != since:
        return
    if not any(one.stop_at == since for one in others):
        desk.start_clocks(sitting, now)
        desk.enter(sitting, Event("house.resumed", {"reason": reason}), by, before=since.isoformat())


def _check_waits(session: Session, row: Dispute, by: Ruler) -> None:
    """Make sure that a dispute waits for this moderator's ruling.

    Raises: AdminError.
    """
    if row.status == "ruled":
        more = "a player may appeal, once" if row.appealed_by is None else "its one appeal was heard, so that stands"
        raise AdminError(f"dispute {row.id} was ruled on; {more}")
    if by.name in rulers(session, row):
        raise AdminError(f"{by.name} ruled on dispute {row.id}, and it was appealed: another moderator must rule now")


def _free(session: Session, house: House, sitting: Sitting) -> set[str]:
    """Name the moderators who hold no seat in a game."""
    config, seats = house.config, sitting.seats
    return {name for name in config.moderators if not moderators.plays(session, config, seats, name)}
