"""`/work/ID`: the page of one work, and the same work in every format of one; and unAPI, by which
Zotero reads it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import quote, urlencode
from xml.sax.saxutils import quoteattr

import orjson
from aiohttp import web

from metasearch.bib.identifiers import arxiv_doi, arxiv_id, doi
from metasearch.bib.work_ids import find, is_hit_id, read_name
from metasearch.events import Answer, Counts
from metasearch.formats import WRITABLE, write
from metasearch.formats.answer import hit_object
from metasearch.formats.citations import STYLES
from metasearch.formats.text import clean, line
from metasearch.message import message
from metasearch.query import Term, to_text
from metasearch.record import Hit
from metasearch.server.forms import only
from metasearch.server.pages import metadata
from metasearch.server.pages.environment import N_
from metasearch.server.pages.hit import hit_view, work_address
from metasearch.server.pages.metadata import MachineLink, Resolver, meta_tags, resolver_of
from metasearch.server.pages.page import SearchForm, page, page_response
from metasearch.server.pages.work_records import MOST, WorkEvidence, field_rows
from metasearch.server.parameters import Parameters, read
from metasearch.server.problem import Problem
from metasearch.server.search import choose_form, is_usable
from metasearch.server.search_answers import (
    answer_of,
    no_answer_problem,
    status_of,
)
from metasearch.server.site import SHARED, ServerContext, Site, site_of, work_path
from metasearch.server.sources import labels
from metasearch.server.visit import Visit, visit_of

#: Authors that the head of the page names; the table of fields has more.
_AUTHORS_SHOWN = 20
#: Format -> the words of its link; another one has its own name.
FORMAT_WORDS = {
    "json": "JSON",
    "jsonld": "JSON-LD",
    "ris": "RIS",
    "bibtex": "BibTeX",
    "csl-json": "CSL-JSON",
    "endnote-xml": "EndNote XML",
    "endnote-tagged": N_("EndNote tagged"),
    "nbib": "NBIB (PubMed)",
    "refworks": "RefWorks",
    "noteexpress": "NoteExpress",
    "mods": "MODS",
    "marcxml": "MARCXML",
    "marc": "MARC 21",
    "csv": "CSV",
    "xlsx": "Excel",
    "parquet": "Parquet",
    "citations": N_("Citations as text"),
}


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The place of a work in a list, from 1, up to which place the list is known, and the addresses
    of the works before and after it; "" where there is none.
    """

    place: int
    last: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WorkPage:
    """What the page is made from.

    Attributes:
        canonical: Absolute address of the page.
        formats: (name, media type, local address) of each format.
        citations: (name of the style, text) of formatted citations.
        query: For the search form; "" for none.
        search: Parameters of the search that finds the work again; none where it is not known.
        list_address: Of the list that has the work; "" where none is known.
        has_pins: Whether this server reads a file of pins.
        neighbours: Where the work stands in that list; None where that is not known.
    """

    hit: Hit
    labels: Mapping[str, str]
    canonical: str
    links: Sequence[MachineLink]
    formats: Sequence[tuple[str, str, str]]
    citations: Sequence[tuple[str, str]]
    query: str
    search: Mapping[str, str | int]
    list_address: str
    resolver: Resolver | None
    has_pins: bool
    neighbours: Neighbours | None = None

    def label(self, source: str) -> str:
        return line(self.labels.get(source, source))


def work_page(visit: Visit, shown: WorkPage) -> str:
    hit, record = shown.hit, shown.hit.record
    view = hit_view(hit, shown.labels, visit.site.base, resolver=shown.resolver)
    evidence = WorkEvidence(hit, shown.label)
    authors = [name for author in record.byline if (name := line(author.name))]
    own_style, other_styles = _by_preference(shown.citations, visit.style)
    return page(
        "work.html",
        visit,
        view.title,
        SearchForm(shown.query),
        hit=view,
        work_id=line(hit.id),
        authors=authors[:_AUTHORS_SHOWN],
        more_authors=max(0, len(authors) - _AUTHORS_SHOWN),
        cited=record.citations,
        cited_by=_source_of(shown, "citations"),
        abstract=line(record.abstract),
        abstract_source=_source_of(shown, "abstract"),
        no_abstract=_sources_without_abstract(shown),
        fields=[*field_rows(hit, shown.label, visit.language)],
        compares=len(hit.sources) > 1,
        work=evidence,
        records=evidence.records(MOST),
        more_records=max(0, len(hit.records) - MOST),
        has_pins=shown.has_pins,
        in_basket=not {hit.id, *hit.also}.isdisjoint(visit.basket),
        search=urlencode(shown.search, quote_via=quote, errors="replace"),
        links=shown.links,
        meta_tags=meta_tags(record, shown.canonical),
        json_ld=metadata.script(metadata.object_of(hit, shown.canonical)),
        canonical=shown.canonical,
        formats=[
            (FORMAT_WORDS.get(name, name), media, address) for name, media, address in shown.formats
        ],
        citation=own_style,
        citations=other_styles,
        styles={name: style.about for name, style in STYLES.items()},
        list_address=shown.list_address,
        neighbours=shown.neighbours,
        cites=_citation_addresses(hit, visit.site),
    )


