"""Reckon deadlines and reminders over aware datetimes, and read and show times as people write them."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import whenever
from pytimeparse.timeparse import timeparse

from pbem.errors import AdminError

HALF = "half"


def parse_span(text: str) -> timedelta:
    """Read a span such as `72h`, `3d`, `2d12h` or `90m`.

    Raises: AdminError for anything else, and for nothing or less.
    """
    seconds = timeparse(text.strip()) if re.search(r"[a-z]", text, re.I) else None
    if not seconds or seconds <= 0:
        raise AdminError(f"{text!r} is no span of time; write for example 72h, 3d, 2d12h or 90m")
    return timedelta(seconds=seconds)


def parse_zone(name: str) -> str:
    """Read the name of a time zone such as `Europe/Berlin`.

    Raises: AdminError if there is none of that name.
    """
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise AdminError(f"there is no time zone {name!r}; write for example Europe/Berlin or UTC") from error


def parse_instant(text: str, zone: str, now: datetime) -> datetime:
    """Read `2026-12-24 18:00 [Europe/Berlin]` or `+24h` as an instant.

    A wall time that exists twice means the later one, since that gives more time.
    Raises: AdminError for what cannot be read or does not exist (a clock put forward skips it).
    """
    if text.startswith("+"):
        return now + parse_span(text[1:])
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(?:\s+(\S+))?", text.strip())
    if not found:
        raise AdminError(f"{text!r} is no time; write +24h or 2026-12-24 18:00 Europe/Berlin")
    day, wall, named = found.groups()
    place = parse_zone(named or zone)
    try:
        plain = whenever.PlainDateTime.parse_iso(f"{day}T{wall}:00")
    except ValueError as error:
        raise AdminError(f"{text!r} is no day and time of the calendar") from error
    try:
        plain.assume_tz(place, disambiguation="raise")
    except whenever.SkippedTime as error:
        later = plain.assume_tz(place, disambiguation="later").to_plain()
        raise AdminError(
            f"{day} {wall} does not exist in {place}: the clock is put forward then; "
            f"write {later.date()} {str(later.time())[:5]}"
        ) from error
    except whenever.RepeatedTime:
        pass
    return plain.assume_tz(place, disambiguation="later").to_stdlib().astimezone(UTC)


def parse_absence(text: str, zone: str, now: datetime) -> tuple[datetime, datetime]:
    """Read `5 days`, from now on, or `2026-12-20 2027-01-02`, both days in full, as two instants.

    Raises: AdminError for what cannot be read, and for what is over already.
    """
    words = text.lower().split()
    if len(words) == 2 and words[0].isdecimal() and words[1] in ("day", "days") and int(words[0]) < 1000:
        since, until = now, now + timedelta(days=int(words[0]))
    elif len(words) == 2 and all(re.fullmatch(r"\d{4}-\d\d-\d\d", word) for word in words):
        since, until = _midnight(words[0], zone), _midnight(words[1], zone, days=1)
    else:
        raise AdminError(f"{text!r} is no absence; write for example 5 days, or 2026-12-20 2027-01-02")
    if until <= max(since, now):
        raise AdminError(f"{text!r} is over already, or ends before it begins")
    return since, until


def _midnight(day: str, zone: str, days: int = 0) -> datetime:
    """Give the instant at which a day begins, or one so many days later."""
    try:
        start = whenever.Date.parse_iso(day).add(days=days)
    except ValueError as error:
        raise AdminError(f"{day} is no day of the calendar") from error
    plain = start.at(whenever.Time(0, 0))
    return plain.assume_tz(zone, disambiguation="compatible").to_stdlib().astimezone(UTC)


def parse_rungs(texts: Iterable[str]) -> tuple[str, ...]:
    """Check a ladder of reminders: `half`, and spans before the deadline.

    Raises: AdminError for anything else.
    """
    rungs = tuple(text.strip().lower() for text in texts)
    for rung in rungs:
        if rung != HALF:
            parse_span(rung)
    return rungs


def reminders(asked_at: datetime, deadline_at: datetime, rungs: Sequence[str]) -> list[datetime]:
    """Give the instants at which to remind, in order, each strictly between question and deadline."""
    whole = deadline_at - asked_at
    moments = {deadline_at - (whole / 2 if rung == HALF else parse_span(rung)) for rung in rungs}
    return sorted(moment for moment in moments if asked_at < moment < deadline_at)


def due_reminder(
    asked_at: datetime, deadline_at: datetime, rungs: Sequence[str], since: datetime, now: datetime
) -> datetime | None:
    """Give the newest reminder due from `since` to now: several that were missed are one, and none comes too late."""
    due = [moment for moment in reminders(asked_at, deadline_at, rungs) if since <= moment <= now]
    return due[-1] if due and now < deadline_at else None


def next_reminder(asked_at: datetime, deadline_at: datetime, rungs: Sequence[str], now: datetime) -> datetime | None:
    """Give the first reminder that is still to come."""
    return next((moment for moment in reminders(asked_at, deadline_at, rungs) if moment > now), None)


def last_beat(start: datetime, pace: timedelta, now: datetime) -> datetime:
    """Give the last moment up to now that lies a whole number of paces after the start."""
    return now - (now - start) % pace


def show_instant(at: datetime, zone: str) -> str:
    """Write an instant in a zone, with weekday, zone and offset: `Wed 4 March 2026, 21:00 Europe/Berlin (UTC+1)`."""
    local = at.astimezone(ZoneInfo(zone))
    offset = local.strftime("%z")
    hours = f"UTC{offset[0]}{int(offset[1:3])}" + (f":{offset[3:]}" if offset[3:] != "00" else "")
    shown = "UTC" if zone == "UTC" else f"{zone} ({hours})"
    return f"{local:%a} {local.day} {local:%B %Y, %H:%M} {shown}"


def show_span(span: timedelta) -> str:
    """Write a span in the one or two units that matter: `2 days 4 hours`, `25 minutes`."""
    minutes = max(0, round(span.total_seconds() / 60))
    days, rest = divmod(minutes, 24 * 60)
    hours, minutes = divmod(rest, 60)
    units = [(days, "day"), (hours, "hour"), (0 if days else minutes, "minute")]
    parts = [f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in units if count]
    return " ".join(parts) or "less than a minute"
