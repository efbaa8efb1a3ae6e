"""A hit as MODS 3.7."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from metasearch.bib.languages import language_code, languages
from metasearch.formats.reference import field_sources, is_corporate, page_range
from metasearch.formats.text import clean, line, web_url
from metasearch.record import Author, Hit, Record
from metasearch.server.faces.sru.marcxml import divided
from metasearch.server.faces.sru.xml import add

MODS = "http://www.loc.gov/mods/v3"
_XLINK = "http://www.w3.org/1999/xlink"
_RESOURCES = {
    "dataset": "software, multimedia", "software": "software, multimedia",
    "map": "cartographic", "score": "notated music", "audio": "sound recording",
    "video": "moving image", "image": "still image",
}  # fmt: skip


def record_element(hit: Hit) -> etree._Element:
    """The merged record; the sources and what each of them gave stand in `recordInfo`."""
    record = hit.record
    root = etree.Element(f"{{{MODS}}}mods", {"version": "3.7"}, nsmap={None: MODS})  # type: ignore[dict-item]
    _titles(root, record)
    for people, role in ((record.authors, "aut"), (record.editors, "edt")):
        neighbours = divided(people)
        for person in people:
            _name(root, person, is_corporate(person, neighbours), role)
    if record.institution:
        code = "dgg" if record.type == "thesis" else "isb"
        _name(root, Author(record.institution), True, code)
    _put(root, "typeOfResource", _RESOURCES.get(record.type or "", "text"))
    _put(root, "genre", record.type)
    _origin(root, record)
    spoken = language_code(record.language) if record.language else None
    if spoken:
        language = add(root, MODS, "language")
        term = languages()[spoken].bibliographic
        add(language, MODS, "languageTerm", term, type="code", authority="iso639-2b")
    if record.abstract:
        add(root, MODS, "abstract", clean(record.abstract))
    _subjects(root, record.subjects, authority="local")
    _subjects(root, record.keywords)
    _host(root, record)
    _identifiers(root, record)
    for url in filter(None, map(web_url, (record.url, record.pdf_url))):
        add(add(root, MODS, "location"), MODS, "url", url)
    licence = line(record.licence)
    address = {f"{{{_XLINK}}}href": licence} if licence.startswith("http") else {}
    _put(root, "accessCondition", licence, type="use and reproduction", **address)
    _record_info(root, hit)
    return root


def _put(parent: etree._Element, name: str, text: str | None, /, **attributes: str) -> None:
    """An element, where there is a text for it."""
    if shown := line(text):
        add(parent, MODS, name, shown, **attributes)


def _titles(root: etree._Element, record: Record) -> None:
    info = add(root, MODS, "titleInfo")
    add(info, MODS, "title", line(record.title) or "[Untitled]")
    _put(info, "subTitle", record.subtitle)
    further = [("translated", record.translated_title), ("alternative", record.original_title)]
    further += [("alternative", title) for title in record.titles]
    for kind, title in further:
        if line(title):
            _put(add(root, MODS, "titleInfo", type=kind), "title", title)


def _name(root: etree._Element, author: Author, corporate: bool, code: str) -> None:
    kind = "corporate" if corporate else "personal"
    name = add(root, MODS, "name", type=kind)
    if author.family and not corporate:
        _put(name, "namePart", author.family, type="family")
        _put(name, "namePart", author.given, type="given")
    else:
        _put(name, "namePart", author.name)
    role = add(name, MODS, "role")
    add(role, MODS, "roleTerm", code, type="code", authority="marcrelator")
    _put(name, "affiliation", author.affiliation)
    _put(name, "nameIdentifier", author.orcid, type="orcid")


def _origin(root: etree._Element, record: Record) -> None:
    date = record.date or (str(record.year) if record.year else None)
    if not (date or record.publisher or record.edition):
        return
    origin = add(root, MODS, "originInfo")
    _put(origin, "publisher", record.publisher)
    _put(origin, "dateIssued", date, encoding="w3cdtf")
    _put(origin, "edition", record.edition)
    if record.type == "journal":
        add(origin, MODS, "issuance", "serial")


def _subjects(root: etree._Element, topics: Iterable[str], **attributes: str) -> None:
    for topic in topics:
        if line(topic):
            _put(add(root, MODS, "subject", **attributes), "topic", topic)


def _host(root: etree._Element, record: Record) -> None:
    parts = (record.volume, record.issue, record.pages)
    if not record.venue and not any(parts):
        return
    host = add(root, MODS, "relatedItem", type="host")
    if line(record.venue):
        _put(add(host, MODS, "titleInfo"), "title", record.venue)
    if record.type != "journal":
        for number in record.issn:
            _put(host, "identifier", number, type="issn")
    if not any(parts):
        return
    part = add(host, MODS, "part")
    for kind, label in (("volume", record.volume), ("issue", record.issue)):
        if line(label):
            _put(add(part, MODS, "detail", type=kind), "number", label)
    first, last = page_range(record.pages)
    if first:
        extent = add(part, MODS, "extent", unit="pages")
        _put(extent, "start", first)
        _put(extent, "end", last)


def _identifiers(root: etree._Element, record: Record) -> None:
    _put(root, "identifier", record.doi, type="doi")
    for number in record.isbn:
        _put(root, "identifier", number, type="isbn")
    if record.type == "journal" or not record.venue:
        for number in record.issn:
            _put(root, "identifier", number, type="issn")
    for scheme, value in sorted(record.ids.items()):
        _put(root, "identifier", value, type=line(scheme))


def _record_info(root: etree._Element, hit: Hit) -> None:
    info = add(root, MODS, "recordInfo")
    for source in field_sources(hit):
        _put(info, "recordInfoNote", source, type="provenance")
    _put(info, "recordIdentifier", hit.id, source="metasearch")