def _citation_addresses(hit: Hit, site: Site) -> dict[str, str]:
    """What asks indexes for the citations of a work, when a reader follows one of these links. By
    the DOI, as of `canonical_address`; related works are known from a second round.
    """
    known = hit.record.doi
    name = known if known and doi(known) == known else hit.id
    of = partial(site.path, "/cite", id=name, format="html")
    return {
        "references": of(direction="backward"),
        "cited_by": of(direction="forward"),
        "related": of(rounds=2) + "#related",
    }


def _by_preference(
    citations: Sequence[tuple[str, str]], style: str
) -> tuple[tuple[str, str] | None, list[tuple[str, str]]]:
    """The citation in the reader's style, and those in the others."""
    first = next((each for each in citations if each[0] == style), None)
    return first, [each for each in citations if each is not first]


def _source_of(shown: WorkPage, field: str) -> str:
    """The label of the source that gave a field; "" where that is not recorded."""
    name = shown.hit.provenance.get(field, "")
    return shown.label(name) if name else ""


def _sources_without_abstract(shown: WorkPage) -> list[str]:
    having = {each.source for each in shown.hit.records if each.abstract}
    return [shown.label(name) for name in shown.hit.sources if name not in having]


# `/work/ID`: the page of one work, and the same work in every format of one. An id names one of the
# works whose pages were shown in the last day. Where it is none of them, the search in the address
# is made again: links of our lists have it, and the answer mostly comes from the cache. An
# identifier ("doi:10.1000/abc") is searched for.

JSON_LD = "jsonld"
#: Name in `format=` -> media type; a client that does not say what it likes gets the page.
OFFERED_OF_WORKS: Mapping[str, str] = {
    "html": "text/html",
    "json": "application/json",
    JSON_LD: metadata.MEDIA_TYPE,
    **{
        name: format_.media_type
        for name, format_ in WRITABLE.items()
        if format_.unit == "hits" and name != "table"
    },
}
#: Formats that the links for programs name: metadata that other programs read.
DESCRIPTIONS = (JSON_LD, "json", "mods", "marcxml", "csl-json", "ris", "bibtex")
#: What stands before the only citation of a list, in the styles that number them.
_NUMBER = re.compile(r"(?:\[1\]|1\.) +")
_WITH_CHARSET = frozenset({"html", "csv", "citations"})
#: Characters of an id; the longest DOIs have some two hundred.
LONGEST_ID = 500
#: Records and authors of a work that is written on the loop.
_SMALL = 100
_ADVICE = message(
    "A work is known by its id for a day after its page was shown. Later, "
    "use the address that a list links to, which has the search (q=), or an "
    "identifier: /work/doi:10.1000/abc."
)


@dataclass(frozen=True, slots=True)
class WorkAndSearch:
    """A work, and the parameters of the search that finds it again; none where it was kept and
    the address has no search. `listed`: the ids of the works of that search, in their order; none
    where they are not known.
    """

    hit: Hit
    search: Mapping[str, str | int]
    listed: Sequence[str] = ()


