"""When the facets of a running search are counted and sent.

Counting takes time, so this is done at most every `EVERY` seconds; what changes in between is
counted when the time has come, also if no further records arrive. A slow reader gets no second
facets before the first are read.
"""

from __future__ import annotations

from collections.abc import Callable

from metasearch.events import Facets, FacetsChanged

#: Seconds between two counts.
EVERY = 0.25


class FacetEvents:
    """The facets of one search; synchronous, owned by its task."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted
        self._sent: Facets | None = None
        self._place = 0  # of the newest facets among all events
        self._stale = False  # whether hits have changed since the last count
        self._next = 0.0

    @property
    def due(self) -> float | None:
        """Loop time of the next count; None where nothing has changed since the last one."""
        return self._next if self._stale else None

    def hits_changed(self) -> None:
        """Have the facets counted when their time has come."""
        self._stale = self._wanted

    def count(
        self, facets: Callable[[], Facets | None], now: float, noted: int, read: int
    ) -> FacetsChanged | None:
        """The event to send now; None where it is not time yet, or the facets are as they were."""
        if not self._stale or now < self._next:
            return None
        self._next = now + EVERY
        if read < self._place:
            return None
        self._stale = False
        event = self.changed(facets())
        if event is not None:
            self._place = noted + 1
        return event

    def changed(self, facets: Facets | None) -> FacetsChanged | None:
        """The event for these facets; None where they are those that were sent last."""
        if facets is None or facets == self._sent:
            return None
        self._sent = facets
        return FacetsChanged(facets)
