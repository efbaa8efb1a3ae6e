"""What a request of SRU asks for: version, operation, parameters and facets, checked before any
source is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lxml import etree
from multidict import MultiDict, MultiMapping

from metasearch.engine.facets import DEFAULT_VALUES, FACETS, MOST_VALUES, Sort
from metasearch.engine.options import LAST_PLACE, SearchOptions
from metasearch.errors import QuerySyntaxError
from metasearch.events import Answer, Facet, FacetValue
from metasearch.formats.text import clean
from metasearch.query import ReadQuery, read
from metasearch.query.cql import SortKeys, parse_cql_with_sort
from metasearch.server.limits import Options
from metasearch.server.parameters import read as read_search
from metasearch.server.problem import Problem
from metasearch.server.protocols.sru.vocabulary import (
    DEFAULT,
    RESPONSES,
    V1_2,
    V2_0,
    VERSIONS,
    Schema,
    SruDiagnostic,
    SruRefusal,
    SruVersion,
    add,
    facet_of,
    ignored_keys,
    of_query,
    schema_of,
    sort_of_cql,
    sort_of_keys,
)
from metasearch.server.protocols.sru.vocabulary import FACETED_RESULTS as NAMESPACE

# Facets of SRU 2.0: `facetLimit=5:subject,10:dc.creator`, `facetStart`, `facetSort`.

#: Indexes that one request may name.
_MOST_INDEXES = 50


@dataclass(frozen=True, slots=True)
class FacetPart:
    """One facet as a request names it. `start`: the first value, from 1."""

    index: str
    name: str
    limit: int
    start: int = 1


@dataclass(frozen=True, slots=True)
class FacetRequest:
    """The facets of a request.

    Attributes:
        order: "recordCount", "alphanumeric", or "" for the usual one.
        descending: Whether the order is turned round; None for what is usual in it.
        unknown: Indexes that cannot be counted.
    """

    wanted: tuple[FacetPart, ...] = ()
    order: str = ""
    descending: bool | None = None
    unknown: tuple[SruDiagnostic, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Those to count, each once."""
        return tuple(dict.fromkeys(facet.name for facet in self.wanted))

    @property
    def limit(self) -> int:
        """Values of each facet that must be known."""
        if self.order and self.wanted:
            return MOST_VALUES
        last = max((facet.start - 1 + facet.limit for facet in self.wanted), default=1)
        return max(1, min(MOST_VALUES, last))


def read_facets(limits: str, starts: str, order: str) -> FacetRequest:
    """The facets that the three parameters of a request ask for; "" where one is not given. Raises
    Refused: a parameter cannot be read.
    """
    if not limits:
        return FacetRequest()
    first, first_start = _numbers("facetStart", starts)
    default, by_index = _numbers("facetLimit", limits)
    indexes = list(by_index) or list(FACETS)
    wanted, unknown = [], []
    for index in indexes:
        name = facet_of(index)
        if name is None:
            unknown.append(SruDiagnostic(16, f"facetLimit: {index[:100]}"))
            continue
        limit = by_index.get(index, DEFAULT_VALUES if default is None else default)
        if limit:
            start = first_start.get(index, 1 if first is None else first)
            wanted.append(FacetPart(index, name, min(limit, MOST_VALUES), max(1, start)))
    word, _, direction = order.partition(",")
    known = ("", "recordCount", "alphanumeric")
    if word not in known or direction not in ("", "ascending", "descending"):
        raise SruRefusal(6, f"facetSort: {order[:100]}; recordCount or alphanumeric, ascending or "
                         "descending behind a comma")  # fmt: skip
    descending = direction == "descending" if direction else None
    return FacetRequest(tuple(wanted), word, descending, tuple(unknown))


def _numbers(parameter: str, text: str) -> tuple[int | None, dict[str, int]]:
    """ "10,5:subject" -> (10, {"subject": 5})."""
    default: int | None = None
    by_index: dict[str, int] = {}
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) > _MOST_INDEXES:
        raise SruRefusal(6, f"{parameter} names more than {_MOST_INDEXES} indexes")
    for part in parts:
        number, _, index = part.partition(":")
        if not (number.isascii() and number.isdecimal() and len(number) < 7):
            raise SruRefusal(6, f"{parameter}: {part[:100]} is not a number, or number:index")
        if index.strip():
            by_index.setdefault(index.strip(), int(number))
        else:
            default = int(number)
    return default, by_index


