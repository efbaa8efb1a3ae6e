"""`/projects/UID/reports`: the reports of a project, and those that are frozen."""

from __future__ import annotations

from aiohttp import web

from metasearch.server.faces.projects.opened import opened
from metasearch.server.faces.projects.report_lines import report_lines
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.overview import ReportLine
from metasearch.server.pages.projects.reports import reports_page
from metasearch.server.received import only
from metasearch.workspace.projects import Project
from metasearch.workspace.reports.finished import Report, frozen
from metasearch.workspace.store.database import Database


async def answer(request: web.Request) -> web.StreamResponse:
    """The list."""
    here = await opened(request)
    async with here.shared.admission.brief():
        lines, finished = await here.workspace.read(_both, here.project, here.path())
    done = only(request.query, "done")
    return page_response(request, reports_page(here.visit, here.project, lines, finished, done))


def _both(db: Database, project: Project, base: str) -> tuple[list[ReportLine], list[Report]]:
    return report_lines(db, project, base, every=True), frozen(db, project)
