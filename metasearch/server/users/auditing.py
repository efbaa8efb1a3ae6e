"""What leaves a project, or ends it, told by the audit log of a server with users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from aiohttp import web

from metasearch.server.identity import identity_of
from metasearch.server.users.people import client_of
from metasearch.workspace import removing
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.workspace import Workspace


async def deleted(request: web.Request, workspace: Workspace, project: Project) -> None:
    """Delete a project, and note it on a server with users."""
    detail = {"name": project.name, "title": project.title}
    await workspace.write(removing.hide, project.id)
    await _told(request, workspace, project, "delete", detail)
    await workspace.work(removing.remove, project.id)


async def _told(
    request: web.Request,
    workspace: Workspace,
    project: Project,
    action: Literal["delete"],
    detail: Mapping[str, object],
) -> None:
    identity = identity_of(request)
    if identity is None:
        return
    from metasearch.workspace.users import audit

    actor, client, about = identity.uid, client_of(request), f"project:{project.uid}"

    def write(db: Database) -> None:
        audit.write(db, actor, action, about, detail, client)

    await workspace.write(write)
