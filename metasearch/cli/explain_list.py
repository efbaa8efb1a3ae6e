"""How a hit that `metasearch explain` explains stands in the list of the search: its rank and why,
whether it passes the filters, and under which values of facets it counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from metasearch.cli.terminal.console import counted
from metasearch.events import ORDERS
from metasearch.formats.answer import facets_object, reason_object
from metasearch.formats.table import shown_points
from metasearch.formats.text import clean, line
from metasearch.listing.facets import DEFAULT_VALUES, FacetCounts
from metasearch.listing.filters import Filters
from metasearch.listing.sort import Sort
from metasearch.record import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What the explanation of a hit says about a list of works.

    Attributes:
        filters: Whether the hit passes them is shown.
        facets: Names of facets; the values under which the hit counts are shown.
        facet_limit: Values of each facet at most.
        works: Works of the list; 0 without a search.
    """

    sort: Sort = "relevance"
    filters: Filters = field(default_factory=Filters)
    facets: tuple[str, ...] = ()
    facet_limit: int = DEFAULT_VALUES
    works: int = 0


def list_rows(hit: Hit, options: ListOptions) -> Iterator[tuple[str, str]]:
    """Where the hit stands in the list of the search and why, whether it passes the filters, and
    under which values it counts.
    """
    if hit.rank:
        order = ORDERS.get(options.sort, options.sort)
        yield "rank", f"{hit.rank} of {counted(options.works, 'hit')}, sorted by {order}"
        yield "score", f"{hit.score:.4f}"
        for reason, points in zip(hit.reasons, shown_points(hit), strict=True):
            yield "score", f"{points:+.4f} {line(reason.text)}"
    if options.filters:
        passes = "passes" if options.filters.passes()(hit) else "does not pass"
        yield "filter", f"{passes} {line(str(options.filters))}"
    for facet in FacetCounts(options.facets, options.facet_limit).count([hit]).facets:
        values = [line(each.value) for each in facet.values]
        more = [f"{facet.more:,} more"] if facet.more else []
        yield "facet", f"{facet.name}: {'; '.join(values + more) or 'no value'}"


def list_object(hit: Hit, options: ListOptions) -> dict[str, Any]:
    """How a hit stands in the list: `rank` and `score` are 0 without a search, `passes` is null
    without filters, and `facets` is null where none was asked for.
    """
    names = options.facets
    facets = FacetCounts(names, options.facet_limit).count([hit]) if names else None
    return {
        "id": clean(hit.id),
        "rank": hit.rank,
        "score": hit.score,
        "reasons": [reason_object(reason) for reason in hit.reasons],
        "passes": options.filters.passes()(hit) if options.filters else None,
        "facets": facets_object(facets),
    }
