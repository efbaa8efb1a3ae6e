"""Converters of years and dates (see converters.py)."""

from __future__ import annotations

import re
from typing import Any

from metasearch.bib.strings import first, strings
from metasearch.late_pattern import late_pattern

_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")
_YEAR_CORRECTED = late_pattern(r"\d{2,4},?\s*\[(?:i\.\s?e\.,?\s*)?(1[0-9]{3}|20[0-9]{2})(?!\d)")


def year(found: Any) -> int | None:
    """The first plausible year: "c1999.", "[2001?]", "1998 Dec-1999 Jan", 2004.

    A year in brackets behind another one corrects it, or is its Gregorian form: "2024 [1967]",
    "1392 [2013]".
    """
    for value in (found,) if type(found) is str else strings(found):
        if len(value) > 4 and value.isdigit():
            value = value[:4]
        hit = ("[" in value and _YEAR_CORRECTED.search(value)) or _YEAR.search(value)
        if hit:
            return int(hit[1])
    return None


_DAY_FIRST = late_pattern(r"(\d{1,2})[./](\d{1,2})[./](1\d{3}|20\d\d)")
_MONTHS = {m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_YEAR_ALONE = re.compile(r"1\d{3}|20\d\d")
_ISO = late_pattern(r"(1[0-9]{3}|20[0-9]{2})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?=$|[T\s])")
# As nearly all are written: what stands before the time is the answer.
_PLAIN = re.compile(
    r"(?:1[0-9]{3}|20[0-9]{2})(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?(?=$|T)"
)
_COMPACT = late_pattern(r"(1[0-9]{3}|20[0-9]{2})(\d\d)(\d\d)?")


def date(found: Any) -> str | None:
    """ISO 8601 with the precision that is known.

    Takes "2020-03-05T..", "20200305", "2020", [2020, 3] and ["2020", "Mar", "5"].
    """
    if isinstance(found, (list, tuple)) and len(found) > 1:
        parts = [str(p).strip() for p in found if isinstance(p, (str, int)) and str(p).strip()]
        return _date_of(*parts[:3]) if parts else None
    value = first(found)
    if not value:
        return None
    value = value.strip()
    if plain := _PLAIN.match(value):
        return plain[0]
    hit = _ISO.match(value.rstrip("-")) or _COMPACT.fullmatch(value)
    return _date_of(hit[1], hit[2] or "", hit[3] or "") if hit else None


def earliest_date(found: Any) -> str | None:
    """The earliest of several dates, of two that agree the more precise one: "2006" of
    ["2015-10-05", "2006"].

    Of what a repository says, that is the day of publication: the others are those on which it was
    taken in or changed.
    """
    dates: list[str] = [
        read for value in strings(found) if (read := date(value) or _year_as_date(value))
    ]
    return min(dates, key=_in_order, default=None)


def _in_order(date: str) -> tuple[str, str, str]:
    """A day or month before the year that it lies in."""
    return date[:4], date[4:7] or "-99", date[7:] or "-99"


def _year_as_date(value: str) -> str | None:
    hit = year(value)
    return None if hit is None else str(hit)


def _date_of(year_text: str, month: str = "", day: str = "", *_: str) -> str | None:
    if _YEAR_ALONE.fullmatch(year_text) is None:
        return None
    number = (
        _MONTHS.get(month[:3].lower(), 0)
        if len(month) > 2
        else int(month)
        if month.isdecimal()
        else 0
    )
    if not 1 <= number <= 12:
        return year_text
    if not (day.isdecimal() and len(day) <= 2 and 1 <= int(day) <= 31):
        return f"{year_text}-{number:02d}"
    return f"{year_text}-{number:02d}-{int(day):02d}"


def padded_date(found: Any) -> str | None:
    """`date`, for sources that write a mere year as its first of January."""
    value = date(found)
    return value[:4] if value and value.endswith("-01-01") else value


def day_first_date(found: Any) -> str | None:
    """A date in figures as much of Europe writes it, "12/11/2024" or "12.11.2024"; "01/01/1987" is
    a filled-up year.
    """
    hit = _DAY_FIRST.fullmatch((first(found) or "").strip())
    return padded_date(_date_of(hit[3], hit[2], hit[1]) if hit else found)


def date_words(found: Any) -> str | None:
    """A date in PubMed's words: "2009 Dec 20" -> "2009-12-20"; of a span the first year."""
    value = first(found)
    parts = value.split() if value else []
    if not parts:
        return None
    spans = any("-" in part or "/" in part for part in parts[1:])
    return _date_of(*parts[:1]) if spans else _date_of(*parts[:3])


_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november",
    "december",
)  # fmt: skip
#: Of the name of each month its first three letters, and each longer beginning -> its number.
_MONTHS_BEGUN = {
    name[:end]: number
    for number, name in enumerate(_MONTH_NAMES, 1)
    for end in range(3, len(name) + 1)
}
_TIME_OF_DAY = late_pattern(r"\b\d{1,2}:\d{2}.*")
_WORDS_AND_NUMBERS = late_pattern(r"[^\W\d_]+|\d+")


