"""Record -> Fingerprint: everything that dedup compares, normalised once a record.

The four-tuple is that of Hao Hui's cross-database de-duplication for novelty retrieval: {title,
journal, year, first author}, each stripped of symbols, width and case, hashed with SHA-1.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, Literal, TypeVar

from metasearch.bib import normalise, number_keys, web_addresses
from metasearch.bib.field_limits import LIMITS
from metasearch.dedup import cjk, people
from metasearch.dedup.affixes import without_affixes
from metasearch.dedup.dois import names_nothing
from metasearch.dedup.titles import is_generic, marks, notice, numbers, parts, title_words
from metasearch.dedup.venues import venue_kind, venue_words
from metasearch.record import Author, Record

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
    "arxiv corr biorxiv medrxiv chemrxiv psyarxiv socarxiv ssrn ssrnelectronicjournal "
    "researchsquare preprints "
    "preprintsorg techrxiv osfpreprints eartharxiv arxivorg corrabs".split()
)
_ABSTRACTS = frozenset(("abstracts", "abstract"))
# Embase: "Pediatric Transplantation.Conference: 6th Congress of ...", for the abstracts in a
# journal's supplement.
_SUPPLEMENT = re.compile(r"[.,;]? ?Conference: .*", re.IGNORECASE | re.DOTALL)
# Months and seasons, as files in the languages of most journals name the issue by them; three
# letters are enough.
_MONTHS = tuple(
    """
    january february march april may june july august september october november december spring
    summer autumn winter fall januar februar marz mai juni juli oktober dezember janvier fevrier
    mars avril juin juillet aout septembre octobre novembre decembre enero febrero marzo abril mayo
    junio julio agosto septiembre noviembre diciembre
""".split()
)
_ADDITION = re.compile(r"[(\[].*")
# "e0143396" is the number of an article; no journal has ten thousand issues a volume.
_ARTICLE_NUMBER = re.compile(r"\s*e\d{3,}|\D*\d{5,}", re.IGNORECASE)
#: In what form a record's work stands there; "" where nobody can tell.
Form = Literal["", "preprint", "abstract", "conference", "journal"]
#: Shorter translated titles are not compared; letters of an abstract's beginning that are.
SHORTEST_OTHER = 8
ABSTRACT_START = 80
#: Characters of a title, or of its subtitle, that are compared, in time that grows with their
#: square. Records of databases and files have no longer ones; of what else makes records, the
#: beginnings are compared.
LONGEST_TITLE = LIMITS["title"].text
#: Words of titles that are kept once.
MOST_WORDS = 20_000
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
T = TypeVar("T")


class Fingerprint:
    """All compared values of a record; empty or None means that the record does not say.

    What the keys need is computed at once, the rest when a pair is compared for the first time:
    most records of a search resemble no other, and this halves what a fingerprint costs. Equal only
    to itself; nobody changes one.

    Attributes:
        record_key: Names the record.
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
    marks: frozenset[int]
    cut: bool
    generic: bool
    notice: str
    parts: frozenset[str]
    numbers: frozenset[str]
    edition: str
    authors: tuple[Author, ...]
    first: frozenset[str]
    families: tuple[frozenset[str], ...]
    beginnings: frozenset[str]
    han: bool
    year: int | None
    venue: tuple[str, ...]
    publisher: tuple[str, ...]
    volume: str
    issue: str
    pages: tuple[str, str]
    form: Form
    abstract_start: str
    four_tuple: str | None
    _kept: dict[Hashable, Any]

    __slots__ = (
        "_kept", "_mark", "abstract_start", "authors", "beginnings", "breaks", "cjk", "compact",
        "cut", "doi",
        "edition", "families", "first", "form", "four_tuple", "generic", "han", "ids", "isbn",
        "issue", "marks",
        "notice", "numbers", "others", "pages", "parts", "publisher", "record", "record_key",
        "text", "url", "venue",
        "volume", "words", "year",
    )  # fmt: skip

    def __init__(self, record: Record, record_key: str | None = None) -> None:
        self.record = record
        self.record_key = record_key or record.key
        title, self._mark = without_affixes(record.title[:LONGEST_TITLE])
        subtitle = record.subtitle[:LONGEST_TITLE] if record.subtitle else None
        self.cjk = normalise.has_cjk(title)
        others: tuple[str, ...] = record.titles
        if self.cjk:
            self.words, self.breaks, translated = cjk.titles(title, subtitle)
            others = (*others, *translated)
        else:
            self.words, self.breaks = title_words(title, subtitle)
            if " = " in title:
                others = (*others, *title.split(" = "))
        self._drop_responsibility()
        self.words = tuple(map(_interned, self.words))
        self.text = " ".join(self.words)
        self.compact = compact = "".join(self.words)
        self.others = _other_titles(others, compact) if others else _NOBODY
        self.authors = authors = people.persons(record.authors)
        self.first = people.spellings(authors[0].family, authors[0].name) if authors else _NOBODY
        self.year = record.year
        self.venue = _venue(record)
        self.volume = _volume(record.volume) if record.volume else ""
        self.issue = _issue(record.issue) if record.issue else ""
        self.pages = number_keys.pages_key(record.pages)
        self.generic = is_generic(self.words, compact, self.venue, self.first) or (
            self.cjk and cjk.is_generic(title)
        )
        self.url = web_addresses.url_key(record.url)
        self.doi = None if record.doi and names_nothing(record.doi) else record.doi
        self.ids = _identifiers(record)
        self.isbn = frozenset(record.isbn) if record.isbn else _NOBODY
        self.four_tuple = four_tuple(compact, self.venue, record.year, self.first)

    def once(self, name: Hashable, make: Callable[[Record], T]) -> T:
        """What a matcher computes of the record, made when it is asked for the first time, and
        kept.

        Args:
            name: Of what is computed, with everything that shapes it: matchers of equal names share
                it.
            make: Computes it.
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

    def _drop_responsibility(self) -> None:
        """Take "by Joyce Kilmer" off the end of the title, where the authors are called so."""
        if "by" not in self.words:
            return
        at = len(self.words) - 1 - self.words[::-1].index("by")
        said = set(self.words[at + 1 :])
        if (
            said
            and at > 0
            and said
            <= {w for author in self.record.authors[:5] for w in normalise.words(author.name)}
        ):
            self.words = self.words[:at]
            self.breaks = frozenset({end for end in self.breaks if end < at} | {at})

    def __getattr__(self, name: str) -> Any:
        """Compute the rest: all of it at once, because whoever compares one field compares the
        others too.
        """
        if name in ("families", "beginnings", "han"):
            self.families = people.families(self.authors)
            self.han = people.in_characters(self.authors)
            self.beginnings = frozenset([name[:3] for names in self.families for name in names])
        elif name == "marks":
            self.marks = marks(without_affixes(self.record.title[:LONGEST_TITLE])[0])
        elif name == "abstract_start":
            self.abstract_start = normalise.compact((self.record.abstract or "")[:240])[
                :ABSTRACT_START
            ]
        elif name in _LATER:
            self._complete()
        else:
            raise AttributeError(name)
        return object.__getattribute__(self, name)

    def _complete(self) -> None:
        record, words = self.record, self.words
        self.cut = record.title.endswith(("…", "...", "… ", "... "))
        marked = self._mark if self._mark != "abstract" else ""
        self.notice = notice(self.text, words, self.breaks, record.title) or marked
        self.edition = _edition(record.edition) if record.edition else ""
        if self.cjk:
            title = f"{record.title} {record.subtitle or ''}"
            self.notice = self.notice or cjk.notice(record.title)
            self.parts, self.numbers = cjk.parts(title), cjk.numbers(title)
            self.edition = " ".join(filter(None, (self.edition, cjk.edition(record))))
        else:
            self.parts = parts(self.text, words)
            self.numbers = numbers(self.text, words)
        self.publisher = tuple(normalise.words(record.publisher)) if record.publisher else ()
        self.form = _form(record, self.venue, self._mark)


_LATER = frozenset(("cut", "notice", "parts", "numbers", "edition", "publisher", "form"))


def fingerprint(record: Record) -> Fingerprint:
    """The fingerprint of a record; pure, and a function of the record alone."""
    return Fingerprint(record)


def four_tuple(
    title: str, venue: tuple[str, ...], year: int | None, first: frozenset[str]
) -> str | None:
    """SHA-1 of {title, journal, year, first author}.

    None where the title is missing, or more than one of the other three: an empty member would let
    two works of one title meet in "nothing".

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
    """Every identifier with its scheme."""
    return (
        frozenset([f"{scheme}:{value.lower()}" for scheme, value in record.ids.items()])
        if record.ids
        else _NOBODY
    )


