"""Volumes, issues and pages as they are compared: one key for all spellings of a number.

Every function is pure and never raises on odd input: what cannot be normalised is None or "".
"""

from __future__ import annotations

import re
from functools import lru_cache

from metasearch.bib import unicode_forms
from metasearch.bib.normalise import compact
from metasearch.late_pattern import late_pattern

_ROMAN = late_pattern(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


_DIGITS = late_pattern(r"\d+")


def number_key(value: str | None) -> str:
    """A volume or issue as a number if it is one: "Vol. 012" -> "12", "41(1)" -> "41"."""
    if not value:
        return ""
    if value.isdecimal() and value.isascii():
        return value.lstrip("0") or "0"
    digits = _DIGITS.search(value)
    if digits:
        return unicode_forms.normalize("NFKC", digits.group()).lstrip("0") or "0"
    text = compact(value)
    bare = text.removeprefix("vol").removeprefix("volume").removeprefix("no")
    return str(roman(bare)) if bare and _ROMAN.fullmatch(bare) else text


def roman(text: str) -> int:
    """The value of a Roman numeral in lower case; the caller has checked that it is one."""
    values = [_ROMAN_VALUES[c] for c in text]
    return sum(-v if v < nxt else v for v, nxt in zip(values, [*values[1:], 0], strict=True))


# Letters before a number are bounded: a long word is not read again from each of its letters.
_PAGES = re.compile(
    r"([a-z]{0,20})(\d+)([a-z]*)(?:\s*(?:-|–|—|−|to|/)+\s*([a-z]*)(\d+))?", re.IGNORECASE
)


_SPREADSHEET_DATE = re.compile(
    r"(?:\d{1,2}-)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:-\d{2,4})?", re.IGNORECASE
)


_NO_PAGES = ("", "")
# One dash before the first digit: "-331", "xii-331" say where an article ends; "No-C-93" has two,
# and is a page.
_ONLY_LAST = re.compile(
    r"[^\d\u2010-\u2015\u2212-]*[\u2010-\u2015\u2212-]+[^\d\u2010-\u2015\u2212-]*"
)


@lru_cache(maxsize=500)  # a pair is asked for its pages more than once
def pages_key(value: str | None) -> tuple[str, str]:
    """First and last page, the last one completed: "123-8" -> ("123", "128"); ("", "") where there
    are none.

    "08-Aug" is what a spreadsheet makes of "8-8": it says nothing. Neither does a range whose part
    before the dash has no digit: "xii-331".
    """
    if not value:
        return _NO_PAGES
    prefix = ""
    first, _, last = value.partition("-")
    if not (first.isdecimal() and last.isdecimal() and value.isascii()):
        found = _PAGES.search(value)
        if found is None or _SPREADSHEET_DATE.fullmatch(value):
            return _NO_PAGES
        if found.start(2) and _ONLY_LAST.fullmatch(value, 0, found.start(2)):
            return _NO_PAGES
        prefix, first, _, _, last = found.groups()
    first = first.lstrip("0") or "0"
    if last and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return (prefix.lower() + first, prefix.lower() + (last or first).lstrip("0"))
