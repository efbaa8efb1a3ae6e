"""Facets: how the works of a list divide by source, type, year, language and so on.

Works are counted after they were merged. A work with several values counts in each of them, once.
Values that mean the same are one value: languages by ISO 639, venues, authors and subjects by their
folded words, and the commonest spelling is shown. `FACETS` is the one table of what there is; the
filters read it, too.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal, get_args

from metasearch.bib.languages import language_code
from metasearch.bib.normalise import words
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.tree import Years
from metasearch.query.values import parse_years
from metasearch.record import TYPES, Author, Hit

if TYPE_CHECKING:
    from metasearch.events import Facet, Facets


# `FACETS` is read where nothing is counted: by every command.

#: Values of a facet that are shown where a request does not say how many, and at most.
DEFAULT_VALUES, MOST_VALUES = 10, 500
#: Values of one work that count in a facet.
MOST_OF_A_WORK = 100


@dataclass(frozen=True, slots=True)
class FacetField:
    """One facet, and the filter of the same name.

    Attributes:
        name: As in `facets=year` and `filter=year:2020`.
        help: What it counts.
        values: The values of a work, as they are shown.
        key: Value -> what two spellings of it have in common; "" for what is no value.
        by_value: Whether the values are shown in their own order, the largest first, and all of
            them; else the most frequent first.
        place: Value -> where it stands in that order.
        choices: All values, where they are few.
    """

    name: str
    help: str
    values: Callable[[Hit], Iterable[str]]
    key: Callable[[str], str]
    by_value: bool = False
    place: Callable[[str], int | str] = str.casefold
    choices: tuple[str, ...] = ()


# --------------------------------------------------------------------------- values and keys


def _sources(hit: Hit) -> Iterable[str]:
    return hit.sources


def _only(hit: Hit) -> Iterable[str]:
    return hit.sources if len(hit.sources) == 1 else ()


def _type(hit: Hit) -> Iterable[str]:
    return (hit.record.type,) if hit.record.type else ()


def _year(hit: Hit) -> Iterable[str]:
    return (str(hit.record.year),) if hit.record.year else ()


def _language(hit: Hit) -> Iterable[str]:
    code = hit.record.language
    return ((language_code(code) or code),) if code else ()


def _open_access(hit: Hit) -> Iterable[str]:
    colour = hit.record.open_access
    return ("no" if colour == "closed" else "yes",) if colour else ()


def _venue(hit: Hit) -> Iterable[str]:
    return (hit.record.venue,) if hit.record.venue else ()


def _author(hit: Hit) -> Iterable[str]:
    return [_family_first(author) for author in hit.record.byline[:MOST_OF_A_WORK]]


def _subject(hit: Hit) -> Iterable[str]:
    return (*hit.record.subjects, *hit.record.keywords)[:MOST_OF_A_WORK]


def _retraction(hit: Hit) -> Iterable[str]:
    return ("yes",) if hit.record.retracted else ()


def _family_first(author: Author) -> str:
    if author.family and author.given:
        return f"{author.family}, {author.given}"
    return author.name


def _lower(value: str) -> str:
    return value.strip().lower()


def _language_key(value: str) -> str:
    return language_code(value.strip().lower()) or _lower(value)


@lru_cache(maxsize=4_000)
def _fold(value: str) -> str:
    return " ".join(words(value))


@lru_cache(maxsize=4_000)
def _venue_key(value: str) -> str:
    kept = [word for word in words(value) if word not in ("the", "a", "an", "and", "of")]
    return " ".join(kept or words(value))


@lru_cache(maxsize=4_000)
def _author_key(value: str) -> str:
    """Family name and first initial: "Smith, John A." and "Smith, J." are one value."""
    family, comma, given = value.partition(",")
    if not comma:
        return " ".join(words(value))
    return f"{' '.join(words(family))}, {''.join(words(given))[:1]}"


#: All facets by name.
FACETS: Mapping[str, FacetField] = {
    declared.name: declared
    for declared in (
        FacetField("source", "sources that hold the work", _sources, _lower),
        FacetField("only", "the source of a work that no other source holds", _only, _lower),
        FacetField("type", "kind of work", _type, _lower, choices=TYPES),
        FacetField("year", "year of publication", _year, str.strip, by_value=True, place=int),
        FacetField("language", "language, as ISO 639 code", _language, _language_key),
        FacetField(
            "oa", "open access, as the sources say", _open_access, _lower, choices=("yes", "no")
        ),
        FacetField("venue", "journal, proceedings or book", _venue, _venue_key),
        FacetField("author", "family name and first initial", _author, _author_key),
        FacetField("subject", "subject headings and keywords", _subject, _fold),
        FacetField(
            "retracted",
            "works that a source calls retracted",
            _retraction,
            _lower,
            choices=("yes",),
        ),
    )
}


def facet_names(value: str | Iterable[str] | None) -> tuple[str, ...]:
    """The names of facets in a list or a text with commas, each once; "all" means all.

    Raises:
        UsageError: There is no such facet.
    """
    if not value:
        return ()
    listed = value.split(",") if isinstance(value, str) else value
    names: dict[str, None] = {}
    for name in (each.strip().lower() for each in listed):
        if name == "all":
            names.update(dict.fromkeys(FACETS))
        elif name in FACETS:
            names.setdefault(name)
        elif name:
            raise UsageError(
                message(
                    "there is no facet {name}; facets are {names}, or all",
                    name=repr(name[:40]),
                    names=", ".join(FACETS),
                )
            )
    return tuple(names)


@dataclass(slots=True)
class _Tally:
    """The works of one facet, counted so far.

    Attributes:
        spellings: Key -> value as hits spell it -> number of works that spell it so.
        totals: Key -> number of works that have it.
        missing: Works without a value.
    """

    spellings: dict[str, Counter[str]] = field(default_factory=dict)
    totals: Counter[str] = field(default_factory=Counter)
    missing: int = 0

    def add(self, values: Mapping[str, str]) -> None:
        self.missing += not values
        for key, value in values.items():
            self.totals[key] += 1
            spellings = self.spellings.get(key)
            if spellings is None:
                spellings = self.spellings[key] = Counter()
            spellings[value] += 1

    def take_out(self, values: Mapping[str, str]) -> None:
        """Undo `add`."""
        self.missing -= not values
        for key, value in values.items():
            spellings = self.spellings[key]
            self.totals[key] -= 1
            spellings[value] -= 1
            if not spellings[value]:
                del spellings[value]
            if not spellings:
                del self.totals[key], self.spellings[key]

    def facet(self, declared: FacetField, limit: int) -> Facet:
        from metasearch.events import Facet, FacetValue

        by_value = declared.by_value
        values = self._by_value(declared) if by_value else self._most_frequent(limit)
        return Facet(
            declared.name,
            tuple(
                FacetValue(value, count, filter_text(declared.name, value))
                for count, value in values
            ),
            more=len(self.totals) - len(values),
            missing=self.missing,
        )

    def _by_value(self, declared: FacetField) -> list[tuple[int, str]]:
        counted = [(count, self._commonest(key)) for key, count in self.totals.items()]
        counted.sort(key=lambda each: declared.place(each[1]), reverse=True)
        return counted[:MOST_VALUES]

    def _most_frequent(self, limit: int) -> list[tuple[int, str]]:
        counts = self.totals.values()
        # Most values of a long list have one work each: those that are too rare are not sorted.
        least = heapq.nlargest(limit, counts)[-1] if counts else 0
        frequent = [
            (count, self._commonest(key)) for key, count in self.totals.items() if count >= least
        ]
        return heapq.nsmallest(limit, frequent, key=lambda each: (-each[0], each[1]))

    def _commonest(self, key: str) -> str:
        """The spelling that most works have; of equally common ones the first of the alphabet."""
        spellings = self.spellings[key]
        if len(spellings) == 1:
            return next(iter(spellings))
        return min(spellings, key=lambda value: (-spellings[value], value))


class FacetCounts:
    """Counts facets of a list that grows: a hit of the same records is read and counted once, also
    where it was ranked anew.

    Args:
        names: Of `FACETS`.
        limit: Values of each facet that are shown.
        failed: Returns the names of the filters that a hit does not pass: a work counts in a facet
            where it passes the filters of all other names. None where there are no filters.
    """

    def __init__(
        self,
        names: Iterable[str],
        limit: int = DEFAULT_VALUES,
        failed: Callable[[Hit], frozenset[str]] | None = None,
    ) -> None:
        self._fields = tuple(FACETS[name] for name in names)
        self._limit = limit
        self._failed = failed
        self._tallies = tuple(_Tally() for _ in self._fields)
        #: `id` of the records of a hit -> the hit, and for each facet its values by key; None in
        #: place of the values where it does not count in the facet.
        self._counted: dict[int, tuple[Hit, tuple[dict[str, str] | None, ...]]] = {}

    def add(self, hits: Iterable[Hit]) -> None:
        """Read and count hits ahead of `count`."""
        for hit in hits:
            if id(hit.records) in self._counted:
                continue
            values = self._values(hit)
            self._counted[id(hit.records)] = hit, values
            for tally, each in zip(self._tallies, values, strict=True):
                if each is not None:
                    tally.add(each)

    def count(self, hits: Sequence[Hit]) -> Facets:
        """The facets of these hits; their order has no effect.

        Args:
            hits: All works that were seen.
        """
        from metasearch.events import Facets

        self.add(hits)
        if len(self._counted) > len(hits):
            there = {id(hit.records) for hit in hits}
            for gone in [number for number in self._counted if number not in there]:
                self._take_out(self._counted.pop(gone)[1])
        return Facets(
            len(hits),
            tuple(
                tally.facet(declared, self._limit)
                for declared, tally in zip(self._fields, self._tallies, strict=True)
            ),
        )

    def _take_out(self, values: Iterable[dict[str, str] | None]) -> None:
        for tally, each in zip(self._tallies, values, strict=True):
            if each is not None:
                tally.take_out(each)

    def _values(self, hit: Hit) -> tuple[dict[str, str] | None, ...]:
        failed = self._failed(hit) if self._failed is not None else frozenset()
        return tuple(
            None if failed and failed != {declared.name} else facet_values(declared, hit)
            for declared in self._fields
        )


def facet_values(facet: FacetField, hit: Hit) -> dict[str, str]:
    """Key -> value of one hit in one facet, without what is no value."""
    values: dict[str, str] = {}
    for value in facet.values(hit):
        key = facet.key(value)
        if key:
            values.setdefault(key, value)
    return values


def filter_text(name: str, value: str) -> str:
    """A filter as it is written: `type:article`, `venue:"Nature, London"`."""
    if any(char in value for char in ',":') or value != value.strip() or not value:
        value = '"' + value.replace('"', '""') + '"'
    return f"{name}:{value}"


# Filters: which works of a list are shown, read from texts such as "type:article,oa:yes". A filter
# looks at merged works that were already received; no source is asked for it. Filters of one name
# widen ("type:article,type:book" shows both), filters of different names narrow, and a hyphen
# before a name takes works away ("-retracted:yes").

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
        failed = self.failures()
        return lambda hit: not failed(hit)

    def failures(self) -> Callable[[Hit], frozenset[str]]:
        """A function that returns which filters a work does not pass: the name of each, with a
        hyphen before it where the filter takes works away. It reads a hit that has not changed
        once, as long as it is kept.
        """
        of_name: dict[str, list[Filter]] = {}
        for each in self.filters:
            of_name.setdefault(each.name, []).append(each)
        read: dict[str, tuple[Hit, frozenset[str]]] = {}

        def failures_of(hit: Hit) -> frozenset[str]:
            known = read.get(hit.id)
            if known is not None and known[0] is hit:
                return known[1]
            names = frozenset(
                chain.from_iterable(_failures(*each, hit) for each in of_name.items())
            )
            read[hit.id] = hit, names
            return names

        return failures_of


def _failures(name: str, filters: Sequence[Filter], hit: Hit) -> Iterator[str]:
    """The names of the filters of one name that a work does not pass."""
    values = facet_values(FACETS[name], hit)
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


def sort_hits(ranked: Iterable[Hit], sort: Sort, arrival: Mapping[str, int]) -> list[Hit]:
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
