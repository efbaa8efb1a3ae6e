"""The summary on stderr after a search: which sources failed and what to do, and the counts."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator

from metasearch.cli.output import Console, answered, counted
from metasearch.cli.progress import count_of
from metasearch.engine.pages import held_back
from metasearch.events import Answer, SourceReport, Totals
from metasearch.formats.failures import alike, as_line
from metasearch.formats.text import line

#: A source that took at least so many seconds is shown with its time.
SLOW = 2.0
#: Columns of a bar in the timeline, at most.
BAR = 40


def write_summary(
    answer: Answer,
    console: Console,
    *,
    explain: bool = False,
    on_purpose: Collection[str] = (),
    coverage: str = "",
    interrupted: bool = False,
) -> None:
    """Write what the results do not show.

    Without a terminal, and if no source failed, nothing is written: a script expects that.
    `answer`: of the search; `hits` are those that were shown. `coverage`: the subjects of all works
    in the sources, if they are few; else "".
    """
    no_answer = not any(answered(report) for report in answer.sources) and not interrupted
    if console.quiet and not no_answer:
        return
    if console.live and answer.hits and sys.stdout.isatty():
        console.say("")
    whole = explain or console.verbose
    _write_query(answer, console, whole=whole)
    _write_problems(answer, console, whole=whole, on_purpose=on_purpose, interrupted=interrupted)
    if no_answer:
        console.say("error: no source answered", "red")
        return
    troubled = bool(answer.running) or any(report.failed for report in answer.sources)
    if not answer.counts.unique:
        hint = "" if troubled or interrupted else "; try fewer or other words, or more sources"
        console.say(f"no hits; there are works about {coverage}" if coverage else f"no hits{hint}")
    elif not answer.passing:
        console.say(f"no hits: none of {counted(answer.counts.unique, 'work')} passes the filters")
    elif not answer.hits and answer.paging.next is not None:
        console.say("no hits on this page: none of its works passes the filters")
    elif not answer.hits and answer.paging.start:
        console.say(f"no hits after --start {answer.paging.start}: the list is shorter")
    if not whole and (console.live or on_purpose):
        console.say(_counts_by_source(answer))
    if whole or troubled or interrupted or console.live:
        console.say(_counts(answer, interrupted))
    if whole or console.live:
        _write_what_is_more(answer, console, whole=whole)


def _write_query(answer: Answer, console: Console, *, whole: bool) -> None:
    """Write how the query was understood, and with `whole` how every source answered."""
    if whole:
        console.say(f"query: {line(answer.query)} (read as {answer.syntax})")
    for note in answer.notes:
        console.say(f"note: {line(note)}")
    if whole:
        for report in answer.sources:
            _write_source(report, console)
    if console.verbose:
        for text in timeline(answer, console.size(sys.stderr)[0]):
            console.say(text, wrap=False)


def _write_problems(
    answer: Answer,
    console: Console,
    *,
    whole: bool,
    on_purpose: Collection[str],
    interrupted: bool,
) -> None:
    """Write which sources answered from the cache, are still running, or failed."""
    for report in answer.sources:
        if report.spared and not whole:
            console.say(f"{report.source}: {line(report.spared)}", "yellow")
    for group in alike(answer.sources):
        first = group[0]
        if first.status == "running":
            how = (
                "did not finish"
                if interrupted
                else f"still running after {answer.seconds:.1f} s, not waited for"
            )
            kept = f"; its {counted(first.count, 'record')} are kept" if first.count else ""
            console.say(as_line([report.source for report in group], f"{how}{kept}"), "yellow")
        elif first.error is not None or first.failed:
            _write_failure(group, console, by_design=first.source in on_purpose)


def _write_what_is_more(answer: Answer, console: Console, *, whole: bool) -> None:
    """Write the totals, the next page, which sources have more records, and where notes are."""
    if whole and answer.totals is not None:
        console.say(f"totals: {_totals_in_words(answer.totals)}")
    if answer.paging.next is not None:
        console.say(f"more: the same command with --start {answer.paging.next.start}")
    names = held_back(answer)
    if names:
        have = "has" if len(names) == 1 else "have"
        console.say(
            f"{', '.join(names)} {have} more records than were requested: --per-source N requests "
            f"N from each source"
        )
    if not whole and any(set(report.notes) - {report.spared} for report in answer.sources):
        console.say("there are notes about the query or the sources; --explain shows them")


def timeline(answer: Answer, columns: int) -> Iterator[str]:
    """A bar for the time of each source, the fastest first, and one for the answer: the source that
    delayed the answer is easy to see.
    """
    names = max((len(report.source) for report in answer.sources), default=0)
    room = max(5, min(BAR, columns - names - len("  10.00 s, timeout")))
    longest = max([answer.seconds, *(report.seconds for report in answer.sources)])
    for report in sorted(answer.sources, key=lambda report: (report.seconds, report.source)):
        bar = "#" * (round(room * report.seconds / longest) if longest else 0)
        taken = "cached" if report.cached else f"{report.seconds:.2f} s"
        yield f"{report.source.ljust(names)} {bar.ljust(room)} {taken}, {report.status}"
    yield f"{'answer'.ljust(names)} {'#' * room} {answer.seconds:.2f} s"


def _write_source(report: SourceReport, console: Console) -> None:
    taken = "cached" if report.cached else f"{report.seconds:.2f} s"
    console.say(f"{report.source}: {report.status}, {count_of(report)}, {taken}")
    if report.query:
        console.say(f"  sent: {line(report.query)}")
    for note in report.notes:
        console.say(f"  note: {line(note)}")


def _write_failure(group: list[SourceReport], console: Console, *, by_design: bool) -> None:
    report = group[0]
    reason = (
        line(str(report.error)).rstrip(".") if report.error is not None else "no reason is known"
    )
    advice = (
        f" {line(report.error.advice)}" if report.error is not None and report.error.advice else ""
    )
    kept = f" Its {counted(report.count, 'record')} are kept." if report.count else ""
    if by_design:
        # A newcomer must not think that the first command went wrong.
        advice = " It fails on purpose, to show that the others go on."
    names = [report.source for report in group]
    text = as_line(names, f"{report.status}: {reason}.{kept}{advice}")
    console.say(text, "yellow" if by_design else "red")


def _counts_by_source(answer: Answer) -> str:
    """The records of each source: "crossref 20 of 1,234, arxiv 0, dblp 20 (3.0 s)", with the time
    of slow sources; "dblp 20 from the cache" if old pages replaced the answer of a source.
    """
    parts = []
    for report in answer.sources:
        total = f" of {report.total:,}" if report.total and report.total > report.count else ""
        late = f" ({report.seconds:.1f} s)" if report.seconds >= SLOW else ""
        old = " from the cache" if report.spared else ""
        count = f"{report.count}{total}{old}" if answered(report) else report.status
        parts.append(f"{report.source} {count}{late}")
    return ", ".join(parts)


def _totals_in_words(totals: Totals) -> str:
    about = "unknown in all" if totals.estimate is None else f"about {totals.estimate:,} in all"
    unsure = "" if totals.reliable else ", not sure"
    most = "" if totals.most is None else f", at most {totals.most:,}"
    return f"{about}{unsure}, at least {totals.least:,}{most}: {line(totals.basis)}"


def _counts(answer: Answer, interrupted: bool) -> str:
    counts = answer.counts
    shown = len(answer.hits)
    answers = sum(answered(report) for report in answer.sources)
    here = (
        f"{answer.hits[0].rank} to {answer.hits[-1].rank}"
        if shown and answer.paging.start
        else f"{shown}"
    )
    passing = answer.passing
    more = f" of about {answer.expected:,}" if answer.expected > passing else ""
    hits = counted(passing, "hit")
    parts = [
        f"{here} of {hits}{more}" if shown < passing else f"{hits}{more}",
        *([f"filtered from {counted(counts.unique, 'work')}"] if answer.filter else []),
        f"{counted(counts.received, 'record')}, {counted(counts.duplicates, 'duplicate')}",
        f"{answers} of {len(answer.sources)} sources answered",
        f"{answer.seconds:.2f} s",
    ]
    return ("interrupted: " if interrupted else "") + "; ".join(parts)
