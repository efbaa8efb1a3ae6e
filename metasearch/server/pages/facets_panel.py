"""The panel that narrows a result page: a form of the values of facets, the years as a histogram,
and the filters that hold, each with a link that removes it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metasearch.engine.facets import FACETS, Filter, parse_filters
from metasearch.errors import UsageError
from metasearch.events import Facet, Facets, FacetValue
from metasearch.formats.text import clean, line
from metasearch.language import ReaderLanguage
from metasearch.query import Years
from metasearch.query.values import parse_years
from metasearch.server.pages.environment import FACET_HEADINGS, TYPE_WORDS, YES_NO

#: Facets of a page whose address names none, in the order of the panel.
PAGE_FACETS = ("year", "source", "type", "oa", "language", "venue", "retracted")
#: Groups that are open where nothing of them is ticked.
_OPEN = frozenset({"year", "source", "type", "oa"})
#: Values of a facet that are shown, and characters of each.
_MOST, _LONGEST = 12, 80
#: Bars of the histogram: the newest years; and its height and the width of a year, in its own unit.
MOST_YEARS, HEIGHT, WIDTH = 40, 56, 10


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """A filter that holds. `address`: of the same search without it."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class FacetValueChoice:
    """A value of a facet. `filter`: as a filter, which the form sends where it is ticked."""

    text: str
    count: int
    filter: str
    ticked: bool


@dataclass(frozen=True, slots=True)
class FacetGroup:
    """A facet with at least one value. `open`: whether its values are seen without a click."""

    name: str
    heading: str
    choices: Sequence[FacetValueChoice]
    more: int
    missing: int
    open: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """The works of one year in the histogram; lengths in its own unit. `chosen`: whether the years
    of the filter hold it; all are, where there is no such filter.
    """

    year: int
    count: int
    x: int
    y: int
    height: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Histogram:
    """The works by year. `bars`: of the years that have works, the oldest first. `first`, `last`:
    as the filter says; "" for an open end.
    """

    bars: Sequence[Bar]
    first: str
    last: str
    width: int
    ticked: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """The form.

    Attributes:
        hidden: (name, value) of the parameters of the search that it repeats.
        works: How many works were counted.
        clear: Address of the search without any filter; "" where none holds.
    """

    chips: Sequence[ActiveFilter]
    groups: Sequence[FacetGroup]
    years: Histogram | None
    hidden: Sequence[tuple[str, str]]
    works: int
    clear: str

    def counts(self) -> Iterator[tuple[str, int]]:
        """(filter, works) of every value that is shown, and of every year."""
        for bar in self.years.bars if self.years else ():
            yield f"year:{bar.year}", bar.count
        for group in self.groups:
            for choice in group.choices:
                yield choice.filter, choice.count


