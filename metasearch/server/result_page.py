"""A search as the result page makes it: what the reader prefers, and what the page is made from."""

from __future__ import annotations

from dataclasses import replace

from aiohttp import web

from metasearch.events import Answer
from metasearch.server.limits.clients import USER
from metasearch.server.pages.facets_panel import PAGE_FACETS
from metasearch.server.pages.marking import Marker
from metasearch.server.pages.results import Results, query_marker
from metasearch.server.parameters import Parameters
from metasearch.server.preferences import SIZES
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED
from metasearch.server.sources import labels
from metasearch.server.visit import Visit, visit_of


def for_page(parameters: Parameters, visit: Visit) -> Parameters:
    """The parameters of a page: what the address leaves open is as the reader prefers."""
    return replace(
        parameters,
        limit=parameters.limit or visit.preferences.page_size,
        sources=parameters.sources or visit.preferences.sources or None,
        facets=parameters.facets or ",".join(PAGE_FACETS),
    )


async def results_of(
    request: web.Request, answer: Answer, parameters: Parameters, asked: Parameters
) -> Results:
    """What the page of an answer is made from. `asked`: as the address has them, for links."""
    from metasearch.server.pages.coins import resolver_of  # which loads formats

    shared, visit = request.app[SHARED], visit_of(request)
    updates = ""
    if answer.running:
        given = {**asked.pairs(), "worker": shared.peers.number, "lang": visit.language.tag}
        updates = visit.site.path("/updates", **given)
    try:
        marker = await shared.admission.computing.read(
            request[USER], answer.query, lambda: query_marker(answer.query)
        )
    except Problem:  # too many long queries wait: the answer is there, and is shown unmarked
        marker = Marker(None)
    return Results(
        visit,
        answer,
        labels(shared.engine, (source.source for source in answer.sources)),
        asked.pairs(),
        parameters.limit or SIZES[0],
        updates,
        resolver_of(shared.engine.settings.server),
        marker,
        shared.wing.save_address(request, asked),
    )
