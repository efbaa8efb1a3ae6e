"""The tool `fetch`: one work by the id that a search gave it, or by an identifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metasearch.bib import work_ids
from metasearch.bib.identifier_forms import arxiv_doi
from metasearch.engine.options import SearchOptions
from metasearch.formats.reference import full_title
from metasearch.formats.text import clean, line
from metasearch.query.ast import Term
from metasearch.query.identifiers import bare_doi
from metasearch.record import Hit
from metasearch.server.faces.mcp import works
from metasearch.server.faces.mcp.arguments import check_names, text
from metasearch.server.faces.mcp.budget import MOST_TOKENS, cut, cut_to_tokens, size
from metasearch.server.faces.mcp.calls import Call, ToolError
from metasearch.server.faces.mcp.searching import ProgressReporter, answered

#: Records of each source that are asked for an identifier: it names one work.
_ASKED = 20
_EXAMPLE = "an id of a search result, or '10.1000/abc', 'pmid:123', 'arxiv:2101.00001'"


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A work, and how the sources fared that were asked for it; None where none was asked."""

    hit: Hit
    sources: dict[str, Any] | None = None


async def fetch(call: Call) -> dict[str, Any]:
    """Answers `fetch`: {"id", "title", "text", "url", "metadata"}."""
    check_names(call.arguments, ("id",))
    name = read_name(text(call.arguments, "id", example=_EXAMPLE))
    fetched = await _fetched(call, name)
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


def read_name(given: str) -> str:
    """The id or identifier as `work_ids.read_name` reads it. Raises ToolError: it is neither."""
    try:
        return work_ids.read_name(given)
    except ValueError as exc:
        raise ToolError(f"{line(str(exc))}. Give {_EXAMPLE}.") from exc


async def kept_work(call: Call, name: str) -> Hit:
    """The work that was shown under this id in the last day. Raises ToolError: there is none."""
    hit = await call.caller.engine.works.find(name)
    if hit is None:
        raise ToolError(
            f"No work is known by the id {name!r}: ids are those of search results, and are kept "
            "for a day. Search again, or give a DOI."
        )
    return hit


async def _fetched(call: Call, name: str) -> _Fetched:
    if work_ids.is_hit_id(name):
        return _Fetched(await kept_work(call, name))
    answer = await answered(call, _options_for(call, name), ProgressReporter(call.report))
    states = works.source_states(answer)
    hit = next(iter(work_ids.find(_with_doi(name), answer.hits)), None) or next(
        iter(work_ids.find(name, answer.hits)), None
    )
    if hit is not None:
        return _Fetched(hit, states)
    failed = [source for group in states.get("failed", ()) for source in group["sources"]]
    why = f" These sources failed, and may have it: {', '.join(failed)}." if failed else ""
    raise ToolError(
        f"No source that answered has a work called {cut(name, 200)!r}.{why} "
        "Search for words of its title."
    )


def _options_for(call: Call, name: str) -> SearchOptions:
    """The search that finds a work by its identifier; what else it finds is left out afterwards."""
    scheme, _, given = name.partition(":")
    value = " ".join(given.split())
    # The key of a record ("crossref:10.1000/abc") is asked of its source alone.
    sources = (scheme,) if scheme in call.caller.engine.registry.names() else None
    doi = bare_doi(_with_doi(name).partition(":")[2])
    if doi is not None:
        return SearchOptions(query=Term(doi, "doi"), sources=sources, limit=_ASKED)
    field = "isbn" if scheme == "isbn" else "any"
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
