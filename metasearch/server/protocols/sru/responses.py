"""What SRU answers: records with what surrounds them in each version, `explain` and `scan`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from lxml import etree

from metasearch.bib.languages import languages
from metasearch.engine.facets import FACETS
from metasearch.errors import QuerySyntaxError
from metasearch.events import Answer
from metasearch.formats.text import line, web_url
from metasearch.query.cql_grammar import CqlClause, syntax_tree
from metasearch.query.reader import QueryReader
from metasearch.record import TYPES, Hit
from metasearch.server.protocols.sru.parameters import (
    DEFAULT_RECORDS,
    RequestReader,
    ResponseHead,
    SearchRequest,
    write_facets,
)
from metasearch.server.protocols.sru.vocabulary import (
    DEFAULT,
    METASEARCH,
    RESPONSES,
    SCHEMAS,
    SETS,
    SORTED,
    SURROGATE,
    TITLES,
    SruDiagnostic,
    SruRefusal,
    SruVersion,
    add,
    field_of,
    names,
    of_query,
)
from metasearch.server.site import Site

_PRECISION = "info:srw/vocabulary/resultCountPrecision/1/"


@dataclass(frozen=True, slots=True)
class Total:
    """How many works there are.

    Attributes:
        number: At least the last place that a client knows of, `nextRecordPosition` included:
            clients end where that is larger.
        precision: "exact", "estimate", "minimum", "unknown" where no work was seen yet and the list
            goes on, or "current" while sources are still asked.
    """

    number: int
    precision: str


def total_of(answer: Answer) -> Total:
    """The number of works and how sure it is; a merged total is exact only where the list was read
    to its end and no source is missing.
    """
    totals, following = answer.totals, answer.paging.next
    seen = answer.counts.unique if totals is None else totals.seen
    last = answer.hits[-1].rank if answer.hits else 0
    known = max(seen, last)
    if answer.running:
        return Total(known, "current")
    if following is None:
        return Total(known, "exact" if answer.complete else "minimum")
    known = max(known, following.start + 1)
    if not seen:
        return Total(known, "unknown")
    if totals is None or totals.estimate is None:
        return Total(known, "minimum")
    return Total(max(known, totals.estimate), "estimate")


def begin(head: ResponseHead) -> etree._Element:
    """The root of an answer, with its version where the schema wants one."""
    version = head.version
    root = etree.Element(version.tag(RESPONSES[head.operation]), nsmap={"zs": version.namespace})
    if not (version.newest and head.operation == "searchRetrieve"):
        add(root, version.namespace, "version", version.name)
    return root


def diagnostics(root: etree._Element, head: ResponseHead, listed: Iterable[SruDiagnostic]) -> None:
    """Add diagnostics that are about the whole request."""
    shown = list(listed)
    if shown:
        parent = add(root, head.version.namespace, "diagnostics")
        for diagnostic in shown:
            _diagnostic(parent, head.version.diagnostics, diagnostic)


def _diagnostic(parent: etree._Element, namespace: str, diagnostic: SruDiagnostic) -> None:
    element = etree.SubElement(parent, f"{{{namespace}}}diagnostic", nsmap={"diag": namespace})
    add(element, namespace, "uri", diagnostic.uri)
    if diagnostic.details:
        add(element, namespace, "details", diagnostic.details)
    add(element, namespace, "message", diagnostic.message)


def echo(root: etree._Element, head: ResponseHead, parameters: Iterable[tuple[str, str]]) -> None:
    """Add the request as it was understood."""
    name = f"echoed{head.operation[0].upper()}{head.operation[1:]}Request"
    echoed = add(root, head.version.namespace, name)
    add(echoed, head.version.namespace, "version", head.version.name)
    for parameter, value in parameters:
        add(echoed, head.version.namespace, parameter, value)


def refusal(head: ResponseHead, diagnostic: SruDiagnostic) -> etree._Element:
    """The answer to a request that cannot be carried out."""
    root = begin(head)
    if head.operation == "searchRetrieve":
        add(root, head.version.namespace, "numberOfRecords", "0")
    diagnostics(root, head, [diagnostic])
    return root


def pack(
    parent: etree._Element, version: SruVersion, schema: str, data: etree._Element, *, as_text: bool
) -> etree._Element:
    """Add a record: its schema, its packing, and its data as XML or as a string."""
    record = add(parent, version.namespace, "record")
    add(record, version.namespace, "recordSchema", schema)
    add(record, version.namespace, version.escaping, "string" if as_text else "xml")
    if as_text:
        add(record, version.namespace, "recordData", etree.tostring(data, encoding="unicode"))
    else:
        add(record, version.namespace, "recordData").append(data)
    return record


def search_response(
    head: ResponseHead,
    request: SearchRequest,
    answer: Answer,
    *,
    echoed: Sequence[tuple[str, str]],
    warnings: Sequence[SruDiagnostic],
    address: Callable[[str], str],
) -> etree._Element:
    """The answer of a search.

    `warnings`: diagnostics beside the records; only 2.0 has them, because clients of earlier
    versions take any diagnostic for a failure. `address`: filter -> the address of the same request
    with this filter.
    """
    version, total = head.version, total_of(answer)
    root = begin(head)
    add(root, version.namespace, "numberOfRecords", str(total.number))
    hits = answer.hits if request.maximum else ()
    if hits:
        records = add(root, version.namespace, "records")
        for hit in hits:
            _record(records, version, request, hit)
    following = answer.paging.next
    if not request.maximum and total.number > request.options.start:
        add(root, version.namespace, "nextRecordPosition", str(request.options.start + 1))
    elif following is not None:
        add(root, version.namespace, "nextRecordPosition", str(following.start + 1))
    echo(root, head, echoed)
    if version.newest:
        diagnostics(root, head, warnings)
    _extra_response(add(root, version.namespace, "extraResponseData"), request, answer, total)
    if version.newest:
        add(root, version.namespace, "resultCountPrecision", _PRECISION + total.precision)
        write_facets(root, answer, request.facets, address)
    return root


def _record(records: etree._Element, version: SruVersion, request: SearchRequest, hit: Hit) -> None:
    schema = request.schema.uri
    try:
        data = request.schema.write(hit)
    except ValueError:  # text that no XML can hold: the others are sent all the same
        schema = SURROGATE
        wrapper = etree.Element("record")
        _diagnostic(wrapper, version.diagnostics, SruDiagnostic(67, hit.id))
        data = wrapper[0]
    record = pack(records, version, schema, data, as_text=request.as_text)
    if version.identifiers:
        add(record, version.namespace, "recordIdentifier", line(hit.id))
    add(record, version.namespace, "recordPosition", str(hit.rank))
    _extra_record(add(record, version.namespace, "extraRecordData"), hit)


def _extra_record(parent: etree._Element, hit: Hit) -> None:
    """Which sources have the work, which gave which field, and why records were merged."""
    root = etree.SubElement(parent, f"{{{METASEARCH}}}hit", nsmap={"ms": METASEARCH})
    root.set("id", line(hit.id))
    for record in hit.records:
        attributes = {"name": record.source, "position": str(record.position)}
        if url := web_url(record.url):
            attributes["url"] = url
        if record.source_id:
            attributes["key"] = record.source_id
        add(root, METASEARCH, "source", **attributes)
    for name, source in sorted(hit.provenance.items()):
        add(root, METASEARCH, "provenance", field=name, source=source)
    for match in hit.matches:
        add(
            root,
            METASEARCH,
            "match",
            line(match.because),
            left=match.left,
            right=match.right,
            verdict=match.verdict,
        )


def _extra_response(
    parent: etree._Element, request: SearchRequest, answer: Answer, total: Total
) -> None:
    """The state of every source, and what of the query was not searched."""
    root = etree.SubElement(parent, f"{{{METASEARCH}}}answer", nsmap={"ms": METASEARCH})
    root.set("complete", "true" if answer.complete else "false")
    add(root, METASEARCH, "query", line(answer.query))
    totals = answer.totals
    bounds = {"precision": total.precision, "works": str(answer.counts.unique)}
    bounds["received"] = str(answer.counts.received)
    if totals is not None and totals.most is not None:
        bounds["most"] = str(totals.most)
    add(root, METASEARCH, "total", line(totals.basis) if totals else None, **bounds)
    for report in answer.sources:
        attributes = {"name": report.source, "status": report.status, "count": str(report.count)}
        if report.total is not None:
            attributes["total"] = str(report.total)
        if report.cached:
            attributes["cached"] = "true"
        source = add(root, METASEARCH, "source", **attributes)
        if report.error:
            add(source, METASEARCH, "error", line(str(report.error)))
        for note in report.notes:
            add(source, METASEARCH, "note", line(note))
    for note in (*request.read.notes, *request.notes, *answer.notes):
        add(root, METASEARCH, "note", line(note))


#: Clients take the text of `recordSchema` for the namespace of the record.
ZEEREX = "http://explain.z3950.org/dtd/2.0/"
_RELATIONS = "= == <> < <= > >= any all adj exact within encloses".split()
#: Fields whose terms are few and known.
SCANNED = frozenset({"type", "language"})
_PORTS = {"http": 80, "https": 443}


def explanation(
    site: Site, database: str, version: SruVersion, *, most: int, suggests: bool
) -> etree._Element:
    """The ZeeRex record. `database`: the part of the path behind /sru/; "" for all sources. `most`:
    records of an answer at most.
    """
    root = etree.Element(f"{{{ZEEREX}}}explain", nsmap={None: ZEEREX})  # type: ignore[dict-item]
    parts = urlsplit(site.base)
    server = add(
        root, ZEEREX, "serverInfo",
        protocol="SRU", version=version.name, transport=parts.scheme, method="GET POST SOAP",
    )  # fmt: skip
    add(server, ZEEREX, "host", parts.hostname or "localhost")
    add(server, ZEEREX, "port", str(parts.port or _PORTS.get(parts.scheme, 80)))
    path = site.path("/sru").strip("/")
    add(server, ZEEREX, "database", f"{path}/{database}" if database else path)
    about = add(root, ZEEREX, "databaseInfo")
    add(
        about,
        ZEEREX,
        "title",
        f"metasearch: {database}" if database else "metasearch",
        primary="true",
    )
    add(
        about, ZEEREX, "description",
        "One query to many scholarly databases at once: one merged, ranked list.", primary="true",
    )  # fmt: skip
    _indexes(root, suggests=suggests)
    _schemas(root)
    _config(root, version, most)
    return root


def _indexes(root: etree._Element, *, suggests: bool) -> None:
    info = add(root, ZEEREX, "indexInfo")
    for name, uri in SETS.items():
        add(info, ZEEREX, "set", name=name, identifier=uri)
    for field, listed in names():
        scanned = field in SCANNED or (suggests and field in ("any", "title"))
        index = add(
            info, ZEEREX, "index",
            search="true", scan=_true(scanned), sort=_true(field in SORTED),
        )  # fmt: skip
        add(index, ZEEREX, "title", TITLES[field], primary="true")
        for context_set, name in listed:
            add(add(index, ZEEREX, "map"), ZEEREX, "name", name, set=context_set)
    for field in sorted(SORTED - set(TITLES)):
        index = add(info, ZEEREX, "index", search="false", scan="false", sort="true")
        add(index, ZEEREX, "title", field.capitalize(), primary="true")
        add(add(index, ZEEREX, "map"), ZEEREX, "name", field, set="metasearch")


def _schemas(root: etree._Element) -> None:
    info = add(root, ZEEREX, "schemaInfo")
    for schema in SCHEMAS.values():
        element = add(
            info, ZEEREX, "schema",
            identifier=schema.uri, name=schema.name, sort="false", retrieve="true",
        )  # fmt: skip
        add(element, ZEEREX, "title", schema.title, primary="true")


def _config(root: etree._Element, version: SruVersion, most: int) -> None:
    info = add(root, ZEEREX, "configInfo")
    add(info, ZEEREX, "default", str(min(DEFAULT_RECORDS, most)), type="numberOfRecords")
    add(info, ZEEREX, "default", DEFAULT, type="retrieveSchema")
    add(info, ZEEREX, "setting", str(most), type="maximumRecords")
    for relation in _RELATIONS:
        add(info, ZEEREX, "supports", relation, type="relation")
    for operator in ("and", "or", "not"):
        add(info, ZEEREX, "supports", operator, type="booleanOperator")
    add(info, ZEEREX, "supports", "*", type="maskingCharacter")
    for name in ("x-sources", "x-filter", "x-timeout"):
        add(info, ZEEREX, "supports", name, type="extraSearchData")
    if version.newest:
        for facet in FACETS:
            add(info, ZEEREX, "supports", facet, type="facet")


def _true(value: bool) -> str:
    return "true" if value else "false"


# scan: terms of an index that are known without asking a source: kinds of work, languages, and
# completions of what this user has searched for.

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
        raise SruRefusal(7, "scanClause")
    maximum = reader.number("maximumTerms", DEFAULT_TERMS)
    if not maximum:
        raise SruRefusal(6, "maximumTerms: 0")
    maximum = min(maximum, MOST_TERMS)
    position = reader.number("responsePosition", 1)
    if position > maximum + 1:
        raise SruRefusal(120, str(position))
    try:
        tree = syntax_tree(QueryReader(text, "cql")).tree
    except QuerySyntaxError as error:
        raise of_query(error) from error
    if not isinstance(tree, CqlClause):
        raise SruRefusal(10, "scanClause is one index, relation and term")
    index = tree.relation.index if tree.relation else "cql.serverChoice"
    field = field_of(index)
    if field is None:
        raise SruRefusal(16, index)
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


def scan_response(
    head: ResponseHead, reader: RequestReader, terms: Sequence[ScanTerm]
) -> etree._Element:
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
    echo(root, head, reader.echo_pairs())
    return root
