"""What an answer means over HTTP: status, problem, times, the parts that an entity tag covers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from metasearch.errors import TimedOut
from metasearch.events import Answer
from metasearch.formats.answer import (
    facets_object,
    paging_object,
    report_object,
    totals_object,
)
from metasearch.formats.failures import alike, as_line
from metasearch.message import joined
from metasearch.server.limits.admission import RETRY_AFTER
from metasearch.server.problem import Problem

_NOT_TOKEN = re.compile(r"[^!#$%&'*+.^_`|~0-9A-Za-z-]")


def lasting(answer: Answer) -> list[Any]:
    """All but the hits that is equal when the same search gets the same answers again."""
    changing = ("seconds", "cached")
    reports = [
        {name: value for name, value in report_object(report).items() if name not in changing}
        for report in answer.sources
    ]
    counts = answer.counts
    pages = paging_object(answer.paging), totals_object(answer.totals)
    return [
        answer.query,
        counts.received,
        counts.unique,
        reports,
        answer.dedup,
        pages,
        answer.syntax,
        answer.notes,
        answer.sort,
        answer.filter,
        facets_object(answer.facets),
    ]


def status_of(answer: Answer) -> int:
    """200 if any source has answered or may still answer.

    Else 422 if none could be asked, 503 if this server was too late to read all that failed, 504 if
    all timed out, and 502 otherwise.
    """
    answered = any(report.answered for report in answer.sources)
    if answer.hits or answer.running or answered:
        return 200
    failed = [report for report in answer.sources if report.failed]
    if not failed:
        return 422
    if all(report.status == "late" for report in failed):
        return 503
    timed_out = (
        report.status == "timeout" or isinstance(report.error, TimedOut) for report in failed
    )
    return 504 if all(timed_out) else 502


def nothing_answered(answer: Answer, status: int, headers: Mapping[str, str]) -> Problem:
    """The problem of an answer without hits from any source; `status` is that of `status_of`."""
    reports = [report_object(report) for report in answer.sources]
    words = joined(
        "; ",
        (
            as_line(
                [report.source for report in group],
                str(group[0].error) if group[0].error else group[0].status,
            )
            for group in alike(answer.sources)
        ),
    )
    kind = "no-source-asked" if status == 422 else "no-source-answered"
    if status == 503:
        headers = {**headers, "Retry-After": str(RETRY_AFTER)}
    return Problem(
        status, kind, words, headers=headers, query=answer.query, complete=False, sources=reports
    )


def server_timing(answer: Answer) -> str:
    """The Server-Timing header in milliseconds: each source, merging and ranking, the whole."""
    parts = [
        f"{_NOT_TOKEN.sub('_', report.source)};dur={report.seconds * 1000:.1f};"
        f'desc="{report.status}"'
        for report in answer.sources
    ]
    merging = f"dedup;dur={answer.merge_seconds * 1000:.1f}"
    return ", ".join([*parts, merging, f"total;dur={answer.seconds * 1000:.1f}"])


def file_name(query: str) -> str:
    """A file name of letters and digits: "metasearch-gene-drive" for "Gene drive?"."""
    words = re.findall(r"[a-z0-9]+", query.lower())
    return "-".join(["metasearch", *words])[:60].rstrip("-")
