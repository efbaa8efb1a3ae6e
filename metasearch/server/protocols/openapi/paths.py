"""What can be asked in the protocols of other software: SRU, SearXNG's interface, pazpar2's
protocol and MCP.

Their answers follow specifications of their own; the document lists parameters and media types.
"""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.engine.options import LAST_PLACE, MIN_SECONDS
from metasearch.server.faces.openapi.operation import (
    BRIEF,
    FORM,
    JSON,
    POSTED,
    PROBLEMS,
    SEARCHED,
    Example,
    Operation,
)
from metasearch.server.faces.openapi.parameters import (
    SECONDS_BELOW,
    parameter,
    query_body,
)
from metasearch.server.faces.openapi.schema import Schema, listed, number, one_of, ref, text, whole
from metasearch.server.faces.searxng.parameters import PAGE
from metasearch.server.faces.sru.parameters import DEFAULT_RECORDS, MOST_RECORDS
from metasearch.server.faces.sru.schemas import DEFAULT, SCHEMAS
from metasearch.server.faces.sru.versions import RESPONSES, VERSIONS
from metasearch.server.opensearch import SUGGESTIONS_TYPE

_XML = "text/xml"
_LANGUAGE = r"^(?:auto|[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,4}){0,2})$"


def operations() -> Iterator[Operation]:
    """All operations of the protocols of others."""
    yield from _sru()
    yield from _searxng()
    yield from _pazpar2()
    yield from _mcp()


def _sru() -> Iterator[Operation]:
    about = (
        "SRU 1.1, 1.2 and 2.0: explain, searchRetrieve and scan. Errors are diagnostics in the "
        "answer, with status 200. [The details](https://www.loc.gov/standards/sru/)."
    )
    database = parameter("database", text(), "A source or a group of sources.", place="path")
    for path, name, further in (("/sru", "sru", ()), ("/sru/{database}", "sruOf", (database,))):
        yield Operation(
            path=path,
            id=name,
            tag="SRU",
            summary="Search as library software does",
            description=about,
            parameters=(*further, *_sru_parameters()),
            answer={_XML: {}},
            headers=("Cache-Control",),
            errors=BRIEF,
            error={_XML: {}, **PROBLEMS},
        )
        yield Operation(
            path=path,
            id=f"{name}ByPost",
            tag="SRU",
            summary="The same by POST, as a form or as an envelope of SOAP",
            description=about,
            method="post",
            parameters=further,
            body={FORM: _form(), _XML: text()},
            answer={_XML: {}},
            headers=("Cache-Control",),
            errors=(*BRIEF, 400, *POSTED),
            error={_XML: {}, **PROBLEMS},
        )


def _form() -> Schema:
    """The parameters of SRU as a form."""
    return {
        "type": "object",
        "properties": {each["name"]: each["schema"] for each in _sru_parameters()},
    }


def _sru_parameters() -> list[Schema]:
    """Those of all operations and versions."""
    schemas = one_of(SCHEMAS, default=DEFAULT)
    return [
        parameter("operation", one_of(RESPONSES), "May be left out: the others decide."),
        parameter("version", one_of(VERSIONS), "By default 1.2 with `operation`, else 2.0."),
        parameter("query", text(), "searchRetrieve: the query in CQL."),
        parameter(
            "queryType", one_of(["cql", "searchTerms"]), "2.0: `searchTerms` for plain words."
        ),
        parameter("startRecord", whole(minimum=1, maximum=LAST_PLACE), "The first record, from 1."),
        parameter(
            "maximumRecords",
            whole(minimum=0, default=DEFAULT_RECORDS),
            f"At most {MOST_RECORDS} come; 0 asks for the number of works only.",
        ),
        parameter("recordSchema", schemas, "By short name, or by identifier."),
        parameter("recordPacking", one_of(["xml", "string"]), "1.1 and 1.2: how a record stands."),
        parameter("recordXMLEscaping", one_of(["xml", "string"]), "2.0: how a record stands."),
        parameter(
            "sortKeys", text(), "The order of the list; `sortBy` in the query does the same."
        ),
        parameter("facetLimit", text(), "2.0: `5:subject,10:creator`."),
        parameter("facetStart", text(), "2.0: the first values, written as `facetLimit`."),
        parameter("facetSort", text(), "2.0: the order of the values."),
        parameter("scanClause", text(), "scan: the term to begin at, in CQL."),
        parameter("responsePosition", whole(minimum=0), "scan: the place of that term."),
        parameter("maximumTerms", whole(minimum=1), "scan: how many terms."),
        parameter("x-sources", text(), "As `sources` of /search."),
        parameter("x-filter", text(), "As `filter` of /search."),
        parameter("x-timeout", text(), "As `timeout` of /search."),
    ]


