"""Indexes of CQL as SRU uses them besides queries: to sort by, to count, to scan, to explain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metasearch.listing.facets import FACETS
from metasearch.listing.sort import Sort
from metasearch.query.cql.indexes import INDEXES, name_in_set, set_of
from metasearch.query.cql.parser import SortKeys
from metasearch.server.faces.sru.diagnostics import Refused

#: Context set -> its URI, for explain. Our own set holds the names without a prefix.
SETS: Mapping[str, str] = {
    "cql": "info:srw/context-set/1/cql-v1.2",
    "dc": "info:srw/context-set/1/dc-v1.1",
    "bath": "http://zing.z3950.org/cql/bath/2.0/",
    "bib": "info:srw/context-set/1/bib-v1",
    "marc": "info:srw/cql-context-set/1/marc-v1.0",
    "metasearch": "urn:metasearch:indexes:1",
}
#: Field -> what the index is called for people.
TITLES: Mapping[str, str] = {
    "any": "Anywhere", "title": "Title", "author": "Author", "subject": "Subject",
    "abstract": "Abstract", "venue": "Journal, proceedings or book", "year": "Year of publication",
    "language": "Language", "type": "Kind of work", "doi": "DOI", "isbn": "ISBN", "issn": "ISSN",
    "identifier": "DOI, ISBN or ISSN",
}  # fmt: skip
#: Fields that a list can be sorted by -> the orders for ascending and descending; None where a list
#: cannot be put in that one.
_ORDERS: Mapping[str, tuple[Sort | None, Sort | None]] = {
    "title": ("title", None),
    "year": ("-date", "date"),
    "citations": (None, "citations"),
    "relevance": (None, "relevance"),
}
#: What no context set has, and other names of the year.
_SORT_NAMES = {"citations": "citations", "relevance": "relevance", "rank": "relevance"}
_SORT_NAMES |= {"score": "relevance", "pubdate": "year"}
SORTED = frozenset(_ORDERS)


def field_of(name: str) -> str | None:
    """The field of an index, such as "author" for "dc.creator"; None for one that is not known."""
    prefix, _, index = name.strip().lower().rpartition(".")
    context_set = set_of(prefix, None) if prefix else ""
    if context_set is None or context_set not in INDEXES:
        return None
    known = INDEXES[context_set].get(name_in_set(context_set, index))
    return None if known is None else known.field


def facet_of(name: str) -> str | None:
    """The facet of an index: of "subject" and of "dc.subject" that of subjects; None for none."""
    bare = name.strip().lower().removeprefix("metasearch.")
    if bare in FACETS:
        return bare
    field = field_of(name)
    return field if field in FACETS else None


def names() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each field with its indexes, as (context set, name)."""
    for field in TITLES:
        listed = [
            (context_set, index.name)
            for context_set in SETS
            for index in INDEXES["" if context_set == "metasearch" else context_set].values()
            if index.field == field
        ]
        yield field, listed


# --------------------------------------------------------------------------- sorting


def sort_of_keys(text: str) -> tuple[Sort, list[str]]:
    """The order that sortKeys of 1.1 asks for: `path,schema,ascending,...` with blanks between the
    keys. Returns the order of the first key, and the keys that are ignored. Raises Refused: the
    list cannot be put in this order.
    """
    keys = text.split()
    if not keys:
        return "relevance", []
    path, *rest = keys[0].split(",")
    direction = rest[1] if len(rest) > 1 else ""
    if direction not in ("", "0", "1"):
        raise Refused(90, keys[0])
    name = path.strip('"').rpartition("/")[2]
    return _order(name, direction == "0", keys[0]), keys[1:]


def sort_of_cql(keys: SortKeys) -> tuple[Sort, list[str]]:
    """The order that sortBy of CQL asks for; as `sort_of_keys`."""
    if not keys:
        return "relevance", []
    name, modifiers = keys[0]
    words = [modifier.name.lower().rpartition(".")[2] for modifier in modifiers]
    return _order(name, "descending" in words, name), [key for key, _ in keys[1:]]


def _order(name: str, descending: bool, shown: str) -> Sort:
    bare = name.lower().rpartition(".")[2]
    field = _SORT_NAMES.get(bare) or field_of(name)
    if field is None or field not in _ORDERS:
        raise Refused(80, f"{shown}; a list is sorted by title, date, citations or relevance")
    up, down = _ORDERS[field]
    order = down if descending else up
    # Works are never wanted least cited or least relevant first: the direction is left out.
    if order is None and up is None:
        order = down
    if order is None:
        raise Refused(82, f"{shown}: titles are sorted ascending")
    return order


def ignored_keys(keys: Sequence[str]) -> list[str]:
    """The note about keys behind the first one."""
    if not keys:
        return []
    return [f"sort keys behind the first one are ignored: {', '.join(keys)[:200]}"]
