"""What every address of the interface begins with: the workspace, and its project."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from aiohttp import web

from metasearch.errors import UsageError
from metasearch.server.faces.workspace.members import JSON
from metasearch.server.hosts import check_addressed
from metasearch.server.identity import who
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, ServerContext
from metasearch.server.workspace_service import WorkspaceService, workspace_of
from metasearch.workspace.projects import Project
from metasearch.workspace.workspace import Workspace

T = TypeVar("T")

#: Characters of a name in an address that are looked up.
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Here:
    """The workspace that a request is about; `by` is who asks, for the log."""

    shared: ServerContext
    service: WorkspaceService
    by: str

    @property
    def workspace(self) -> Workspace:
        """Its file."""
        return self.service.workspace


def opened(request: web.Request) -> Here:
    """The workspace of a request."""
    service = workspace_of(request)
    check_addressed(request)
    return Here(request.app[SHARED], service, who(request))


async def project_of(request: web.Request, here: Here) -> Project:
    """The project of the address, by its uid or name."""
    return await found(here.service.project(named(request, "project")))


def named(request: web.Request, part: str) -> str:
    """A variable part of the address."""
    return request.match_info[part][:_LONGEST]


def numbered(request: web.Request, part: str) -> int:
    """A number in the address."""
    text = named(request, part)
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise Problem(404)
    return int(text)


async def found(finding: Awaitable[T]) -> T:
    """What an address names."""
    try:
        return await finding
    except UsageError as exc:
        problem = Problem.of(exc)
        raise Problem(404, None, str(exc), **problem.members) from exc


def answer(value: Any, *, status: int = 200, location: str = "") -> web.Response:
    """The JSON answer. It is never kept by a cache: it is of one moment, and of one reader."""
    headers = {"Cache-Control": "no-store"}
    if location:
        headers["Location"] = location
    return web.Response(
        body=orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE),
        status=status,
        content_type=JSON,
        headers=headers,
    )
