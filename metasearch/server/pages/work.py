"""The page of one work: all that is known, which source gave it, and why its records are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from metasearch.formats.citations.styles import STYLES
from metasearch.formats.text import line
from metasearch.record import Hit
from metasearch.server.pages import json_ld
from metasearch.server.pages.coins import Resolver
from metasearch.server.pages.hit import hit_view
from metasearch.server.pages.machine_links import MachineLink, meta_tags
from metasearch.server.pages.page import Form, page
from metasearch.server.pages.terms import N_
from metasearch.server.pages.work_evidence import WorkEvidence
from metasearch.server.pages.work_fields import MOST, field_rows
from metasearch.server.visit import Visit

#: Authors that the head of the page names; the table of fields has more.
_AUTHORS_SHOWN = 20
#: Format -> the words of its link; another one has its own name.
FORMAT_WORDS = {
    "json": "JSON",
    "jsonld": "JSON-LD",
    "ris": "RIS",
    "bibtex": "BibTeX",
    "csl-json": "CSL-JSON",
    "endnote-xml": "EndNote XML",
    "endnote-tagged": N_("EndNote tagged"),
    "nbib": "NBIB (PubMed)",
    "refworks": "RefWorks",
    "noteexpress": "NoteExpress",
    "mods": "MODS",
    "marcxml": "MARCXML",
    "marc": "MARC 21",
    "csv": "CSV",
    "xlsx": "Excel",
    "parquet": "Parquet",
    "citations": N_("Citations as text"),
}


@dataclass(frozen=True, slots=True)
class WorkPage:
    """What the page is made from.

    Attributes:
        canonical: Absolute address of the page.
        formats: (name, media type, local address) of each format.
        citations: (name of the style, text) of formatted citations.
        query: For the search form; "" for none.
        search: Parameters of the search that finds the work again; none where it is not known.
        list_address: Of the list that has the work; "" where none is known.
        has_pins: Whether this server reads a file of pins.
    """

    hit: Hit
    labels: Mapping[str, str]
    canonical: str
    links: Sequence[MachineLink]
    formats: Sequence[tuple[str, str, str]]
    citations: Sequence[tuple[str, str]]
    query: str
    search: Mapping[str, str | int]
    list_address: str
    resolver: Resolver | None
    has_pins: bool

    def label(self, source: str) -> str:
        """What people call a source."""
        return line(self.labels.get(source, source))


def work_page(visit: Visit, shown: WorkPage) -> str:
    """The whole page."""
    hit, record = shown.hit, shown.hit.record
    view = hit_view(hit, shown.labels, visit.site.base, resolver=shown.resolver)
    evidence = WorkEvidence(hit, shown.label)
    authors = [name for author in record.authors if (name := line(author.name))]
    own_style, other_styles = _by_preference(shown.citations, visit.style)
    return page(
        "work.html",
        visit,
        view.title,
        Form(shown.query),
        hit=view,
        work_id=line(hit.id),
        authors=authors[:_AUTHORS_SHOWN],
        more_authors=max(0, len(authors) - _AUTHORS_SHOWN),
        cited=record.citations,
        cited_by=_source_of(shown, "citations"),
        abstract=line(record.abstract),
        abstract_source=_source_of(shown, "abstract"),
        no_abstract=_sources_without_abstract(shown),
        fields=[*field_rows(hit, shown.label, visit.language)],
        compares=len(hit.sources) > 1,
        work=evidence,
        records=evidence.records(MOST),
        more_records=max(0, len(hit.records) - MOST),
        has_pins=shown.has_pins,
        in_basket=not {hit.id, *hit.also}.isdisjoint(visit.basket),
        search=urlencode(shown.search, quote_via=quote, errors="replace"),
        links=shown.links,
        meta_tags=meta_tags(record, shown.canonical),
        json_ld=json_ld.script(json_ld.object_of(hit, shown.canonical)),
        canonical=shown.canonical,
        formats=[
            (FORMAT_WORDS.get(name, name), media, address) for name, media, address in shown.formats
        ],
        citation=own_style,
        citations=other_styles,
        styles={name: style.about for name, style in STYLES.items()},
        list_address=shown.list_address,
    )


def _by_preference(
    citations: Sequence[tuple[str, str]], style: str
) -> tuple[tuple[str, str] | None, list[tuple[str, str]]]:
    """The citation in the reader's style, and those in the others."""
    first = next((each for each in citations if each[0] == style), None)
    return first, [each for each in citations if each is not first]


def _source_of(shown: WorkPage, field: str) -> str:
    """The label of the source that gave a field; "" where that is not recorded."""
    name = shown.hit.provenance.get(field, "")
    return shown.label(name) if name else ""


def _sources_without_abstract(shown: WorkPage) -> list[str]:
    having = {each.source for each in shown.hit.records if each.abstract}
    return [shown.label(name) for name in shown.hit.sources if name not in having]
