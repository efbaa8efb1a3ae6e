"""The tools `search` and `search_papers`: a search with its progress, and its answer."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from metasearch.engine.options import SearchOptions
from metasearch.events import Answer, Finished, SourceProgress, Started
from metasearch.formats.answer import facets_object, totals_object
from metasearch.formats.text import clean, line
from metasearch.server.faces.mcp import works
from metasearch.server.faces.mcp.arguments import (
    MOST_SECONDS,
    SEARCH_ARGUMENTS,
    search_parameters,
)
from metasearch.server.faces.mcp.budget import cut, fitted, fitted_facets
from metasearch.server.faces.mcp.calls import Call

#: Characters of the query that an answer repeats.
_LONGEST_QUERY = 1_000


async def search(call: Call) -> dict[str, Any]:
    """Answers `search`: {"results": [{"id", "title", "url", ...}], "sources", ...}."""
    parameters = search_parameters(call.arguments, ("query",), call.caller.options)
    answer = await answered(call, parameters)
    beside = _beside(answer)
    objects, notes = fitted(
        answer.hits, lambda hit, most: works.result(hit, most, call.caller.site), beside
    )
    return {"results": objects, **beside, "notes": [*beside["notes"], *notes]}


async def search_papers(call: Call) -> dict[str, Any]:
    """Answers `search_papers`: {"works": [...], "start", "next_start", "facets", ...}."""
    parameters = search_parameters(call.arguments, SEARCH_ARGUMENTS, call.caller.options)
    answer = await answered(call, parameters)
    facets, facet_notes = fitted_facets(facets_object(answer.facets))
    beside = _beside(answer) | {
        "sort": answer.sort,
        "filter": cut(clean(answer.filter), _LONGEST_QUERY),
        "total": totals_object(answer.totals),
        "facets": None if facets is None else facets["facets"],
    }
    objects, notes = fitted(
        answer.hits, lambda hit, most: works.work(hit, most, call.caller.site), beside
    )
    following = answer.paging.next
    next_start = following.start if following is not None else None
    if len(objects) < len(answer.hits):
        next_start = answer.paging.start + len(objects)
    return {
        "works": objects,
        "start": answer.paging.start,
        "next_start": next_start,
        **beside,
        "notes": [*beside["notes"], *facet_notes, *notes],
    }


async def answered(call: Call, options: SearchOptions) -> Answer:
    """The answer of a search; its works are kept, to be fetched by their ids.

    Progress is reported for each source that is done. Cancelling the call stops the search.

    Raises:
        Problem: A server runs too many searches.
        UsageError: The query cannot be read, or there is no such source.
    """
    caller = call.caller
    await caller.engine.ready(options.sources or ())
    timeout = min(
        options.timeout or caller.engine.settings.timeout,
        caller.options.max_timeout,
        MOST_SECONDS,
    )
    prepared = caller.engine.search(options, timeout=timeout, user=caller.user)
    progress = _Progress(call)
    async with caller.searching(), aclosing(prepared):
        async for event in prepared:
            match event:
                case Started():
                    progress.sources = len(event.sources)
                case SourceProgress():
                    await progress.take(event)
                case Finished():
                    answer = event.answer
    caller.finished(answer, options)
    await caller.engine.works.keep(answer.hits)
    return answer


class _Progress:
    """Reports each source once, when it is done."""

    def __init__(self, call: Call) -> None:
        self.sources = 0
        self._call = call
        self._done: set[str] = set()

    async def take(self, event: SourceProgress) -> None:
        report = event.report
        if report.status == "running" or report.source in self._done:
            return
        self._done.add(report.source)
        outcome = "failed" if report.failed else f"{report.count:,} records"
        await self._call.report(
            len(self._done),
            max(self.sources, len(self._done)),
            f"{line(report.source)}: {outcome}",
        )


def _beside(answer: Answer) -> dict[str, Any]:
    """What both tools write beside the works."""
    counts = answer.counts
    return {
        "query": cut(clean(answer.query), _LONGEST_QUERY),
        "complete": answer.complete,
        "found": {"works": counts.unique, "records": counts.received},
        "sources": works.source_states(answer),
        "notes": works.notes_of(answer.notes),
    }
