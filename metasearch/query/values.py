"""Year ranges as people write them: "2020", "2019-2024", "2019-", "-2024", ">=2019"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import index
from typing import Any

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.ast import Years

#: How a program may write years: `Years(2018, 2020)`, `(2018, 2020)`, `(2018, None)`, 2018,
#: "2018-2020", "2018-".
YearsLike = Years | Sequence[int | None] | int | str

_COMPARED = late_pattern(r"(>=|=>|≥|<=|=<|≤|>|<|=) ?([0-9]{4})")
_RANGE = late_pattern(r"([0-9]{4})?(?: ?(\.\.|[-\u2010-\u2015\u2212~:\uff0d\uff5e]) ?([0-9]{4})?)?")
_FOUR_DIGITS = late_pattern(r"(?<![0-9])[0-9]{4}(?![0-9])")
_SHORT_END = late_pattern(r"([0-9]{2})([0-9]{2})\D{1,3}([0-9]{2})")
_FULL_WIDTH = str.maketrans("０１２３４５６７８９＞＜＝：", "0123456789><=:")
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_DATE = late_pattern(
    rf"([0-9]{{4}})(?:[-/.]({_MONTH})(?:[-/.]{_DAY})?|((?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])))?"
)
_FORMS = "2020, 2019-2024, 2019- or -2024"


class BadYears(ValueError):
    """Text that is no year range; `corrected` is what was probably meant, or None."""

    def __init__(self, reason: str, corrected: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.corrected = corrected


def parse_years(text: str) -> Years:
    """The range that an option such as `--year 2019-2024` asks for.

    Between two years may stand a hyphen, a dash, `:`, `~` or `..`; `>=2019`, `>2019`, `<=2024`,
    `<2024` work too.

    Raises:
        QuerySyntaxError: It is no range of four-digit years, or it ends before it begins.
    """
    try:
        return read_years(text)
    except BadYears as bad:
        value = text.strip()
        raise QuerySyntaxError(
            bad.reason,
            text=text,
            position=text.index(value),
            length=len(value),
            suggestion=bad.corrected,
            advice=None if bad.corrected else message("Write the years as {forms}.", forms=_FORMS),
        ) from None


def read_years(value: str) -> Years:
    """As `parse_years`, for callers that know the place of `value` in a longer query.

    Raises:
        BadYears: As there.
    """
    plain = " ".join(value.translate(_FULL_WIDTH).split())
    if compared := _COMPARED.fullmatch(plain):
        years = _compared(compared[1], int(compared[2]))
    elif (ranged := _RANGE.fullmatch(plain)) and (ranged[1] or ranged[3]):
        first, last = (int(year) if year else None for year in (ranged[1], ranged[3]))
        years = Years(first, last if ranged[2] else first)
    else:
        raise BadYears(
            message("Years are written with four digits, as {forms}", forms=_FORMS), _meant(plain)
        )
    if any(year is not None and not 1 <= year <= 9999 for year in (years.first, years.last)):
        raise BadYears(message("There is no such year"))
    if years.first is not None and years.last is not None and years.first > years.last:
        raise BadYears(
            message("The range ends before it begins"), years_text(Years(years.last, years.first))
        )
    return years


def dated(text: str) -> tuple[Years, bool]:
    """The years of a date or range, and whether that is all that it says.

    Raises:
        BadYears: It is none.
    """
    if (date := _DATE.fullmatch(text)) is not None:
        return read_years(date[1]), date[2] is None and date[3] is None
    return read_years(text), True


def between(first: str, last: str) -> tuple[Years, bool]:
    """The years from one date to another, and whether that is all that they say; the year 3000 is
    the open end.

    Raises:
        BadYears: One is no date, or the last is before the first.
    """
    (begin, whole), (end, also_whole) = dated(first), dated(last)
    exact = (whole or bool(re.search(r"\D0?1(?:\D0?1)?$", first))) and (
        also_whole or bool(re.search(r"\D12(?:\D31)?$", last))
    )
    if begin.first is None or end.last is None:
        raise BadYears(message("A range of years has a year at both ends"))
    if end.last >= 3000:
        return Years(begin.first, None), exact
    if begin.first > end.last:
        raise BadYears(
            message("The range ends before it begins"), f"{end.last:04d}-{begin.first:04d}"
        )
    return Years(begin.first, end.last), exact


def years_of(given: YearsLike | None) -> Years | None:
    """The range that a program means, however it is written.

    Args:
        given: See `YearsLike`; None is no range.

    Raises:
        UsageError: It is nothing of the kind, there is no such year, or the range ends before it
            begins.
    """
    if given is None:
        return None
    if isinstance(given, str):
        return parse_years(given)
    if isinstance(given, Years):
        first, last = _year(given.first, given), _year(given.last, given)
    elif isinstance(given, (tuple, list)):
        if len(given) != 2:
            raise _no_years(given)
        first, last = (_year(it, given) for it in given)
    else:
        first = last = _year(given, given)
    if first is None and last is None:
        raise _no_years(given)
    if first is not None and last is not None and first > last:
        raise UsageError(
            message(
                "years: the range ends before it begins: {first}-{last}", first=first, last=last
            )
        )
    return Years(first, last)


def _year(given: Any, whole: Any) -> int | None:
    """One end of a range, be it an int or one of numpy's."""
    if given is None:
        return None
    try:
        year = index(given)
    except TypeError:
        raise _no_years(whole) from None
    if isinstance(given, bool) or not 1 <= year <= 9999:
        raise _no_years(whole)
    return year


def _no_years(given: Any) -> UsageError:
    advice = message(
        'Write Years(2018, 2020), (2018, 2020), (2018, None), 2018, "2018-2020" or "2018-".'
    )
    return UsageError(
        message("years: {given} is no range of years", given=repr(given)[:80]), advice=advice
    )


def years_text(years: Years) -> str:
    """The shortest form that `parse_years` reads back."""
    first, last = ("" if year is None else f"{year:04d}" for year in (years.first, years.last))
    return first if first == last else f"{first}-{last}"


def _compared(operator: str, year: int) -> Years:
    if operator == "=":
        return Years(year, year)
    if operator in (">=", "=>", "≥"):
        return Years(year, None)
    if operator in ("<=", "=<", "≤"):
        return Years(None, year)
    return Years(year + 1, None) if operator == ">" else Years(None, year - 1)


def _meant(plain: str) -> str | None:
    """A guess: "2019-24" -> "2019-2024", "2019-05-01" -> "2019", "from 2024 to 2019" ->
    "2019-2024".
    """
    if (short := _SHORT_END.fullmatch(plain)) and short[2] <= short[3] and short[1] != "00":
        return f"{short[1]}{short[2]}-{short[1]}{short[3]}"
    years = sorted(year for year in _FOUR_DIGITS.findall(plain) if year > "0000")
    if not years:
        return None
    return years[0] if years[0] == years[-1] else f"{years[0]}-{years[-1]}"
