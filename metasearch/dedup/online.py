"""Records in, hits out, while they arrive.

Hits are the connected components of the chain's "same" and "version" verdicts, cut where a
"different" verdict forbids that two records stand in one hit. Records are compared with records,
never with a merged hit, and a component that holds a contradiction is divided anew by one rule
(strongest evidence first, no union across a veto); so the partition depends on the records alone
and not on who answered first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Generic, TypeVar

from metasearch.dedup.apart import Apart, applies, by_others
from metasearch.dedup.components import ALL_PAIRS, Cluster, Components, Divider, JournalColumns
from metasearch.dedup.fingerprints import Fingerprint, Prints
from metasearch.dedup.index import KeyIndex
from metasearch.dedup.matcher import Chain
from metasearch.dedup.merge import alone, merge
from metasearch.dedup.naming import Names
from metasearch.events import Added, Change, Counts, Grown, Joined
from metasearch.record import Hit, Match, Record, VersionsMode

# What records say but their own names: copies of a record are told by it.

Why = TypeVar("Why")

#: Fields that name the copy, and say nothing of the work.
NAMES_THE_COPY = ("source", "source_id", "position")
_COMPARED = tuple(
    name for name in Record.__dataclass_fields__ if name not in ("ids", *NAMES_THE_COPY)
)


def content_of(record: Record) -> tuple[object, ...]:
    """All that a record says but its own names."""
    return (tuple(sorted(record.ids.items())), *(getattr(record, name) for name in _COMPARED))


class Contents(Generic[Why]):
    """The contents of some records of a job.

    A content is read where a title comes again; most titles come once. `records`: all records by
    number; the list grows while records arrive.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        # Hash of a title -> the record that had it alone, None where several have it; hash of a
        # content -> the first record of it.
        self._titles: dict[int, int | None] = {}
        self._contents: dict[int, int] = {}
        # Hash of a title -> a record of which it is not known yet whether it is taken in, and what
        # tells it.
        self._later: dict[int, tuple[int, Why]] = {}

    def add_later(self, number: int, why: Why) -> bool:
        """Take in a record with a new title, if it is to be taken in: that is asked when the title
        comes again. False, and nothing is done, where the title has come before.
        """
        title = hash(self._records[number].title)
        if title in self._titles or title in self._later:
            return False
        self._later[title] = number, why
        return True

    def add(self, number: int, is_taken: Callable[[int, Why], bool] | None = None) -> int | None:
        """Take in a record, and return the first one that says the same in every field; None where
        there is none. `is_taken`: whether a record that was left for later is taken in.
        """
        title = hash(self._records[number].title)
        later = self._later.pop(title, None)
        if later is not None and later[0] != number and is_taken is not None and is_taken(*later):
            self._titles[title] = later[0]
        alone = self._titles.setdefault(title, number)
        if alone == number:
            return None
        if alone is not None:
            self._titles[title] = None
            self._contents.setdefault(hash(content_of(self._records[alone])), alone)
        content = content_of(self._records[number])
        other = self._contents.setdefault(hash(content), number)
        # Contents of one hash may differ.
        return other if other != number and content_of(self._records[other]) == content else None


# The works of a job: what its components are divided into, what each work is called, and its hit.
# Works are divided and named when somebody asks, because records come in many and a component grows
# with several of them; a hit is merged when it is read.


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


#: Candidates from which on it is first asked whether a record repeats another one: copies are
#: compared once.
MANY = 16
#: Records that are prepared at once: enough for what numpy costs a call, and soon done.
AT_ONCE = 64
#: Records of which it is first asked whether they are by the same people: more than most searches
#: have. In a large job these names would take memory, and fingerprints would be made anew for them.
OF_A_SEARCH = 2_000
#: Ties to a component of very many records after which more of them say nothing new.
TIES = 5
#: The records that share a key with one, and those that may be near it.
Met = tuple[frozenset[int], list[int]]


