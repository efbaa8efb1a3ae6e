"""What stderr says when a search is over: who failed and what to do, and how much was found."""

from __future__ import annotations

import sys
from collections.abc import Collection

from metasearch.cli.console import Console, counted
from metasearch.cli.exits import answered
from metasearch.cli.progress import count_of
from metasearch.events import Answer, SourceReport
from metasearch.formats.text import line


def tell(
    answer: Answer,
    console: Console,
    *,
    explain: bool = False,
    on_purpose: Collection[str] = (),
    interrupted: bool = False,
) -> None:
    """Say what the results do not.

    Where nobody watches and nothing went wrong, this is nothing at all, as a script expects.

    Args:
        answer: Of the search; `hits` are those that were shown.
        console: Says it.
        explain: Tell of every source what it was sent and how it fared.
        on_purpose: Sources that fail by design.
        interrupted: The user did not wait for the end.
    """
    nobody = not any(answered(report) for report in answer.sources) and not interrupted
    if console.quiet and not nobody:
        return
    if console.live and answer.hits and sys.stdout.isatty():
        console.say("")
    whole = explain or console.verbose
    for report in answer.sources:
        if whole:
            _explained(report, console)
        if report.status == "running":
            console.say(f"{report.source}: did not finish", "yellow")
        elif report.error is not None or report.failed:
            _failed(report, console, by_design=report.source in on_purpose)
    if nobody:
        console.say("error: no source answered", "red")
        return
    troubled = any(report.failed for report in answer.sources)
    if not answer.counts.unique:
        console.say("no hits" + ("" if troubled or interrupted else "; try fewer or other words, or more sources"))
    if whole or troubled or interrupted or console.live:
        console.say(_footer(answer, interrupted))
    if console.live and not whole and any(report.notes for report in answer.sources):
        console.say("some sources left notes on the query or their answer; --explain shows them")


def _explained(report: SourceReport, console: Console) -> None:
    taken = "cached" if report.cached else f"{report.seconds:.2f} s"
    console.say(f"{report.source}: {report.status}, {count_of(report)}, {taken}")
    if report.query:
        console.say(f"  asked: {line(report.query)}")
    for note in report.notes:
        console.say(f"  note: {line(note)}")


def _failed(report: SourceReport, console: Console, *, by_design: bool) -> None:
    reason = line(str(report.error)).rstrip(".") if report.error is not None else "no reason is known"
    advice = f" {line(report.error.advice)}" if report.error is not None and report.error.advice else ""
    kept = f" The {counted(report.count, 'record')} that came are kept." if report.count else ""
    if by_design:
        # A newcomer must not think that the first command went wrong.
        advice = " It fails on purpose, to show that the others go on."
    console.say(f"{report.source}: {report.status}: {reason}.{kept}{advice}", "yellow" if by_design else "red")


def _footer(answer: Answer, interrupted: bool) -> str:
    counts = answer.counts
    shown = len(answer.hits)
    heard = sum(answered(report) for report in answer.sources)
    parts = [
        f"{shown} of {counted(counts.unique, 'hit')}" if shown < counts.unique else counted(shown, "hit"),
        f"{counted(counts.received, 'record')}, {counted(counts.duplicates, 'duplicate')}",
        f"{heard} of {len(answer.sources)} sources answered",
        f"{answer.seconds:.2f} s",
    ]
    return ("interrupted: " if interrupted else "") + "; ".join(parts)
