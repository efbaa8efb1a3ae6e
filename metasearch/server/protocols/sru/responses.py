"""What surrounds the records: the answers of SRU in each version, with their diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lxml import etree

from metasearch.events import Answer
from metasearch.formats.text import line, web_url
from metasearch.record import Hit
from metasearch.server.faces.sru.diagnostics import Diagnostic
from metasearch.server.faces.sru.facets import write_facets
from metasearch.server.faces.sru.parameters import Head, SearchRequest
from metasearch.server.faces.sru.versions import METASEARCH, RESPONSES, SURROGATE, Version
from metasearch.server.faces.sru.xml import add

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


# --------------------------------------------------------------------------- the parts of an answer


def begin(head: Head) -> etree._Element:
    """The root of an answer, with its version where the schema wants one."""
    version = head.version
    root = etree.Element(version.tag(RESPONSES[head.operation]), nsmap={"zs": version.namespace})
    if not (version.newest and head.operation == "searchRetrieve"):
        add(root, version.namespace, "version", version.name)
    return root


def diagnostics(root: etree._Element, head: Head, listed: Iterable[Diagnostic]) -> None:
    """Add diagnostics that are about the whole request."""
    shown = list(listed)
    if shown:
        parent = add(root, head.version.namespace, "diagnostics")
        for diagnostic in shown:
            _diagnostic(parent, head.version.diagnostics, diagnostic)


def _diagnostic(parent: etree._Element, namespace: str, diagnostic: Diagnostic) -> None:
    element = etree.SubElement(parent, f"{{{namespace}}}diagnostic", nsmap={"diag": namespace})
    add(element, namespace, "uri", diagnostic.uri)
    if diagnostic.details:
        add(element, namespace, "details", diagnostic.details)
    add(element, namespace, "message", diagnostic.message)


def echo(root: etree._Element, head: Head, parameters: Iterable[tuple[str, str]]) -> None:
    """Add the request as it was understood."""
    name = f"echoed{head.operation[0].upper()}{head.operation[1:]}Request"
    echoed = add(root, head.version.namespace, name)
    add(echoed, head.version.namespace, "version", head.version.name)
    for parameter, value in parameters:
        add(echoed, head.version.namespace, parameter, value)


def refusal(head: Head, diagnostic: Diagnostic) -> etree._Element:
    """The answer to a request that cannot be carried out."""
    root = begin(head)
    if head.operation == "searchRetrieve":
        add(root, head.version.namespace, "numberOfRecords", "0")
    diagnostics(root, head, [diagnostic])
    return root


def packed(
    parent: etree._Element, version: Version, schema: str, data: etree._Element, *, as_text: bool
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


# --------------------------------------------------------------------------- searchRetrieve


def search_response(
    head: Head,
    request: SearchRequest,
    answer: Answer,
    *,
    echoed: Sequence[tuple[str, str]],
    warnings: Sequence[Diagnostic],
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


def _record(records: etree._Element, version: Version, request: SearchRequest, hit: Hit) -> None:
    schema = request.schema.uri
    try:
        data = request.schema.write(hit)
    except ValueError:  # text that no XML can hold: the others are sent all the same
        schema = SURROGATE
        wrapper = etree.Element("record")
        _diagnostic(wrapper, version.diagnostics, Diagnostic(67, hit.id))
        data = wrapper[0]
    record = packed(records, version, schema, data, as_text=request.as_text)
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
