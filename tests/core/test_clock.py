"""Deadlines and reminders are reckoned over instants, and times are read and shown as people write them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.core import clock
from pbem.errors import AdminError

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LADDER = ("half", "24h", "4h")
spans = st.timedeltas(min_value=timedelta(minutes=1), max_value=timedelta(days=60))
ladders = st.lists(st.sampled_from(["half", "90m", "4h", "1d", "24h", "2d12h", "60d"]), max_size=6).map(tuple)


@pytest.mark.parametrize(
    ("text", "span"),
    [("72h", 72 * HOUR), ("3d", 3 * DAY), ("2d12h", 60 * HOUR), ("90m", 1.5 * HOUR), (" 30s ", timedelta(seconds=30))],
)
def test_a_span_is_read(text: str, span: timedelta) -> None:
    assert clock.parse_span(text) == span


@pytest.mark.parametrize("text", ["", "72", "0h", "-3h", "soon", "1 month", "P3D"])
def test_a_span_that_cannot_be_is_refused_with_one_that_would_do(text: str) -> None:
    with pytest.raises(AdminError, match="72h, 3d"):
        clock.parse_span(text)


@pytest.mark.parametrize("name", ["Mars/Base", "", "../../etc/passwd", "/etc/passwd"])
def test_a_zone_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(AdminError, match="no time zone"):
        clock.parse_zone(name)


def test_an_instant_is_read_in_the_zone_that_is_named_or_else_in_the_office_s_own() -> None:
    assert clock.parse_instant("2026-12-24 18:00 Europe/Berlin", "UTC", NOON) == datetime(2026, 12, 24, 17, tzinfo=UTC)
    assert clock.parse_instant("2026-07-24 18:00", "Europe/Berlin", NOON) == datetime(2026, 7, 24, 16, tzinfo=UTC)
    assert clock.parse_instant("+1d", "Europe/Berlin", NOON) == NOON + DAY


@pytest.mark.parametrize(
    "text", ["tomorrow", "2026-02-30 12:00", "2026-03-04 25:00", "+", "2026-03-04", "4.3.2026 12:00"]
)
def test_an_instant_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(AdminError):
        clock.parse_instant(text, "UTC", NOON)


def test_d04_a_wall_time_that_is_skipped_is_refused_and_the_next_that_exists_is_named() -> None:
    with pytest.raises(AdminError, match=r"2026-03-29 02:30 does not exist .* write 2026-03-29 03:30"):
        clock.parse_instant("2026-03-29 02:30 Europe/Berlin", "UTC", NOON)


def test_d04_a_wall_time_that_comes_twice_is_the_later_one_and_shown_with_its_offset() -> None:
    at = clock.parse_instant("2026-10-25 02:30 Europe/Berlin", "UTC", NOON)
    assert at == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert clock.show_instant(at, "Europe/Berlin") == "Sun 25 October 2026, 02:30 Europe/Berlin (UTC+1)"


def test_an_instant_is_shown_in_a_zone_with_its_offset() -> None:
    assert clock.show_instant(NOON, "UTC") == "Mon 2 March 2026, 12:00 UTC"
    assert clock.show_instant(NOON, "Asia/Kolkata") == "Mon 2 March 2026, 17:30 Asia/Kolkata (UTC+5:30)"
    assert clock.show_instant(NOON, "America/New_York") == "Mon 2 March 2026, 07:00 America/New_York (UTC-5)"


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        (timedelta(days=2, hours=4, minutes=50), "2 days 4 hours"),
        (timedelta(hours=1, minutes=1), "1 hour 1 minute"),
        (timedelta(minutes=25), "25 minutes"),
        (timedelta(seconds=20), "less than a minute"),
        (timedelta(hours=-3), "less than a minute"),
    ],
)
def test_a_span_is_shown_in_the_units_that_matter(span: timedelta, shown: str) -> None:
    assert clock.show_span(span) == shown


def test_the_ladder_is_half_the_time_a_day_and_four_hours_before() -> None:
    assert clock.reminders(NOON, NOON + 72 * HOUR, LADDER) == [NOON + hours * HOUR for hours in (36, 48, 68)]


def test_rungs_that_fall_together_or_out_of_range_fall_away() -> None:
    assert clock.reminders(NOON, NOON + 48 * HOUR, LADDER) == [NOON + 24 * HOUR, NOON + 44 * HOUR]
    assert clock.reminders(NOON, NOON + 4 * HOUR, LADDER) == [NOON + 2 * HOUR]
    assert clock.reminders(NOON, NOON + 72 * HOUR, ()) == []


def test_a_rung_that_is_none_is_refused() -> None:
    assert clock.parse_rungs(["Half", " 24h"]) == ("half", "24h")
    with pytest.raises(AdminError):
        clock.parse_rungs(["half", "often"])


def test_several_reminders_that_were_missed_are_the_newest_of_them() -> None:
    end = NOON + 72 * HOUR
    assert clock.due_reminder(NOON, end, LADDER, NOON, NOON + 35 * HOUR) is None
    assert clock.due_reminder(NOON, end, LADDER, NOON, NOON + 50 * HOUR) == NOON + 48 * HOUR
    assert clock.due_reminder(NOON, end, LADDER, NOON + 49 * HOUR, NOON + 50 * HOUR) is None
    assert clock.due_reminder(NOON, end, LADDER, NOON, end) is None


@given(whole=spans, rungs=ladders)
def test_every_reminder_lies_between_question_and_deadline_once(whole: timedelta, rungs: tuple[str, ...]) -> None:
    moments = clock.reminders(NOON, NOON + whole, rungs)
    assert all(NOON < moment < NOON + whole for moment in moments)
    assert moments == sorted(set(moments))
    assert len(moments) <= len(set(rungs))


@given(whole=spans, rungs=ladders, steps=st.lists(spans, min_size=1, max_size=30))
def test_whenever_one_looks_each_reminder_is_sent_at_most_once_and_the_last_never_missed(
    whole: timedelta, rungs: tuple[str, ...], steps: list[timedelta]
) -> None:
    end, moments = NOON + whole, clock.reminders(NOON, NOON + whole, rungs)
    now, since, sent = NOON, NOON, list[datetime]()
    for step in steps:
        now += step
        due = clock.due_reminder(NOON, end, rungs, since, now)
        if due is not None:
            sent.append(due)
        following = clock.next_reminder(NOON, end, rungs, now)
        assert following is None or following > now
        since = following or end
        if now < end:
            assert [moment for moment in moments if moment <= now][-1:] == sent[-1:]
    assert sent == sorted(set(sent))
    assert set(sent) <= set(moments)


@pytest.mark.parametrize(
    ("text", "zone", "since", "until"),
    [
        ("5 days", "UTC", "2026-03-02T12:00", "2026-03-07T12:00"),
        ("1 day", "UTC", "2026-03-02T12:00", "2026-03-03T12:00"),
        ("2026-03-05 2026-03-05", "UTC", "2026-03-05T00:00", "2026-03-06T00:00"),
        ("2026-12-20 2027-01-03", "Europe/Berlin", "2026-12-19T23:00", "2027-01-03T23:00"),
        ("2026-03-29 2026-03-29", "Europe/Berlin", "2026-03-28T23:00", "2026-03-29T22:00"),
        ("2026-04-24 2026-04-24", "Africa/Cairo", "2026-04-23T22:00", "2026-04-24T21:00"),
    ],
)
def test_an_absence_is_whole_days_of_a_zone(text: str, zone: str, since: str, until: str) -> None:
    """In Cairo the day of the change has no midnight: it begins an hour later."""
    now = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    found = [f"{at:%Y-%m-%dT%H:%M}" for at in clock.parse_absence(text, zone, now)]
    assert found == [since, until]


@pytest.mark.parametrize(
    "text", ["", "5", "days", "5 weeks", "-5 days", "9999 days", "2026-13-01 2026-13-02", "x 2026-03-05"]
)
def test_what_is_no_absence(text: str) -> None:
    with pytest.raises(AdminError):
        clock.parse_absence(text, "UTC", datetime(2026, 3, 2, 12, 0, tzinfo=UTC))
