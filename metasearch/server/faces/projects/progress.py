"""`/projects/UID/strategies/NAME/progress`: the table of a strategy while a run goes on, as
server-sent events.

It is read from the file, so that any worker of the server can send it. An event has the whole
table: its HTML is that of the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import orjson
from aiohttp import web

from metasearch.server.faces.projects.opened import Opened, opened, strategy_path
from metasearch.server.faces.projects.strategy import named, page_of
from metasearch.server.limits.permits import in_share
from metasearch.server.pages.projects.strategy import steps_html, view_of
from metasearch.server.stream import head, send

#: Seconds between two looks at the file, and between two lines of a silent stream.
EVERY = 0.5


@in_share("streams", "GET")
async def answer(request: web.Request) -> web.StreamResponse:
    """The states of the table, from now to the end of the run."""
    here = await opened(request)
    shown = await named(here)
    if request.method == "HEAD":
        return head("sse")
    return await send(request, _states(here, shown.name))


async def _has_left(here: Opened) -> bool:
    """Whether who follows the run is no member any more; never so on a server without users."""
    if not here.by:
        return False
    from metasearch.workspace.users import members

    return await here.workspace.read(members.role, here.project, here.by) is None


async def _states(here: Opened, name: str) -> AsyncGenerator[bytes]:
    base = here.path(strategy_path(name))
    sent, silent = "", 0.0
    yield b"retry: %d\n" % here.shared.options.retry
    while not await _has_left(here):
        shown = await here.workspace.read(page_of, here.project, name, base)
        await here.shared.engine.scheduler.turns().next()
        shown = replace(shown, can_edit=here.visit.can("edit"))
        state, steps = steps_html(view_of(shown), here.visit.language)
        if shown.run is None:
            yield b"event: done\ndata: %s\n\n" % orjson.dumps({"steps": steps})
            return
        if state + steps != sent:
            sent, silent = state + steps, 0.0
            yield b"event: state\ndata: %s\n\n" % orjson.dumps({"state": state, "steps": steps})
        elif silent >= here.shared.options.ping:
            silent = 0.0
            yield b": ping\n"
        await asyncio.sleep(EVERY)
        silent += EVERY
