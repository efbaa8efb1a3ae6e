"""The pages of projects: the list, the first page of one with its reports, its log and archive.

The list of projects.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import orjson
from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.review.page import (
    ACTION_WORDS,
    DECISION_WORDS,
    MODE_WORDS,
    RUN_WORDS,
    STAGE_WORDS,
    VERDICTS_OF,
    Opened,
    Render,
    Said,
    after_form,
    called,
    clash_of,
    file_name,
    frame,
    opened,
    served,
    unknown_form,
    version_of,
)
from metasearch.review.projects import projects
from metasearch.review.projects.archive_format import export_project
from metasearch.review.projects.log import Change
from metasearch.review.projects.projects import KINDS, LONGEST_NAME, LONGEST_TITLE, Kind, Project
from metasearch.review.projects.removal import arrival_file
from metasearch.review.quota_checks import check_archive, take_export
from metasearch.review.reports import reports as freezing
from metasearch.review.reports.reports import KINDS as REPORT_KINDS
from metasearch.review.runs import runs
from metasearch.review.runs.runs import Run, SourceAnswer
from metasearch.review.screening import sight
from metasearch.review.service import Maker, deleted, in_share, maker_of, names
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import strategies
from metasearch.review.strategies.pages import lines_of
from metasearch.review.strategies.views import StrategyLine
from metasearch.review.works.lists import verdict_counts
from metasearch.review.works.undo import is_own, undo, undoable
from metasearch.server.forms import WITH_FILE, chosen, only, posted, posted_with_file
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED
from metasearch.server.visit import Visit, visit_of

#: Kind of project -> (its name, what it is for).
KIND_WORDS: Mapping[str, tuple[str, str]] = {
    "review": (
        N_("Systematic review"),
        N_(
            "Strategies in several databases, screening of titles and full texts, PRISMA-S and the "
            "PRISMA 2020 flow diagram."
        ),
    ),
    "novelty": (
        N_("Novelty search"),
        N_("Points of novelty, closely and generally related works, the novelty search report."),
    ),
    "plain": (
        N_("Other search"),
        N_("Strategies, works and the search appendix, without the questions of a report."),
    ),
}
#: What `done=` says -> the sentence.
LIST_DONE_WORDS: Mapping[str, str] = {
    "deleted": N_("The project was deleted."),
    "left": N_("You are a member of that project no more."),
}


def projects_page(
    visit: Visit,
    every: Sequence[Project],
    said: Said,
    done: str = "",
    *,
    most_bytes: int,
) -> str:
    """The whole page. `every`: all projects in the order of the page."""
    return page(
        "projects/list.html",
        visit,
        visit.language.gettext("Projects"),
        current="/projects",
        projects=every,
        kinds=[(kind, *KIND_WORDS[kind]) for kind in KINDS],
        kind_words={kind: words for kind, (words, _) in KIND_WORDS.items()},
        said=said,
        most_megabytes=most_bytes // 1_000_000,
        done=LIST_DONE_WORDS.get(done, ""),
        longest_name=LONGEST_NAME,
        longest_title=LONGEST_TITLE,
    )


#: Bytes of an archive that a browser sends, and of it unpacked; the command line takes larger ones.
MOST_BYTES, MOST_UNPACKED = 200_000_000, 4_000_000_000


@in_share("archives", "POST")
async def answer_list(request: web.Request) -> web.StreamResponse:
    """The list, or a new project from its form or from an archive."""
    service, visit = served(request), visit_of(request)
    workspace, maker = service.workspace, maker_of(request)

    async def render(said: Said) -> str:
        async with request.app[SHARED].admission.brief():
            every = await workspace.read(maker.listed)
        return projects_page(visit, every, said, only(request.query, "done"), most_bytes=MOST_BYTES)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    if request.content_type == WITH_FILE:
        return await _archive(request, workspace, render)
    fields = await posted(request)

    async def action() -> str:
        made = await _created(workspace, maker, fields)
        named = made.name == only(fields, "name").strip()
        path = f"/projects/{made.uid}"
        return visit.site.path(path) if named else visit.site.path(path, done="renamed")

    return await after_form(request, fields, action, render)


async def _archive(request: web.Request, workspace: Workspace, render: Render) -> web.Response:
    """The answer to the form with an archive."""
    with arrival_file() as file:
        fields, upload = await posted_with_file(request, MOST_BYTES, disk=file)
        file.flush()

        async def action() -> str:
            if not upload.name:
                raise UsageError(
                    message("No file was chosen"),
                    advice=message("Choose the archive of a project."),
                )
            await check_archive(request, Path(file.name), MOST_UNPACKED)
            made = await workspace.work(
                maker_of(request).imported,
                Path(file.name),
                only(fields, "name").strip() or None,
                MOST_UNPACKED,
            )
            wanted = only(fields, "name").strip() or made.name
            done = "imported" if made.project.name == wanted else "named"
            return visit_of(request).site.path(f"/projects/{made.project.uid}", done=done)

        return await after_form(request, fields, action, render)


async def _created(workspace: Workspace, maker: Maker, fields: MultiMapping[str]) -> Project:
    """A new project."""
    kind = cast("Kind", chosen(fields, "kind", KINDS, "review"))
    return await workspace.write(
        maker.create, only(fields, "name").strip(), kind, only(fields, "title").strip()
    )


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


#: Kind of report -> what it says.
ABOUT: Mapping[str, str] = {
    "prisma-s": N_("The 16 items of PRISMA-S: databases, dates, strategies, limits, totals."),
    "prisma-flow": N_("How many records were found, merged, screened and included, and why not."),
    "appendix": N_("For each database the query exactly as it was sent, with date and numbers."),
    "chaxin": N_("The novelty search report with all sections after GB/T 32003-2015."),
    "missed": N_("How many works the databases together have probably missed."),
}
#: Kind of project -> the reports that stand first, and are asked for on its first page.
_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "review": ("prisma-flow", "prisma-s", "appendix", "missed"),
    "novelty": ("chaxin", "appendix"),
    "plain": ("appendix",),
}


def names_for(project: Project) -> list[str]:
    """All kinds of reports, those of the kind of the project first."""
    first = [name for name in _OF_KIND[project.kind] if name in REPORT_KINDS]
    return [*first, *(name for name in REPORT_KINDS if name not in first)]


def report_lines(
    db: Database, project: Project, base: str, *, every: bool = False
) -> list[ReportLine]:
    """The reports of a project."""
    frozen = [report.kind for report in freezing.frozen(db, project)]
    wanted = (
        names_for(project) if every else [n for n in _OF_KIND[project.kind] if n in REPORT_KINDS]
    )
    return [
        ReportLine(
            REPORT_KINDS[name].label,
            ABOUT.get(name, ""),
            f"{base}/reports/{name}",
            len(projects.missing(project, name)),
            frozen.count(name),
        )
        for name in wanted
    ]


# `/projects/UID`: what a project holds, what to do next; its title, and its end.

#: Runs of the table.
_RUNS = 10


async def answer_overview(request: web.Request) -> web.StreamResponse:
    """The page, or a change of the project."""
    here = await opened(request)

    async def render(said: Said) -> str:
        async with here.shared.admission.brief():
            shown = await here.workspace.read(_shown, here.project, here.path())
        people = await names(request, here.workspace, (run.by for run in shown.runs))
        done = only(request.query, "done")
        return overview_page(here.visit, here.project, shown, said, done, people)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    return await after_form(request, fields, lambda: _changed(here, fields), render)


def _shown(db: Database, project: Project, base: str) -> Overview:
    counts = {stage: verdict_counts(db, project, stage) for stage in ("title", "fulltext")}
    return Overview(
        strategies=lines_of(db, project, base),
        runs=_runs(db, project),
        works=sum(counts["title"].values()),
        decided=counts,
        reports=report_lines(db, project, base),
    )


def _runs(db: Database, project: Project) -> list[RunLine]:
    names = {one.id: one.name for one in strategies.of(db, project)}
    newest = runs.of(db, project)[-_RUNS:][::-1]
    return [run_line(run, runs.answers(db, run), names.get(run.strategy, "")) for run in newest]


async def _changed(here: Opened, fields: MultiMapping[str]) -> str:
    """Does what a form says; the address that shows it."""
    match only(fields, "do"):
        case "title":
            await here.workspace.write(
                projects.update,
                here.project,
                title=only(fields, "title").strip(),
                version=version_of(fields),
                by=here.by,
            )
            return here.path(done="title")
        case "archive":
            archived = only(fields, "archived") == "yes"
            await here.workspace.write(projects.update, here.project, archived=archived, by=here.by)
            return here.path(done="archived" if archived else "taken")
        case "delete":
            here.needs("delete")
            return await _deleted(here, only(fields, "name").strip())
    raise unknown_form()


async def _deleted(here: Opened, name: str) -> str:
    if name != here.project.name:
        raise UsageError(
            message("The project was not deleted: its short name was not typed"),
            advice=message("Its short name is {name}.", name=here.project.name),
        )
    if (job := here.service.jobs.of(here.project.id)) is not None:
        await job.stop()
    await deleted(here.request, here.workspace, here.project)
    return here.visit.site.path("/projects", done="deleted")


# The log of a project: who changed what, and a button that undoes it.

#: Characters of what stood there before and after.
_LONGEST = 300
#: What `done=` says -> the sentence.
LOG_DONE_WORDS: Mapping[str, str] = {"undone": N_("The change was undone.")}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log.

    Attributes:
        by: Name of the user; "" for the command line, and where there are no users.
        action: To be translated.
        before, after: As short texts; "" for nothing.
        undoes: The number of the change that it undid; None for others.
    """

    id: int
    at: str
    by: str
    action: str
    object: str
    before: str
    after: str
    undoes: int | None
    can_be_undone: bool