def write_facets(
    parent: etree._Element,
    answer: Answer,
    request: FacetRequest,
    address: Callable[[str], str],
) -> None:
    """Add `facetedResults` where facets were counted. `address`: filter -> the address of the same
    request with this filter.
    """
    if answer.facets is None or not request.wanted:
        return
    counted = {facet.name: facet for facet in answer.facets.facets}
    root = etree.SubElement(parent, f"{{{NAMESPACE}}}facetedResults", nsmap={"fr": NAMESPACE})
    for wanted in request.wanted:
        facet = add(root, NAMESPACE, "facet")
        add(facet, NAMESPACE, "facetDisplayLabel", FACETS[wanted.name].help)
        add(facet, NAMESPACE, "index", wanted.index)
        terms = add(facet, NAMESPACE, "terms")
        values = _in_order(counted[wanted.name], request)
        for value in values[wanted.start - 1 : wanted.start - 1 + wanted.limit]:
            term = add(terms, NAMESPACE, "term")
            add(term, NAMESPACE, "actualTerm", clean(value.value))
            add(term, NAMESPACE, "requestUrl", address(value.filter))
            add(term, NAMESPACE, "count", str(value.count))


def _in_order(facet: Facet, request: FacetRequest) -> list[FacetValue]:
    listed = list(facet.values)
    if request.order == "alphanumeric":
        descending = bool(request.descending)
        place = FACETS[facet.name].place
        listed.sort(key=lambda each: place(each.value), reverse=descending)
    elif request.order == "recordCount" or request.descending is not None:
        descending = request.descending is not False
        listed.sort(key=lambda each: each.count, reverse=descending)
    return listed


#: Records of an answer where a request does not say how many, and at most; a server may send
#: fewer.
DEFAULT_RECORDS, MOST_RECORDS = 10, 100
#: Parameters of every operation; of those of one operation, those that only 2.0 has.
_COMMON = frozenset({"version", "operation", "stylesheet", "extraRequestData"})
_COMMON_2_0 = frozenset({"httpAccept", "responseType", "renderedBy"})
_OWN: Mapping[str, frozenset[str]] = {
    "searchRetrieve": frozenset(
        "query startRecord maximumRecords recordPacking recordSchema recordXPath resultSetTTL "
        "sortKeys".split()
    ),
    "scan": frozenset({"scanClause", "responsePosition", "maximumTerms"}),
    "explain": frozenset({"recordPacking"}),
}
_OWN_2_0: Mapping[str, frozenset[str]] = {
    "searchRetrieve": frozenset(
        {"queryType", "recordXMLEscaping", "facetLimit", "facetStart", "facetSort"}
    ),
    "scan": frozenset(),
    "explain": frozenset({"recordXMLEscaping"}),
}
#: Our parameter of a search -> the parameter of SRU that fills it.
_EXTENSIONS = {"sources": "x-sources", "filter": "x-filter", "timeout": "x-timeout"}
_MEDIA_TYPES = ("application/sru+xml", "application/xml", "text/xml", "*/*", "text/*")
_LONGEST_ECHO = 1_000


def most_records(options: Options) -> int:
    """Records that an answer of this server has at most."""
    return min(MOST_RECORDS, options.max_records)


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """What decides how an answer is written.

    Attributes:
        version: 1.2 or 2.0 where the one that was asked for does not exist.
        operation: A key of `RESPONSES`.
        refused: Why the request cannot be answered; None if it may be.
    """

    version: SruVersion
    operation: str
    refused: SruRefusal | None = None


