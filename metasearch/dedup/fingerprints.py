"""Record -> Fingerprint: everything that dedup compares, normalised once a record, numbers of
standards among it.

The four-tuple is that of Hao Hui's cross-database de-duplication for novelty retrieval: {title,
journal, year, first author}, each stripped of symbols, width and case, hashed with SHA-1.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from metasearch.bib import identifiers, normalise, numbering
from metasearch.bib.field_limits import LIMITS
from metasearch.dedup import imprint, people
from metasearch.dedup.imprint import Form, record_form, record_venue
from metasearch.dedup.people import is_body
from metasearch.dedup.titles import (
    is_generic,
    marks,
    notice,
    numbers,
    parts,
    title_words,
    without_affixes,
)
from metasearch.late_pattern import late_pattern
from metasearch.record import Author, Record

# DOIs that name a version: Cochrane's ".pub3", Research Square's "/v2", figshare's ".v2".

_VERSION = late_pattern(r"(?:\.pub|[./]v)(\d+)$")
_F1000_VERSION = late_pattern(r"(?<=\d)\.(\d+)$")
_F1000 = "10.12688/"


def without_version(doi: str) -> str:
    """The DOI without what names the version."""
    return _pattern(doi).sub("", doi)


def version_number(doi: str | None) -> str:
    """The number of the version that a DOI names, "" where it names none."""
    found = _pattern(doi).search(doi) if doi else None
    return found.group(1) if found else ""


# Registrants that have registered far more works than a name without a number could tell apart:
# each suffix has one.
_NUMBERED = frozenset(
    """
    10.1002 10.1007 10.1016 10.1017 10.1021 10.1038 10.1039 10.1046 10.1063 10.1080 10.1088 10.1093
    10.1097 10.1103 10.1109 10.1111 10.1136 10.1145 10.1155 10.1177 10.1186 10.1371 10.3389 10.3390
