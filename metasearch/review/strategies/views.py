"""What the pages of strategies show.

The page of a strategy: its steps by databases, forms, and what each database was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from metasearch.errors import QuerySyntaxError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.query.writer import TARGETS
from metasearch.review.page import Said, clash_of, frame, value_words
from metasearch.review.projects.projects import Project
from metasearch.review.runs.figures import Figure, Figures, StepFigures
from metasearch.review.runs.known_works import Validated
from metasearch.review.runs.runs import Run, SourceAnswer
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.strategies.writer import Written
from metasearch.server.pages.environment import N_, STATUS_WORDS, Language, macro
from metasearch.server.pages.hit import SYNTAX_WORDS, Fault
from metasearch.server.pages.page import page
from metasearch.server.pages.sources import SourceGroup
from metasearch.server.visit import Visit

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
        stale: Whether it was asked for an earlier wording.
        address: Of the place that tells all.
    """

    words: str
    claimed: int | None
    exact: bool
    failed: bool
    stale: bool
    address: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """A row of the table.

    Attributes:
        syntax: To be translated; "" where it is recognised.
        fault: Why it cannot be read; "" where it can.
        stale: Why its numbers are old; "" where they are not.
        notes: How it was read, where that is not as typed.
        cells: One a column; None where the database was never asked.
        imported: Of an imported file how it was searched for; "" for others.
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
    """A run that goes on, or was interrupted. `counts`: whether only numbers are asked for.
    `answers`: databases and steps that have answered.
    """

    number: int
    counts: bool
    answers: int
    asked: int


@dataclass(frozen=True, slots=True)
class StepsView:
    """The table of the steps. `known`: how many works must be found. `run`: the run that goes on;
    None where none does.
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
    version: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What one database was asked, and said. `words`: its state, to be translated. `requests`:
    method, address and body of each request, without keys.
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
    figures: Figures,
    *,
    found: Mapping[int, int] | None = None,
    known: int = 0,
    run: RunState | None = None,
) -> StepsView:
    """The table. `found`: number of a step -> how many of the known works it finds."""
    by_hand = {
        source for one in figures.steps if one.step.kind == "import" for source in one.figures
    }
    asked = {source for one in figures.steps if one.step.kind != "import" for source in one.figures}
    columns = [
        Column(source, label)
        for source, label in figures.sources.items()
        if source in asked or source not in by_hand
    ]
    rows = [_row(base, one, columns, (found or {}).get(one.step.number)) for one in figures.steps]
    return StepsView(columns, rows, known, sum(bool(row.stale) for row in rows), run, base)


def _row(base: str, one: StepFigures, columns: Sequence[Column], known: int | None) -> StepRow:
    step, is_import = one.step, one.step.kind == "import"
    resolved = one.question.step if one.question else None
    return StepRow(
        number=step.number,
        text=step.text,
        syntax="" if step.syntax == "auto" or is_import else SYNTAX_WORDS.get(step.syntax, ""),
        note=line(step.note),
        fault=one.error.message if one.error else "",
        stale=message("stale: asked before its query was changed") if one.stale else "",
        notes=(*(resolved.notes if resolved else ()), *one.notes),
        cells=[
            _cell(base, one.figures[column.source]) if column.source in one.figures else None
            for column in columns
        ],
        imported=_imported([each.newest for each in one.figures.values()]) if is_import else "",
        fetched=one.fetched,
        asked=one.first
        or max((each.newest.asked_at or "" for each in one.figures.values()), default=""),
        known=known,
        known_address=f"{base}?known=1#known",
        edit_address=f"{base}?edit={step.number}#edit",
    )


def _imported(answers: Sequence[SourceAnswer]) -> str:
    """How the records of a file were searched for."""
    if not answers:
        return message("not asked: imported from a file")
    source, claimed = answers[0].label or answers[0].source, answers[0].claimed
    if claimed is None:
        return message("{source}: searched by hand", source=source)
    return message(
        "{source}: searched by hand; it showed {claimed} hits", source=source, claimed=claimed
    )


