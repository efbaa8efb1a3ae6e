"""MODS 3.7: a hit as an element, and a collection of them. Of what Zotero reads, it loses the
least.

https://www.loc.gov/standards/mods/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import quoteattr

from metasearch.bib import trials
from metasearch.formats import reference
from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reading.worktypes import ZOTERO_TYPES
from metasearch.formats.reference import link
from metasearch.formats.text import line, web_url, xml_leaf, xml_parent
from metasearch.record import PEOPLE, Author, Hit, Record

NAMESPACE = "http://www.loc.gov/mods/v3"
_XLINK = "http://www.w3.org/1999/xlink"
#: `source` of a recordIdentifier that we have written.
OWNER = "metasearch"
#: `Record.type` -> what kind of thing, where it is no text.
_THINGS = {
    "dataset": "software, multimedia",
    "software": "software, multimedia",
    "map": "cartographic",
    "score": "notated music",
    "audio": "sound recording",
    "video": "moving image",
    "image": "still image",
}
#: displayLabel of the title in the language of the work, and of a body that its source calls one: a
#: name that no source has divided is written as that of a body, too, or Zotero divides the name.
ORIGINAL, BODY = "original title", "body"
#: displayLabel of an originInfo whose publisher is the institution.
INSTITUTION = "institution"
#: Whose container is a series; that of the others is what they stand in.
WHOLE = frozenset({"book", "proceedings", "thesis", "report", "journal", "map", "standard"})
#: Whose repository Zotero takes from the publisher.
IN_REPOSITORIES = frozenset({"preprint", "dataset", "software"})


def zotero_type(kind: str) -> str:
    """What Zotero calls one of `TYPES`; "document" for any other word."""
    return ZOTERO_TYPES.get(kind, "document")


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """Of what stands beside the records, the origins are written."""
    yield (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<modsCollection xmlns={quoteattr(NAMESPACE)}>\n'
    ).encode()
    for hit, found in with_beside(hits, beside):
        yield f"{element(hit, found)}\n".encode()
    yield b"</modsCollection>\n"


def element(
    hit: Hit, beside: Beside | None = None, *, namespace: str = "", answering: bool = False
) -> str:
    """A hit as a mods element.

    `namespace`: declared in it, for one that stands in no collection of ours. `answering`: the
    record answers a search, so notes in `recordInfo` name the fields of each source.
    """
    declared = f" xmlns={quoteattr(namespace)}" if namespace else ""
    inner = "".join(_elements(hit, beside, answering=answering))
    return f'<mods{declared} version="3.7">{inner}</mods>'


def _elements(hit: Hit, beside: Beside | None, *, answering: bool) -> Iterator[str]:
    record = hit.record
    kind = reference.general_type(record)
    resource, genre = _THINGS.get(kind, "text"), zotero_type(kind)
    yield _title(record)
    for title in reference.further_titles(record):
        label = {"displayLabel": ORIGINAL} if title == line(record.original_title) else {}
        translated = title == line(record.translated_title)
        kind_of_title = "translated" if translated else "alternative"
        yield xml_parent("titleInfo", xml_leaf("title", title), type=kind_of_title, **label)
    for people, role in zip(PEOPLE, ("aut", "edt", "trl"), strict=True):
        for person in getattr(record, people):
            yield _name(person, role)
    if answering and record.institution:
        degree = "dgg" if kind == "thesis" else "isb"
        yield _name(Author(record.institution, collective=True), degree)
    yield xml_leaf("typeOfResource", resource)
    yield xml_leaf("genre", genre, authority="local")
    if record.type:
        yield xml_leaf("genre", line(record.type))
    yield _origin_info(record, kind, institution="" if answering else line(record.institution))
    yield _language(line(record.language))
    yield xml_leaf("abstract", line(record.abstract))
    for note in ("Retracted",) if record.retracted else ():
        yield xml_leaf("note", note)
    for text in texts(beside.origins) if beside is not None else ():
        yield xml_leaf("note", text)
    for keyword in record.keywords:
        yield xml_parent("subject", xml_leaf("topic", line(keyword)))
    for subject in record.subjects:
        yield xml_parent("subject", xml_leaf("topic", line(subject)), authority="local")
    yield _container(record, kind)
    yield from _identifiers(record, kind)
    yield xml_parent(
        "location",
        xml_leaf("url", link(record) or "", usage="primary display"),
        xml_leaf("url", web_url(record.pdf_url) or "", displayLabel="PDF"),
    )
    yield _licence(line(record.licence))
    notes = reference.field_sources(hit) if answering else ()
    yield xml_parent(
        "recordInfo",
        *(xml_leaf("recordContentSource", name) for name in reference.databases(hit, beside)),
        *(xml_leaf("recordInfoNote", note, type="provenance") for note in notes),
        xml_leaf("recordIdentifier", line(hit.id), source=OWNER),
    )


def _title(record: Record) -> str:
    title, subtitle = (
        reference.without_stop(line(record.title)),
        reference.without_stop(line(record.subtitle)),
    )
    if not title or subtitle.casefold() in title.casefold():
        return xml_parent("titleInfo", xml_leaf("title", title or subtitle))
    return xml_parent("titleInfo", xml_leaf("title", title), xml_leaf("subTitle", subtitle))


def _name(author: Author, role: str) -> str:
    family, given = line(author.family), line(author.given)
    body = reference.is_corporate(author, (author,))
    if family and not body:
        named = xml_leaf("namePart", family, type="family") + xml_leaf(
            "namePart", given, type="given"
        )
        named += xml_leaf("namePart", line(author.suffix), type="termsOfAddress")
    else:
        named = xml_leaf("namePart", line(author.name))
    term = xml_leaf("roleTerm", role, type="code", authority="marcrelator")
    return xml_parent(
        "name",
        named,
        xml_parent("role", term) if named else "",
        xml_leaf("affiliation", line(author.affiliation)) if named else "",
        xml_leaf("nameIdentifier", line(author.orcid), type="orcid") if named else "",
        type="corporate" if body else "personal",
        **({"displayLabel": BODY} if author.collective else {}),
    )


def _origin_info(record: Record, kind: str, *, institution: str) -> str:
    """Who published it, and when.

    Zotero takes every name of a body but a publisher's for an author, and the first publisher for
    the university of a thesis or the institution of a report. So a file has the institution here;
    where a record answers a search, catalogues read it as a name with its role.
    """
    publisher = line(record.publisher)
    if kind in IN_REPOSITORIES:
        publisher = publisher or line(record.venue)
    bodies = [institution, publisher] if kind in ("thesis", "report") else [publisher, institution]
    date = reference.iso_date(record.date) or reference.four_digits(record.year)
    return xml_parent(
        "originInfo",
        xml_parent("place", xml_leaf("placeTerm", line(record.place), type="text")),
        *(xml_leaf("publisher", body) for body in dict.fromkeys(bodies)),
        xml_leaf("dateIssued", date, encoding="w3cdtf"),
        xml_leaf("edition", line(record.edition)),
        xml_leaf("issuance", "serial") if record.type == "journal" else "",
        **({"displayLabel": INSTITUTION} if institution and not publisher else {}),
    )


def _language(language: str) -> str:
    """A code of two or three letters as BCP 47 has it, which Zotero shows; else the word."""
    if len(language) in (2, 3) and language.isascii():
        return xml_parent(
            "language", xml_leaf("languageTerm", language, type="code", authority="rfc5646")
        )
    return xml_parent("language", xml_leaf("languageTerm", language, type="text"))


def _licence(licence: str) -> str:
    """Its name, or its address, which also stands in a link."""
    link = {"xmlns:xlink": _XLINK, "xlink:href": licence} if licence.startswith("http") else {}
    return xml_leaf("accessCondition", licence, type="use and reproduction", **link)


def _container(record: Record, kind: str) -> str:
    """The host or the series, with what is numbered in it."""
    ranges = reference.page_ranges(record.pages)
    first, last = next(iter(ranges), ("", ""))
    of_host = () if kind in WHOLE else record.issn
    numbers = xml_parent(
        "part",
        xml_parent("detail", xml_leaf("number", line(record.volume)), type="volume"),
        xml_parent("detail", xml_leaf("number", line(record.issue)), type="issue"),
        xml_parent(
            "extent",
            xml_leaf("start", first),
            xml_leaf("end", last),
            xml_leaf("list", line(record.pages) if len(ranges) > 1 else ""),
            unit="pages",
        ),
    )
    return xml_parent(
        "relatedItem",
        xml_parent("titleInfo", xml_leaf("title", line(record.venue))),
        *(xml_leaf("identifier", line(number), type="issn") for number in of_host),
        numbers,
        type="series" if kind in WHOLE else "host",
    )


def _identifiers(record: Record, kind: str) -> Iterator[str]:
    yield xml_leaf("identifier", line(record.doi), type="doi")
    for number in record.isbn:
        yield xml_leaf("identifier", line(number), type="isbn")
    for number in record.issn if kind in WHOLE else ():
        yield xml_leaf("identifier", line(number), type="issn")
    for scheme, value in trials.each_identifier(record.ids):
        yield xml_leaf("identifier", line(value), type=line(scheme))
