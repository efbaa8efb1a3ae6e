"""`/api/projects/UID/screening`: what a team screens, how far it is, conflicts, agreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from aiohttp import web

from metasearch.message import message
from metasearch.review.api import (
    Member,
    Members,
    answer,
    body_of,
    parameters_of,
    project_request,
)
from metasearch.review.objects import Object
from metasearch.review.projects.projects import Project
from metasearch.review.screening import conflicts, objects, teams
from metasearch.review.works.api import WORKS, works_choice
from metasearch.review.works.decisions import ChangeResult
from metasearch.review.works.works import LONGEST_REASON, STAGES, VERDICTS
from metasearch.server.identity import is_allowed
from metasearch.server.problem import Problem

_WITHDRAWN = "undecided"
_STAGE = Member(help="By title and abstract, or by the whole text.", choices=STAGES)
CHANGE: Members = {
    "stage": Member(help=_STAGE.help, choices=STAGES, required=True, example="title"),
    "do": Member(
        help="What is to be done: let a team begin, change it, or end it.",
        choices=("begin", "change", "end"),
        required=True,
        example="begin",
    ),
    "screeners": Member(
        help="With `begin`: uids of the screeners.",
        kind="texts",
        most=teams.MOST_SCREENERS,
        longest=teams.LONGEST_UID,
        example=["k3v9x2m7q4td", "p8w2n5r7c3fb"],
    ),
    "needed": Member(
        help="Votes that decide on a work; 2 without it.",
        kind="whole",
        least=1,
        most=teams.MOST_NEEDED,
    ),
    "blind": Member(
        help="Whether nobody sees a vote before the work has all of them; so it is without it.",
        kind="flag",
    ),
    "add": Member(
        help="With `change`: uids of further screeners.",
        kind="texts",
        most=teams.MOST_SCREENERS,
        longest=teams.LONGEST_UID,
    ),
    "remove": Member(
        help="With `change`: uids of screeners who leave; their votes stay.",
        kind="texts",
        most=teams.MOST_SCREENERS,
        longest=teams.LONGEST_UID,
    ),
}
CONFLICTS: Members = {
    "stage": _STAGE,
    "start": Member(help="Skip so many works.", kind="whole", most=10**9 - 1),
    "count": Member(
        help="At most so many works, 20 without it.", kind="whole", most=conflicts.MOST
    ),
}
RESOLVE: Members = {
    **WORKS,
    "verdict": Member(
        help="`undecided` takes a resolution back.",
        required=True,
        choices=(*VERDICTS, _WITHDRAWN),
        example="excluded",
    ),
    "stage": _STAGE,
    "reason": Member(help="Why.", most=LONGEST_REASON, example="both read the whole text again"),
}
#: Action of a POST -> members that it takes, beside stage and action.
_TAKES: Mapping[str, frozenset[str]] = {
    "begin": frozenset({"screeners", "needed", "blind"}),
    "change": frozenset({"add", "remove", "needed", "blind"}),
    "end": frozenset(),
}


async def answer_screening(request: web.Request) -> web.Response:
    """`/api/projects/UID/screening`: the stages that a team screens, or a change of one."""
    here = await project_request(request)
    if request.method == "POST":
        given = await body_of(request, CHANGE)
        await here.write(_change_team, given)
    async with here.shared.admission.brief():
        return answer(await here.read(_progress))


async def answer_conflicts(request: web.Request) -> web.Response:
    """`/api/projects/UID/screening/conflicts`: works whose votes differ, with all of them."""
    here = await project_request(request)
    asked = parameters_of(request.query, CONFLICTS)
    async with here.shared.admission.brief():
        return answer(await here.read(_conflicts, asked))


async def answer_resolution(request: web.Request) -> web.Response:
    """`/api/projects/UID/screening/resolve`: decides on works whose votes differ."""
    here = await project_request(request)
    given = await body_of(request, RESOLVE)
    made = await here.write(_resolve, given, owner=is_allowed(request, "resolve"))
    return answer(asdict(made))


async def answer_agreement(request: web.Request) -> web.Response:
    """`/api/projects/UID/screening/agreement`: Cohen's kappa of each pair of screeners."""
    here = await project_request(request)
    async with here.shared.admission.brief():
        return answer(await here.read(_agreement))


def _change_team(project: Project, given: dict[str, Any]) -> None:
    stage, do = given.pop("stage"), given.pop("do")
    wrong = sorted(given.keys() - _TAKES[do])
    if wrong:
        reason = message("is no member of {action}", action=do)
        raise Problem.bad_parameters([{"parameter": name, "reason": reason} for name in wrong])
    match do:
        case "begin":
            teams.begin(project, stage, given.pop("screeners", ()), **given)
        case "change":
            teams.change(project, stage, **given)
        case _:
            teams.end(project, stage)


def _progress(project: Project) -> Object:
    return objects.screening(project.db, conflicts.progress(project, project.by))


def _conflicts(project: Project, asked: dict[str, Any]) -> Object:
    stage = asked.pop("stage", "title")
    return objects.conflicts(project.db, conflicts.conflicts(project, stage, **asked))


def _resolve(project: Project, given: dict[str, Any], *, owner: bool) -> ChangeResult:
    with project.db.transaction():
        uids = works_choice(project, given)
        verdict = given.pop("verdict")
        return conflicts.resolve(
            project, uids, None if verdict == _WITHDRAWN else verdict, owner=owner, **given
        )


def _agreement(project: Project) -> Object:
    return objects.agreement(project.db, conflicts.agreement(project))
