"""Records in, hits out, while they arrive.

Hits are the connected components of the chain's "same" and "version" verdicts, cut where a
"different" verdict forbids that two records stand in one hit. Records are compared with records,
never with a merged hit, and a component that holds a contradiction is divided anew by one rule
(strongest evidence first, no union across a veto); so the partition depends on the records alone
and not on who answered first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from metasearch.dedup.apart import Apart, by_others
from metasearch.dedup.columns import JournalColumns
from metasearch.dedup.components import ALL_PAIRS, Divider
from metasearch.dedup.contents import Contents
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.index import KeyIndex
from metasearch.dedup.matcher import Chain
from metasearch.dedup.prints import Prints
from metasearch.dedup.sketches import applies
from metasearch.dedup.told import Told
from metasearch.dedup.works import Works
from metasearch.events import Change, Counts
from metasearch.record import Hit, Match, Record, VersionsMode

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
