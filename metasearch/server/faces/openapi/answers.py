"""The shapes of the JSON answer and of its parts: what `formats.answer` writes.

The texts come from the docstrings of `Record`, `Hit`, `Answer` and their parts. The tests validate
real answers with these schemas, in which they then allow no other keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from metasearch.dedup import STRATEGIES
from metasearch.events import (
    Answer,
    Counts,
    Facet,
    Facets,
    FacetValue,
    NextPage,
    Paging,
    SourceReport,
    Status,
    Totals,
)
from metasearch.listing.facets import FACETS
from metasearch.listing.sort import SORTS
from metasearch.query import SYNTAXES
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
from metasearch.server.faces.openapi.schema import (
    Schema,
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
SCHEMAS: Mapping[str, Schema] = {
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
