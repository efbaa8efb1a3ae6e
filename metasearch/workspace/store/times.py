"""Moments as the workspace writes them: UTC, to the second, "2026-11-23T05:40:00Z"."""

from __future__ import annotations

import datetime as dt


def now() -> str:
    """The moment as text."""
    return written(dt.datetime.now(dt.UTC).timestamp())


def written(seconds: float) -> str:
    """A moment of Unix time as text."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def later(seconds: float) -> str:
    """The moment so many seconds from now as text; before now where they are negative."""
    return written(dt.datetime.now(dt.UTC).timestamp() + seconds)
