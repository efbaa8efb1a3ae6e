"""A work as programs read it in a page: OpenURL (COinS, and for a library's link resolver), JSON-LD
of schema.org, links of signposting, and the meta tags of Highwire.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

import orjson
from markupsafe import Markup

from metasearch.bib import trials
from metasearch.bib.identifiers import orcid
from metasearch.formats.mods import zotero_type
from metasearch.formats.reference import (
    are_corporate,
    date_parts,
    doi_url,
    family_first,
    full_title,
    further_titles,
    general_type,
    link,
    page_range,
)
from metasearch.formats.text import ascii_url, line, web_url
from metasearch.record import Author, Hit, Record
from metasearch.settings import ServerSettings

# OpenURL context objects (NISO Z39.88-2004, KEV): how a hit is described to reference managers, in
# the title of an empty element (COinS), and to a library's link resolver, in an address. One list
# of keys serves both. Two things differ: Zotero reads keys of journals that no resolver knows, and
# adds an author twice where the first one is also given in parts.

#: `Record.type` -> (format, genre). Every other type is described as Dublin Core with the word that
#: Zotero has for it: the genres of the other formats would make a journal article or a book of it.
_GENRES = {
    "article": ("journal", "article"),
    "review": ("journal", "article"),
    "editorial": ("journal", "article"),
    "letter": ("journal", "article"),
    "erratum": ("journal", "article"),
    "retraction": ("journal", "article"),
    # Of a proceeding in the format of journals, Zotero makes a journal article.
    "conference-paper": ("book", "proceeding"),
    # Of the genre "conference", Zotero makes a paper without a title.
    "proceedings": ("book", "book"),
    "book": ("book", "book"),
    "reference-entry": ("book", "bookitem"),
    "chapter": ("book", "bookitem"),
    "report": ("book", "report"),
    "thesis": ("dissertation", ""),
    "patent": ("patent", ""),
}
_PARTS = frozenset({"bookitem", "proceeding"})
_INFO_IDS = ("pmid", "lccn", "oclcnum", "bibcode", "hdl")
#: Keys that only readers of spans use, and keys that only resolvers use.
_OF_SPANS = frozenset({"rft.description", "rft.subject"})
_OF_LINKS = frozenset({"rft.aulast", "rft.aufirst", "rft.invlast", "rft.invfirst"})
#: Characters of an abstract in a span; a longer one ends in "…". A list has many spans.
_LONGEST_ABSTRACT = 1_500
#: Of an address: resolvers need no more authors, and no longer values.
_MOST_IN_LINK, _LONGEST_IN_LINK = 5, 300
_PEOPLE = frozenset({"rft.au", "rft.inventor"})
_IDENTIFIERS = frozenset({"rft_id", "rft.identifier", "rft.issn", "rft.isbn"})
#: Zotero reads "+" as a blank, even where it is percent-encoded.
_PLUS, _FULL_WIDTH_PLUS = "+", "\uff0b"


def context_object(hit: Hit, base: str) -> str:
    """The description as the title of a span; keys without a value are left out.

    A plus sign becomes a full-width one in text, and is written as an escape in addresses; a DOI
    with a plus sign is given as an address. `base`: absolute address of this server, which names
    the referrer.
    """
    pairs = (pair for pair in _pairs(hit, base) if pair[0] not in _OF_LINKS)
    return _query_string((key, _without_plus(value)) for key, value in pairs)


@dataclass(frozen=True, slots=True)
class Resolver:
    """The link resolver of a library. `address`: to which the description is added; it may have a
    query. `name`: what a link to it is called.
    """

    address: str
    name: str

    def link(self, hit: Hit, base: str) -> str:
        """The address at the resolver, which shows how a reader gets the work. `base`: absolute
        address of this server, which names the referrer.
        """
        pairs = [
            ("url_ver", "Z39.88-2004"),
            ("url_ctx_fmt", "info:ofi/fmt:kev:mtx:ctx"),
            *((key, value) for key, value in _pairs(hit, base) if key not in _OF_SPANS),
        ]
        between = "" if self.address[-1] in "?&" else "&" if "?" in self.address else "?"
        return f"{self.address}{between}{_query_string(_shorten(pairs))}"


def resolver_of(settings: ServerSettings) -> Resolver | None:
    """The link resolver that is configured, if there is one."""
    return Resolver(settings.openurl, settings.openurl_name) if settings.openurl else None


def _shorten(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """As an address holds them: the first authors, and the beginnings of long texts. What is too
    long for an identifier is left out.
    """
    people = 0
    for key, value in pairs:
        people += key in _PEOPLE
        if key in _PEOPLE and people > _MOST_IN_LINK:
            continue
        if len(value) <= _LONGEST_IN_LINK:
            yield key, value
        elif key not in _IDENTIFIERS:
            yield key, value[:_LONGEST_IN_LINK]


def _query_string(pairs: Iterable[tuple[str, str]]) -> str:
    return "&".join(f"{key}={quote(value, safe='')}" for key, value in pairs if value)


def _without_plus(value: str) -> str:
    if _PLUS not in value:
        return value
    if value.startswith("info:doi/"):
        value = doi_url(value.removeprefix("info:doi/")) or ""
    if value.startswith(("https://", "http://")):
        path, mark, query = value.partition("?")
        return f"{path.replace(_PLUS, '%2B')}{mark}{query.replace(_PLUS, '%20')}"
    return value.replace(_PLUS, _FULL_WIDTH_PLUS)


def _pairs(hit: Hit, base: str) -> Iterator[tuple[str, str]]:
    """All keys; the values of some are empty."""
    record = hit.record
    kind = general_type(record)
    format_, genre = _GENRES.get(kind, ("dc", ""))
    yield "ctx_ver", "Z39.88-2004"
    yield "rft_val_fmt", f"info:ofi/fmt:kev:mtx:{format_}"
    yield "rfr_id", f"info:sid/{urlsplit(base).hostname or 'localhost'}:metasearch"
    yield "rft.genre", genre
    yield "rft.type", zotero_type(kind) if format_ == "dc" else ""
    yield from _titles(record, format_, genre)
    yield from _people(record, format_)
    yield "rft.date", line(record.date) or str(record.year or "")
    yield from _place(record, format_)
    yield "rft.language", line(record.language)
    if format_ in ("journal", "dc"):
        yield "rft.description", _abstract(record)
        yield from (("rft.subject", line(word)) for word in (*record.keywords, *record.subjects))
    yield from _open_url_identifiers(record, format_)


def _titles(record: Record, format_: str, genre: str) -> Iterator[tuple[str, str]]:
    title, venue = full_title(record), line(record.venue)
    match format_:
        case "journal":
            yield "rft.atitle", title
            yield "rft.jtitle", venue
        case "book" if genre in _PARTS:
            yield "rft.atitle", title
            yield "rft.btitle", venue
        case "book":
            yield "rft.btitle", title
            yield "rft.series", venue
        case "dc":
            yield "rft.title", title
            yield "rft.source", venue
        case _:
            yield "rft.title", title


def _people(record: Record, format_: str) -> Iterator[tuple[str, str]]:
    """Names as "Family, Given", by which Zotero parts them; a body's name ends in a comma, else
    its last word would become a family name.
    """
    key, first = ("rft.inventor", "inv") if format_ == "patent" else ("rft.au", "au")
    bodies = are_corporate(record.authors)
    for number, author in enumerate(record.authors):
        if number == 0 and author.family:
            yield f"rft.{first}last", line(author.family)
            yield f"rft.{first}first", line(author.given)
        name = family_first(author)
        needs_comma = bodies[number] and " " in name and "," not in name
        yield key, f"{name}," if needs_comma else name


def _place(record: Record, format_: str) -> Iterator[tuple[str, str]]:
    """Where in what it was published, and by whom."""
    yield "rft.volume", line(record.volume)
    yield "rft.issue", line(record.issue)
    first, last = page_range(record.pages)
    yield ("rft.spage", first) if last else ("rft.pages", first)
    yield "rft.epage", last
    publisher, institution = line(record.publisher), line(record.institution)
    match format_:
        case "book":
            of_report = record.type == "report" and institution
            yield "rft.pub", of_report or publisher or institution
            yield "rft.edition", line(record.edition)
        case "dissertation":
            yield "rft.inst", institution or publisher
        case "patent":
            yield "rft.number", line(record.ids.get("patent"))
        case "dc":
            # Zotero's preprints and datasets have a repository, which it takes from here.
            yield "rft.publisher", publisher or line(record.venue)
            yield "rft.rights", line(record.licence)


def _abstract(record: Record) -> str:
    text = line(record.abstract)
    return text if len(text) <= _LONGEST_ABSTRACT else f"{text[:_LONGEST_ABSTRACT]}…"


def _open_url_identifiers(record: Record, format_: str) -> Iterator[tuple[str, str]]:
    # Of several, Zotero takes the last ISSN and the first ISBN.
    yield from (("rft.issn", line(number)) for number in reversed(record.issn))
    yield from (("rft.isbn", line(number)) for number in record.isbn)
    yield "rft.identifier" if format_ == "dc" else "rft_id", link(record) or ""
    if record.doi:
        yield "rft_id", f"info:doi/{line(record.doi)}"
    for scheme in _INFO_IDS:
        if record.ids.get(scheme):
            yield "rft_id", f"info:{scheme}/{line(record.ids[scheme])}"


MEDIA_TYPE = "application/ld+json"
#: `Record.type` -> type of schema.org; others have the general one.
TYPES: Mapping[str, str] = {
    "article": "ScholarlyArticle",
    "review": "ScholarlyArticle",
    "editorial": "ScholarlyArticle",
    "letter": "ScholarlyArticle",
    "erratum": "ScholarlyArticle",
    "retraction": "ScholarlyArticle",
    "preprint": "ScholarlyArticle",
    "conference-paper": "ScholarlyArticle",
    "proceedings": "Book",
    "book": "Book",
    "chapter": "Chapter",
    "reference-entry": "Article",
    "thesis": "Thesis",
    "report": "Report",
    "dataset": "Dataset",
    "software": "SoftwareSourceCode",
    "journal": "Periodical",
    "map": "Map",
    "score": "SheetMusic",
    "audio": "AudioObject",
    "video": "VideoObject",
    "image": "ImageObject",
    "webpage": "WebPage",
}
GENERAL_TYPE = "CreativeWork"
#: What closes a script, opens a comment or ends a line, wherever it stands in JSON.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def schema_type(record: Record) -> str:
    return TYPES.get(general_type(record), GENERAL_TYPE)


def object_of(hit: Hit, address: str) -> dict[str, Any]:
    """The work as an object, without what is not known. `address`: of its page, absolute."""
    record = hit.record
    kind = schema_type(record)
    first, last = page_range(record.pages)
    members: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": kind,
        "@id": doi_url(record.doi) or address,
        "name": full_title(record),
        "headline": full_title(record) if kind.endswith("Article") else "",
        "alternateName": further_titles(record),
        "author": _agents(record.authors),
        "editor": _agents(record.editors),
        "translator": _agents(record.translators),
        "datePublished": "-".join(filter(None, date_parts(record.date))) or str(record.year or ""),
        "isPartOf": _container(record, kind),
        "pageStart": first,
        "pageEnd": last,
        "publisher": _organization(record.publisher),
        "sourceOrganization": _organization(record.institution),
        "bookEdition": line(record.edition) if kind == "Book" else "",
        "version": line(record.version),
        "isbn": [line(number) for number in record.isbn],
        "issn": [line(number) for number in record.issn] if kind == "Periodical" else [],
        "inLanguage": line(record.language),
        "abstract": line(record.abstract),
        "keywords": [line(word) for word in (*record.keywords, *record.subjects)],
        "license": line(record.licence),
        "isAccessibleForFree": True if record.open_access not in (None, "closed") else None,
        "creativeWorkStatus": _status(record),
        "identifier": _identifiers(record),
        "sameAs": _addresses(hit),
        "encoding": _encoding(record),
        "url": address,
    }
    return {name: value for name, value in members.items() if value not in ("", None, [])}


def script(described: Mapping[str, Any]) -> Markup:
    """The object as the text of a script element: nothing in it can end that element."""
    text = orjson.dumps(described).decode().translate(_ESCAPES)
    return Markup(text)  # noqa: S704 - no "<", ">" or "&" is left


def _agents(authors: Sequence[Author]) -> list[dict[str, Any]]:
    return [
        _agent(author, body=body)
        for author, body in zip(authors, are_corporate(authors), strict=True)
    ]


def _agent(author: Author, *, body: bool) -> dict[str, Any]:
    number = orcid(author.orcid)
    members = {
        "@type": "Organization" if body else "Person",
        "@id": f"https://orcid.org/{number}" if number else "",
        "name": line(author.name),
        "familyName": "" if body else line(author.family),
        "givenName": "" if body else line(author.given),
        "honorificSuffix": line(author.suffix),
        "affiliation": "" if body else _organization(author.affiliation),
    }
    return {name: value for name, value in members.items() if value}


def _organization(name: str | None) -> dict[str, str] | None:
    shown = line(name)
    return {"@type": "Organization", "name": shown} if shown else None


def _container(record: Record, kind: str) -> dict[str, Any] | None:
    """The issue in its volume in its journal, or the book; None where nothing contains it."""
    venue = line(record.venue)
    if not venue or kind == "Periodical":
        return None
    if kind == "Chapter" or record.type == "conference-paper":
        return {"@type": "Book", "name": venue}
    whole: dict[str, Any] = {"@type": "Periodical" if kind.endswith("Article") else "CreativeWork"}
    whole["name"] = venue
    if record.issn:
        whole["issn"] = [line(number) for number in record.issn]
    for type_, name, number in (
        ("PublicationVolume", "volumeNumber", line(record.volume)),
        ("PublicationIssue", "issueNumber", line(record.issue)),
    ):
        if number:
            whole = {"@type": type_, name: number, "isPartOf": whole}
    return whole


def _status(record: Record) -> str:
    if record.retracted:
        return "Retracted"
    return "Preprint" if record.type == "preprint" else ""


def _identifiers(record: Record) -> list[dict[str, str]]:
    doi = {"doi": record.doi} if record.doi else {}
    return [
        {"@type": "PropertyValue", "propertyID": line(scheme), "value": line(value)}
        for scheme, value in (*doi.items(), *trials.each_identifier(record.ids))
    ]


def _addresses(hit: Hit) -> list[str]:
    """Those of the work at every source, each once."""
    addresses = [doi_url(hit.record.doi), *(web_url(record.url) for record in hit.records)]
    return list(dict.fromkeys(filter(None, addresses)))


def _encoding(record: Record) -> dict[str, str] | None:
    address = web_url(record.pdf_url)
    if address is None:
        return None
    return {"@type": "MediaObject", "contentUrl": address, "encodingFormat": "application/pdf"}


# The part of a record page that programs read in its head: links (signposting,
# https://signposting.org) as a header and as elements, and the meta tags of Highwire, which Google
# Scholar and others read.

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
        yield "author", family_first(author)
        yield "author_institution", line(author.affiliation)
        yield "author_orcid", orcid(author.orcid) or ""
    for editor in record.editors[:_MOST_TAGS]:
        yield "editor", family_first(editor)
    date = "/".join(filter(None, date_parts(record.date))) or str(record.year or "")
    yield "publication_date", date
    yield from _container_tags(record)
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


def _container_tags(record: Record) -> Iterator[tuple[str, str]]:
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
