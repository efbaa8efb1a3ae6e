"""When a saved search is run: by its schedule, at quiet hours, each at a second of its own."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import UsageError
from metasearch.review.alerts.saved_searches import (
    BACK_OFF,
    MOST_FAILURES,
    after_failure,
    next_run,
    parse_schedule,
)
from metasearch.review.store.values import uid
from tests.cases import each

#: A Monday.
MONDAY = dt.datetime(2026, 11, 23, 8, 0, tzinfo=dt.UTC)
MOMENTS = st.integers(1_700_000_000, 1_930_000_000).map(
    lambda seconds: dt.datetime.fromtimestamp(seconds, dt.UTC)
)
SCHEDULES = st.one_of(
    st.just("daily"),
    st.sampled_from(["mon", "wed", "sun"]).map("weekly {}".format),
    st.integers(1, 31).map("monthly {}".format),
)
HOURS = st.tuples(st.integers(0, 23), st.integers(0, 24)).filter(
    lambda pair: pair[0] != pair[1] % 24
)


@each(
    "typed, kept",
    [
        ("", ""),
        ("none", ""),
        (" Daily ", "daily"),
        ("weekly", "weekly mon"),
        ("weekly Thursday", "weekly thu"),
        ("weekly  SUN", "weekly sun"),
        ("monthly", "monthly 1"),
        ("monthly 031", None),
        ("monthly 31", "monthly 31"),
        ("monthly 07", "monthly 7"),
        ("monthly 0", None),
        ("monthly 32", None),
        ("weekly someday", None),
        ("weekly monx", None),
        ("hourly", None),
        ("daily\x00", None),
        ("daily" * 10_000, None),
    ],
)
def test_schedules_as_they_are_typed(typed: str, kept: str | None) -> None:
    """Days may be written out; what is no schedule is refused with those that are."""
    if kept is None:
        with pytest.raises(UsageError) as caught:
            parse_schedule(typed)
        assert "weekly mon" in caught.value.advice
    else:
        assert parse_schedule(typed) == kept


@each(
    "schedule, days",
    [
        ("daily", ["2026-11-24", "2026-11-25", "2026-11-26"]),
        ("weekly mon", ["2026-11-30", "2026-12-07", "2026-12-14"]),
        ("weekly wed", ["2026-11-25", "2026-12-02", "2026-12-09"]),
        ("monthly 1", ["2026-12-01", "2027-01-01", "2027-02-01"]),
        ("monthly 31", ["2026-11-30", "2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"]),
    ],
)
def test_the_days_of_a_schedule(schedule: str, days: list[str]) -> None:
    """Day 31 of a shorter month is its last one."""
    at, found = MONDAY, []
    for _ in days:
        following = next_run(schedule, "abcdefghijkm", at)
        assert following is not None
        at = following
        found.append(at.date().isoformat())

    assert found == days


def test_without_a_schedule_no_run_is_planned() -> None:
    """None."""
    assert next_run("", "abcdefghijkm", MONDAY) is None


@given(SCHEDULES, MOMENTS, HOURS)
def test_the_next_run_comes_later_and_within_the_hours(
    schedule: str, moment: dt.datetime, hours: tuple[int, int]
) -> None:
    """Also where the hours go over midnight; and it is the next one: none lies between."""
    name = "abcdefghijkm"
    at = next_run(schedule, name, moment, hours)

    assert at is not None
    assert at > moment
    since = (at.hour - hours[0]) % 24
    assert since < ((hours[1] - hours[0]) % 24 or 24)
    assert next_run(schedule, name, at - dt.timedelta(seconds=1), hours) == at


def test_a_thousand_are_spread_over_the_hours() -> None:
    """No minute of the four hours has more than a few of them, and each keeps its second."""
    uids = [uid() for _ in range(1_000)]
    runs = [next_run("daily", each, MONDAY) for each in uids]

    minutes = Counter(at.strftime("%H:%M") for at in runs if at is not None)
    assert max(minutes.values()) <= 25
    assert len(minutes) > 200
    assert [next_run("daily", each, MONDAY) for each in uids] == runs


def test_a_run_that_was_missed_is_made_up_once() -> None:
    """After a week without a server, the one after the made-up run is that of the next day."""
    missed = next_run("daily", "abcdefghijkm", MONDAY)
    assert missed is not None
    made_up = missed + dt.timedelta(days=7, hours=3)

    after = next_run("daily", "abcdefghijkm", made_up)
    assert after is not None
    assert made_up < after < made_up + dt.timedelta(days=1)


def test_failures_back_off_and_end() -> None:
    """Each wait is about twice the one before it, and after seven failures none is planned."""
    waits = [after_failure(times, "abcdefghijkm", MONDAY) for times in range(1, MOST_FAILURES)]
    seconds = [(at - MONDAY).total_seconds() for at in waits if at is not None]

    assert len(seconds) == MOST_FAILURES - 1
    assert BACK_OFF <= seconds[0] < 2 * BACK_OFF
    for earlier, later in pairwise(seconds):
        assert later == pytest.approx(2 * earlier, abs=2)
    assert after_failure(MOST_FAILURES, "abcdefghijkm", MONDAY) is None
