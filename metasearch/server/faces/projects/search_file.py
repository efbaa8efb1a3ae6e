"""`/projects/UID/strategies/NAME/search-file`: a strategy as a JSON search file."""

from __future__ import annotations

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.query.writing import TARGETS
from metasearch.server.faces.projects.opened import file_name, opened
from metasearch.server.faces.projects.strategy import named
from metasearch.server.forms import chosen
from metasearch.server.problem import Problem
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import search_file, steps
from metasearch.workspace.strategies.strategies import Strategy


async def answer(request: web.Request) -> web.StreamResponse:
    """The file, with the search string in the syntax that the address names."""
    here = await opened(request)
    shown = await named(here)
    syntax = chosen(request.query, "syntax", tuple(TARGETS), "pubmed")
    async with here.shared.admission.brief():
        try:
            content = await here.workspace.read(_written, shown, syntax)
        except UsageError as error:
            raise Problem(400, None, error.message, advice=error.advice or None) from error
    name = f"{file_name(shown.name)}-{syntax}.json"
    return web.Response(
        body=content,
        content_type="application/json",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "private, no-store",
        },
    )


def _written(db: Database, shown: Strategy, syntax: str) -> bytes:
    return search_file.write(shown, steps.of(db, shown), syntax=syntax)
