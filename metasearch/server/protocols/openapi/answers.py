"""The shapes of all JSON beside searches: sources, plan, translations, health, SearXNG ..."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.engine.dry_run import QueryPlan, SourcePlan
from metasearch.query import SYNTAXES
from metasearch.query.writing import TARGETS, Translation
from metasearch.server.faces.openapi.schema import (
    Schema,
    attributes,
    by_name,
    explained,
    listed,
    nullable,
    number,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.sources import SourceKey

_SOURCE = thing(
    {
        "name": text(description="What `sources=` calls it."),
        "label": text(description="Its name for people."),
        "homepage": nullable(text(format="iri")),
        "docs": nullable(text(format="iri", description="The documentation of its interface.")),
        "terms": nullable(text(description="Its terms of use: an address or a sentence.")),
        "coverage": nullable(text(description="What it holds.")),
        "languages": listed(text(), description="ISO 639 codes; * stands for many."),
        "syntax": nullable(text(description="Its own query language, in words.")),
        "default": yes_or_no(description="Whether it is asked by a search that names no source."),
        "usable": yes_or_no(description="Whether a search would ask it now."),
        "status": one_of(
            ["ok", "paused", "open", "half-open", "key missing", "disabled", "misconfigured"]
        ),
        "seconds_until_asked": number(description="0 if it may be asked now."),
        "last_error": nullable(text(description="Kept until it answers again.")),
        "requests": whole(),
        "failures": whole(),
        "cached_pages": thing(
            {"fresh": whole(), "stale": whole(), "spared": whole()},
            description="Pages from the cache: within their time, past it, and in the place of "
            "one that it did not return.",
        ),
        "p50_ms": nullable(number(description="Milliseconds of half of the last answers.")),
        "p95_ms": nullable(number(description="Milliseconds of 95 % of the last answers.")),
        "keys": listed(ref("SourceKey"), description="Keys and contacts that it takes."),
        "limits": nullable(ref("SourceLimits")),
    },
    description="One database, with its limits and state.",
)
_PLAN = thing(
    explained(
        {
            "query": text(),
            "syntax": one_of(SYNTAXES),
            "notes": listed(text()),
            "sources": listed(ref("SourcePlan")),
        },
        QueryPlan,
    ),
    description="A query as it was understood, and what each source would be asked.",
)
_SOURCE_PLAN = thing(
    explained(
        {
            "source": text(),
            "label": text(),
            "asked": yes_or_no(),
            "query": nullable(text()),
            "method": nullable(one_of(["GET", "POST"])),
            "url": nullable(text(description="Of the first request; an address, if it has one.")),
            "body": listed(
                listed(text(), minItems=2, maxItems=2),
                description="Pairs of name and value; a body that is no form has an empty name.",
            ),
            "filtered": nullable(text()),
            "notes": listed(text()),
            "reason": nullable(text(description="Why it would not be asked.")),
            "advice": nullable(text()),
        },
        SourcePlan,
    ),
    description="What one source would be asked.",
)
_TRANSLATION = thing(
    explained(
        {"syntax": one_of(TARGETS), "text": text(), "notes": listed(text())},
        Translation,
    ),
    description="The query in one syntax; its text is empty if the syntax can express nothing.",
)
_PAPER = thing(
    {
        "id": text(description="The id of the hit, as in /search."),
        "url": text(),
        "title": text(),
        "content": text(description="The abstract, else who, where, when."),
        "engine": text(description="The source that gave the title."),
        "engines": listed(text()),
        "positions": listed(nullable(whole())),
        "score": number(),
        "category": text(const="science"),
        "template": text(const="paper.html"),
        "parsed_url": listed(text(), minItems=6, maxItems=6),
        "publishedDate": nullable(text()),
        "thumbnail": text(),
        "img_src": text(),
        "authors": listed(text()),
        "journal": text(),
        "volume": text(),
        "number": text(),
        "pages": text(),
        "publisher": text(),
        "editor": text(),
        "doi": text(),
        "issn": listed(text()),
        "isbn": listed(text()),
        "tags": listed(text()),
        "type": text(),
        "comments": text(),
        "pdf_url": text(),
        "html_url": text(),
    },
    description="One work as a result of SearXNG.",
)
_ENGINE = thing(
    {
        "name": text(),
        "categories": listed(text()),
        "shortcut": text(),
        "enabled": yes_or_no(),
        "paging": yes_or_no(),
        "language_support": yes_or_no(),
        "languages": listed(text()),
        "regions": listed(text()),
        "safesearch": yes_or_no(),
        "time_range_support": yes_or_no(),
        "timeout": nullable(number()),
    },
    description="One source as an engine of SearXNG.",
)
_SEARXNG_CONFIG = thing(
    {
        "categories": listed(text()),
        "engines": listed(ref("SearxngEngine")),
        "plugins": listed(text()),
        "instance_name": text(),
        "locales": by_name(text()),
        "default_locale": text(),
        "autocomplete": text(),
        "safe_search": whole(),
        "default_theme": text(),
        "version": text(),
        "brand": by_name(text()),
        "limiter": thing(
            {
                "enabled": yes_or_no(),
                "botdetection.ip_limit.link_token": yes_or_no(),
                "botdetection.ip_lists.pass_searxng_org": yes_or_no(),
            }
        ),
        "doi_resolvers": listed(text()),
        "default_doi_resolver": text(),
        "public_instance": yes_or_no(),
    },
    description="The server as an instance of SearXNG.",
)
#: Relations in the catalogue of interfaces.
_RELATIONS = ("item", "service-desc", "service-doc", "status", "search")
#: Name in the document -> schema.
SCHEMAS: Mapping[str, Schema] = {
    "Source": _SOURCE,
    "SourceKey": thing(
        explained({"env": text(), "required": yes_or_no(), "set": yes_or_no()}, SourceKey),
        description="A key or contact that a source takes; never its value.",
    ),
    "SourceLimits": thing(
        {
            "requests": number(description="At most so many requests"),
            "per": number(description="in so many seconds."),
            "concurrency": whole(description="Requests at once."),
            "timeout": number(description="Seconds for one answer."),
            "ttl": number(description="Seconds that its pages are kept in the cache."),
        }
    ),
    "QueryPlan": _PLAN,
    "SourcePlan": _SOURCE_PLAN,
    "Translations": thing(
        {
            "query": text(description="The query as it was understood."),
            "syntax": one_of(SYNTAXES, description="That it was read in."),
            "notes": listed(text(), description=attributes(QueryPlan).get("notes", "")),
            "translations": listed(ref("Translation")),
        }
    ),
    "Translation": _TRANSLATION,
    "Ready": thing(
        {
            "ready": yes_or_no(const=True),
            "sources": listed(text(), description="Default sources that can be asked."),
            "sharing": one_of(
                ("shared", "away"),
                description="Whether the server that replicas share can be used, if there is one.",
            ),
        },
        optional=("sharing",),
    ),
    "Suggestions": listed(
        {"anyOf": [text(), listed(text())]},
        minItems=4,
        maxItems=4,
        description="What was typed, completions, their descriptions, addresses of searches.",
    ),
    "SearxngAnswer": thing(
        {
            "query": text(),
            "number_of_results": whole(),
            "results": listed(ref("SearxngPaper")),
            "answers": listed(text(), description="Always empty."),
            "corrections": listed(text(), description="Always empty."),
            "infoboxes": listed(text(), description="Always empty."),
            "suggestions": listed(text(), description="Always empty."),
            "unresponsive_engines": listed(
                listed(text(), minItems=2, maxItems=2), description="Pairs of name and reason."
            ),
            "notes": listed(text()),
        },
        description="The answer to a search as SearXNG writes it.",
    ),
    "SearxngPaper": _PAPER,
    "SearxngError": thing({"error": text()}),
    "SearxngConfig": _SEARXNG_CONFIG,
    "SearxngEngine": _ENGINE,
    "Linkset": thing(
        {"linkset": listed(ref("LinkContext"))},
        description="A set of links, as RFC 9264 writes it.",
    ),
    "LinkContext": thing(
        {"anchor": text(format="uri"), **dict.fromkeys(_RELATIONS, listed(ref("Link")))},
        optional=_RELATIONS,
        description="An address, and what belongs to it, by relation.",
    ),
    "Link": thing(
        {"href": text(format="uri"), "type": text(), "title": text()}, optional=("type", "title")
    ),
}