def head_of(given: MultiMapping[str], version: SruVersion | None = None) -> ResponseHead:
    """Version and operation; both may be left out. `version`: holds where none is given; None
    decides by `operation`, which 2.0 does not have.
    """
    named = given.get("version", "").strip()
    operation = given.get("operation", "").strip()
    if version is None:
        version = V1_2 if operation else V2_0
    version = VERSIONS.get(named, version)
    guessed = "explain"
    if given.get("query") is not None:
        guessed = "searchRetrieve"
    elif given.get("scanClause") is not None:
        guessed = "scan"
    if named and named not in VERSIONS:
        known = operation if operation in RESPONSES else guessed
        return ResponseHead(version, known, SruRefusal(5, "2.0"))
    if operation and operation not in RESPONSES:
        return ResponseHead(version, guessed, SruRefusal(4, operation))
    return ResponseHead(version, operation or guessed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A searchRetrieve request.

    Attributes:
        options: Of the search; its limit is 1 where no records are wanted.
        maximum: Records that are wanted; 0 for the number of hits alone.
        as_text: Whether a record is a string.
        notes: What of the request has no effect.
    """

    options: SearchOptions
    read: ReadQuery
    maximum: int
    schema: Schema
    as_text: bool
    facets: FacetRequest
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestReader:
    """Reads the parameters of one operation. `database`: the part of the path behind /sru/: a
    source or group; "" for all.
    """

    head: ResponseHead
    given: MultiMapping[str]
    database: str = ""

    @property
    def _parameter_names(self) -> frozenset[str]:
        operation = self.head.operation
        known = _COMMON | _OWN[operation]
        if self.head.version.newest:
            known |= _COMMON_2_0 | _OWN_2_0[operation]
        return known

    def check(self) -> None:
        """Check what all operations have in common. Raises Refused: a parameter is unknown,
        repeated, or asks for what no operation can do.
        """
        known = self._parameter_names
        for name in self.given:
            if name not in known and not name.startswith("x-"):
                raise SruRefusal(8, name)
        for name in self.given:
            if len(self.given.getall(name)) > 1:
                raise SruRefusal(6, f"{name} is given more than once")
        if self.text("stylesheet"):
            raise SruRefusal(110, "stylesheet")
        if self.text("recordXPath"):
            raise SruRefusal(72, "recordXPath")
        accepted = [part.partition(";")[0].strip() for part in self.text("httpAccept").split(",")]
        if any(accepted) and not any(media in _MEDIA_TYPES for media in accepted):
            raise SruRefusal(
                6, f"httpAccept: {', '.join(accepted)}; the answer is {_MEDIA_TYPES[0]}"
            )
        if self.text("renderedBy") not in ("", "client"):
            raise SruRefusal(6, "renderedBy: only client")

    def text(self, name: str) -> str:
        """A parameter without blanks around it; "" where it is not given."""
        return self.given.get(name, "").strip()

    def number(self, name: str, default: int) -> int:
        """A whole number of 0 or more. Raises Refused: it is none."""
        text = self.text(name)
        if not text:
            return default
        if not (text.isascii() and text.isdecimal() and len(text) < 10):
            raise SruRefusal(6, f"{name}: {text[:40]} is not a whole number of 0 or more")
        return int(text)

    def as_text(self) -> bool:
        """Whether records are strings. Raises Refused: there is no such packing."""
        packing = self.text(self.head.version.escaping)
        if packing not in ("", "xml", "string"):
            raise SruRefusal(71, packing)
        if self.head.version.newest:
            other = self.text("recordPacking")
            # 2.0 means something else by the name; clients of earlier versions still send theirs.
            if other not in ("", "packed", "unpacked", "xml", "string"):
                raise SruRefusal(71, other)
            packing = packing or other
        return packing == "string"

    def search(self, options: Options, least: int) -> SearchRequest:
        """The search. `least`: records that each source is asked for at least; a larger page asks
        for as many as it has. Raises Refused: a parameter or the query cannot be used.
        """
        if not self.text("query"):
            raise SruRefusal(7, "query")
        as_text = self.as_text()
        schema = schema_of(self.text("recordSchema") or DEFAULT)
        if schema is None:
            raise SruRefusal(66, self.text("recordSchema"))
        start = self.number("startRecord", 1)
        if not 1 <= start <= LAST_PLACE:
            raise SruRefusal(61, f"startRecord is from 1 to {LAST_PLACE}")
        maximum = min(most_records(options), self.number("maximumRecords", DEFAULT_RECORDS))
        facets = read_facets(
            *(self.text(name) for name in ("facetLimit", "facetStart", "facetSort"))
        )
        query, sort, notes = self._query(options)
        further = self._extensions(options)
        sources = further.sources
        if self.database and sources is None:
            sources = (self.database,)
        return SearchRequest(
            options=SearchOptions(
                query=query.query,
                start=start - 1,
                limit=max(1, min(maximum, LAST_PLACE - start + 1)),
                per_source=max(least, maximum),
                sources=sources,
                filter=further.filter,
                timeout=further.timeout,
                sort=sort,
                facets=facets.names or None,
                facet_limit=facets.limit,
                repeat=True,
            ),
            read=query,
            maximum=maximum,
            schema=schema,
            as_text=as_text,
            facets=facets,
            notes=tuple(notes),
        )

    def _query(self, options: Options) -> tuple[ReadQuery, Sort, list[str]]:
        """The query, the order of the list, and notes about the order."""
        text = self.text("query")
        if len(text) > options.max_query:
            raise SruRefusal(12, f"at most {options.max_query} characters")
        kind = self.text("queryType") or "cql"
        keys: SortKeys = ()
        try:
            if kind == "searchTerms":
                query = read(text, "simple")
            elif kind == "cql":
                query, keys = parse_cql_with_sort(text)
            else:
                raise SruRefusal(11, f"{kind}; cql or searchTerms")
        except QuerySyntaxError as error:
            raise of_query(error) from error
        sort, rest = sort_of_cql(keys) if keys else sort_of_keys(self.text("sortKeys"))
        return query, sort, ignored_keys(rest)

    def _extensions(self, options: Options) -> SearchOptions:
        """The options that SRU has no parameters for."""
        ours = MultiDict(
            {name: self.text(theirs) for name, theirs in _EXTENSIONS.items() if self.text(theirs)}
        )
        try:
            return read_search(ours, options)
        except Problem as problem:
            error = problem.members["errors"][0]
            name = _EXTENSIONS.get(error["parameter"], error["parameter"])
            raise SruRefusal(6, f"{name}: {error['reason']}") from problem

    def echo_pairs(self) -> list[tuple[str, str]]:
        """The parameters for the echo, in the order of the request, cut where they are long."""
        shown = self._parameter_names - {"operation", "version"}
        return [
            (name, value[:_LONGEST_ECHO])
            for name, value in self.given.items()
            if name in shown and value
        ]
