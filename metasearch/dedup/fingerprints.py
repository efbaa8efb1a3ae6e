"""Record -> Fingerprint: everything that dedup compares, normalised once a record.

The four-tuple is that of Hao Hui's cross-database de-duplication for novelty retrieval: {title,
journal, year, first author}, each stripped of symbols, width and case, hashed with SHA-1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from metasearch.bib import normalise, number_keys, web_addresses
from metasearch.bib.field_limits import LIMITS
from metasearch.dedup import cjk, imprint, people
from metasearch.dedup.affixes import without_affixes
from metasearch.dedup.dois import names_nothing
from metasearch.dedup.late_fields import LONGEST_TITLE, LateFields
from metasearch.dedup.titles import is_generic, parts, title_words
from metasearch.dedup.venues import record_venue
from metasearch.record import Author, Record

#: Shorter translated titles are not compared.
SHORTEST_OTHER = 8
#: Words of titles that are kept once.
MOST_WORDS = 20_000


_NOBODY: frozenset[str] = frozenset()
T = TypeVar("T")


class Fingerprint(LateFields):
    """All compared values of a record; empty or None means that the record does not say.

    What the keys need, and what tells that two records are by other people, is computed at once,
    the rest when a pair is compared for the first time (`LateFields`): most records of a search
    resemble no other. Equal only to itself; nobody changes one.

    Attributes:
        words: Folded words of title and subtitle; `text` is the same joined by blanks, `compact`
            without them.
        cjk: The title is in Chinese, Japanese or Korean.
        breaks: Numbers of words after which a mark ends a part of the title: where a subtitle may
            begin.
        others: Other titles of the work, compact: translated, original.
        marks: The same for every mark, commas and full stops too.
        cut: The title ends in an ellipsis.
        generic: The title stands on many works ("Editorial").
        notice: "erratum", "reply", ... where the record is about another work.
        parts: Numbers of parts in the title ("Part II" -> "2"); `numbers`: all numbers.
        authors: Those of the record that are compared.
        first: Spellings of the first author's family name, more than one where the name was not
            split for certain.
        families: The same of each author; `beginnings`: their first three letters; `han`: they are
            Chinese, Japanese or Korean, and so written.
        venue: Folded words without articles and prepositions.
        pages: First and last page, completed.
        form: "preprint", "abstract" (of a conference), "conference" (a paper), "journal", or ""
            where it is not said.
        abstract_start: The first letters of the abstract, compact.
        four_tuple: SHA-1 hex, or None where fewer than two of journal, year and first author are
            known.
    """

    record: Record
    record_key: str
    url: str | None
    doi: str | None
    ids: frozenset[str]
    isbn: frozenset[str]
    words: tuple[str, ...]
    text: str
    compact: str
    others: frozenset[str]
    cjk: bool
    breaks: frozenset[int]
    generic: bool
    parts: frozenset[str]
    authors: tuple[Author, ...]
    first: frozenset[str]
    families: tuple[frozenset[str], ...]
    beginnings: frozenset[str]
    han: bool
    year: int | None
    venue: tuple[str, ...]
    volume: str
    issue: str
    pages: tuple[str, str]
    four_tuple: str | None
    _kept: dict[Hashable, Any]

    __slots__ = (
        "_kept", "_mark", "authors", "beginnings", "breaks", "cjk", "compact", "doi", "families",
        "first", "four_tuple", "generic", "han", "ids", "isbn", "issue", "others", "pages",
        "parts", "record", "record_key", "text", "url", "venue", "volume", "words", "year",
    )  # fmt: skip

    def __init__(self, record: Record, record_key: str | None = None) -> None:
        self.record = record
        self.record_key = record_key or record.key
        title, self._mark = without_affixes(record.title[:LONGEST_TITLE])
        subtitle = record.subtitle[:LONGEST_TITLE] if record.subtitle else None
        self.cjk = in_characters = normalise.has_cjk(title)
        others: tuple[str, ...] = record.titles
        if in_characters:
            words, self.breaks, translated = cjk.titles(title, subtitle)
            others = (*others, *translated)
        else:
            words, self.breaks = title_words(title, subtitle)
            if " = " in title:
                others = (*others, *title.split(" = "))
        if "by" in words:
            words = self._without_responsibility(words)
        self.words = words = tuple(map(_interned, words))
        self.text = text = " ".join(words)
        self.compact = compact = "".join(words)
        self.parts = (
            parts(text, words)
            if not in_characters
            else cjk.parts(f"{record.title} {record.subtitle or ''}")
        )
        self.others = _other_titles(others, compact) if others else _NOBODY
        self.authors = authors = people.persons(record.authors)
        self.families = families = people.families(authors)
        self.first = first = families[0] if families else _NOBODY
        self.beginnings = frozenset([name[:3] for names in families for name in names])
        self.han = people.in_characters(authors)
        self.year = record.year
        self.venue = venue = record_venue(record)
        self.volume = imprint.volume(record.volume) if record.volume else ""
        self.issue = imprint.issue(record.issue) if record.issue else ""
        self.pages = number_keys.pages_key(record.pages)
        self.generic = is_generic(words, compact, venue, first) or (
            in_characters and cjk.is_generic(title)
        )
        self.url = web_addresses.url_key(record.url)
        self.doi = None if record.doi and names_nothing(record.doi) else record.doi
        self.ids = _identifiers(record)
        self.isbn = frozenset(record.isbn) if record.isbn else _NOBODY
        self.four_tuple = four_tuple(compact, venue, record.year, first)

    def once(self, name: Hashable, make: Callable[[Record], T]) -> T:
        """What a matcher computes of the record, made when it is asked for the first time, and
        kept.

        `name`: of what is computed, with everything that shapes it: matchers of equal names share
        it.
        """
        try:
            kept = self._kept
        except AttributeError:
            kept = self._kept = {}
        if name not in kept:
            kept[name] = make(self.record)
        found: T = kept[name]
        return found

    def keep(self, name: Hashable, value: object) -> None:
        """Keep what was computed of many records at once, as `once` would."""
        self.once(name, lambda _: value)

    def _without_responsibility(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Take "by Joyce Kilmer" off the end of the title, where the authors are called so."""
        at = len(words) - 1 - words[::-1].index("by")
        said = set(words[at + 1 :])
        if (
            said
            and at > 0
            and said
            <= {w for author in self.record.authors[:5] for w in normalise.words(author.name)}
        ):
            self.breaks = frozenset({end for end in self.breaks if end < at} | {at})
            return words[:at]
        return words


