"""Runs, known works and other sources as a JSON interface.

`/api/projects/UID/runs`: runs of strategies, begun in the background and followed by GET.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from aiohttp import web

from metasearch.engine.engine import MOST_RECORDS
from metasearch.engine.options import MAX_TIMEOUT
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review import objects
from metasearch.review.api import (
    VERSION,
    Member,
    Members,
    answer,
    body_of,
    found,
    numbered,
    opened,
    project_of,
)
from metasearch.review.objects import Object
from metasearch.review.projects.projects import LONGEST_NAME, Project
from metasearch.review.quota_checks import RunQuota, check_records
from metasearch.review.runs import known_works, other_sources, runs
from metasearch.review.runs.runs import Run
from metasearch.review.service import RunOptions, in_share, names, user_of
from metasearch.review.store.database import Database
from metasearch.review.strategies import strategies
from metasearch.review.strategies.api import strategy_of
from metasearch.review.works.api import FILE, LARGEST, content_of
from metasearch.server.site import site_of

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


# `/api/projects/UID/known`: works that searches should find, and who finds or misses each.

ADD_KNOWN: Members = {
    "lines": Member(
        help="A work a line: a DOI, `PMID 1`, `arxiv:` or `isbn:` with a number, or a title with "
        "its year in brackets.",
        most=known_works.MOST * (known_works.LONGEST + 1),
        example="10.1000/182\nGambling and debt (2019)",
    ),
    **FILE,
    "name": replace(
        FILE["name"],
        required=False,
        help="In place of `lines`: the name of a file, of one record or more.",
        example=None,
    ),
    "format": replace(FILE["format"], example=None),
}
REMOVE_KNOWN: Members = {
    "names": Member(
        help="As the list has them.",
        kind="texts",
        required=True,
        most=known_works.MOST,
        longest=known_works.LONGEST + 10,  # the title of a record, with its year
        example=["doi:10.1000/182"],
    )
}


@in_share("uploads", "POST")
async def known(request: web.Request) -> web.Response:
    """`/api/projects/UID/known`: the known works, or new ones."""
    here = opened(request)
    project = await project_of(request, here)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.workspace.read(known_works.of, project)
        return answer({"known": [objects.known(each) for each in listed]})
    given = await body_of(request, ADD_KNOWN, most=LARGEST + 1_000_000)
    if "lines" in given:
        if len(given) > 1:
            raise _one_of_both()
        added = await here.workspace.write(
            known_works.add_lines, project, given["lines"], by=here.by
        )
    else:
        content, name = _file(given)
        added = await here.workspace.work(
            known_works.add_file,
            project,
            content,
            name,
            by=here.by,
            **given,
        )
    return answer({"new": [objects.known(each) for each in added]})


async def remove_known(request: web.Request) -> web.Response:
    """`/api/projects/UID/known/remove`: removes known works, all that are named or none."""
    here = opened(request)
    project = await project_of(request, here)
    given = await body_of(request, REMOVE_KNOWN)
    await here.workspace.write(known_works.remove, project, given["names"], by=here.by)
    return answer({"removed": list(dict.fromkeys(given["names"]))})


async def validation_(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/validation`: steps and sources of each known work."""
    here, project, shown = await strategy_of(request)
    async with here.shared.admission.brief():
        made = await here.workspace.read(known_works.validate, project, shown)
    return answer(objects.validation(shown, made))


def _file(given: dict[str, Any]) -> tuple[bytes, str]:
    """Content and name of the file in a body, of which they are taken out."""
    if "name" not in given:
        raise _one_of_both()
    return content_of(given), given.pop("name")


def _one_of_both() -> UsageError:
    return UsageError(
        message("known works are given as lines or as a file: one of both"),
        advice=message("A file has a name, and its text or its bytes in base64."),
    )


_NUMBERS = ("identified", "sought", "not_retrieved")


def _number(said: str) -> Member:
    return Member(help=said, kind="whole", most=other_sources.MOST_REPORTS)


_REST: Members = {
    "how": Member(help="What was done, as the report prints it.", most=other_sources.LONGEST_HOW),
    "date": Member(help="When: `2026-05-03`.", most=40, example="2026-05-03"),
    "identified": _number("Records that were found. A number that is not known is left out."),
    "sought": _number("Reports that were sought of them."),
    "not_retrieved": _number("Reports that could not be had."),
    "excluded": Member(
        help="Reason -> reports that were read and left out.",
        kind="object",
        example={"wrong population": 2},
    ),
}
NEW_OTHER_SOURCE: Members = {
    "kind": Member(
        help="What kind of way it is.",
        required=True,
        choices=other_sources.KINDS,
        example="website",
    ),
    "name": Member(
        help="Of the website, the organisation or the person.",
        required=True,
        most=other_sources.LONGEST_NAME,
        example="Gambling commission",
    ),
    **_REST,
}
CHANGED_OTHER_SOURCE: Members = {
    "kind": Member(help="The new kind.", choices=other_sources.KINDS),
    "name": Member(help="The new name.", most=other_sources.LONGEST_NAME),
    **_REST,
    "unknown": Member(
        help="Numbers that are not known after all.",
        kind="texts",
        choices=_NUMBERS,
        most=len(_NUMBERS),
    ),
    "removed": Member(help="True removes it.", kind="flag"),
    "version": VERSION,
}


async def other_sources_(request: web.Request) -> web.Response:
    """`/api/projects/UID/other-sources`: the list, or a new one."""
    here = opened(request)
    project = await project_of(request, here)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.workspace.read(other_sources.of, project)
        return answer({"other_sources": [asdict(each) for each in listed]})
    given = await body_of(request, NEW_OTHER_SOURCE)
    made = await here.workspace.write(
        other_sources.add, project, given.pop("kind"), given.pop("name"), by=here.by, **given
    )
    return answer(asdict(made), status=201)


async def other_source(request: web.Request) -> web.Response:
    """`/api/projects/UID/other-sources/N`: a change of one, or its removal. Raises Conflict: 409
    for one that was made with an older version.
    """
    here = opened(request)
    project = await project_of(request, here)
    number = numbered(request, "number")
    given = await body_of(request, CHANGED_OTHER_SOURCE)
    await found(here.workspace.read(other_sources.find, project, number))
    version = given.pop("version", None)
    if given.pop("removed", False):
        if given:
            raise UsageError(message("another source is removed or changed, not both"))
        await here.workspace.write(
            other_sources.remove, project, number, version=version, by=here.by
        )
        return answer({"removed": number})
    made = await here.workspace.write(
        other_sources.edit, project, number, _changes(given), version=version, by=here.by
    )
    return answer(asdict(made))


def _changes(given: dict[str, Any]) -> dict[str, Any]:
    """The new values of attributes; None for numbers that are unknown. Raises UsageError: a number
    is given, and called unknown.
    """
    unknown = given.pop("unknown", ())
    for name in unknown:
        if name in given:
            raise UsageError(message("{name} is given a number, and called unknown", name=name))
    return given | dict.fromkeys(unknown)
