"""Converters of years and dates (see convert.py)."""

from __future__ import annotations

import re
from typing import Any

from metasearch.adapters.found import first, strings

_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")
_YEAR_CORRECTED = re.compile(r"\d{2,4},?\s*\[(?:i\.\s?e\.,?\s*)?(1[0-9]{3}|20[0-9]{2})(?!\d)")


def year(found: Any) -> int | None:
    """The first plausible year: "c1999.", "[2001?]", "1998 Dec-1999 Jan", 2004.

    A year in brackets behind another one corrects it, or is its Gregorian form: "2024 [1967]", "1392 [2013]".
    """
    for value in strings(found):
        if value.isdigit() and len(value) > 4:
            value = value[:4]
        hit = _YEAR_CORRECTED.search(value) or _YEAR.search(value)
        if hit:
            return int(hit[1])
    return None


_MONTHS = {m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_YEAR_ALONE = re.compile(r"1\d{3}|20\d\d")
_ISO = re.compile(r"(1[0-9]{3}|20[0-9]{2})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?=$|[T\s])")


def date(found: Any) -> str | None:
    """ISO 8601 with the precision that is known; takes "2020-03-05T..", [2020, 3], ["2020", "Mar", "5"], "2020"."""
    if isinstance(found, (list, tuple)) and len(found) > 1:
        parts = [str(p).strip() for p in found if isinstance(p, (str, int)) and str(p).strip()]
        return _date_of(*parts[:3]) if parts else None
    value = first(found)
    if not value:
        return None
    hit = _ISO.match(value.strip().rstrip("-"))
    return _date_of(hit[1], hit[2] or "", hit[3] or "") if hit else None


def _date_of(year_text: str, month: str = "", day: str = "", *_: str) -> str | None:
    if _YEAR_ALONE.fullmatch(year_text) is None:
        return None
    number = _MONTHS.get(month[:3].lower(), 0) if len(month) > 2 else int(month) if month.isdecimal() else 0
    if not 1 <= number <= 12:
        return year_text
    if not (day.isdecimal() and len(day) <= 2 and 1 <= int(day) <= 31):
        return f"{year_text}-{number:02d}"
    return f"{year_text}-{number:02d}-{int(day):02d}"


def padded_date(found: Any) -> str | None:
    """`date`, for sources that write a mere year as its first of January: that day counts as the year alone."""
    value = date(found)
    return value[:4] if value and value.endswith("-01-01") else value


def date_words(found: Any) -> str | None:
    """A date in PubMed's words: "2009 Dec 20" -> "2009-12-20"; of a span ("1998 Dec-1999 Jan") the first year."""
    value = first(found)
    parts = value.split() if value else []
    if not parts:
        return None
    spans = any("-" in part or "/" in part for part in parts[1:])
    return _date_of(*parts[:1]) if spans else _date_of(*parts[:3])


def date_parts(found: Any) -> str | None:
    """CSL's [[2020, 3, 5]]; [[null]] is None."""
    while isinstance(found, list) and found and isinstance(found[0], list):
        found = found[0]
    if isinstance(found, list) and len(found) == 3:
        year_number, month, day = found
        whole = type(year_number) is int and type(month) is int and type(day) is int
        if whole and 1000 <= year_number < 2100 and 1 <= month <= 12 and 1 <= day <= 31:
            return f"{year_number}-{month:02d}-{day:02d}"
    parts = [str(p) for p in found if isinstance(p, (int, str))] if isinstance(found, list) else []
    return _date_of(*parts[:3]) if parts else None
