"""The fallback on text: nearly equal SimHash signatures of title and abstract, verified.

Four 16-bit blocks of the signature are the keys, which finds every pair at a Hamming distance of at most 3 (Manku, Jain and Das
Sarma, WWW 2007); a pair is only the same where titles or people confirm it.
"""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.evidence import evidence
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.record import Match

MAX_DISTANCE = 3


class SimHash:
    """Records whose texts nearly agree although their titles may not."""

    name = "simhash"

    def keys(self, it: Fingerprint) -> Iterable[str]:
        """The four blocks of the signature, each with its number."""
        if it.simhash is not None:
            for block in range(4):
                yield f"{block}:{it.simhash >> (16 * block) & 0xFFFF:04x}"

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where the distance is small and titles or people do not contradict it."""
        if a.simhash is None or b.simhash is None:
            return None
        distance = (a.simhash ^ b.simhash).bit_count()
        if distance > MAX_DISTANCE:
            return None
        it = evidence(a, b)
        if it.authors is False or it.pages is False or it.doi is False or a.preprint != b.preprint:
            return None
        if not (it.first_author and (it.title == "near" or it.score >= 0.7 or it.pages)):
            return None
        because = (f"texts agree (SimHash distance {distance})", *it.words())
        return verdict(self.name, "same", 0.9 - 0.02 * distance, because, a, b)
