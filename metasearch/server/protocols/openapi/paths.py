"""What can be asked: searches and what belongs to them, works, the server itself, and the protocols
of other software.
"""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.engine.options import LAST_PLACE, MIN_SECONDS
from metasearch.formats import WRITABLE, needed_extras
from metasearch.server.limits import Options
from metasearch.server.metrics import MEDIA_TYPE as METRICS
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH
from metasearch.server.opensearch import SUGGESTIONS_TYPE
from metasearch.server.pages.work import OFFERED_OF_WORKS
from metasearch.server.protocols.openapi.operation import (
    BRIEF,
    FORM,
    GUARDED,
    HTML,
    JSON,
    POSTED,
    PROBLEMS,
    SEARCHED,
    UNCHANGED,
    Content,
    Example,
    Operation,
    Schema,
    listed,
    number,
    one_of,
    ref,
    text,
    whole,
)
from metasearch.server.protocols.openapi.parameters import (
    SECONDS_BELOW,
    asked_parameters,
    parameter,
    query_body,
    search_parameters,
    to_parameter,
)
from metasearch.server.protocols.searxng import PAGE
from metasearch.server.protocols.sru.parameters import DEFAULT_RECORDS, MOST_RECORDS
from metasearch.server.protocols.sru.vocabulary import DEFAULT, RESPONSES, SCHEMAS, VERSIONS
from metasearch.server.search import OFFERED

#: Headers of a finished search.
_WHOLE = ("ETag", "Cache-Control", "Link", "Server-Timing", "Content-Disposition")
_TWO = "sources=demo-crossref,demo-openalex"
_SEARCH = """\
The query goes to many databases at once; a work that several of them have is one hit.

`format`, or else `Accept`, decides how the answer is written. The forms of reference managers and
libraries are files with the same hits. `ndjson` and `sse` are streams: each line, or the data of
each event, is a `SearchEvent`, and `Last-Event-ID` continues a stream of `sse` that broke. The
answer of a stream is what its `done` event and the hits before it amount to.

A source that fails is no error: `complete` is false, and `sources` has the reason. Parameters that
are empty or unknown are ignored; `notes` names the unknown ones. `start` and `count` together reach
10,000 hits."""


def search_operations(options: Options) -> Iterator[Operation]:
    """All of them."""
    yield from _searches(options)
    yield from _around_searches(options)


def _searches(options: Options) -> Iterator[Operation]:
    parameters = search_parameters(options)
    content: Content = {
        media_type: ref("Answer") if name == "json" else {} for name, media_type in OFFERED.items()
    }
    yield Operation(
        path="/search",
        id="search",
        tag="Search",
        summary="Search all databases",
        description=_SEARCH,
        parameters=tuple(parameters),
        answer=content,
        headers=_WHOLE,
        without_content={
            204: "There is nothing to continue a stream of `sse` with.",
            **UNCHANGED,
        },
        errors=(*SEARCHED, 406),
        examples=(
            Example(
                name="search",
                summary="One hit of two databases, and the kinds of all works",
                address=f"/search?q=machine+learning&count=1&facets=type&{_TWO}",
            ),
            Example(
                name="search-ris",
                summary="The same as RIS",
                address=f"/search?q=machine+learning&count=1&format=ris&{_TWO}",
            ),
            Example(
                name="search-bibtex",
                summary="The same as BibTeX",
                address=f"/search?q=machine+learning&count=1&format=bibtex&{_TWO}",
            ),
            Example(
                name="search-csl-json",
                summary="The same as CSL-JSON",
                address=f"/search?q=machine+learning&count=1&format=csl-json&{_TWO}",
            ),
            Example(
                name="search-syntax",
                summary="A bracket is never closed",
                address="/search?q=mice+AND+(birds",
                status=400,
            ),
            Example(
                name="search-parameters",
                summary="Two parameters are wrong",
                address="/search?q=mice&count=0&sort=size",
                status=400,
            ),
            Example(
                name="search-source",
                summary="A source is misspelt",
                address="/search?q=mice&sources=demo-arxif",
                status=400,
            ),
            Example(
                name="search-format",
                summary="There is no such format",
                address="/search?q=mice&format=docx",
                status=406,
            ),
            Example(
                name="search-failed",
                summary="The only source fails",
                address="/search?q=mice&sources=demo-failing",
                status=502,
            ),
        ),
    )
    yield Operation(
        path="/search",
        id="searchByPost",
        tag="Search",
        summary="Search, with a query that is too long for an address",
        description="The same search; parameters of the address count, too.",
        method="post",
        parameters=tuple(each for each in parameters if each["name"] == "format"),
        body=query_body([each for each in parameters if each["name"] != "format"]),
        answer=content,
        headers=_WHOLE,
        without_content=UNCHANGED,
        errors=(*SEARCHED, *POSTED, 406),
        examples=(
            Example(
                name="search-post",
                summary="One hit of two databases",
                address="/search",
                form={"q": "machine learning", "count": "1", "sources": "demo-arxiv"},
            ),
        ),
    )
    yield Operation(
        path="/",
        id="start",
        tag="Pages",
        summary="The start page",
        description="With `q` it is `/search`. A client that does not take HTML gets a 400.",
        answer={HTML: {}},
        headers=("Link",),
        errors=(*BRIEF, 400, 406),
    )


