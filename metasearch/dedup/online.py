"""Records in, hits out, while they arrive.

Hits are the connected components of the chain's "same" and "version" verdicts, cut where a "different" verdict
forbids that two records stand in one hit. Records are compared with records, never with a merged hit, and a component
that holds a contradiction is divided anew by one rule (strongest evidence first, no union across a veto); so the
partition depends on the records alone and not on who answered first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metasearch.dedup.fingerprint import Fingerprint, fingerprint
from metasearch.dedup.matcher import Chain, Matcher
from metasearch.dedup.merge import alone, hit_id, merge
from metasearch.events import Added, Change, Counts, Grown, Joined
from metasearch.record import Hit, Match, Record

#: Up to this size every pair of a component is judged, beyond it only pairs that share a key: the cost stays linear.
ALL_PAIRS = 60

Cluster = tuple[list[int], list[Match]]


class OnlineDedup:
    """The dedup stage of one search; synchronous, owned by one task.

    Args:
        chain: The matchers, in the order in which they are asked.
        trust: Weight of each source, used when fields are merged.
    """

    def __init__(self, chain: Chain, trust: Mapping[str, float] | None = None) -> None:
        self._chain = chain
        self._trust = trust
        self._records: list[Record] = []
        self._prints: list[Fingerprint] = []
        # One dictionary a matcher: the same value means something else to each.
        self._lookups: list[tuple[Matcher, dict[str, list[int]]]] = [(matcher, {}) for matcher in chain.matchers]
        self._parent: list[int] = []
        self._members: dict[int, list[int]] = {}
        self._verdicts: dict[tuple[int, int], Match | None] = {}
        self._vetoes: dict[tuple[int, int], bool] = {}
        self._joins: dict[int, list[tuple[int, int, Match]]] = {}
        self._clusters: dict[int, list[Cluster]] = {}
        self._made: dict[int, list[Hit]] = {}
        self._dirty: set[int] = set()
        self._shown: set[str] = set()
        self._keys: set[str] = set()
        self._ids: list[str] = []

    # ---------------------------------------------------------------- in

    def add(self, record: Record, print_: Fingerprint | None = None) -> list[Change]:
        """Take in one record and tell what changed: the same as `insert` and `changes`."""
        self.insert(record, print_)
        return self.changes()

    def insert(self, record: Record, print_: Fingerprint | None = None) -> None:
        """Take in one record; `changes` tells later what that did."""
        it = print_ or fingerprint(record)
        number = len(self._records)
        if it.record_key in self._keys:  # the same record again, on a later page for instance
            it = Fingerprint(record, f"{it.record_key}@{record.position or number}")
        self._keys.add(it.record_key)
        self._ids.append(hit_id(it.record_key))
        self._records.append(record)
        self._prints.append(it)
        self._parent.append(number)
        self._members[number] = [number]
        self._joins[number] = []
        self._dirty.add(number)
        for other in self._candidates(number, it):
            match = self._verdict(other, number)
            if match is not None and match.verdict != "different":
                self._join(other, number, match)

    def _candidates(self, number: int, it: Fingerprint) -> Iterable[int]:
        found: set[int] = set()
        for matcher, buckets in self._lookups:
            for value in matcher.keys(it):
                bucket = buckets.get(value)
                if bucket is None:
                    buckets[value] = [number]
                else:
                    found.update(bucket)
                    bucket.append(number)
        found.discard(number)
        return sorted(found)

    def _verdict(self, a: int, b: int) -> Match | None:
        pair = (a, b) if a < b else (b, a)
        if pair not in self._verdicts:
            self._verdicts[pair] = self._chain.judge(self._prints[a], self._prints[b])
        return self._verdicts[pair]

    def _vetoed(self, a: int, b: int) -> bool:
        pair = (a, b) if a < b else (b, a)
        if pair not in self._vetoes:
            self._vetoes[pair] = self._chain.forbids(self._prints[a], self._prints[b]) is not None
        return self._vetoes[pair]

    def _root(self, number: int) -> int:
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def _join(self, a: int, b: int, match: Match) -> None:
        kept, gone = self._root(a), self._root(b)
        if kept != gone:
            if len(self._members[kept]) < len(self._members[gone]):
                kept, gone = gone, kept
            self._parent[gone] = kept
            self._members[kept] += self._members.pop(gone)
            self._joins[kept] += self._joins.pop(gone)
            self._clusters.pop(gone, None)
            self._made.pop(gone, None)
            self._dirty.discard(gone)
        self._joins[kept].append((a, b, match))
        self._dirty.add(kept)

    # ---------------------------------------------------------------- out

    @property
    def counts(self) -> Counts:
        """Records taken in, distinct works among them, and the difference."""
        self._settle()
        received, unique = len(self._records), sum(len(clusters) for clusters in self._clusters.values())
        return Counts(received, unique, received - unique)

    def clusters(self) -> list[list[int]]:
        """The works: of each, the numbers of its records (0 for the one that was taken in first); no fields merged."""
        self._settle()
        return [sorted(numbers) for clusters in self._clusters.values() for numbers, _ in clusters]

    def hits(self) -> list[Hit]:
        """All hits, unranked, in no order that means anything."""
        self._settle()
        return [hit for root in self._clusters for hit in self._hits_of(root)]

    def changes(self) -> list[Change]:
        """What happened to the hits since the last call; empty where nothing did."""
        roots = sorted(self._dirty)
        self._settle()
        out: list[Change] = []
        for root in roots:
            for cluster, hit in zip(self._clusters[root], self._hits_of(root), strict=True):
                # A hit bears the name of its smallest record; what it is named after tells which hits it absorbs.
                absorbed = {self._ids[n] for n in cluster[0]} & self._shown - {hit.id}
                if absorbed:
                    out.append(Joined(hit, tuple(sorted(absorbed))))
                else:
                    out.append(Grown(hit) if hit.id in self._shown else Added(hit))
                self._shown -= absorbed
                self._shown.add(hit.id)
        return out

    def _hits_of(self, root: int) -> list[Hit]:
        """The hits of a component; made once, for a stream looks at them often."""
        hits = self._made.get(root)
        if hits is None:
            hits = self._made[root] = [self._hit(cluster) for cluster in self._clusters[root]]
        return hits

    def _hit(self, cluster: Cluster) -> Hit:
        numbers, matches = cluster
        if len(numbers) == 1:
            return alone(self._ids[numbers[0]], self._records[numbers[0]])
        members = ((self._prints[n].record_key, self._records[n], self._prints[n]) for n in numbers)
        return merge(members, matches, self._trust)

    def _settle(self) -> None:
        for root in self._dirty:
            self._clusters[root] = self._divide(self._members[root], self._joins[root])
            self._made.pop(root, None)
        self._dirty.clear()

    def _divide(self, members: list[int], joins: list[tuple[int, int, Match]]) -> list[Cluster]:
        """The clusters of a component: strongest evidence first, no union across a veto."""
        if len(members) == 1:
            return [(members, [])]
        edges = {(min(a, b), max(a, b)): match for a, b, match in joins}
        if len(members) <= ALL_PAIRS:
            for i, a in enumerate(members):
                for b in members[i + 1 :]:
                    match = self._verdict(a, b)
                    if match is not None and match.verdict != "different":
                        edges[min(a, b), max(a, b)] = match
        home: dict[int, int] = {n: n for n in members}
        clusters: dict[int, Cluster] = {n: ([n], []) for n in members}
        for (a, b), match in sorted(edges.items(), key=lambda e: (-e[1].score, e[1].left, e[1].right)):
            one, other = home[a], home[b]
            if one == other or self._forbidden(clusters[one][0], clusters[other][0]):
                continue
            gone, gone_matches = clusters.pop(other)
            clusters[one][0].extend(gone)
            clusters[one][1].extend([*gone_matches, match])
            for n in gone:
                home[n] = one
        return list(clusters.values())

    def _forbidden(self, one: list[int], other: list[int]) -> bool:
        return any(self._vetoed(a, b) for a in one for b in other)
