"""What the script of the pages sends: decisions that were made by keys or buttons, in their order.

Each says on which work it was made, and on which version of what was decided there. The browser
sends again what it has no answer to; what stands already changes nothing.
"""

from __future__ import annotations

from typing import Any

import orjson
from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import Conflict, UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import Opened
from metasearch.server.faces.workspace.members import VERSION, Member, Members, checked
from metasearch.server.pages.projects.words import DECISION_WORDS
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.workspace.projects import Project
from metasearch.workspace.screening import teams
from metasearch.workspace.store.database import Database
from metasearch.workspace.works import decisions
from metasearch.workspace.works.names import LONGEST, rows_named
from metasearch.workspace.works.said import LONGEST_REASON
from metasearch.workspace.works.works import VERDICTS, Stage, decision_version

#: Decisions of one form.
MOST = 20
#: Verdicts for which a reason is kept.
OUT = ("excluded", "unavailable")
_DECISION: Members = {
    "work": Member(help="Its uid.", required=True, most=LONGEST),
    "verdict": Member(help="As a button has it.", choices=(*VERDICTS, "")),
    "reason": Member(help="Of an exclusion.", most=LONGEST_REASON),
    "version": VERSION,
    "vote": Member(help="Whether the page took it for a vote.", kind="flag", required=True),
}


async def decide(here: Opened, stage: Stage, fields: MultiMapping[str]) -> web.Response:
    """Keep the decisions of a form one after another, and answer for each: `status` 200 with the
    `version` that stands now, or 409 or 400 with a `text` that says why it was not kept.
    """
    # Behind a proxy that names the user, another one may have logged in since the page was made.
    if only(fields, "who") != here.by:
        raise Problem(403, None, message("The page was made for somebody else. Load it again."))
    given = [_read(text) for text in fields.getall("decision", [])]
    if not 1 <= len(given) <= MOST:
        reason = message("must be one of {values}", values=f"1-{MOST}")
        raise Problem.bad_parameters([{"parameter": "decision", "reason": reason}])
    answers = [await _answer(here, stage, one) for one in given]
    return web.Response(
        body=orjson.dumps({"decisions": answers}),
        content_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


def _read(text: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        reason = message("must be an object")
        raise Problem.bad_parameters([{"parameter": "decision", "reason": reason}])
    return checked(value, _DECISION)


async def _answer(here: Opened, stage: Stage, given: dict[str, Any]) -> dict[str, Any]:
    """Each is a change of its own: others may write between two of them."""
    try:
        version = await here.workspace.write(_kept, here.project, stage, given, by=here.by)
    except UsageError as error:
        if error.status not in (400, 409):
            raise
        said = here.visit.language.said
        text = "\n".join(said(each) for each in (error.message, error.advice) if each)
        answer = {"work": given["work"], "status": error.status, "text": text}
        if isinstance(error, Conflict):
            theirs = error.theirs or {}
            words = DECISION_WORDS[theirs["verdict"]]
            answer |= {"version": error.version, **theirs}
            answer["words"] = here.visit.language.gettext(words)
            answer["text"] = said(message("Something else was decided on this work meanwhile."))
        return answer
    return {"work": given["work"], "status": 200, "version": version}


def _kept(db: Database, project: Project, stage: Stage, given: dict[str, Any], *, by: str) -> int:
    """Decides on a work; the version that stands then."""
    with db.transaction():
        voter = teams.voter(db, project, stage, by)
        if bool(voter) != given["vote"]:
            raise UsageError(
                message("You do not screen the stage {stage} any more", stage=stage)
                if given["vote"]
                else message("A team screens the stage {stage} now", stage=stage),
                advice=message("Load the page again."),
            )
        verdict = decisions.verdict_of(given.get("verdict", ""))
        version = given.get("version")
        decisions.mark(
            db,
            project,
            [given["work"]],
            verdict,
            stage=stage,
            reason=given.get("reason", "") if verdict in OUT else "",
            versions={} if version is None else {given["work"]: version},
            by=by,
        )
        row = rows_named(db, project.id, [given["work"]])[given["work"]]
        return decision_version(decisions.standing(db, [row], stage, voter)[row][1])
