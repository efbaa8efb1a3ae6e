"""The tools: `search`, `search_papers`, `fetch`, `list_sources` and `explain`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from metasearch.adapters.spec import DIRECTIONS, Direction
from metasearch.bib import work_ids
from metasearch.bib.identifiers import arxiv_doi
from metasearch.bib.work_ids import is_hit_id
from metasearch.engine.citation_result import RelatedWork
from metasearch.engine.citations import CitationOptions, record_of_name
from metasearch.engine.dry_run import SourcePlan, explain_plan, plan_search
from metasearch.engine.lookup import LookupOptions, WantedWork
from metasearch.engine.options import SearchOptions
from metasearch.events import Answer, Finished, SourceProgress, Started
from metasearch.formats.answer import facets_object, totals_object
from metasearch.formats.reference import full_title
from metasearch.formats.text import clean, clean_map, line, web_url
from metasearch.query.tree import IDENTIFIERS, Term
from metasearch.query.values import bare_doi
from metasearch.record import Hit, Match, Reason, Record
from metasearch.references.check import CheckedReference, ReferenceCheck
from metasearch.references.citations import failures_of
from metasearch.references.reader import read_references
from metasearch.references.report import counts_object, difference_object, severity
from metasearch.server.limits.admission import SHORT
from metasearch.server.parameters import Parameters
from metasearch.server.protocols.assistant_questions import relax, wish
from metasearch.server.protocols.mcp import works
from metasearch.server.protocols.mcp.arguments import (
    LONGEST_LIST,
    MOST_REFERENCES,
    MOST_SECONDS,
    SEARCH_ARGUMENTS,
    Report,
    ToolCall,
    ToolError,
    check_names,
    search_parameters,
    text,
)
from metasearch.server.protocols.mcp.works import (
    MOST_TOKENS,
    cut,
    cut_to_tokens,
    fit_facets,
    fit_works,
    notes_of,
    size,
    title_of,
)
from metasearch.server.sources import SourceView, view

#: Tokens of the query and of the filters that an answer repeats.
_LONGEST_QUERY = 500


async def search(call: ToolCall) -> dict[str, Any]:
    """Answers `search`: {"results": [{"id", "title", "url", ...}], "sources", ...}."""
    parameters = search_parameters(call.arguments, ("query",), call.caller.options)
    answer, asked_notes = await _ask(call, parameters)
    beside = _beside(answer)
    objects, notes = fit_works(
        answer.hits, lambda hit, most: works.result(hit, most, call.caller.site), beside
    )
    return {"results": objects, **beside, "notes": [*asked_notes, *beside["notes"], *notes]}


async def _ask(call: ToolCall, parameters: Parameters) -> tuple[Answer, list[str]]:
    """The answer to a question, and in words what was searched for in its place."""
    progress = ProgressReporter(call.report)
    until = time.monotonic() + MOST_SECONDS
    wished = wish(parameters.query, call.caller.engine.registry.default())
    if parameters.syntax not in ("auto", "simple"):
        return await answer_of(call, parameters, progress), []
    parameters = replace(
        parameters,
        query=wished.query or parameters.query,
        years=parameters.years or wished.years,
        sources=parameters.sources or wished.sources or None,
    )
    answer = await answer_of(call, parameters, progress)
    answer, notes = await relax(
        answer, wished, parameters, lambda wider: answer_of(call, wider, progress), until
    )
    return answer, [*wished.notes, *notes]


async def search_papers(call: ToolCall) -> dict[str, Any]:
    """Answers `search_papers`: {"works": [...], "start", "next_start", "facets", ...}."""
    parameters = search_parameters(call.arguments, SEARCH_ARGUMENTS, call.caller.options)
    answer, asked_notes = await _ask(call, parameters)
    facets, facet_notes = fit_facets(facets_object(answer.facets))
    beside = _beside(answer) | {
        "sort": answer.sort,
        "filter": cut_to_tokens(clean(answer.filter), _LONGEST_QUERY),
        "total": totals_object(answer.totals),
        "facets": None if facets is None else facets["facets"],
    }
    objects, notes = fit_works(
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
        "notes": [*asked_notes, *beside["notes"], *facet_notes, *notes],
    }


async def answer_of(call: ToolCall, options: SearchOptions, progress: ProgressReporter) -> Answer:
    """The answer of a search; its works are kept, to be fetched by their ids.

    Progress is reported for each source that is done. Cancelling the call stops the search. Raises
    UsageError: the query cannot be read, or there is no such source.
    """
    caller = call.caller
    options = await caller.with_preferences(options)
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


# The tool `fetch`: one work by the id that a search gave it, or by an identifier; or a list of
# references, each compared with what databases have.

#: Records of citations of one work that are received in all, and works that are told.
_MOST_CITATIONS, _MOST_RELATED = 5_000, 100
#: Records of each source that are asked for an identifier: it names one work.
_ASKED = 20
#: Seconds of one answer, of a list that asks several databases one after the other.
_A_DATABASE = 10.0
_EXAMPLE = "an id of a search result, or '10.1000/abc', 'pmid:123', 'arxiv:2101.00001'"


@dataclass(frozen=True, slots=True)
class _FetchResult:
    """A work, and how the sources fared that were asked for it; None where none was asked."""

    hit: Hit
    sources: dict[str, Any] | None = None


async def fetch(call: ToolCall) -> dict[str, Any]:
    """Answers `fetch`: {"id", "title", "text", "url", "metadata"}; of the works that cite it, or
    that it cites, {"id", "title", "url", "relations", "works", "counts", "notes"}; or of a list of
    references {"references": [{"key", "verdict", ...}], "counts", "notes"}.
    """
    check_names(call.arguments, ("id", "references", "relations"))
    relations = text(call.arguments, "relations")
    if written := text(call.arguments, "references", most=LONGEST_LIST):
        if call.arguments.get("id"):
            raise ToolError("Give either 'id' (one work) or 'references' (a list to check).")
        if relations:
            raise ToolError("'relations' goes with an 'id', not with 'references'.")
        return await _check(call, written)
    name = read_name(text(call.arguments, "id", example=_EXAMPLE))
    for direction in DIRECTIONS:
        if relations == direction:
            return await _related(call, name, direction)
    if relations:
        known = " or ".join(map(repr, DIRECTIONS))
        raise ToolError(f"The argument 'relations' must be {known}, not {cut(relations, 40)!r}.")
    fetched = await _fetch(call, name)
    hit, site = fetched.hit, call.caller.site
    answer = {
        "id": hit.id,
        "title": works.title_of(hit),
        "text": "",
        "url": works.address_of(hit, site),
        "metadata": works.metadata(hit),
    }
    if fetched.sources is not None:
        answer["sources"] = fetched.sources
    # JSON escapes newlines and quotes, which the text itself does not count.
    return answer | {"text": cut_to_tokens(_text(hit), (MOST_TOKENS - size(answer)) * 4 // 5)}


async def _related(call: ToolCall, name: str, direction: Direction) -> dict[str, Any]:
    """The works that a work cites, or that cite it, best first."""
    caller = call.caller
    record = (
        (await find_work(call, name)).record if work_ids.is_hit_id(name) else record_of_name(name)
    )
    await caller.with_preferences(SearchOptions(query=name))
    await caller.engine.ready()
    options = CitationOptions(
        directions=(direction,),
        most_records=_MOST_CITATIONS,
        timeout=min(caller.engine.settings.timeout, caller.options.max_timeout, _A_DATABASE),
        user=caller.user,
    )
    search = caller.engine.cite([WantedWork(name, record)], options)
    try:
        async with caller.searching(), asyncio.timeout(MOST_SECONDS):
            async for report in search:
                await call.report(len(search.reports), len(search.asked), report.source)
    except TimeoutError:
        raise ToolError(
            f"The indexes did not answer within {MOST_SECONDS:g} seconds. Ask again: what has come "
            "need not be asked for twice."
        ) from None
    found = await asyncio.to_thread(search.result)
    failed = list(failures_of(found))
    hit = found.seeds[name]
    if hit is None and not found.works:
        why = f" These indexes failed: {', '.join(failed)}." if failed else ""
        raise ToolError(f"No source that answered knows {cut(name, 200)!r}.{why}")
    told = found.works[:_MOST_RELATED]
    await caller.engine.works.keep([*([hit] if hit else ()), *(work.hit for work in told)])
    beside = {
        "id": hit.id if hit else name,
        "title": works.title_of(hit) if hit else cut(name, _LONGEST),
        "url": works.address_of(hit, caller.site) if hit else "",
        "relations": direction,
        "counts": asdict(found.counts),
    }

    def write(work: RelatedWork, characters: int) -> dict[str, Any]:
        return works.work(work.hit, characters, caller.site) | {"indexes": list(work.sources)}

    objects, notes = fit_works(told, write, beside)
    if len(told) < len(found.works):
        notes.append(f"These are the first {len(told)} of {len(found.works):,} works")
    notes += [f"{source} failed, and may know more" for source in failed]
    return {**beside, "works": objects, "notes": notes_of(notes)}


async def _check(call: ToolCall, written: str) -> dict[str, Any]:
    """What databases say of each reference, what is serious first."""
    caller = call.caller
    listed = await caller.read(lambda: read_references(written.encode(errors="replace"), "list"))
    references = listed.references
    if not 0 < len(references) <= MOST_REFERENCES:
        raise ToolError(
            f"There are {len(references):,} references in the list; give 1 to {MOST_REFERENCES}, "
            "each in a line or an entry of its own."
        )
    options = await caller.with_preferences(SearchOptions(query=written))
    await caller.engine.ready(options.sources or ())
    most = min(caller.engine.settings.timeout, caller.options.max_timeout, _A_DATABASE)
    checking = ReferenceCheck(
        caller.engine,
        references,
        LookupOptions(sources=options.sources, timeout=most, user=caller.user),
    )
    checked: list[CheckedReference] = []
    notes = [f"Not understood: {each.message}" for each in listed.problems]
    with suppress(TimeoutError):
        async with caller.searching(), asyncio.timeout(MOST_SECONDS):
            async for each in checking:
                checked.append(each)
                await call.report(len(checked), len(references), line(each.reference.key))
    left = {each.key for each in references} - {each.reference.key for each in checked}
    if left:
        keys = ", ".join(each.key for each in references if each.key in left)
        notes.append(f"There was no time to check {keys}; give these references again")
    checked.sort(key=severity)
    await caller.engine.works.keep([each.hit for each in checked if each.hit is not None])
    budget = _AnswerRoom({"counts": counts_object(checked)})
    budget.add("references", checked, _reference)
    answer = budget.answer()
    return answer | {"notes": notes_of([*answer["notes"], *notes])}


def _reference(checked: CheckedReference) -> dict[str, Any]:
    written = checked.reference.record.title or checked.reference.text
    members = {
        "title": cut(line(written), _LONGEST),
        "differences": [
            {
                name: cut(line(value), _LONGEST) if isinstance(value, str) else value
                for name, value in difference_object(each).items()
            }
            for each in checked.differences
        ],
        "reason": cut(line(str(checked.reason)), _LONGEST),
        "id": checked.hit.id if checked.hit is not None else "",
        "failed": [each.source for each in checked.asked if each.status == "failed"],
    }
    return {
        "key": cut(line(checked.reference.key), _LONGEST),
        "verdict": checked.verdict,
        "serious": checked.serious,
        **{name: value for name, value in members.items() if value},
    }


def read_name(given: str) -> str:
    """The id or identifier as `work_ids.read_name` reads it. Raises ToolError: it is neither."""
    try:
        return work_ids.read_name(given)
    except ValueError as exc:
        raise ToolError(f"{line(str(exc))}. Give {_EXAMPLE}.") from exc


async def find_work(call: ToolCall, name: str) -> Hit:
    """The work that was shown under this id in the last day. Raises ToolError: there is none."""
    hit = await call.caller.engine.works.find(name)
    if hit is None:
        raise ToolError(
            f"No work is known by the id {name!r}: ids are those of search results, and are kept "
            "for a day. Search again, or give a DOI."
        )
    return hit


async def _fetch(call: ToolCall, name: str) -> _FetchResult:
    if work_ids.is_hit_id(name):
        return _FetchResult(await find_work(call, name))
    answer = await answer_of(call, _options_for(call, name), ProgressReporter(call.report))
    states = works.source_states(answer)
    hit = next(iter(work_ids.find(_with_doi(name), answer.hits)), None) or next(
        iter(work_ids.find(name, answer.hits)), None
    )
    if hit is not None:
        return _FetchResult(hit, states)
    failed = [source for group in states.get("failed", ()) for source in group["sources"]]
    why = f" These sources failed, and may have it: {', '.join(failed)}." if failed else ""
    raise ToolError(
        f"No source that answered has a work called {cut(name, 200)!r}.{why} "
        "Search for words of its title."
    )


def _options_for(call: ToolCall, name: str) -> SearchOptions:
    """The search that finds a work by its identifier; what else it finds is left out afterwards."""
    scheme, _, given = name.partition(":")
    value = " ".join(given.split())
    # The key of a record ("crossref:10.1000/abc") is asked of its source alone.
    sources = (scheme,) if scheme in call.caller.engine.registry.names() else None
    doi = bare_doi(_with_doi(name).partition(":")[2])
    if doi is not None:
        return SearchOptions(query=Term(doi, "doi"), sources=sources, limit=_ASKED)
    field = scheme if scheme in IDENTIFIERS else "any"
    return SearchOptions(query=Term(value, field), sources=sources, limit=_ASKED)


def _with_doi(name: str) -> str:
    """The name; that of an arXiv preprint as the DOI that arXiv registers for it."""
    scheme, _, value = name.partition(":")
    return f"doi:{arxiv_doi(value)}" if scheme == "arxiv" else name


def _text(hit: Hit) -> str:
    """Title, people, place and abstract, to be read."""
    record = hit.record
    people = works.names(record, works.MANY_NAMES)
    where = [line(record.venue), line(record.volume), line(record.issue), line(record.pages)]
    parts = [
        full_title(record),
        f"Authors: {'; '.join(people)}" if people else "",
        ", ".join(filter(None, [*where, str(record.year or "")])),
        "This work was retracted." if record.retracted else "",
        f"Abstract:\n{clean(record.abstract)}" if record.abstract else "No abstract is known.",
        "This is a bibliographic record; the full text is not in it.",
    ]
    return "\n\n".join(filter(None, parts))


# The tool `list_sources`: which sources there are, what they hold, and whether they answer.

_LONGEST_COVERAGE = 160


async def list_sources(call: ToolCall) -> dict[str, Any]:
    """Answers `list_sources`: {"sources": [{"name", "label", ...}], "groups", "notes"}."""
    check_names(call.arguments, ("group",))
    group = text(call.arguments, "group")
    engine = call.caller.engine
    await engine.ready()
    async with call.caller.compute_permit():
        views = view(engine)
        groups = engine.registry.groups
        if group and group not in groups:
            raise ToolError(
                f"There is no group {cut(line(group), 40)!r}. Groups: {', '.join(sorted(groups))}."
            )
        members = set(engine.registry.expand([group])) if group else None
        shown = [each for each in views if members is None or each.name in members]
        return _answer(shown, sorted(groups))


def _answer(views: list[SourceView], groups: list[str]) -> dict[str, Any]:
    listed: list[dict[str, Any]] = []
    room = MOST_TOKENS - size(groups) - 500
    for source in views:
        entry = _source(source)
        room -= size(entry)
        if room < 0:
            break
        listed.append(entry)
    notes = []
    if len(listed) < len(views):
        notes.append(
            f"Only the first {len(listed)} of {len(views)} sources fit into one answer; name a "
            "group"
        )
    return {"sources": listed, "groups": groups, "notes": notes}


def _source(source: SourceView) -> dict[str, Any]:
    spec = source.spec
    entry: dict[str, Any] = {
        "name": source.name,
        "label": cut(line(source.label), _LONGEST_COVERAGE),
        "default": source.default,
        "status": source.status,
    }
    if spec is not None and spec.coverage:
        entry["coverage"] = cut(line(spec.coverage), _LONGEST_COVERAGE)
    return entry


# The tool `explain`: why a work of a list is one work and stands where it does; or what a search
# would ask of each source. Nothing is sent.

#: Arguments of `explain` that are options of a search.
PLAN_ARGUMENTS = ("query", "sources", "years", "syntax")
_LONGEST = 300


async def explain(call: ToolCall) -> dict[str, Any]:
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
    return _work(await find_work(call, name))


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


async def _plan(call: ToolCall) -> dict[str, Any]:
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
            steps = plan_search(parameters, settings=settings, registry=registry)
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
    budget.add("sources", plan.sources, _source_plan)
    return budget.answer()


def _source_plan(source: SourcePlan) -> dict[str, Any]:
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