@lru_cache(maxsize=2_000)
def _edition(value: str) -> str:
    text = normalise.fold(value).strip(" .[]")
    for word, number in _EDITION_WORDS.items():
        if word in text:
            return number
    found = _EDITION.search(text)
    return (found.group(1) or found.group(2)) if found else ""


def _form(record: Record, venue: tuple[str, ...], mark: str) -> Form:
    if record.type == "preprint" or (record.doi and record.doi.startswith(_PREPRINT_DOIS)):
        return "preprint"
    if "".join(venue) in _PREPRINT_VENUES:
        return "preprint"
    if (
        mark == "abstract"
        or not _ABSTRACTS.isdisjoint(venue)
        or (record.venue and _SUPPLEMENT.search(record.venue))
    ):
        return "abstract"
    paper = record.type == "conference-paper"
    if (
        paper
        and record.volume
        and record.pages
        and len(set(number_keys.pages_key(record.pages))) == 1
    ):
        return "abstract"  # on a page of a journal
    kind = venue_kind(venue)
    if (
        paper
    ):  # the record's own word; a journal that prints it makes it no article of another publication
        return "" if kind == "journal" else "conference"
    return kind


@lru_cache(maxsize=5_000)
def _issue(value: str) -> str:
    """A number, "suppl" with its number, or a word: "3-4" -> "3", "Suppl. 2" -> "suppl2".

    "" for a month, with or without a day, and for the number of an article.
    """
    text = normalise.compact(value)
    if "suppl" in text or text.startswith("sup"):
        return "suppl" + "".join(filter(str.isdecimal, text))
    return "" if _ARTICLE_NUMBER.match(value) or _is_dated(value) else number_keys.number_key(value)


@lru_cache(maxsize=5_000)
def _volume(value: str) -> str:
    """A number where it is one, else text: as `number_keys.number_key`; "" for a month, with or
    without a day.
    """
    return "" if _is_dated(value) else number_keys.number_key(value)


def _is_dated(value: str) -> bool:
    """Whether a month or season is named, other than in brackets behind the number: "5 May", "Apr
    25 [Epub]".
    """
    if value.isdecimal():
        return False
    return any(map(_is_month, normalise.words(_ADDITION.sub("", value))))


def _is_month(word: str) -> bool:
    return len(word) > 2 and any(month.startswith(word) for month in _MONTHS)


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


def _venue(record: Record) -> tuple[str, ...]:
    if record.type == "thesis" or (record.venue and normalise.has_cjk(record.venue)):
        said = f"{record.venue or ''}{record.publisher or ''}"
        if normalise.has_cjk(said):
            return cjk.venue(record)
    if not record.venue:
        return ()
    venue = record.venue
    return venue_words((_SUPPLEMENT.sub("", venue) or venue) if ": " in venue else venue)
