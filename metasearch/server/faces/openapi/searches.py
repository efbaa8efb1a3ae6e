"""Searches, and what belongs to them, in the own interface of the server."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.server.api import OFFERED
from metasearch.server.faces.openapi.operation import (
    BRIEF,
    HTML,
    JSON,
    POSTED,
    SEARCHED,
    UNCHANGED,
    Content,
    Example,
    Operation,
)
from metasearch.server.faces.openapi.parameters import (
    asked_parameters,
    parameter,
    query_body,
    search_parameters,
    to_parameter,
)
from metasearch.server.faces.openapi.schema import listed, one_of, ref, text
from metasearch.server.opensearch import SUGGESTIONS_TYPE
from metasearch.server.options import Options

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


def operations(options: Options) -> Iterator[Operation]:
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
