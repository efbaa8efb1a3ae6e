"""Pages of a merged list, and how many works there may be in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from metasearch.events import Answer, Counts, NextPage, Paging, SourceReport, Totals

#: Places of a list that can be reached.
LAST_PLACE = 10_000


def window(whole: Answer, start: int, count: int | None) -> Answer:
    """The page of an answer that holds the places from `start` on.

    Args:
        whole: All hits of a list, each with its place as `rank`; where the list goes on,
            `paging.next` says up to which place it is known.
        start: Places before the page.
        count: Places of the page; None takes all that are known.
    """
    further = whole.paging.next
    last = whole.hits[-1].rank if whole.hits else 0
    known = max(last, start) if further is None else further.start
    end = known if count is None else min(start + count, known)
    hits = whole.hits
    if start or last > end:
        hits = tuple(hit for hit in hits if start < hit.rank <= end)
    after = next((hit.rank - 1 for hit in whole.hits if end < hit.rank <= known), None)
    if after is None and further is not None:
        after = known
    return replace(whole, hits=hits, paging=Paging(start, count, _next(start, end, after, count)))


def _next(start: int, end: int, after: int | None, count: int | None) -> NextPage | None:
    """The page that holds the place `after`, or None where there is none; pages without hits are
    passed over.
    """
    if after is None:
        return None
    first = after if count is None else end + (after - end) // count * count
    # The count stays what it is: with another one the sources would be asked for other layers.
    return NextPage(first, count) if start < first and first + (count or 1) <= LAST_PLACE else None


def held_back(answer: Answer) -> tuple[str, ...]:
    """The sources that have more than they were asked for, where that is what ends the list, and
    not its limit.
    """
    last = answer.hits[-1].rank if answer.hits else 0
    if answer.running or not last or last < answer.counts.unique:
        return ()
    return tuple(report.source for report in answer.sources if report.more)


def totals(counts: Counts, reports: Sequence[SourceReport]) -> Totals:
    """How many works the sources may hold.

    What a source claims beyond what it gave counts in the share in which its records fit the query;
    what the sources have in common is taken to be the same share everywhere as among what was
    received.
    """
    asked = [report for report in reports if report.status != "skipped"]
    claims = sum(_claim(it) for it in asked)
    distinct = counts.unique / counts.received if counts.received else 0.0
    estimate = max(counts.unique, round(sum(_fitting(it) for it in asked) * distinct))
    silent = [it.source for it in asked if it.total is None and (it.more or _missing(it))]
    cut = [it.source for it in asked if it.filtered and _claim(it) > it.count]
    missing = [it.source for it in asked if _missing(it)]
    known = counts.received > 0 or claims == 0
    return Totals(
        seen=counts.unique,
        least=counts.unique,
        most=None if silent else claims,
        estimate=estimate if known else None,
        reliable=known and not (silent or cut or missing),
        basis="; ".join(
            _basis(counts, claims, [it for it in silent if it not in missing], cut, missing)
        ),
    )


def _claim(report: SourceReport) -> int:
    """How many the source says that it has; as many as it gave where it does not say more."""
    given = report.count + report.filtered + report.unread
    return report.total if report.total is not None and report.total > given else report.count


def _fitting(report: SourceReport) -> float:
    """How many of those may fit the query, by those that were read."""
    claim, read = _claim(report), report.count + report.filtered
    if claim == report.count:
        return claim
    fit = report.count / read if read else 1.0
    return report.count + (claim - read - report.unread) * fit


def _missing(report: SourceReport) -> bool:
    return report.failed or report.status == "running"


def _basis(
    counts: Counts, claims: int, silent: Sequence[str], cut: Sequence[str], missing: Sequence[str]
) -> Iterator[str]:
    if not counts.received:
        yield (
            f"no record was received of the {claims:,} that the sources say they have"
            if claims
            else "nothing found"
        )
    elif claims > counts.received:
        share = counts.unique / counts.received
        yield (
            f"{counts.unique:,} of {counts.received:,} records received are works of their own "
            f"({share:.0%}), "
            f"and so many of the {claims:,} that the sources say they have"
        )
    else:
        yield f"all {counts.received:,} records that the sources have were received"
    if silent:
        yield f"{', '.join(silent)} counted with what was given, because the total is not told"
    if cut:
        yield f"{', '.join(cut)} counted in the share of its records that fit the query"
    if missing:
        yield f"incomplete without {', '.join(missing)}"
