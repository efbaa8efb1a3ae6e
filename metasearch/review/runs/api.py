"""Runs, known works and other sources as a JSON interface.

`/api/projects/UID/runs`: runs of strategies, begun in the background and followed by GET.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from aiohttp import web

from metasearch.adapters.spec import DIRECTIONS
from metasearch.engine.citations import MOST_ROUNDS
from metasearch.engine.inquiry import MOST_RECORDS
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
    number_in_path,
    or_not_found,
    project_request,
)
from metasearch.review.objects import Object
from metasearch.review.projects.projects import LONGEST_NAME, Project
from metasearch.review.quota_checks import begin_run, resume_run
from metasearch.review.runs import citations, known_works, other_sources, runs
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.runs import Run
from metasearch.review.service import ProjectRequest, in_share, names
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
    "again": Member(
        help="Of a citation search: whether it asks also for works of which it has the citations, "
        "for those that have appeared since.",
        kind="flag",
    ),
}
CITATIONS: Members = {
    "seeds": Member(
        help="Works of the project: ids, DOIs; without them those that are included at each run.",
        kind="texts",
        most=citations.MOST_NAMED,
        longest=2_000,
    ),
    "directions": Member(
        help="What is asked for: `references`, which the seeds cite; `cited_by`, which cite them. "
        "Without it both.",
        kind="texts",
        choices=DIRECTIONS,
        least=1,
        most=len(DIRECTIONS),
    ),
    "rounds": Member(
        help="Rounds in all: above 1, what was found is followed at once.",
        kind="whole",
        least=1,
        most=MOST_ROUNDS,
    ),
    "indexes": Member(
        help="Names of sources and groups; without them the group `citations`.",
        kind="texts",
        most=strategies.MOST_SOURCES,
        longest=strategies.LONGEST_SOURCE,
        example=["demo-crossref", "demo-openalex"],
    ),
    "note": Member(help="For people.", most=strategies.LONGEST_NOTE),
}


async def answer_citations(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/citations`: a step that follows citations; the one that is
    there where it asks for the same.
    """
    here, shown = await strategy_of(request)
    given = await body_of(request, CITATIONS)
    note = given.pop("note", "")
    wanted = citations.CitationStep.of(given)
    made = await here.write(citations.add_step, shown, wanted, note=note)
    return answer(objects.step(made), status=201)


async def answer_runs(request: web.Request) -> web.Response:
    """`/api/projects/UID/runs`: the list, the newest first, or a new run."""
    here = await project_request(request)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.read(_all)
        people = await names(request, here.workspace, (each["by"] for each in listed))
        return answer({"runs": [objects.with_name(each, people) for each in listed]})
    given = await body_of(request, BEGIN)
    strategy = await here.read(strategies.find, given.pop("strategy", None))
    begun = await begin_run(here, strategy, RunOptions(**given))
    location = f"/api/projects/{here.project.uid}/runs/{begun.number}"
    return answer(
        objects.run(begun, strategy.name), status=202, location=site_of(request).path(location)
    )


async def answer_run(request: web.Request) -> web.Response:
    """`/api/projects/UID/runs/N`: a run with the answers that have come."""
    here, shown = await _run_of(request)
    job = here.service.jobs.job_of_run(here.project.id, shown.number)
    error = None if job is None else job.reason
    async with here.shared.admission.brief():
        made = await here.read(_one, shown) | {"error": error}
    people = await names(request, here.workspace, [shown.by])
    return answer(objects.with_name(made, people))


async def answer_stop(request: web.Request) -> web.Response:
    """`/api/projects/UID/runs/N/stop`: ends a run; what its sources have answered stays."""
    here, shown = await _run_of(request)
    await body_of(request, {})
    shown = await here.service.stop_run(here.project, shown)
    return answer(await here.read(_one, shown) | {"error": None})


async def answer_resume(request: web.Request) -> web.Response:
    """`/api/projects/UID/runs/N/resume`: has a run that was interrupted go on."""
    here, shown = await _run_of(request)
    await body_of(request, {})
    again = await resume_run(here, shown)
    location = f"/api/projects/{here.project.uid}/runs/{again.number}"
    return answer(
        await here.read(_one, again) | {"error": None},
        status=202,
        location=site_of(request).path(location),
    )


async def _run_of(request: web.Request) -> tuple[ProjectRequest, Run]:
    here = await project_request(request)
    return here, await or_not_found(here.read(runs.find, number_in_path(request, "run")))


def _all(project: Project) -> list[Object]:
    names = {each.id: each.name for each in strategies.of(project)}
    return [objects.run(each, names[each.strategy]) for each in reversed(runs.of(project))]


def _one(project: Project, shown: Run) -> Object:
    names = {each.id: each.name for each in strategies.of(project)}
    answers = [objects.answer(each) for each in runs.answers(project.db, shown)]
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
async def answer_known_works(request: web.Request) -> web.Response:
    """`/api/projects/UID/known`: the known works, or new ones."""
    here = await project_request(request)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.read(known_works.of)
        return answer({"known": [objects.known_work(each) for each in listed]})
    given = await body_of(request, ADD_KNOWN, most=LARGEST + 1_000_000)
    if "lines" in given:
        if len(given) > 1:
            raise _one_of_both()
        added = await here.write(known_works.add_lines, given["lines"])
    else:
        if "name" not in given:
            raise _one_of_both()
        content, name = content_of(given), given.pop("name")
        added = await here.work(known_works.add_file, content, name, **given)
    return answer({"new": [objects.known_work(each) for each in added]})


async def answer_known_removal(request: web.Request) -> web.Response:
    """`/api/projects/UID/known/remove`: removes known works, all that are named or none."""
    here = await project_request(request)
    given = await body_of(request, REMOVE_KNOWN)
    await here.write(known_works.remove, given["names"])
    return answer({"removed": list(dict.fromkeys(given["names"]))})


async def answer_validation(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/validation`: steps and sources of each known work."""
    here, shown = await strategy_of(request)
    async with here.shared.admission.brief():
        made = await here.read(known_works.validate, shown)
    return answer(objects.validation(shown, made))


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


async def answer_other_sources(request: web.Request) -> web.Response:
    """`/api/projects/UID/other-sources`: the list, or a new one."""
    here = await project_request(request)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.read(other_sources.of)
        return answer({"other_sources": [asdict(each) for each in listed]})
    given = await body_of(request, NEW_OTHER_SOURCE)
    made = await here.write(other_sources.add, given.pop("kind"), given.pop("name"), **given)
    return answer(asdict(made), status=201)


async def answer_other_source(request: web.Request) -> web.Response:
    """`/api/projects/UID/other-sources/N`: a change of one, or its removal. Raises Conflict: 409
    for one that was made with an older version.
    """
    here = await project_request(request)
    number = number_in_path(request, "number")
    given = await body_of(request, CHANGED_OTHER_SOURCE)
    await or_not_found(here.read(other_sources.find, number))
    version = given.pop("version", None)
    if given.pop("removed", False):
        if given:
            raise UsageError(message("another source is removed or changed, not both"))
        await here.write(other_sources.remove, number, version=version)
        return answer({"removed": number})
    made = await here.write(other_sources.edit, number, _changes(given), version=version)
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
