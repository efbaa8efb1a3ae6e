"""A search that is answered with one document: admitted, run to its end, counted; or only planned.

`/search` and the faces of other protocols share it; each reads its own parameters before, and
writes its own document after.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeVar, Unpack

from aiohttp import web

from metasearch.engine.options import search_options
from metasearch.events import Answer
from metasearch.server.identity import owner
from metasearch.server.limits.clients import USER
from metasearch.server.limits.computing import SHORT
from metasearch.server.parameters import Parameters
from metasearch.server.preferences import with_sources
from metasearch.server.site import SHARED
from metasearch.server.stream import SEARCH_ID

if TYPE_CHECKING:
    from metasearch.engine.dry_run import QueryPlan
    from metasearch.engine.options import SearchKeywords, SearchOptions
    from metasearch.engine.search import Search
    from metasearch.server.site import ServerContext

T = TypeVar("T")


async def prepare(
    request: web.Request, parameters: Parameters, page_wait: float | None = None
) -> Search:
    """The search of a request, with the times that the server allows; it has not begun.

    `page_wait`: seconds after which what is there is given, where neither the request nor the
    configuration says; None for the end of the search. Raises UsageError: the query cannot be read,
    or there is no such source; Problem: 429 where a quota of the user is used up.
    """
    shared = request.app[SHARED]
    settings = shared.engine.settings
    parameters = with_sources(request, parameters)
    await shared.engine.ready(parameters.sources or ())
    timeout = min(parameters.timeout or settings.timeout, shared.options.max_timeout)
    wait = parameters.wait or settings.wait or page_wait
    prepared = await search_of(
        shared,
        parameters.query,
        parameters,
        timeout=timeout,
        wait=None if wait is None else min(wait, timeout),
        user=request[USER],
    )
    if not prepared.joins:
        await shared.wing.count_search(request, parameters)
    return prepared


async def search_of(
    shared: ServerContext, text: str, options: SearchOptions, **more: Unpack[SearchKeywords]
) -> Search:
    """The search with these options, `more` of them beside; it has not begun. The query of a long
    text is read off the loop. The sources must be ready. Raises UsageError: the query cannot be
    read, or there is no such source; Problem: 429 or 503 where too many long queries wait.
    """
    engine = shared.engine
    if len(text) <= SHORT:
        return engine.search(options, **more)
    whole = search_options(options, more)
    asked = await shared.admission.computing.done(whole.user, lambda: engine.resolve(whole))
    return engine.search(asked)


async def computed(request: web.Request, text: str, compute: Callable[[], T]) -> T:
    """Returns what `compute` makes of a text of the client, in a thread: of long ones one at a
    time, the users in turns. Raises Problem: 503 where too much is computed, 429 where too many
    long texts of the user wait.
    """
    admission = request.app[SHARED].admission
    if len(text) > SHORT:
        return await admission.computing.done(request[USER], compute)
    async with admission.brief():
        return await asyncio.to_thread(compute)


async def answered(request: web.Request, parameters: Parameters) -> Answer:
    """The answer of a search, as `/search` returns it for the same parameters. Raises Problem: 503
    where too many searches run; UsageError: the query cannot be read, or there is no such source.
    """
    shared = request.app[SHARED]
    prepared = await prepare(request, parameters)
    if prepared.joins:  # nothing is asked of any source
        async with shared.admission.brief():
            pass
        return await finished(request, prepared, parameters)
    with await shared.admission.enter(request[USER]):
        return await finished(request, prepared, parameters)


async def finished(request: web.Request, prepared: Search, parameters: Parameters) -> Answer:
    """The answer of a search that is admitted; a whole one is counted and learned for
    suggestions.
    """
    shared = request.app[SHARED]
    request[SEARCH_ID] = prepared.id
    async with aclosing(prepared):
        answer = await prepared
    if not answer.running:  # else the later request for the whole answer counts
        shared.metrics.searched(answer)
        shared.suggestions.learn(parameters.query, answer, owner(request))
    return answer


async def plan_of(request: web.Request, parameters: Parameters) -> QueryPlan:
    """What a search with these parameters would ask of each source; nothing is sent. Raises
    Problem: 503 where too many searches run, 429 or 503 where too many long queries wait;
    UsageError: the query cannot be read, or there is no such source.
    """
    from metasearch.engine.dry_run import explain_plan, planned

    shared = request.app[SHARED]
    parameters = with_sources(request, parameters)
    await shared.engine.ready(parameters.sources or ())
    settings, registry = shared.engine.settings, shared.engine.registry
    if len(parameters.query) > SHORT:
        return await shared.admission.computing.done(
            request[USER], lambda: explain_plan(parameters, settings=settings, registry=registry)
        )
    turns = shared.engine.scheduler.turns()
    # A hundred sources take a third of a second to compute.
    with await shared.admission.enter(request[USER]):
        await turns.next()
        dry_run = planned(parameters, settings=settings, registry=registry)
        for _ in dry_run.steps:
            await turns.next()
    return dry_run.plan
