"""Record -> Fingerprint: everything that dedup compares, normalised once a record, numbers of
standards among it.

The four-tuple is that of Hao Hui's cross-database de-duplication for novelty retrieval: {title,
journal, year, first author}, each stripped of symbols, width and case, hashed with SHA-1.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from metasearch.bib import identifiers, normalise, trials
from metasearch.bib.texts import NO_YEARS, without_placeholder
from metasearch.dedup import imprint, people, titles
from metasearch.dedup.imprint import Form, record_form
from metasearch.dedup.people import is_body
from metasearch.dedup.titles import LONGEST_TITLE
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


# What of a fingerprint is computed when a pair is compared for the first time.

#: Letters of an abstract's beginning that are compared.
ABSTRACT_START = 80


class LateFields:
    """Computed of the fields of a `Fingerprint`, which documents them all."""

    record: Record
    abstract: str
    words: tuple[str, ...]
    text: str
    cjk: bool
    breaks: frozenset[int]
    authors: tuple[Author, ...]
    first: frozenset[str]
    venue: tuple[str, ...]
    #: What stands before or behind the title.
    _mark: str

    # Of most records nothing is computed late, and they have no dictionary.
    __slots__ = ("__dict__",)

    @cached_property
    def marks(self) -> frozenset[int]:
        """Numbers of words after which any mark stands."""
        return titles.marks(titles.without_affixes(self.record.title[:LONGEST_TITLE])[0])

    @cached_property
    def abstract_start(self) -> str:
        """The first letters of the abstract."""
        return normalise.compact(self.abstract[:240])[:ABSTRACT_START]

    @cached_property
    def cut(self) -> bool:
        """Whether the title ends in an ellipsis."""
        return self.record.title.endswith(("…", "...", "… ", "... "))

    @cached_property
    def end(self) -> str:
        """What was taken off the end of the title, as it stands there."""
        if self.cjk or not self.words or self.record.subtitle:
            return ""
        return _end(self.record.title, self.words[-1])

    @cached_property
    def notice(self) -> str:
        """ "erratum", "reply", ..."""
        title = self.record.title
        marked = self._mark if self._mark != "abstract" else ""
        found = titles.notice(self.text, self.words, self.breaks, title) or marked
        return found or (titles.notice_in_characters(title) if self.cjk else "")

    @cached_property
    def numbers(self) -> frozenset[str]:
        """All numbers in the title."""
        if self.cjk:
            return titles.numbers_in_characters(f"{self.record.title} {self.record.subtitle or ''}")
        return titles.numbers(self.text, self.words)

    @cached_property
    def edition(self) -> str:
        """The number of the edition."""
        record = self.record
        edition = imprint.edition(record.edition) if record.edition else ""
        if not self.cjk:
            return edition
        return " ".join(filter(None, (edition, imprint.edition_in_characters(record))))

    @cached_property
    def publisher(self) -> tuple[str, ...]:
        """Folded words."""
        publisher = self.record.publisher
        return (
            tuple(normalise.words(without_placeholder("publisher", publisher))) if publisher else ()
        )

    @cached_property
    def form(self) -> Form:
        """ "preprint", "abstract", ..."""
        return record_form(self.record, self.venue, self._mark)

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """What `Fingerprint.once` has computed."""
        return {}


#: Characters that are shown of what was taken off a title.
LONGEST_END = 60
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
        end: What was taken off the end of the title.
        abstract: "" where it says nothing, in records that were kept long ago, too.
        generic: The title stands on many works ("Editorial").
        notice: "erratum", "reply", ... where the record is about another work.
        parts: Numbers of parts in the title ("Part II" -> "2"); `numbers`: all numbers.
        authors: Those of the record that are compared; of a whole work that names none, its
            editors, whom catalogues call authors.
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

    __slots__ = (
        "_mark", "abstract", "authors", "beginnings", "breaks", "cjk", "compact", "doi",
        "families", "first", "four_tuple", "generic", "han", "ids", "isbn", "issue", "others",
        "pages", "parts", "record", "record_key", "text", "url", "venue", "volume", "words", "year",
    )  # fmt: skip

    def __init__(self, record: Record, record_key: str | None = None) -> None:
        self.record = record
        self.record_key = record_key or record.key
        self.authors, self.families, self.han = people.read_people(record.byline)
        self.first = first = self.families[0] if self.families else _NOBODY
        self.beginnings = frozenset([name[:3] for names in self.families for name in names])
        self.year = year = None if record.year in NO_YEARS else record.year
        self.venue, self.volume, self.issue, self.pages = imprint.read_imprint(record)
        title = titles.read_title(record, self.families, self.venue)
        self.words, self.text, self.compact, self.others, self.cjk = title[:5]
        self.breaks, self.parts, self.generic, self._mark = title[5:]
        self.url = identifiers.url_key(record.url)
        self.doi = None if record.doi and names_nothing(record.doi) else record.doi
        self.ids = _identifiers(record)
        self.isbn = frozenset(record.isbn) if record.isbn else _NOBODY
        self.abstract = without_placeholder("abstract", record.abstract) if record.abstract else ""
        self.four_tuple = four_tuple(self.compact, self.venue, year, first)

    def once(self, name: Hashable, make: Callable[[Record], T]) -> T:
        """What a matcher computes of the record, made when it is asked for the first time, and
        kept.

        `name`: of what is computed, with everything that shapes it: matchers of equal names share
        it.
        """
        if name not in self.memo:
            self.memo[name] = make(self.record)
        found: T = self.memo[name]
        return found

    def keep(self, name: Hashable, value: object) -> None:
        """Keep what was computed of many records at once, as `once` would."""
        self.once(name, lambda _: value)


def _end(title: str, last: str) -> str:
    """What stands in a title behind its last word that is compared; "" for marks alone."""
    if title.rstrip(" .?!").lower().endswith(last):  # as nearly all do
        return ""
    words = title.split()
    for at in range(len(words) - 1, 0, -1):
        if normalise.words(words[at - 1])[-1:] == [last]:
            end = " ".join(words[at:])[:LONGEST_END]
            return end if any(map(str.isalnum, end)) else ""
    return ""


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
    """Every identifier of the work with its scheme; registration numbers of trials are none."""
    if not record.ids:
        return _NOBODY
    return frozenset(
        [
            f"{scheme}:{value.lower()}"
            for scheme, value in record.ids.items()
            if scheme not in trials.SCHEMES
        ]
    )


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


def same_standard(one: Fingerprint, other: Fingerprint) -> bool | None:
    """Whether two records are of one standard, by number or name and year; None: unsaid."""
    a, b = standard(one), standard(other)
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
