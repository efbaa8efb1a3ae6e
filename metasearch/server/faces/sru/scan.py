"""scan: terms of an index that are known without asking a source: kinds of work, languages, and
completions of what this user has searched for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from metasearch.bib.languages import languages
from metasearch.errors import QuerySyntaxError
from metasearch.query.cql.grammar import syntax_tree
from metasearch.query.cql.syntax_tree import Clause
from metasearch.query.reading import QueryReader
from metasearch.record import TYPES
from metasearch.server.faces.sru.diagnostics import Refused, of_query
from metasearch.server.faces.sru.envelope import begin, echo
from metasearch.server.faces.sru.indexes import field_of
from metasearch.server.faces.sru.parameters import Head, RequestReader
from metasearch.server.faces.sru.xml import add

#: Terms of an answer where a request does not say how many, and at most.
DEFAULT_TERMS, MOST_TERMS = 20, 100
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """A scan request. `term`: where the list is entered. `position`: place of that term in the
    answer, from 1; 0 is before it.
    """

    field: str
    term: str
    position: int
    maximum: int


@dataclass(frozen=True, slots=True)
class ScanTerm:
    """A term of an index, and its name for people."""

    value: str
    shown: str = ""


def read_scan(reader: RequestReader) -> ScanRequest:
    """The parameters of a scan. Raises Refused: one of them cannot be used."""
    text = reader.text("scanClause")
    if not text:
        raise Refused(7, "scanClause")
    maximum = reader.number("maximumTerms", DEFAULT_TERMS)
    if not maximum:
        raise Refused(6, "maximumTerms: 0")
    maximum = min(maximum, MOST_TERMS)
    position = reader.number("responsePosition", 1)
    if position > maximum + 1:
        raise Refused(120, str(position))
    try:
        tree = syntax_tree(QueryReader(text, "cql")).tree
    except QuerySyntaxError as error:
        raise of_query(error) from error
    if not isinstance(tree, Clause):
        raise Refused(10, "scanClause is one index, relation and term")
    index = tree.relation.index if tree.relation else "cql.serverChoice"
    field = field_of(index)
    if field is None:
        raise Refused(16, index)
    return ScanRequest(field, tree.term.text[:_LONGEST].strip("*^ "), position, maximum)


def known_terms(field: str) -> list[ScanTerm] | None:
    """All terms of a field in their order; None where they are not known."""
    if field == "type":
        return [ScanTerm(name) for name in sorted(TYPES)]
    if field == "language":
        return [ScanTerm(code, known.name) for code, known in sorted(languages().items())]
    return None


def window(terms: Sequence[ScanTerm], request: ScanRequest) -> list[ScanTerm]:
    """The part of a sorted list in which the term of the request stands at its position."""
    place = bisect_left([term.value.casefold() for term in terms], request.term.casefold())
    first = place - request.position + 1
    return list(terms[max(0, first) : max(0, first + request.maximum)])


def scan_response(head: Head, reader: RequestReader, terms: Sequence[ScanTerm]) -> etree._Element:
    """The answer of a scan; how many records a term has is not known."""
    version = head.version
    root = begin(head)
    if terms:
        listed = add(root, version.namespace, "terms")
        for term in terms:
            element = add(listed, version.namespace, "term")
            add(element, version.namespace, "value", term.value)
            if term.shown:
                add(element, version.namespace, "displayTerm", term.shown)
    echo(root, head, reader.echoed())
    return root