@dataclass(frozen=True, slots=True)
class PanelMaker:
    """Makes the panel of one search. `address`: filters, as they are written -> the address of the
    same search with these.
    """

    filters: Sequence[Filter]
    address: Callable[[str], str]
    label: Callable[[str], str]
    language: ReaderLanguage

    def panel(self, facets: Facets | None, parameters: Mapping[str, str | int]) -> Panel:
        """The panel. `facets`: the counts; None where there are none."""
        known = [facet for facet in (facets.facets if facets else ()) if facet.values]
        year = next((facet for facet in known if facet.name == "year"), None)
        histogram = self._histogram(year) if year else None
        groups = [self._group(facet) for facet in known if facet.name != "year"]
        offered = {
            _meaning(written)
            for group in groups
            for choice in group.choices
            if choice.filter and (written := _parse_filter(choice.filter)) is not None
        }
        span = self._span()
        # What has no box in the form is repeated by it, or it would be lost.
        hidden = [
            ("filter", str(each))
            for each in self.filters
            if _meaning(each) not in offered and not (each is span and histogram)
        ]
        return Panel(
            chips=[
                ActiveFilter(self._filter_text(each), self.address(self._without(each)))
                for each in self.filters
            ],
            groups=groups,
            years=histogram,
            hidden=[*((name, str(value)) for name, value in parameters.items()), *hidden],
            works=facets.works if facets else 0,
            clear=self.address("") if self.filters else "",
        )

    def _group(self, facet: Facet) -> FacetGroup:
        ticked = {_meaning(each) for each in self.filters}
        choices = [self._choice(facet.name, value, ticked) for value in facet.values[:_MOST]]
        return FacetGroup(
            facet.name,
            FACET_HEADINGS[facet.name],
            choices,
            facet.more + len(facet.values) - len(choices),
            facet.missing,
            facet.name in _OPEN or any(choice.ticked for choice in choices),
        )

    def _choice(
        self, name: str, value: FacetValue, ticked: set[tuple[bool, str, str]]
    ) -> FacetValueChoice:
        written = _parse_filter(value.filter)
        return FacetValueChoice(
            self._value_text(name, value.value),
            value.count,
            str(written) if written else "",
            written is not None and _meaning(written) in ticked,
        )

    def _histogram(self, facet: Facet) -> Histogram:
        counted = sorted((int(value.value), value.count) for value in facet.values)
        # A misprint such as 9999 must not push all other years out of the drawing.
        next_year = dt.datetime.now(dt.UTC).year + 1
        newest = max((year for year, _ in counted if year <= next_year), default=counted[-1][0])
        shown = [each for each in counted if newest - MOST_YEARS < each[0] <= newest]
        first, most = shown[0][0], max(count for _, count in shown)
        span = self._span()
        years = parse_years(span.value) if span else Years(None, None)
        bars = []
        for year, count in shown:
            height = max(2, round(count / most * (HEIGHT - 4)))
            chosen = (years.first or year) <= year <= (years.last or year)
            bars.append(
                Bar(year, count, (year - first) * WIDTH + 1, HEIGHT - height, height, chosen)
            )
        width = max(5, newest - first + 1) * WIDTH
        ends = [str(end) if end is not None else "" for end in (years.first, years.last)]
        return Histogram(bars, ends[0], ends[1], width, span is not None)

    def _span(self) -> Filter | None:
        """The filter of years, where there is one and no other says more of years."""
        spans = [each for each in self.filters if each.name == "year"]
        return spans[0] if len(spans) == 1 and not spans[0].exclude else None

    def _without(self, filter_: Filter) -> str:
        return ",".join(str(each) for each in self.filters if each != filter_)

    def _filter_text(self, filter_: Filter) -> str:
        heading = self.language.gettext(FACET_HEADINGS[filter_.name])
        value = self._value_text(filter_.name, filter_.value)
        if filter_.exclude:
            return self.language.gettext("not %(facet)s: %(value)s") % {
                "facet": heading,
                "value": value,
            }
        return self.language.gettext("%(facet)s: %(value)s") % {"facet": heading, "value": value}

    def _value_text(self, name: str, value: str) -> str:
        match name:
            case "source" | "only":
                value = self.label(value)
            case "type":
                value = self.language.gettext(TYPE_WORDS[value]) if value in TYPE_WORDS else value
            case "language":
                value = self.language.language_name(value)
            case "oa" | "retracted":
                value = self.language.gettext(YES_NO[value]) if value in YES_NO else value
        shown = line(value)
        return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def _parse_filter(text: str) -> Filter | None:
    """The filter that a value of a facet names; None for a value that no filter can have."""
    if clean(text) != text:  # a page cannot send it as it is
        return None
    try:
        (one,) = parse_filters(text).filters
    except UsageError:
        return None
    return one


def _meaning(filter_: Filter) -> tuple[bool, str, str]:
    """What filters that mean the same have in common, however their values are spelt."""
    return filter_.exclude, filter_.name, FACETS[filter_.name].key(filter_.value)