def log_page(
    visit: Visit,
    project: Project,
    changes: Sequence[Change],
    undoable: frozenset[int],
    *,
    people: Mapping[str, str] | None = None,
    older: str = "",
    error: UsageError | None = None,
    done: str = "",
) -> str:
    """The whole page.

    Args:
        changes: The newest first.
        people: Uid of a user -> name; None on a server without users, which shows nobody.
        older: Address of the lines before them; "" for none.
        error: Why a change was not undone.
    """
    return page(
        "projects/log.html",
        visit,
        f"{visit.language.gettext('Log')} · {line(project.title)}",
        current="/projects",
        frame=frame(visit, project, "/log"),
        lines=[
            log_line(change, change.id in undoable, called(visit.language, people or {}))
            for change in changes
        ],
        has_people=people is not None,
        older=older,
        error=error,
        done=LOG_DONE_WORDS.get(done, ""),
    )


def log_line(change: Change, can_be_undone: bool, people: Mapping[str, str] | None = None) -> Line:
    """One line; `people` are the names of users by their uids."""
    return Line(
        change.id,
        change.at,
        (people or {}).get(change.by, ""),
        ACTION_WORDS.get(change.action, change.action),
        change.object,
        _short(change.before),
        _short(change.after),
        change.undoes,
        can_be_undone,
    )


