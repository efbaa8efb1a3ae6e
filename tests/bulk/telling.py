"""What is told of a job, one thing at a time."""

from __future__ import annotations

from metasearch.bulk.export import observe
from metasearch.bulk.job import JobOutcome
from metasearch.bulk.report import JobNumbers


def count(outcome: JobOutcome) -> JobNumbers:
    """Its numbers."""
    return observe(outcome, None).numbers


def left_out(outcome: JobOutcome, name: str) -> list[str]:
    """What a format has no place for."""
    return observe(outcome, name).left_out
