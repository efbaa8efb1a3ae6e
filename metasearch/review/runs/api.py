"""`/api/projects/UID/runs`: runs of strategies, begun in the background and followed by GET."""

from __future__ import annotations

from aiohttp import web

from metasearch.engine.asking import MOST_RECORDS
from metasearch.engine.options import MAX_TIMEOUT
from metasearch.server.faces.workspace.members import Member, Members, body_of
from metasearch.server.faces.workspace.opened import (
    answer,
    found,
    numbered,
    opened,
    project_of,
)
from metasearch.server.limits.permits import user_of
from metasearch.server.site import site_of
from metasearch.server.users.people import names
from metasearch.server.users.quota import RunQuota, check_records
from metasearch.server.workspace_service import RunOptions
from metasearch.workspace import objects
from metasearch.workspace.objects import Object
from metasearch.workspace.projects import LONGEST_NAME, Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.runs import Run
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import strategies

BEGIN: Members = {
    "strategy": Member(
        help="Its name; without it the newest one.", most=LONGEST_NAME, example="main"
    ),
    "mode": Member(
        help="Fetch records, or ask for numbers of hits alone.",
        choices=("records", "counts"),
        example="counts",
    ),
    "steps": Member(
        help="Numbers of steps; without them the last one that no other names, of counts all.",
        kind="wholes",
        most=300,
        least=1,
    ),
    "sources": Member(
        help="Names of sources and groups; without them those of the strategy.",
        kind="texts",
        most=strategies.MOST_SOURCES,
        longest=100,
        example=["demo-crossref", "demo-openalex"],
    ),
    "per_source": Member(
        help="Records of each source and step.", kind="whole", least=1, most=MOST_RECORDS
    ),
    "timeout": Member(
        help="Seconds for each step at each source.", kind="whole", least=1, most=int(MAX_TIMEOUT)
    ),
}


async def runs_(request: web.Request) -> web.Response:
    """`/api/projects/UID/runs`: the list, the newest first, or a new run."""
    here = opened(request)
    project = await project_of(request, here)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.workspace.read(_all, project)
        people = await names(request, here.workspace, (each["by"] for each in listed))
        return answer({"runs": [objects.with_name(each, people) for each in listed]})
    given = await body_of(request, BEGIN)
    strategy = await here.workspace.read(strategies.find, project, given.pop("strategy", None))
    mode = given.pop("mode", "records")
    if mode == "records":
        await check_records(request, project)
    begun = await here.service.begin_run(
        project,
        strategy,
        mode,
        RunOptions(**given),
        by=here.by,
        user=user_of(request),
        limits=RunQuota(request, project),
    )
    location = f"/api/projects/{project.uid}/runs/{begun.number}"
    return answer(
        objects.run(begun, strategy.name), status=202, location=site_of(request).path(location)
    )


async def run(request: web.Request) -> web.Response:
    """`/api/projects/UID/runs/N`: a run with the answers that have come."""
    here = opened(request)
    project = await project_of(request, here)
    shown = await found(here.workspace.read(runs.find, project, numbered(request, "run")))
    job = here.service.jobs.numbered(project.id, shown.number)
    error = None if job is None else job.reason
    async with here.shared.admission.brief():
        made = await here.workspace.read(_one, project, shown) | {"error": error}
    people = await names(request, here.workspace, [shown.by])
    return answer(objects.with_name(made, people))


async def stop(request: web.Request) -> web.Response:
    """`/api/projects/UID/runs/N/stop`: ends a run; what its sources have answered stays."""
    here = opened(request)
    project = await project_of(request, here)
    await body_of(request, {})
    shown = await found(here.workspace.read(runs.find, project, numbered(request, "run")))
    shown = await here.service.stop_run(project, shown)
    return answer(await here.workspace.read(_one, project, shown) | {"error": None})


async def resume(request: web.Request) -> web.Response:
    """`/api/projects/UID/runs/N/resume`: has a run that was interrupted go on."""
    here = opened(request)
    project = await project_of(request, here)
    await body_of(request, {})
    shown = await found(here.workspace.read(runs.find, project, numbered(request, "run")))
    if shown.mode == "records":
        await check_records(request, project)
    again = await here.service.resume_run(
        project, shown, user=user_of(request), limits=RunQuota(request, project)
    )
    location = f"/api/projects/{project.uid}/runs/{again.number}"
    return answer(
        await here.workspace.read(_one, project, again) | {"error": None},
        status=202,
        location=site_of(request).path(location),
    )


def _all(db: Database, project: Project) -> list[Object]:
    names = {each.id: each.name for each in strategies.of(db, project)}
    return [objects.run(each, names[each.strategy]) for each in reversed(runs.of(db, project))]


def _one(db: Database, project: Project, shown: Run) -> Object:
    names = {each.id: each.name for each in strategies.of(db, project)}
    answers = [objects.answer(each) for each in runs.answers(db, shown)]
    return objects.run(shown, names[shown.strategy]) | {"answers": answers}
