"""What can be asked: searches and what belongs to them, works, the server itself, and the protocols
of other software.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from metasearch.engine.options import LAST_PLACE, MIN_SECONDS
from metasearch.formats import READABLE, WRITABLE, extras_note
from metasearch.references.citations import CHOICES
from metasearch.references.reader import DOCX, TEXT
from metasearch.server.citations import MOST_HITS, MOST_ROUNDS, MOST_SEEDS, ON_PAGE
from metasearch.server.forms import WITH_FILE
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
    Operation,
    Schema,
    list_of,
    number,
    one_of,
    ref,
    text,
    thing,
    whole,
)
from metasearch.server.protocols.openapi.parameters import (
    SECONDS_BELOW,
    parameter,
    query_body,
    question_parameters,
    search_parameters,
    to_parameter,
)
from metasearch.server.protocols.searxng import PAGE
from metasearch.server.protocols.sru.parameters import DEFAULT_RECORDS, MOST_RECORDS
from metasearch.server.protocols.sru.vocabulary import DEFAULT, RESPONSES, SCHEMAS, VERSIONS
from metasearch.server.references import MOST_REFERENCES
from metasearch.server.references import OFFERED as OFFERED_OF_LISTS
from metasearch.server.search import OFFERED

#: Headers of a finished search.
_WHOLE = ("ETag", "Cache-Control", "Link", "Server-Timing", "Content-Disposition")
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
    yield from _searches(options)
    yield from _around_searches(options)
    yield from _lists(options)


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


def _by_both(
    name: str,
    asked: list[Schema],
    *,
    body: Content,
    posted: tuple[int, ...],
    parameters: tuple[Schema, ...] = (),
    errors: tuple[int, ...],
    **more: Any,
) -> Iterator[Operation]:
    """What can be asked by GET, and with a body by POST, with errors of `read_form_fields`, too.
    `asked`: parameters that a POST has in its body; `parameters`: those of the address of both.
    """
    yield Operation(id=name, parameters=(*parameters, *asked), errors=errors, **more)
    yield Operation(
        id=f"{name}ByPost",
        method="post",
        parameters=parameters,
        body=body,
        errors=(*errors, *posted),
        **more,
    )


def _around_searches(options: Options) -> Iterator[Operation]:
    asked = list(question_parameters(options))
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
    )
    yield from _by_both(
        "translate",
        translated,
        body=query_body(translated),
        parameters=(to_parameter(),),
        posted=POSTED,
        path="/translate",
        tag="Search",
        summary="The query in the syntaxes of databases that people search by hand",
        description="No source is asked.",
        answer={JSON: ref("Translations")},
        errors=(*BRIEF, 400),
    )
    yield Operation(
        path="/sources",
        id="sources",
        tag="Search",
        summary="Every source, with its limits and state",
        parameters=(
            parameter("format", one_of(["json", "html"]), "JSON or a page; wins over `Accept`."),
        ),
        answer={JSON: list_of(ref("Source")), HTML: {}},
        errors=(*BRIEF, 406),
    )
    if options.suggest:
        yield Operation(
            path="/suggest",
            id="suggest",
            tag="Search",
            summary="Completions of what was typed",
            parameters=(parameter("q", text(), "What was typed."),),
            answer={SUGGESTIONS_TYPE: ref("Suggestions")},
        )


def _lists(options: Options) -> Iterator[Operation]:
    """Lists of works and of references, which are posted as they stand."""
    (sources,) = (each for each in question_parameters(options) if each["name"] == "sources")
    body: Content = {
        "text/plain": text(description="A bibliography or an export, as the file has it."),
        "application/octet-stream": {},
    }
    upload = thing(
        {"token": text(), "list": text(), "file": text(format="binary")},
        optional=("token", "list", "file"),
        additionalProperties=False,
    )
    listed = partial(
        Operation, method="post", tag="Search", body={**body, WITH_FILE: upload},
        errors=(*BRIEF, *POSTED, 400, 403, 406),
    )  # fmt: skip
    of_list = (
        sources,
        parameter("from", one_of((*READABLE, DOCX, TEXT)), "The format; detected without it."),
        parameter("name", text(), "The name of the file, by which a format may be known."),
    )
    asked = partial(parameter, "format", description="How the answer is written.")
    about = (
        f"The list is at most {MOST_REFERENCES:,} references: any format that is read, a document "
        "of Word, plain text, or an identifier or a title a line. `ndjson` is a stream with a "
        "line for each, as soon as all is known of it. A form is answered with a page."
    )
    yield listed(
        path="/lookup",
        id="lookup",
        summary="The works of a list, each merged from all databases that know it",
        description=about,
        parameters=(*of_list, asked(schema=one_of(OFFERED_OF_LISTS))),
        answer={JSON: ref("LookupAnswer"), OFFERED_OF_LISTS["ndjson"]: {}, HTML: {}},
    )
    content: Content = {JSON: ref("CheckAnswer"), OFFERED_OF_LISTS["ndjson"]: {}, HTML: {}}
    yield listed(
        path="/check",
        id="check",
        summary="References against databases: errors, retractions, other versions",
        description=about,
        parameters=(*of_list, asked(schema=one_of(OFFERED_OF_LISTS))),
        answer=content,
    )
    yield from _citations(listed, of_list, sources)
    for name in ("lookup", "check"):
        yield Operation(
            path=f"/{name}",
            id=f"{name}Form",
            tag="Pages",
            summary="The form in which a list is pasted",
            answer={HTML: {}},
            errors=(*BRIEF, 400, 406),
        )


def _citations(
    listed: Callable[..., Operation], of_list: tuple[Schema, ...], sources: Schema
) -> Iterator[Operation]:
    """Citation searches: works are named in the address, or in a list that is posted."""
    how = (
        parameter("direction", one_of(CHOICES), "Backward: what the works cite. Default: both."),
        parameter(
            "rounds",
            whole(minimum=1, maximum=MOST_ROUNDS),
            "Above 1, the works that were found are followed, too. Default: 1.",
        ),
        parameter(
            "count",
            whole(minimum=1, maximum=MOST_HITS),
            f"Hits of the answer at most. Default: {MOST_HITS:,}, on a page {ON_PAGE}.",
        ),
        parameter("format", one_of(OFFERED_OF_LISTS), "How the answer is written."),
    )
    about = (
        f"From at most {MOST_SEEDS} works. Each is asked for by all identifiers of all its "
        "versions, in each index that knows citations; what is found is merged. `ndjson` is a "
        "stream: a line for each report as it comes, then one for each work."
    )
    content: Content = {JSON: ref("CitationAnswer"), OFFERED_OF_LISTS["ndjson"]: {}, HTML: {}}
    yield Operation(
        path="/cite",
        id="cite",
        tag="Search",
        summary="The works that some works cite, and those that cite them",
        description=f"{about} Without `id` it is a form.",
        parameters=(
            parameter(
                "id",
                list_of(text()),
                "Ids of hits, DOIs, `pmid:1`; with blanks between, or repeated.",
            ),
            sources,
            *how,
        ),
        answer=content,
        errors=(*BRIEF, 400, 403, 406),
    )
    yield listed(
        path="/cite",
        id="citeByPost",
        summary="The same for the works of a list",
        description=about,
        parameters=(*of_list, *how),
        answer=content,
    )


# What can be asked about one work: its page, and its formats by unAPI.

_BY_UNAPI = ("mods", "ris", "bibtex")


def work_operations() -> Iterator[Operation]:
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
                f"How it is written; wins over `Accept`. {extras_note(OFFERED_OF_WORKS)}",
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
    yield from _descriptions()
    yield from _health()


def _descriptions() -> Iterator[Operation]:
    description = partial(
        Operation,
        tag="Descriptions",
        headers=("ETag", "Cache-Control"),
        without_content=UNCHANGED,
        errors=(429, 414, 500, 503),
        open=True,
    )
    yield description(
        path="/openapi.json",
        id="openapi",
        summary="This document",
        answer={JSON: {"type": "object"}},
    )
    yield description(path="/docs", id="docs", summary="This document as a page", answer={HTML: {}})
    yield description(
        path="/.well-known/api-catalog",
        id="apiCatalog",
        summary="All interfaces of this server",
        description="As RFC 9727 has it: a set of links to interfaces and their descriptions.",
        answer={LINKSET: ref("Linkset")},
        headers=("ETag", "Cache-Control", "Link"),
    )
    yield description(
        path="/opensearch.xml",
        id="opensearch",
        summary="The OpenSearch description document, for browsers and feed readers",
        answer={OPENSEARCH: {}},
        errors=BRIEF,
        open=False,
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
    )
    yield Operation(
        path="/readyz",
        id="ready",
        tag="Monitoring",
        summary="Whether a search would find a usable source",
        answer={JSON: ref("Ready")},
        errors=(414, 500, 503),
        open=True,
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
    fields = {each["name"]: each["schema"] for each in _sru_parameters()}
    for path, name, further in (("/sru", "sru", ()), ("/sru/{database}", "sruOf", (database,))):
        protocol = partial(
            Operation,
            path=path,
            tag="SRU",
            description=about,
            answer={_XML: {}},
            headers=("Cache-Control",),
            error={_XML: {}, **PROBLEMS},
        )
        yield protocol(
            id=name,
            summary="Search as library software does",
            parameters=(*further, *_sru_parameters()),
            errors=BRIEF,
        )
        yield protocol(
            id=f"{name}ByPost",
            summary="The same by POST, as a form or as an envelope of SOAP",
            method="post",
            parameters=further,
            body={FORM: {"type": "object", "properties": fields}, _XML: text()},
            errors=(*BRIEF, 400, *POSTED),
        )


def _form(parameters: list[Schema]) -> Content:
    """The parameters as a form alone."""
    return {FORM: query_body(parameters)[FORM]}


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
    yield from _by_both(
        "searxngSearch",
        parameters,
        body=_form(parameters),
        posted=POSTED,
        path="/searxng/search",
        also=("/searxng", "/searxng/"),
        tag="SearXNG",
        summary="Search as clients of SearXNG do",
        description="The works of /search in the words of SearXNG's JSON, CSV or RSS.",
        answer={JSON: ref("SearxngAnswer"), "application/csv": {}, _XML: {}},
        headers=("Server-Timing", "Content-Disposition"),
        without_content={303: "The page of the search, where no format is named."},
        errors=SEARCHED,
        error={JSON: ref("SearxngError"), **error, **PROBLEMS},
    )
    yield Operation(
        path="/searxng/config",
        id="searxngConfig",
        tag="SearXNG",
        summary="The sources as engines of SearXNG",
        answer={JSON: ref("SearxngConfig")},
    )
    typed = [parameter("q", text(), "What was typed.")]
    yield from _by_both(
        "searxngAutocompleter",
        typed,
        body=_form(typed),
        posted=(400, *POSTED),
        path="/searxng/autocompleter",
        tag="SearXNG",
        summary="Completions as SearXNG returns them",
        answer={SUGGESTIONS_TYPE: list_of({"anyOf": [text(), list_of(text())]})},
        errors=BRIEF,
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
    yield from _by_both(
        "pazpar2",
        parameters,
        body=_form(parameters),
        posted=(),
        path="/pazpar2/search.pz2",
        tag="pazpar2",
        summary="A command of pazpar2's protocol",
        description="For pz2.js and MKWS. Errors have status 417 and a code in the answer.",
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
