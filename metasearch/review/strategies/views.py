"""What the pages of strategies show.

The page of a strategy: its steps by databases, forms, and what each database was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from metasearch.errors import QuerySyntaxError
from metasearch.formats.text import line
from metasearch.language import ReaderLanguage
from metasearch.message import message
from metasearch.query.syntaxes import TARGETS
from metasearch.review.page import FormState, clash_of, frame, value_words
from metasearch.review.projects.projects import ProjectRow
from metasearch.review.runs.figures import Figures, SourceFigure, StepFigures
from metasearch.review.runs.known_works import KnownWorkCheck
from metasearch.review.runs.runs import Run, StoredAnswer
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.strategies.writer import StrategyInSyntax
from metasearch.server.pages.environment import N_, STATUS_WORDS, macro
from metasearch.server.pages.hit import SYNTAX_WORDS, Fault
from metasearch.server.pages.page import page
from metasearch.server.pages.sources import SourceGroup
from metasearch.server.visit import Visit

#: Characters of a query, a request or a note that a page shows.
_LONGEST = 20_000
_MOST_REQUESTS = 10


@dataclass(frozen=True, slots=True)
class RunState:
    """A run that goes on, or was interrupted. `counts`: whether only numbers are asked for.
    `answers`: databases and steps that have answered.
    """

    number: int
    counts: bool
    answers: int
    asked: int


def run_state(run: Run, answers: Sequence[StoredAnswer]) -> RunState:
    """How far a run is, with the answers in it."""
    steps, sources = run.options.get("steps") or (), run.options.get("sources") or ()
    ended = sum(answer.status != "running" and not answer.half for answer in answers)
    return RunState(run.number, run.mode == "counts", ended, len(steps) * len(sources))


def _request(one: Mapping[str, object]) -> str:
    parts = (one.get("method") or "GET", one.get("url") or "", one.get("body") or "")
    return " ".join(str(part) for part in parts if part)[:_LONGEST]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyPage:
    """What the page is made from.

    Attributes:
        known: The known works; () where there are none.
        run: The run that goes on; None where none does.
        interrupted: The newest run, where it was interrupted.
        others: (name, address) of the other strategies.
        chosen: Names of the sources that the strategy names.
        edit: Number of the step whose form is open.
        asked: Number of the step whose requests are listed.
        written: The strategy in another syntax; None where none is asked for.
        can_edit: Whether steps have links to their forms.
        ended: Why the newest run did not come to its end; "" where it did, or that is not known.
    """

    strategy: Strategy
    figures: Figures
    base: str
    known: Sequence[KnownWorkCheck]
    run: RunState | None
    interrupted: RunState | None
    next_number: int
    others: Sequence[tuple[str, str]] = ()
    groups: Sequence[SourceGroup] = ()
    chosen: frozenset[str] = frozenset()
    edit: int | None = None
    asked: int | None = None
    shows_known: bool = False
    to: str = ""
    written: StrategyInSyntax | None = None
    usual_records: int = 500
    most_rounds: int = 1
    today: str = ""
    can_edit: bool = True
    ended: str = ""

    @property
    def columns(self) -> list[tuple[str, str]]:
        """(name, label) of the databases that were asked; one that was only searched by hand, or
        for citations, has no column.
        """
        steps = self.figures.steps
        asked = {one for step in steps if step.step.has_query for one in step.figures}
        by_hand = {one for step in steps if not step.step.has_query for one in step.figures}
        return [
            (source, label)
            for source, label in self.figures.sources.items()
            if source in asked or source not in by_hand
        ]

    @property
    def stale(self) -> int:
        """How many steps have an answer to another query."""
        return sum(one.stale for one in self.figures.steps)

    @property
    def finds(self) -> dict[int, int]:
        """Number of a step -> how many of the known works it finds."""
        number: dict[int, int] = {}
        for verdict in (verdict for one in self.known for verdict in one.steps):
            has_it = bool(verdict.sources or verdict.fits)
            number[verdict.step] = number.get(verdict.step, 0) + has_it
        return number

    @property
    def printed(self) -> dict[int, int]:
        """Number of a step -> the hits that the line showed from which it was pasted."""
        steps = (one.step for one in self.figures.steps)
        hits = {step.number: step.details.get("hits") for step in steps}
        return {number: value for number, value in hits.items() if isinstance(value, int)}

    @property
    def answers(self) -> list[StoredAnswer]:
        """What each database said last to the step whose requests are listed."""
        return [
            figure.newest
            for one in self.figures.steps
            if one.step.number == self.asked
            for figure in one.figures.values()
        ]

    def words(self, answer: StoredAnswer) -> str:
        """The state of an answer, to be translated."""
        return STATUS_WORDS.get(answer.status, answer.status)

    def syntax(self, step: Step) -> str:
        """To be translated; "" where it is recognised, or there is none."""
        shows = step.has_query and step.syntax != "auto"
        return SYNTAX_WORDS.get(step.syntax, "") if shows else ""

    def imported(self, one: StepFigures) -> str:
        """How the records of a file were searched for; "" for a step that is none."""
        if one.step.kind != "import":
            return ""
        answer = next((each.newest for each in one.figures.values()), None)
        if answer is None:
            return message("not asked: imported from a file")
        source, claimed = answer.label or answer.source, answer.claimed
        if claimed is None:
            return message("{source}: searched by hand", source=source)
        return message(
            "{source}: searched by hand; it showed {claimed} hits", source=source, claimed=claimed
        )

    def named(self, one: StepFigures) -> list[tuple[str, SourceFigure]]:
        """(label, what is known) of each index that was asked for citations."""
        if one.step.kind != "citations":
            return []
        labels = self.figures.sources
        return [(labels.get(name, name), figure) for name, figure in one.figures.items()]

    def date(self, one: StepFigures) -> str:
        """The oldest date of the numbers of a step, else the newest of its answers."""
        dates = (each.newest.asked_at or "" for each in one.figures.values())
        return one.first or max(dates, default="")

    def finders(self, one: KnownWorkCheck) -> list[str]:
        """Labels of the databases that had a known work."""
        labels = self.figures.sources
        return list(dict.fromkeys(labels.get(each.source, each.source) for each in one.finders))


def steps_html(shown: StrategyPage, language: ReaderLanguage) -> tuple[str, str]:
    """(what is said of the run that goes on, the table) as HTML."""
    running = macro("projects/_steps.html", "running", language)(shown)
    return str(running), str(macro("projects/_steps.html", "table", language)(shown))


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
    "again": N_("The same file was imported before; nothing was added."),
    "known": N_("The known works were added."),
    "read": N_("The search file was read."),
    "pasted": N_("The lines were added as steps."),
    "stopped": N_("The run was stopped; what was answered is kept."),
    "stopping": N_("The run is being stopped; what was answered is kept."),
}


def strategy_page(
    visit: Visit,
    project: ProjectRow,
    shown: StrategyPage,
    said: FormState,
    *,
    reading: StepReading | None = None,
    done: str = "",
) -> str:
    """The whole page; `done`: what is said of the form that was sent before, to be translated."""
    return page(
        "projects/strategy.html",
        visit,
        f"{shown.strategy.name} · {line(project.title)}",
        current="/projects",
        frame=frame(visit, project, "/strategies"),
        shown=shown,
        base=shown.base,
        alert=visit.site.path(
            "/saved", q=project.uid, syntax="citations", name=line(project.title)[:80]
        ),
        edited=next(
            (one.step for one in shown.figures.steps if one.step.number == shown.edit), None
        ),
        longest=_LONGEST,
        most_requests=_MOST_REQUESTS,
        request_line=_request,
        targets=[(name, SYNTAX_WORDS.get(name, name)) for name in TARGETS],
        syntaxes=SYNTAX_WORDS,
        said=said,
        clash=clash_of(
            said,
            visit.language,
            _OF_STRATEGY if said.place == "sources" else _OF_STEP,
            shown.base,
            words=partial(_clash_words, visit.language),
        ),
        fault=Fault.of(said.error) if isinstance(said.error, QuerySyntaxError) else None,
        reading=reading,
        done=done,
    )


def _clash_words(language: ReaderLanguage, name: str, value: object) -> str:
    if name == "syntax":
        return language.gettext(SYNTAX_WORDS.get(str(value), str(value)))
    return value_words(value, language)


@dataclass(frozen=True, slots=True)
class StrategyRow:
    name: str
    address: str
    steps: int
    note: str
    created: str


def strategies_page(
    visit: Visit,
    project: ProjectRow,
    listed: Sequence[StrategyRow],
    said: FormState,
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
