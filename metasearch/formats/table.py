"""The readable list for a terminal: a few lines a hit, wrapped to its width; below it the
facets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from metasearch.events import Answer, Facet, Facets
from metasearch.formats.reference import doi_url, field_sources, full_title
from metasearch.formats.text import ascii_url, line, web_url, wrap_text
from metasearch.record import Hit, Record

# Facets as text, below a table. A facet is one line: its name, its values with their counts, and
# how many values and works are not among them. Years are ranges; where there is room, each range
# has a bar.

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
        *full, begun = wrap_text(longer, room)
        yield from full
    if begun:
        yield begun


# Upstream text can reach the terminal only through `line`, which leaves no control character
# standing; the only escape sequences in the output are the colours and hyperlinks written here.

#: Below this a list is no longer readable; the terminal may break lines as it likes.
MIN_WIDTH = 24
#: A point is shown in as many parts: four decimals.
POINTS = 10_000
_AUTHORS_SHOWN = 6
_VERBS = {"same": "merged", "version": "joined as versions", "different": "kept apart"}

_BOLD, _DIM, _BLUE, _GREEN, _RED = "1", "2", "34", "32", "1;31"


def write(
    hits: Iterable[Hit],
    *,
    width: int = 80,
    color: bool = False,
    hyperlinks: bool = False,
    explain: bool = False,
    answer: Answer | None = None,
    bars: bool = False,
    beside: Callable[[Hit], Iterable[str]] | None = None,
) -> bytes:
    """The hits as text in UTF-8, a blank line between two; b"" for none.

    Args:
        hits: Best first.
        width: Columns of the terminal; wide East Asian characters take two. Addresses are never
            broken.
        hyperlinks: Make addresses links by OSC 8 sequences.
        explain: Say also what the score is made of, why records were merged, and which source gave
            which field.
        beside: Returns further lines of a hit.
    """
    width = max(width, MIN_WIDTH)
    chosen = list(hits)
    gutter = (
        len(str(max((hit.rank or index for index, hit in enumerate(chosen, 1)), default=1))) + 2
    )
    blocks = []
    for index, hit in enumerate(chosen, 1):
        number = f"{hit.rank or index}.".rjust(gutter - 1) + " "
        lines = list(_block(hit, width - gutter, color, hyperlinks, explain))
        for text in beside(hit) if beside is not None else ():
            lines += wrap_text(line(text), width - gutter)
        blocks.append(
            "\n".join((number if n == 0 else " " * gutter) + text for n, text in enumerate(lines))
            + "\n"
        )
    if answer is not None:
        blocks += _below(answer, width, color, bars)
    return "\n".join(blocks).encode()


def _below(answer: Answer, width: int, color: bool, bars: bool) -> Iterator[str]:
    """What stands below the hits: how they were chosen, and the facets."""
    if answer.applied:
        yield "".join(f"{text}\n" for text in wrap_text(line(answer.applied), width))
    if answer.facets is not None:
        block = ""
        for name, text in facet_lines(
            answer.facets, width, bars=bars, filtered=bool(answer.filter)
        ):
            label = _GREEN if name.strip() else ""
            block += _with_style(name, label, color) + _with_style(
                text, "" if name else _BOLD, color
            )
            block += "\n"
        yield block


def _block(hit: Hit, width: int, color: bool, hyperlinks: bool, explain: bool) -> Iterator[str]:
    record = hit.record
    for text, style in (
        ("RETRACTED" if record.retracted else "", _RED),
        (full_title(record) or "[no title]", _BOLD),
        (_authors(record), ""),
        (_imprint(record), _DIM),
    ):
        yield from (_with_style(part, style, color) for part in wrap_text(text, width))
    url = doi_url(record.doi) or web_url(record.url)
    if url:
        shown = _with_style(url, _BLUE, color)
        yield f"\x1b]8;;{ascii_url(url)}\x1b\\{shown}\x1b]8;;\x1b\\" if hyperlinks else shown
    yield from (_with_style(part, _GREEN, color) for part in wrap_text(_sources(hit), width))
    if explain:
        for text in _explanation(hit):
            yield from (
                _with_style(part, _DIM, color) for part in wrap_text(text, width, indent="    ")
            )


def _authors(record: Record) -> str:
    names = [line(a.name) for a in record.byline]
    more = len(names) - _AUTHORS_SHOWN
    # One name more takes no more room than saying so.
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:_AUTHORS_SHOWN])} and {more} more"


def _imprint(record: Record) -> str:
    open_access = "" if record.open_access in (None, "closed") else "open access"
    where = line(record.venue) or line(record.institution)
    parts = (
        where,
        str(record.year) if record.year is not None else "",
        line(record.type),
        open_access,
    )
    return ", ".join(filter(None, parts))


def _sources(hit: Hit) -> str:
    """Who has it, at which place of its answer, the best place first: "crossref #1, arxiv #3"."""
    ranked = sorted(hit.records, key=lambda r: (r.position or 10**9, r.source))
    return ", ".join(
        f"{line(r.source)} #{r.position}" if r.position else line(r.source) for r in ranked
    )


def _explanation(hit: Hit) -> Iterator[str]:
    """Why it stands here, why its records are one work, and where each field comes from."""
    yield f"score {hit.score:.4f}{':' if hit.reasons else ''}"
    for reason, points in zip(hit.reasons, points_that_add_up(hit), strict=True):
        yield f"  {points:+.4f} {line(reason.text)}"
    for match in hit.matches:
        yield (
            f"{_VERBS[match.verdict]} {line(match.left)} and {line(match.right)}: "
            f"{line(match.because)} "
            f"({line(match.matcher)}, {match.score:.2f})"
        )
    for version in hit.versions:
        yield f"version {line(version.kind)}: {', '.join(line(key) for key in version.records)}"
    for given in field_sources(hit):
        yield f"from {given}"


def points_that_add_up(hit: Hit) -> list[float]:
    """The points of each reason with four decimals, so that they add up to the score with four."""
    exact = [reason.points * POINTS for reason in hit.reasons]
    shown = list(map(round, exact))
    missing = round(hit.score * POINTS) - sum(shown)
    if abs(missing) > len(shown):  # the score is not their sum
        missing = 0
    step = 1 if missing > 0 else -1
    # Those that rounding changed most are rounded the other way.
    changed = sorted(range(len(exact)), key=lambda place: step * (shown[place] - exact[place]))
    for place in changed[: abs(missing)]:
        shown[place] += step
    return [points / POINTS for points in shown]


def _with_style(text: str, style: str, color: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if color and style and text else text
