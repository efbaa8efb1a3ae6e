"""Dates of OAI-PMH: as a user writes them, and as a repository understands them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from metasearch.collections.harvest.answers import Identity

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?")


def date_of(text: str) -> str:
    """The text, if it is a date that OAI-PMH allows. Raises ValueError: it is not."""
    if not _DATE.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a date such as 2024-03-01 or 2024-03-01T12:00:00Z")
    datetime.fromisoformat(text)
    return text


def before(stamp: str, gap: timedelta) -> str:
    """The date, moved back by `gap`; "" for what is no date, so that everything is fetched."""
    if not stamp:
        return ""
    try:
        when = datetime.fromisoformat(stamp)
    except ValueError:
        return ""
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    try:
        return (when.astimezone(UTC) - gap).isoformat(timespec="seconds").replace("+00:00", "Z")
    except OverflowError:  # the year 1 has no hour before it
        return ""


def earlier(stamp: str, now: datetime) -> str:
    """The earlier of a repository's time and ours, because a clock that is ahead would hide new
    records; "" for what is no time.
    """
    theirs = before(stamp, timedelta(0))
    return min(theirs, now.strftime("%Y-%m-%dT%H:%M:%SZ")) if theirs else ""


def fitting(stamp: str, identity: Identity) -> str:
    """A date in the granularity of the repository, which refuses a finer one."""
    return stamp if identity.seconds or not stamp else stamp[:10]