def _around_searches(options: Options) -> Iterator[Operation]:
    asked = list(asked_parameters(options))
    translated = [each for each in asked if each["name"] in ("q", "syntax")]
    yield Operation(
        path="/plan",
        id="plan",
        tag="Search",
        summary="What each source would be asked",
        description="The requests that a search with these parameters would send. None is sent.",
        parameters=tuple(asked),
        answer={JSON: ref("QueryPlan")},
        errors=(*BRIEF, 400),
        examples=(
            Example(
                name="plan",
                summary="One source",
                address="/plan?q=title:marsh*+AND+carbon&year=2019-&sources=demo-pubmed",
            ),
        ),
    )
    for method in ("get", "post"):
        posts = method == "post"
        example = Example(
            name="translate-post" if posts else "translate",
            summary="A query in two syntaxes",
            address=f"/translate?to=ovid,cnki{'' if posts else '&q=title:marsh*'}",
            form={"q": "title:marsh*"} if posts else None,
        )
        yield Operation(
            path="/translate",
            id="translateByPost" if posts else "translate",
            tag="Search",
            summary="The query in the syntaxes of databases that people search by hand",
            description="No source is asked.",
            method=method,
            parameters=(to_parameter(), *(() if posts else translated)),
            body=query_body(translated) if posts else None,
            answer={JSON: ref("Translations")},
            errors=(*BRIEF, 400, *(POSTED if posts else ())),
            examples=(example,),
        )
    yield Operation(
        path="/sources",
        id="sources",
        tag="Search",
        summary="Every source, with its limits and state",
        parameters=(
            parameter("format", one_of(["json", "html"]), "JSON or a page; wins over `Accept`."),
        ),
        answer={JSON: listed(ref("Source")), HTML: {}},
        errors=(*BRIEF, 406),
        examples=(Example(name="sources", summary="The sources of the demo", address="/sources"),),
    )
    if options.suggest:
        yield Operation(
            path="/suggest",
            id="suggest",
            tag="Search",
            summary="Completions of what was typed",
            parameters=(parameter("q", text(), "What was typed."),),
            answer={SUGGESTIONS_TYPE: ref("Suggestions")},
            examples=(Example(name="suggest", summary="Two letters", address="/suggest?q=ma"),),
        )


# What can be asked about one work: its page, and its formats by unAPI.

_BY_UNAPI = ("mods", "ris", "bibtex")


