"""The works of a job: what its components are divided into, what each work is called, and its hit.

Works are divided and named when somebody asks, because records come in many and a component grows
with several of them; a hit is merged when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from metasearch.dedup.columns import JournalColumns
from metasearch.dedup.components import Cluster, Components, Divider
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.merge import alone, merge
from metasearch.dedup.naming import Names
from metasearch.dedup.prints import Prints
from metasearch.record import Hit, Match, VersionsMode


class Works:
    """The works of records that are taken in one by one; a component of them is named by its root,
    the number of one of its records.

    `prints`: the fingerprints by number; they are there before a record is added here. `trust`: as
    in `merge`. `versions`: as in `OnlineDedup`.
    """

    def __init__(
        self,
        prints: Prints,
        columns: JournalColumns,
        divider: Divider,
        trust: Mapping[str, float] | None,
        versions: VersionsMode,
    ) -> None:
        self._prints = prints
        self._columns = columns
        self._divider = divider
        self._trust = trust
        self._versions = versions
        self.components = Components()
        self._names = Names(prints, separate=versions == "separate")
        self._clusters: dict[int, list[Cluster]] = {}
        self._made: dict[int, list[Hit]] = {}
        self._copies: dict[int, list[tuple[int, Match]]] = {}
        self._dirty: set[int] = set()
        self._gone: set[int] = set()

    # ---------------------------------------------------------------- in

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Add the next record, alone in its component."""
        self._names.add(fingerprint)
        self.components.add()
        self._dirty.add(number)

    def add_copy(self, number: int, other: int, match: Match) -> None:
        """Put the record that came last beside an equal one, whose verdicts hold for it."""
        self._copies.setdefault(other, []).append((number, match))
        self.components.put_under(number, other)
        self._dirty.discard(number)
        self._dirty.add(self.components.root(other))

    def join(self, a: int, b: int, match: Match) -> None:
        """Join the components of two records."""
        kept, gone = self.components.join(a, b, match)
        if gone is not None:
            self._clusters.pop(gone, None)
            self._made.pop(gone, None)
            self._dirty.discard(gone)
            self._gone.add(gone)
        self._dirty.add(kept)

    def divide_anew(self, number: int) -> None:
        """Let the component of a record be divided again."""
        root = self.components.root(number)
        if self._has_several(root):
            self._dirty.add(root)

    def settle(self) -> tuple[set[int], set[int]]:
        """Divide what has grown and name its works. Returns the components in which something may
        be different now, and those that are gone.
        """
        gone, self._gone = self._gone, set()
        for root in gone:
            self._names.forget(root)
        changed, self._dirty = self._dirty, set()
        for root in changed:
            if self._has_several(root):
                self._clusters[root] = self._divide(root)
                self._made.pop(root, None)
                self._names.claim(root, self.numbers(root))
            else:  # it never was larger: a component only grows
                self._names.claim_new(root)
        renamed = self._names.settle(self.numbers)
        for root in renamed:
            self._made.pop(root, None)
        return changed | renamed, gone

    # ---------------------------------------------------------------- out

    @property
    def duplicates(self) -> int:
        """Records less works."""
        return sum(
            len(numbers) - 1 for clusters in self._clusters.values() for numbers, _ in clusters
        )

    def roots(self) -> Iterator[int]:
        """All components."""
        return self.components.roots()

    def numbers(self, root: int) -> list[list[int]]:
        """The numbers of the records of each work of a component."""
        clusters = self._clusters.get(root)
        return [[root]] if clusters is None else [numbers for numbers, _ in clusters]

    def hits(self, root: int) -> list[Hit]:
        """The hits of a component: those that are kept, or new ones."""
        return self._made.get(root) or self._make(root)

    def keep_hits(self, root: int, *, anew: bool = False) -> list[Hit]:
        """The same, kept for the next time; `anew`: made again in any case."""
        if anew or root not in self._made:
            self._made[root] = self._make(root)
        return self._made[root]

    def _has_several(self, root: int) -> bool:
        return self.components.has_several(root) or root in self._copies

    def _make(self, root: int) -> list[Hit]:
        clusters = self._clusters.get(root)
        if clusters is None:
            name, also = self._names.of(root, 0, (root,))
            return [alone(name, self._prints.records[root], also)]
        return [
            self._hit(cluster, self._names.of(root, place, cluster[0]))
            for place, cluster in enumerate(clusters)
        ]

    def _hit(self, cluster: Cluster, name: tuple[str, tuple[str, ...]]) -> Hit:
        numbers, matches = cluster
        records, keys = self._prints.records, self._prints.record_keys
        if len(numbers) == 1:
            return alone(name[0], records[numbers[0]], name[1])
        members = ((keys[n], records[n], self._prints[n]) for n in numbers)
        hit = merge(members, matches, self._trust, name)
        return replace(hit, versions=()) if self._versions == "merge" else hit

    def _divide(self, root: int) -> list[Cluster]:
        joins = self.components.joins(root)
        clusters = self._divider.divide(
            self.components.members(root), joins, separate=self._versions == "separate"
        )
        if self._copies:
            apart: list[Cluster] = []
            for numbers, matches in clusters:
                for number in numbers[:]:
                    for copy, match in self._copies.get(number, ()):
                        said = (
                            self._divider.in_column(number, copy)
                            if copy in self._columns
                            else match
                        )
                        if said is None:
                            apart.append(([copy], []))
                        else:
                            numbers.append(copy)
                            matches.append(said)
            clusters += apart
        return clusters
