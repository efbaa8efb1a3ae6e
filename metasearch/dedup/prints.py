"""The fingerprints of all records of a job, of which only some are in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.record import Record

#: Fingerprints that are in memory: more than a search, or a review, has records.
KEPT = 20_000

#: Number of a record -> its fingerprint; grows while records arrive.
PrintsByNumber = Mapping[int, Fingerprint] | Sequence[Fingerprint]


class Prints(dict[int, Fingerprint]):
    """Number -> fingerprint.

    A fingerprint takes more memory than its record, and is a function of it. So of a large job
    those that were made longest ago are dropped, and made anew when somebody asks for them; `in`,
    `len` and iteration are about those in memory. `whole`: never drop one: for matchers that
    compute much more of a record than what the default chain compares.
    """

    __slots__ = ("_whole", "record_keys", "records")

    def __init__(self, *, whole: bool = False) -> None:
        super().__init__()
        self._whole = whole
        self.records: list[Record] = []
        self.record_keys: list[str] = []

    def append(self, fingerprint: Fingerprint) -> None:
        """Enter the next record."""
        number = len(self.records)
        self.records.append(fingerprint.record)
        self.record_keys.append(fingerprint.record_key)
        self._hold(number, fingerprint)

    def __missing__(self, number: int) -> Fingerprint:
        fingerprint = Fingerprint(self.records[number], self.record_keys[number])
        self._hold(number, fingerprint)
        return fingerprint

    def _hold(self, number: int, fingerprint: Fingerprint) -> None:
        if len(self) >= KEPT and not self._whole:
            for oldest in list(islice(self, KEPT // 2)):
                del self[oldest]
        self[number] = fingerprint
