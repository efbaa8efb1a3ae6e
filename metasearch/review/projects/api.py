"""Projects as a JSON interface: one and all, their logs and archives.

`/api/projects`: all projects; one of them, its log, and what undoes a change.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from aiohttp import web

from metasearch.message import message
from metasearch.review import objects
from metasearch.review.api import (
    VERSION,
    Member,
    Members,
    Ordinal,
    answer,
    body_of,
    parameters_of,
    project_request,
    send_file,
    workspace_request,
)
from metasearch.review.objects import Object
from metasearch.review.projects import projects
from metasearch.review.projects.archive_checks import MOST_PACKED
from metasearch.review.projects.archive_format import export_project
from metasearch.review.projects.projects import LONGEST_NAME, Project
from metasearch.review.projects.removal import arrival_file
from metasearch.review.quota_checks import check_archive, take_export
from metasearch.review.screening import sight
from metasearch.review.service import Maker, delete_project, in_share, maker_of, names
from metasearch.review.store.database import Database
from metasearch.server.forms import body_into
from metasearch.server.problem import Problem
from metasearch.server.site import site_of

NEW: Members = {
    "name": Member(
        help="Its short name: letters, digits, `.`, `_` and `-`.",
        required=True,
        most=projects.LONGEST_NAME,
        example="gambling",
    ),
    "kind": Member(
        help="A systematic review, a novelty search (查新), or neither.",
        choices=projects.KINDS,
        example="review",
    ),
    "title": Member(
        help="For people; without it the name.",
        most=projects.LONGEST_TITLE,
        example="Gambling harms",
    ),
}
CHANGES: Members = {
    "title": Member(help="The new title.", most=projects.LONGEST_TITLE),
    "archived": Member(help="Whether it is archived.", kind="flag"),
    "version": VERSION,
}
DELETE: Members = {
    "name": Member(help="The name of the project again, against mistakes.", required=True)
}
ANSWERS: Members = {
    "answers": Member(
        help="Key of a question -> its answer; null or an empty text takes it away.",
        kind="object",
        required=True,
        example={"review.registration": "CRD42026000000"},
    ),
    "version": VERSION,
}
LOG: Members = {
    "count": Member(help="So many lines, 200 without it.", kind="whole", least=1, most=1_000),
    "before": Ordinal(help="Lines before the change of this number."),
}


async def answer_projects(request: web.Request) -> web.Response:
    """`/api/projects`: the list, or a new project."""
    here = workspace_request(request)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.workspace.read(_all, maker_of(request))
        return answer({"projects": listed})
    given = await body_of(request, NEW)
    made = await here.workspace.write(
        maker_of(request).create,
        given["name"],
        given.get("kind", "plain"),
        given.get("title", ""),
    )
    return answer(
        objects.project(made),
        status=201,
        location=site_of(request).path(f"/api/projects/{made.uid}"),
    )


async def answer_project(request: web.Request) -> web.Response:
    """`/api/projects/UID`: the project, or a change of it. Raises Conflict: 409 for one that was
    made with an older version.
    """
    here = await project_request(request)
    if request.method == "POST":
        given = await body_of(request, CHANGES)
        here = replace(here, project=await here.write(projects.update, **given))
    async with here.shared.admission.brief():
        return answer(await here.read(_one))


async def answer_questions(request: web.Request) -> web.Response:
    """`/api/projects/UID/questions`: what only a person knows, with the answers, or new answers.
    Raises Conflict: 409 for answers that were made with an older version.
    """
    here = await project_request(request)
    shown = here.project
    if request.method == "POST":
        given = await body_of(request, ANSWERS)
        shown = await here.write(projects.answer, given["answers"], version=given.get("version"))
    given_answers = projects.answers(shown)
    asked = projects.questions(shown)
    return answer(
        {
            "questions": [objects.question(each, given_answers) for each in asked],
            "version": shown.version,
        }
    )


async def answer_deletion(request: web.Request) -> web.Response:
    """`/api/projects/UID/delete`: the project and all that belongs to it."""
    here = await project_request(request)
    shown = here.project
    given = await body_of(request, DELETE)
    if given["name"] != shown.name:
        raise Problem.bad_parameter("name", f"is not the name of the project: {shown.name}")
    job = here.service.jobs.of(shown.id)
    if job is not None:
        await job.stop()
    await delete_project(request, here.workspace, shown)
    return answer({"deleted": shown.uid})


async def answer_log(request: web.Request) -> web.Response:
    """`/api/projects/UID/log`: who changed what, the newest first."""
    here = await project_request(request)
    asked = parameters_of(request.query, LOG)
    async with here.shared.admission.brief():
        lines = await here.read(
            sight.lines,
            here.by,
            most=asked.get("count", 200),
            before=asked.get("before"),
        )
    people = await names(request, here.workspace, (each.by for each in lines))
    return answer({"changes": [objects.with_name(objects.change(each), people) for each in lines]})


def _all(db: Database, maker: Maker) -> list[Object]:
    return [objects.project(each, projects.overview_of(each)) for each in maker.projects_of(db)]


def _one(shown: Project) -> Object:
    return objects.project(shown, projects.overview_of(shown)) | {"details": dict(shown.details)}


#: What an archive is. A form of another site can send no body of this type, as none of JSON.
ZIP = "application/zip"
#: The header with the runs whose recorded pages an archive lacks.
LACKING = "Lacking-Runs"
IMPORT: Members = {
    "name": Member(
        help="Its name here; without it that in the archive, with `-2` where it is taken.",
        most=LONGEST_NAME,
    )
}


@in_share("archives", "GET")
async def answer_archive(request: web.Request) -> web.StreamResponse:
    """`/api/projects/UID/archive`: all of the project. Raises OSError: no room for the file."""
    here = await project_request(request)
    await here.read(sight.check_archive, here.by)
    await take_export(request, here.project, "archive")
    with tempfile.TemporaryFile() as file:
        made = await here.long(export_project, file)
        lacking = {LACKING: ", ".join(map(str, made.lacking))} if made.lacking else {}
        return await send_file(request, file, ZIP, "project.zip", lacking)


@in_share("archives", "POST")
async def answer_import(request: web.Request) -> web.Response:
    """`/api/projects/import`: a project of an archive, the whole of it or nothing. Raises OSError:
    there is no room for the file.
    """
    here = workspace_request(request)
    if request.content_type != ZIP:
        raise Problem(415, None, message("An archive is posted as {type}.", type=ZIP))
    asked = parameters_of(request.query, IMPORT)
    with arrival_file() as file:
        await body_into(request, here.shared.options, MOST_PACKED, file)
        file.flush()
        path = Path(file.name)
        await check_archive(request, path)
        made = await here.workspace.work(maker_of(request).import_archive, path, asked.get("name"))
    return answer(
        objects.archive_import(made),
        status=201,
        location=site_of(request).path(f"/api/projects/{made.project.uid}"),
    )
