"""Records in, hits out, while they arrive.

Hits are the connected components of the chain's "same" and "version" verdicts, cut where a
"different" verdict forbids that two records stand in one hit. Records are compared with records,
never with a merged hit, and a component that holds a contradiction is divided anew by one rule
(strongest evidence first, no union across a veto); so the partition depends on the records alone
and not on who answered first.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar
from zlib import crc32

from metasearch.dedup.clusters import ALL_PAIRS, Divider, JournalColumns, RecordClusters
from metasearch.dedup.evidence import surely_far
from metasearch.dedup.fingerprints import Fingerprint, Prints, PrintsByNumber
from metasearch.dedup.index import KeyIndex
from metasearch.dedup.matchers import Chain, Text
from metasearch.dedup.weights_and_vetoes import Fields
from metasearch.dedup.weights_and_vetoes import are_strangers as fields_are_strangers
from metasearch.events import Added, Change, Counts, Grown, Joined
from metasearch.record import OF_THE_WORK, Hit, Match, Record, VersionsMode

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


# Which records of a job are so far apart that no matcher of the default chain makes them one work:
# of nearly all pairs that share a key this is told without their fingerprints.

# Sketches: 63 bits of a record that show of most pairs that no matcher of the default chain makes
# them one work, without reading the records. What is kept in a database, and finds by a key a dozen
# records for each new one, need not read and compare those that are by other people.

_PEOPLE = 44
_PEOPLE_MASK = (1 << _PEOPLE) - 1
_HAN, _ISBN, _FIRST = (1 << (_PEOPLE + place) for place in range(3))
_TITLE, _PAGE = _PEOPLE + 3, _PEOPLE + 11


def has_sketches(chain: Chain) -> bool:
    """Whether `strangers` is right for all matchers of a chain that are not exact."""
    return all(isinstance(matcher, Fields | Text) for matcher in chain.judges)


def sketch(fingerprint: Fingerprint) -> int:
    """The sketch of a record, the same in every process: a Bloom filter of the beginnings of its
    people's names, whether they are Chinese, whether it has an ISBN and a first author, and eight
    bits each of title and first page.
    """
    found = 0
    for beginning in fingerprint.beginnings:
        found |= 1 << _hash(beginning) % _PEOPLE
    found |= _HAN if fingerprint.han else 0
    found |= _ISBN if fingerprint.isbn else 0
    found |= _FIRST if fingerprint.first else 0
    found |= (_hash(fingerprint.compact) & 0xFF) << _TITLE
    page = fingerprint.pages[0]
    return found | (1 + _hash(page) % 255 if page else 0) << _PAGE


def strangers(a: int, b: int) -> bool:
    """Whether two records are so apart that `Fields` and `Text` make nothing of them: other titles,
    both with people, none of whom may be the same, and not on one page. Of other pairs this says
    nothing.
    """
    if a & b & (_PEOPLE_MASK | _ISBN) or not (a & _PEOPLE_MASK and b & _PEOPLE_MASK):
        return False
    if (a ^ b) & _HAN or not a & b & _FIRST or not ((a ^ b) >> _TITLE) & 0xFF:
        return False
    return not a >> _PAGE or a >> _PAGE != b >> _PAGE


def are_strangers(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """`strangers` of many pairs at once."""
    may_share = a & b & (_PEOPLE_MASK | _ISBN) != 0
    may_share |= (a & _PEOPLE_MASK == 0) | (b & _PEOPLE_MASK == 0)
    may_share |= ((a ^ b) & _HAN != 0) | (a & b & _FIRST == 0)
    may_share |= ((a ^ b) >> _TITLE) & 0xFF == 0
    may_share |= (a >> _PAGE != 0) & (a >> _PAGE == b >> _PAGE)
    strangers_: npt.NDArray[np.bool_] = ~may_share
    return strangers_


def _hash(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def distance_facts(fingerprint: Fingerprint) -> tuple[str, int]:
    """What is compared of a record: its title, "" where that is missing or is not the only one; and
    32 bits of its pages, 0 where they are missing.
    """
    first, last = fingerprint.pages
    said = f"{first}-{last}".encode("utf-8", "surrogatepass")
    return "" if fingerprint.others else fingerprint.text, crc32(said) | 1 if first else 0


def strangers_among(
    prints: PrintsByNumber, numbers: set[int], fingerprint: Fingerprint
) -> set[int]:
    """Those of some records that are by other people than one, and have other titles and pages:
    where both name their first authors and `are_strangers`.

    `Fields` returns no verdict on such, and `Text` none where both name their first authors. Nearly
    all records that share a key with another one are among them; so what is compared of the one is
    read once, and of each other record no more than tells this.
    """
    if not numbers or not fingerprint.first:
        return set()
    have_nobody_in = fingerprint.beginnings.isdisjoint
    compact, han, page = fingerprint.compact, fingerprint.han, fingerprint.pages[0]
    found = set()
    for number in numbers:
        other = prints[number]
        if (
            have_nobody_in(other.beginnings)
            and other.first
            and other.compact != compact
            and other.han == han
            # Nearly all begin on other pages and are no books: there is no more to ask then.
            and (
                (not other.isbn and not (page and other.pages[0] == page))
                or fields_are_strangers(other, fingerprint)
            )
        ):
            found.add(number)
    return found


class DistantRecords:
    """The titles of all records of a job by number, and 32 bits of their pages.

    `Fields` returns a verdict on titles that are far from each other only where first and last page
    are equal, and so does `Text`; `has_sketches` tells whether a chain has other matchers.
    """

    def __init__(self) -> None:
        self._titles: list[str] = []
        self._pages = array("I")

    def add(self, fingerprint: Fingerprint) -> None:
        title, pages = distance_facts(fingerprint)
        self._titles.append(title)
        self._pages.append(pages)

    def __call__(self, one: int, other: int) -> bool:
        """Whether two are; of other pairs this says nothing."""
        pages = self._pages[one]
        if pages and pages == self._pages[other]:
            return False
        title, another = self._titles[one], self._titles[other]
        return bool(title and another) and surely_far(title, another)


# What records say but their own names: copies of a record are told by it.

Why = TypeVar("Why")

_COMPARED = tuple(name for name in OF_THE_WORK if name != "ids")


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


class HitChanges:
    """The hits as they were told."""

    def __init__(self, works: RecordClusters) -> None:
        self._works = works
        # Of each component, the ids of its hits, and a record of each; of those that are gone.
        self._told: dict[int, dict[str, int]] = {}
        self._left: dict[str, int] = {}

    def leave(self, roots: Iterable[int]) -> None:
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
        return list(_changes_between(before, now))


def _changes_between(
    before: Mapping[str, int], now: Sequence[tuple[Hit, list[int]]]
) -> Iterator[Change]:
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
        places: As in `KeyIndex`: where these records are some of more.
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
        self._versions: VersionsMode = versions
        # Other chains need the fingerprints of all that share a key, all the time.
        self._apart = DistantRecords() if has_sketches(chain) else None
        self._prints = Prints(whole=self._apart is None)
        self._years: list[int | None] = []
        self._index = KeyIndex(chain, places)
        columns = JournalColumns(self._prints, recurs)
        self._divider = Divider(chain, self._prints, columns)
        self._works = RecordClusters(self._prints, columns, self._divider, trust, versions)
        self._components = self._works.components
        self._told = HitChanges(self._works)
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
        meetings, candidates, exactly = self._index.meet(number, fingerprint, self._in_question)
        if len(candidates) >= MANY and self._joins_copies(number, fingerprint):
            self._index.leave(number, fingerprint)
            return  # what holds for the record that it repeats, holds for it
        self._index.settle(number, fingerprint, meetings, self._years)
        joined = 0
        # What somebody decided holds however far apart they are.
        apart = None if self._is_pinned(fingerprint) else self._apart
        strangers: set[int] = (
            strangers_among(self._prints, candidates - exactly, fingerprint)
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
        if apart is None or self._is_pinned(self._prints[number]):
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
        key = f"{key}@{number}"
        while key in self._keys:
            key += "+"
        return key

    def _joins_copies(self, number: int, fingerprint: Fingerprint) -> bool:
        """Put a record beside one equal in every field, where that makes them one work."""
        other = self._contents.add(number, self._had_many)
        if other is None or self._is_pinned(fingerprint):
            return False
        match = self._chain.judge(self._prints[other], fingerprint)
        if match is None or match.verdict != "same":
            return False
        self._works.add_copy(number, other, match)
        return True

    def _is_pinned(self, fingerprint: Fingerprint) -> bool:
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

    def make_hits(self) -> Iterator[Hit]:
        """The same hits one by one, each merged when it is requested and then kept, so that a
        caller can do other work in between.

        Records that are taken in meanwhile may be missing.
        """
        self._settle()
        yield from self._works.make_hits()

    def changes(self) -> list[Change]:
        """What happened to the hits since the last call; empty where nothing did.

        A caller that needs all changes calls it before `hits`, `make_hits`, `clusters` or `counts`,
        which settle new records without reporting changes.
        """
        return self._told.changes(self._settle())

    def _settle(self) -> set[int]:
        changed, gone = self._works.settle()
        self._told.leave(gone)
        return changed
