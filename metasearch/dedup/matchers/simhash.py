"""The fallback on text: records by the same first author whose title and abstract nearly agree.

The SimHash signature (Charikar 2002) is compared, not looked up: a fallback on text alone would join all abstracts of
one template, so a pair must share its first author and year anyway, and that makes the better key. A signature is
computed only when a pair has come that far.
"""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.evidence import evidence, word
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.resemblance import title_score
from metasearch.record import Match

#: Bits of 64; Manku, Jain and Das Sarma (WWW 2007) found 3 reasonable.
MAX_DISTANCE = 3
#: Titles less alike than this need equal pages beside equal texts.
LEAST_TITLE = 0.7


class SimHash:
    """Records whose texts nearly agree although their titles may not."""

    name = "simhash"
    exact = False

    def keys(self, it: Fingerprint) -> Iterable[str]:
        """First author and year of a record with an abstract."""
        if not it.record.abstract or it.year is None:
            return ()
        return [f"{family}:{it.year}" for family in it.first]

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where the distance is small and titles, people, pages and DOIs do not contradict it."""
        if not (a.record.abstract and b.record.abstract) or a.first.isdisjoint(b.first):
            return None
        if a.doi and b.doi and a.doi != b.doi:
            return None
        if not (a.pages[0] and a.pages == b.pages) and title_score(a, b) < LEAST_TITLE:
            return None
        if a.simhash is None or b.simhash is None:
            return None
        distance = (a.simhash ^ b.simhash).bit_count()
        if distance > MAX_DISTANCE:
            return None
        it = evidence(a, b)
        if it.pages is False or it.form:
            return None
        because = (f"texts agree (SimHash distance {distance})", *it.words())
        return verdict(self.name, word(it), 0.9 - 0.02 * distance, because, a, b)
