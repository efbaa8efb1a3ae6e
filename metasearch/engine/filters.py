"""Filters: which works of a list are shown, read from texts such as "type:article,oa:yes".

A filter looks at merged works that were already received; no source is asked for it. Filters of one
name widen ("type:article,type:book" shows both), filters of different names narrow, and a hyphen
before a name takes works away ("-retracted:yes").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.late_pattern import late_pattern
from metasearch.listing.facets import FACETS, filter_text, keyed
from metasearch.message import message
from metasearch.query.ast import Years
from metasearch.query.years import parse_years
from metasearch.record import Hit

#: Filters of one search, and characters of all of them together.
MOST_FILTERS, MOST_CHARACTERS = 50, 5_000
# No two parts of it can take the same blanks, so that it is read once.
_FILTER = late_pattern(
    r'\s*+(-?)([A-Za-z]+)\s*+:(?:\s*+"((?:[^"]|"")*+)"\s*+|([^,"]*+))(?:,\s*+|$)'
)


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

    def holds(self, values: Mapping[str, str]) -> bool:
        """Whether a work has the value; `values` are of its facet, by key (`facets.keyed`)."""
        if self._years is None:
            return FACETS[self.name].key(self.value) in values
        first, last = self._years.first, self._years.last
        return any(
            (first is None or first <= int(year)) and (last is None or int(year) <= last)
            for year in values
        )


@dataclass(frozen=True, slots=True)
class Filters:
    """All filters of a search; `str` writes them as they are read, in one order."""

    filters: tuple[Filter, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.filters)

    def __str__(self) -> str:
        return ",".join(map(str, self.filters))

    def passes(self) -> Callable[[Hit], bool]:
        """A function that returns whether a work is shown."""
        failed = self.failed()
        return lambda hit: not failed(hit)

    def failed(self) -> Callable[[Hit], frozenset[str]]:
        """A function that returns which filters a work does not pass: the name of each, with a
        hyphen before it where the filter takes works away. It reads a hit that has not changed
        once, as long as it is kept.
        """
        of_name: dict[str, list[Filter]] = {}
        for each in self.filters:
            of_name.setdefault(each.name, []).append(each)
        read: dict[str, tuple[Hit, frozenset[str]]] = {}

        def failed(hit: Hit) -> frozenset[str]:
            known = read.get(hit.id)
            if known is not None and known[0] is hit:
                return known[1]
            names = frozenset(chain.from_iterable(_failed(*each, hit) for each in of_name.items()))
            read[hit.id] = hit, names
            return names

        return failed


def _failed(name: str, filters: Sequence[Filter], hit: Hit) -> Iterator[str]:
    """The names of the filters of one name that a work does not pass."""
    values = keyed(FACETS[name], hit)
    wanted = [each for each in filters if not each.exclude]
    if wanted and not any(each.holds(values) for each in wanted):
        yield name
    if any(each.exclude and each.holds(values) for each in filters):
        yield f"-{name}"


#: What is read as filters.
FiltersLike = str | tuple[str, ...] | Filters | None


def parse_filters(value: FiltersLike) -> Filters:
    """Read filters.

    `value`: `name:value`, several with commas between; a value that holds a comma, a colon or a
    quotation mark stands in quotation marks, and a quotation mark in it is doubled. Or a list of
    such texts. Raises UsageError: the text is not written so, or there is no such filter or value.
    """
    if isinstance(value, Filters):
        return value
    texts = [value] if isinstance(value, str) else list(value or ())
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise UsageError(
            message(
                "filters are longer than {most_characters} characters",
                most_characters=f"{MOST_CHARACTERS:,}",
            )
        )
    filters: dict[Filter, None] = {}
    for text in map(str.strip, texts):
        at = 0
        while at < len(text):
            match = _FILTER.match(text, at)
            if match is None:
                raise UsageError(
                    message(
                        "filter at character {at}: {text} is not name:value; write for example "
                        'type:article,venue:"Nature, London"',
                        at=at + 1,
                        text=repr(text[at : at + 40]),
                    )
                )
            minus, name, quoted, bare = match.groups()
            written = bare.strip() if quoted is None else quoted.replace('""', '"')
            filters.setdefault(_filter(name.lower(), written, bool(minus)))
            at = match.end()
    if len(filters) > MOST_FILTERS:
        raise UsageError(
            message(
                "there are {filters} filters, at most {most_filters} are allowed",
                filters=len(filters),
                most_filters=MOST_FILTERS,
            )
        )
    return Filters(tuple(sorted(filters, key=str)))


def _filter(name: str, value: str, exclude: bool) -> Filter:
    facet = FACETS.get(name)
    if facet is None:
        raise UsageError(
            message(
                "there is no filter {name}; filters are {names}",
                name=repr(name[:40]),
                names=", ".join(FACETS),
            )
        )
    if name == "year":
        try:
            return Filter(name, value, exclude, parse_years(value))
        except QuerySyntaxError as exc:
            raise UsageError(message("filter year: {reason}", reason=str(exc))) from exc
    if not facet.key(value):
        raise UsageError(message("filter {name}: there is no value behind the colon", name=name))
    if facet.choices and facet.key(value) not in facet.choices:
        raise UsageError(
            message(
                "filter {name}: {value} is none of {names}",
                name=name,
                value=repr(value[:40]),
                names=", ".join(facet.choices),
            )
        )
    return Filter(name, value, exclude)
