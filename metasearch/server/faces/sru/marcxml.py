"""A hit as MARC 21 in XML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from lxml import etree

from metasearch.bib.languages import language_code, languages
from metasearch.formats.reference import field_sources, inverted, is_corporate
from metasearch.formats.text import clean, line, web_url
from metasearch.record import Author, Hit, Record
from metasearch.server.faces.sru.xml import add

MARC = "http://www.loc.gov/MARC21/slim"
#: Kind of work -> positions 6 and 7 of the leader: what it is, and whether it stands alone.
_KINDS = {
    "chapter": "aa", "conference-paper": "aa", "reference-entry": "aa",
    "article": "ab", "preprint": "ab", "review": "ab", "editorial": "ab", "letter": "ab",
    "erratum": "ab", "retraction": "ab",
    "journal": "as", "webpage": "ai",
    "dataset": "mm", "software": "mm", "map": "em", "score": "cm", "audio": "im", "video": "gm",
    "image": "km",
}  # fmt: skip


class _Fields:
    """The data fields of a record while they are written."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root

    def add(self, tag: str, indicators: str, *subfields: tuple[str, str | None]) -> None:
        """A field with those of its subfields that have a text; none where its first has not."""
        texts = [(code, line(text)) for code, text in subfields]
        if not texts[0][1]:
            return
        field = add(self._root, MARC, "datafield", tag=tag, ind1=indicators[0], ind2=indicators[1])
        for code, text in texts:
            if text:
                add(field, MARC, "subfield", text, code=code)


def divided(authors: Iterable[Author]) -> tuple[Author, ...]:
    """The first author with a family name, which is all that `is_corporate` looks for among the
    neighbours of a name; a work may have twenty thousand.
    """
    return tuple(islice((author for author in authors if author.family), 1))


def record_element(hit: Hit) -> etree._Element:
    """The merged record; the sources and what each of them gave stand in 035 and 588."""
    record = hit.record
    root = etree.Element(f"{{{MARC}}}record", nsmap={None: MARC})  # type: ignore[dict-item]
    kind = _KINDS.get(record.type or "", "ab" if record.venue and record.type is None else "am")
    add(root, MARC, "leader", f"00000n{kind} a2200000   4500")
    add(root, MARC, "controlfield", line(hit.id), tag="001")
    add(root, MARC, "controlfield", "metasearch", tag="003")
    add(root, MARC, "controlfield", _fixed(record), tag="008")
    fields = _Fields(root)
    _numbers(fields, hit)
    _people(fields, record.authors)
    _titles(fields, record)
    fields.add("250", "  ", ("a", record.edition))
    date = record.date or _year(record)
    published = [("b", record.publisher), ("c", date)] if record.publisher else [("c", date)]
    fields.add("264", " 1", *published)
    if record.type:
        fields.add("380", "  ", ("a", record.type), ("2", "metasearch"))
    _notes(fields, hit)
    for subject in record.subjects:
        fields.add("650", " 4", ("a", subject))
    for keyword in record.keywords:
        fields.add("653", "  ", ("a", keyword))
    _editors(fields, record)
    _host(fields, record)
    for url, kind_of_file in ((record.url, None), (record.pdf_url, "application/pdf")):
        fields.add("856", "40", ("u", web_url(url)), ("q", kind_of_file))
    return root


def _fixed(record: Record) -> str:
    """Field 008, of 40 characters: the year in 7-10, the language in 35-37."""
    year = f"{record.year:04d}" if record.year and 0 < record.year < 10_000 else None
    dates = f"s{year}    " if year else "nuuuuuuuu"
    return f"||||||{dates}xx {'|' * 17}{_language(record) or '|||'} d"


def _language(record: Record) -> str | None:
    code = language_code(record.language) if record.language else None
    return languages()[code].bibliographic if code else None


def _year(record: Record) -> str | None:
    return str(record.year) if record.year else None


