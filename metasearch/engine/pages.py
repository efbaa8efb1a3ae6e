"""Pages of a merged list: which hit stands at which position, what a page of the list holds, and
how many works there may be in all.

A hit keeps its position whatever comes later. A position is remembered by the records of the hit
that stands there, because a hit may change its name, join another one or be divided when more
records come. What was given a position never moves; what is new goes to the end.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Self

from metasearch.engine.options import LAST_PLACE
from metasearch.events import Answer, Counts, NextPage, Paging, SourceReport, Totals
from metasearch.record import Hit

#: Lists, and bytes of all of them together, that an engine remembers at most.
MOST_LISTS, MOST_BYTES = 1_000, 4 * 1024 * 1024


class Positions:
    """The places of one list.

    A list grows by rounds (`docs/paging.md`): round 0 is what the first requests to all sources
    gave, and so on.

    Args:
        places: Place, from 0, by the hash of a record's key.
        edges: How many places there are once each round is read.
    """

    def __init__(self, places: dict[int, int] | None = None, edges: Iterable[int] = ()) -> None:
        self._places = {} if places is None else places
        self._edges = list(edges)

    def __len__(self) -> int:
        return self._edges[-1] if self._edges else 0

    def covered(self, rounds: int) -> int:
        """Up to which place the list is known to whoever has read so many rounds."""
        return self._edges[rounds - 1] if 0 < rounds < len(self._edges) else len(self)

    def seat(self, hits: Iterable[Hit]) -> tuple[dict[int, Hit], list[Hit]]:
        """The hits that have a place, by place, and those that have none.

        Hits that were apart and are one now stand at the first of their places; the others stay
        empty. Of hits that were one and are two now the one with the smaller name keeps the place.
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
        """Whether a record that had a place from `start` to before `end` is in none of these
        hits.
        """
        there = {hash(record.key) for hit in hits for record in hit.records}
        return any(start <= place < end and key not in there for key, place in self._places.items())

    def settle(
        self, round_: int, seated: dict[int, Hit], fresh: Sequence[Hit], least: int = 0
    ) -> None:
        """Remember who sits where, and give the new ones the places at the end.

        Args:
            round_: The round that was read last, from 0.
            seated: As `seat` gave them; the new ones are added to it.
            fresh: The new ones, best first.
            least: So many places the list has at least; some of them may be empty.
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
        # A round that was passed over while others wrote this list ends where the list did.
        self._edges += [end] * (round_ + 1 - len(self._edges))
        self._edges[-1] = max(end + len(fresh), least)

    def begins_as(self, other: Self) -> bool:
        """Whether all that stands in this list stands at the same places of the other one's
        beginning.
        """
        places = other._places
        return self._edges == other._edges[: len(self._edges)] and all(
            places.get(key) == place for key, place in self._places.items()
        )

    def packed(self) -> bytes:
        """In few bytes, for `unpacked`."""
        head = array("q", [len(self._edges), *self._edges])
        return (
            head.tobytes()
            + array("q", self._places).tobytes()
            + array("i", self._places.values()).tobytes()
        )

    @classmethod
    def unpacked(cls, data: bytes) -> Self:
        """What was packed in this process."""
        rounds = array("q", data[:8])[0]
        edges, rest = array("q", data[8 : 8 + 8 * rounds]), data[8 + 8 * rounds :]
        keys = len(rest) // 12
        return cls(
            dict(zip(array("q", rest[: 8 * keys]), array("i", rest[8 * keys :]), strict=True)),
            edges,
        )


class PositionStore:
    """The lists that were shown last, so that their next pages follow them.

    What is told of a list is the same without it, as long as the sources say the same: it is for
    the source that failed at first and answers later, and for the page that has changed. Only
    hashes are kept, of queries too.
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
        """Remember a list that was begun anew; where it is the one that is known, its further
        rounds stay known.
        """
        known = self.get(search)
        if known is None or not positions.begins_as(known):
            self.keep(search, positions)

    def get(self, search: Hashable) -> Positions | None:
        """The list of a search; None where it is not known (any more)."""
        name = _name(search)
        data = self._lists.pop(name, None)
        if data is None:
            return None
        self._lists[name] = data  # the one that was used last
        return Positions.unpacked(data)

    def keep(self, search: Hashable, positions: Positions) -> None:
        """Remember a list in the place of what was known of it; the one that was not used for
        longest is forgotten.
        """
        name, data = _name(search), positions.packed()
        self._bytes += len(data) - len(self._lists.pop(name, b""))
        self._lists[name] = data
        while len(self._lists) > MOST_LISTS or self._bytes > MOST_BYTES:
            self._bytes -= len(self._lists.pop(next(iter(self._lists))))


