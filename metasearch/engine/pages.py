"""Places in a merged list that is read in pages: a hit keeps its place whatever comes later.

A place is remembered by the records of the hit that stands there, because a hit may change its
name, join another one or be divided when more records come. What was given a place never moves;
what is new goes to the end.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Hashable, Iterable, Sequence
from typing import Self

from metasearch.record import Hit

#: Lists, and bytes of all of them together, that an engine remembers at most.
MOST_LISTS, MOST_BYTES = 1_000, 4 * 1024 * 1024


class Slots:
    """The places of one list.

    A list grows by layers (`docs/paging.md`): layer 0 is what the first requests to all sources
    gave, and so on.

    Args:
        places: Place, from 0, by the hash of a record's key.
        edges: How many places there are once each layer is read.
    """

    def __init__(self, places: dict[int, int] | None = None, edges: Iterable[int] = ()) -> None:
        self._places = {} if places is None else places
        self._edges = list(edges)

    def __len__(self) -> int:
        return self._edges[-1] if self._edges else 0

    def covered(self, layers: int) -> int:
        """Up to which place the list is known to whoever has read so many layers."""
        return self._edges[layers - 1] if 0 < layers < len(self._edges) else len(self)

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
        self, layer: int, seated: dict[int, Hit], fresh: Sequence[Hit], least: int = 0
    ) -> None:
        """Remember who sits where, and give the new ones the places at the end.

        Args:
            layer: The layer that was read last, from 0.
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
        # A layer that was passed over while others wrote this list ends where the list did.
        self._edges += [end] * (layer + 1 - len(self._edges))
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
        layers = array("q", data[:8])[0]
        edges, rest = array("q", data[8 : 8 + 8 * layers]), data[8 + 8 * layers :]
        keys = len(rest) // 12
        return cls(
            dict(zip(array("q", rest[: 8 * keys]), array("i", rest[8 * keys :]), strict=True)),
            edges,
        )


class Ledger:
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

    def begin(self, search: Hashable, slots: Slots) -> None:
        """Remember a list that was begun anew; where it is the one that is known, its further
        layers stay known.
        """
        known = self.get(search)
        if known is None or not slots.begins_as(known):
            self.keep(search, slots)

    def get(self, search: Hashable) -> Slots | None:
        """The list of a search; None where it is not known (any more)."""
        name = _name(search)
        data = self._lists.pop(name, None)
        if data is None:
            return None
        self._lists[name] = data  # the one that was used last
        return Slots.unpacked(data)

    def keep(self, search: Hashable, slots: Slots) -> None:
        """Remember a list in the place of what was known of it; the one that was not used for
        longest is forgotten.
        """
        name, data = _name(search), slots.packed()
        self._bytes += len(data) - len(self._lists.pop(name, b""))
        self._lists[name] = data
        while len(self._lists) > MOST_LISTS or self._bytes > MOST_BYTES:
            self._bytes -= len(self._lists.pop(next(iter(self._lists))))


def _name(search: Hashable) -> bytes:
    return hashlib.blake2b(repr(search).encode("utf-8", "surrogatepass"), digest_size=16).digest()