""".split()
)
# The first part of a suffix that goes on: an ISBN that has not all its digits, also behind a letter
# ("b978-0-12"); half of an ISSN, or a whole one and nothing more ("s0140", "j.1365-2133").
_HALF_ISBN = re.compile(r"[a-z]{0,4}97[89](?:-?\d){0,9}-?")
_ISSN_ONLY = re.compile(r"(?:s|j\.)\d{4}(?:-\d{3}[\dx])?")
#: Longer suffixes are not cut off at their first part.
LONGEST_FIRST_PART = 24


def names_nothing(doi: str) -> bool:
    """Whether a DOI was cut off at its first part: "10.1007/978", "10.1016/j"."""
    prefix, _, suffix = doi.partition("/")
    if len(suffix) > LONGEST_FIRST_PART:
        return False
    if _HALF_ISBN.fullmatch(suffix):
        return True
    if prefix not in _NUMBERED:
        return False
    return suffix.isascii() and (
        not any(map(str.isdecimal, suffix)) or _ISSN_ONLY.fullmatch(suffix) is not None
    )


def without_marks(doi: str) -> str:
    """A value equal for DOIs that differ in full stops and slashes, which databases confuse."""
    return doi.replace("/", ".")


def _pattern(doi: str) -> re.Pattern[str]:
    return _F1000_VERSION if doi.startswith(_F1000) else _VERSION


# What of a fingerprint is computed when a pair is compared for the first time. Each of these is a
# property over a slot that is empty at first. `__getattr__` would be shorter, but makes the
# interpreter look up every attribute of a class in the slow way, also those that are there.

#: Characters of a title, or of its subtitle, that are compared, in time that grows with their
#: square. Records of databases and files have no longer ones; of what else makes records, the
#: beginnings are compared.
LONGEST_TITLE = LIMITS["title"].text
#: Letters of an abstract's beginning that are compared.
ABSTRACT_START = 80


class LateFields:
    """Computed of the fields of a `Fingerprint`, which documents them all."""

    record: Record
    words: tuple[str, ...]
    text: str
    cjk: bool
    breaks: frozenset[int]
    authors: tuple[Author, ...]
    first: frozenset[str]
    venue: tuple[str, ...]
    #: What stands before or behind the title.
    _mark: str
    _abstract_start: str
    _cut: bool
    _edition: str
    _form: Form
    _marks: frozenset[int]
    _notice: str
    _numbers: frozenset[str]
    _publisher: tuple[str, ...]

    __slots__ = (
        "_abstract_start", "_cut", "_edition", "_form", "_marks", "_notice", "_numbers",
        "_publisher",
    )  # fmt: skip

    # ---------------------------------------------------------------- texts

    @property
    def marks(self) -> frozenset[int]:
        """Numbers of words after which any mark stands."""
        try:
            return self._marks
        except AttributeError:
            self._marks = marks(without_affixes(self.record.title[:LONGEST_TITLE])[0])
            return self._marks

    @property
    def abstract_start(self) -> str:
        """The first letters of the abstract."""
        try:
            return self._abstract_start
        except AttributeError:
            start = normalise.compact((self.record.abstract or "")[:240])
            self._abstract_start = start[:ABSTRACT_START]
            return self._abstract_start

    # ---------------------------------------------------------------- the rest, at once

    @property
    def cut(self) -> bool:
        """Whether the title ends in an ellipsis."""
        try:
            return self._cut
        except AttributeError:
            self._complete()
            return self._cut

    @property
    def notice(self) -> str:
        """ "erratum", "reply", ..."""
        try:
            return self._notice
        except AttributeError:
            self._complete()
            return self._notice

    @property
    def numbers(self) -> frozenset[str]:
        """All numbers in the title."""
        try:
            return self._numbers
        except AttributeError:
            self._complete()
            return self._numbers

    @property
    def edition(self) -> str:
        """The number of the edition."""
        try:
            return self._edition
        except AttributeError:
            self._complete()
            return self._edition

    @property
    def publisher(self) -> tuple[str, ...]:
        """Folded words."""
        try:
            return self._publisher
        except AttributeError:
            self._complete()
            return self._publisher

    @property
    def form(self) -> Form:
        """ "preprint", "abstract", ..."""
        try:
            return self._form
        except AttributeError:
            self._complete()
            return self._form

    def _complete(self) -> None:
        """Compute all of these, because whoever compares one of them compares the others too."""
        record, words = self.record, self.words
        self._cut = record.title.endswith(("…", "...", "… ", "... "))
        marked = self._mark if self._mark != "abstract" else ""
        self._notice = notice(self.text, words, self.breaks, record.title) or marked
        self._edition = imprint.edition(record.edition) if record.edition else ""
        if self.cjk:
            self._notice = self._notice or people.notice(record.title)
            self._numbers = people.numbers(f"{record.title} {record.subtitle or ''}")
            self._edition = " ".join(filter(None, (self._edition, people.edition(record))))
        else:
            self._numbers = numbers(self.text, words)
        self._publisher = tuple(normalise.words(record.publisher)) if record.publisher else ()
        self._form = record_form(record, self.venue, self._mark)


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
            words, self.breaks, translated = people.titles(title, subtitle)
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
            else people.parts(f"{record.title} {record.subtitle or ''}")
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
        self.pages = numbering.pages_key(record.pages)
        self.generic = is_generic(words, compact, venue, first) or (
            in_characters and people.is_generic(title)
        )
        self.url = identifiers.url_key(record.url)
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
        letters = normalise.compact(without_affixes(normalise.simplified(title))[0])
        if len(letters) >= (
            people.SHORTEST_TITLE if normalise.has_cjk(letters) else SHORTEST_OTHER
        ):
            found.add(letters)
    return frozenset(found - {compact})


# The fingerprints of all records of a job, of which only some are in memory.

#: Fingerprints that are in memory: more than a search, or a review, has records.
KEPT = 20_000

#: Number of a record -> its fingerprint; grows while records arrive.
PrintsByNumber = Mapping[int, Fingerprint] | Sequence[Fingerprint]


class Prints(dict[int, Fingerprint]):
    """Number -> fingerprint.

    A fingerprint takes more memory than its record, and is a function of it. So of a large job
    those that were made longest ago are dropped, and made anew when somebody asks for them; `in`,
    `len` and iteration are about those in memory. `whole`: never drop one: for matchers that
    compute much more of a record than what the default chain compares.
    """

    __slots__ = ("_whole", "record_keys", "records")

    def __init__(self, *, whole: bool = False) -> None:
        super().__init__()
        self._whole = whole
        self.records: list[Record] = []
        self.record_keys: list[str] = []

    def append(self, fingerprint: Fingerprint) -> None:
        """Enter the next record."""
        number = len(self.records)
        self.records.append(fingerprint.record)
        self.record_keys.append(fingerprint.record_key)
        self._hold(number, fingerprint)

    def __missing__(self, number: int) -> Fingerprint:
        fingerprint = Fingerprint(self.records[number], self.record_keys[number])
        self._hold(number, fingerprint)
        return fingerprint

    def _hold(self, number: int, fingerprint: Fingerprint) -> None:
        if len(self) >= KEPT and not self._whole:
            for oldest in list(islice(self, KEPT // 2)):
                del self[oldest]
        self[number] = fingerprint


# Standards by their numbers: "GB/T 7714-2015", "ISO 8601-1:2019", "IEEE Std 802.11-2016".

_BODIES = (
    "ANSI ASTM BS CSA DIN DL EN GBT GBZ GB GJB HJ IEC IEEE ISO ITU JB JIS KS NF NISO NY QB SAE SN "
    "TR TS UNE UNI WS YY"
).split()
_ANY = "|".join(_BODIES)
_NUMBER = late_pattern(
    rf"(?<![A-Za-z0-9])(?P<body>(?:{_ANY})(?:[/ "
    rf"](?:(?:{_ANY}|T|Std|STD)(?![A-Za-z])|Z(?![A-Za-z0-9]))){{0,4}})\.?[ -]?"
    r"(?P<number>[A-Z]?\d{1,6}(?:\.\d{1,4}){0,4}(?:-\d{1,3}(?!\d)){0,3})"
    r"(?:\s?[:\-\u2010-\u2015]\s?(?P<year>(?:19|20)\d\d)(?!\d)(?:-\d\d(?!\d))?)?"
    r"(?:/(?P<more>(?:Amd|AMD|Cor|COR|AC|A) ?\.?\d{1,2})(?::\d{4})?)?"
)
# Before 1993 Chinese numbers had two digits of the year: "GB 7714-87".
_CHINESE_YEAR = late_pattern(r"-([5-9]\d)$")
_FIRST_WORDS = frozenset(body.lower() for body in _BODIES)
_BEGINNINGS = tuple(sorted(_FIRST_WORDS))
# What joins the name of a body and changes no number: recommended (T), guiding (Z), approved by,
# together with.
_NO_BODIES = frozenset(("T", "Z", "STD", "ANSI", "IEC"))
#: Types under which catalogues keep standards, too.
_LOOSE = (None, "other", "report", "book", "webpage")
#: Letters of a title that, with the year, names a standard.
SHORTEST_NAME = 12


class Standard(NamedTuple):
    """What names a standard.

    Attributes:
        number: Body and number, with part and amendment, "" where the record gives none: "ISO
            8601-1".
        year: In four digits: that of the number, else the record's; "" where there is none.
        name: The title without the number, compact.
        dated: Whether the number has the year.
        said: Whether the record is of that type; otherwise its title begins like that of a
            standard.
    """

    number: str
    year: str
    name: str
    dated: bool
    said: bool


def standard(fingerprint: Fingerprint) -> Standard | None:
    """What names the standard of a record, or None: at one look for nearly all records."""
    if fingerprint.record.type != "standard":
        first = fingerprint.words[0] if fingerprint.words else ""
        if first not in _FIRST_WORDS and not (
            first[-1:].isdecimal() and first.startswith(_BEGINNINGS)
        ):
            return None
    return fingerprint.once("standard", _read)


def _read(record: Record) -> Standard | None:
    title = _plain(record.title)
    if record.type != "standard":
        found = _NUMBER.match(title)
        if found is None or record.type not in _LOOSE or not all(map(is_body, record.authors)):
            return None
        return _standard(found, title, record, said=False)
    found = _NUMBER.search(title)
    if found is not None:
        return _standard(found, title, record, said=True)
    for value in (*record.ids.values(), record.venue or ""):
        found = _NUMBER.match(_plain(value))
        if found is not None:
            return _standard(found, "", record, said=True)._replace(name=normalise.compact(title))
    return Standard("", str(record.year or ""), normalise.compact(title), dated=False, said=True)


def _plain(text: str) -> str:
    text = text[:LONGEST_TITLE]
    return text if text.isascii() else normalise.normalize("NFKC", text)


def _standard(found: re.Match[str], title: str, record: Record, *, said: bool) -> Standard:
    number, year = found["number"], found["year"]
    bodies = [
        {"GBT": "GB", "GBZ": "GB"}.get(name, name)
        for name in re.split("[/ ]", found["body"].upper())
    ]
    if bodies[0] == "GB" and year is None and (short := _CHINESE_YEAR.search(number)):
        number, year = number[: short.start()], f"19{short[1]}"
    kept = [name for name in bodies if name not in _NO_BODIES] or bodies[:1]
    more = normalise.compact(found["more"] or "")
    named = " ".join(filter(None, (*kept, number, more)))
    name = normalise.compact(f"{title[: found.start()]} {title[found.end() :]}")
    return Standard(named, year or str(record.year or ""), name, dated=year is not None, said=said)


def relation(a: Standard | None, b: Standard | None) -> bool | None:
    """Whether two records are of one standard, by number or name and year; None: unsaid."""
    if a is None or b is None:
        return None
    if a.number and b.number:
        if a.number != b.number:
            return False
        if a.dated and b.dated and a.year != b.year:
            return False
        if not a.year:
            return None
        # The title may be in any language, unless one of them is a standard only by what its title
        # begins with.
        named = (a.said and b.said) or not a.name or not b.name or a.name == b.name
        return True if a.year == b.year and named else None
    return (
        True
        if a.year and a.year == b.year and a.name == b.name and len(a.name) >= SHORTEST_NAME
        else None
    )
