"""`/api/projects/UID/reports`: reports as they are now, and finished ones."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from metasearch.message import message
from metasearch.review import objects
from metasearch.review.api import (
    Member,
    Members,
    answer,
    body_of,
    found,
    named,
    opened,
    parameters_of,
    project_of,
)
from metasearch.review.objects import Object
from metasearch.review.projects.projects import Project
from metasearch.review.reports import render, reports
from metasearch.review.reports.document import LANGUAGES, Document
from metasearch.review.reports.reports import KINDS
from metasearch.review.store.database import Database
from metasearch.server.problem import Problem
from metasearch.server.site import site_of

WRITE: Members = {
    "format": Member(
        help="How it is written; `json` without it. `docx` needs the extra `docx`.",
        choices=tuple(render.FORMATS),
    ),
    "language": Member(help="Without it that of the report.", choices=LANGUAGES),
    "number": Member(help="The finished report of this number, or the `last`.", most=40),
    "continues": Member(
        help="Of an update: the number of the finished report that it continues, or `last`.",
        most=40,
    ),
}
FINISH: Members = {
    "language": Member(help="Without it that of the report.", choices=LANGUAGES),
    "continues": Member(
        help="The number of the finished report that it continues, or `last`.", most=40
    ),
    "draft": Member(help="Whether a draft may be finished, too.", kind="flag"),
}


async def reports_(request: web.Request) -> web.Response:
    """`/api/projects/UID/reports`: the kinds that there are, and the finished reports."""
    here = opened(request)
    project = await project_of(request, here)
    async with here.shared.admission.brief():
        kept = await here.workspace.read(_all, project)
    kinds = [
        {"kind": kind.name, "label": kind.label, "languages": list(kind.languages)}
        for kind in KINDS.values()
    ]
    return answer({"kinds": kinds, "finished": kept})


async def report(request: web.Request) -> web.Response:
    """`/api/projects/UID/reports/KIND`: a report as it is or was, or a new finished one."""
    here = opened(request)
    project = await project_of(request, here)
    kind = named(request, "kind")
    if kind not in KINDS:
        names = ", ".join(KINDS)
        raise Problem(
            404, None, message("There is no such report; there are {names}.", names=names)
        )
    if request.method == "POST":
        given = await body_of(request, FINISH)
        previous = given.pop("continues", None)
        made = await here.workspace.write(
            reports.freeze, project, kind, previous=previous, by=here.by, **given
        )
        location = f"/api/projects/{project.uid}/reports/{kind}"
        address = site_of(request).path(location, number=made.number)
        return answer(objects.report(made), status=201, location=address)
    asked = parameters_of(request.query, WRITE)
    format_ = render.FORMATS[asked.pop("format", "json")]
    number = asked.pop("number", None)
    if number is not None:
        kept = await found(here.workspace.read(reports.find, project, kind, number))
        document = await here.workspace.read(reports.signed_document, kept, format_.name)
    else:
        async with here.shared.admission.brief():
            document = await here.workspace.long(_now, project, kind, asked)
    body = await here.shared.admission.written(
        lambda: render.write(document, format_.name), large=True
    )
    headers = {
        "Cache-Control": "no-store",
        "Content-Type": format_.media_type,
        "Content-Disposition": f'attachment; filename="{kind}.{format_.ending}"',
    }
    return web.Response(body=body, headers=headers)


def _now(db: Database, project: Project, kind: str, asked: dict[str, Any]) -> Document:
    return KINDS[kind].build(
        db, project, language=asked.get("language"), previous=asked.get("continues")
    )


def _all(db: Database, project: Project) -> list[Object]:
    return [objects.report(each) for each in reports.frozen(db, project)]
