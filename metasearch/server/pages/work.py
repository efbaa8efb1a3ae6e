"""The page of one work: all that is known, which source gave it, and why its records are one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from metasearch.bib.identifier_forms import orcid
from metasearch.bib.languages import languages
from metasearch.formats.reference import doi_url, full_title
from metasearch.formats.text import line, web_url
from metasearch.record import Author, Hit, Record
from metasearch.server.pages import json_ld
from metasearch.server.pages.coins import Resolver
from metasearch.server.pages.hit import hit_view
from metasearch.server.pages.machine_links import MachineLink, meta_tags
from metasearch.server.pages.page import Form, page
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit

#: Names, words and records that are shown of one work.
_MOST = 200
#: Addresses of identifiers by their scheme; the value is added.
_RESOLVED = {
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/",
    "arxiv": "https://arxiv.org/abs/",
}
#: Identifier -> what people call it.
_SCHEMES = {"pmid": "PMID", "pmcid": "PMCID", "arxiv": "arXiv", "oclcnum": "OCLC", "lccn": "LCCN"}
#: Format -> the words of its link, to be translated; another one has its own name.
FORMAT_WORDS = {
    "json": "JSON",
    "jsonld": "JSON-LD",
    "ris": "RIS",
    "bibtex": "BibTeX",
    "csl-json": "CSL-JSON",
    "endnote-xml": "EndNote XML",
    "endnote-tagged": "EndNote tagged",
    "nbib": "NBIB (PubMed)",
    "refworks": "RefWorks",
    "noteexpress": "NoteExpress",
    "mods": "MODS",
    "marcxml": "MARCXML",
    "marc": "MARC 21",
    "csv": "CSV",
    "xlsx": "Excel",
    "citations": N_("Citations as text"),
}
#: Field -> what the page calls it, in the order of the page; those with a form of their own are in
#: `_values`.
_LABELS = {
    "title": "Title",
    "original_title": "Original title",
    "translated_title": "Translated title",
    "titles": "Other titles",
    "authors": "Authors",
    "editors": "Editors",
    "date": "Date",
    "year": "Year",
    "venue": "Published in",
    "volume": "Volume",
    "issue": "Issue",
    "pages": "Pages",
    "edition": "Edition",
    "publisher": "Publisher",
    "institution": "Institution",
    "type": "Type",
    "version": "Version",
    "language": "Language",
    "doi": "DOI",
    "isbn": "ISBN",
    "issn": "ISSN",
    "url": "Address",
    "pdf_url": "PDF",
    "open_access": "Open access",
    "licence": "Licence",
    "citations": "Cited",
    "keywords": "Keywords",
    "subjects": "Subjects",
}


@dataclass(frozen=True, slots=True)
class WorkPage:
    """What the page is made from.

    Attributes:
        labels: Source name -> what people call it.
        canonical: Absolute address of the page.
        links: Those for programs.
        formats: (name, media type, local address) of each format.
        citations: (name of the style, text) of formatted citations.
        query: For the search form; "" for none.
        list_address: Of the list that has the work; "" where none is known.
        resolver: The library's link resolver; None for none.
    """

    hit: Hit
    labels: Mapping[str, str]
    canonical: str
    links: Sequence[MachineLink]
    formats: Sequence[tuple[str, str, str]]
    citations: Sequence[tuple[str, str]]
    query: str
    list_address: str
    resolver: Resolver | None

    def label(self, source: str) -> str:
        """What people call a source."""
        return line(self.labels.get(source, source))


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of the merged record.

    Attributes:
        values: (text, address or None) of each.
        rest: How many more values there are.
        source: Label of the source that gave it; "" where that is not recorded.
    """

    name: str
    values: Sequence[tuple[str, str | None]]
    rest: int
    source: str


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record of the work.

    Attributes:
        place: Its rank at the source; 0 for none.
        address: Its page there; None for none.
        about: Year, type and venue.
        key: By which matches and versions name it.
    """

    source: str
    place: int
    title: str
    address: str | None
    about: str
    key: str


def work_page(visit: Visit, shown: WorkPage) -> str:
    """The whole page."""
    hit, record = shown.hit, shown.hit.record
    view = hit_view(hit, shown.labels, visit.site.base, resolver=shown.resolver)
    return page(
        "work.html",
        visit,
        view.title,
        Form(shown.query),
        hit=view,
        work_id=line(hit.id),
        abstract=line(record.abstract),
        abstract_source=shown.label(hit.provenance.get("abstract", "")),
        fields=[*_fields(shown)],
        records=[_record_row(one, shown) for one in hit.records[:_MOST]],
        more_records=max(0, len(hit.records) - _MOST),
        links=shown.links,
        meta_tags=meta_tags(record, shown.canonical),
        json_ld=json_ld.script(json_ld.object_of(hit, shown.canonical)),
        canonical=shown.canonical,
        formats=[
            (FORMAT_WORDS.get(name, name), media, address) for name, media, address in shown.formats
        ],
        citations=shown.citations,
        list_address=shown.list_address,
    )


def _fields(shown: WorkPage) -> Iterator[FieldRow]:
    record, provenance = shown.hit.record, shown.hit.provenance
    rows = [(name, label, [*_values(record, name)]) for name, label in _LABELS.items()]
    rows += [
        (f"ids.{scheme}", _SCHEMES.get(scheme, line(scheme)), [_identifier(scheme, line(value))])
        for scheme, value in sorted(record.ids.items())
    ]
    for name, label, values in rows:
        known = [value for value in values if value[0]]
        if known:
            source = provenance.get(name, "")
            rest = max(0, len(known) - _MOST)
            yield FieldRow(label, known[:_MOST], rest, shown.label(source) if source else "")


def _values(record: Record, name: str) -> Iterator[tuple[str, str | None]]:
    """The texts of a field, each with the address that it leads to."""
    value = getattr(record, name)
    match name:
        case "authors" | "editors":
            yield from map(_person, value)
        case "titles" | "keywords" | "subjects" | "isbn" | "issn":
            yield from ((line(text), None) for text in value)
        case "title":
            yield full_title(record), None
        case "year":
            yield ("" if record.date or value is None else str(value)), None
        case "doi":
            yield line(value), doi_url(value)
        case "url" | "pdf_url" | "licence":
            yield line(value), web_url(value)
        case "language":
            yield (languages()[value].name if value in languages() else line(value)), None
        case "type":
            yield line(value).replace("-", " "), None
        case "citations":
            yield (f"{value:,} times" if value is not None else ""), None
        case _:
            yield line(value), None


def _person(author: Author) -> tuple[str, str | None]:
    number, affiliation = orcid(author.orcid), line(author.affiliation)
    name = line(author.name)
    shown = f"{name} ({affiliation})" if affiliation else name
    return shown, f"https://orcid.org/{number}" if number else None


def _identifier(scheme: str, value: str) -> tuple[str, str | None]:
    return value, web_url(_RESOLVED[scheme] + value) if scheme in _RESOLVED else None


def _record_row(record: Record, shown: WorkPage) -> RecordRow:
    about = (str(record.year or ""), (record.type or "").replace("-", " "), line(record.venue))
    return RecordRow(
        source=shown.label(record.source),
        place=record.position,
        title=line(record.title),
        address=web_url(record.url),
        about=", ".join(filter(None, map(line, about))),
        key=line(record.key),
    )
