"""What every page of the workspace begins with: workspace, project, the answer to a form."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.hosts import check_host
from metasearch.server.identity import check, who
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.projects.said import Said
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, ServerContext
from metasearch.server.visit import Visit, visit_of
from metasearch.server.workspace_service import WorkspaceService, workspace_of
from metasearch.workspace import projects
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.workspace import Workspace

if TYPE_CHECKING:
    from metasearch.workspace.users.permissions import Action

#: Characters of a name of a project or strategy in an address.
_LONGEST_NAME = 100


#: Makes a page after a form: with what there is to say, and the status.
Render = Callable[[Said], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Opened:
    """A request for a page of a project."""

    request: web.Request
    service: WorkspaceService
    project: Project

    @property
    def workspace(self) -> Workspace:
        """Its file."""
        return self.service.workspace

    @property
    def shared(self) -> ServerContext:
        """What every handler of the server uses."""
        return self.request.app[SHARED]

    @property
    def visit(self) -> Visit:
        """Who looks, and in which language."""
        return visit_of(self.request)

    @property
    def by(self) -> str:
        """Who asks, for the log."""
        return who(self.request)

    def needs(self, action: Action) -> None:
        """Refuse a form for which the role of its sender does not suffice."""
        check(self.request, action)

    def path(self, rest: str = "", **parameters: str | int) -> str:
        """A local address below the project: "/works"."""
        return self.visit.site.path(f"/projects/{self.project.uid}{rest}", **parameters)


def served(request: web.Request) -> WorkspaceService:
    """The workspace of the server, for a browser that was sent here under a name of the server."""
    service = workspace_of(request)
    check_host(request)
    return service


async def opened(request: web.Request) -> Opened:
    """The project that the address names."""
    service = served(request)
    name = request.match_info["project"][:_LONGEST_NAME]
    project = await service.workspace.read(_found, name)
    await service.settle(project)
    return Opened(request, service, project)


def _found(db: Database, name: str) -> Project:
    try:
        return projects.find(db, name)
    except UsageError as error:
        raise Problem(404, None, error.message) from error


def strategy_path(name: str) -> str:
    """The path of a strategy below its project."""
    return f"/strategies/{quote(name, safe='', errors='replace')}"


def file_name(name: str) -> str:
    """A name of a project as that of a file that every system takes."""
    return name.encode("ascii", "replace").decode().replace("?", "_")


async def after_form(
    request: web.Request,
    fields: MultiMapping[str],
    action: Callable[[], Awaitable[str]],
    render: Render,
) -> web.Response:
    """Does what a form says and sends the browser on; where it cannot be done, the page is shown
    again with the reason and what was typed.
    """
    try:
        address = await action()
    except UsageError as error:
        page = await render(Said(error, fields, fields.get("do", "")))
        return page_response(request, page, error.status, Problem.of(error).headers)
    return see_other(request, address)


def version_of(fields: MultiMapping[str], name: str = "version") -> int | None:
    """The version of a form; None where it has none. Raises UsageError: it is no number."""
    text = fields.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 17):
        raise UsageError(message("{text} is no number", text=repr(text[:40])))
    return int(text)


def with_parameters(path: str, parameters: Mapping[str, str | int], place: str = "") -> str:
    """An address that says what was done, and where on the page it is seen."""
    query = f"?{urlencode(parameters)}" if parameters else ""
    return f"{path}{query}{f'#{place}' if place else ''}"


def unknown_form() -> Problem:
    """400 for a form whose button this page does not have."""
    return Problem.bad_parameters([{"parameter": "do", "reason": message("missing")}])
