"""Exit codes: how a command ended, for scripts."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metasearch.events import Answer, SourceReport


class Exit(IntEnum):
    """All exit codes. Scripts depend on them, so they do not change."""

    OK = 0
    NO_HITS = 1
    USAGE = 2
    PARTIAL = 3
    NO_ANSWER = 4
    INTERNAL = 70
    INTERRUPTED = 130
    #: The code that a shell reports for a program ended by SIGPIPE.
    READER_GONE = 141


def answered(report: SourceReport) -> bool:
    """Whether the source has answered the query; one of its later pages may have failed."""
    return report.status in ("ok", "empty") or report.count > 0


def exit_for(answer: Answer, *, allow_partial: bool = False, excused: Collection[str] = ()) -> Exit:
    """The code for a search that has finished, or whose `--wait` is over."""
    if not any(answered(report) for report in answer.sources):
        return Exit.NO_ANSWER
    missing = (report for report in answer.sources if report.failed or report.status == "running")
    if any(report.source not in excused for report in missing) and not allow_partial:
        # Without a hit this is not `NO_HITS` either: the source that failed may have had some.
        return Exit.PARTIAL
    return Exit.OK if answer.passing else Exit.NO_HITS
