"""`/api/projects/UID/reports`: reports as they are now, and finished ones."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from metasearch.message import message
from metasearch.server.faces.workspace.members import Member, Members, body_of, parameters_of
from metasearch.server.faces.workspace.opened import answer, found, named, opened, project_of
from metasearch.server.problem import Problem
from metasearch.server.site import site_of
from metasearch.workspace import objects
from metasearch.workspace.objects import Object
from metasearch.workspace.projects import Project
from metasearch.workspace.reports import finished, freezing, render, signatures
from metasearch.workspace.reports.document import LANGUAGES, Document
from metasearch.workspace.reports.kinds import KINDS
from metasearch.workspace.store.database import Database

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
            freezing.freeze, project, kind, previous=previous, by=here.by, **given
        )
        location = f"/api/projects/{project.uid}/reports/{kind}"
        address = site_of(request).path(location, number=made.number)
        return answer(objects.report(made), status=201, location=address)
    asked = parameters_of(request.query, WRITE)
    format_ = render.FORMATS[asked.pop("format", "json")]
    number = asked.pop("number", None)
    if number is not None:
        kept = await found(here.workspace.read(finished.find, project, kind, number))
        document = await here.workspace.read(signatures.document, kept, format_.name)
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
    return [objects.report(each) for each in finished.frozen(db, project)]
