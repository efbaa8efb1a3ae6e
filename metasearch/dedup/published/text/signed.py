"""What matchers have in common that compare one 64-bit signature a record by Hamming distance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.hamming import BITS, Nothing, Scan, block_keys
from metasearch.dedup.matcher import Neighbours, verdict
from metasearch.record import Match


@dataclass(frozen=True)
class Signed(ABC):
    """A matcher by one signature a record.

    Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007): of
    signatures that differ in less bits than there are blocks, one block is equal, and is the key.
    Where more may differ, all are compared. `max_distance`: bits of 64 in which duplicates differ
    at most; 3 in that paper, for 8 billion pages. `blocks`: of a signature: 4 of 16 bits.
    """

    name: ClassVar[str]
    exact: ClassVar[bool] = False

    max_distance: int = 3
    blocks: int = 4

    @abstractmethod
    def signature(self, fingerprint: Fingerprint) -> int | None:
        """Of a record, the same for every distance; None where it has too little text."""

    @abstractmethod
    def made_of(self, a: Fingerprint, b: Fingerprint) -> str:
        """What shaped the signatures of a pair, in words: features, hash, segmenter."""

    @property
    def radius(self) -> int:
        """As `max_distance`."""
        return self.max_distance

    def signatures(self, fingerprint: Fingerprint) -> Iterable[int]:
        """The one of the record, if it has one."""
        signature = self.signature(fingerprint)
        return () if signature is None else (signature,)

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The blocks; none where too many bits may differ for a block to be equal."""
        if self.max_distance >= self.blocks:
            return ()
        signature = self.signature(fingerprint)
        return () if signature is None else block_keys(signature, self.blocks)

    def neighbours(self) -> Neighbours:
        """A scan of all signatures; nothing where blocks find everything."""
        return (
            Nothing()
            if self.max_distance < self.blocks
            else Scan(self.signature, self.max_distance)
        )

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where few enough bits differ; the score falls by 1/64 with each."""
        one, other = self.signature(a), self.signature(b)
        if one is None or other is None:
            return None
        distance = (one ^ other).bit_count()
        if distance > self.max_distance:
            return None
        said = because.SIMHASH_DISTANCE.format(
            distance=distance, bits=BITS, made_of=self.made_of(a, b)
        )
        return verdict(self.name, "same", 1 - distance / BITS, (said,), a, b)
