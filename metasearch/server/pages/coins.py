"""COinS (OpenURL ContextObject in SPAN): how reference managers read a list of hits (NISO
Z39.88-2004, KEV).

An empty element carries the description of a hit in its title.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, urlsplit

from metasearch.formats.reference import full_title, page_range
from metasearch.formats.text import line
from metasearch.record import Hit, Record

#: `Record.type` -> (format, genre); what is not listed is an article in a journal or of unknown
#: genre.
_GENRES = {
    "article": ("journal", "article"),
    "review": ("journal", "article"),
    "editorial": ("journal", "article"),
    "letter": ("journal", "article"),
    "erratum": ("journal", "article"),
    "retraction": ("journal", "article"),
    "preprint": ("journal", "preprint"),
    "conference-paper": ("journal", "proceeding"),
    "journal": ("journal", "journal"),
    "proceedings": ("book", "conference"),
    "book": ("book", "book"),
    "reference-entry": ("book", "bookitem"),
    "chapter": ("book", "bookitem"),
    "report": ("book", "report"),
    "thesis": ("dissertation", "dissertation"),
    "patent": ("patent", "patent"),
}
_INFO_IDS = ("pmid", "lccn", "oclcnum", "bibcode", "hdl")


def context_object(hit: Hit, base: str) -> str:
    """The description as key-encoded values; keys without a value are left out.

    Args:
        hit: Described by its merged record.
        base: Absolute address of this server, which names the referrer.
    """
    return "&".join(f"{key}={quote(value, safe='')}" for key, value in _pairs(hit, base) if value)


def _pairs(hit: Hit, base: str) -> Iterator[tuple[str, str]]:
    record = hit.record
    kind, genre = _GENRES.get(
        record.type or "", ("journal", "article" if record.type is None else "unknown")
    )
    yield "ctx_ver", "Z39.88-2004"
    yield "rft_val_fmt", f"info:ofi/fmt:kev:mtx:{kind}"
    yield "rfr_id", f"info:sid/{urlsplit(base).hostname or 'localhost'}:metasearch"
    yield "rft.genre", genre if kind in ("journal", "book") else ""
    yield from _titles(record, kind, genre)
    yield from _people(record, kind)
    yield "rft.date", line(record.date) or str(record.year or "")
    yield "rft.volume", line(record.volume)
    yield "rft.issue", line(record.issue)
    first, last = page_range(record.pages)
    yield ("rft.spage", first) if last else ("rft.pages", first)
    yield "rft.epage", last
    yield "rft.pub", line(record.publisher) if kind == "book" else ""
    yield from (("rft.issn", line(number)) for number in record.issn)
    yield from (("rft.isbn", line(number)) for number in record.isbn)
    yield "rft.language", line(record.language)
    if record.doi:
        yield "rft_id", f"info:doi/{line(record.doi)}"
    for scheme in _INFO_IDS:
        if record.ids.get(scheme):
            yield "rft_id", f"info:{scheme}/{line(record.ids[scheme])}"


def _titles(record: Record, kind: str, genre: str) -> Iterator[tuple[str, str]]:
    title, venue = full_title(record), line(record.venue)
    if kind == "journal":
        if genre == "journal":
            yield "rft.jtitle", title
        else:
            yield "rft.atitle", title
            yield "rft.jtitle", venue
    elif kind == "book":
        if genre == "bookitem":
            yield "rft.atitle", title
            yield "rft.btitle", venue
        else:
            yield "rft.btitle", title
    else:
        yield "rft.title", title


def _people(record: Record, kind: str) -> Iterator[tuple[str, str]]:
    key = "rft.inventor" if kind == "patent" else "rft.au"
    if record.authors and record.authors[0].family:
        yield "rft.aulast", line(record.authors[0].family)
        yield "rft.aufirst", line(record.authors[0].given)
    yield from ((key, line(author.name)) for author in record.authors)
