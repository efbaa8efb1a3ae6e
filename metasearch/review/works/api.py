"""`/api/projects/UID/decisions`, `/tags`, `/notes`, `/pins` and `/undo`: what people decide."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from aiohttp import web

from metasearch.message import message
from metasearch.server.faces.workspace.members import VERSION, Member, Members, body_of
from metasearch.server.faces.workspace.opened import Here, answer, opened, project_of
from metasearch.server.faces.workspace.works import CHOOSE, chosen
from metasearch.server.identity import check
from metasearch.server.problem import Problem
from metasearch.server.users.people import names
from metasearch.workspace import objects
from metasearch.workspace.objects import Object
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.works import decisions, pins, undo
from metasearch.workspace.works.assigning import Assigned
from metasearch.workspace.works.decisions import (
    LONGEST_TAG,
    MOST_TAGS,
    Changed,
)
from metasearch.workspace.works.names import LONGEST
from metasearch.workspace.works.said import LONGEST_NOTE, LONGEST_REASON
from metasearch.workspace.works.works import STAGES, VERDICTS

#: Which works a change is about.
WORKS: Members = {
    "works": Member(
        help="Names of works: uids, DOIs, `pmid:1`, `source:id`.",
        kind="texts",
        most=20_000,
        longest=LONGEST,
    ),
    "matching": Member(
        help="In place of `works`: all works that a list with these parameters has "
        f"({', '.join(CHOOSE)}).",
        kind="object",
    ),
}
DECIDE: Members = {
    **WORKS,
    "verdict": Member(
        help="`undecided` takes a decision back.",
        required=True,
        choices=(*VERDICTS, decisions.UNDECIDED),
        example="excluded",
    ),
    "stage": Member(help="By title and abstract, or by the whole text.", choices=STAGES),
    "reason": Member(
        help="Why; reports count reasons.", most=LONGEST_REASON, example="wrong population"
    ),
    "version": replace(
        VERSION,
        help="Of one work: the `version` of the decision, or of your vote, that you were shown; 0 "
        "for none. If something else was decided since, the answer is 409 with `yours` and "
        "`theirs`; what stands already is no conflict, so that a lost answer can be asked for "
        "again. Without it the decision is kept in any case.",
    ),
}
TAG: Members = {
    **WORKS,
    "add": Member(help="Tags to add.", kind="texts", most=MOST_TAGS, longest=LONGEST_TAG),
    "remove": Member(help="Tags to remove.", kind="texts", most=MOST_TAGS, longest=LONGEST_TAG),
}
NOTE: Members = {
    "work": Member(help="A name of the work.", required=True, most=LONGEST),
    "text": Member(help="The note; empty removes it.", required=True, most=LONGEST_NOTE),
    "version": replace(
        VERSION,
        help="The `note_version` that the note was made with. If it was changed since, the answer "
        "is 409 with `yours` and `theirs`. Without it the note is written in any case.",
    ),
}
PIN: Members = {
    "verdict": Member(help="What they are.", required=True, choices=("same", "different")),
    "first": Member(help="A name of a work, or the key of a record.", required=True, most=LONGEST),
    "second": Member(help="The other one.", required=True, most=LONGEST),
    "note": Member(help="Why.", most=pins.LONGEST_NOTE),
}
UNPIN: Members = {
    "pin": Member(help="Its number.", kind="whole", required=True, least=1, most=2**53)
}
UNDO: Members = {
    "change": Member(
        help="The number of a line of the log.", kind="whole", required=True, least=1, most=2**53
    )
}


async def decide(request: web.Request) -> web.Response:
    """`/api/projects/UID/decisions`: a decision about works. Raises Conflict: 409 where something
    else was decided since the version that is sent.
    """
    here, project, given = await _given(request, DECIDE)
    return answer(asdict(await here.workspace.write(_marked, project, given, here.by)))


async def tag(request: web.Request) -> web.Response:
    """`/api/projects/UID/tags`: tags of works."""
    here, project, given = await _given(request, TAG)
    return answer(asdict(await here.workspace.write(_tagged, project, given, here.by)))


async def note(request: web.Request) -> web.Response:
    """`/api/projects/UID/notes`: a note on a work. Raises Conflict: 409 for one that was made with
    an older version.
    """
    here, project, given = await _given(request, NOTE)
    made = await here.workspace.write(
        decisions.set_note,
        project,
        given["work"],
        given["text"],
        version=given.get("version"),
        by=here.by,
    )
    return answer(asdict(made))


async def pins_(request: web.Request) -> web.Response:
    """`/api/projects/UID/pins`: what is said to be the same or different, or a new pin."""
    if request.method != "POST":
        here = opened(request)
        project = await project_of(request, here)
        async with here.shared.admission.brief():
            kept = await here.workspace.read(pins.of, project)
        people = await names(request, here.workspace, (each.by for each in kept))
        return answer({"pins": [objects.with_name(asdict(each), people) for each in kept]})
    here, project, given = await _given(request, PIN)
    made = await here.workspace.write(
        pins.pin,
        project,
        given["verdict"],
        given["first"],
        given["second"],
        note=given.get("note", ""),
        by=here.by,
    )
    return answer(_assigned(made))


async def unpin(request: web.Request) -> web.Response:
    """`/api/projects/UID/pins/remove`: removes a pin."""
    here, project, given = await _given(request, UNPIN)
    made = await here.workspace.write(pins.unpin, project, given["pin"], by=here.by)
    return answer(_assigned(made))


async def undo_(request: web.Request) -> web.Response:
    """`/api/projects/UID/undo`: undoes a change of the log."""
    here, project, given = await _given(request, UNDO)
    if not await here.workspace.read(undo.is_own, project, given["change"], here.by):
        check(request, "edit")
    line = await here.workspace.write(undo.undo, project, given["change"], by=here.by)
    return answer({"undone": given["change"], "change": line})


async def _given(request: web.Request, members: Members) -> tuple[Here, Project, dict[str, Any]]:
    here = opened(request)
    project = await project_of(request, here)
    given = await body_of(request, members)
    await here.service.ready(project)
    return here, project, given


def _marked(db: Database, project: Project, given: dict[str, Any], by: str) -> Changed:
    with db.transaction():
        uids = chosen(db, project, given, by)
        verdict = decisions.verdict_of(given.pop("verdict"))
        version = given.pop("version", None)
        if version is not None and len(uids) != 1:
            reason = message("is that of one work, not of {count}", count=len(uids))
            raise Problem.bad_parameters([{"parameter": "version", "reason": reason}])
        versions = {} if version is None else {uids[0]: version}
        return decisions.mark(db, project, uids, verdict, versions=versions, by=by, **given)


def _tagged(db: Database, project: Project, given: dict[str, Any], by: str) -> Changed:
    with db.transaction():
        return decisions.tag(db, project, chosen(db, project, given, by), by=by, **given)


def _assigned(made: Assigned) -> Object:
    return {
        "joined": [{"kept": kept, "was": was} for kept, was in made.joined],
        "divided": [{"work": work, "part": part} for work, part in made.divided],
        "new": made.new,
        "conflicts": list(made.conflicts),
    }