class OnlineDedup:
    """The dedup stage of one search or one job; synchronous, owned by one task.

    Args:
        chain: The matchers, in the order in which they are asked.
        trust: Weight of each source, used when fields are merged.
        versions: What becomes of preprint, conference abstract and article of one work: "group"
            makes them one hit whose `versions` tells them apart, "separate" a hit each, "merge" one
            hit without distinction.
        recurs: As in `JournalColumns`: where these records are some of more.
        places: The place of each record in the order of all, ascending, where these records are
            some of more; see `KeyIndex.reach`.
    """

    def __init__(
        self,
        chain: Chain,
        trust: Mapping[str, float] | None = None,
        versions: VersionsMode = "group",
        recurs: Callable[[Fingerprint], bool] | None = None,
        places: Sequence[int] | None = None,
    ) -> None:
        self._chain = chain
        self._places = places
        self._versions: VersionsMode = versions
        # Other chains need the fingerprints of all that share a key, all the time.
        self._apart = Apart() if applies(chain) else None
        self._prints = Prints(whole=self._apart is None)
        self._years: list[int | None] = []
        self._index = KeyIndex(chain)
        self._columns = JournalColumns(self._prints, recurs)
        self._divider = Divider(chain, self._prints, self._columns)
        self._works = Works(self._prints, self._columns, self._divider, trust, versions)
        self._components = self._works.components
        self._told = Told(self._works)
        self._contents: Contents[Met] = Contents(self._prints.records)
        self._keys: set[str] = set()
        self._skipped = 0

    # ---------------------------------------------------------------- in

    def add(self, record: Record, fingerprint: Fingerprint | None = None) -> list[Change]:
        """Take in one record and return what changed: the same as `insert` and `changes`."""
        self.insert(record, fingerprint)
        return self.changes()

    def extend(self, prints: Iterable[Fingerprint]) -> None:
        """Take in many records, one after the other: the same as `insert` of each, for less."""
        coming = iter(prints)
        while some := list(islice(coming, AT_ONCE)):
            self._chain.prepare(some)
            for fingerprint in some:
                self.insert(fingerprint.record, fingerprint)

    def insert(self, record: Record, fingerprint: Fingerprint | None = None) -> None:
        """Take in one record; `changes` returns later what that changed."""
        if fingerprint is None:
            fingerprint = Fingerprint(record)
        number = len(self._prints.records)
        key = fingerprint.record_key
        if key in self._keys:  # the same record again, on a later page for instance
            key = self._free_key(key, record.position or number)
            fingerprint = Fingerprint(record, key)
        self._keys.add(key)
        self._prints.append(fingerprint)
        self._years.append(fingerprint.year)
        self._works.add(number, fingerprint)
        if self._apart is not None:
            self._apart.add(fingerprint)
        for one in self._columns.add(number, fingerprint):
            self._works.divide_anew(one)
        before = number if self._places is None else self._places[number]
        self._index.reach(before)
        meetings = self._index.enter(number, fingerprint)
        candidates, exactly = self._index.candidates(fingerprint, meetings)
        candidates |= self._index.near(
            fingerprint, lambda others: self._in_question(number, candidates, others)
        )
        if len(candidates) >= MANY and self._joins_copies(number, fingerprint):
            self._index.leave(number, fingerprint)
            return  # what holds for the record that it repeats, holds for it
        self._index.reach(before + 1)
        self._index.settle(number, fingerprint, meetings, self._years)
        joined = 0
        # What somebody decided holds however far apart they are.
        apart = None if self._pinned(fingerprint) else self._apart
        strangers: set[int] = (
            by_others(self._prints, candidates - exactly, fingerprint)
            if apart is not None and number < OF_A_SEARCH
            else set()
        )
        for other in sorted(candidates):
            if joined >= TIES and self._is_tied(other, number):
                self._skipped += 1
                continue
            if other in strangers:
                continue
            exact = other in exactly
            if apart is not None and not exact and apart(other, number):
                continue
            match = self._divider.verdict(other, number, exact=exact)
            if match is not None and match.verdict != "different" and not self._leaves_apart(match):
                self._works.join(other, number, match)
                joined += 1

    def _in_question(
        self, number: int, candidates: set[int], others: list[int]
    ) -> list[int] | None:
        """Those of some others of which it has to be known whether they are near a record: it is
        neither compared with them anyway, nor surely apart from them. None where all have to be
        known.

        Args:
            number: Of the record.
            candidates: The records with which it is compared for its keys.
            others: Those that may be near.
        """
        apart = self._apart
        if apart is None or self._pinned(self._prints[number]):
            return None
        open_ones = [
            other for other in others if other not in candidates and not apart(other, number)
        ]
        roots = set(map(self._components.root, (*candidates, *open_ones)))
        members = sum(len(self._components.members(root)) for root in roots)
        if members >= ALL_PAIRS:  # see `_is_tied`
            return None
        # See `_joins_copies`.
        may_have_many = len(candidates.union(others)) >= MANY > len(candidates)
        met = frozenset(candidates), others
        if may_have_many and not self._contents.add_later(number, met):
            return None
        return open_ones

    def _had_many(self, number: int, met: Met) -> bool:
        """Whether a record had many candidates when it came, those that are near included.

        Args:
            number: Of the record.
            met: `candidates` and `others`, as of `_in_question`.
        """
        candidates, others = met
        prints = self._prints
        near = self._index.near_of(prints[number], {other: prints[other] for other in others})
        return len(candidates.union(near)) >= MANY

    def _is_tied(self, a: int, b: int) -> bool:
        """Whether two records stand in one component too large to judge all its pairs."""
        root = self._components.root(a)
        return root == self._components.root(b) and len(self._components.members(root)) > ALL_PAIRS

    def _free_key(self, key: str, number: int) -> str:
        """A name for a record whose own is taken."""
        key = f"{key}@{number}"
        while key in self._keys:
            key += "+"
        return key

    def _joins_copies(self, number: int, fingerprint: Fingerprint) -> bool:
        """Put a record beside one equal in every field, where that makes them one work."""
        other = self._contents.add(number, self._had_many)
        if other is None or self._pinned(fingerprint):
            return False
        match = self._chain.judge(self._prints[other], fingerprint)
        if match is None or match.verdict != "same":
            return False
        self._works.add_copy(number, other, match)
        return True

    def _pinned(self, fingerprint: Fingerprint) -> bool:
        return self._chain.pins is not None and self._chain.pins.touches(fingerprint)

    def _leaves_apart(self, match: Match) -> bool:
        return match.verdict == "version" and self._versions == "separate"

    # ---------------------------------------------------------------- out

    @property
    def counts(self) -> Counts:
        """Records taken in, distinct works among them, and the difference."""
        self._settle()
        received, duplicates = len(self._prints.records), self._works.duplicates
        return Counts(received, received - duplicates, duplicates)

    @property
    def versions(self) -> VersionsMode:
        """What becomes of the versions of a work."""
        return self._versions

    @property
    def passed_over(self) -> int:
        """Comparisons that were not made: too many share a key or stand in a component."""
        return self._index.passed_over + self._divider.passed_over + self._skipped

    def clusters(self) -> list[list[int]]:
        """The works: of each, the numbers of its records, from 0; no fields are merged."""
        self._settle()
        works = self._works
        return [sorted(numbers) for root in works.roots() for numbers in works.numbers(root)]

    def hits(self) -> list[Hit]:
        """All hits, unranked, in no order that means anything."""
        self._settle()
        return [hit for root in self._works.roots() for hit in self._works.hits(root)]

    def components(self) -> Iterator[list[tuple[list[int], Hit]]]:
        """The works of each component: the numbers of the records of each, and its hit.

        A record that comes later may join the works of a component, or divide them anew; works of
        other components stay as they are.
        """
        self._settle()
        for root in self._works.roots():
            works = zip(self._works.numbers(root), self._works.hits(root), strict=True)
            yield [(sorted(numbers), hit) for numbers, hit in works]

    def making(self) -> Iterator[Hit]:
        """The same hits one by one, each merged when it is requested and then kept, so that a
        caller can do other work in between.

        Records that are taken in meanwhile may be missing.
        """
        self._settle()
        for root in list(self._works.roots()):
            yield from self._works.keep_hits(root)

    def changes(self) -> list[Change]:
        """What happened to the hits since the last call; empty where nothing did.

        A caller that needs all changes calls it before `hits`, `making`, `clusters` or `counts`,
        which settle new records without reporting changes.
        """
        return self._told.changes(self._settle())

    def _settle(self) -> set[int]:
        """Divide and name what is new; gives the components that may differ now."""
        changed, gone = self._works.settle()
        self._told.leave(gone)
        return changed