def _name(search: Hashable) -> bytes:
    return hashlib.blake2b(repr(search).encode("utf-8", "surrogatepass"), digest_size=16).digest()


# --------------------------------------------------------------------------- pages


def window(whole: Answer, start: int, count: int | None) -> Answer:
    """The page of an answer that holds the places from `start` on.

    Args:
        whole: All hits of a list, each with its place as `rank`; where the list goes on,
            `paging.next` says up to which place it is known.
        start: Places before the page.
        count: Places of the page; None takes all that are known.
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


def _next(start: int, end: int, after: int | None, count: int | None) -> NextPage | None:
    """The page that holds the place `after`, or None where there is none; pages without hits are
    passed over.
    """
    if after is None:
        return None
    first = after if count is None else end + (after - end) // count * count
    # The count stays what it is: with another one the sources would be asked for other rounds.
    return NextPage(first, count) if start < first and first + (count or 1) <= LAST_PLACE else None


def held_back(answer: Answer) -> tuple[str, ...]:
    """The sources that have more than they were asked for, where that is what ends the list, and
    not its limit.
    """
    last = answer.hits[-1].rank if answer.hits else 0
    if answer.running or not last or last < answer.counts.unique:
        return ()
    return tuple(report.source for report in answer.sources if report.more)


def totals(counts: Counts, reports: Sequence[SourceReport]) -> Totals:
    """How many works the sources may hold.

    What a source claims beyond what it gave counts in the share in which its records fit the query;
    what the sources have in common is taken to be the same share everywhere as among what was
    received.
    """
    asked = [report for report in reports if report.status != "skipped"]
    claims = sum(_claim(it) for it in asked)
    distinct = counts.unique / counts.received if counts.received else 0.0
    estimate = max(counts.unique, round(sum(_fitting(it) for it in asked) * distinct))
    silent = [it.source for it in asked if it.total is None and (it.more or _missing(it))]
    cut = [it.source for it in asked if it.filtered and _claim(it) > it.count]
    missing = [it.source for it in asked if _missing(it)]
    known = counts.received > 0 or claims == 0
    return Totals(
        seen=counts.unique,
        least=counts.unique,
        most=None if silent else claims,
        estimate=estimate if known else None,
        reliable=known and not (silent or cut or missing),
        basis="; ".join(
            _basis(counts, claims, [it for it in silent if it not in missing], cut, missing)
        ),
    )


def _claim(report: SourceReport) -> int:
    """How many the source says that it has; as many as it gave where it does not say more."""
    given = report.count + report.filtered + report.unread
    return report.total if report.total is not None and report.total > given else report.count


def _fitting(report: SourceReport) -> float:
    """How many of those may fit the query, by those that were read."""
    claim, read = _claim(report), report.count + report.filtered
    if claim == report.count:
        return claim
    fit = report.count / read if read else 1.0
    return report.count + (claim - read - report.unread) * fit


def _missing(report: SourceReport) -> bool:
    return report.failed or report.status == "running"


def _basis(
    counts: Counts, claims: int, silent: Sequence[str], cut: Sequence[str], missing: Sequence[str]
) -> Iterator[str]:
    if not counts.received:
        yield (
            f"no record was received of the {claims:,} that the sources say they have"
            if claims
            else "nothing found"
        )
    elif claims > counts.received:
        share = counts.unique / counts.received
        yield (
            f"{counts.unique:,} of {counts.received:,} records received are works of their own "
            f"({share:.0%}), "
            f"and so many of the {claims:,} that the sources say they have"
        )
    else:
        yield f"all {counts.received:,} records that the sources have were received"
    if silent:
        yield f"{', '.join(silent)} counted with what was given, because the total is not told"
    if cut:
        yield f"{', '.join(cut)} counted in the share of its records that fit the query"
    if missing:
        yield f"incomplete without {', '.join(missing)}"
