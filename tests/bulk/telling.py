"""What is told of a job, one thing at a time."""

from __future__ import annotations

from metasearch.bulk.export import tell
from metasearch.bulk.job import Outcome
from metasearch.bulk.report import Numbers


def count(outcome: Outcome) -> Numbers:
    """Its numbers."""
    return tell(outcome, None).numbers


def left_out(outcome: Outcome, name: str) -> list[str]:
    """What a format has no place for."""
    return tell(outcome, name).left_out
