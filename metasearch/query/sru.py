"""The vocabulary of SRU: the indexes of CQL's context sets, and the diagnostics by number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from metasearch.errors import QueryFault

# Indexes of CQL's context sets -> our fields.
#
# The sets are those of http://www.loc.gov/standards/sru/resources/contextSets.html: cql, dc (Dublin
# Core), bath (the Bath profile), bib (bibliographic, after MODS), marc (fields of MARC 21),
# rec (about the record in its database), and srw, as cql was called in 1.0.


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


# The diagnostics of SRU by number: our adapters read them, and our own SRU server writes them.
#
# https://www.loc.gov/standards/sru/diagnostics/diagnosticsList.html

#: What each number of the list means; 235 is the one that Z39.50 has for databases.
MEANINGS: Mapping[int, str] = {
    1: "General system error", 2: "System temporarily unavailable", 3: "Authentication error",
    4: "Unsupported operation", 5: "Unsupported version", 6: "Unsupported parameter value",
    7: "Mandatory parameter not supplied", 8: "Unsupported parameter",
    9: "Unsupported combination of parameters",
    10: "Query syntax error", 11: "Unsupported query type", 12: "Too many characters in query",
    13: "Invalid or unsupported use of parentheses",
    14: "Invalid or unsupported use of quotes", 15: "Unsupported context set",
    16: "Unsupported index", 17: "Unsupported combination of index and context set",
    18: "Unsupported combination of indexes", 19: "Unsupported relation",
    20: "Unsupported relation modifier",
    21: "Unsupported combination of relation modifers",
    22: "Unsupported combination of relation and index",
    23: "Too many characters in term", 24: "Unsupported combination of relation and term",
    25: "Special characters not quoted in term",
    26: "Non special character escaped in term", 27: "Empty term unsupported",
    28: "Masking character not supported", 29: "Masked words too short",
    30: "Too many masking characters in term",
    31: "Anchoring character not supported", 32: "Anchoring character in unsupported position",
    33: "Combination of proximity/adjacency and masking characters not supported",
    34: "Combination of proximity/adjacency and anchoring characters not supported",
    35: "Term contains only stopwords", 36: "Term in invalid format for index or relation",
    37: "Unsupported boolean operator", 38: "Too many boolean operators in query",
    39: "Proximity not supported", 40: "Unsupported proximity relation",
    41: "Unsupported proximity distance", 42: "Unsupported proximity unit",
    43: "Unsupported proximity ordering",
    44: "Unsupported combination of proximity modifiers",
    45: "Prefix assigned to multiple identifiers", 46: "Unsupported boolean modifier",
    47: "Cannot process query; reason unknown",
    48: "Query feature unsupported",
    49: "Masking character in unsupported position", 50: "Result sets not supported",
    51: "Result set does not exist", 52: "Result set temporarily unavailable",
    53: "Result sets only supported for retrieval",
    54: "Retrieval may only occur from an existing result set",
    55: "Combination of result sets with search terms not supported",
    56: "Only combination of single result set with search terms supported",
    57: "Result set created but no records available",
    58: "Result set created with unpredictable partial results available",
    59: "Result set created with valid partial results available",
    60: "Result set not created: too many matching records",
    61: "First record position out of range", 62: "Negative number of records requested",
    63: "System error in retrieving records", 64: "Record temporarily unavailable",
    65: "Record does not exist",
    66: "Unknown schema for retrieval", 67: "Record not available in this schema",
    68: "Not authorized to send record",
    69: "Not authorized to send record in this schema", 70: "Record too large to send",
    71: "Unsupported record packing", 72: "XPath retrieval unsupported",
    73: "XPath expression contains unsupported feature",
    74: "Unable to evaluate XPath expression",
    80: "Sort not supported", 81: "Unsupported sort type", 82: "Unsupported sort sequence",
    83: "Too many records to sort", 84: "Too many sort keys to sort", 85: "Duplicate sort keys",
    86: "Cannot sort: incompatible record formats", 87: "Unsupported schema for sort",
    88: "Unsupported path for sort", 89: "Path unsupported for schema",
    90: "Unsupported direction value", 91: "Unsupported case value",
    92: "Unsupported missing value action", 93: "Sort ended due to missing value",
    100: "Explain not supported", 101: "Explain request type not supported",
    102: "Explain record temporarily unavailable",
    110: "Stylesheets not supported", 111: "Unsupported stylesheet",
    120: "Response position out of range", 121: "Too many terms requested",
    235: "Database does not exist",
}  # fmt: skip

#: What is wrong with a query -> the number of its diagnostic.
OF_QUERY: Mapping[QueryFault, int] = {
    "syntax": 10,
    "length": 12,
    "terms": 38,
    "parentheses": 13,
    "quotes": 14,
    "context-set": 15,
    "index": 16,
    "result-set": 50,
    "relation": 19,
    "relation-modifier": 20,
    "relation-and-index": 22,
    "term": 36,
    "empty-term": 27,
    "masking": 28,
    "masking-position": 49,
    "anchoring": 32,
    "feature": 48,
}