def _cell(base: str, figure: Figure) -> Cell:
    answer = figure.newest
    return Cell(
        words=STATUS_WORDS.get(answer.status, answer.status),
        claimed=figure.claimed,
        exact=answer.exact,
        failed=answer.failed and answer.status != "skipped",
        stale=figure.stale,
        address=f"{base}?asked={answer.step}#asked-{answer.source}",
    )


def run_state(run: Run, answers: Sequence[SourceAnswer]) -> RunState:
    """How far a run is, with the answers in it."""
    steps, sources = run.options.get("steps") or (), run.options.get("sources") or ()
    ended = sum(answer.status != "running" and not answer.half for answer in answers)
    return RunState(run.number, run.mode == "counts", ended, len(steps) * len(sources))


def edited_step(figures: Figures, number: int | None) -> Edited | None:
    """The step whose form is open; None for none, or one that there is not."""
    for step in (one.step for one in figures.steps):
        if step.number == number:
            return Edited(
                step.number,
                step.text,
                step.syntax,
                step.note,
                step.kind == "import",
                step.version,
            )
    return None


def asked_of(figures: Figures, number: int | None) -> list[Asked]:
    """What each database was asked for a step; nothing for a step that there is not."""
    return [
        _asked(figure.newest)
        for one in figures.steps
        if one.step.number == number
        for figure in one.figures.values()
    ]


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


@dataclass(frozen=True, slots=True)
class StepReading:
    """How a step would be read.

    Attributes:
        text: In metasearch's own syntax; "" of a combination.
        syntax: To be translated; "" where it is our own.
        notes: What the text does not say exactly.
    """

    text: str
    syntax: str
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Known:
    """A known work, step by step.

    Attributes:
        steps: Whether each step finds it: True in a run, or because its query fits; None where
            that cannot be said.
        lacks: The parts of queries that it does not fit.
        found_by: Labels of the databases that had it.
    """

    name: str
    title: str
    steps: Sequence[bool | None]
    lacks: Sequence[str]
    found_by: Sequence[str]


@dataclass(frozen=True, slots=True)
class StrategyPage:
    """What the page is made from.

    Attributes:
        others: (name, address) of the other strategies.
        edit: Number of the step whose form is open.
        asked: Number of the step whose requests are listed.
        chosen: Names of the sources that the strategy names.
        known: The known works; () where there are none.
        interrupted: The newest run, where it was interrupted.
        written: The strategy in another syntax; None where none is asked for.
        last_number: The largest number that a step ever had.
        can_edit: Whether steps have links to their forms.
        ended: Why the newest run did not come to its end; "" where it did, or that is not known.
    """

    strategy: Strategy
    figures: Figures
    base: str
    others: Sequence[tuple[str, str]]
    groups: Sequence[SourceGroup]
    chosen: frozenset[str]
    known: Sequence[Validated]
    run: RunState | None
    interrupted: RunState | None
    next_number: int
    edit: int | None = None
    asked: int | None = None
    shows_known: bool = False
    to: str = ""
    written: Written | None = None
    usual_records: int = 500
    today: str = ""
    can_edit: bool = True
    ended: str = ""


#: What two people may have changed at once -> what it is called.
_OF_STEP: Mapping[str, str] = {
    "text": N_("Query or combination"),
    "syntax": N_("Written in"),
    "note": N_("Note"),
    "details": N_("Details"),
    "removed": N_("Removed"),
}
_OF_STRATEGY: Mapping[str, str] = {
    "sources": N_("Databases"),
    "years": N_("Years"),
    "note": N_("Note on the strategy"),
}
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "added": N_("The step was added."),
    "edited": N_("The step was changed."),
    "removed": N_("The step was removed."),
    "sources": N_("Databases and years were saved."),
    "imported": N_("The file was imported as a step; its works are in the project."),
    "again": N_("The same file was imported before; nothing was added."),
    "known": N_("The known works were added."),
    "read": N_("The search file was read."),
    "pasted": N_("The lines were added as steps."),
    "stopped": N_("The run was stopped; what was answered is kept."),
    "stopping": N_("The run is being stopped; what was answered is kept."),
}


