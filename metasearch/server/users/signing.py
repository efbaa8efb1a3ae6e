"""A finished report signed by the user who asks."""

from __future__ import annotations

from aiohttp import web

from metasearch.server.identity import who
from metasearch.server.users.people import client_of
from metasearch.workspace.projects import Project
from metasearch.workspace.reports import finished, signatures
from metasearch.workspace.reports.signatures import Signature
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import audit
from metasearch.workspace.users.names import shown
from metasearch.workspace.workspace import Workspace


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
            report = finished.find(db, project, kind, number)
            name = shown(db, [by])[by]
            made = signatures.sign(db, project, report, role, by=by, name=name, digest=digest)
            detail = {"report": f"{kind}/{report.number}", "role": made.role, "digest": made.digest}
            audit.write(db, by, "report signed", f"project:{project.uid}", detail, client)
            return made

    return await workspace.write(signed)
