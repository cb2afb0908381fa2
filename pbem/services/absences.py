"""Let players be away: no deadline of theirs falls into that time, up to so many days a game and player.

An absence begins a day after it was said at the earliest, so that it never moves a deadline that is less than a
day off.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.core import clock
from pbem.engine import Event
from pbem.errors import AdminError
from pbem.services import clocks, turns
from pbem.services.house import House
from pbem.services.sittings import Sitting
from pbem.store import absences as store
from pbem.store.tables import Absence, Prompt

DAY = timedelta(days=1)


def begin(
    session: Session, house: House, now: datetime, sitting: Sitting, seat: int, text: str, zone: str
) -> tuple[Absence, bool]:
    """Enter an absence of a seat's player, and tell whether a deadline was moved by it.

    Raises: AdminError, saying how many days are left.
    """
    since, until = clock.parse_absence(text, zone, now)
    since = max(since, now + DAY)
    own = [row for row in sitting.absences if row.seat == seat]
    if until <= since:
        raise AdminError("an absence begins a day after it is said, and this one is over by then")
    if any(row.since_at < until and since < row.until_at for row in own):
        raise AdminError('part of that time is an absence already; "away back" ends it')
    left = timedelta(days=house.config.time.away_days) - sum((row.until_at - row.since_at for row in own), timedelta())
    if until - since > left:
        raise AdminError(
            f"that is {clock.show_span(until - since)}; of the {house.config.time.away_days} days a game, "
            f"{clock.show_span(left) if left > timedelta(0) else 'none'} remain"
        )
    holder = sitting.seats[seat].player_id or 0
    absence = Absence(game_id=sitting.game.id or 0, seat=seat, player_id=holder, since_at=since, until_at=until)
    store.add_absence(session, absence)
    sitting.absences.append(absence)
    moved = [prompt for prompt in _open(sitting, seat) if clocks.spare(prompt, [absence])]
    sitting.touched |= {prompt.number: prompt for prompt in moved}
    facts = {"seat": seat, "since": clock.show_instant(since, "UTC"), "until": clock.show_instant(until, "UTC")}
    turns.announce(sitting, Event("house.away", facts))
    return absence, bool(moved)


def end(session: Session, now: datetime, sitting: Sitting, seat: int) -> bool | None:
    """End the absences of a seat, and tell whether a deadline was moved by it; None if there is none.

    A deadline that the absence moved comes back: what was left when it began is left now, and a day at least.
    """
    own = [row for row in sitting.absences if row.seat == seat and row.until_at > now]
    if not own:
        return None
    moved = []
    for prompt in _open(sitting, seat):
        if (earlier := _without(sitting, prompt, own, now)) < prompt.deadline_at:
            clocks.extend(prompt, earlier, now)
            moved.append(prompt)
    sitting.touched |= {prompt.number: prompt for prompt in moved}
    for row in own:
        row.until_at = max(now, row.since_at)
        store.end_absence(session, row)
    turns.announce(sitting, Event("house.back", {"seat": seat}))
    return bool(moved)


def _without(sitting: Sitting, prompt: Prompt, absences: Iterable[Absence], now: datetime) -> datetime:
    """Give the deadline of a prompt once its player is back; the same, if it was not an absence that moved it."""
    asked = prompt.asked_at + turns.clock(sitting.game, prompt.kind)
    for row in absences:
        began = max(row.since_at, prompt.asked_at)
        if row.since_at <= asked < row.until_at and prompt.deadline_at == row.until_at + (asked - began):
            return max(now, began) + max(asked - began, DAY)
    return prompt.deadline_at


def check_present(sitting: Sitting, prompts: Iterable[Prompt], at: datetime) -> None:
    """Make sure that no deadline is set into an absence.

    Raises: AdminError.
    """
    for prompt in prompts:
        for row in sitting.absences:
            if row.seat == prompt.seat and row.since_at <= at < row.until_at:
                name = sitting.seats[prompt.seat].name
                until = clock.show_instant(row.until_at, "UTC")
                raise AdminError(f"{name} is away until {until}; `pbem admin edit-player {name} --back` ends that")


def shown(sitting: Sitting, prompt: Prompt, zone: str, now: datetime) -> str:
    """Say, in a line on what a seat is asked, when its player is away; "" if that does not matter for it."""
    for row in sitting.absences:
        if row.seat == prompt.seat and row.until_at > now and row.since_at <= prompt.deadline_at:
            since = f"from {clock.show_instant(row.since_at, zone)} " if row.since_at > now else ""
            return f"{since}until {clock.show_instant(row.until_at, zone)}"
    return ""


def _open(sitting: Sitting, seat: int) -> list[Prompt]:
    return [prompt for prompt in sitting.prompts.values() if prompt.seat == seat]
