"""The shapes of all JSON that is answered: of searches, of their events, and of what stands beside
searches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from metasearch.dedup import STRATEGIES
from metasearch.engine.dry_run import QueryPlan, SourcePlan
from metasearch.engine.facets import FACETS, SORTS
from metasearch.events import (
    Answer,
    Counts,
    Facet,
    Facets,
    FacetValue,
    Joined,
    NextPage,
    Order,
    Paging,
    SourceReport,
    Started,
    Status,
    Totals,
)
from metasearch.query import SYNTAXES
from metasearch.query.writer import TARGETS, Translation
from metasearch.record import (
    OPEN_ACCESS,
    TYPES,
    Author,
    Hit,
    Match,
    Reason,
    Record,
    Verdict,
    Version,
)
from metasearch.server.protocols.openapi.operation import (
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

# The shapes of the JSON answer and of its parts: what `formats.answer` writes. The texts come from
# the docstrings of `Record`, `Hit`, `Answer` and their parts. The tests validate real answers with
# these schemas, in which they then allow no other keys.

_AUTHOR = thing(
    explained(
        {
            "name": text(),
            "family": nullable(text()),
            "given": nullable(text()),
            "orcid": nullable(text()),
            "affiliation": nullable(text()),
            "collective": yes_or_no(),
        },
        Author,
    ),
    description="A person or a body, in the order of the title page.",
)
_HIT_SOURCE = thing(
    {
        "source": text(description="Name of the source."),
        "position": nullable(whole(description="Rank in the answer of the source, from 1.")),
        "id": nullable(text(description="What the source calls the work.")),
        "url": nullable(text(format="iri")),
    },
    description="One record that a hit was made from.",
)
_MATCH = thing(
    explained(
        {
            "matcher": text(),
            "verdict": one_of(get_args(Verdict)),
            "score": number(),
            "because": text(),
            "left": text(),
            "right": text(),
        },
        Match,
    ),
    description="Why two records are one work.",
)
_REASON = thing(
    explained({"text": text(), "points": number(), "source": nullable(text())}, Reason),
    description="One part of the score of a hit; the points of all add up to it.",
)
_VERSION = thing(
    explained({"kind": text(), "records": listed(text())}, Version),
    description="The records of a hit that describe one version of the work.",
)
#: What ranks a hit; all that the last event of a stream repeats of it.
PLACE: Mapping[str, Schema] = explained(
    {"id": text(), "rank": whole(), "score": number(), "reasons": listed(ref("Reason"))}, Hit
)
HIT_PROPERTIES: Mapping[str, Schema] = {
    **PLACE,
    **explained(
        {
            "title": nullable(text()),
            "subtitle": nullable(text()),
            "original_title": nullable(text()),
            "translated_title": nullable(text()),
            "titles": listed(text()),
            "authors": listed(ref("Author")),
            "editors": listed(ref("Author")),
            "year": nullable(whole()),
            "date": nullable(text()),
            "venue": nullable(text()),
            "publisher": nullable(text()),
            "institution": nullable(text()),
            "edition": nullable(text()),
            "volume": nullable(text()),
            "issue": nullable(text()),
            "pages": nullable(text()),
            "doi": nullable(text()),
            "ids": by_name(text()),
            "version": nullable(text()),
            "isbn": listed(text()),
            "issn": listed(text()),
            "url": nullable(text(format="iri")),
            "pdf_url": nullable(text(format="iri")),
            "type": nullable(one_of(TYPES, description="What kind of work it is.")),
            "language": nullable(text()),
            "abstract": nullable(text()),
            "keywords": listed(text()),
            "subjects": listed(text()),
            "citations": nullable(whole()),
            "open_access": nullable(one_of(OPEN_ACCESS, description="As the sources say.")),
            "licence": nullable(text()),
            "retracted": nullable(yes_or_no()),
        },
        Record,
    ),
    **explained(
        {
            "sources": listed(ref("HitSource"), description="All records that it was made from."),
            "provenance": by_name(
                text(),
                description="Field -> name of the source that gave it (ids.pmid for an "
                "identifier).",
            ),
            "matches": listed(ref("Match"), description="Why these records are one work."),
            "versions": listed(ref("Version")),
        },
        Hit,
    ),
}
_SOURCE_ERROR = thing(
    {
        "type": text(description="Name of the error; docs/errors.md lists all."),
        "message": text(),
        "advice": nullable(text(description="What can be done about it.")),
    },
    description="Why a source failed.",
)
REPORT_PROPERTIES: Mapping[str, Schema] = explained(
    {
        "source": text(),
        "status": one_of(get_args(Status)),
        "count": whole(),
        "total": nullable(whole()),
        "seconds": number(),
        "query": nullable(text()),
        "notes": listed(text()),
        "error": nullable(ref("SourceError")),
        "cached": yes_or_no(),
        "unread": whole(),
        "filtered": whole(),
        "more": yes_or_no(),
    },
    SourceReport,
)
_COUNTS = thing(
    explained({"received": whole(), "unique": whole(), "duplicates": whole()}, Counts),
    description="received = unique + duplicates, of all hits, whatever the limit cut off.",
)
_NEXT_PAGE = thing(
    explained(
        {
            "start": whole(),
            "count": nullable(whole()),
            "link": nullable(text(description="Its address on this server, without a format.")),
        },
        NextPage,
    ),
    description="Where the list goes on.",
)
_PAGING = thing(
    explained(
        {"start": whole(), "count": nullable(whole()), "next": nullable(ref("NextPage"))}, Paging
    ),
    description="Which part of the merged list this is; next is null where the list ends.",
)
_TOTALS = thing(
    explained(
        {
            "seen": whole(),
            "least": whole(),
            "most": nullable(whole()),
            "estimate": nullable(whole()),
            "reliable": yes_or_no(),
            "basis": text(),
        },
        Totals,
    ),
    description="How many works there are to be found, and how sure that is.",
)
_FACET_VALUE = thing(
    explained(
        {
            "value": text(),
            "count": whole(),
            "filter": text(description="The value of `filter` that shows only these works."),
        },
        FacetValue,
    )
)
_FACET = thing(
    explained({"values": listed(ref("FacetValue")), "more": whole(), "missing": whole()}, Facet)
)
FACETS_PROPERTIES: Mapping[str, Schema] = {
    **explained({"works": whole()}, Facets),
    "facets": {
        "type": "object",
        "properties": {name: ref("Facet") for name in FACETS},
        "description": "Name of a facet that was asked for -> its values.",
    },
}
#: What an answer has beside its hits, in the order in which it is written.
_HEAD = explained(
    {"query": text(), "complete": yes_or_no(), "counts": ref("Counts")},
    Answer,
)
_REST = explained(
    {
        "sources": listed(ref("SourceReport")),
        "seconds": number(),
        "merge_seconds": number(),
        "dedup": one_of(STRATEGIES),
        "paging": ref("Paging"),
        "totals": nullable(ref("Totals")),
        "syntax": one_of(SYNTAXES),
        "notes": listed(text()),
        "sort": one_of(SORTS),
        "filter": text(),
        "facets": nullable(ref("Facets")),
    },
    Answer,
)


def answer_properties(hits: Schema) -> dict[str, Schema]:
    """The properties of an answer with hits of this kind."""
    return {**_HEAD, **explained({"hits": listed(hits)}, Answer), **_REST}


#: Name in the document -> schema.
ANSWER_SCHEMAS: Mapping[str, Schema] = {
    "Answer": thing(answer_properties(ref("Hit")), description="The answer to a search."),
    "Hit": thing(HIT_PROPERTIES, description="One work, merged from the records of its sources."),
    "Author": _AUTHOR,
    "HitSource": _HIT_SOURCE,
    "Match": _MATCH,
    "Reason": _REASON,
    "Version": _VERSION,
    "SourceReport": thing(REPORT_PROPERTIES, description="How one source fared."),
    "SourceError": _SOURCE_ERROR,
    "Counts": _COUNTS,
    "Paging": _PAGING,
    "NextPage": _NEXT_PAGE,
    "Totals": _TOTALS,
    "Facets": thing(FACETS_PROPERTIES, description="Counts of works by their values."),
    "Facet": _FACET,
    "FacetValue": _FACET_VALUE,
}


# The shapes of the events of a stream: what `formats.events` writes. A stream has no schema as a
# whole, so each event has one, and `SearchEvent` is any of them.

#: `event` -> (name in the document, its other members, what it is).
_EVENTS: Mapping[str, tuple[str, Mapping[str, Schema], str]] = {
    "start": (
        "StartEvent",
        explained(
            {"id": text(), "query": text(), "sources": listed(text()), "deadline": number()},
            Started,
        ),
        "The search is planned.",
    ),
    "source": (
        "SourceEvent",
        REPORT_PROPERTIES,
        "The whole state of one source, each time it changes.",
    ),
    "hit": ("HitEvent", HIT_PROPERTIES, "A new hit; its rank and score are 0."),
    "update": ("UpdateEvent", HIT_PROPERTIES, "A changed hit, whole: replace it."),
    "merge": (
        "MergeEvent",
        {
            "id": text(description="The id of the hit."),
            "absorbed": listed(text(), description="Ids of hits to remove."),
            **explained({"hit": ref("Hit")}, Joined),
        },
        "Hits that were shown apart are one: remove the absorbed ones, put the hit under its id.",
    ),
    "order": (
        "OrderEvent",
        explained({"ids": listed(text())}, Order),
        "All hits in the current order of the list.",
    ),
    "facets": ("FacetsEvent", FACETS_PROPERTIES, "The counts as of now: replace them."),
    "done": (
        "DoneEvent",
        answer_properties(ref("Place")),
        "The end: the answer, with no more of its hits than their places.",
    ),
}
#: Name in the document -> schema.
EVENT_SCHEMAS: Mapping[str, Schema] = {
    "SearchEvent": {
        "oneOf": [ref(name) for name, _, _ in _EVENTS.values()],
        "discriminator": {
            "propertyName": "event",
            "mapping": {
                kind: f"#/components/schemas/{name}" for kind, (name, _, _) in _EVENTS.items()
            },
        },
        "description": "One line of `format=ndjson`, and the data of one event of `format=sse`. "
        "Kinds may be added.",
    },
    **{
        name: thing({"event": text(const=kind), **members}, description=about)
        for kind, (name, members, about) in _EVENTS.items()
    },
    "Place": thing(PLACE, description="The place of a hit in the list."),
}


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
        "budget": nullable(ref("SourceBudget")),
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
LISTING_SCHEMAS: Mapping[str, Schema] = {
    "Source": _SOURCE,
    "SourceKey": thing(
        explained({"env": text(), "required": yes_or_no(), "set": yes_or_no()}, SourceKey),
        description="A key or contact that a source takes; never its value.",
    ),
    "SourceBudget": thing(
        {
            "left": number(description="How much of it is left."),
            "of": nullable(number(description="How much there is in all.")),
            "unit": text(description="requests, credits, USD, or a word of the database."),
            "seconds_until_renewed": nullable(whole(description="Until it is whole again.")),
        },
        description="What the database allows, as its last answer said.",
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
