"""Edition, volume, issue, pages and publisher: how records write them, and whether two records name
the same.

Relations are three-valued, as those of evidence.py: True, False, or None where one side does not
say.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

from metasearch.bib import normalise, number_keys
from metasearch.late_pattern import late_pattern
from metasearch.record import Record


class Printed(Protocol):
    """What is compared of a place in print; see `Fingerprint`."""

    record: Record
    year: int | None
    volume: str
    issue: str
    pages: tuple[str, str]


# --------------------------------------------------------------------------- read

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
_ADDITION = late_pattern(r"[(\[].*")
# "e0143396" is the number of an article; no journal has ten thousand issues a volume.
_ARTICLE_NUMBER = re.compile(r"\s*e\d{3,}|\D*\d{5,}", re.IGNORECASE)
_EDITION = late_pattern(r"(\d{1,3})\s*(?:st|nd|rd|th|e|\.)?\s*(?:ed|aufl|uitg|版)|^(\d{1,3})$")
_EDITION_WORDS = {
    "second": "2",
    "third": "3",
    "fourth": "4",
    "fifth": "5",
    "sixth": "6",
    "zweite": "2",
    "deuxieme": "2",
}


@lru_cache(maxsize=2_000)
def edition(value: str) -> str:
    """The number of an edition: "2nd ed." -> "2"; "" where there is none."""
    text = normalise.fold(value).strip(" .[]")
    for word, number in _EDITION_WORDS.items():
        if word in text:
            return number
    found = _EDITION.search(text)
    return (found.group(1) or found.group(2)) if found else ""


@lru_cache(maxsize=5_000)
def issue(value: str) -> str:
    """A number, "suppl" with its number, or a word: "3-4" -> "3", "Suppl. 2" -> "suppl2".

    "" for a month, with or without a day, and for the number of an article.
    """
    text = normalise.compact(value)
    if "suppl" in text or text.startswith("sup"):
        return "suppl" + "".join(filter(str.isdecimal, text))
    return "" if _ARTICLE_NUMBER.match(value) or _is_dated(value) else number_keys.number_key(value)


@lru_cache(maxsize=5_000)
def volume(value: str) -> str:
    """A number where it is one, else text (`number_keys.number_key`); "" for a month."""
    return "" if _is_dated(value) else number_keys.number_key(value)


def _is_dated(value: str) -> bool:
    """Whether a month or season is named, other than in brackets at the end: "5 May"."""
    if value.isdecimal():
        return False
    return any(map(_is_month, normalise.words(_ADDITION.sub("", value))))


def _is_month(word: str) -> bool:
    return len(word) > 2 and any(month.startswith(word) for month in _MONTHS)


# --------------------------------------------------------------------------- compared


def pages_relation(a: tuple[str, str], b: tuple[str, str]) -> bool | None:
    """The same first page.

    None where one side has none, where one was numbered from 1 ahead of print, where an article
    number stands against a page, where only the last pages agree (then a first one was mistyped),
    or where one gives a page of the other's.
    """
    if not a[0] or not b[0]:
        return None
    if a[0] == b[0]:
        return True
    if a[0].isdecimal() != b[0].isdecimal():
        # "S27" and "27" are one page; "e1001" and "17" are two ways of counting.
        return (
            True
            if a[0].lstrip("abcdefghijklmnopqrstuvwxyz")
            == b[0].lstrip("abcdefghijklmnopqrstuvwxyz")
            else None
        )
    if "1" in (a[0], b[0]):
        return None
    if a[1] == b[1] and a[0] != a[1] and b[0] != b[1]:
        return None
    return None if _overlap(a, b) else False


def _overlap(a: tuple[str, str], b: tuple[str, str]) -> bool:
    """Whether two ranges have more than a page in common: no two works have, so one of them is
    misprinted.

    Or whether one is a single page between the first and the last of the other: a citation may
    give the page cited. On the last page another text may begin.
    """
    if not all(page.isdecimal() and len(page) < 9 for page in (*a, *b)):
        return False
    start, end = max(int(a[0]), int(b[0])), min(int(a[1]), int(b[1]))
    return start < end or (start == end and end < max(int(a[1]), int(b[1])))


_RANGES = late_pattern(r"[,;+]")


def printed_in_parts(a: Printed, b: Printed) -> bool:
    """Whether both list the same ranges, in any order: one article in three languages."""
    if not all(_RANGES.search(printed.record.pages or "") for printed in (a, b)):
        return False
    one, other = (
        {number_keys.pages_key(part)[0] for part in _RANGES.split(fingerprint.record.pages or "")}
        for fingerprint in (a, b)
    )
    return len(one) > 1 and one == other


def volume_relation(a: Printed, b: Printed) -> bool | None:
    """The same volume; None where one has none, or has the year, or the supplement's number."""
    one, other = a.volume, b.volume
    if not one or not other:
        return None
    if one == other:
        return True
    if f"suppl{one}" == b.issue or f"suppl{other}" == a.issue:
        return None
    return None if _is_year(one, a, b) or _is_year(other, a, b) else False