def _short(value: Any) -> str:
    """What JSON held, as a text of one line."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


#: Lines of a page.
_LINES = 100
_LARGEST_NUMBER = 2**53


async def answer_log(request: web.Request) -> web.StreamResponse:
    """The log, or a change undone by its form."""
    here = await opened(request)

    async def render(said: Said) -> str:
        before = _number(only(request.query, "before"))
        async with here.shared.admission.brief():
            lines = await here.workspace.read(
                sight.lines, here.project, here.by, most=_LINES, before=before
            )
            can = await here.workspace.read(undoable, here.project, lines, here.by)
        people = await names(here.request, here.workspace, (line.by for line in lines))
        older = here.path("/log", before=lines[-1].id) if len(lines) == _LINES else ""
        return log_page(
            here.visit,
            here.project,
            lines,
            can,
            people=people,
            older=older,
            error=said.error,
            done=only(request.query, "done"),
        )

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)

    async def action() -> str:
        number = _number(only(fields, "change"))
        if number is None:
            raise UsageError(message("No change was named"))
        if not await here.workspace.read(is_own, here.project, number, here.by):
            here.needs("edit")
        await here.service.ready(here.project)
        await here.workspace.write(undo, here.project, number, by=here.by)
        return here.path("/log", done="undone")

    return await after_form(request, fields, action, render)


def _number(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:20]) < _LARGEST_NUMBER):
        raise Problem.bad_parameters(
            [{"parameter": "before", "reason": message("must be a number")}]
        )
    return int(text)


# `/projects/UID/archive`: a project as one file, which can be imported elsewhere.

#: Bytes that are sent at a time.
_CHUNK = 1 << 18


@in_share("archives", "GET")
async def answer_archive(request: web.Request) -> web.StreamResponse:
    """The archive. It is written to disk first, so that a part of one is never sent as a whole.
    Raises UsageError: it cannot be written.
    """
    here = await opened(request)
    await here.workspace.read(sight.check_archive, here.project, here.by)
    response = web.StreamResponse(
        headers={
            "Content-Disposition": f'attachment; filename="{file_name(here.project.name)}.zip"',
            "Cache-Control": "private, no-store",
        }
    )
    response.content_type = "application/zip"
    if request.method == "HEAD":
        return web.Response(headers=response.headers)
    await take_export(request, here.project, "archive")
    with tempfile.TemporaryFile() as file:
        written = await here.workspace.long(export_project, here.project, file)
        response.content_length = written.bytes
        file.seek(0)
        await response.prepare(request)
        while part := await asyncio.to_thread(file.read, _CHUNK):
            await response.write(part)
        await response.write_eof()
    return response
