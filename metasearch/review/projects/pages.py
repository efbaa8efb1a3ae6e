"""The pages of projects: the list, the first page of one with its reports, its log and archive.

The list of projects.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.events import Answer, Counts
from metasearch.formats import write
from metasearch.formats.text import line
from metasearch.language import ReaderLanguage
from metasearch.message import message
from metasearch.review.api import send_file
from metasearch.review.page import (
    ACTION_WORDS,
    MODE_WORDS,
    RUN_WORDS,
    STAGE_WORDS,
    FormState,
    PageRequest,
    Render,
    after_form,
    browser_service,
    clash_of,
    decision_words,
    file_headers,
    frame,
    page_or_form,
    page_request,
    strategy_path,
    unknown_form,
    user_names,
    version_of,
)
from metasearch.review.projects import log_words, projects
from metasearch.review.projects.api import ZIP
from metasearch.review.projects.archive_format import export_project
from metasearch.review.projects.log import Change
from metasearch.review.projects.projects import (
    KINDS,
    LONGEST_NAME,
    LONGEST_TITLE,
    Kind,
    Project,
    ProjectRow,
)
from metasearch.review.projects.removal import arrival_file
from metasearch.review.quota_checks import check_archive, import_file, take_export
from metasearch.review.reports import reports as freezing
from metasearch.review.reports.reports import KINDS as REPORT_KINDS
from metasearch.review.runs import runs
from metasearch.review.runs.figures import source_labels
from metasearch.review.runs.runs import Run, StoredAnswer
from metasearch.review.screening import sight
from metasearch.review.service import Maker, delete_project, in_share, maker_of, names
from metasearch.review.store.values import now
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import strategies
from metasearch.review.strategies.pages import import_address, lines_of
from metasearch.review.strategies.views import StrategyRow
from metasearch.review.works.lists import verdict_counts
from metasearch.review.works.undo import undoable
from metasearch.review.works.works import STAGES, verdicts_of
from metasearch.server.forms import (
    WITH_FILE,
    choice_of,
    only,
    read_form_fields,
    read_form_with_file,
)
from metasearch.server.pages.basket import contents_of
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED
from metasearch.server.visit import visit_of

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


#: Bytes of an archive that a browser sends, and of it unpacked; the command line takes larger ones.
MOST_BYTES, MOST_UNPACKED = 200_000_000, 4_000_000_000


@in_share("archives", "POST")
async def answer_list(request: web.Request) -> web.StreamResponse:
    """The list, or a new project from its form or from an archive."""
    service, visit = browser_service(request), visit_of(request)
    workspace, maker = service.workspace, maker_of(request)

    async def render(said: FormState) -> str:
        async with request.app[SHARED].admission.brief():
            every = await workspace.read(maker.projects_of)
            editable = await workspace.read(maker.editable) if visit.basket else ()
        return page(
            "projects/list.html",
            visit,
            visit.language.gettext("Projects"),
            current="/projects",
            projects=every,
            basket=len(visit.basket) if editable else 0,
            editable=editable,
            kinds={kind: KIND_WORDS[kind] for kind in KINDS},
            said=said,
            most_megabytes=MOST_BYTES // 1_000_000,
            done=LIST_DONE_WORDS.get(only(request.query, "done"), ""),
            longest_name=LONGEST_NAME,
            longest_title=LONGEST_TITLE,
        )

    if request.method != "POST":
        return page_response(request, await render(FormState()))
    if request.content_type == WITH_FILE:
        return await _archive(request, workspace, render)
    fields = await read_form_fields(request)

    async def action() -> str:
        made = await _create(workspace, maker, fields)
        named = only(fields, "name").strip() in ("", made.name)
        path = f"/projects/{made.uid}"
        return visit.site.path(path) if named else visit.site.path(path, done="renamed")

    return await after_form(request, fields, action, render)


async def _archive(request: web.Request, workspace: Workspace, render: Render) -> web.Response:
    with arrival_file() as file:
        fields, upload = await read_form_with_file(request, MOST_BYTES, disk=file)
        file.flush()

        async def action() -> str:
            if not upload.name:
                raise UsageError(
                    message("No file was chosen"),
                    advice=message("Choose the file of a project."),
                )
            await check_archive(request, Path(file.name), MOST_UNPACKED)
            made = await workspace.work(
                maker_of(request).import_archive,
                Path(file.name),
                only(fields, "name").strip() or None,
                MOST_UNPACKED,
            )
            wanted = only(fields, "name").strip() or made.name
            done = "imported" if made.project.name == wanted else "named"
            return visit_of(request).site.path(f"/projects/{made.project.uid}", done=done)

        return await after_form(request, fields, action, render)


async def _create(workspace: Workspace, maker: Maker, fields: MultiMapping[str]) -> ProjectRow:
    kind = cast("Kind", choice_of(fields, "kind", KINDS, "review"))
    return await workspace.write(
        maker.create, only(fields, "name").strip(), kind, only(fields, "title").strip()
    )


#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "title": N_("The title was changed."),
    "archived": N_("The project was archived."),
    "restored": N_("The project was restored."),
    "renamed": N_("As its short name was taken, the project has another one here."),
    "joined": N_("You are a member of this project now."),
    "imported": N_("The project was imported from its file."),
    "named": N_(
        "The project was imported from its file; as its short name was taken, it has "
        "another one here."
    ),
}


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A report in a list; `title` and `about` to be translated; `missing`: open questions."""

    title: str
    about: str
    address: str
    missing: int
    frozen: int


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """What the page is made from.

    Attributes:
        runs: (run, name of its strategy, its answers), the newest first.
        decided: Stage -> verdict -> works, with "undecided".
    """

    strategies: Sequence[StrategyRow]
    runs: Sequence[tuple[Run, str, Sequence[StoredAnswer]]]
    decided: Mapping[str, Mapping[str, int]]
    reports: Sequence[ReportLine]

    @property
    def works(self) -> int:
        """Works of all verdicts together."""
        return sum(self.decided["title"].values())


