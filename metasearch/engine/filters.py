"""Which works of a list are shown, and in which order if not that of relevance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, get_args

from metasearch.bib.normalise import words
from metasearch.engine.facets import FACETS, filter_text, keyed
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.tree import Years
from metasearch.query.values import parse_years
from metasearch.record import Hit

# Filters: which works of a list are shown, read from texts such as "type:article,oa:yes".
#
# A filter looks at merged works that were already received; no source is asked for it. Filters of
# one name widen ("type:article,type:book" shows both), filters of different names narrow, and a
# hyphen before a name takes works away ("-retracted:yes").

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


# Other orders of a list than that of relevance. All are total; hits that lack the value come last,
# and equal ones stay in the order of relevance.

#: "date" is newest first, "-date" oldest first, "citations" most cited first, "first-seen" in the
#: order in which the works were received.
Sort = Literal["relevance", "date", "-date", "title", "citations", "first-seen"]
SORTS: tuple[Sort, ...] = get_args(Sort)

#: What relevance is: "positions" ranks by the lists of the sources alone, "words" by the words of
#: the query, too. It stands here because `rank.py` takes long to load.
RankMode = Literal["words", "positions"]
RANK_MODES: tuple[RankMode, ...] = get_args(RankMode)

_ARTICLES = frozenset({"the", "a", "an"})


def arranged(ranked: Iterable[Hit], sort: Sort, arrival: Mapping[str, int]) -> list[Hit]:
    """The hits in the order of `sort`; their `rank` is not changed.

    `ranked`: in the order of relevance. `arrival`: key of a record -> its number among those
    received; read for "first-seen" only.
    """
    hits = list(ranked)
    if sort == "first-seen":
        hits.sort(key=lambda hit: min((arrival.get(r.key, 0) for r in hit.records), default=0))
    elif sort != "relevance":
        hits.sort(key=_KEYS[sort])
    return hits


def _date(hit: Hit) -> tuple[int, ...]:
    """Year, month, day; 0 for what is not known."""
    record = hit.record
    if record.date:
        parts = [int(part) for part in record.date.split("-") if part.isdigit()]
        return (*parts, 0, 0)[:3]
    return (record.year or 0, 0, 0)


def _newest_first(hit: Hit) -> tuple[int, ...]:
    # An unknown date is year 0 and comes last by itself.
    return tuple(-part for part in _date(hit))


def _oldest_first(hit: Hit) -> tuple[int, ...]:
    date = _date(hit)
    return (not date[0], *date)


def _title(hit: Hit) -> tuple[bool, list[str], list[str]]:
    listed = words(hit.record.title)
    if len(listed) > 1 and listed[0] in _ARTICLES:
        listed = listed[1:]
    return (not listed, listed, words(hit.record.subtitle or ""))


def _most_cited_first(hit: Hit) -> tuple[bool, int]:
    citations = hit.record.citations
    return (citations is None, -(citations or 0))


_KEYS: Mapping[str, Callable[[Hit], tuple[object, ...]]] = {
    "date": _newest_first,
    "-date": _oldest_first,
    "title": _title,
    "citations": _most_cited_first,
}
