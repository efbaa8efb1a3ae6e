"""Record -> Fingerprint: everything that dedup compares, normalised once a record.

The four-tuple is that of Hao Hui's cross-database de-duplication for novelty retrieval: {title, journal, year, first
author}, each stripped of symbols, width and case, hashed with SHA-1.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Any

from metasearch import normalise
from metasearch.dedup.signature import signature
from metasearch.dedup.titles import GENERIC_TITLES, notice, parts, title_words
from metasearch.record import Record

#: Authors that are compared; a collaboration of thousands is told apart by its first ones.
MOST_AUTHORS = 30

_PREPRINT_DOIS = (
    "10.48550/",
    "10.1101/",
    "10.2139/",
    "10.31219/",
    "10.31234/",
    "10.20944/preprints",
    "10.21203/",
    "10.26434/",
    "10.36227/",
)
_PREPRINT_VENUES = frozenset(
    "arxiv corr biorxiv medrxiv chemrxiv psyarxiv socarxiv ssrn ssrnelectronicjournal researchsquare preprints "
    "preprintsorg techrxiv osfpreprints eartharxiv arxivorg corrabs".split()
)
_STOP = frozenset("the a an of and for in on de la le les des du der die das und fur et y e el".split())
_EDITION = re.compile(r"(\d{1,3})\s*(?:st|nd|rd|th|e|\.)?\s*(?:ed|aufl|uitg|版)|^(\d{1,3})$")
_EDITION_WORDS = {
    "second": "2",
    "third": "3",
    "fourth": "4",
    "fifth": "5",
    "sixth": "6",
    "zweite": "2",
    "deuxieme": "2",
}


_NOBODY: frozenset[str] = frozenset()


class Fingerprint:
    """All compared values of a record; empty or None means that the record does not say.

    What the keys need is computed at once, the rest when a pair is compared for the first time: most records of a
    search resemble no other, and this halves what a fingerprint costs. Equal only to itself; nobody changes one.

    Attributes:
        record_key: Names the record.
        words: Folded words of title and subtitle; `text` is the same joined by blanks, `compact` without them.
        breaks: Numbers of words after which a mark ends a part of the title: where a subtitle may begin.
        cut: The title ends in an ellipsis.
        generic: The title stands on many works ("Editorial").
        notice: "erratum", "reply", ... where the record is about another work.
        parts: Numbers of parts in the title ("Part II" -> "2"); `numbers`: all numbers.
        first: Spellings of the first author's family name, more than one where the name was not split for certain.
        families: The same of all authors.
        venue: Folded words without articles and prepositions.
        pages: First and last page, completed.
        four_tuple: SHA-1 hex, or None where fewer than two of journal, year and first author are known.
        simhash: 64 bits, or None where there is too little text.
    """

    record_key: str
    url: str | None
    doi: str | None
    ids: frozenset[str]
    isbn: frozenset[str]
    words: tuple[str, ...]
    text: str
    compact: str
    breaks: frozenset[int]
    cut: bool
    generic: bool
    notice: str
    parts: frozenset[str]
    numbers: frozenset[str]
    edition: str
    first: frozenset[str]
    families: frozenset[str]
    year: int | None
    venue: tuple[str, ...]
    publisher: str
    volume: str
    issue: str
    pages: tuple[str, str]
    preprint: bool
    four_tuple: str | None
    simhash: int | None

    def __init__(self, record: Record, record_key: str | None = None) -> None:
        self.record = record
        self.record_key = record_key or record.key
        self.words, self.breaks = title_words(record.title, record.subtitle)
        self.text = " ".join(self.words)
        self.compact = compact = "".join(self.words)
        self.generic = compact in GENERIC_TITLES or len(compact) < 2
        authors = record.authors
        self.first = _spellings(authors[0].family, authors[0].name) if authors else _NOBODY
        self.year = record.year
        self.venue = _venue_words(record.venue) if record.venue else ()
        self.url = normalise.url_key(record.url)
        self.doi = record.doi
        self.ids = _identifiers(record)
        self.isbn = frozenset(record.isbn) if record.isbn else _NOBODY
        self.four_tuple = four_tuple(compact, self.venue, record.year, self.first)

    def __getattr__(self, name: str) -> Any:
        """Compute the rest: all of it at once, because whoever compares one field compares the others too."""
        if name == "simhash":
            self.simhash = signature(self.words, self.record.abstract) if self.record.abstract else None
        elif name in _LATER:
            self._complete()
        else:
            raise AttributeError(name)
        return self.__dict__[name]

    def _complete(self) -> None:
        record, words = self.record, self.words
        self.cut = record.title.endswith(("…", "...", "… ", "... "))
        self.notice = notice(self.text, words, self.breaks)
        self.parts = parts(self.text, words, record.title, record.subtitle)
        self.numbers = frozenset([w for w in words if w.isdecimal()])
        self.edition = _edition(record.edition) if record.edition else ""
        self.families = _NOBODY.union(*[_spellings(a.family, a.name) for a in record.authors[:MOST_AUTHORS]])
        self.publisher = normalise.compact(record.publisher) if record.publisher else ""
        self.volume = normalise.number_key(record.volume)
        self.issue = normalise.number_key(record.issue)
        self.pages = normalise.pages_key(record.pages)
        self.preprint = _is_preprint(record, self.venue)


_LATER = frozenset(
    ("cut", "notice", "parts", "numbers", "edition", "families", "publisher", "volume", "issue", "pages", "preprint")
)


def fingerprint(record: Record) -> Fingerprint:
    """The fingerprint of a record; pure, and a function of the record alone."""
    return Fingerprint(record)


@lru_cache(maxsize=10_000)
def _venue_words(venue: str) -> tuple[str, ...]:
    return tuple(w for w in normalise.words(venue) if w not in _STOP)


def four_tuple(title: str, venue: tuple[str, ...], year: int | None, first: frozenset[str]) -> str | None:
    """SHA-1 of {title, journal, year, first author}.

    None where the title is missing, or more than one of the other three: an empty member would let two works of one
    title meet in "nothing".

    Args:
        title: Letters and digits only.
        venue: Its words.
        year: Of publication.
        first: Spellings of the first author's family name; the smallest one counts.
    """
    if not title or (bool(venue) + (year is not None) + bool(first)) < 2:
        return None
    members = f"{title}\x1f{''.join(venue)}\x1f{year or ''}\x1f{min(first) if first else ''}"
    return hashlib.sha1(members.encode(), usedforsecurity=False).hexdigest()


def _identifiers(record: Record) -> frozenset[str]:
    """Every identifier with its scheme; the source's own one too, because a page may repeat a record."""
    if not record.ids:
        return frozenset((f"record:{record.key}",)) if record.source_id else _NOBODY
    found = [f"{scheme}:{value.lower()}" for scheme, value in record.ids.items()]
    if record.source_id:
        found.append(f"record:{record.key}")
    return frozenset(found)


