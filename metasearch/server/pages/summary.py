"""The head of a result page: what was found, how far the search is, and how each source fared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metasearch.events import Answer, SourceReport
from metasearch.formats.failures import alike
from metasearch.formats.text import line
from metasearch.server.pages.language import Language
from metasearch.server.pages.terms import FAILED_LOOK, STATUS_LOOKS, STATUS_WORDS

#: Sources that are named of a group that failed for one reason.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source of the answer.

    Attributes:
        status: In words, to be translated.
        look: (name of the icon, class) of the status.
        total: How many records it says that it has; None where it does not say.
    """

    label: str
    status: str
    look: tuple[str, str]
    count: int
    total: int | None
    seconds: float
    cached: bool
    running: bool
    query: str
    notes: Sequence[str]
    error: str
    advice: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Sources that failed for one reason.

    Attributes:
        labels: The first ones.
        status: In words, to be translated.
        error: The sentence of the core; "" for none.
    """

    labels: Sequence[str]
    more: int
    status: str
    error: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What was found so far.

    Attributes:
        status: The progress in one sentence.
        ended, asked: Sources; the first with those that failed.
        running: Labels of those that are still being asked.
        none_answered: Whether no source has answered, and none will.
    """

    status: str
    ended: int
    asked: int
    running: Sequence[str]
    failures: Sequence[Failure]
    rows: Sequence[SourceRow]
    none_answered: bool


def summary(answer: Answer, label: Callable[[str], str], language: Language) -> Summary:
    """The summary of an answer, finished or not."""
    reports = answer.sources
    failed = [report for report in reports if report.failed]
    return Summary(
        status=_status(answer, language),
        ended=sum(report.status != "running" for report in reports),
        asked=len(reports),
        running=[label(name) for name in answer.running],
        failures=[_failure(group, label) for group in alike(failed)],
        rows=[_row(report, label(report.source)) for report in reports],
        none_answered=bool(failed)
        and not answer.running
        and not any(report.answered or report.count for report in reports),
    )


def _status(answer: Answer, language: Language) -> str:
    counts, asked = answer.counts, len(answer.sources)
    number, ngettext = language.number, language.ngettext
    # Each number has its own noun, since a sentence can be plural in one and singular in another.
    works = ngettext("%(works)s work", "%(works)s works", counts.unique)
    records = ngettext("%(records)s record", "%(records)s records", counts.received)
    passing = ngettext(
        "%(passing)s passes the filters", "%(passing)s pass the filters", answer.passing
    )
    values = {
        "answered": number(sum(report.answered for report in answer.sources)),
        "asked": number(asked),
        "works": works % {"works": number(counts.unique)},
        "records": records % {"records": number(counts.received)},
        "passing": passing % {"passing": number(answer.passing)},
    }
    if answer.running:
        text = ngettext(
            "%(answered)s of %(asked)s database has answered: %(works)s so far.",
            "%(answered)s of %(asked)s databases have answered: %(works)s so far.",
            asked,
        )
    elif answer.filter:
        text = ngettext(
            "%(answered)s of %(asked)s database has answered: %(works)s from %(records)s; "
            "%(passing)s.",
            "%(answered)s of %(asked)s databases have answered: %(works)s from %(records)s; "
            "%(passing)s.",
            asked,
        )
    else:
        text = ngettext(
            "%(answered)s of %(asked)s database has answered: %(works)s from %(records)s.",
            "%(answered)s of %(asked)s databases have answered: %(works)s from %(records)s.",
            asked,
        )
    return text % values


def _failure(group: Sequence[SourceReport], label: Callable[[str], str]) -> Failure:
    first = group[0]
    labels = [label(report.source) for report in group]
    return Failure(
        labels[:_NAMED],
        max(0, len(labels) - _NAMED),
        STATUS_WORDS.get(first.status, first.status),
        first.error.message if first.error else "",
    )


def _row(report: SourceReport, label: str) -> SourceRow:
    error = report.error
    return SourceRow(
        label=label,
        status=STATUS_WORDS.get(report.status, report.status),
        look=STATUS_LOOKS.get(report.status, FAILED_LOOK),
        count=report.count,
        total=report.total,
        seconds=report.seconds,
        cached=report.cached,
        running=report.status == "running",
        query=line(report.query),
        notes=report.notes,
        error=error.message if error else "",
        advice=(error.advice or "") if error else "",
    )
