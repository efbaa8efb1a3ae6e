"""The part of a record page that programs read in its head: links (signposting,
https://signposting.org) as a header and as elements, and the meta tags of Highwire, which Google
Scholar and others read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metasearch.bib.identifier_forms import orcid
from metasearch.formats.mods import zotero_type
from metasearch.formats.reference import date_parts, doi_url, full_title, inverted, page_range
from metasearch.formats.tagged_lines import general_type
from metasearch.formats.text import ascii_url, line, web_url
from metasearch.record import Record
from metasearch.server.pages.json_ld import schema_type

#: Links to authors, and characters of one address; with more a header would be too long for some
#: clients.
_MOST_AUTHORS, _LONGEST = 10, 600
#: Meta tags for authors and keywords.
_MOST_TAGS = 200


@dataclass(frozen=True, slots=True)
class MachineLink:
    """One link. `address`: in printable ASCII, without "<", ">" and quotes. `media_type`: of the
    target; "" where that is not known.
    """

    rel: str
    address: str
    media_type: str = ""


def page_links(
    record: Record, canonical: str, descriptions: Sequence[tuple[str, str]]
) -> list[MachineLink]:
    """The links of a record page. `canonical`: absolute address of the page. `descriptions`:
    (absolute address, media type) of its metadata in each format.
    """
    return [*_links(record, canonical, descriptions)]


def _links(
    record: Record, canonical: str, descriptions: Sequence[tuple[str, str]]
) -> Iterator[MachineLink]:
    yield from _link("canonical", canonical)
    yield from _link("cite-as", doi_url(record.doi) or canonical)
    yield from _link("type", "https://schema.org/AboutPage")
    yield from _link("type", f"https://schema.org/{schema_type(record)}")
    numbers = list(dict.fromkeys(filter(None, (orcid(author.orcid) for author in record.authors))))
    for number in numbers[:_MOST_AUTHORS]:
        yield from _link("author", f"https://orcid.org/{number}")
    yield from _link("item", web_url(record.pdf_url), "application/pdf")
    yield from _link("license", web_url(record.licence))
    for address, media_type in descriptions:
        yield from _link("describedby", address, media_type)


def description_links(record: Record, canonical: str) -> list[MachineLink]:
    """The links of the metadata of a work: to the page that they describe, and to the work."""
    return [
        *_link("describes", canonical, "text/html"),
        *_link("cite-as", doi_url(record.doi) or canonical),
    ]


def _link(rel: str, address: str | None, media_type: str = "") -> Iterator[MachineLink]:
    """The link, if its address may stand in a header."""
    written = ascii_url(address or "")
    if web_url(written) == written and 0 < len(written) <= _LONGEST:
        yield MachineLink(rel, written, media_type)


def header(links: Sequence[MachineLink]) -> str:
    """The value of a Link header (RFC 8288)."""
    return ", ".join(
        f'<{link.address}>; rel="{link.rel}"'
        + (f'; type="{link.media_type}"' if link.media_type else "")
        for link in links
    )


def meta_tags(record: Record, canonical: str) -> list[tuple[str, str]]:
    """(name, content) of the tags `citation_*`, those without content left out; and the type of the
    work in Zotero's word, without which most types would be a journal article to it.
    """
    tags = _tags(record, canonical)
    named = [(f"citation_{name}", content) for name, content in tags if content]
    return [*named, ("DC.type", zotero_type(general_type(record)))]


def _tags(record: Record, canonical: str) -> Iterator[tuple[str, str]]:
    first, last = page_range(record.pages)
    yield "title", full_title(record)
    for author in record.authors[:_MOST_TAGS]:
        yield "author", inverted(author)
        yield "author_institution", line(author.affiliation)
        yield "author_orcid", orcid(author.orcid) or ""
    for editor in record.editors[:_MOST_TAGS]:
        yield "editor", inverted(editor)
    date = "/".join(filter(None, date_parts(record.date))) or str(record.year or "")
    yield "publication_date", date
    yield from _container(record)
    yield "volume", line(record.volume)
    yield "issue", line(record.issue)
    yield "firstpage", first
    yield "lastpage", last
    yield "doi", line(record.doi)
    yield "pmid", line(record.ids.get("pmid"))
    yield "arxiv_id", line(record.ids.get("arxiv"))
    yield from (("issn", line(number)) for number in record.issn)
    yield from (("isbn", line(number)) for number in record.isbn)
    yield "publisher", line(record.publisher)
    yield "language", line(record.language)
    yield from (("keywords", line(word)) for word in record.keywords[:_MOST_TAGS])
    yield "abstract", line(record.abstract)
    yield "pdf_url", web_url(record.pdf_url) or ""
    yield "abstract_html_url", canonical


def _container(record: Record) -> Iterator[tuple[str, str]]:
    venue, body = line(record.venue), line(record.institution) or line(record.publisher)
    match general_type(record):
        case "conference-paper":
            yield "conference_title", venue
        case "chapter" | "reference-entry":
            yield "inbook_title", venue
        case "thesis":
            yield "dissertation_institution", body
        case "report":
            yield "technical_report_institution", body
        case "book" | "proceedings":
            yield "series_title", venue
        case "article" | "review" | "editorial" | "letter" | "erratum" | "retraction":
            yield "journal_title", venue
        case _:  # "journal_title" would make a journal article of it
            yield "publisher", "" if record.publisher else venue
