"""Tables and single rows that hold the lines of a strategy -> rows, each character in its place."""

from __future__ import annotations

import re
from collections import Counter

#: A row that parts others.
RULE = re.compile(r"[\s|:+=_*-]{3,}|\s{0,8}```\w{0,20}\s{0,8}")
_IN_ROW = re.compile(r"(?:\A|[;,]?\s)([0-9]{1,4})[.)]\s")


#: The most characters that a heading has before them.
_HEADING = 80


def in_rows(text: str) -> str:
    """A text of one row with the numbers 1, 2, 3 and so on in it, perhaps behind a heading, as
    rows of these numbers; any other text as it is.
    """
    if "\n" in text:
        return text
    starts: list[tuple[int, int]] = []
    for match in _IN_ROW.finditer(text):
        if int(match[1]) == len(starts) + 1:
            starts.append((match.start(), match.start(1)))
    if len(starts) < 3 or starts[0][1] > _HEADING:
        return text
    chars = list(text)
    for start, number in starts[starts[0][0] == 0 :]:
        chars[start:number] = " " * (number - start - 1) + "\n"
    return "".join(chars)


def blank(text: str) -> str:
    """As long a text, of blanks and tabs."""
    return "".join(char if char == "\t" else " " for char in text)


def has_bars(text: str) -> bool:
    """Whether nearly all rows have as many bars."""
    if "|" not in text:
        return False
    rows = [row for row in text.splitlines() if row.strip() and not RULE.fullmatch(row)]
    bars = Counter(row.count("|") for row in rows)
    most, same = next(iter(bars.most_common(1)), (0, 0))
    return most > 0 and same > 1 and same * 3 >= len(rows) * 2


#: A row of comma-separated values: a number, a query, in quotes where it has commas, and hits.
COMMA_ROW = re.compile(
    r"[ ]{0,8}\"?(?P<number>[#S]?[0-9]{1,4})\"?[,;][ ]?(?:\"(?P<quoted>(?:[^\"]|\"\"){1,5000})\""
    r"|(?P<query>[^\"].{0,5000}?))(?:[,;][ ]?\"?(?P<hits>[0-9][0-9,]{0,11})\"?)?[ ]{0,8}\Z",
    re.IGNORECASE,
)


def has_commas(text: str) -> bool:
    """Whether all rows are such, but for a first one of names."""
    rows = [row for row in text.splitlines() if row.strip()]
    if len(rows) < 2 or not all("," in row or ";" in row for row in rows):
        return False
    return all(map(COMMA_ROW.match, rows[1:]))


def in_tabs(row: str, cells: re.Match[str]) -> str:
    """The row with tabs between its cells, each where it was."""
    query = "quoted" if cells["quoted"] else "query"
    out = list(" " * len(row))
    for name in ("number", query, "hits"):
        if cells[name]:
            out[slice(*cells.span(name))] = cells[name]
    for name in (query, "hits"):
        if cells[name]:
            out[cells.start(name) - 1] = "\t"
    return "".join(out).replace('""', '" ')
