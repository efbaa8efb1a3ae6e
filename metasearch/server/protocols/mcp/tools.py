"""The tools `search` and `search_papers`: a search with its progress, and its answer."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from metasearch.engine.options import SearchOptions
from metasearch.events import Answer, Finished, SourceProgress, Started
from metasearch.formats.answer import facets_object, totals_object
from metasearch.formats.text import clean, line
from metasearch.server.faces.mcp import questions, works
from metasearch.server.faces.mcp.arguments import (
    MOST_SECONDS,
    SEARCH_ARGUMENTS,
    search_parameters,
)
from metasearch.server.faces.mcp.budget import cut_to_tokens, fitted, fitted_facets
from metasearch.server.faces.mcp.calls import Call, Report
from metasearch.server.limits.computing import SHORT
from metasearch.server.parameters import Parameters

#: Seconds that a second search must have.
_LEAST_SECONDS = 5.0
#: Tokens of the query and of the filters that an answer repeats.
_LONGEST_QUERY = 500


async def search(call: Call) -> dict[str, Any]:
    """Answers `search`: {"results": [{"id", "title", "url", ...}], "sources", ...}."""
    parameters = search_parameters(call.arguments, ("query",), call.caller.options)
    answer, asked_notes = await _asked(call, parameters)
    beside = _beside(answer)
    objects, notes = fitted(
        answer.hits, lambda hit, most: works.result(hit, most, call.caller.site), beside
    )
    return {"results": objects, **beside, "notes": [*asked_notes, *beside["notes"], *notes]}


async def _asked(call: Call, parameters: Parameters) -> tuple[Answer, list[str]]:
    """The answer to a question, and in words what was searched for in its place."""
    progress = ProgressReporter(call.report)
    notes: list[str] = []
    words = questions.words_of(parameters.query)
    if words:
        parameters = replace(parameters, query=" ".join(words))
        notes.append(f"Searched for the words that carry the question: {parameters.query}")
    began = time.monotonic()
    answer = await answered(call, parameters, progress)
    words = words or questions.plain_words(parameters.query)
    left = MOST_SECONDS - (time.monotonic() - began)
    if answer.hits or not works.any_answered(answer):
        return answer, notes
    if len(words) < 2 or left < _LEAST_SECONDS:
        return answer, notes
    relaxed = SearchOptions(
        query=questions.any_of(words),
        limit=parameters.limit,
        timeout=min(left, call.caller.engine.settings.timeout),
    )
    notes.append("No work has all words; these have some of them, the nearest first")
    return await answered(call, relaxed, progress), notes


async def search_papers(call: Call) -> dict[str, Any]:
    """Answers `search_papers`: {"works": [...], "start", "next_start", "facets", ...}."""
    parameters = search_parameters(call.arguments, SEARCH_ARGUMENTS, call.caller.options)
    answer = await answered(call, parameters, ProgressReporter(call.report))
    facets, facet_notes = fitted_facets(facets_object(answer.facets))
    beside = _beside(answer) | {
        "sort": answer.sort,
        "filter": cut_to_tokens(clean(answer.filter), _LONGEST_QUERY),
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


async def answered(call: Call, options: SearchOptions, progress: ProgressReporter) -> Answer:
    """The answer of a search; its works are kept, to be fetched by their ids.

    Progress is reported for each source that is done. Cancelling the call stops the search. Raises
    UsageError: the query cannot be read, or there is no such source.
    """
    caller = call.caller
    options = await caller.wishing(options)
    await caller.engine.ready(options.sources or ())
    timeout = min(
        options.timeout or caller.engine.settings.timeout,
        caller.options.max_timeout,
        MOST_SECONDS,
    )
    engine, whole = caller.engine, replace(options, timeout=timeout, user=caller.user)
    if isinstance(whole.query, str) and len(whole.query) > SHORT:
        prepared = engine.search(await caller.read(lambda: engine.resolve(whole)))
    else:
        prepared = engine.search(whole)
    async with caller.searching(), aclosing(prepared):
        async for event in prepared:
            match event:
                case Started():
                    progress.begin(len(event.sources))
                case SourceProgress():
                    await progress.take(event)
                case Finished():
                    answer = event.answer
    caller.finished(answer, options)
    await caller.engine.works.keep(answer.hits)
    return answer


class ProgressReporter:
    """Reports each source once, when it is done; a second search goes on where the first ended.
    `report`: receives the number of sources that are done, that of all, and a line of text.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._all = 0
        self._before = 0
        self._done: set[str] = set()

    def begin(self, sources: int) -> None:
        """A search of so many sources begins."""
        self._before += len(self._done)
        self._done = set()
        self._all = self._before + sources

    async def take(self, event: SourceProgress) -> None:
        """Reports the source if it has just ended."""
        report = event.report
        if report.status == "running" or report.source in self._done:
            return
        self._done.add(report.source)
        done = self._before + len(self._done)
        outcome = "failed" if report.failed else f"{report.count:,} records"
        await self._report(done, max(self._all, done), f"{line(report.source)}: {outcome}")


def _beside(answer: Answer) -> dict[str, Any]:
    """What both tools write beside the works."""
    counts = answer.counts
    return {
        "query": cut_to_tokens(clean(answer.query), _LONGEST_QUERY),
        "complete": answer.complete,
        "found": {"works": counts.unique, "records": counts.received},
        "sources": works.source_states(answer),
        "notes": [*works.source_note(answer), *works.notes_of(answer.notes)],
    }
