"""What narrows a result page: the filters that hold, each with a link that removes it, and the
values of facets, each with a link that adds it as a filter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from metasearch.bib.languages import languages
from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.listing.facets import FACETS, Facet, Facets, FacetValue
from metasearch.listing.filters import MOST_CHARACTERS, MOST_FILTERS, Filter, parse_filters
from metasearch.server.pages.environment import many

#: Facets of a page whose address names none.
PAGE_FACETS = ("source", "type", "year", "language", "oa")
#: Name of a facet -> its heading.
HEADINGS: Mapping[str, str] = {
    "source": "Source",
    "only": "Only in",
    "type": "Type",
    "year": "Year",
    "language": "Language",
    "oa": "Open access",
    "venue": "Venue",
    "author": "Author",
    "subject": "Subject",
    "retracted": "Retracted",
}
#: Values of a facet that are shown, and characters of each.
_MOST, _LONGEST = 50, 80


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that holds.

    Attributes:
        address: Of the same search without it.
    """

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a facet.

    Attributes:
        chosen: Whether it is a filter already.
        address: Of the same search with it as a filter; "" where it is one, or cannot be one.
    """

    text: str
    count: int
    chosen: bool
    address: str


@dataclass(frozen=True, slots=True)
class FacetView:
    """A facet with at least one value.

    Attributes:
        rest: How many values are not shown, and how many works have none; "" where all are shown
            and all works have one.
    """

    heading: str
    choices: Sequence[Choice]
    rest: str


class Narrowing:
    """Makes the chips and the facets of one page.

    Args:
        filters: Those that hold, as they are written.
        address: Filters, as they are written -> the address of the same search with these.
        label: Name of a source -> what people call it.
    """

    def __init__(
        self, filters: str, address: Callable[[str], str], label: Callable[[str], str]
    ) -> None:
        self._filters = parse_filters(filters).filters
        self._texts = [str(each) for each in self._filters]
        self._chosen = {_meaning(each) for each in self._filters}
        self._address = address
        self._label = label

    def chips(self) -> list[Chip]:
        """All filters that hold."""
        return [
            Chip(self._filter_text(each), self._address(self._without(each)))
            for each in self._filters
        ]

    def facets(self, facets: Facets | None) -> list[FacetView]:
        """The facets that have values."""
        return [self._view(each) for each in (facets.facets if facets else ()) if each.values]

    def _view(self, facet: Facet) -> FacetView:
        choices = [self._choice(facet.name, value) for value in facet.values[:_MOST]]
        hidden = facet.more + len(facet.values) - len(choices)
        more = many(hidden, "more value") if hidden else ""
        missing = f"{many(facet.missing, 'work')} without" if facet.missing else ""
        return FacetView(HEADINGS[facet.name], choices, "; ".join(filter(None, (more, missing))))

    def _choice(self, name: str, value: FacetValue) -> Choice:
        text = self._value_text(name, value.value)
        try:
            (added,) = parse_filters(value.filter).filters
        except UsageError:  # a value that no filter can have
            return Choice(text, value.count, False, "")
        if _meaning(added) in self._chosen:
            return Choice(text, value.count, True, "")
        narrower = self._with(added)
        return Choice(text, value.count, False, self._address(narrower) if narrower else "")

    def _without(self, filter_: Filter) -> str:
        return ",".join(text for text in self._texts if text != str(filter_))

    def _with(self, filter_: Filter) -> str:
        """The filters and one more; "" where they would be too many or too long."""
        texts = sorted((*self._texts, str(filter_)))
        written = ",".join(texts)
        return "" if len(texts) > MOST_FILTERS or len(written) > MOST_CHARACTERS else written

    def _filter_text(self, filter_: Filter) -> str:
        value = self._value_text(filter_.name, filter_.value)
        return f"{'not ' if filter_.exclude else ''}{HEADINGS[filter_.name]}: {value}"

    def _value_text(self, name: str, value: str) -> str:
        if name in ("source", "only"):
            value = self._label(value)
        elif name == "type":
            value = value.replace("-", " ")
        elif name == "language" and value in languages():
            value = languages()[value].name
        shown = line(value)
        return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def _meaning(filter_: Filter) -> tuple[bool, str, str]:
    """What filters that mean the same have in common, however their values are spelt."""
    return filter_.exclude, filter_.name, FACETS[filter_.name].key(filter_.value)