def strategy_page(
    visit: Visit,
    project: Project,
    shown: StrategyPage,
    said: Said,
    *,
    reading: StepReading | None = None,
    done: str = "",
) -> str:
    """The whole page."""
    base = shown.base
    steps = view_of(shown)
    fault = Fault.of(said.error) if isinstance(said.error, QuerySyntaxError) else None
    return page(
        "projects/strategy.html",
        visit,
        f"{shown.strategy.name} · {line(project.title)}",
        current="/projects",
        frame=frame(visit, project, "/strategies"),
        strategy=shown.strategy,
        base=base,
        others=shown.others,
        steps=steps,
        interrupted=shown.interrupted,
        progress=f"{base}/progress",
        check=f"{base}/check",
        edited=edited_step(shown.figures, shown.edit),
        next_number=shown.next_number,
        asked=asked_of(shown.figures, shown.asked),
        asked_step=shown.asked,
        groups=shown.groups,
        chosen_sources=shown.chosen,
        known=known_works(shown.known, shown.figures),
        known_steps=[one.step.number for one in shown.figures.steps],
        show_known=shown.shows_known,
        targets=[(name, SYNTAX_WORDS.get(name, name)) for name in TARGETS],
        to=shown.to,
        written=shown.written,
        usual_records=shown.usual_records,
        today=shown.today,
        ended=shown.ended,
        syntaxes=SYNTAX_WORDS,
        said=said,
        clash=clash_of(
            said,
            visit.language,
            _OF_STRATEGY if said.place == "sources" else _OF_STEP,
            base,
            words=partial(_clash_words, visit.language),
        ),
        fault=fault,
        reading=reading,
        done=DONE_WORDS.get(done, ""),
    )


def _clash_words(language: Language, name: str, value: object) -> str:
    if name == "syntax":
        return language.gettext(SYNTAX_WORDS.get(str(value), str(value)))
    return value_words(value, language)


def view_of(shown: StrategyPage) -> StepsView:
    """The table of the page."""
    found: dict[int, int] = {}
    for one in shown.known:
        for verdict in one.steps:
            found[verdict.step] = found.get(verdict.step, 0) + bool(verdict.sources or verdict.fits)
    made = steps_view(shown.base, shown.figures, found=found, known=len(shown.known), run=shown.run)
    if shown.can_edit:
        return made
    return replace(made, steps=[replace(step, edit_address="") for step in made.steps])


def known_works(known: Sequence[Validated], figures: Figures) -> list[Known]:
    """The known works, for their table."""
    return [
        Known(
            name=one.known.name,
            title=line(one.known.record.title) or one.known.name,
            steps=[True if verdict.sources else verdict.fits for verdict in one.steps],
            lacks=list(dict.fromkeys(part for verdict in one.steps for part in verdict.lacks)),
            found_by=list(
                dict.fromkeys(
                    figures.sources.get(finder.source, finder.source) for finder in one.finders
                )
            ),
        )
        for one in known
    ]


@dataclass(frozen=True, slots=True)
class StrategyLine:
    """A row of the list."""

    name: str
    address: str
    steps: int
    note: str
    created: str


def strategies_page(
    visit: Visit,
    project: Project,
    listed: Sequence[StrategyLine],
    said: Said,
    notes: Sequence[str] = (),
) -> str:
    """The whole page; `notes` are what does not hold of a search file that was read."""
    return page(
        "projects/strategies.html",
        visit,
        f"{visit.language.gettext('Strategies')} · {line(project.title)}",
        current="/projects",
        frame=frame(visit, project, "/strategies"),
        strategies=listed,
        said=said,
        notes=notes,
        done=N_("The search file was read.") if notes else "",
    )
