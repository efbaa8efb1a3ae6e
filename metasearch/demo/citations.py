"""Which works of a catalogue cite which, and what each simulated database knows of it.

The works may be real; their citations here are invented, by hash, the same in every process.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from metasearch.demo.catalogue import CatalogueWork, dice

#: The fewest works that one cites, if its subject has so many.
FEWEST = 2


class Citations:
    """Each work with a DOI cites such works of its subject, none newer than itself. What more
    databases hold cites more, and is cited more.

    `held`: database name -> ids of its works.
    """

    def __init__(self, works: Iterable[CatalogueWork], held: Mapping[str, Collection[str]]) -> None:
        self._works = works
        self.held = held
        self._cited: dict[str, tuple[CatalogueWork, ...]] = {}

    @cached_property
    def _subjects(self) -> Mapping[str, tuple[Sequence[CatalogueWork], Sequence[int]]]:
        """Subject -> its works with DOIs, the oldest first, and their years."""
        found: dict[str, list[CatalogueWork]] = defaultdict(list)
        for work in self._works:
            if work.doi:
                found[work.subject].append(work)
        for some in found.values():
            some.sort(key=lambda work: (work.year, work.id))
        return {subject: (some, [work.year for work in some]) for subject, some in found.items()}

    @cached_property
    def _right(self) -> Mapping[str, CatalogueWork]:
        return {work.id: work for some, _ in self._subjects.values() for work in some}

    @cached_property
    def _holders(self) -> Mapping[str, int]:
        return Counter(key for keys in self.held.values() for key in keys)

    def references(self, key: str) -> tuple[CatalogueWork, ...]:
        """The works that one cites, as the catalogue has them."""
        if key not in self._cited:
            work = self._right.get(key)
            self._cited[key] = () if work is None else self._draw(work)
        return self._cited[key]

    def _draw(self, work: CatalogueWork) -> tuple[CatalogueWork, ...]:
        same, years = self._subjects[work.subject]
        # The oldest works cite what is hardly newer: it was in press.
        most = min(max(bisect_right(years, work.year), FEWEST + 1), len(same))
        chosen: dict[str, CatalogueWork] = {}
        wanted = min(FEWEST - 1 + self._holders[work.id], most - 1)
        for turn in range(wanted):
            drawn = (int(dice(work.id, str(turn), str(at), "cites") * most) for at in range(3))
            place = max(drawn, key=lambda place: self._holders[same[place].id])
            while same[place].id == work.id or same[place].id in chosen:
                place = (place + 1) % most
            chosen[same[place].id] = same[place]
        return tuple(chosen.values())

    @cached_property
    def edges(self) -> Sequence[tuple[CatalogueWork, CatalogueWork]]:
        """All pairs of a work and one that it cites."""
        return [
            (work, cited) for work in self._right.values() for cited in self.references(work.id)
        ]


class HeldCitations:
    """What one database knows of them.

    `share`: the part of the references of its works. `is_closed`: whether they are to works that
    it holds.
    """

    def __init__(
        self, database: str, citations: Citations, share: float, *, is_closed: bool
    ) -> None:
        self._database = database
        self._all = citations
        self._share = share
        self._own = citations.held[database]
        self._is_closed = is_closed

    def has(self, citing: str, cited: str) -> bool:
        """Whether it knows that a work cites another."""
        return (
            citing in self._own
            and (cited in self._own or not self._is_closed)
            and dice(self._database, citing, cited, "cites") < self._share
        )

    def references(self, work: CatalogueWork) -> list[CatalogueWork]:
        return [cited for cited in self._all.references(work.id) if self.has(work.id, cited.id)]

    @cached_property
    def citing(self) -> Mapping[str, list[CatalogueWork]]:
        """Id of a work -> the works that cite it."""
        found: dict[str, list[CatalogueWork]] = defaultdict(list)
        for work, cited in self._all.edges:
            if self.has(work.id, cited.id):
                found[cited.id].append(work)
        return found