def overview_page(
    here: PageRequest, shown: OverviewPage, said: FormState, people: Mapping[str, str] | None
) -> str:
    """The whole page; `people` are the names of users by their uids, None where there are none."""
    visit, project = here.visit, here.project
    made = frame(visit, project, "")
    words, address = next_step(made.base, shown)
    return page(
        "projects/overview.html",
        visit,
        line(project.title),
        current="/projects",
        frame=made,
        project=project,
        kind=KIND_WORDS[project.kind][0],
        strategies=shown.strategies,
        runs=[(run, strategy, _numbers(answers)) for run, strategy, answers in shown.runs],
        modes=MODE_WORDS,
        statuses=RUN_WORDS,
        people=None if people is None else user_names(visit.language, people),
        works_total=shown.works,
        stages=STAGE_WORDS,
        verdicts=_verdicts(project, shown),
        verdicts_of={stage: verdicts_of(project.kind, stage) for stage in STAGES},
        decided=shown.decided,
        reports=shown.reports,
        next={"words": words, "address": address},
        said=said,
        clash=clash_of(said, visit.language, {"title": N_("Title")}, made.base),
        done=DONE_WORDS.get(only(here.request.query, "done"), ""),
    )


def _verdicts(project: ProjectRow, shown: OverviewPage) -> dict[str, str]:
    """Verdict -> words, of those that the project has: they are offered, or stand on a work."""
    offered = {"undecided", "conflict"}.union(*(verdicts_of(project.kind, one) for one in STAGES))
    offered |= {verdict for counts in shown.decided.values() for verdict in counts}
    words = decision_words(project.kind)
    return {verdict: words[verdict] for verdict in words if verdict in offered}


def next_step(base: str, shown: OverviewPage) -> tuple[str, str]:
    """What is missing first: words, to be translated, and the address."""
    if not shown.strategies:
        return (N_("Write the first strategy."), f"{base}/strategies")
    if not any(one.steps for one in shown.strategies):
        return (N_("Add steps to the strategy."), shown.strategies[0].address)
    if not shown.works:
        return (
            N_("Run the strategy, so that its records are fetched."),
            f"{shown.strategies[0].address}#ask-head",
        )
    if shown.decided.get("title", {}).get("undecided", 0):
        return (N_("Decide on title and abstract of the works."), f"{base}/works?verdict=undecided")
    if shown.decided.get("fulltext", {}).get("undecided", 0):
        return (
            N_("Decide on the full text of the works that are left."),
            f"{base}/works?stage=fulltext&verdict=undecided",
        )
    lacking = [report for report in shown.reports if report.missing]
    if lacking:
        return (N_("Answer the questions of the reports."), lacking[0].address)
    return (N_("Read the reports, and make those final that are ready."), f"{base}/reports")