def fingerprint(record: Record) -> Fingerprint:
    """The fingerprint of a record; pure, and a function of the record alone."""
    return Fingerprint(record)


def four_tuple(
    title: str, venue: tuple[str, ...], year: int | None, first: frozenset[str]
) -> str | None:
    """SHA-1 of {title, journal, year, first author}.

    None where the title is missing, or more than one of the other three: an empty member would let
    two works of one title meet in "nothing". `first`: spellings of the first author's family name;
    the smallest one counts.
    """
    if not title or (bool(venue) + (year is not None) + bool(first)) < 2:
        return None
    members = f"{title}\x1f{''.join(venue)}\x1f{year or ''}\x1f{min(first) if first else ''}"
    return hashlib.sha1(members.encode(), usedforsecurity=False).hexdigest()


def _identifiers(record: Record) -> frozenset[str]:
    """Every identifier with its scheme."""
    return (
        frozenset([f"{scheme}:{value.lower()}" for scheme, value in record.ids.items()])
        if record.ids
        else _NOBODY
    )


class _Vocabulary(dict[str, str]):
    """Words that occur in many titles, each kept once."""

    def __missing__(self, word: str) -> str:
        if len(self) > MOST_WORDS:
            self.clear()
        self[word] = word
        return word


_interned = _Vocabulary().__getitem__


def _other_titles(titles: tuple[str, ...], compact: str) -> frozenset[str]:
    """Translated and original titles, and both halves of a parallel title ("Titel = Title")."""
    found = set()
    for title in (title[:LONGEST_TITLE] for title in titles[: LIMITS["titles"].items]):
        letters = normalise.compact(without_affixes(cjk.simplified(title))[0])
        if len(letters) >= (cjk.SHORTEST_TITLE if normalise.has_cjk(letters) else SHORTEST_OTHER):
            found.add(letters)
    return frozenset(found - {compact})
