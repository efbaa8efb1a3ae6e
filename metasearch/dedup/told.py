"""What a caller was told of the hits of a job, and what has changed since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from metasearch.dedup.works import Works
from metasearch.events import Added, Change, Grown, Joined
from metasearch.record import Hit


class Told:
    """The hits as they were told."""

    def __init__(self, works: Works) -> None:
        self._works = works
        # Of each component, the ids of its hits, and a record of each; of those that are gone.
        self._told: dict[int, dict[str, int]] = {}
        self._left: dict[str, int] = {}

    def leave(self, roots: Iterable[int]) -> None:
        """Take note of components that are gone."""
        for root in roots:
            self._left |= self._told.pop(root, {})

    def changes(self, roots: set[int]) -> list[Change]:
        """What has happened to the hits since the last call. `roots`: the components in which
        something may be different now.
        """
        before, self._left = self._left, {}
        for root in roots:
            before |= self._told.pop(root, {})
        # A hit that has gone may stand in a component that settled without a report.
        root_of = self._works.components.root
        behind = {root for root in map(root_of, before.values()) if root not in roots}
        for root in behind:
            before |= self._told.pop(root, {})
        now: list[tuple[Hit, list[int]]] = []
        for root in sorted(roots | behind):
            hits = self._works.keep_hits(root, anew=True)
            works = list(zip(hits, self._works.numbers(root), strict=True))
            now += works
            self._told[root] = {hit.id: numbers[0] for hit, numbers in works}
        return list(_told_as(before, now))


def _told_as(before: Mapping[str, int], now: Sequence[tuple[Hit, list[int]]]) -> Iterator[Change]:
    """The changes that turn some hits into others, for callers that keep hits by id. `before`: id
    of each -> number of one of its records.
    """
    ids = {hit.id for hit, _ in now}
    gone = {number: name for name, number in before.items() if name not in ids}
    for hit, numbers in now:
        absorbed = sorted(gone[number] for number in numbers if number in gone) if gone else ()
        if absorbed:
            yield Joined(hit, tuple(absorbed))
        else:
            yield Grown(hit) if hit.id in before else Added(hit)