def work_operations() -> Iterator[Operation]:
    """Both of them."""
    content: dict[str, Schema] = {media_type: {} for media_type in OFFERED_OF_WORKS.values()}
    content[JSON] = ref("Hit")
    yield Operation(
        path="/work/{id}",
        id="work",
        tag="Works",
        summary="One work, as a page or in the format of an export",
        description="An id is known for a day after a list has shown it; later, `q` makes the "
        "search again. An identifier is searched for: `/work/doi:10.1000/abc`.",
        parameters=(
            parameter("id", text(), "The id of a hit, or an identifier.", place="path"),
            parameter(
                "format",
                one_of(OFFERED_OF_WORKS),
                f"How it is written; wins over `Accept`. {needed_extras(OFFERED_OF_WORKS)}",
            ),
            parameter("q", text(), "The search that finds it; its other parameters count, too."),
        ),
        answer=content,
        headers=("ETag", "Cache-Control", "Link", "Content-Disposition"),
        without_content=UNCHANGED,
        errors=(*SEARCHED, 404, 406),
    )
    yield Operation(
        path="/unapi",
        id="unapi",
        tag="Works",
        summary="The formats of a work, or the work in one of them (unAPI)",
        parameters=(
            parameter("id", text(), "The id of a work that a page has shown."),
            parameter("format", one_of(_BY_UNAPI), "Without it, the formats of the work."),
        ),
        answer={
            "application/xml": {},
            **{WRITABLE[name].media_type: {} for name in _BY_UNAPI},
        },
        without_content={300: "The formats of the work that `id` names."},
        errors=(*BRIEF, 400, 404, 406),
    )


PLAIN = "text/plain"
#: A set of links in JSON (RFC 9264).
LINKSET = "application/linkset+json"


def server_operations() -> Iterator[Operation]:
    """All of them."""
    yield from _descriptions()
    yield from _health()


def _descriptions() -> Iterator[Operation]:
    yield Operation(
        path="/openapi.json",
        id="openapi",
        tag="Descriptions",
        summary="This document",
        answer={JSON: {"type": "object"}},
        headers=("ETag", "Cache-Control"),
        without_content=UNCHANGED,
        errors=(429, 414, 500, 503),
        open=True,
    )
    yield Operation(
        path="/docs",
        id="docs",
        tag="Descriptions",
        summary="This document as a page",
        answer={HTML: {}},
        headers=("ETag", "Cache-Control"),
        without_content=UNCHANGED,
        errors=(429, 414, 500, 503),
        open=True,
    )
    yield Operation(
        path="/.well-known/api-catalog",
        id="apiCatalog",
        tag="Descriptions",
        summary="All interfaces of this server",
        description="As RFC 9727 has it: a set of links to interfaces and their descriptions.",
        answer={LINKSET: ref("Linkset")},
        headers=("ETag", "Cache-Control", "Link"),
        without_content=UNCHANGED,
        errors=(429, 414, 500, 503),
        open=True,
        examples=(
            Example(
                name="api-catalog",
                summary="The interfaces of the demo",
                address="/.well-known/api-catalog",
            ),
        ),
    )
    yield Operation(
        path="/opensearch.xml",
        id="opensearch",
        tag="Descriptions",
        summary="The OpenSearch description document, for browsers and feed readers",
        answer={OPENSEARCH: {}},
        headers=("ETag", "Cache-Control"),
        without_content=UNCHANGED,
    )


def _health() -> Iterator[Operation]:
    yield Operation(
        path="/healthz",
        id="health",
        tag="Monitoring",
        summary="Whether the process runs",
        answer={PLAIN: {}},
        errors=(414, 500),
        open=True,
        examples=(Example(name="health", summary="It runs", address="/healthz"),),
    )
    yield Operation(
        path="/readyz",
        id="ready",
        tag="Monitoring",
        summary="Whether a search would find a usable source",
        answer={JSON: ref("Ready")},
        errors=(414, 500, 503),
        open=True,
        examples=(Example(name="ready", summary="The sources of the demo", address="/readyz"),),
    )
    yield Operation(
        path="/metrics",
        id="metrics",
        tag="Monitoring",
        summary="Counts for Prometheus",
        answer={METRICS.partition(";")[0]: {}},
        errors=(*(status for status in GUARDED if status != 429), 414, 500),
    )


# What can be asked in the protocols of other software: SRU, SearXNG's interface, pazpar2's protocol
# and MCP. Their answers follow specifications of their own; the document lists parameters and media
# types.

_XML = "text/xml"
_LANGUAGE = r"^(?:auto|[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,4}){0,2})$"


def protocol_operations() -> Iterator[Operation]:
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
