"""`/projects/UID`: what a project holds, what to do next; its title, and its end."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import (
    Opened,
    after_form,
    opened,
    unknown_form,
    version_of,
)
from metasearch.server.faces.projects.report_lines import report_lines
from metasearch.server.faces.projects.strategies import lines_of
from metasearch.server.forms import posted
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.overview import Overview, RunLine, overview_page, run_line
from metasearch.server.pages.projects.said import Said
from metasearch.server.received import only
from metasearch.server.users.auditing import deleted
from metasearch.server.users.people import names
from metasearch.workspace import projects
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import strategies
from metasearch.workspace.works.listing import verdict_counts

#: Runs of the table.
_RUNS = 10


async def answer(request: web.Request) -> web.StreamResponse:
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
