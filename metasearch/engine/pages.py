"""Pages of a merged list: which hit stands at which position, what a page of the list holds, and
how many works there may be in all.

A hit keeps its position when more records come; new hits go to the end. A position is remembered
by the records of its hit, because a hit may change its id, join another hit or be divided.
"""

from __future__ import annotations

import hashlib
import zlib
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Self

from metasearch.engine.facets import Filters
from metasearch.engine.options import LAST_PLACE
from metasearch.events import Answer, Counts, NextPage, Paging, SourceReport, Totals
from metasearch.message import join_texts, message
from metasearch.record import Hit
from metasearch.regular_files import deflate

#: Lists, and bytes of all of them together, that an engine remembers at most.
MOST_LISTS, MOST_BYTES = 1_000, 4 * 1024 * 1024


class Positions:
    """The places of one list.

    A list grows by rounds (`docs/paging.md`): round 0 holds what the first requests to all sources
    returned. `places`: place, from 0, by the hash of a record's key.
    """

    def __init__(self, places: dict[int, int] | None = None, edges: Iterable[int] = ()) -> None:
        self._places = {} if places is None else places
        self._edges = list(edges)

    def __len__(self) -> int:
        return self._edges[-1] if self._edges else 0

    @property
    def rounds(self) -> int:
        return len(self._edges)

    def place_after(self, rounds: int) -> int:
        """Up to which place the list is known after so many rounds."""
        return self._edges[rounds - 1] if 0 < rounds < len(self._edges) else len(self)

    def seat(self, hits: Iterable[Hit]) -> tuple[dict[int, Hit], list[Hit]]:
        """The hits that have a place, by place, and those that have none.

        Hits that were merged stand at the first of their places; the others stay empty. Of the
        parts of a hit that was divided, the one with the smallest id keeps the place.
        """
        places = self._places
        if not places:
            return {}, list(hits)
        seated: dict[int, Hit] = {}
        fresh: list[Hit] = []
        for hit in hits:
            known = [places[key] for record in hit.records if (key := hash(record.key)) in places]
            place = min(known, default=-1)
            if place < 0:
                fresh.append(hit)
                continue
            there = seated.setdefault(place, hit)
            if there is not hit:
                seated[place], gone = (hit, there) if hit.id < there.id else (there, hit)
                fresh.append(gone)
        return seated, fresh

    def lacks(self, start: int, end: int, hits: Iterable[Hit]) -> bool:
        """Whether a record with a place from `start` to before `end` is in none of these hits."""
        there = {hash(record.key) for hit in hits for record in hit.records}
        return any(start <= place < end and key not in there for key, place in self._places.items())

    def settle(
        self, round_: int, seated: dict[int, Hit], fresh: Sequence[Hit], least: int = 0
    ) -> None:
        """Remember which hit stands where, and put the new ones at the end.

        Args:
            round_: The round that was read last, from 0.
            seated: The hits with a place, as `seat` returned them; the new ones are added to it.
            fresh: The new ones, best first.
            least: How many places the list has at least; some of them may be empty.
        """
        places = self._places
        for place, hit in seated.items():
            for record in hit.records:
                places.setdefault(hash(record.key), place)
        end = len(self)
        for place, hit in enumerate(fresh, end):
            seated[place] = hit
            for record in hit.records:
                places[hash(record.key)] = place
        # A round that another search has read for this list ends where the list ended.
        self._edges += [end] * (round_ + 1 - len(self._edges))
        self._edges[-1] = max(end + len(fresh), least)

    def begins_as(self, other: Self) -> bool:
        """Whether the other list begins with the places of this one."""
        places = other._places
        return self._edges == other._edges[: len(self._edges)] and all(
            places.get(key) == place for key, place in self._places.items()
        )

    def to_bytes(self) -> bytes:
        """The list in few bytes, for `from_bytes`."""
        head = array("q", [len(self._edges), len(self._places), *self._edges])
        # Places follow one another, and take a byte for ten of them; hashes cannot be made shorter.
        places = deflate(array("i", self._places.values()).tobytes())
        return head.tobytes() + array("q", self._places).tobytes() + places

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The list that was packed, in the same process."""
        rounds, count = array("q", data[:16])
        edges, rest = array("q", data[16 : 16 + 8 * rounds]), data[16 + 8 * rounds :]
        keys, places = array("q", rest[: 8 * count]), array("i", zlib.decompress(rest[8 * count :]))
        return cls(dict(zip(keys, places, strict=True)), edges)


class PositionStore:
    """The lists that were shown last, so that their next pages follow them.

    While the sources return the same, pages are the same without it. It is needed where a source
    failed at first and answers later, and where a page of a source has changed. Only hashes are
    kept, of queries too.
    """

    def __init__(self) -> None:
        self._lists: dict[bytes, bytes] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._lists)

    @property
    def size(self) -> int:
        """Bytes of all lists."""
        return self._bytes

    def begin(self, search: Hashable, positions: Positions) -> None:
        """Remember a list that began anew; a known one that begins the same stays."""
        known = self.get(search)
        if known is None or not positions.begins_as(known):
            self.keep(search, positions)

    def get(self, search: Hashable) -> Positions | None:
        """The list of a search; None where it is not remembered."""
        name = _name(search)
        data = self._lists.pop(name, None)
        if data is None:
            return None
        self._lists[name] = data  # the one that was used last
        return Positions.from_bytes(data)

    def keep(self, search: Hashable, positions: Positions) -> None:
        """Remember a list in place of the known one; the lists that were used longest ago are
        forgotten where there are too many.
        """
        name, data = _name(search), positions.to_bytes()
        self._bytes += len(data) - len(self._lists.pop(name, b""))
        self._lists[name] = data
        while len(self._lists) > MOST_LISTS or self._bytes > MOST_BYTES:
            self._bytes -= len(self._lists.pop(next(iter(self._lists))))


def _name(search: Hashable) -> bytes:
    return hashlib.blake2b(repr(search).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def window(whole: Answer, start: int, count: int | None) -> Answer:
    """The page of an answer that holds the places from `start` on.

    `whole`: all hits of a list, each with its place as `rank`; where the list goes on,
    `paging.next` holds the place up to which it is known. `count`: places of the page; None takes
    all that are known.
    """
    further = whole.paging.next
    last = whole.hits[-1].rank if whole.hits else 0
    known = max(last, start) if further is None else further.start
    end = known if count is None else min(start + count, known)
    hits = whole.hits
    if start or last > end:
        hits = tuple(hit for hit in hits if start < hit.rank <= end)
    after = next((hit.rank - 1 for hit in whole.hits if end < hit.rank <= known), None)
    if after is None and further is not None:
        after = known
    return replace(whole, hits=hits, paging=Paging(start, count, _next(start, end, after, count)))


def passing_name(search: Hashable, filters: Filters) -> Hashable:
    """The name under which a `PositionStore` has the numbers of hits that pass filters."""
    return search, str(filters)


def number_passing(
    passing: Iterable[Hit],
    name: Hashable,
    store: PositionStore,
    *,
    anew: bool,
    round_: int | None = None,
    empty: int = 0,
    keep: bool = True,
) -> tuple[Positions, dict[int, Hit]]:
    """Number the hits that pass filters among themselves: those that are numbered keep their
    number, the others follow. Returns the numbers, and the hits by number, from 0.

    Args:
        passing: In the order of the list.
        name: See `passing_name`.
        store: Where the numbers are remembered.
        anew: Whether the first page is asked for, which begins the numbers anew.
        round_: The round of the list that was read last, from 0; None where it is numbered already.
        empty: How many numbers no hit gets behind those of this round, where the round is new.
    """
    positions = (None if anew else store.get(name)) or Positions()
    seated, fresh = positions.seat(passing)
    rounds = positions.rounds
    # Where nothing is new the list has no further round, however often a page of it is asked for.
    settled = max(0, rounds - 1) if round_ is None else round_
    least = len(positions) + len(fresh) + empty if settled >= rounds else 0
    positions.settle(settled, seated, fresh, max(least, len(positions)))
    if keep and anew:
        store.begin(name, positions)
    elif keep:
        store.keep(name, positions)
    return positions, seated


def filter_answer(
    whole: Answer,
    filters: Filters,
    search: Hashable,
    start: int,
    depth: int,
    store: PositionStore,
    *,
    over: bool,
) -> Answer:
    """The answer with the hits that pass the filters only, numbered among themselves.

    A hit keeps its number from page to page: what passes later, because a further source said more
    of it, goes to the end.

    Args:
        start: Of the page that is asked for; a first page begins the numbers anew.
        depth: How many numbers a first page takes on which no hit passes, so that another follows.
        store: Where the numbers are remembered.
        over: Whether the search is over; before that no number is remembered.
    """
    passing = list(filter(filters.passes(), whole.hits))
    positions, seated = number_passing(
        passing,
        passing_name(search, filters),
        store,
        anew=not start,
        empty=0 if passing else depth,
        keep=over,
    )
    hits = tuple(
        hit if hit.rank == place + 1 else replace(hit, rank=place + 1)
        for place, hit in sorted(seated.items())
    )
    further = whole.paging.next
    if further is not None:
        further = NextPage(len(positions), further.count)
    paging = replace(whole.paging, next=further)
    shown = whole.totals and _share(whole.totals, len(hits), len(whole.hits))
    return replace(whole, hits=hits, paging=paging, totals=shown, filter=str(filters))


def _share(totals: Totals, passing: int, seen: int) -> Totals:
    estimate = totals.estimate
    if estimate is not None:
        estimate = max(passing, round(estimate * passing / seen)) if seen else 0
    return replace(
        totals,
        seen=passing,
        least=passing,
        estimate=estimate,
        basis=message(
            "{basis}; {passing} of {seen} works seen pass the filters",
            basis=totals.basis,
            passing=f"{passing:,}",
            seen=f"{seen:,}",
        ),
    )


def _next(start: int, end: int, after: int | None, count: int | None) -> NextPage | None:
    """The page with the place `after`, or None; pages without hits are passed over."""
    if after is None:
        return None
    first = after if count is None else end + (after - end) // count * count
    # With another count the sources would be asked for other rounds.
    return NextPage(first, count) if start < first and first + (count or 1) <= LAST_PLACE else None


def sources_with_more(answer: Answer) -> tuple[str, ...]:
    """The sources that have more than they were asked for, where the list ends because of that and
    not because of its limit.
    """
    last = answer.hits[-1].rank if answer.hits else 0
    # The list of the works that pass filters may be empty.
    if answer.running or not answer.counts.unique or last < answer.passing:
        return ()
    return tuple(report.source for report in answer.sources if report.more)


def totals(counts: Counts, reports: Sequence[SourceReport]) -> Totals:
    """How many works the sources may hold.

    Of the records that a source claims and did not return, the share counts that fits the query
    among the records that were read. The share of duplicates is taken to be the same as among the
    records received.
    """
    asked = [report for report in reports if report.status != "skipped"]
    claims = sum(map(_claim, asked))
    distinct = counts.unique / counts.received if counts.received else 0.0
    estimate = max(counts.unique, round(sum(map(_likely_fits, asked)) * distinct))
    missing = [report.source for report in asked if _is_missing(report)]
    cut = [report.source for report in asked if report.filtered and _claim(report) > report.count]
    silent = [
        report.source
        for report in asked
        if report.total is None and (report.more or report.source in missing)
    ]
    known = counts.received > 0 or claims == 0
    return Totals(
        seen=counts.unique,
        least=counts.unique,
        most=None if silent else claims,
        estimate=estimate if known else None,
        reliable=known and not (silent or cut or missing),
        basis=join_texts("; ", _basis(counts, claims, silent, cut, missing)),
    )


def _claim(report: SourceReport) -> int:
    """How many records the source claims to have, at least as many as it returned."""
    given = report.count + report.filtered + report.unread
    return report.total if report.total is not None and report.total > given else report.count


def _likely_fits(report: SourceReport) -> float:
    claim, read = _claim(report), report.count + report.filtered
    if claim == report.count:
        return claim
    fit = report.count / read if read else 1.0
    return report.count + (claim - read - report.unread) * fit


def _is_missing(report: SourceReport) -> bool:
    return report.failed or report.status == "running"


def _basis(
    counts: Counts, claims: int, silent: Sequence[str], cut: Sequence[str], missing: Sequence[str]
) -> Iterator[str]:
    if not counts.received:
        yield (
            message(
                "no record was received of the {claims} that the sources say they have",
                claims=f"{claims:,}",
            )
            if claims
            else message("nothing found")
        )
    elif claims > counts.received:
        share = counts.unique / counts.received
        yield (
            message(
                "{unique} of {received} records received are works of their own "
                "({share}), and so many of the {claims} that the sources say they have",
                unique=f"{counts.unique:,}",
                received=f"{counts.received:,}",
                share=f"{share:.0%}",
                claims=f"{claims:,}",
            )
        )
    else:
        yield message(
            "all {received} records that the sources have were received",
            received=f"{counts.received:,}",
        )
    silent = [source for source in silent if source not in missing]
    if silent:
        yield message(
            "{names} counted with what was given, because the total is not told",
            names=", ".join(silent),
        )
    if cut:
        yield message(
            "{names} counted in the share of its records that fit the query", names=", ".join(cut)
        )
    if missing:
        yield message("incomplete without {names}", names=", ".join(missing))
