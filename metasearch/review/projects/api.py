"""Projects as a JSON interface: one and all, their logs and archives.

`/api/projects`: all projects; one of them, its log, and what undoes a change.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from aiohttp import web

from metasearch.message import message
from metasearch.review import objects
from metasearch.review.api import (
    VERSION,
    Member,
    Members,
    answer,
    body_of,
    opened,
    parameters_of,
    project_of,
    send_file,
)
from metasearch.review.objects import Object
from metasearch.review.projects import projects
from metasearch.review.projects.archive_checks import MOST_PACKED
from metasearch.review.projects.archive_format import export_project
from metasearch.review.projects.projects import LONGEST_NAME, Project
from metasearch.review.projects.removal import arrival_file
from metasearch.review.quota_checks import check_archive, take_export
from metasearch.review.screening import sight
from metasearch.review.service import Maker, deleted, in_share, maker_of, names
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
    "archived": Member(help="Whether it is put away.", kind="flag"),
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
    "before": Member(
        help="Lines before the change of this number.", kind="whole", least=1, most=2**53
    ),
}


async def projects_(request: web.Request) -> web.Response:
    """`/api/projects`: the list, or a new project."""
    here = opened(request)
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


async def project(request: web.Request) -> web.Response:
    """`/api/projects/UID`: the project, or a change of it. Raises Conflict: 409 for one that was
    made with an older version.
    """
    here = opened(request)
    shown = await project_of(request, here)
    if request.method == "POST":
        given = await body_of(request, CHANGES)
        shown = await here.workspace.write(projects.update, shown, by=here.by, **given)
    async with here.shared.admission.brief():
        return answer(await here.workspace.read(_one, shown))


async def questions(request: web.Request) -> web.Response:
    """`/api/projects/UID/questions`: what only a person knows, with the answers, or new answers.
    Raises Conflict: 409 for answers that were made with an older version.
    """
    here = opened(request)
    shown = await project_of(request, here)
    if request.method == "POST":
        given = await body_of(request, ANSWERS)
        shown = await here.workspace.write(
            projects.answer, shown, given["answers"], version=given.get("version"), by=here.by
        )
    given_answers = projects.answers(shown)
    asked = projects.questions(shown)
    return answer(
        {
            "questions": [objects.question(each, given_answers) for each in asked],
            "version": shown.version,
        }
    )


async def delete(request: web.Request) -> web.Response:
    """`/api/projects/UID/delete`: the project and all that belongs to it."""
    here = opened(request)
    _only_post(request)
    shown = await project_of(request, here)
    given = await body_of(request, DELETE)
    if given["name"] != shown.name:
        raise Problem.bad_parameters(
            [{"parameter": "name", "reason": f"is not the name of the project: {shown.name}"}]
        )
    job = here.service.jobs.of(shown.id)
    if job is not None:
        await job.stop()
    await deleted(request, here.workspace, shown)
    return answer({"deleted": shown.uid})


async def log_(request: web.Request) -> web.Response:
    """`/api/projects/UID/log`: who changed what, the newest first."""
    here = opened(request)
    shown = await project_of(request, here)
    asked = parameters_of(request.query, LOG)
    async with here.shared.admission.brief():
        lines = await here.workspace.read(
            sight.lines,
            shown,
            here.by,
            most=asked.get("count", 200),
            before=asked.get("before"),
        )
    people = await names(request, here.workspace, (each.by for each in lines))
    return answer({"changes": [objects.with_name(objects.change(each), people) for each in lines]})


def _all(db: Database, maker: Maker) -> list[Object]:
    return [objects.project(each, projects.overview_of(db, each)) for each in maker.listed(db)]


def _one(db: Database, shown: Project) -> Object:
    return objects.project(shown, projects.overview_of(db, shown)) | {
        "details": dict(shown.details)
    }


def _only_post(request: web.Request) -> None:
    if request.method != "POST":
        raise Problem(405, headers={"Allow": "POST"})


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
async def archive(request: web.Request) -> web.StreamResponse:
    """`/api/projects/UID/archive`: all of the project. Raises OSError: no room for the file."""
    here = opened(request)
    project = await project_of(request, here)
    await here.workspace.read(sight.check_archive, project, here.by)
    await take_export(request, project, "archive")
    with tempfile.TemporaryFile() as file:
        made = await here.workspace.long(export_project, project, file)
        lacking = {LACKING: ", ".join(map(str, made.lacking))} if made.lacking else {}
        return await send_file(request, file, ZIP, "project.zip", lacking)


@in_share("archives", "POST")
async def import_(request: web.Request) -> web.Response:
    """`/api/projects/import`: a project of an archive, the whole of it or nothing. Raises OSError:
    there is no room for the file.
    """
    here = opened(request)
    if request.content_type != ZIP:
        raise Problem(415, None, message("An archive is posted as {type}.", type=ZIP))
    asked = parameters_of(request.query, IMPORT)
    with arrival_file() as file:
        await body_into(request, here.shared.options, MOST_PACKED, file)
        file.flush()
        path = Path(file.name)
        await check_archive(request, path)
        made = await here.workspace.work(maker_of(request).imported, path, asked.get("name"))
    return answer(
        objects.imported_project(made),
        status=201,
        location=site_of(request).path(f"/api/projects/{made.project.uid}"),
    )
