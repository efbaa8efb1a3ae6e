"""`/projects/UID/strategies`: the strategies of a project, and a form for a new one."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.server.faces.projects.opened import (
    Opened,
    after_form,
    opened,
    strategy_path,
)
from metasearch.server.forms import posted
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.projects.strategies import StrategyLine, strategies_page
from metasearch.server.received import only
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import steps
from metasearch.workspace.strategies import strategies as kept
from metasearch.workspace.strategies.copying import copied


async def answer(request: web.Request) -> web.StreamResponse:
    """The list, or a new strategy from its form.

    Raises:
        Problem: 404 where there is no such project, and those of `posted`.
    """
    here = await opened(request)

    async def render(said: Said) -> str:
        async with here.shared.admission.brief():
            listed = await here.workspace.read(lines_of, here.project, here.path())
        return strategies_page(here.visit, here.project, listed, said)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    return await after_form(request, fields, lambda: _made(here, fields), render)


async def _made(here: Opened, fields: MultiMapping[str]) -> str:
    """The address of a new strategy."""
    name, source = only(fields, "name").strip(), only(fields, "copy")
    if source:
        model = await here.workspace.read(kept.find, here.project, source)
        made = await here.workspace.write(copied, model, name)
    else:
        made = await here.workspace.write(kept.create, here.project, name)
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
