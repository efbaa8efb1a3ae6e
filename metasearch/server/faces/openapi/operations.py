"""What can be asked of the server in its own interface, in the order of the document."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.server.faces.openapi.operation import (
    BRIEF,
    GUARDED,
    POSTED,
    SEARCHED,
    Content,
    Example,
    Operation,
)
from metasearch.server.faces.openapi.parameters import (
    asked_parameters,
    body_schema,
    offered,
    parameter,
    search_parameters,
    to_parameter,
)
from metasearch.server.faces.openapi.schema import Schema, listed, one_of, ref, text
from metasearch.server.metrics import MEDIA_TYPE as METRICS
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH
from metasearch.server.opensearch import SUGGESTIONS_TYPE
from metasearch.server.options import Options

JSON, HTML, PLAIN = "application/json", "text/html", "text/plain"
#: Other names of what the document and the catalogue are.
LINKSET = "application/linkset+json"
FORM = "application/x-www-form-urlencoded"
#: Headers of a finished search.
_WHOLE = ("ETag", "Cache-Control", "Link", "Server-Timing", "Content-Disposition")
_TWO = "sources=demo-crossref,demo-openalex"
_UNCHANGED = {304: "The answer is the one that `If-None-Match` names."}
_SEARCH = """\
The query goes to many databases at once; a work that several of them have is one hit.

`format`, or else `Accept`, decides how the answer is written. The forms of reference managers and
libraries are files with the same hits. `ndjson` and `sse` are streams: each line, or the data of
each event, is a `SearchEvent`, and `Last-Event-ID` continues a stream of `sse` that broke. The
answer of a stream is what its `done` event and the hits before it amount to.

A source that fails is no error: `complete` is false, and `sources` has the reason. Parameters that
are empty or unknown are ignored; `notes` names the unknown ones. `start` and `count` together reach
10,000 hits."""


def operations(options: Options) -> Iterator[Operation]:
    """All operations of the own interface.

    Args:
        options: The limits of the server.
    """
    yield from _searches(options)
    yield from _around_searches(options)
    yield from _descriptions(options)
    yield from _health()


def query_body(parameters: list[Schema]) -> Content:
    """The body of a POST: the same parameters as a form or as a JSON object."""
    schema = body_schema(parameters)
    return {JSON: schema, FORM: schema}


def _searches(options: Options) -> Iterator[Operation]:
    parameters = search_parameters(options)
    content: Content = {
        media_type: ref("Answer") if name == "json" else {}
        for name, media_type in offered().items()
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
            **_UNCHANGED,
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
        without_content=_UNCHANGED,
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


def _descriptions(options: Options) -> Iterator[Operation]:
    yield Operation(
        path="/openapi.json",
        id="openapi",
        tag="Descriptions",
        summary="This document",
        answer={JSON: {"type": "object"}},
        headers=("ETag", "Cache-Control"),
        without_content=_UNCHANGED,
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
        without_content=_UNCHANGED,
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
        without_content=_UNCHANGED,
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
        without_content=_UNCHANGED,
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