def date_printed(found: Any) -> str | None:
    """A date as it is printed, day or month first: "28 August 2015", "Aug. 15, 2011", "NOV 2014",
    "Spring 2010".

    What spans days is known to the month ("11-12 July 2018"), what spans months to the year
    ("Jan.-Feb. 2019"). Several strings are one date; ISO 8601 and RFC 822's "Tue, 05 Mar 2019
    10:00:00 GMT" are taken, too.
    """
    value = " ".join(strings(found))
    if iso := date(value):
        return iso
    value = value.lower()
    parts: list[str] = _WORDS_AND_NUMBERS.findall(
        _TIME_OF_DAY.sub("", value) if ":" in value else value
    )
    years = [part for part in parts if _YEAR_ALONE.fullmatch(part)]
    if not years:
        return None
    months = {_MONTHS_BEGUN[part] for part in parts if part in _MONTHS_BEGUN}
    days = {part for part in parts if part.isdecimal() and len(part) <= 2}
    if len(set(years)) > 1 or len(months) != 1:
        return years[0]
    return _date_of(years[0], str(months.pop()), days.pop() if len(days) == 1 else "")


#: Months and days as they stand behind a year.
_BEHIND = tuple(f"-{number:02d}" for number in range(32))


def whole_date_parts(found: Any, _: int = 0) -> str | None:
    """`date_parts` of what is no more than one whole date, [[2020, 3, 5]]; None of all else."""
    if type(found) is list and len(found) == 1 and type(found[0]) is list and len(found[0]) == 3:
        year_number, month, day = found[0]
        whole = type(year_number) is int and type(month) is int and type(day) is int
        if whole and 1000 <= year_number < 2100 and 1 <= month <= 12 and 1 <= day <= 31:
            return f"{year_number}{_BEHIND[month]}{_BEHIND[day]}"
    return None


def date_parts(found: Any) -> str | None:
    """CSL's [[2020, 3, 5]]; [[null]] is None."""
    if whole := whole_date_parts(found):
        return whole
    while isinstance(found, list) and found and isinstance(found[0], list):
        found = found[0]
    parts = [str(p) for p in found if isinstance(p, (int, str))] if isinstance(found, list) else []
    return _date_of(*parts[:3]) if parts else None


#: https://www.wikidata.org/wiki/Help:Dates: precision -> characters of "2015-03-05T00:00:00Z" that
#: say something.
_PRECISION = {11: 10, 10: 7, 9: 4}


def precise_date(found: Any) -> str | None:
    """Wikidata's {"time": "+2015-03-00T00:00:00Z", "precision": 10}; more precise is padding."""
    for value in found if isinstance(found, list) else [found]:
        if (
            isinstance(value, dict)
            and isinstance(value.get("time"), str)
            and type(value.get("precision")) is int
        ):
            known = value["time"].removeprefix("+")[: _PRECISION.get(value["precision"], 0)]
            if known:
                return date(known)
    return None
