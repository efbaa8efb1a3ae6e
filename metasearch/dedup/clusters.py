"""Components: records that matches join, and their works: strongest first, never across a veto."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from metasearch.dedup.fingerprints import Fingerprint, Prints, PrintsByNumber
from metasearch.dedup.hits import (
    WorkIds,
    merge,
    single_hit,
)
from metasearch.dedup.matchers import Chain
from metasearch.record import Hit, Match, VersionsMode

# Titles that return in one journal: those of columns, which say no more of a work than "Editorial"
# does. What a title is called does not tell; how often it returns does. So it is a property of all
# records that were taken in, and of their set alone: a column found late is one for the records
# that came before it, too.

#: A title is that of a column where it stands in one venue in so many years and so many volumes. A
#: work that was cited with wrong years has one volume.
YEARS = PLACES = 3


def journal_title(fingerprint: Fingerprint) -> tuple[str, tuple[str, ...]] | None:
    """(title, venue) that may be those of a column; None of a record that says nothing of them."""
    if fingerprint.generic or not fingerprint.compact or not fingerprint.venue:
        return None
    return fingerprint.compact, fingerprint.venue


class TitleFacts:
    """Where and when one title stood in one venue.

    `places`: the volumes; the first pages of records without; the years of those that say nothing
    and are unsigned. Volumes and pages are not added up: a work whose volume is left out once has
    no more places for that.
    """

    __slots__ = ("places", "years")

    def __init__(self) -> None:
        self.years: set[int] = set()
        self.places: tuple[set[str], set[str], set[int]] = (set(), set(), set())

    def add(self, fingerprint: Fingerprint) -> None:
        self.note(
            fingerprint.year,
            fingerprint.volume,
            fingerprint.pages[0],
            unsigned=not fingerprint.first,
        )

    def note(self, year: int | None, volume: str, page: str, *, unsigned: bool) -> None:
        """Take in what a record says, of which only this is known.

        `volume`: as in `Fingerprint`; "" for none. `page`: the first one; "" for none. `unsigned`:
        whether it names no author.
        """
        if year is None:
            return
        self.years.add(year)
        volumes, pages, years = self.places
        if volume:
            volumes.add(volume)
        elif page:
            pages.add(page)
        elif unsigned:
            years.add(year)

    @property
    def recurs(self) -> bool:
        """Whether the title is that of a column."""
        return len(self.years) >= YEARS and max(len(place) for place in self.places) >= PLACES


class _Title(TitleFacts):
    """The same, with the numbers of the records."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []

    def take(self, number: int, fingerprint: Fingerprint) -> None:
        self.numbers.append(number)
        self.add(fingerprint)


class JournalColumns:
    """Which records stand in columns; grows with the records.

    `prints`: the fingerprints by number; the list grows while records arrive. `recurs`: whether the
    title of a record is that of a column, where the records are some of more that are known
    elsewhere. Without it these records alone decide.
    """

    def __init__(
        self, prints: PrintsByNumber, recurs: Callable[[Fingerprint], bool] | None = None
    ) -> None:
        self._prints = prints
        self._recurs = recurs
        # By the hash of title and venue. Most titles have one record: its number; None is a column.
        self._titles: dict[int, int | _Title | None] = {}
        # Made when one is compared for the first time.
        self._generic: dict[int, Fingerprint | None] = {}

    def add(self, number: int, fingerprint: Fingerprint) -> Iterable[int]:
        """Take in a record; return the numbers of records in a column because of it."""
        title = journal_title(fingerprint)
        if title is None:
            return ()
        if self._recurs is not None:
            if not self._recurs(fingerprint):
                return ()
            self._generic[number] = None
            return (number,)
        key = hash(title)
        found = self._titles.setdefault(key, number)
        if found == number:
            return ()
        if found is None:
            self._generic[number] = None
            return (number,)
        if isinstance(found, int):
            first, found = found, _Title()
            found.take(first, self._prints[first])
            self._titles[key] = found
        found.take(number, fingerprint)
        if not found.recurs:
            return ()
        self._titles[key] = None
        self._generic.update(dict.fromkeys(found.numbers))
        return found.numbers

    def __bool__(self) -> bool:
        return bool(self._generic)

    def __contains__(self, number: int) -> bool:
        return number in self._generic

    def print_of(self, number: int) -> Fingerprint:
        """The fingerprint of a record, generic where it stands in a column."""
        if number not in self._generic:
            return self._prints[number]
        made = self._generic[number]
        if made is None:
            fingerprint = self._prints[number]
            made = self._generic[number] = Fingerprint(fingerprint.record, fingerprint.record_key)
            made.generic = True
        return made