def _numbers(answers: Sequence[StoredAnswer]) -> Mapping[str, int | None]:
    """The sums of a run; `fetched` is None where no records were asked for."""
    fetched = [answer.fetched for answer in answers if answer.fetched is not None]
    return {
        "answered": sum(answer.answered for answer in answers),
        "failed": sum(answer.failed for answer in answers),
        "fetched": sum(fetched) if fetched else None,
    }


#: Kind of report -> what it says.
ABOUT: Mapping[str, str] = {
    "prisma-s": N_("The 16 items of PRISMA-S: databases, dates, strategies, limits, totals."),
    "prisma-flow": N_("How many records were found, merged, screened and included, and why not."),
    "included": N_("Each included study: authors and year, title, journal, identifier, databases."),
    "appendix": N_("For each database the query exactly as it was sent, with date and numbers."),
    "chaxin": N_("The novelty search report with all sections after GB/T 32003-2015."),
    "missed": N_("How many works the databases together have probably missed."),
}
#: Kind of project -> the reports that fit it, in their order.
_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "review": ("prisma-flow", "prisma-s", "included", "appendix", "missed"),
    "novelty": ("chaxin", "appendix"),
    "plain": ("appendix",),
}


def names_for(project: Project) -> list[str]:
    """The kinds of reports that fit the kind of the project, and those of which one is final."""
    fitting = [name for name in _OF_KIND[project.kind] if name in REPORT_KINDS]
    final = {report.kind for report in freezing.frozen(project)}
    return [*fitting, *(name for name in REPORT_KINDS if name in final.difference(fitting))]


def report_lines(project: Project, base: str) -> list[ReportLine]:
    frozen = [report.kind for report in freezing.frozen(project)]
    return [
        ReportLine(
            REPORT_KINDS[name].label,
            ABOUT.get(name, ""),
            f"{base}/reports/{name}",
            len(projects.open_questions(project, name)),
            frozen.count(name),
        )
        for name in names_for(project)
    ]


# `/projects/UID`: what a project holds, what to do next; its title, and its end.

#: Runs of the table.
_RUNS = 10


async def answer_overview(request: web.Request) -> web.StreamResponse:
    here = await page_request(request)

    async def render(said: FormState) -> str:
        async with here.shared.admission.brief():
            shown = await here.read(_overview_of, here.path())
        people = await names(request, here.workspace, (run.by for run, _, _ in shown.runs))
        return overview_page(here, shown, said, people)

    return await page_or_form(request, lambda fields: _do(here, fields), render)


def _overview_of(project: Project, base: str) -> OverviewPage:
    names = {one.id: one.name for one in strategies.of(project)}
    newest = runs.of(project)[-_RUNS:][::-1]
    return OverviewPage(
        strategies=lines_of(project, base),
        runs=[(run, names.get(run.strategy, ""), runs.answers(project.db, run)) for run in newest],
        decided={stage: verdict_counts(project, stage) for stage in ("title", "fulltext")},
        reports=report_lines(project, base),
    )


async def _do(here: PageRequest, fields: MultiMapping[str]) -> str:
    match only(fields, "do"):
        case "title":
            await here.write(
                projects.update,
                title=only(fields, "title").strip(),
                version=version_of(fields),
            )
            return here.path(done="title")
        case "archive":
            archived = only(fields, "archived") == "yes"
            await here.write(projects.update, archived=archived)
            return here.path(done="archived" if archived else "restored")
        case "delete":
            here.needs("delete")
            return await _delete(here, only(fields, "name").strip())
        case "basket":
            return await _add_basket(here)
    raise unknown_form()


#: The database that reports name for works of a basket, in whatever language they were added.
_BASKET = "metasearch"


