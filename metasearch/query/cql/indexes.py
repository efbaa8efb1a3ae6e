"""Indexes of CQL's context sets -> our fields.

The sets are those of http://www.loc.gov/standards/sru/resources/contextSets.html: cql, dc (Dublin
Core), bath (the Bath profile), bib (bibliographic, after MODS), marc (fields of MARC 21),
rec (about the record in its database), and srw, as cql was called in 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CqlIndex:
    """What an index means here.

    Attributes:
        name: As its context set writes it, without the prefix.
        field: One of `metasearch.query.FIELDS`, "year", or "identifier", which the form of the term
            decides.
        exact: False where the field holds more, or other things, than the index.
    """

    name: str
    field: str
    exact: bool = True


def _indexes(text: str) -> dict[str, CqlIndex]:
    """ "title: main *uniform" -> both names mean the title, the one with a star not exactly."""
    indexes = {}
    for line in text.strip().splitlines():
        field, _, names = line.strip().partition(": ")
        for name in names.split():
            bare = name.lstrip("*")
            indexes[bare.lower()] = CqlIndex(bare, field, bare == name)
    return indexes


_CQL = _indexes("any: serverChoice anywhere keywords anyIndexes")

#: Context set -> index in small letters -> what it means. The set "" is that of indexes without a
#: prefix.
INDEXES: Mapping[str, Mapping[str, CqlIndex]] = {
    "cql": _CQL,
    "srw": _CQL,
    "dc": _indexes("""
        title: title *alternative
        author: creator *contributor
        subject: subject *coverage
        abstract: *description
        venue: *source *isPartOf *bibliographicCitation
        year: date issued *created *dateAccepted *available
        language: language
        type: type
        identifier: identifier
    """),
    "bath": _indexes("""
        any: any anywhere *notes
        title: title *uniformTitle *seriesTitle
        venue: *keyTitle
        author: author name personalName personalAuthor
        author: *corporateName *corporateAuthor *conferenceName *conferenceAuthor
        subject: subject topicalSubject *nameSubject *geographicName *genreForm
        isbn: isbn
        issn: issn
        identifier: standardIdentifier
    """),
    "bib": _indexes("""
        title: title titleMain *titleAbbreviated *titleUniform *titleTranslated *titleAlternative
        title: *titleSeries
        author: name namePersonal *nameCorporate *nameConference
        subject: subject subjectTopic *subjectPlace *subjectTitle *subjectName *subjectOccupation
        year: dateIssued date *dateCreated *dateValid *dateModified *dateCopyright
        type: *genre *typeOfResource
    """),
    "marc": _indexes("""
        title: 245 *130 *240 *246 *440 *490
        author: 100 700 720 *110 *111 *710 *711
        subject: 650 653 *600 *610 *611 *630 *648 *651 *655
        abstract: *520
        venue: *773 *222
        year: *260 *264
        language: 041
        isbn: 020
        issn: 022
        identifier: 024
    """),
    "": _indexes("""
        any: any anywhere serverChoice
        title: title ti
        author: author creator name au
        venue: venue journal
        abstract: abstract *description ab
        subject: subject
        year: year date
        language: language
        type: type
        doi: doi
        isbn: isbn
        issn: issn
        identifier: identifier
    """),
}

#: What several sets have and no source here can be asked for.
NOT_SEARCHED = frozenset(
    {"publisher", "format", "rights", "edition", "audience", "volume", "issue", "startpage"}
)

_SETS = re.compile(
    r"(?<![a-z0-9])(cql|srw|dcterms|dc|dublincore|bath|bib|marc|rec|metasearch)(?=$|[^a-z]|v[0-9])",
    re.IGNORECASE,
)
_ALIASES = {"dcterms": "dc", "dublincore": "dc", "dct": "dc", "metasearch": ""}


def name_in_set(context_set: str, name: str) -> str:
    """The name of an index in `INDEXES`: of "245$a", a MARC field with subfield, the field."""
    return name.partition("$")[0] if context_set == "marc" else name


def set_of(prefix: str, assigned: str | None) -> str | None:
    """The context set that a prefix stands for; None for one that is not known. `assigned`: the URI
    that the query assigns to it, or None.
    """
    if assigned is not None and (sets := _SETS.findall(assigned)):
        prefix = sets[-1].lower()  # "info:srw/cql-context-set/1/dc-v1.1"
    prefix = _ALIASES.get(prefix, prefix)
    return prefix if prefix in INDEXES or prefix == "rec" else None
