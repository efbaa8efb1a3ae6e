"""`/projects/UID/strategies`: the strategies of a project, and forms for a new one."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import (
    Opened,
    after_form,
    opened,
    strategy_path,
)
from metasearch.server.forms import Upload, posted_with_file
from metasearch.server.limits.permits import in_share
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.projects.strategies import StrategyLine, strategies_page
from metasearch.server.received import only
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import search_file, steps
from metasearch.workspace.strategies import strategies as kept
from metasearch.workspace.strategies.copying import copied
from metasearch.workspace.strategies.search_file import FileIn

#: Bytes of a search file, as on the command line.
MOST_BYTES = 5_000_000


@in_share("uploads", "POST")
async def answer(request: web.Request) -> web.StreamResponse:
    """The list, or a new strategy from its form or from a search file."""
    here = await opened(request)

    notes: list[str] = []

    async def render(said: Said) -> str:
        async with here.shared.admission.brief():
            listed = await here.workspace.read(lines_of, here.project, here.path())
        return strategies_page(here.visit, here.project, listed, said, notes)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields, upload = await posted_with_file(request, MOST_BYTES)
    if only(fields, "do") != "read":
        return await after_form(request, fields, lambda: _made(here, fields), render)
    try:
        made = await _read(here, upload, only(fields, "name").strip())
    except UsageError as error:
        return page_response(request, await render(Said(error, fields, "read")), 400)
    if made.notes:
        notes += made.notes
        return page_response(request, await render(Said()))
    return see_other(request, here.path(strategy_path(made.strategies[0].name), done="read"))


async def _read(here: Opened, upload: Upload, name: str) -> FileIn:
    """Makes the strategies of a search file."""
    if not upload.name:
        raise UsageError(
            message("No file was chosen"), advice=message("Choose a JSON search file.")
        )
    return await here.workspace.write(
        search_file.add,
        here.project,
        upload.content,
        upload.name,
        strategy=name or None,
        by=here.by,
    )


async def _made(here: Opened, fields: MultiMapping[str]) -> str:
    """The address of a new strategy."""
    name, source = only(fields, "name").strip(), only(fields, "copy")
    if source:
        model = await here.workspace.read(kept.find, here.project, source)
        made = await here.workspace.write(copied, model, name, by=here.by)
    else:
        made = await here.workspace.write(kept.create, here.project, name, by=here.by)
    return here.path(strategy_path(made.name))


def lines_of(db: Database, project: Project, base: str) -> list[StrategyLine]:
    """The strategies of a project, for a table."""
    return [
        StrategyLine(
            one.name,
            f"{base}{strategy_path(one.name)}",
            len(steps.of(db, one)),
            one.note,
            one.created,
        )
        for one in kept.of(db, project)
    ]
