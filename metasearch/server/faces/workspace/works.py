"""`/api/projects/UID/works`: the works of a project."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from metasearch.message import message
from metasearch.server.faces.workspace.members import Member, Members, checked, parameters_of
from metasearch.server.faces.workspace.opened import answer, found, named, opened, project_of
from metasearch.server.problem import Problem
from metasearch.workspace import objects
from metasearch.workspace.objects import Object
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.works import listing, works
from metasearch.workspace.works.filters import (
    LONGEST_TEXT,
    MOST_COUNT,
    MOST_VALUES,
    SORTS,
    STANDINGS,
    WorksQuery,
)
from metasearch.workspace.works.works import STAGES, Work

#: What chooses works, in a list and in whatever is done to all of one.
CHOOSE: Members = {
    "text": Member(
        help="Words that stand in title, authors, venue, keywords or abstract: all of them.",
        most=LONGEST_TEXT,
    ),
    "verdict": Member(help="What was decided in the stage.", choices=STANDINGS[1:]),
    "stage": Member(help="By title and abstract, or by the whole text.", choices=STAGES),
    "tags": Member(help="With all of these tags.", kind="texts", most=MOST_VALUES),
    "sources": Member(help="Found in one of these.", kind="texts", most=MOST_VALUES),
    "steps": Member(
        help="Found by one of these steps: `3`, or `main/3` of one strategy.",
        kind="texts",
        most=MOST_VALUES,
    ),
    "runs": Member(help="Found by one of these runs.", kind="wholes", most=MOST_VALUES, least=1),
    "first_runs": Member(
        help="New in one of these runs.", kind="wholes", most=MOST_VALUES, least=1
    ),
    "years": Member(help="Years of publication: `2015-2020`, `2015-`.", most=40),
    "types": Member(help="Of one of these types.", kind="texts", most=MOST_VALUES),
    "languages": Member(help="In one of these languages.", kind="texts", most=MOST_VALUES),
    "open_access": Member(help="Of one of these states.", kind="texts", most=MOST_VALUES),
    "known": Member(help="Whether the searches are expected to find it.", kind="flag"),
    "mine": Member(
        help="Whether `verdict` is about your votes, where a team screens the stage.", kind="flag"
    ),
}
LIST: Members = {
    **CHOOSE,
    "sort": Member(help="The order; without it the newest additions first.", choices=SORTS),
    "start": Member(help="Skip so many works.", kind="whole", most=10**9 - 1),
    "count": Member(help="At most so many works, 20 without it.", kind="whole", most=MOST_COUNT),
}


async def works_(request: web.Request) -> web.Response:
    """`/api/projects/UID/works`: a part of the list, with facets of the whole."""
    here = opened(request)
    project = await project_of(request, here)
    query = query_of(parameters_of(request.query, LIST), here.by)
    async with here.shared.admission.brief():
        page = await here.workspace.read(listing.page, project, query, reader=here.by)
    written = await here.shared.admission.written(
        lambda: objects.works_page(page), large=len(page.works) > 100
    )
    return answer(written)


async def work(request: web.Request) -> web.Response:
    """`/api/projects/UID/works/ID`: a work with its records, and who found it."""
    here = opened(request)
    project = await project_of(request, here)
    shown = await found(here.workspace.read(works.find, project, named(request, "work"), here.by))
    async with here.shared.admission.brief():
        return answer(await here.workspace.read(_one, shown))


def query_of(given: dict[str, Any], by: str) -> WorksQuery:
    """What members of `LIST` ask for; `mine` is about the votes of `by`."""
    voter = by if given.pop("mine", False) else ""
    return WorksQuery(**given, voter=voter)


def chosen(db: Database, project: Project, given: dict[str, Any], by: str) -> list[str]:
    """The uids of the works that `works` or `matching` of a body name; they are taken out of it."""
    named_works = given.pop("works", None)
    matching = given.pop("matching", None)
    if (named_works is None) == (matching is None):
        reason = message("name works, or what matches them in matching: one of both")
        raise Problem.bad_parameters([{"parameter": "works", "reason": reason}])
    if named_works is not None:
        return list(named_works)
    return listing.uids(db, project, query_of(checked(matching, CHOOSE), by))


def _one(db: Database, shown: Work) -> Object:
    return objects.work(shown, works.found_by(db, shown))