@lru_cache(maxsize=2_000)
def _edition(value: str) -> str:
    text = normalise.fold(value).strip(" .[]")
    for word, number in _EDITION_WORDS.items():
        if word in text:
            return number
    found = _EDITION.search(text)
    return (found.group(1) or found.group(2)) if found else ""


@lru_cache(maxsize=20_000)
def _spellings(family: str | None, name: str) -> frozenset[str]:
    """What the family name may be: one spelling where it is known, the likely ones where the name is in one piece."""
    if family and not normalise.has_cjk(family):
        return frozenset({normalise.family_key(family)})
    if normalise.has_cjk(name):  # a Chinese family name is shared by millions, so the whole name counts
        return frozenset({normalise.compact(name)})
    words = [w for w in name.replace(".", ". ").split() if normalise.compact(w)]
    if not words:
        return frozenset()
    long = [w for w in words if len(normalise.compact(w)) > 1 and not (w.isupper() and len(w) <= 3)]
    if len(words) > 4 or not long:  # a body, not a person: its whole name counts
        return frozenset({normalise.compact(name)})
    return frozenset(normalise.family_key(w) for w in {long[0], long[-1]})


def _is_preprint(record: Record, venue: tuple[str, ...]) -> bool:
    if record.type == "preprint":
        return True
    if record.doi and record.doi.startswith(_PREPRINT_DOIS):
        return True
    return "".join(venue) in _PREPRINT_VENUES
