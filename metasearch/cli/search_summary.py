"""What stderr says when a search is over: who failed and what to do, and how much was found."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator

from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.exits import answered
from metasearch.cli.terminal.progress_block import count_of
from metasearch.engine.pages import held_back
from metasearch.events import Answer, SourceReport, Totals
from metasearch.formats.failures import alike, as_line
from metasearch.formats.text import line

#: Seconds from which it is worth saying how long a source has taken.
SLOW = 2.0
#: Columns of a bar in the timeline, at most.
BAR = 40


def tell(
    answer: Answer,
    console: Console,
    *,
    explain: bool = False,
    on_purpose: Collection[str] = (),
    coverage: str = "",
    interrupted: bool = False,
) -> None:
    """Say what the results do not.

    Where nobody watches and nothing went wrong, this is nothing at all, as a script expects.

    Args:
        answer: Of the search; `hits` are those that were shown.
        console: Says it.
        explain: Tell of every source what it was sent and how it fared.
        on_purpose: Sources that fail by design.
        coverage: What the sources have works about, where that is little enough to say.
        interrupted: The user did not wait for the end.
    """
    nobody = not any(answered(report) for report in answer.sources) and not interrupted
    if console.quiet and not nobody:
        return
    if console.live and answer.hits and sys.stdout.isatty():
        console.say("")
    whole = explain or console.verbose
    if whole:
        console.say(f"query: {line(answer.query)} (read as {answer.syntax})")
    for note in answer.notes:
        console.say(f"note: {line(note)}")
    if whole:
        for report in answer.sources:
            _explained(report, console)
    if console.verbose:
        for text in timeline(answer, console.size(sys.stderr)[0]):
            console.say(text, wrap=False)
    for report in answer.sources:
        if report.spared and not whole:
            console.say(f"{report.source}: {line(report.spared)}", "yellow")
    for group in alike(answer.sources):
        if group[0].status == "running":
            how = (
                "did not finish"
                if interrupted
                else f"still running after {answer.seconds:.1f} s, not waited for"
            )
            kept = (
                f"; the {counted(group[0].count, 'record')} that came are kept"
                if group[0].count
                else ""
            )
            console.say(as_line([report.source for report in group], f"{how}{kept}"), "yellow")
        elif group[0].error is not None or group[0].failed:
            _failed(group, console, by_design=group[0].source in on_purpose)
    if nobody:
        console.say("error: no source answered", "red")
        return
    troubled = bool(answer.running) or any(report.failed for report in answer.sources)
    if not answer.counts.unique:
        hint = "" if troubled or interrupted else "; try fewer or other words, or more sources"
        console.say(f"no hits; there are works about {coverage}" if coverage else f"no hits{hint}")
    elif not answer.hits and answer.paging.start:
        console.say(f"no hits after --start {answer.paging.start}: the list is not as long")
    if not whole and (console.live or on_purpose):
        console.say(_heard(answer))
    if whole or troubled or interrupted or console.live:
        console.say(_footer(answer, interrupted))
    if whole and answer.totals is not None:
        console.say(f"totals: {_totals(answer.totals)}")
    if answer.paging.next is not None and (whole or console.live):
        console.say(f"more: the same again with --start {answer.paging.next.start}")
    if (names := held_back(answer)) and (whole or console.live):
        have = "has" if len(names) == 1 else "have"
        console.say(
            f"{', '.join(names)} {have} more than was asked for: --per-source N asks each source "
            f"for N records"
        )
    if (
        console.live
        and not whole
        and any(set(report.notes) - {report.spared} for report in answer.sources)
    ):
        console.say("some sources left notes on the query or their answer; --explain shows them")


def timeline(answer: Answer, columns: int) -> Iterator[str]:
    """When each source was done, the fastest first, a bar a source: whom everybody waited for is
    seen at once.
    """
    names = max((len(report.source) for report in answer.sources), default=0)
    room = max(5, min(BAR, columns - names - len("  10.00 s, timeout")))
    longest = max([answer.seconds, *(report.seconds for report in answer.sources)])
    for report in sorted(answer.sources, key=lambda report: (report.seconds, report.source)):
        bar = "#" * (round(room * report.seconds / longest) if longest else 0)
        taken = "cached" if report.cached else f"{report.seconds:.2f} s"
        yield f"{report.source.ljust(names)} {bar.ljust(room)} {taken}, {report.status}"
    yield f"{'answer'.ljust(names)} {'#' * room} {answer.seconds:.2f} s"


def _explained(report: SourceReport, console: Console) -> None:
    taken = "cached" if report.cached else f"{report.seconds:.2f} s"
    console.say(f"{report.source}: {report.status}, {count_of(report)}, {taken}")
    if report.query:
        console.say(f"  asked: {line(report.query)}")
    for note in report.notes:
        console.say(f"  note: {line(note)}")


def _failed(group: list[SourceReport], console: Console, *, by_design: bool) -> None:
    report = group[0]
    reason = (
        line(str(report.error)).rstrip(".") if report.error is not None else "no reason is known"
    )
    advice = (
        f" {line(report.error.advice)}" if report.error is not None and report.error.advice else ""
    )
    kept = f" The {counted(report.count, 'record')} that came are kept." if report.count else ""
    if by_design:
        # A newcomer must not think that the first command went wrong.
        advice = " It fails on purpose, to show that the others go on."
    told = as_line([report.source for report in group], f"{report.status}: {reason}.{kept}{advice}")
    console.say(told, "yellow" if by_design else "red")


def _heard(answer: Answer) -> str:
    """Who gave how much: "crossref 20 of 1,234, arxiv 0, dblp 20 (3.0 s)"; the time where one had
    to wait.

    Where old pages stood in for a source, "dblp 20 from the cache".
    """
    parts = []
    for report in answer.sources:
        total = f" of {report.total:,}" if report.total and report.total > report.count else ""
        late = f" ({report.seconds:.1f} s)" if report.seconds >= SLOW else ""
        old = " from the cache" if report.spared else ""
        given = f"{report.count}{total}{old}" if answered(report) else report.status
        parts.append(f"{report.source} {given}{late}")
    return ", ".join(parts)


def _totals(it: Totals) -> str:
    about = "unknown in all" if it.estimate is None else f"about {it.estimate:,} in all"
    unsure = "" if it.reliable else ", not sure"
    most = "" if it.most is None else f", at most {it.most:,}"
    return f"{about}{unsure}, at least {it.least:,}{most}: {line(it.basis)}"


def _footer(answer: Answer, interrupted: bool) -> str:
    counts = answer.counts
    shown = len(answer.hits)
    heard = sum(answered(report) for report in answer.sources)
    here = (
        f"{answer.hits[0].rank} to {answer.hits[-1].rank}"
        if shown and answer.paging.start
        else f"{shown}"
    )
    more = f" of about {answer.expected:,}" if answer.expected > counts.unique else ""
    hits = counted(counts.unique, "hit")
    parts = [
        f"{here} of {hits}{more}" if shown < counts.unique else f"{hits}{more}",
        f"{counted(counts.received, 'record')}, {counted(counts.duplicates, 'duplicate')}",
        f"{heard} of {len(answer.sources)} sources answered",
        f"{answer.seconds:.2f} s",
    ]
    return ("interrupted: " if interrupted else "") + "; ".join(parts)
