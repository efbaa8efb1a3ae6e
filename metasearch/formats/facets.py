"""Facets as text, below a table.

A facet is one line: its name, its values with their counts, and how many values and works are not
among them. Years are ranges; where there is room, each range has a bar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from metasearch.events import Facet, Facets
from metasearch.formats.text import line, wrapped

#: Columns of a value at most; the rest of it becomes "…".
LONGEST = 48
#: Ranges of years at most, and how many years one may have.
MOST_RANGES, STEPS = 8, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
#: Columns of a bar at most, and of the narrowest list with bars.
BAR, BARS_FROM = 40, 60


def facet_lines(
    facets: Facets, width: int = 80, *, bars: bool = False, filtered: bool = False
) -> Iterator[tuple[str, str]]:
    """The facets as lines of at most so many columns.

    `bars`: whether years are shown with bars, where there are columns for it. Yields (name of the
    facet with the blanks behind it, the rest of the line); the first line is a heading and has no
    name, and so have further lines of a facet.
    """
    works = f"Facets of {facets.works:,} {'work' if facets.works == 1 else 'works'}"
    yield "", f"{works}, each counted without its own filter:" if filtered else f"{works}:"
    column = max((len(facet.name) for facet in facets.facets), default=0) + 2
    room = max(10, width - column - 2)
    for facet in facets.facets:
        if facet.name == "year" and bars and width >= BARS_FROM:
            texts = _histogram(facet, room)
        else:
            texts = _flow(_parts(facet), room)
        for number, text in enumerate(texts):
            yield f"  {facet.name if number == 0 else '':{column}}", text


def _parts(facet: Facet) -> list[str]:
    """The values of a facet with their counts, and what is not among them."""
    counted: Iterable[tuple[str, int]]
    if facet.name == "year":
        counted = year_ranges(facet)
    else:
        counted = ((_short(each.value), each.count) for each in facet.values)
    parts = [f"{value} {count:,}" for value, count in counted]
    return parts + _rest(facet) or ["no values"]


def _rest(facet: Facet) -> list[str]:
    """How many values are not shown, and how many works have none."""
    more = [f"{facet.more:,} more"] if facet.more else []
    return more + ([f"{facet.missing:,} without"] if facet.missing else [])


def _short(value: str) -> str:
    value = line(value)
    return value if len(value) <= LONGEST else f"{value[: LONGEST - 1]}…"


def year_ranges(facet: Facet) -> list[tuple[str, int]]:
    """The years of a facet in at most MOST_RANGES ranges of equal length, newest first. Returns (a
    year or "2015-2019", its works); ranges without works are left out.
    """
    years = {int(each.value): each.count for each in facet.values}
    ranges: dict[int, int] = {}
    step = 1
    for step in STEPS:
        ranges = {}
        for year, count in years.items():
            first = year - year % step
            ranges[first] = ranges.get(first, 0) + count
        if len(ranges) <= MOST_RANGES:
            break
    return [
        (f"{first}" if step == 1 else f"{first}-{first + step - 1}", ranges[first])
        for first in sorted(ranges, reverse=True)
    ]


def _histogram(facet: Facet, room: int) -> Iterator[str]:
    """A line for each range of years, with a bar."""
    ranges = year_ranges(facet)
    most = max((count for _, count in ranges), default=0)
    longest = max((len(label) for label, _ in ranges), default=0)
    bar = max(1, min(BAR, room - longest - len(f"{most:,}") - 2))
    for label, count in ranges:
        yield f"{label:{longest}} {'#' * max(1, round(bar * count / most))} {count:,}"
    rest = _rest(facet)
    if rest or not ranges:
        yield " · ".join(rest) or "no values"


def _flow(parts: Sequence[str], room: int) -> Iterator[str]:
    """The parts with dots between them, in lines; no line ends between a value and its count."""
    from wcwidth import wcswidth

    begun = ""
    room -= 2  # for the dot at the end of a line
    for part in parts:
        longer = f"{begun} · {part}" if begun else part
        if begun and wcswidth(longer) > room:
            yield begun + " ·"
            longer = part
        *full, begun = wrapped(longer, room)
        yield from full
    if begun:
        yield begun