def issue_relation(a: Printed, b: Printed) -> bool | None:
    """The same issue.

    None where one has none, where one is a number and the other a word ("suppl", "spring"), or
    where one is the year or the other's page.
    """
    one, other = a.issue, b.issue
    if not one or not other:
        return None
    if one == other:
        return True
    if not (one.isdecimal() and other.isdecimal()):
        return None
    if one == b.pages[0] or other == a.pages[0]:
        return None
    return None if _is_year(one, a, b) or _is_year(other, a, b) else False


def _is_year(number: str, a: Printed, b: Printed) -> bool:
    """Whether a number is the year in which two records appeared, or the one beside it.

    Of records of two years it is a volume: that of a yearbook, which counts by years.
    """
    if len(number) != 4 or not number.isdecimal():
        return False
    years = {year for year in (a.year, b.year) if year is not None}
    return len(years) == 1 and abs(int(number) - years.pop()) <= 1


# Words of many publishers' names.
_HOUSE = frozenset(
    """
    and book books co company de der edition editions editorial for in inc institute international
    limited ltd of press printed printer publications publisher publishers publishing sons the
    university verlag by et fils la les
""".split()
)


def publisher_relation(a: tuple[str, ...], b: tuple[str, ...]) -> bool | None:
    """The same house, also with "et Cie" or a town; None where half of the words agree."""
    if not a or not b:
        return None
    if a == b:
        return True
    one, other = "".join(a), "".join(b)
    if one in other or other in one:
        return True
    ours, theirs = set(a) - _HOUSE, set(b) - _HOUSE
    if 2 * len(ours & theirs) >= min(len(ours), len(theirs)):
        return None
    return False if houses(a).isdisjoint(houses(b)) else None  # an imprint and its publisher


#: Houses and the imprints under which they publish, as title pages name them; folded.
_HOUSES = {
    "oxford university": ("oxford university press", "clarendon", "oup"),
    "cambridge university": ("cambridge university press", "cup"),
    "elsevier": (
        "elsevier", "academic press", "morgan kaufmann", "butterworth heinemann", "north holland",
        "pergamon",
        "saunders", "mosby", "churchill livingstone", "newnes",
    ),
    "springer": ("springer", "birkhauser", "apress", "physica verlag", "plenum", "kluwer",
    "humana press"),
    "macmillan": ("macmillan", "palgrave", "st martins press", "farrar straus and giroux",
    "picador"),
    "wiley": ("wiley", "jossey bass", "blackwell", "vch", "interscience"),
    "taylor and francis": (
        "taylor and francis", "routledge", "crc press", "chapman and hall", "garland science",
        "psychology press",
        "ashgate",
    ),
    "pearson": ("pearson", "prentice hall", "addison wesley", "longman", "allyn and bacon",
    "benjamin cummings"),
    "penguin random house": (
        "penguin", "random house", "viking", "puffin", "dutton", "knopf", "vintage", "doubleday",
        "bantam",
        "pantheon", "ballantine", "allen lane", "jonathan cape",
    ),
    "harpercollins": ("harpercollins", "harper and row", "harper and brothers", "william morrow",
    "collins"),
    "simon and schuster": ("simon and schuster", "scribner", "scribners", "free press",
    "pocket books"),
    "hachette": ("hachette", "little brown", "basic books", "grand central", "hodder and stoughton",
    "orion"),
    "bloomsbury": ("bloomsbury", "continuum", "t and t clark", "methuen drama", "berg"),
    "brill": ("brill", "nijhoff", "schoningh", "wilhelm fink"),
    "de gruyter": ("de gruyter", "mouton", "niemeyer", "oldenbourg", "k g saur"),
    "mcgraw hill": ("mcgraw hill", "osborne"),
    "mit": ("mit press", "bradford"),
    "sage": ("sage", "corwin"),
}  # fmt: skip
_PHRASES = tuple((f" {phrase} ", house) for house, phrases in _HOUSES.items() for phrase in phrases)


@lru_cache(maxsize=2_000)
def houses(publisher: tuple[str, ...]) -> frozenset[str]:
    """The houses that a publisher's folded name contains, by their names or imprints."""
    said = f" {' '.join(publisher)} "
    return frozenset(house for phrase, house in _PHRASES if phrase in said)
