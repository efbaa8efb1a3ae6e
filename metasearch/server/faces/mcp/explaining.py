"""The tool `explain`: why a work of a list is one work and stands where it does; or what a search
would ask of each source. Nothing is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from metasearch.bib.work_ids import is_hit_id
from metasearch.engine.dry_run import SourcePlan, explain_plan, planned
from metasearch.formats.reference import full_title
from metasearch.formats.text import clean, clean_map, line, web_url
from metasearch.record import Hit, Match, Reason, Record
from metasearch.server.faces.mcp.arguments import (
    check_names,
    search_parameters,
    text,
)
from metasearch.server.faces.mcp.budget import MOST_TOKENS, cut, size
from metasearch.server.faces.mcp.calls import Call, ToolError
from metasearch.server.faces.mcp.fetching import kept_work, read_name
from metasearch.server.faces.mcp.works import notes_of, title_of
from metasearch.server.limits.computing import SHORT

#: Arguments of `explain` that are options of a search.
PLAN_ARGUMENTS = ("query", "sources", "years", "syntax")
_LONGEST = 300


async def explain(call: Call) -> dict[str, Any]:
    """Answers `explain`, for an id or for a query."""
    check_names(call.arguments, ("id", *PLAN_ARGUMENTS))
    given = {name: value for name, value in call.arguments.items() if value is not None}
    if ("id" in given) == ("query" in given):
        raise ToolError(
            "Give either 'id' (why is this a work, and why does it stand there?) or 'query' (what "
            "would be asked of each source?)."
        )
    if "id" not in given:
        return await _plan(call)
    if len(given) > 1:
        raise ToolError("With 'id' no other argument is allowed.")
    name = read_name(text(given, "id", example="an id of a search result"))
    if not is_hit_id(name):
        raise ToolError(
            f"{cut(name, 200)!r} is no id of a search result. Search for the work, then explain "
            "the id that it has there."
        )
    return _work(await kept_work(call, name))


# --------------------------------------------------------------------------- a work


def _work(hit: Hit) -> dict[str, Any]:
    budget = _AnswerRoom(
        {
            "id": hit.id,
            "title": title_of(hit),
            "rank": hit.rank,
            "score": hit.score,
        }
    )
    budget.add("ranked_because", hit.reasons, _reason)
    budget.add("merged_because", hit.matches, _match)
    budget.add("records", hit.records, _record)
    origins = clean_map(hit.provenance)
    budget.add("field_sources", origins.items(), lambda pair: {"field": pair[0], "source": pair[1]})
    return budget.answer()


def _reason(reason: Reason) -> dict[str, Any]:
    return {"text": cut(line(reason.text), _LONGEST), "points": reason.points}


def _match(match: Match) -> dict[str, Any]:
    return {
        "records": [cut(line(match.left), _LONGEST), cut(line(match.right), _LONGEST)],
        "verdict": match.verdict,
        "because": cut(line(match.because), _LONGEST),
    }


def _record(record: Record) -> dict[str, Any]:
    members = {
        "record": cut(line(record.key), _LONGEST),
        "title": cut(full_title(record), _LONGEST),
        "year": record.year,
        "doi": cut(line(record.doi), _LONGEST),
        "type": line(record.type),
        "url": cut(web_url(record.url) or "", _LONGEST),
    }
    return {name: value for name, value in members.items() if value}


# --------------------------------------------------------------------------- a query


async def _plan(call: Call) -> dict[str, Any]:
    caller = call.caller
    parameters = search_parameters(call.arguments, PLAN_ARGUMENTS, caller.options)
    await caller.engine.ready(parameters.sources or ())
    settings, registry = caller.engine.settings, caller.engine.registry
    if len(parameters.query) > SHORT:
        plan = await caller.read(
            lambda: explain_plan(parameters, settings=settings, registry=registry)
        )
    else:
        turns = caller.engine.scheduler.turns()
        async with caller.searching():
            await turns.next()
            steps = planned(parameters, settings=settings, registry=registry)
            for _ in steps.steps:
                await turns.next()
        plan = steps.plan
    budget = _AnswerRoom(
        {
            "query": cut(clean(plan.query), 2_000),
            "syntax": plan.syntax,
            "query_notes": notes_of(plan.notes),
        }
    )
    budget.add("sources", plan.sources, _source)
    return budget.answer()


def _source(source: SourcePlan) -> dict[str, Any]:
    members = {
        "source": source.source,
        "asked": source.asked,
        "query": cut(clean(source.query), 1_000),
        "filtered_afterwards": cut(clean(source.filtered), 1_000),
        "lost": notes_of(source.notes),
        "reason": cut(line(source.reason), _LONGEST),
    }
    return {name: value for name, value in members.items() if value not in ("", [])}


class _AnswerRoom:
    """An answer that is filled list by list, as far as it has room."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self._answer = answer
        self._notes: list[str] = []
        self._room = MOST_TOKENS - size(answer) - 500

    def add(self, name: str, items: Iterable[Any], write: Callable[[Any], dict[str, Any]]) -> None:
        """Adds a list; entries that do not fit are counted in a note."""
        written: list[dict[str, Any]] = []
        left_out = 0
        for item in items:
            entry = None if left_out else write(item)
            needed = 0 if entry is None else size(entry) + 1
            if entry is None or needed > self._room:
                left_out += 1
                continue
            self._room -= needed
            written.append(entry)
        if left_out:
            self._notes.append(f"{left_out} further entries of {name} do not fit into one answer")
        self._answer[name] = written

    def answer(self) -> dict[str, Any]:
        return self._answer | {"notes": self._notes}
