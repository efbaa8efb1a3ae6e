"""Filters: which works of a list are shown, read from texts such as "type:article,oa:yes".

A filter looks at merged works that were already received; no source is asked for it. Filters of one
name widen ("type:article,type:book" shows both), filters of different names narrow, and a hyphen
before a name takes works away ("-retracted:yes").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.listing.facets import FACETS, filter_text, keyed
from metasearch.query.ast import Years
from metasearch.query.years import parse_years
from metasearch.record import Hit

#: Filters of one search, and characters of all of them together.
MOST_FILTERS, MOST_CHARACTERS = 50, 5_000
# No two parts of it can take the same blanks, so that it is read once.
_FILTER = re.compile(r'\s*+(-?)([A-Za-z]+)\s*+:(?:\s*+"((?:[^"]|"")*+)"\s*+|([^,"]*+))(?:,\s*+|$)')


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter.

    Attributes:
        name: One of `FACETS`.
        value: As it was written; of a year also a range, "2018-2020".
        exclude: Whether works that have the value are left out.
    """

    name: str
    value: str
    exclude: bool = False
    _years: Years | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{'-' if self.exclude else ''}{filter_text(self.name, self.value)}"

    def holds(self, hit: Hit) -> bool:
        """Whether the work has the value."""
        if self._years is not None:
            year = hit.record.year
            first, last = self._years.first, self._years.last
            return (
                year is not None
                and (first is None or first <= year)
                and (last is None or year <= last)
            )
        facet = FACETS[self.name]
        return facet.key(self.value) in keyed(facet, hit)


@dataclass(frozen=True, slots=True)
class Filters:
    """All filters of a search; `str` writes them as they are read, in one order."""

    filters: tuple[Filter, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.filters)

    def without(self, name: str) -> Filters:
        """All but those that ask for values of one name; those that exclude values stay."""
        return Filters(tuple(each for each in self.filters if each.exclude or each.name != name))

    def __str__(self) -> str:
        return ",".join(map(str, self.filters))

    def passes(self) -> Callable[[Hit], bool]:
        """A function that says whether a work is shown."""
        wanted: dict[str, list[Filter]] = {}
        unwanted: list[Filter] = []
        for each in self.filters:
            if each.exclude:
                unwanted.append(each)
            else:
                wanted.setdefault(each.name, []).append(each)
        groups = list(wanted.values())

        def passes(hit: Hit) -> bool:
            return all(any(one.holds(hit) for one in group) for group in groups) and not any(
                one.holds(hit) for one in unwanted
            )

        return passes


#: What is read as filters.
FiltersLike = str | tuple[str, ...] | Filters | None


def parse_filters(value: FiltersLike) -> Filters:
    """Read filters.

    Args:
        value: `name:value`, several with commas between; a value that holds a comma, a colon or a
            quotation mark stands in quotation marks, and a quotation mark in it is doubled. Or a
            list of such texts.

    Raises:
        UsageError: The text is not written so, or there is no such filter or value.
    """
    if isinstance(value, Filters):
        return value
    texts = [value] if isinstance(value, str) else list(value or ())
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise UsageError(f"filters are longer than {MOST_CHARACTERS:,} characters")
    filters: dict[Filter, None] = {}
    for text in map(str.strip, texts):
        at = 0
        while at < len(text):
            match = _FILTER.match(text, at)
            if match is None:
                raise UsageError(
                    f"filter at character {at + 1}: {text[at : at + 40]!r} is not name:value; "
                    f'write for example type:article,venue:"Nature, London"'
                )
            minus, name, quoted, bare = match.groups()
            written = bare.strip() if quoted is None else quoted.replace('""', '"')
            filters.setdefault(_filter(name.lower(), written, bool(minus)))
            at = match.end()
    if len(filters) > MOST_FILTERS:
        raise UsageError(f"there are {len(filters)} filters, at most {MOST_FILTERS} are allowed")
    return Filters(tuple(sorted(filters, key=str)))


def _filter(name: str, value: str, exclude: bool) -> Filter:
    facet = FACETS.get(name)
    if facet is None:
        raise UsageError(f"there is no filter {name[:40]!r}; filters are {', '.join(FACETS)}")
    if name == "year":
        try:
            return Filter(name, value, exclude, parse_years(value))
        except QuerySyntaxError as exc:
            raise UsageError(f"filter year: {exc}") from exc
    if not facet.key(value):
        raise UsageError(f"filter {name}: there is no value behind the colon")
    if facet.choices and facet.key(value) not in facet.choices:
        raise UsageError(f"filter {name}: {value[:40]!r} is none of {', '.join(facet.choices)}")
    return Filter(name, value, exclude)
