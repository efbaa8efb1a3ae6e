"""The first page of a project: what there is, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.formats.text import line
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.clash import clash_of
from metasearch.server.pages.projects.frame import frame
from metasearch.server.pages.projects.listing import KIND_WORDS
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.projects.strategies import StrategyLine
from metasearch.server.pages.projects.words import (
    DECISION_WORDS,
    MODE_WORDS,
    RUN_WORDS,
    STAGE_WORDS,
    VERDICTS_OF,
    called,
)
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.projects import Project
from metasearch.workspace.runs.runs import Run, SourceAnswer

#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "title": N_("The title was changed."),
    "archived": N_("The project was put away."),
    "taken": N_("The project was taken out again."),
    "renamed": N_("As its short name was taken, the project has another one here."),
    "joined": N_("You are a member of this project now."),
    "imported": N_("The project was imported from its archive."),
    "named": N_(
        "The project was imported from its archive; as its short name was taken, it has "
        "another one here."
    ),
}


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a table.

    Attributes:
        mode, status: To be translated.
        by: Uid of the user who began it; "" where there are no users.
        fetched: Records; None where none were asked for.
    """

    number: int
    mode: str
    strategy: str
    status: str
    started: str
    by: str
    answered: int
    failed: int
    fetched: int | None


@dataclass(frozen=True, slots=True)
class StateLine:
    """Works by a decision: (how many, address of the list) of each stage; None where the stage does
    not have it.
    """

    words: str
    counts: Sequence[tuple[int | None, str]]


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A report in a list; `title` and `about` to be translated; `missing`: open questions."""

    title: str
    about: str
    address: str
    missing: int
    frozen: int


@dataclass(frozen=True, slots=True)
class Next:
    """What to do next; `words` are to be translated."""

    words: str
    address: str


@dataclass(frozen=True, slots=True)
class Overview:
    """What the page is made from. `decided`: stage -> verdict -> works, with "undecided"."""

    strategies: Sequence[StrategyLine]
    runs: Sequence[RunLine]
    works: int
    decided: Mapping[str, Mapping[str, int]]
    reports: Sequence[ReportLine]


def overview_page(
    visit: Visit,
    project: Project,
    shown: Overview,
    said: Said,
    done: str = "",
    people: Mapping[str, str] | None = None,
) -> str:
    """The whole page; `people` are the names of users by their uids, None where there are none."""
    made = frame(visit, project, "")
    return page(
        "projects/overview.html",
        visit,
        line(project.title),
        current="/projects",
        frame=made,
        project=project,
        kind=KIND_WORDS[project.kind][0],
        strategies=shown.strategies,
        runs=shown.runs,
        people=None if people is None else called(visit.language, people),
        works_total=shown.works,
        stages=list(STAGE_WORDS.values()),
        states=_states(made.base, shown.decided),
        reports=shown.reports,
        next=next_step(made.base, shown),
        said=said,
        clash=clash_of(said, visit.language, {"title": N_("Title")}, made.base),
        done=DONE_WORDS.get(done, ""),
    )


def next_step(base: str, shown: Overview) -> Next:
    """What is missing first."""
    if not shown.strategies:
        return Next(N_("Write the first strategy."), f"{base}/strategies")
    if not any(one.steps for one in shown.strategies):
        return Next(N_("Add steps to the strategy."), shown.strategies[0].address)
    if not shown.works:
        return Next(
            N_("Run the strategy, so that its records are fetched."),
            f"{shown.strategies[0].address}#ask-head",
        )
    if shown.decided.get("title", {}).get("undecided", 0):
        return Next(
            N_("Decide on title and abstract of the works."), f"{base}/works?verdict=undecided"
        )
    if shown.decided.get("fulltext", {}).get("undecided", 0):
        return Next(
            N_("Decide on the full text of the works that are left."),
            f"{base}/works?stage=fulltext&verdict=undecided",
        )
    lacking = [report for report in shown.reports if report.missing]
    if lacking:
        return Next(N_("Answer the questions of the reports."), lacking[0].address)
    return Next(N_("Read the reports, and freeze those that are ready."), f"{base}/reports")


def run_line(run: Run, answers: Sequence[SourceAnswer], strategy: str) -> RunLine:
    """A run in a table."""
    fetched = [answer.fetched for answer in answers if answer.fetched is not None]
    return RunLine(
        run.number,
        MODE_WORDS[run.mode],
        strategy,
        RUN_WORDS[run.status],
        run.started,
        run.by,
        sum(answer.answered for answer in answers),
        sum(answer.failed for answer in answers),
        sum(fetched) if fetched else None,
    )


def _states(base: str, decided: Mapping[str, Mapping[str, int]]) -> list[StateLine]:
    return [
        StateLine(
            words,
            [
                (
                    decided.get(stage, {}).get(verdict, 0)
                    if verdict in ("undecided", *VERDICTS_OF[stage])
                    else None,
                    f"{base}/works?stage={stage}&verdict={verdict}",
                )
                for stage in STAGE_WORDS
            ],
        )
        for verdict, words in DECISION_WORDS.items()
    ]