def _searxng() -> Iterator[Operation]:
    parameters = [
        parameter("q", text(), "The query; a word `!crossref` names a source."),
        parameter(
            "format",
            text(),
            "`json`, `csv` or `rss`; anything else leads to the page of the search.",
        ),
        parameter(
            "pageno", whole(minimum=1, maximum=LAST_PLACE // PAGE), f"A page has {PAGE} works."
        ),
        parameter("engines", text(), "Sources by name, with commas."),
        parameter("categories", text(), "Groups of sources, with commas."),
        parameter(
            "time_range", one_of(["day", "week", "month", "year"]), "Applied in whole years."
        ),
        parameter("language", text(pattern=_LANGUAGE), "A hint only; it filters nothing."),
        parameter("safesearch", whole(enum=[0, 1, 2]), "Has no effect."),
        parameter(
            "timeout_limit", number(minimum=MIN_SECONDS, exclusiveMaximum=SECONDS_BELOW), "Seconds."
        ),
    ]
    error: dict[str, Schema] = {media_type: {} for media_type in ("application/csv", _XML)}
    for method in ("get", "post"):
        posts = method == "post"
        yield Operation(
            path="/searxng/search",
            also=("/searxng", "/searxng/"),
            id="searxngSearchByPost" if posts else "searxngSearch",
            tag="SearXNG",
            summary="Search as clients of SearXNG do",
            description="The works of /search in the words of SearXNG's JSON, CSV or RSS.",
            method=method,
            parameters=() if posts else tuple(parameters),
            body={FORM: query_body(parameters)[FORM]} if posts else None,
            answer={JSON: ref("SearxngAnswer"), "application/csv": {}, _XML: {}},
            headers=("Server-Timing", "Content-Disposition"),
            without_content={303: "The page of the search, where no format is named."},
            errors=(*SEARCHED, *(POSTED if posts else ())),
            error={JSON: ref("SearxngError"), **error, **PROBLEMS},
            examples=()
            if posts
            else (
                Example(
                    name="searxng-search",
                    summary="The works of one source",
                    address="/searxng/search?q=graph+neural&format=json&engines=demo-arxiv",
                ),
                Example(
                    name="searxng-error",
                    summary="There is no query",
                    address="/searxng/search?format=json",
                    status=400,
                ),
            ),
        )
    yield Operation(
        path="/searxng/config",
        id="searxngConfig",
        tag="SearXNG",
        summary="The sources as engines of SearXNG",
        answer={JSON: ref("SearxngConfig")},
    )
    typed = [parameter("q", text(), "What was typed.")]
    for method in ("get", "post"):
        posts = method == "post"
        yield Operation(
            path="/searxng/autocompleter",
            id="searxngAutocompleterByPost" if posts else "searxngAutocompleter",
            tag="SearXNG",
            summary="Completions as SearXNG returns them",
            method=method,
            parameters=() if posts else tuple(typed),
            body={FORM: query_body(typed)[FORM]} if posts else None,
            answer={SUGGESTIONS_TYPE: listed({"anyOf": [text(), listed(text())]})},
            errors=(*BRIEF, 400, *POSTED) if posts else BRIEF,
            error={JSON: ref("SearxngError"), **PROBLEMS},
        )


def _pazpar2() -> Iterator[Operation]:
    parameters = [
        parameter("command", text(), "`init`, `search`, `show`, `record`, `termlist`, ..."),
        parameter("session", text(), "The session that `init` has returned."),
        parameter("query", text(), "search: the query in CCL."),
        parameter("limit", text(), "search: `author=...,date=2020`."),
        parameter("filter", text(), "search: `pz:id=...|...` chooses sources."),
        parameter("sort", text(), "search, show: the order."),
        parameter("start", text(), "show: the first hit, from 0."),
        parameter("num", text(), "show, termlist: how many."),
        parameter("block", text(), "`1` waits until there is something."),
        parameter("id", text(), "record: which hit."),
        parameter("name", text(), "termlist: names of lists, with commas."),
    ]
    for method in ("get", "post"):
        posts = method == "post"
        yield Operation(
            path="/pazpar2/search.pz2",
            id="pazpar2ByPost" if posts else "pazpar2",
            tag="pazpar2",
            summary="A command of pazpar2's protocol",
            description="For pz2.js and MKWS. Errors have status 417 and a code in the answer.",
            method=method,
            parameters=() if posts else tuple(parameters),
            body={FORM: query_body(parameters)[FORM]} if posts else None,
            answer={_XML: {}},
            errors=(*BRIEF, 417),
            error={_XML: {}, **PROBLEMS},
        )


def _mcp() -> Iterator[Operation]:
    yield Operation(
        path="/mcp",
        id="mcpStream",
        tag="MCP",
        summary="There is no stream to open: messages are sent by POST",
        errors=(*BRIEF, 403, 405, 421),
    )
    yield Operation(
        path="/mcp",
        id="mcp",
        tag="MCP",
        summary="One message of the Model Context Protocol, over streamable HTTP",
        description="Assistants list the tools and call them with messages of JSON-RPC. "
        "The server must have the extra `mcp`.",
        method="post",
        body={JSON: {"type": "object"}},
        answer={JSON: {"type": "object"}, "text/event-stream": {}},
        without_content={202: "A notification was taken."},
        errors=(*BRIEF, 400, 403, 406, 408, 413, 415, 421, 501),
        error={**PROBLEMS, JSON: {}, "application/octet-stream": {}},
    )
