"""The words of SRU: what its versions call the same things, diagnostics, the schemas of records,
and indexes as they sort, count, scan and explain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from metasearch.bib import trials
from metasearch.engine.facets import FACETS, Sort
from metasearch.errors import QuerySyntaxError
from metasearch.formats import marc, mods
from metasearch.formats.marc import marc_data
from metasearch.formats.reference import family_first, full_title
from metasearch.formats.text import clean, line, web_url, xml_leaf
from metasearch.query.cql import SortKeys
from metasearch.query.cql_grammar import INDEXES, MEANINGS, OF_QUERY, name_in_set, set_of
from metasearch.record import Hit, Record


def add(
    parent: etree._Element, namespace: str, name: str, text: str | None = None, /, **attributes: str
) -> etree._Element:
    """A new last child; characters that XML forbids are taken out of its texts."""
    values = {key: clean(value) for key, value in attributes.items()}
    child = etree.SubElement(parent, f"{{{namespace}}}{name}", values)
    child.text = None if text is None else clean(text)
    return child


#: The operation -> the element that answers it.
RESPONSES: Mapping[str, str] = {
    "searchRetrieve": "searchRetrieveResponse",
    "scan": "scanResponse",
    "explain": "explainResponse",
}


@dataclass(frozen=True, slots=True)
class SruVersion:
    """A version of SRU.

    Attributes:
        escaping: Name of the parameter, and of the element of a record, that says whether a record
            is XML or a string.
        identifiers: Whether a record has a `recordIdentifier`.
        newest: Whether it is 2.0, which has facets and the precision of the total, and whose
            searchRetrieveResponse does not name its version.
    """

    name: str
    namespace: str
    diagnostics: str
    escaping: str = "recordPacking"
    identifiers: bool = True
    newest: bool = False

    def tag(self, name: str) -> str:
        """An element of the answer."""
        return f"{{{self.namespace}}}{name}"


_ZING = "http://www.loc.gov/zing/srw/"
_OASIS = "http://docs.oasis-open.org/ns/search-ws/"
V1_1 = SruVersion("1.1", _ZING, f"{_ZING}diagnostic/", identifiers=False)
V1_2 = SruVersion("1.2", _ZING, f"{_ZING}diagnostic/")
V2_0 = SruVersion(
    "2.0",
    f"{_OASIS}sruResponse",
    f"{_OASIS}diagnostic",
    escaping="recordXMLEscaping",
    newest=True,
)
VERSIONS: Mapping[str, SruVersion] = {version.name: version for version in (V1_1, V1_2, V2_0)}
#: Namespace of the facets of 2.0.
FACETED_RESULTS = f"{_OASIS}facetedResults"
#: Namespace of a diagnostic in the place of a record.
SURROGATE = "info:srw/schema/1/diagnostics-v1.1"
#: Our own elements in extraResponseData and extraRecordData.
METASEARCH = "urn:metasearch:sru:1"


# Why a request, or a part of it, is not answered: by number, as SRU lists them.

#: Characters of the details that a client gets.
_MOST = 1_000


@dataclass(frozen=True, slots=True)
class SruDiagnostic:
    """One diagnostic. `number`: a key of `MEANINGS`. `details`: what it is about: the parameter,
    the index, the value.
    """

    number: int
    details: str = ""

    @property
    def uri(self) -> str:
        """Its name in every version of SRU."""
        return f"info:srw/diagnostic/1/{self.number}"

    @property
    def message(self) -> str:
        return MEANINGS[self.number]


class SruRefusal(Exception):
    """The request is answered by this diagnostic alone."""

    def __init__(self, number: int, details: str = "") -> None:
        self.diagnostic = SruDiagnostic(number, line(details)[:_MOST])
        super().__init__(self.diagnostic.message)


def of_query(error: QuerySyntaxError) -> SruRefusal:
    """The diagnostic of an unreadable query: reason, place, and what can be read instead."""
    place = f"{error.reason} (at character {error.position + 1})"
    return SruRefusal(OF_QUERY[error.kind], f"{place}. {error.advice}" if error.advice else place)


#: The schema of a request that names none: library software expects it.
DEFAULT = "marcxml"


@dataclass(frozen=True, slots=True)
class Schema:
    """A record schema. `others`: further identifiers that clients send for it. `write`: hit -> the
    element of its merged record. ValueError: The record cannot be written.
    """

    name: str
    uri: str
    title: str
    others: tuple[str, ...]
    write: Callable[[Hit], etree._Element]


def _marcxml(hit: Hit) -> etree._Element:
    record = marc_data(hit, answering=True)
    return _parse(marc.element(record, namespace=marc.NAMESPACE))


def _mods(hit: Hit) -> etree._Element:
    return _parse(mods.element(hit, namespace=mods.NAMESPACE, answering=True))


def _parse(text: str) -> etree._Element:
    """The element that a writer of `formats` wrote; our own text may be of any size. Raises
    ValueError: the text is no XML.
    """
    try:
        return etree.fromstring(text, etree.XMLParser(huge_tree=True, remove_blank_text=True))
    except etree.XMLSyntaxError as error:
        raise ValueError(f"a record is no XML: {error}") from error


# Dublin Core: https://www.dublincore.org/specifications/dublin-core/dces/, in the wrapper that SRU
# has for it.

_DC_NAMESPACE = "http://purl.org/dc/elements/1.1/"
#: Of the wrapper.
_SRW_DC = "info:srw/schema/1/dc-schema"


def _dublin_core(hit: Hit) -> etree._Element:
    """The merged record as an element, with every field that Dublin Core has a place for."""
    inner = "".join(
        xml_leaf(f"dc:{name}", line(text))
        for name, texts in _dublin_core_elements(hit.record)
        for text in texts
    )
    declared = f'xmlns:srw_dc="{_SRW_DC}" xmlns:dc="{_DC_NAMESPACE}"'
    return _parse(f"<srw_dc:dc {declared}>{inner}</srw_dc:dc>")


def _dublin_core_elements(record: Record) -> Iterator[tuple[str, Iterable[str | None]]]:
    year = str(record.year) if record.year else None
    yield "title", (full_title(record), record.original_title, record.translated_title)
    yield "title", record.titles
    yield "creator", map(family_first, record.authors)
    yield "contributor", map(family_first, (*record.editors, *record.translators))
    yield "subject", (*record.subjects, *record.keywords)
    yield "description", (record.abstract,)
    yield "publisher", (record.publisher, record.institution)
    yield "date", (record.date or year,)
    yield "type", (record.type,)
    yield "identifier", _identifiers(record)
    yield "source", (_host(record),)
    yield "language", (record.language,)
    yield "rights", (record.licence,)


def _identifiers(record: Record) -> Iterator[str | None]:
    if record.doi:
        yield f"doi:{record.doi}"
    yield from (f"ISBN {number}" for number in record.isbn)
    yield from (f"ISSN {number}" for number in record.issn)
    yield from (f"{scheme}:{value}" for scheme, value in trials.each_identifier(record.ids))
    yield from (web_url(record.url), web_url(record.pdf_url))


def _host(record: Record) -> str:
    """What contains the work, and where: "Journal of Islands 12(3), 101-110"."""
    volume = line(record.volume) + (f"({line(record.issue)})" if record.issue else "")
    place = ", ".join(filter(None, (volume, line(record.pages))))
    return " ".join(filter(None, (line(record.venue), place)))


SCHEMAS: Mapping[str, Schema] = {
    schema.name: schema
    for schema in (
        Schema(
            "marcxml",
            "info:srw/schema/1/marcxml-v1.1",
            "MARC 21 in XML",
            ("marc", "marc21", "marc21-xml", "info:srw/schema/1/marcxml-1.1", marc.NAMESPACE),
            _marcxml,
        ),
        Schema(
            "mods",
            "info:srw/schema/1/mods-v3.7",
            "MODS 3.7",
            (mods.NAMESPACE, *(f"info:srw/schema/1/mods-v3.{minor}" for minor in range(9))),
            _mods,
        ),
        Schema(
            "dc",
            "info:srw/schema/1/dc-v1.1",
            "Dublin Core",
            (_SRW_DC, _DC_NAMESPACE, "oai_dc"),
            _dublin_core,
        ),
    )
}
_BY_NAME = {
    name.lower(): schema
    for schema in SCHEMAS.values()
    for name in (schema.name, schema.uri, *schema.others)
}


def schema_of(name: str) -> Schema | None:
    """The schema of a short name or an identifier; None for one that does not exist here."""
    return _BY_NAME.get(name.strip().lower())


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
    "pmid": "PMID", "pmcid": "PMCID", "arxiv": "arXiv number",
    "trial": "Registration number of a trial",
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
        raise SruRefusal(90, keys[0])
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
        raise SruRefusal(80, f"{shown}; a list is sorted by title, date, citations or relevance")
    up, down = _ORDERS[field]
    order = down if descending else up
    # Works are never wanted least cited or least relevant first: the direction is left out.
    if order is None and up is None:
        order = down
    if order is None:
        raise SruRefusal(82, f"{shown}: titles are sorted ascending")
    return order


def ignored_keys(keys: Sequence[str]) -> list[str]:
    """The note about keys behind the first one."""
    if not keys:
        return []
    return [f"sort keys behind the first one are ignored: {', '.join(keys)[:200]}"]
