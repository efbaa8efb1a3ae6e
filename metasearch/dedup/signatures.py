"""Which records have signatures that differ in few bits: by keys for some blocks of bits, or by a
scan of all signatures.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from sys import getsizeof

from metasearch.dedup.fingerprints import Fingerprint

BITS = 64
#: Of one signature so many near ones are named: where hundreds of texts are alike, each is compared
#: with some of them.
MOST_NEAR = 200
#: Up to so many signatures a plain loop is as fast as numpy.
FEW_SIGNATURES = 100
#: Signatures that are compared in one go: as many as stay in a processor's cache.
AT_ONCE = 16_384


def block_keys(signature: int, blocks: int = 4) -> list[str]:
    """A key a block: two signatures that differ in fewer bits than there are blocks share one
    (pigeonhole).

    Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007). `signature`:
    64 bits. `blocks`: 4 of 16 bits find what differs in up to 3.
    """
    width = BITS // blocks
    mask = (1 << width) - 1
    return [f"{block}:{signature >> (width * block) & mask:x}" for block in range(blocks)]


class Signatures:
    """Signatures by number, compared one and all: exact at any distance, 12 bytes each.
    `passed_over`: how many near ones were not named, because more than `MOST_NEAR` were.
    """

    def __init__(self) -> None:
        self.passed_over = 0
        self._numbers = array("I")
        self._signatures = array("Q")

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def numbers(self) -> Iterable[int]:
        return self._numbers

    @property
    def bytes(self) -> int:
        """Memory that is held, room for growth included."""
        return getsizeof(self._numbers) + getsizeof(self._signatures)

    def add(self, number: int, signature: int) -> None:
        self._numbers.append(number)
        self._signatures.append(signature)

    def near(self, signature: int, distance: int) -> list[int]:
        """The numbers of those that differ in at most so many bits: `MOST_NEAR`, as they came."""
        if len(self._numbers) <= FEW_SIGNATURES:
            pairs = zip(self._numbers, self._signatures, strict=True)
            return [
                number for number, other in pairs if (signature ^ other).bit_count() <= distance
            ]
        numbers = self._numbers
        return [numbers[place] for place in self._places(signature, distance)]

    def _places(self, signature: int, distance: int) -> list[int]:
        import numpy as np

        wanted = np.uint64(signature)
        all_ = np.frombuffer(self._signatures, dtype=np.uint64)
        found: list[int] = []
        for start in range(0, len(all_), AT_ONCE):
            near = np.flatnonzero(
                np.bitwise_count(all_[start : start + AT_ONCE] ^ wanted) <= distance
            )
            taken = near[: MOST_NEAR - len(found)]
            self.passed_over += len(near) - len(taken)
            found += (start + taken).tolist()
        return found


class Scan:
    """`Neighbours` of a matcher whose signatures may differ in more bits than keys can find.

    A signature is made when it is compared with another one that may matter: of a single record
    none is. `signature_of`: the signature of a record, or None where it has too little text.
    `distance`: bits in which neighbours differ at most. `signature_of`, `distance`: as they were
    given: who keeps the signatures elsewhere asks these.
    """

    def __init__(
        self,
        signature_of: Callable[[Fingerprint], int | None],
        distance: int,
        may_sign: Callable[[Fingerprint], bool] = lambda _: True,
    ) -> None:
        self.signature_of = signature_of
        self.distance = distance
        self._may_sign = may_sign
        self._signatures = Signatures()
        # Entered since signatures were last compared.
        self._unsigned: list[tuple[int, Fingerprint]] = []

    @property
    def passed_over(self) -> int:
        return self._signatures.passed_over

    def near(
        self,
        fingerprint: Fingerprint,
        in_question: Callable[[list[int]], list[int] | None] = lambda _: None,
    ) -> list[int]:
        """Those within the distance.

        `in_question`: of which of these records it has to be known whether they are near; None for
        all. Where there are few, it is asked before signatures are made, and none of the others is
        returned then.
        """
        if not (self._unsigned or self._signatures) or not self._may_sign(fingerprint):
            return []
        entered = len(self._signatures) + len(self._unsigned)
        if entered <= FEW_SIGNATURES and (asked := in_question(self._numbers())) is not None:
            wanted = set(asked)
            unsigned = {number: other for number, other in self._unsigned if number in wanted}
            found = self.near_of(fingerprint, unsigned)
            if len(unsigned) < len(wanted):
                found += wanted.intersection(self._near_signatures(fingerprint))
            return found
        for number, other in self._unsigned:
            signature = self.signature_of(other)
            if signature is not None:
                self._signatures.add(number, signature)
        self._unsigned.clear()
        return self._near_signatures(fingerprint)

    def near_of(self, fingerprint: Fingerprint, others: Mapping[int, Fingerprint]) -> list[int]:
        """Those of some records, by number, that are within the distance of one."""
        signature = self.signature_of(fingerprint) if others else None
        if signature is None:
            return []
        signatures = ((number, self.signature_of(other)) for number, other in others.items())
        return [
            number
            for number, other in signatures
            if other is not None and (signature ^ other).bit_count() <= self.distance
        ]

    def _near_signatures(self, fingerprint: Fingerprint) -> list[int]:
        signature = self.signature_of(fingerprint)
        return [] if signature is None else self._signatures.near(signature, self.distance)

    def _numbers(self) -> list[int]:
        return [*self._signatures.numbers, *[number for number, _ in self._unsigned]]

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Enter a record, if it has a signature."""
        if self._may_sign(fingerprint):
            self._unsigned.append((number, fingerprint))


class NoNeighbours:
    """`Neighbours` of a matcher whose keys find everything."""

    passed_over = 0

    def near(self, fingerprint: Fingerprint) -> list[int]:
        return []

    def add(self, number: int, fingerprint: Fingerprint) -> None: ...