#: Beside the names of matchers.
_TITLES = "journal title"


def place(matcher: str, value: str) -> int:
    """The number of a key, the same in every process: 64 bits with a sign, as SQLite and Parquet
    keep them. A collision costs one comparison more.
    """
    return digest(f"{matcher}\x1f{value}".encode("utf-8", "surrogatepass"))


def digest(text: bytes) -> int:
    """A number of 64 bits with a sign, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), signed=True)


def title_place(fingerprint: Fingerprint) -> int | None:
    """The number of a title in its journal; None of a record that has none."""
    title = journal_title(fingerprint)
    return None if title is None else place(_TITLES, "\x1f".join((title[0], *title[1])))


#: Up to this size every pair of a component is judged, beyond it only pairs that share a key.
ALL_PAIRS = 60
#: Of a larger cluster so many records are asked whether they forbid a union: the cost stays linear.
WITNESSES = 16

#: Numbers of records, and what holds them together.
Cluster = tuple[list[int], list[Match]]
Edge = tuple[int, int, Match]
_Edges = dict[tuple[int, int], Match]


class Components:
    """Which records are joined by matches (union-find); each component is named by its root, the
    number of one of its records.
    """

    def __init__(self) -> None:
        self._parent = array("q")
        # Of components of more than one record only: most records are alone.
        self._members: dict[int, list[int]] = {}
        self._joins: dict[int, list[Edge]] = {}

    def add(self) -> None:
        """Add the next record, alone in its component."""
        self._parent.append(len(self._parent))

    def put_under(self, number: int, other: int) -> None:
        """Name another record the root of one that is alone and stays no member: a copy."""
        self._parent[number] = other

    def root(self, number: int) -> int:
        """The root of the component in which a record stands."""
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def roots(self) -> Iterator[int]:
        """All roots, in the order of their numbers."""
        return (number for number, parent in enumerate(self._parent) if number == parent)

    def members(self, root: int) -> list[int]:
        """The records of a component, without copies."""
        return self._members.get(root) or [root]

    def has_several(self, root: int) -> bool:
        return root in self._members

    def joins(self, root: int) -> Sequence[Edge]:
        """The matches that made a component."""
        return self._joins.get(root, ())

    def join(self, a: int, b: int, match: Match) -> tuple[int, int | None]:
        """Join the components of two records. Returns the root of the component, and the root that
        is none any more; None where the two were joined before.
        """
        kept, gone = self.root(a), self.root(b)
        if kept == gone:
            self._joins.setdefault(kept, []).append((a, b, match))
            return kept, None
        one, other = self.members(kept), self.members(gone)
        if len(one) < len(other):
            kept, gone, one, other = gone, kept, other, one
        self._parent[gone] = kept
        one += other
        self._members[kept] = one
        self._members.pop(gone, None)
        joins = self._joins.setdefault(kept, [])
        joins.extend(self._joins.pop(gone, ()))
        joins.append((a, b, match))
        return kept, gone


class _Group:
    """A cluster while it grows. `witnesses`: the records that speak for it: all, or of a large one
    the first by key, and those that are pinned.
    """

    __slots__ = ("matches", "numbers", "witnesses")

    def __init__(self, number: int) -> None:
        self.numbers = [number]
        self.matches: list[Match] = []
        self.witnesses = [number]


class Divider:
    """Divides components; keeps the verdicts on the pairs within them, because a stream asks again
    and again.

    `prints`: the fingerprints by number; the list grows while records arrive. `passed_over`: pairs
    that were not judged, because their component is too large.
    """

    def __init__(self, chain: Chain, prints: PrintsByNumber, columns: JournalColumns) -> None:
        self._chain = chain
        self._prints = prints
        self._columns = columns
        self._verdicts: dict[tuple[int, int], Match | None] = {}
        self._of_columns: dict[tuple[int, int], Match | None] = {}
        self._vetoes: dict[tuple[int, int], bool] = {}
        self.passed_over = 0

    def verdict(self, a: int, b: int, *, exact: bool) -> Match | None:
        """What the chain says of two records; `exact` as in `Chain.judge`. Only joins are kept."""
        match = self._chain.judge(self._prints[a], self._prints[b], exact=exact)
        if match is not None and match.verdict != "different":
            self._verdicts[_pair(a, b)] = match
        return match

    def divide(
        self, members: list[int], joins: Sequence[Edge], *, separate: bool = False
    ) -> list[Cluster]:
        """The works among the members. `separate`: whether versions are works of their own."""
        edges = {_pair(a, b): match for a, b, match in joins}
        if 2 < len(members) <= ALL_PAIRS:
            edges |= self._all_edges(members)
        if self._columns:
            edges = self._without_columns(edges)
        home = {number: _Group(number) for number in members}
        for (a, b), match in sorted(edges.items(), key=_strongest_first):
            one, other = home[a], home[b]
            if one is other or (separate and match.verdict == "version"):
                continue
            # What somebody has decided is followed along a chain of decisions, too, whatever lies
            # between its ends.
            if (
                self._are_pinned_apart(one, other)
                if match.matcher == "pin"
                else self._is_forbidden(one, other, edges)
            ):
                continue
            if len(one.numbers) < len(other.numbers):
                one, other = other, one
            self._unite(one, other)
            one.matches += [*other.matches, match]
            for number in other.numbers:
                home[number] = one
        groups = {id(group): group for group in home.values()}
        return [(group.numbers, group.matches) for group in groups.values()]

    def _all_edges(self, members: list[int]) -> _Edges:
        edges = {}
        for i, a in enumerate(members):
            for b in members[i + 1 :]:
                pair = _pair(a, b)
                if pair not in self._verdicts:
                    self._verdicts[pair] = self._chain.judge(self._prints[a], self._prints[b])
                match = self._verdicts[pair]
                if match is not None and match.verdict != "different":
                    edges[pair] = match
        return edges

    def _without_columns(self, edges: _Edges) -> _Edges:
        """What joins records, where the titles of columns prove nothing."""
        kept = {}
        for pair, match in edges.items():
            found: Match | None = match
            if pair[0] in self._columns or pair[1] in self._columns:
                found = self.in_column(*pair)
            if found is not None:
                kept[pair] = found
        return kept

    def in_column(self, a: int, b: int) -> Match | None:
        """What joins two records of which one stands in a column."""
        pair = _pair(a, b)
        if pair not in self._of_columns:
            match = self._chain.judge(self._columns.print_of(a), self._columns.print_of(b))
            self._of_columns[pair] = (
                match if match is not None and match.verdict != "different" else None
            )
        return self._of_columns[pair]

    def _unite(self, one: _Group, other: _Group) -> None:
        self.passed_over += len(one.numbers) * len(other.numbers) - len(one.witnesses) * len(
            other.witnesses
        )
        witnesses = one.witnesses + other.witnesses
        one.numbers += other.numbers
        if len(one.numbers) > ALL_PAIRS:
            ordered = sorted(witnesses, key=lambda number: self._prints[number].record_key)
            witnesses = ordered[:WITNESSES] + [
                number for number in ordered[WITNESSES:] if self._is_pinned(number)
            ]
        one.witnesses = witnesses

    def _is_pinned(self, number: int) -> bool:
        return self._chain.pins is not None and self._chain.pins.touches(self._prints[number])

    def _is_forbidden(self, one: _Group, other: _Group, edges: _Edges) -> bool:
        return any(self._is_vetoed(a, b, edges) for a in one.witnesses for b in other.witnesses)

    def _are_pinned_apart(self, one: _Group, other: _Group) -> bool:
        pins, prints = self._chain.pins, self._prints
        if pins is None:
            return False
        ours, theirs = (
            [prints[n] for n in group.witnesses if pins.touches(prints[n])]
            for group in (one, other)
        )
        pairs = (pins.compare(a, b) for a in ours for b in theirs)
        return any(pin is not None and pin.verdict == "different" for pin in pairs)

    def _is_vetoed(self, a: int, b: int, edges: _Edges) -> bool:
        pair = _pair(a, b)
        if pair in edges:  # what joins two records has passed the vetoes
            return False
        if pair not in self._vetoes:
            self._vetoes[pair] = self._chain.forbids(self._prints[a], self._prints[b]) is not None
        return self._vetoes[pair]


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _strongest_first(edge: tuple[tuple[int, int], Match]) -> tuple[bool, bool, float, str, str]:
    match = edge[1]
    return (match.matcher != "pin", match.verdict != "same", -match.score, match.left, match.right)


# The works of a job: what its components are divided into, what each work is called, and its hit.
# Works are divided and named when somebody asks, because records come in many and a component grows
# with several of them; a hit is merged when it is read.


class RecordClusters:
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
        self._names = WorkIds(prints, separate=versions == "separate")
        self._clusters: dict[int, list[Cluster]] = {}
        self._made: dict[int, list[Hit]] = {}
        self._copies: dict[int, list[tuple[int, Match]]] = {}
        self._dirty: set[int] = set()
        self._gone: set[int] = set()

    # ---------------------------------------------------------------- in

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        self._names.add(fingerprint)
        self.components.add()
        self._dirty.add(number)
        for one in self._columns.add(number, fingerprint):
            self._divide_anew(one)

    def add_copy(self, number: int, other: int, match: Match) -> None:
        """Put the record that came last beside an equal one, whose verdicts hold for it."""
        self._copies.setdefault(other, []).append((number, match))
        self.components.put_under(number, other)
        self._dirty.discard(number)
        self._dirty.add(self.components.root(other))

    def join(self, a: int, b: int, match: Match) -> None:
        kept, gone = self.components.join(a, b, match)
        if gone is not None:
            self._clusters.pop(gone, None)
            self._made.pop(gone, None)
            self._dirty.discard(gone)
            self._gone.add(gone)
        self._dirty.add(kept)

    def _divide_anew(self, number: int) -> None:
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
        return self.components.roots()

    def numbers(self, root: int) -> list[list[int]]:
        """The numbers of the records of each work of a component."""
        clusters = self._clusters.get(root)
        return [[root]] if clusters is None else [numbers for numbers, _ in clusters]

    def hits(self, root: int) -> list[Hit]:
        """The hits of a component: those that are kept, or new ones."""
        return self._made.get(root) or self._make(root)

    def make_hits(self) -> Iterator[Hit]:
        """The hits of all components one by one, each merged when it is requested, and kept."""
        for root in list(self.roots()):
            yield from self.keep_hits(root)

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
            return [single_hit(name, self._prints.records[root], also)]
        return [
            self._hit(cluster, self._names.of(root, place, cluster[0]))
            for place, cluster in enumerate(clusters)
        ]

    def _hit(self, cluster: Cluster, name: tuple[str, tuple[str, ...]]) -> Hit:
        numbers, matches = cluster
        records, keys = self._prints.records, self._prints.record_keys
        if len(numbers) == 1:
            return single_hit(name[0], records[numbers[0]], name[1])
        members = [(keys[n], records[n], self._prints[n]) for n in numbers]
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
