"""Hash tables of a job: small ones as Python's dicts, and what lies in large ones packed.

Nearly all keys of a large job are given by one record only. A dict needs about a hundred bytes for
such a key and its number, a sorted array needs twelve; so from time to time the entries of single
records are moved from the dicts into one array, and an entry is moved back when its key is given
again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Keys = np.ndarray[Any, np.dtype[np.int64]]
    Numbers = np.ndarray[Any, np.dtype[np.uint32]]

#: Records after which the entries of single records are packed for the first time: more than a
#: search has. Later it is done whenever there are an eighth more records, so that all packing
#: together takes linear time.
FIRST = 30_000
MORE = 8
#: Equal keys of two tables are told apart by these bits.
_TABLE = 1 << 52


class Table(dict[int, Any]):
    """Key -> the number of the record that gave it, or what stands for several records.

    Keys are 64-bit hashes. What is packed is missing here until `Tables.fetch` has brought it back.
    """

    __slots__ = ("mark",)

    def __init__(self, mark: int) -> None:
        super().__init__()
        self.mark = mark


class Tables:
    """Some tables that are packed together."""

    def __init__(self) -> None:
        self._tables: list[Table] = []
        self._next = FIRST
        # Sorted; an entry stays here when it is moved back, and the table is asked first.
        self._keys: Keys | None = None
        self._numbers: Numbers | None = None

    def new(self) -> Table:
        """A further table, empty."""
        table = Table(len(self._tables) * _TABLE)
        self._tables.append(table)
        return table

    def __bool__(self) -> bool:
        """Whether something is packed."""
        return self._keys is not None

    def fetch(self, wanted: Iterable[tuple[Table, int, object]]) -> None:
        """Move the packed entries of these keys back into their tables."""
        if self._keys is None or self._numbers is None:
            return
        missing = [(table, key) for table, key, _ in wanted if key not in table]
        if not missing:
            return
        import numpy as np

        keys = np.array([key ^ table.mark for table, key in missing], dtype=np.int64)
        at = self._keys.searchsorted(keys)
        there = (self._keys.take(at, mode="clip") == keys).nonzero()[0]
        for place, number in zip(
            there.tolist(), self._numbers.take(at.take(there)).tolist(), strict=True
        ):
            table, key = missing[place]
            table[key] = number

    def pack(self, records: int) -> None:
        """Pack the entries of single records, where it is time for that."""
        if records < self._next:
            return
        self._next = records + max(FIRST, records // MORE)
        import numpy as np

        keys, numbers = array("q"), array("I")
        for table in self._tables:
            mark = table.mark
            rest: dict[int, Any] = {}
            for key, found in table.items():
                if type(found) is int:
                    keys.append(key ^ mark)
                    numbers.append(found)
                else:
                    rest[key] = found
            table.clear()  # a dict becomes smaller in no other way
            table.update(rest)
        if not keys:
            return
        fresh = np.frombuffer(keys, dtype=np.int64)
        order = np.argsort(fresh)
        fresh, of_fresh = fresh[order], np.frombuffer(numbers, dtype=np.uint32)[order]
        if self._keys is None or self._numbers is None:
            self._keys, self._numbers = fresh, of_fresh
            return
        at = np.searchsorted(self._keys, fresh)
        self._keys = np.insert(self._keys, at, fresh)
        self._numbers = np.insert(self._numbers, at, of_fresh)