def _numbers(fields: _Fields, hit: Hit) -> None:
    record = hit.record
    fields.add("010", "  ", ("a", record.ids.get("lccn")))
    for number in record.isbn:
        fields.add("020", "  ", ("a", number))
    for number in record.issn:
        fields.add("022", "  ", ("a", number))
    fields.add("024", "7 ", ("a", record.doi), ("2", "doi"))
    for scheme, value in sorted(record.ids.items()):
        fields.add("024", "7 ", ("a", value), ("2", scheme))
    if "oclc" in record.ids:
        fields.add("035", "  ", ("a", f"(OCoLC){record.ids['oclc']}"))
    for found in hit.records:
        if found.source_id:
            fields.add("035", "  ", ("a", f"({found.source}){found.source_id}"))
    if record.language and not _language(record):
        fields.add("546", "  ", ("a", record.language))
    fields.add("041", "  ", ("a", _language(record)))


def _people(fields: _Fields, authors: Sequence[Author]) -> None:
    """The first author in 100 or 110; the others stand behind the titles, in 700 and 710."""
    if authors:
        _person(fields, authors[0], divided(authors), "1", ())


def _person(
    fields: _Fields,
    author: Author,
    authors: Sequence[Author],
    first_digit: str,
    role: Sequence[tuple[str, str | None]],
) -> None:
    if is_corporate(author, authors):
        fields.add(f"{first_digit}10", "2 ", ("a", author.name), *role)
        return
    orcid = f"(orcid){author.orcid}" if author.orcid else None
    affiliation = author.affiliation
    indicators = "1 " if author.family else "0 "
    fields.add(
        f"{first_digit}00",
        indicators,
        ("a", inverted(author)),
        ("0", orcid),
        *role,
        ("u", affiliation),
    )


def _editors(fields: _Fields, record: Record) -> None:
    others, editors = divided(record.authors), divided(record.editors)
    for author in record.authors[1:]:
        _person(fields, author, others, "7", ())
    for editor in record.editors:
        role = (("e", "editor"), ("4", "edt"))
        _person(fields, editor, editors, "7", role)
    if record.institution and record.type != "thesis":
        fields.add("710", "2 ", ("a", record.institution), ("4", "isb"))


def _titles(fields: _Fields, record: Record) -> None:
    fields.add("240", "10", ("a", record.original_title))
    subtitle = line(record.subtitle)
    title = line(record.title)
    shown = f"{title} :" if title and subtitle else title
    added = "1" if record.authors else "0"
    fields.add(
        "245", f"{added}0", ("a", shown or subtitle or "[Untitled]"), ("b", title and subtitle)
    )
    translated = record.translated_title
    fields.add("246", "31", ("a", translated))
    for title in record.titles:
        fields.add("246", "3 ", ("a", title))


def _notes(fields: _Fields, hit: Hit) -> None:
    record = hit.record
    if record.retracted:
        fields.add("500", "  ", ("a", "This work was retracted."))
    if record.citations is not None:
        fields.add("500", "  ", ("a", f"Cited {record.citations:,} times."))
    if record.type == "thesis":
        fields.add("502", "  ", ("c", record.institution), ("d", _year(record)))
    if record.open_access and record.open_access != "closed":
        access = ("f", "Unrestricted online access"), ("2", "star")
        fields.add("506", "0 ", ("a", f"Open access ({record.open_access})"), *access)
    fields.add("520", "3 ", ("a", clean(record.abstract or "")))
    licence = line(record.licence)
    fields.add("540", "  ", ("u" if licence.startswith("http") else "a", licence))
    for source in field_sources(hit):
        fields.add("588", "0 ", ("a", source))


def _host(fields: _Fields, record: Record) -> None:
    """What contains the work, and the place of the work in it, each number with its word."""
    venue = line(record.venue)
    numbers = [
        ("g", f"{word} {number}")
        for word, number in (
            ("Vol.", line(record.volume)),
            ("no.", line(record.issue)),
            ("p.", line(record.pages)),
        )
        if number
    ]
    titled = [("t", venue)] if venue else []
    if not titled and not numbers:
        return
    # A host has one of each; 020 and 022 have all.
    issn = next(iter(record.issn), None)
    isbn = next(iter(record.isbn), None) if record.type == "chapter" else None
    fields.add("773", "0 ", *titled, *numbers, ("x", issn if venue else None), ("z", isbn))