async def _add_basket(here: PageRequest) -> str:
    """Add the works of the reader's basket as an imported file of the first strategy."""
    contents = await contents_of(here.visit.basket, here.shared)
    if not (hits := contents.hits):
        raise UsageError(
            message("The basket is empty"),
            advice=message("Tick works in a list of results and add them to the basket."),
        )
    known = await here.read(strategies.of)
    chosen = known[0] if known else await here.write(strategies.create, strategies.FIRST)
    answer = Answer("", True, Counts(len(hits), len(hits), 0), hits, ())
    content = await here.shared.admission.written(lambda: write("json", answer), large=True)
    done = await import_file(
        here,
        chosen,
        content,
        "basket.json",
        source=_BASKET,
        searched=now()[:10],
        note=here.visit.language.gettext("Works of a basket, which were found by searches here"),
    )
    return import_address(here.path(strategy_path(chosen.name)), done)


async def _delete(here: PageRequest, name: str) -> str:
    if name != here.project.name:
        raise UsageError(
            message("The project was not deleted: its short name was not typed"),
            advice=message("Its short name is {name}.", name=here.project.name),
        )
    if (job := here.service.jobs.of(here.project.id)) is not None:
        await job.stop()
    await delete_project(here.request, here.workspace, here.project)
    return here.visit.site.path("/projects", done="deleted")


# The log of a project: who changed what, and a button that undoes it.

#: What `done=` says -> the sentence.
LOG_DONE_WORDS: Mapping[str, str] = {"undone": N_("The change was undone.")}


#: Lines of a page.
_LINES = 100
_LARGEST_NUMBER = 2**53


def _in_words(
    project: Project, changes: Sequence[Change], language: ReaderLanguage
) -> list[tuple[str, str, str]]:
    """(what it is about, before, after) of each change."""
    labels, kind = source_labels(project), project.kind
    return [
        (
            log_words.object_words(language, each.object),
            log_words.value_text(language, each.before, kind, labels),
            log_words.value_text(language, each.after, kind, labels),
        )
        for each in changes
    ]


async def answer_log(request: web.Request) -> web.StreamResponse:
    """The log, or a change undone by its form."""
    here = await page_request(request)

    async def render(said: FormState) -> str:
        before = _number(only(request.query, "before"))
        async with here.shared.admission.brief():
            changes = await here.read(sight.lines, here.by, most=_LINES, before=before)
            can = await here.read(undoable, changes)
        people = await names(here.request, here.workspace, (each.by for each in changes))
        shown = await here.read(_in_words, changes, here.visit.language)
        older = here.path("/log", before=changes[-1].id) if len(changes) == _LINES else ""
        return page(
            "projects/log.html",
            here.visit,
            f"{here.visit.language.gettext('Log')} · {line(here.project.title)}",
            current="/projects",
            frame=frame(here.visit, here.project, "/log"),
            changes=[(each, *words) for each, words in zip(changes, shown, strict=True)],
            actions=ACTION_WORDS,
            undoable=can,
            people=None if people is None else user_names(here.visit.language, people),
            older=older,
            error=said.error,
            done=LOG_DONE_WORDS.get(only(request.query, "done"), ""),
        )

    async def action(fields: MultiMapping[str]) -> str:
        number = _number(only(fields, "change"))
        if number is None:
            raise UsageError(message("No change was named"))
        await here.undo(number)
        return here.path("/log", done="undone")

    return await page_or_form(request, action, render)


def _number(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:20]) < _LARGEST_NUMBER):
        raise Problem.bad_parameter("before", message("must be a number"))
    return int(text)


# `/projects/UID/archive`: a project as one file, which can be imported elsewhere.


@in_share("archives", "GET")
async def answer_archive(request: web.Request) -> web.StreamResponse:
    """The archive. It is written to disk first, so that a part of one is never sent as a whole.
    Raises UsageError: it cannot be written.
    """
    here = await page_request(request)
    await here.read(sight.check_archive, here.by)
    headers = file_headers(here.project.name, "zip")
    if request.method == "HEAD":
        return web.Response(headers=headers, content_type=ZIP)
    await take_export(request, here.project, "archive")
    with tempfile.TemporaryFile() as file:
        await here.long(export_project, file)
        return await send_file(request, file, ZIP, headers=headers)
