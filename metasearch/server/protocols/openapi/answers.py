"""The shapes of all JSON that is answered: of searches, of their events, and of what stands beside
searches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from metasearch.dedup import STRATEGIES
from metasearch.engine.citation_result import CitationCounts
from metasearch.engine.dry_run import QueryPlan, SourcePlan
from metasearch.engine.facets import FACETS, SORTS
from metasearch.engine.relations import RelationReport
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
    Totals,
)
from metasearch.query import SYNTAXES
from metasearch.query.syntaxes import TARGETS
from metasearch.query.writer import Translation
from metasearch.record import FIELDS, WRITTEN, Author, Hit, Match, Reason, Record, Version
from metasearch.references.check import VERDICTS
from metasearch.references.citations import WAYS, Related
from metasearch.references.compare import Difference
from metasearch.server.protocols.openapi.operation import (
    Schema,
    attributes,
    by_name,
    explain,
    list_of,
    members,
    nullable,
    number,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.protocols.searxng import SearxngEngine, SearxngPaper
from metasearch.server.sources import SourceBudget, SourceKey, SourceLimits, SourceObject

# The shapes of the JSON answer and of its parts: what `formats.answer` writes. The texts come from
# the docstrings of `Record`, `Hit`, `Answer` and their parts. The tests validate real answers with
# these schemas, in which they then allow no other keys.

_AUTHOR = thing(members(Author), description="A person or a body, in the order of the title page.")
_HIT_SOURCE = thing(
    {
        "source": text(description="Name of the source."),
        "position": nullable(whole(description="Rank in the answer of the source, from 1.")),
        "id": nullable(text(description="What the source calls the work.")),
        "url": nullable(text(format="iri")),
    },
    description="One record that a hit was made from.",
)
_MATCH = thing(members(Match), description="Why two records are one work.")
_REASON = thing(
    members(Reason),
    description="One part of the score of a hit; the points of all add up to it.",
)
_VERSION = thing(
    members(Version),
    description="The records of a hit that describe one version of the work.",
)
#: What ranks a hit; all that the last event of a stream repeats of it.
PLACE: Mapping[str, Schema] = explain(
    {"id": text(), "rank": whole(), "score": number(), "reasons": list_of(ref("Reason"))}, Hit
)
#: What a field of a record is, by its kind; those of closed lists say what the list is about.
_OF_KIND: Mapping[str, Schema] = {
    "text": nullable(text()),
    "link": nullable(text(format="iri")),
    "number": nullable(whole()),
    "flag": nullable(yes_or_no()),
    "texts": list_of(text()),
    "people": list_of(ref("Author")),
    "ids": by_name(text()),
}
_OF_WORDS = {"type": "What kind of work it is.", "open_access": "As the sources say."}
HIT_PROPERTIES: Mapping[str, Schema] = {
    **PLACE,
    **explain(
        {
            name: nullable(one_of(field.words, description=_OF_WORDS[name]))
            if (field := FIELDS[name]).words
            else _OF_KIND[field.kind]
            for name in WRITTEN
        },
        Record,
    ),
    **explain(
        {
            "sources": list_of(ref("HitSource"), description="All records that it was made from."),
            "provenance": by_name(
                text(),
                description="Field -> name of the source that gave it (ids.pmid for an "
                "identifier).",
            ),
            "matches": list_of(ref("Match"), description="Why these records are one work."),
            "versions": list_of(ref("Version")),
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
REPORT_PROPERTIES: Mapping[str, Schema] = members(
    SourceReport,
    "source status count total seconds query notes error cached unread filtered more",
    query=nullable(text()),
)
_COUNTS = thing(
    members(Counts),
    description="received = unique + duplicates, of all hits, whatever the limit cut off.",
)
_NEXT_PAGE = thing(
    members(
        NextPage,
        link=Annotated[str | None, "Its address on this server, without a format."],
    ),
    description="Where the list goes on.",
)
_PAGING = thing(
    members(Paging),
    description="Which part of the merged list this is; next is null where the list ends.",
)
_TOTALS = thing(
    members(Totals),
    description="How many works there are to be found, and how sure that is.",
)
_FACET_VALUE = thing(
    members(
        FacetValue,
        filter=Annotated[str, "The value of `filter` that shows only these works."],
    )
)
_FACET = thing(members(Facet, "values more missing"))
FACETS_PROPERTIES: Mapping[str, Schema] = {
    **members(Facets, "works"),
    "facets": {
        "type": "object",
        "properties": {name: ref("Facet") for name in FACETS},
        "description": "Name of a facet that was asked for -> its values.",
    },
}
#: What an answer has beside its hits, in the order in which it is written.
_HEAD = members(Answer, "query complete counts")
_REST = members(
    Answer,
    "sources seconds merge_seconds dedup paging totals syntax notes sort filter facets",
    dedup=one_of(STRATEGIES),
    syntax=one_of(SYNTAXES),
    sort=one_of(SORTS),
)


def answer_properties(hits: Schema) -> dict[str, Schema]:
    """The properties of an answer with hits of this kind."""
    return {**_HEAD, **explain({"hits": list_of(hits)}, Answer), **_REST}


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


# The shapes of lists that were looked up or checked, and of their citations: what
# `references.report` and `references.citations` write.

_PROBLEM = thing({"line": nullable(whole()), "message": text()})
_PROBLEMS = list_of(_PROBLEM, description="Parts of the list that were not understood.")
_REQUESTS = whole(description="Requests that were made.")
_OUTCOMES = list_of(ref("SourceOutcome"), description="How each database answered.")
_WAY = one_of(
    WAYS.values(),
    description="`backward`: a work that the seed cites; `forward`: one that cites it.",
)
_RELATIONS_OF_WORK = list_of(
    thing(
        {
            "seed": text(description="Key of a seed, or id of a hit that a later round followed."),
            "direction": _WAY,
            "sources": list_of(text(), description="The indexes that have the citation."),
        }
    ),
    description="The citations that lead to it.",
)
#: Name in the document -> schema.
LIST_SCHEMAS: Mapping[str, Schema] = {
    "LookupAnswer": thing(
        {
            **answer_properties(ref("Hit")),
            "works": by_name(text(), description="Key of a work -> the id of its hit."),
            "missing": list_of(ref("MissingWork"), description="Works that no database gave."),
            "requests": _REQUESTS,
            "problems": _PROBLEMS,
        },
        description="A list of works that was looked up.",
    ),
    "MissingWork": thing(
        {
            "key": text(),
            "title": text(),
            "doi": nullable(text()),
            "ids": by_name(text()),
            "isbn": list_of(text()),
            "status": one_of(
                ("not-found", "unchecked"),
                description="`unchecked` where a database failed that may know the work.",
            ),
            "asked": _OUTCOMES,
        },
    ),
    "CheckAnswer": thing(
        {
            "references": list_of(ref("CheckedReference"), description="In the order of the list."),
            "counts": by_name(
                whole(), description="References in all, serious ones, and those of each verdict."
            ),
            "requests": _REQUESTS,
            "problems": _PROBLEMS,
        },
        description="A list of references that was checked.",
    ),
    "CheckedReference": thing(
        {
            "key": text(description="Of the entry, or its number."),
            "verdict": one_of(
                VERDICTS,
                description="`unchecked` where a database failed that may "
                "know it; `not-found` does not mean that it was invented.",
            ),
            "serious": yes_or_no(description="Whether a reader would be led astray."),
            "title": text(),
            "text": text(description="As it was written, in a list in plain text."),
            "reason": text(description="Why it was not checked or found; empty otherwise."),
            "differences": list_of(ref("Difference"), description="Field by field."),
            "hit": nullable(ref("Hit")),
            "asked": _OUTCOMES,
        },
        description="What databases say about a reference.",
    ),
    "Difference": thing(
        members(Difference, why=text()),
        description="A field that is not as the records of the work have it.",
    ),
    "CitationAnswer": thing(
        {
            "complete": yes_or_no(description="Whether each index gave all that it was asked for."),
            "seeds": list_of(ref("Seed"), description="What the search began with."),
            "hits": list_of(
                ref("CitedHit"),
                description="The best first: those that most seeds and indexes lead to.",
            ),
            "related": list_of(
                ref("RelatedHit"), description="The closest first; empty in a round."
            ),
            "unknown": list_of(
                ref("NamedWork"), description="Named by an identifier that no source knows."
            ),
            "texts": list_of(ref("NamedWork"), description="References without an identifier."),
            "reports": list_of(
                ref("RelationReport"), description="One for each index, direction and round."
            ),
            "lookup_errors": list_of(
                thing({"source": text(), "error": text()}),
                description="Sources that gave no answer to look-ups; they may know what is "
                "unknown.",
            ),
            "counts": ref("CitationCounts"),
            "problems": list_of(
                _PROBLEM, description="Parts of the list, and parameters, that were not understood."
            ),
        },
        description="The works that some works cite, and those that cite them.",
    ),
    "Seed": thing(
        {
            "key": text(description="As it was given, or its key or number in a list."),
            "title": text(),
            "doi": nullable(text()),
            "ids": by_name(text()),
            "hit": nullable(ref("Hit")),
        },
        description="A work that a citation search began with; without a hit no source knows it.",
    ),
    "CitedHit": thing(
        {
            **HIT_PROPERTIES,
            "relations": _RELATIONS_OF_WORK,
            "round": whole(description="In which it was found first."),
        },
        description="A work that a seed cites, or that cites one.",
    ),
    "RelatedHit": thing(
        {
            "id": text(description="Of the hit."),
            **members(Related, "cited_together shared_references"),
        }
    ),
    "NamedWork": thing(
        {
            "name": text(description="As `doi:10.1000/abc`, or a text."),
            "relations": _RELATIONS_OF_WORK,
        }
    ),
    "RelationReport": thing(
        explain(
            {
                "source": text(),
                "direction": _WAY,
                "round": whole(),
                "seeds": whole(),
                "citations": whole(description="Citations that it named."),
                "requests": whole(),
                "failed": list_of(text()),
                "cut": list_of(text()),
                "unplaced": whole(),
                "error": nullable(text()),
            },
            RelationReport,
        ),
        description="How an index answered for one direction in one round.",
    ),
    "CitationCounts": thing(
        members(CitationCounts),
        description="Of all, also where lists are cut. seeds = found + missing; works = backward + "
        "forward + both; citations = of_works + of_unknown + of_texts + among_seeds + duplicates.",
    ),
    "SourceOutcome": thing(
        {
            "source": text(),
            "status": one_of(("found", "empty", "failed")),
            "by": list_of(text(), description="What it was asked by: identifiers, `title`."),
            "error": nullable(text()),
        },
        description="How a database answered for one work.",
    ),
}


# The shapes of the events of a stream: what `formats.events` writes. A stream has no schema as a
# whole, so each event has one, and `SearchEvent` is any of them.

#: `event` -> (name in the document, its other members, what it is).
_EVENTS: Mapping[str, tuple[str, Mapping[str, Schema], str]] = {
    "start": (
        "StartEvent",
        members(Started),
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
            "absorbed": list_of(text(), description="Ids of hits to remove."),
            **explain({"hit": ref("Hit")}, Joined),
        },
        "Hits that were shown apart are one: remove the absorbed ones, put the hit under its id.",
    ),
    "order": (
        "OrderEvent",
        members(Order),
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
    members(
        SourceObject,
        cached_pages=thing(
            {"fresh": whole(), "stale": whole(), "spared": whole()},
            description="Pages from the cache: within their time, past it, and in the place of "
            "one that it did not return.",
        ),
    ),
    description="One database, with its limits and state.",
)
_PLAN = thing(
    members(QueryPlan, syntax=one_of(SYNTAXES)),
    description="A query as it was understood, and what each source would be asked.",
)
_SOURCE_PLAN = thing(
    members(
        SourcePlan,
        query=nullable(text()),
        method=nullable(one_of(["GET", "POST"])),
        url=Annotated[str | None, "Of the first request; an address, if it has one."],
        body=list_of(
            list_of(text(), minItems=2, maxItems=2),
            description="Pairs of name and value; a body that is no form has an empty name.",
        ),
        filtered=nullable(text()),
        reason=Annotated[str | None, "Why it would not be asked."],
        advice=nullable(text()),
    ),
    description="What one source would be asked.",
)
_TRANSLATION = thing(
    members(Translation, "syntax text notes", syntax=one_of(TARGETS)),
    description="The query in one syntax; its text is empty if the syntax can express nothing.",
)
_SEARXNG_CONFIG = thing(
    {
        "categories": list_of(text()),
        "engines": list_of(ref("SearxngEngine")),
        "plugins": list_of(text()),
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
        "doi_resolvers": list_of(text()),
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
        members(SourceKey),
        description="A key or contact that a source takes; never its value.",
    ),
    "SourceBudget": thing(
        members(SourceBudget), description="What the database allows, as its last answer said."
    ),
    "SourceLimits": thing(members(SourceLimits)),
    "QueryPlan": _PLAN,
    "SourcePlan": _SOURCE_PLAN,
    "Translations": thing(
        {
            "query": text(description="The query as it was understood."),
            "syntax": one_of(SYNTAXES, description="That it was read in."),
            "notes": list_of(text(), description=attributes(QueryPlan).get("notes", "")),
            "translations": list_of(ref("Translation")),
        }
    ),
    "Translation": _TRANSLATION,
    "Ready": thing(
        {
            "ready": yes_or_no(const=True),
            "sources": list_of(text(), description="Default sources that can be asked."),
            "sharing": one_of(
                ("shared", "away"),
                description="Whether the server that replicas share can be used, if there is one.",
            ),
        },
        optional=("sharing",),
    ),
    "Suggestions": list_of(
        {"anyOf": [text(), list_of(text())]},
        minItems=4,
        maxItems=4,
        description="What was typed, completions, their descriptions, addresses of searches.",
    ),
    "SearxngAnswer": thing(
        {
            "query": text(),
            "number_of_results": whole(),
            "results": list_of(ref("SearxngPaper")),
            "answers": list_of(text(), description="Always empty."),
            "corrections": list_of(text(), description="Always empty."),
            "infoboxes": list_of(text(), description="Always empty."),
            "suggestions": list_of(text(), description="Always empty."),
            "unresponsive_engines": list_of(
                list_of(text(), minItems=2, maxItems=2), description="Pairs of name and reason."
            ),
            "notes": list_of(text()),
        },
        description="The answer to a search as SearXNG writes it.",
    ),
    "SearxngPaper": thing(
        members(SearxngPaper, parsed_url=list_of(text(), minItems=6, maxItems=6)),
        description="One work as a result of SearXNG.",
    ),
    "SearxngError": thing({"error": text()}),
    "SearxngConfig": _SEARXNG_CONFIG,
    "SearxngEngine": thing(
        members(SearxngEngine), description="One source as an engine of SearXNG."
    ),
    "Linkset": thing(
        {"linkset": list_of(ref("LinkContext"))},
        description="A set of links, as RFC 9264 writes it.",
    ),
    "LinkContext": thing(
        {"anchor": text(format="uri"), **dict.fromkeys(_RELATIONS, list_of(ref("Link")))},
        optional=_RELATIONS,
        description="An address, and what belongs to it, by relation.",
    ),
    "Link": thing(
        {"href": text(format="uri"), "type": text(), "title": text()}, optional=("type", "title")
    ),
}