async def answer_work(request: web.Request) -> web.Response:
    """`/work/ID`: the work as a page, or in the format that `format=` or Accept name."""
    shared, site, visit = request.app[SHARED], site_of(request), visit_of(request)
    form = choose_form(request, OFFERED_OF_WORKS)
    parameters = read(request.query, shared.options)
    work_found = await _find_work(request, request.match_info["id"], parameters)
    hit = work_found.hit
    body = await shared.admission.written(
        lambda: _body(work_found, form, parameters, visit, shared), large=is_large(hit)
    )
    links = {"Link": metadata.header(_links(hit, form, site))}
    if form == "html":
        # It has the reader's basket, and a token that is another one each time.
        return page_response(request, body, headers=links)
    etag = hashlib.sha256(form.encode() + body).hexdigest()[:32]
    headers = {
        **links,
        "Vary": "Accept",
        "Cache-Control": f"private, max-age={shared.options.max_age}",
        "ETag": f'W/"{etag}"',
    }
    if any(known.value in (etag, "*") for known in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    if form in WRITABLE and WRITABLE[form].download:
        name = f"metasearch-{hit.id}" if is_hit_id(hit.id) else "metasearch-work"
        headers["Content-Disposition"] = f'attachment; filename="{name}.{WRITABLE[form].extension}"'
    return web.Response(
        body=body,
        headers=headers,
        content_type=OFFERED_OF_WORKS[form],
        charset="utf-8" if form in _WITH_CHARSET else None,
    )


def is_large(hit: Hit) -> bool:
    """Whether writing the work would hold up the loop."""
    return len(hit.records) + len(hit.record.authors) > _SMALL


def write_work(hit: Hit, form: str, parameters: Parameters | None = None) -> bytes:
    """One work in a format of `WRITABLE` that is written from hits. `parameters`: how it is
    written, where the format has a choice.
    """
    whole = Answer("", True, Counts(len(hit.records), 1, len(hit.records) - 1), (hit,), ())
    asked = parameters or Parameters()
    return write(form, whole, bom=asked.bom, provenance=asked.provenance, style=asked.style)


def canonical_address(hit: Hit, site: Site) -> str:
    """The absolute address of the record page: with the DOI, by which the work is found also
    after a day, else with the id of the hit.
    """
    known = hit.record.doi
    name = f"doi:{known}" if known and doi(known) == known else hit.id
    return site.url(work_path(name))


async def _find_work(request: web.Request, text: str, parameters: Parameters) -> WorkAndSearch:
    shared = request.app[SHARED]
    name = _name(text)
    search = parameters.pairs() if parameters.query else {}
    if is_hit_id(name):
        async with shared.admission.brief():
            kept = await shared.engine.works.find(name)
        if kept is not None:
            listed = await shared.engine.works.find_list(urlencode(search)) if search else []
            return WorkAndSearch(kept, search, listed)
    incomplete = False
    for asked in _searches(name, parameters):
        answer, hits = await _search(request, name, asked)
        if hits:
            await shared.engine.works.keep(hits[:1])
            found, listed = asked.pairs(), [hit.id for hit in answer.hits]
            if found == search:
                await shared.engine.works.keep_list(urlencode(search), answer.hits)
            return WorkAndSearch(hits[0], found, listed if found == search else ())
        incomplete |= not answer.complete
    shown = repr(text[:100])
    detail = (
        message("No work is known here as {name}; not all sources have answered.", name=shown)
        if incomplete
        else message("No work is known here as {name}.", name=shown)
    )
    raise Problem(
        404,
        "no-such-work",
        detail,
        advice=_ADVICE,
    )


def _searches(name: str, parameters: Parameters) -> Iterator[Parameters]:
    """The search of the address, and one for the identifier, in the same sources."""
    if parameters.query:
        yield replace(parameters, wait=None)
    if query := _query(name):
        yield Parameters(
            query=query, syntax="simple", sources=parameters.sources, timeout=parameters.timeout
        )


async def _search(request: web.Request, name: str, asked: Parameters) -> tuple[Answer, list[Hit]]:
    """The answer to a search, and the works in it that the name may mean."""
    answer = await answer_of(request, asked)
    hits = find(name, answer.hits)
    if not hits and answer.running:  # the configured wait is over, the search is not
        most = request.app[SHARED].options.max_timeout
        answer = await answer_of(request, replace(asked, wait=most))
        hits = find(name, answer.hits)
    if not hits and (status := status_of(answer)) != 200:
        raise no_answer_problem(answer, status, {})
    return answer, hits


def _name(text: str) -> str:
    if len(text) > LONGEST_ID:
        reason = f"has {len(text):,} characters; at most {LONGEST_ID} are allowed"
        raise Problem.bad_parameter("ID", reason)
    try:
        return read_name(text)
    except ValueError as exc:
        raise Problem.bad_parameter("ID", str(exc)) from exc


def _query(name: str) -> str:
    """The query that looks for an identifier; "" where databases cannot be asked for it."""
    scheme, _, value = name.partition(":")
    match scheme.lower():
        case "doi":
            return to_text(Term(value, "doi"))
        case "isbn":
            return to_text(Term(value, "isbn"))
        case "pmid" | "pmcid" if value.isascii() and value.isalnum():
            return to_text(Term(value))
        case "arxiv" if arxiv_id(value) == value:
            return f"{to_text(Term(value))} OR {to_text(Term(arxiv_doi(value), 'doi'))}"
    return ""


def _body(
    work_found: WorkAndSearch,
    form: str,
    parameters: Parameters,
    visit: Visit,
    shared: ServerContext,
) -> bytes:
    hit = work_found.hit
    if form == "html":
        return _page(work_found, parameters, visit, shared).encode()
    if form == "json":
        return orjson.dumps(hit_object(hit), option=orjson.OPT_APPEND_NEWLINE)
    if form == JSON_LD:
        described = metadata.object_of(hit, canonical_address(hit, visit.site))
        return orjson.dumps(described, option=orjson.OPT_APPEND_NEWLINE)
    return write_work(hit, form, parameters)


def _page(
    work_found: WorkAndSearch, parameters: Parameters, visit: Visit, shared: ServerContext
) -> str:
    hit, site = work_found.hit, visit.site
    formats = [
        (name, media_type, work_address(site, hit.id, work_found.search, format=name))
        for name, media_type in OFFERED_OF_WORKS.items()
        if name != "html" and is_usable(name)
    ]
    return work_page(
        visit,
        WorkPage(
            hit=hit,
            labels=labels(shared.engine, {record.source for record in hit.records}, visit.language),
            canonical=canonical_address(hit, site),
            links=_links(hit, "html", site),
            formats=formats,
            citations=[(style, _citation(hit, style)) for style in STYLES],
            query=parameters.query,
            search=work_found.search,
            neighbours=_neighbours(work_found, parameters.start, site),
            list_address=site.path("/search", **parameters.pairs(), format="html")
            if parameters.query
            else "",
            resolver=resolver_of(shared.engine.settings.server),
            has_pins=shared.engine.settings.pins is not None,
        ),
    )


def _neighbours(work_found: WorkAndSearch, start: int, site: Site) -> Neighbours | None:
    ids = work_found.listed
    names = {work_found.hit.id, *work_found.hit.also}
    at = next((at for at, name in enumerate(ids) if name in names), None)
    if at is None:
        return None

    def address(place: int) -> str:
        there = 0 <= place < len(ids)
        return work_address(site, ids[place], work_found.search) if there else ""

    return Neighbours(start + at + 1, start + len(ids), address(at - 1), address(at + 1))


def _citation(hit: Hit, style: str) -> str:
    """The citation without its number."""
    text = write_work(hit, "citations", Parameters(style=style)).decode().strip()
    return text[number.end() :] if (number := _NUMBER.match(text)) else text


def _links(hit: Hit, form: str, site: Site) -> list[metadata.MachineLink]:
    canonical = canonical_address(hit, site)
    if form != "html":
        return metadata.description_links(hit.record, canonical)
    return metadata.page_links(hit.record, canonical, [*_descriptions(hit, site)])


def _descriptions(hit: Hit, site: Site) -> Iterator[tuple[str, str]]:
    """Addresses by the id alone: a work whose page is shown is kept, and headers are short."""
    for name in DESCRIPTIONS:
        yield site.url(work_path(hit.id), format=name), OFFERED_OF_WORKS[name]


# unAPI (version 1): how Zotero reads the work of a record page, in a format that it chooses. Zotero
# asks for every id of a page before its user has chosen, and takes the first format of its own
# order that is offered. So only record pages have an id, and MARC is not offered, which Zotero
# would prefer to MODS and in which types are lost.

#: Name of the format -> where it is described.
FORMATS = {
    "mods": "http://www.loc.gov/standards/mods/",
    "ris": "https://en.wikipedia.org/wiki/RIS_(file_format)",
    "bibtex": "https://ctan.org/pkg/bibtex",
}


async def answer_unapi(request: web.Request) -> web.Response:
    """`/unapi`: the formats; with `id` those of a work (300); with `format`, too, the work.

    Works are those whose pages were shown in the last day; no source is asked.
    """
    name, form = only(request.query, "id"), only(request.query, "format")
    if not name:
        return _formats("")
    shared = request.app[SHARED]
    async with shared.admission.brief():
        hit = await shared.engine.works.find(name)
    if hit is None:
        raise Problem(
            404, "no-such-work", message("No work is known here as {name}.", name=repr(name[:100]))
        )
    if not form:
        return _formats(hit.id)
    if form not in FORMATS:
        offered = [(known, WRITABLE[known].media_type) for known in FORMATS]
        raise Problem.unacceptable(
            message("There is no format {name} here.", name=repr(form[:40])), offered
        )
    body = await shared.admission.written(lambda: write_work(hit, form), large=is_large(hit))
    return web.Response(
        body=body, content_type=WRITABLE[form].media_type, headers={"Cache-Control": "no-store"}
    )


def _formats(name: str) -> web.Response:
    """The list of formats: of every work, or with 300 of the one that is named."""
    of_work = f" id={quoteattr(clean(name))}" if name else ""
    rows = "".join(
        f"<format name={quoteattr(form)} type={quoteattr(WRITABLE[form].media_type)}"
        f" docs={quoteattr(docs)}/>\n"
        for form, docs in FORMATS.items()
    )
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<formats{of_work}>\n{rows}</formats>\n'
    return web.Response(
        status=300 if name else 200,
        body=body.encode(),
        content_type="application/xml",
        headers={"Cache-Control": "no-store"},
    )
