"""When a saved search is run: days of its schedule, at hours at which little else is asked.

All times are UTC. Within the hours each saved search has a second of its own, by a hash of its uid:
a thousand of them are not run in one minute.
"""

from __future__ import annotations

import calendar
import datetime as dt
import hashlib
import re

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.settings.alerts import AlertsSettings

#: The days of "weekly ...", Monday first.
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
#: First hour, and the hour at whose beginning the last run is over: see `[alerts] hours`.
Hours = tuple[int, int]
#: Where nothing is configured.
QUIET_HOURS: Hours = AlertsSettings().hours
#: Seconds after a run that failed until the next one, doubled with each further failure.
BACK_OFF = 3_600.0
#: Failures in a row after which none is planned.
MOST_FAILURES = 7
_LONGEST = 40
_LAST_DAY = 31
_WEEKLY = re.compile(rf"weekly ({'|'.join(DAYS)})[a-z]*")
_MONTHLY = re.compile(r"monthly ([0-9]{1,2})")


def checked(text: str) -> str:
    """A schedule as it is kept: "", "daily", "weekly mon", "monthly 1".

    "weekly" alone is on Mondays, "monthly" alone on the first day. Raises UsageError: it is none.
    """
    plain = " ".join(text[: _LONGEST + 1].lower().split())
    if plain in ("", "none", "never"):
        return ""
    if plain == "daily":
        return plain
    if plain in ("weekly", "monthly"):
        return "weekly mon" if plain == "weekly" else "monthly 1"
    if (weekly := _WEEKLY.fullmatch(plain)) and _is_day(plain.split()[1]):
        return f"weekly {weekly[1]}"
    if (monthly := _MONTHLY.fullmatch(plain)) and 1 <= int(monthly[1]) <= _LAST_DAY:
        return f"monthly {int(monthly[1])}"
    raise UsageError(
        message("{schedule} is no schedule", schedule=repr(text[:_LONGEST])),
        advice=message("Write daily, weekly mon (tue, wed ...), monthly 1 (to 31), or none."),
    )


def _is_day(word: str) -> bool:
    """Whether a word is a day, short or whole: "mon", "thurs", "monday"."""
    names = [name.lower() for name in calendar.day_name]
    return len(word) >= len(DAYS[0]) and any(name.startswith(word) for name in names)


def next_run(
    schedule: str, uid: str, after: dt.datetime, hours: Hours = QUIET_HOURS
) -> dt.datetime | None:
    """The first run that a schedule has after a moment; None where it has none.

    `schedule`: as `checked` returns it. `after`: with a time zone. `hours`: in which runs begin;
    the end may lie on the next day (22, 4).
    """
    if not schedule:
        return None
    after = after.astimezone(dt.UTC)
    begin = dt.timedelta(hours=hours[0], seconds=_second(uid, hours))
    # Hours that reach into the next day: the run of yesterday may still come.
    day = after.date() - dt.timedelta(days=1)
    while True:
        at = dt.datetime.combine(day, dt.time(), dt.UTC) + begin
        if at > after and _is_on(schedule, day):
            return at
        day += dt.timedelta(days=1)


def after_failure(failures: int, uid: str, at: dt.datetime) -> dt.datetime | None:
    """When to try again after that many failures in a row; None after too many. `failures`: from 1.
    `at`: the moment of the last one.
    """
    if failures >= MOST_FAILURES:
        return None
    wait = BACK_OFF * 2 ** (failures - 1)
    return at + dt.timedelta(seconds=round(wait * (1 + _share(uid) / 4)))


def _is_on(schedule: str, day: dt.date) -> bool:
    kind, _, which = schedule.partition(" ")
    if kind == "weekly":
        return day.weekday() == DAYS.index(which)
    if kind == "monthly":
        last = calendar.monthrange(day.year, day.month)[1]
        return day.day == min(int(which), last)
    return True


def _second(uid: str, hours: Hours) -> int:
    """Seconds after the first hour."""
    length = (hours[1] - hours[0]) % 24 or 24
    return int(_share(uid) * length * 3600)


def _share(uid: str) -> float:
    """A number from 0 to 1 that a uid always has, and that all are spread over."""
    digest = hashlib.blake2b(uid.encode(), digest_size=6).digest()
    return int.from_bytes(digest) / 2**48
