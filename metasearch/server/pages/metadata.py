"""OpenURL context objects (NISO Z39.88-2004, KEV): how a hit is described to reference managers, in
the title of an empty element (COinS), and to a library's link resolver, in an address.

One list of keys serves both. Two things differ: Zotero reads keys of journals that no resolver
knows, and adds an author twice where the first one is also given in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from metasearch.formats.mods import zotero_type
from metasearch.formats.reference import (
    are_corporate,
    doi_url,
    full_title,
    inverted,
    link,
    page_range,
)
from metasearch.formats.tagged_lines import general_type
from metasearch.formats.text import line
from metasearch.record import Hit, Record
from metasearch.settings import ServerSettings

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
    return _written((key, _without_plus(value)) for key, value in pairs)


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
        return f"{self.address}{between}{_written(_shortened(pairs))}"


def resolver_of(settings: ServerSettings) -> Resolver | None:
    """The link resolver that is configured, if there is one."""
    return Resolver(settings.openurl, settings.openurl_name) if settings.openurl else None


def _shortened(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
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


def _written(pairs: Iterable[tuple[str, str]]) -> str:
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
    yield from _identifiers(record, format_)


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
        name = inverted(author)
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


def _identifiers(record: Record, format_: str) -> Iterator[tuple[str, str]]:
    # Of several, Zotero takes the last ISSN and the first ISBN.
    yield from (("rft.issn", line(number)) for number in reversed(record.issn))
    yield from (("rft.isbn", line(number)) for number in record.isbn)
    yield "rft.identifier" if format_ == "dc" else "rft_id", link(record) or ""
    if record.doi:
        yield "rft_id", f"info:doi/{line(record.doi)}"
    for scheme in _INFO_IDS:
        if record.ids.get(scheme):
            yield "rft_id", f"info:{scheme}/{line(record.ids[scheme])}"
