"""How two fingerprints relate, field by field, in named words.

Every relation is three-valued: True (agree), False (contradict), None (one side does not say); so missing values are
thought through here, once, and rules can be read aloud: `doi is False`, `volume is not False`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

from metasearch.dedup.fingerprint import Fingerprint

TitleRelation = Literal["missing", "equal", "start", "near", "far"]

#: Titles this alike differ by a typo or an encoding; measured as the ratio of rapidfuzz (indel distance).
NEAR = 0.9
#: A main title of fewer letters is not looked for at the beginning of longer ones.
SHORTEST_MAIN_TITLE = 6
#: Titles less alike than this speak of different things.
FAR = 0.6


@dataclass(slots=True)
class Evidence:
    """The relation of two records.

    Attributes:
        title: "equal" (same letters), "start" (one is the other without its subtitle, or cut off), "near"
            (`score` >= NEAR), "far", or "missing".
        score: 0..1, how alike the titles are.
        first_author: The first authors' family names.
        authors: At least one family name in common; `all_authors`: the same three or more.
        year: Within one year; `same_year`: equal; `gap`: how many years lie between, None where one has none.
        venue: The one is the other or its abbreviation.
        parts: Numbers of parts and other numbers in the titles.
    """

    title: TitleRelation
    score: float
    first_author: bool | None
    authors: bool | None
    all_authors: bool
    year: bool | None
    same_year: bool
    gap: int | None
    venue: bool | None
    volume: bool | None
    issue: bool | None
    pages: bool | None
    doi: bool | None
    isbn: bool | None
    edition: bool | None
    publisher: bool | None
    notice: bool
    parts: bool | None
    numbers: bool | None

    def words(self) -> list[str]:
        """What agrees, in words, for people."""
        said = {
            "equal": "titles equal",
            "start": "titles agree up to the subtitle",
            "near": f"titles agree {self.score:.2f}",
        }
        out = [said[self.title]] if self.title in said else []
        if self.first_author:
            out.append("same first author")
        elif self.authors:
            out.append("an author in common")
        if self.year is not None and self.year:
            out.append("same year" if self.same_year else "years one apart")
        out += [said_so for name, said_so in _SAID if getattr(self, name)]
        return out


_SAID = (
    ("venue", "same venue"),
    ("volume", "volume equal"),
    ("issue", "issue equal"),
    ("pages", "pages equal"),
    ("isbn", "an ISBN in common"),
)


def three(a: object, b: object) -> bool | None:
    """Equal, different, or not both given."""
    return a == b if a and b else None


def overlap(a: frozenset[str], b: frozenset[str]) -> bool | None:
    """Something in common, nothing in common, or not both given."""
    return not a.isdisjoint(b) if a and b else None


@lru_cache(maxsize=4096)
def evidence(a: Fingerprint, b: Fingerprint) -> Evidence:
    """The relation of two records; symmetric in its arguments."""
    title, score = title_relation(a, b)
    gap = abs(a.year - b.year) if a.year is not None and b.year is not None else None
    return Evidence(
        title=title,
        score=score,
        first_author=overlap(a.first, b.first),
        authors=overlap(a.families, b.families),
        all_authors=len(a.families) > 2 and a.families == b.families,
        year=gap <= 1 if gap is not None else None,
        same_year=gap == 0,
        gap=gap,
        venue=venue_relation(a.venue, b.venue),
        volume=three(a.volume, b.volume),
        issue=three(a.issue, b.issue),
        pages=pages_relation(a.pages, b.pages),
        doi=three(a.doi, b.doi),
        isbn=overlap(a.isbn, b.isbn),
        edition=three(a.edition, b.edition),
        publisher=_publisher_relation(a.publisher, b.publisher),
        notice=a.notice == b.notice,
        parts=_parts_relation(a, b),
        numbers=_numbers_relation(a.numbers, b.numbers),
    )


def title_relation(a: Fingerprint, b: Fingerprint) -> tuple[TitleRelation, float]:
    """How the titles relate, and how alike they are, 0..1."""
    relation = resemblance(a, b)
    if relation == "missing":
        return "missing", 0.0
    if relation == "equal":
        return "equal", 1.0
    score = title_score(a, b)
    return relation, max(score, NEAR) if relation == "start" else score


def title_score(a: Fingerprint, b: Fingerprint) -> float:
    """How alike the titles are, 0..1: the normalised indel similarity of their words."""
    return fuzz.ratio(a.text, b.text) / 100


def resemblance(a: Fingerprint, b: Fingerprint) -> TitleRelation:
    """The relation of the titles alone; quick, because nearly every pair that shares a key is "far"."""
    if a.compact == b.compact:
        return "equal" if a.compact else "missing"
    if not a.compact or not b.compact:
        return "missing"
    if _starts(a, b) if len(a.compact) <= len(b.compact) else _starts(b, a):
        return "start"
    shorter, longer = sorted((len(a.text), len(b.text)))
    if 2 * shorter < NEAR * (shorter + longer):  # even if all of the shorter one were in the longer one
        return "far"
    return "near" if fuzz.ratio(a.text, b.text, score_cutoff=NEAR * 100) else "far"


def _starts(short: Fingerprint, long: Fingerprint) -> bool:
    """Whether the short title is the long one up to a mark, or cut off inside."""
    if short.words[0] != long.words[0] and short.words[1:2] != long.words[1:2]:
        return False
    if len(short.compact) < SHORTEST_MAIN_TITLE:
        return False
    if short.cut and long.compact.startswith(short.compact):
        return True
    count = len(short.words)
    for end in long.breaks:
        # The same number of words but for one, because a typo or a hyphen can split a word.
        if abs(end - count) <= 1 and end < len(long.words):
            start = "".join(long.words[:end])
            if start == short.compact or (len(start) > 20 and fuzz.ratio(start, short.compact) >= 94):
                return True
    return False


@lru_cache(maxsize=4096)
def venue_relation(a: tuple[str, ...], b: tuple[str, ...]) -> bool | None:
    """Same journal, with abbreviations as ISO 4 makes them: each word a beginning of the other's word."""
    if not a or not b:
        return None
    if a == b or "".join(a) == "".join(b):
        return True
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) == 1 and len(long) > 1:  # an initialism: "JAMA", "PNAS"
        initials = "".join(word[0] for word in long)
        return short[0] == initials or long[0] == short[0]
    at = 0
    for word in short:
        while at < len(long) and not _abbreviates(word, long[at]):
            at += 1
        if at == len(long):
            return False
        at += 1
    return True


def _abbreviates(a: str, b: str) -> bool:
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if long.startswith(short):
        return True
    # "Intl" for "International", "Natl" for "National": first letter, then letters in order, then the last one.
    if len(short) < 4 or short[0] != long[0]:
        return False
    rest = iter(long)
    return all(letter in rest for letter in short)


def pages_relation(a: tuple[str, str], b: tuple[str, str]) -> bool | None:
    """The same first page; None where one side has none."""
    return a[0] == b[0] if a[0] and b[0] else None


def _publisher_relation(a: str, b: str) -> bool | None:
    """The same house, also where one record adds "et Cie" or a town."""
    return a.startswith(b) or b.startswith(a) if a and b else None


def _parts_relation(a: Fingerprint, b: Fingerprint) -> bool | None:
    if not a.parts and not b.parts:
        return None
    if a.parts and b.parts:
        return a.parts == b.parts
    # One side names a part: the other may only have lost it together with its subtitle.
    return False


def _numbers_relation(a: frozenset[str], b: frozenset[str]) -> bool | None:
    if not a and not b:
        return None
    return not (a - b and b - a)
