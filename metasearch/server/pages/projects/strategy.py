"""The page of a strategy: its steps by databases, forms, and what each database was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.server.pages.environment import macro
from metasearch.server.pages.language import Language
from metasearch.server.pages.reading import SYNTAX_WORDS
from metasearch.server.pages.terms import FAILED_LOOK, N_, STATUS_LOOKS, STATUS_WORDS
from metasearch.workspace.runs.runs import Run, SourceAnswer
from metasearch.workspace.strategies.resolve import ResolvedStep
from metasearch.workspace.strategies.step import Step

#: Characters of a query, a request or a note that a page shows.
_LONGEST = 20_000
_MOST_REQUESTS = 10


@dataclass(frozen=True, slots=True)
class Column:
    """A database of the table."""

    source: str
    label: str


@dataclass(frozen=True, slots=True)
class Cell:
    """What one database said to one step, in short.

    Attributes:
        words: Its state, to be translated.
        claimed: Hits; None where they are not known.
        exact: Whether that number is of the whole query.
        failed: Whether it did not answer.
        waiting: Whether it is still being asked.
        stale: Whether it was asked for an earlier wording.
        address: Of the place that tells all.
    """

    words: str
    claimed: int | None
    exact: bool
    failed: bool
    waiting: bool
    stale: bool
    address: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """A row of the table.

    Attributes:
        text: As typed.
        syntax: To be translated; "" where it is recognised.
        fault: Why it cannot be read; "" where it can.
        stale: Why its numbers are old; "" where they are not.
        notes: How it was read, where that is not as typed.
        cells: One a column; None where the database was never asked.
        imported: What stands in place of them for an imported file; "" for others.
        fetched: Records of the newest answers; None where none were fetched.
        asked: The oldest date of the newest answers.
        known: Known works that it finds; None where that is not known.
    """

    number: int
    text: str
    syntax: str
    note: str
    fault: str
    stale: str
    notes: Sequence[str]
    cells: Sequence[Cell | None]
    imported: str
    fetched: int | None
    asked: str | None
    known: int | None
    known_address: str
    edit_address: str


@dataclass(frozen=True, slots=True)
class RunState:
    """A run that goes on.

    Attributes:
        counts: Whether only numbers are asked for.
        answers: Databases and steps that have answered.
        asked: How many will.
    """

    number: int
    counts: bool
    answers: int
    asked: int


@dataclass(frozen=True, slots=True)
class StepsView:
    """The table of the steps.

    Attributes:
        known: How many works must be found.
        stale: How many steps are stale.
        run: The run that goes on; None where none does.
        here: Address of the page.
    """

    columns: Sequence[Column]
    steps: Sequence[StepRow]
    known: int
    stale: int
    run: RunState | None
    here: str


@dataclass(frozen=True, slots=True)
class Edited:
    """The step whose form is open."""

    number: int
    text: str
    syntax_name: str
    note: str
    imported: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """What one database was asked, and said.

    Attributes:
        words: Its state, to be translated.
        requests: Method, address and body of each request, without keys.
    """

    source: str
    label: str
    words: str
    error: str
    advice: str
    sent: str
    requests: Sequence[str]
    asked_at: str | None
    cached: bool
    claimed: int | None
    exact: bool
    fetched: int | None
    filtered: int | None
    notes: Sequence[str]
    run: int


def steps_view(
    base: str,
    steps: Sequence[Step],
    resolved: Mapping[int, ResolvedStep | UsageError],
    newest: Mapping[tuple[int, str], SourceAnswer],
    columns: Sequence[Column],
    *,
    found: Mapping[int, int] | None = None,
    known: int = 0,
    run: RunState | None = None,
) -> StepsView:
    """The table.

    Args:
        base: Address of the page of the strategy.
        steps: Of the strategy, in their order.
        resolved: Number of a step -> what it means, or why it means nothing.
        newest: (number of a step, source) -> the newest answer.
        columns: The databases.
        found: Number of a step -> how many of the known works it finds.
        known: How many there are.
        run: That goes on.
    """
    rows = [
        _row(base, step, resolved[step.number], newest, columns, (found or {}).get(step.number))
        for step in steps
    ]
    return StepsView(columns, rows, known, sum(bool(row.stale) for row in rows), run, base)


def _row(
    base: str,
    step: Step,
    resolved: ResolvedStep | UsageError,
    newest: Mapping[tuple[int, str], SourceAnswer],
    columns: Sequence[Column],
    known: int | None,
) -> StepRow:
    given = [
        answer
        for column in columns
        if (answer := newest.get((step.number, column.source))) is not None
    ]
    own = [answer for (number, _), answer in newest.items() if number == step.number]
    digest = resolved.digest if isinstance(resolved, ResolvedStep) else ""
    is_import = step.kind == "import"
    cells = [
        None
        if (answer := newest.get((step.number, column.source))) is None
        else _cell(base, answer, digest)
        for column in columns
    ]
    old = not is_import and any(cell is not None and cell.stale for cell in cells)
    counted = own if is_import else given
    fetched = [answer.fetched for answer in counted if answer.fetched is not None]
    dates = [answer.asked_at for answer in counted if answer.asked_at]
    notes = resolved.notes if isinstance(resolved, ResolvedStep) else ()
    return StepRow(
        number=step.number,
        text=step.text,
        syntax="" if step.syntax == "auto" or is_import else SYNTAX_WORDS.get(step.syntax, ""),
        note=line(step.note),
        fault="" if is_import or isinstance(resolved, ResolvedStep) else resolved.message,
        stale=message("stale: the query was changed after it was asked") if old else "",
        notes=() if is_import else notes,
        cells=cells,
        imported=_imported(own) if is_import else "",
        fetched=sum(fetched) if fetched else None,
        asked=min(dates, default=None),
        known=known,
        known_address=f"{base}?known=1#known",
        edit_address=f"{base}?edit={step.number}#edit",
    )


def _imported(answers: Sequence[SourceAnswer]) -> str:
    if not answers:
        return message("not asked: imported from a file")
    claimed = answers[0].claimed
    if claimed is None:
        return message("searched by hand, imported from a file")
    return message(
        "searched by hand, imported from a file; it showed {claimed} hits", claimed=claimed
    )


def _cell(base: str, answer: SourceAnswer, digest: str) -> Cell:
    return Cell(
        words=STATUS_WORDS.get(answer.status, answer.status),
        claimed=answer.claimed,
        exact=answer.exact,
        failed=answer.failed and answer.status != "skipped",
        waiting=answer.status == "running",
        stale=answer.digest != digest,
        address=f"{base}?asked={answer.step}#asked-{answer.source}",
    )


def newest_of(answers: Sequence[SourceAnswer]) -> dict[tuple[int, str], SourceAnswer]:
    """(number of a step, source) -> the newest answer, of answers in the order of their runs.

    An answer that fetched records stays where a later count of the same query has none.
    """
    newest: dict[tuple[int, str], SourceAnswer] = {}
    for answer in answers:
        key = (answer.step, answer.source)
        before = newest.get(key)
        keeps = (
            before is not None
            and before.fetched is not None
            and answer.fetched is None
            and before.digest == answer.digest
            and not before.failed
        )
        if not keeps:
            newest[key] = answer
    return newest


def run_state(run: Run | None, answers: Sequence[SourceAnswer]) -> RunState | None:
    """The state of a run that goes on; None where it does not.

    Args:
        run: The newest one.
        answers: In that run.
    """
    if run is None or run.status != "running":
        return None
    steps, sources = run.options.get("steps") or (), run.options.get("sources") or ()
    ended = sum(answer.status != "running" for answer in answers)
    return RunState(run.number, run.mode == "counts", ended, len(steps) * len(sources))


def edited_step(steps: Sequence[Step], number: int | None) -> Edited | None:
    """The step whose form is open; None for none, or one that there is not."""
    for step in steps:
        if step.number == number:
            return Edited(number, step.text, step.syntax, step.note, step.kind == "import")
    return None


def asked_of(newest: Mapping[tuple[int, str], SourceAnswer], step: int) -> list[Asked]:
    """What each database was asked for a step."""
    return [_asked(answer) for (number, _), answer in newest.items() if number == step]


def _asked(answer: SourceAnswer) -> Asked:
    return Asked(
        source=answer.source,
        label=answer.label,
        words=STATUS_WORDS.get(answer.status, answer.status),
        error=answer.error,
        advice=answer.advice,
        sent=answer.sent[:_LONGEST],
        requests=[_request(one) for one in answer.requests[:_MOST_REQUESTS]],
        asked_at=answer.asked_at,
        cached=answer.cached,
        claimed=answer.claimed,
        exact=answer.exact,
        fetched=answer.fetched,
        filtered=answer.filtered,
        notes=[note[:_LONGEST] for note in answer.notes],
        run=answer.run,
    )


def _request(one: Mapping[str, object]) -> str:
    parts = (one.get("method") or "GET", one.get("url") or "", one.get("body") or "")
    return " ".join(str(part) for part in parts if part)[:_LONGEST]


def steps_html(view: StepsView, language: Language) -> tuple[str, str]:
    """(what is said of the run that goes on, the table) as HTML."""
    running = macro("projects/_steps.html", "running", language)(view)
    return str(running), str(macro("projects/_steps.html", "table", language)(view))
