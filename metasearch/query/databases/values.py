"""Values of fields that are no mere words: years, types, languages."""

from __future__ import annotations

import re

from metasearch.bib.languages import language_code
from metasearch.message import message
from metasearch.query.ast import Years
from metasearch.query.kinds import type_word
from metasearch.query.publication_types import TYPES
from metasearch.query.years import BadYears

_MONTH, _DAY = "(?:0[1-9]|1[0-2])", "(?:0[1-9]|[12][0-9]|3[01])"
# The same sign between both, so that 1450-1012 is no day.
_DATE = (
    rf"[1-3][0-9]{{3}}(?:{_MONTH}(?:{_DAY})?|-{_MONTH}(?:-{_DAY})?"
    rf"|/{_MONTH}(?:/{_DAY})?|\.{_MONTH}(?:\.{_DAY})?)?"
)
_RANGE = re.compile(
    rf"({_DATE})?\s{{0,3}}(?:-|–|:|to|\.\.)\s{{0,3}}({_DATE}|current|present)?", re.IGNORECASE
)
_ONE = re.compile(rf"(>=|<=|>|<|=|is|aft|bef)?\s{{0,3}}({_DATE})", re.IGNORECASE)


def years_in(text: str) -> tuple[Years, bool]:
    """The years that a date, a range or a comparison of a database says, and whether it says no
    more than years. Raises BadYears: it says none.
    """
    plain = " ".join(text.split())
    if one := _ONE.fullmatch(plain):
        year, whole = int(one[2][:4]), len(one[2]) == 4
        match (one[1] or "").lower():
            case ">=":
                return Years(year, None), whole
            case ">" | "aft":
                return Years(year + whole, None), whole
            case "<=":
                return Years(None, year), whole
            case "<" | "bef":
                return Years(None, year - whole), whole
        return Years(year, year), whole
    ranged = _RANGE.fullmatch(plain)
    last = ranged[2] if ranged and (ranged[2] or "")[:1].isdigit() else None
    if ranged is None or not (ranged[1] or last):
        raise BadYears(message("Years are written with four digits, as 2015 or 2015-2020"))
    begin, end = (int(it[:4]) if it else None for it in (ranged[1], last))
    if begin is not None and end is not None and begin > end:
        raise BadYears(message("The range ends before it begins"), f"{end}-{begin}")
    if end is not None and end >= 2999:
        end = None
    exact = (not ranged[1] or _at_edge(ranged[1], "01", "01")) and (
        not last or _at_edge(last, "12", "31")
    )
    if begin is None and end is None:
        raise BadYears(message("A range of years has a year at one end"))
    return Years(begin, end), exact


def _at_edge(date: str, month: str, day: str) -> bool:
    digits = re.sub(r"\D", "", date)
    return len(digits) == 4 or digits[4:] in (month, month + day)


def type_named(text: str) -> tuple[str | None, bool]:
    """The type that a publication type means, or None, and whether that holds more."""
    name = " ".join(text.split()).casefold()
    if name in TYPES:
        return TYPES[name], True
    return type_word(name), False


def language_named(text: str) -> str | None:
    """ISO 639-1 of what a limit calls a language: "english language", "ENG"."""
    name = " ".join(text.split()).casefold().removesuffix(" language")
    return language_code(name)
