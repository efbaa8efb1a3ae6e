"""The answers of pazpar2's commands, and the fields of a work as its clients know them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from zlib import crc32

from lxml import etree

from metasearch.events import SourceReport
from metasearch.formats.reference import family_first
from metasearch.formats.text import clean, line, web_url
from metasearch.record import Author, Hit, Record
from metasearch.server.protocols.pazpar2.parameters import FACET_OF
from metasearch.server.protocols.pazpar2.sessions import (
    SearchProgress,
    total_of_report,
)

#: Values of a repeated field in a list of works; a single record is written whole.
_MOST_IN_A_LIST = 20
#: Names in `md-title-responsibility`.
_MOST_RESPONSIBLE = 10
_TAG = re.compile(r"<[/!?]?[A-Za-z][^<>]*>")
_OPENING = re.compile(r"<(?=[A-Za-z/!?])")

Field = tuple[str, str]


def plain_text(text: str | None) -> str:
    """The text on one line, without anything that a browser takes for a tag: clients write values
    into their pages as HTML.

    >>> plain_text("<i>Mus</i> where p<0.05 <<b>script>")
    'Mus where p<0.05 < script>'
    """
    value = line(text)
    if "<" not in value:
        return value
    # What is left when a tag has been taken out of a tag must not be a tag either.
    return line(_OPENING.sub("< ", _TAG.sub("", value)))


def fields_of(record: Record, *, whole: bool) -> list[Field]:
    """Name, without "md-", and value of each field that the record has, in the order of writing."""
    return [(name, value) for name, value in _fields(record, whole) if value]


def _fields(record: Record, whole: bool) -> Iterator[Field]:
    most = None if whole else _MOST_IN_A_LIST

    def repeat(name: str, values: Iterable[str]) -> Iterator[Field]:
        return ((name, plain_text(value)) for value in islice(values, most))

    yield "title", plain_text(record.title)
    yield "title-remainder", plain_text(record.subtitle)
    yield "title-responsibility", _responsible(record.byline)
    yield from repeat("author", map(family_first, islice(record.byline, most)))
    yield "date", str(record.year) if record.year else ""
    yield "medium", record.type or ""
    yield "journal-title", plain_text(record.venue)
    yield "volume-number", plain_text(record.volume)
    yield "issue-number", plain_text(record.issue)
    yield "pages-number", plain_text(record.pages)
    yield "publication-name", plain_text(record.publisher)
    yield "language", plain_text(record.language)
    yield from repeat("issn", record.issn)
    yield from repeat("isbn", record.isbn)
    yield "doi", plain_text(record.doi)
    for url in dict.fromkeys((record.url, record.pdf_url)):
        yield "electronic-url", _address(url)
    yield from repeat("subject", dict.fromkeys((*record.subjects, *record.keywords)))
    if whole:
        abstract = plain_text(record.abstract)
        yield "description", abstract
        yield "abstract", abstract


def _responsible(authors: tuple[Author, ...]) -> str:
    names = [plain_text(author.name) for author in authors[:_MOST_RESPONSIBLE]]
    further = "; et al." if len(authors) > len(names) else ""
    return "; ".join(filter(None, names)) + further


def _address(url: str | None) -> str:
    """The address as a page can hold it between quotation marks of either kind."""
    return (web_url(url) or "").replace("'", "%27")


# The answers of pazpar2's commands. Clients read the first text of every element without a look
# whether there is one, so that no element is empty; and fields of a work have no attributes, which
# would turn them into objects.

#: A score is written as a whole number.
_SCORE_UNIT = 100_000
#: Numbers of diagnostics, of the set Bib-1 of Z39.50: temporary and permanent system error.
_TEMPORARY, _PERMANENT = 2, 1
_DIAGNOSTICS: Mapping[int, str] = {
    _TEMPORARY: "Temporary system error",
    _PERMANENT: "Permanent system error",
}
_MAY_PASS = frozenset({"timeout", "limited", "late"})
_UNTITLED = "[Untitled]"
_LONGEST_REASON = 500


def add(parent: etree._Element, name: str, text: str | int, **attributes: str) -> etree._Element:
    """A new last child with a text."""
    child = etree.SubElement(parent, name, {key: clean(value) for key, value in attributes.items()})
    child.text = clean(str(text))
    return child


def xml_bytes(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def status(command: str) -> etree._Element:
    """`<command><status>OK</status></command>`."""
    root = etree.Element(command)
    add(root, "status", "OK")
    return root


def init(token: str, keep_alive: int) -> etree._Element:
    """The answer to `init`; `keep_alive` in milliseconds."""
    root = status("init")
    add(root, "session", token)
    add(root, "protocol", 1)
    add(root, "keepAlive", keep_alive)
    return root


def search(notes: Iterable[str]) -> etree._Element:
    """The answer to `search`; a note for each part of the query that is searched for in another way
    than it is written.
    """
    root = status("search")
    for note in notes:
        add(root, "note", plain_text(note))
    return root


def show(
    page: Collection[Hit],
    *,
    active: int,
    merged: int,
    total: int,
    start: int,
    labels: Mapping[str, str],
    relevance: bool,
    version: int,
) -> etree._Element:
    """The answer to `show`. `start`: place of the first work, from 0."""
    root = status("show")
    add(root, "activeclients", active)
    add(root, "merged", merged)
    add(root, "total", total)
    if version >= 2:
        add(root, "approximation", total)
    add(root, "start", start)
    add(root, "num", len(page))
    for hit in page:
        element = etree.SubElement(root, "hit")
        _work(element, hit, labels, whole=False)
        add(element, "count", len(hit.records))
        if relevance:
            add(element, "relevance", round(hit.score * _SCORE_UNIT))
        add(element, "recid", hit.id)
    return root


def record(
    progress: SearchProgress, hits: Sequence[Hit], place: int, name: str, labels: Mapping[str, str]
) -> etree._Element:
    """The answer to `record` without an offset: the work at a place of the list, whole. `hits`: the
    list that was shown last. `place`: of the work, from 0.
    """
    root = etree.Element("record")
    add(root, "recid", name)
    if place > 0:
        add(root, "prevrecid", hits[place - 1].id)
    if place + 1 < len(hits):
        add(root, "nextrecid", hits[place + 1].id)
    add(root, "activeclients", progress.active)
    _work(root, hits[place], labels, whole=True)
    return root


def _work(parent: etree._Element, hit: Hit, labels: Mapping[str, str], *, whole: bool) -> None:
    """The fields of a work, then those of each source."""
    merged = fields_of(hit.record, whole=whole)
    if not any(name == "title" for name, _ in merged):
        merged.insert(0, ("title", _UNTITLED))
    for name, value in merged:
        add(parent, f"md-{name}", value)
    for own in hit.records:
        location = etree.SubElement(
            parent,
            "location",
            {
                "id": clean(own.source),
                "name": plain_text(labels.get(own.source, own.source)) or clean(own.source),
                "checksum": str(checksum(own)),
            },
        )
        for name, value in fields_of(own, whole=whole):
            add(location, f"md-{name}", value)


def checksum(own: Record) -> int:
    """Names a record among those of its work."""
    return crc32(own.key.encode("utf-8", "surrogatepass"))


def termlist(
    progress: SearchProgress | None, names: Iterable[str], most: int, labels: Mapping[str, str]
) -> etree._Element:
    """The answer to `termlist`: lists that are named, an empty one for an unknown name."""
    root = etree.Element("termlist")
    add(root, "activeclients", progress.active if progress is not None else 0)
    for name in names:
        listed = etree.SubElement(root, "list", {"name": clean(name)})
        if progress is None:
            continue
        if name == "xtargets":
            _targets(listed, progress, most, labels)
        else:
            _terms(listed, progress, FACET_OF.get(name, name), most)
    return root


def _terms(listed: etree._Element, progress: SearchProgress, facet: str, most: int) -> None:
    if facet not in progress.facets:
        return
    values = sorted(progress.facets[facet].values, key=lambda value: -value.count)
    for value in values[:most]:
        # A client sends the name back as a limit: what is no text for a page is left out.
        if shown := plain_text(value.value):
            term = etree.SubElement(listed, "term")
            add(term, "name", shown)
            add(term, "frequency", value.count)


def _targets(
    listed: etree._Element, progress: SearchProgress, most: int, labels: Mapping[str, str]
) -> None:
    reports = sorted(progress.reports.values(), key=lambda report: -total_of_report(report))
    for report in reports[:most]:
        term = etree.SubElement(listed, "term")
        add(term, "id", report.source)
        add(term, "name", labels.get(report.source, report.source))
        add(term, "frequency", total_of_report(report))
        add(term, "state", state(report, progress))
        add(term, "diagnostic", diagnostic(report))


def bytarget(
    progress: SearchProgress | None, labels: Mapping[str, str], *, message: str, version: int
) -> etree._Element:
    """The answer to `bytarget`; `message` is its status."""
    root = etree.Element("bytarget")
    add(root, "status", message)
    if progress is None:
        return root
    for report in progress.reports.values():
        target = etree.SubElement(root, "target")
        add(target, "id", report.source)
        add(target, "name", labels.get(report.source, report.source))
        add(target, "hits", total_of_report(report))
        number = diagnostic(report)
        add(target, "diagnostic", number)
        if number:
            add(target, "message", _DIAGNOSTICS[number])
            reason = line(str(report.error)) if report.error else report.status
            add(target, "addinfo", plain_text(reason)[:_LONGEST_REASON] or report.status)
        add(target, "records", report.count)
        add(target, "filtered", report.filtered)
        if version >= 2:
            add(target, "approximation", total_of_report(report))
        add(target, "state", state(report, progress))
    return root


def stat(progress: SearchProgress | None) -> etree._Element:
    reports = list(progress.reports.values()) if progress is not None else []
    states = [state(report, progress) for report in reports] if progress is not None else []
    active = progress.active if progress is not None else 0
    share = (len(reports) - min(active, len(reports))) / len(reports) if reports else 0.0
    root = etree.Element("stat")
    add(root, "activeclients", active)
    add(root, "hits", progress.total if progress is not None else 0)
    add(root, "records", sum(report.count for report in reports))
    add(root, "clients", len(reports))
    add(root, "unconnected", states.count("Client_Disconnected"))
    add(root, "connecting", 0)
    add(root, "working", states.count("Client_Working"))
    add(root, "idle", states.count("Client_Idle"))
    add(root, "failed", states.count("Client_Failed"))
    add(root, "error", states.count("Client_Error"))
    add(root, "progress", f"{share:.2f}")
    return root


def state(report: SourceReport, progress: SearchProgress) -> str:
    """How a source fares, in pazpar2's words; one that failed after it had sent records is idle,
    because clients show no number for the others.
    """
    if report.status == "running":
        return "Client_Disconnected" if progress.over else "Client_Working"
    if report.failed and not report.count:
        return "Client_Error"
    return "Client_Idle"


def diagnostic(report: SourceReport) -> int:
    """0 for a source that has not failed."""
    if not report.failed:
        return 0
    return _TEMPORARY if report.status in _MAY_PASS else _PERMANENT
