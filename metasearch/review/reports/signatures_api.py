"""Signatures of finished reports as a JSON interface, on a server with users.

A finished report signed by the user who asks.
"""

from __future__ import annotations

from aiohttp import web

from metasearch.review import objects
from metasearch.review.api import (
    Member,
    Members,
    answer,
    body_of,
    found,
    named,
    opened,
    parameters_of,
    project_of,
)
from metasearch.review.projects.projects import Project
from metasearch.review.reports import reports
from metasearch.review.reports.reports import Signature
from metasearch.review.service import client_of
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.users import audit
from metasearch.review.users.accounts import shown_name
from metasearch.server.identity import who


async def sign(
    request: web.Request,
    workspace: Workspace,
    project: Project,
    kind: str,
    number: str,
    *,
    role: str,
    digest: str,
) -> Signature:
    """Sign a report with the account of the request; the audit log says so. `role`: "searcher" or
    "reviewer". Raises UsageError: as `signatures.sign`; or there is no such report.
    """
    by, client = who(request), client_of(request)

    def signed(db: Database) -> Signature:
        with db.transaction():
            report = reports.find(db, project, kind, number)
            name = shown_name(db, [by])[by]
            made = reports.sign(db, project, report, role, by=by, name=name, digest=digest)
            detail = {"report": f"{kind}/{report.number}", "role": made.role, "digest": made.digest}
            audit.write(db, by, "report signed", f"project:{project.uid}", detail, client)
            return made

    return await workspace.write(signed)


# `/api/projects/UID/reports/KIND/signatures`: who has signed a finished report, or one more.

SIGNED: Members = {
    "number": Member(
        help="Of the finished report; without it the newest one.", most=40, example="last"
    )
}
SIGN: Members = {
    "number": Member(help="Of the finished report.", required=True, most=40, example="last"),
    "role": Member(
        help="As what the user of the token signs. The reviewer is another user than the searcher, "
        "and one who has run no search of the report.",
        required=True,
        choices=reports.ROLES,
        example="reviewer",
    ),
    "digest": Member(
        help="SHA-256 of the report that was read, as the list of finished reports has it.",
        required=True,
        most=64,
    ),
}


async def signatures_(request: web.Request) -> web.Response:
    """`/api/projects/UID/reports/KIND/signatures`: a finished report's, or one more."""
    here = opened(request)
    project = await project_of(request, here)
    kind = named(request, "kind")
    if request.method == "POST":
        given = await body_of(request, SIGN)
        number = given.pop("number")
        made = await sign(request, here.workspace, project, kind, number, **given)
        return answer(objects.signature(made), status=201)
    number = parameters_of(request.query, SIGNED).get("number", "last")
    report = await found(here.workspace.read(reports.find, project, kind, number))
    signed = await here.workspace.read(reports.signatures_of, report)
    return answer({"signatures": [objects.signature(each) for each in signed]})
