"""Exit codes: what a script can learn from a search without reading its output."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metasearch.events import Answer, SourceReport


class Exit(IntEnum):
    """All codes that the command ends with; an interface."""

    OK = 0
    NO_HITS = 1
    USAGE = 2
    PARTIAL = 3
    NO_ANSWER = 4
    INTERNAL = 70
    INTERRUPTED = 130
    #: What a shell reports for a program that SIGPIPE has ended.
    READER_GONE = 141


def answered(report: SourceReport) -> bool:
    """Whether the source has said anything about the query; a later page of it may have failed."""
    return report.status in ("ok", "empty") or report.count > 0


def exit_for(answer: Answer, *, allow_partial: bool = False, excused: Collection[str] = ()) -> Exit:
    """The code for a search that is finished, or was not waited for any longer.

    Args:
        answer: What came out.
        allow_partial: Let pass that some sources failed, or were still running, as long as one has
            answered.
        excused: Names of sources whose failure counts for nothing.
    """
    if not any(answered(report) for report in answer.sources):
        return Exit.NO_ANSWER
    missing = (report for report in answer.sources if report.failed or report.status == "running")
    if any(report.source not in excused for report in missing) and not allow_partial:
        # Without a hit this is not `NO_HITS` either: the source that failed may have had some.
        return Exit.PARTIAL
    return Exit.OK if answer.counts.unique else Exit.NO_HITS
