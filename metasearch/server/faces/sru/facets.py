"""Facets of SRU 2.0: `facetLimit=5:subject,10:dc.creator`, `facetStart`, `facetSort`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from metasearch.events import Answer, Facet, FacetValue
from metasearch.formats.text import clean
from metasearch.listing.facets import DEFAULT_VALUES, FACETS, MOST_VALUES
from metasearch.server.faces.sru.diagnostics import Diagnostic, Refused
from metasearch.server.faces.sru.indexes import facet_of
from metasearch.server.faces.sru.versions import FACETS as NAMESPACE
from metasearch.server.faces.sru.xml import add

#: Indexes that one request may name.
_MOST_INDEXES = 50


@dataclass(frozen=True, slots=True)
class WantedFacet:
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

    wanted: tuple[WantedFacet, ...] = ()
    order: str = ""
    descending: bool | None = None
    unknown: tuple[Diagnostic, ...] = ()

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
            unknown.append(Diagnostic(16, f"facetLimit: {index[:100]}"))
            continue
        limit = by_index.get(index, DEFAULT_VALUES if default is None else default)
        if limit:
            start = first_start.get(index, 1 if first is None else first)
            wanted.append(WantedFacet(index, name, min(limit, MOST_VALUES), max(1, start)))
    word, _, direction = order.partition(",")
    known = ("", "recordCount", "alphanumeric")
    if word not in known or direction not in ("", "ascending", "descending"):
        raise Refused(6, f"facetSort: {order[:100]}; recordCount or alphanumeric, ascending or "
                         "descending behind a comma")  # fmt: skip
    descending = direction == "descending" if direction else None
    return FacetRequest(tuple(wanted), word, descending, tuple(unknown))


def _numbers(parameter: str, text: str) -> tuple[int | None, dict[str, int]]:
    """ "10,5:subject" -> (10, {"subject": 5})."""
    default: int | None = None
    by_index: dict[str, int] = {}
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) > _MOST_INDEXES:
        raise Refused(6, f"{parameter} names more than {_MOST_INDEXES} indexes")
    for part in parts:
        number, _, index = part.partition(":")
        if not (number.isascii() and number.isdecimal() and len(number) < 7):
            raise Refused(6, f"{parameter}: {part[:100]} is not a number, or number:index")
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
        values = _ordered(counted[wanted.name], request)
        for value in values[wanted.start - 1 : wanted.start - 1 + wanted.limit]:
            term = add(terms, NAMESPACE, "term")
            add(term, NAMESPACE, "actualTerm", clean(value.value))
            add(term, NAMESPACE, "requestUrl", address(value.filter))
            add(term, NAMESPACE, "count", str(value.count))


def _ordered(facet: Facet, request: FacetRequest) -> list[FacetValue]:
    listed = list(facet.values)
    if request.order == "alphanumeric":
        descending = bool(request.descending)
        place = FACETS[facet.name].place
        listed.sort(key=lambda each: place(each.value), reverse=descending)
    elif request.order == "recordCount" or request.descending is not None:
        descending = request.descending is not False
        listed.sort(key=lambda each: each.count, reverse=descending)
    return listed
