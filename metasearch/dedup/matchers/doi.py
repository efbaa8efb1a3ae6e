"""The same DOI: the first step of the four-tuple paper (hash of the DOI), with a guard."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from metasearch.dedup.dois import without_marks
from metasearch.dedup.evidence import evidence, word
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.resemblance import FAR
from metasearch.record import Match


class DoiHash:
    """Equal DOI, and titles that do not contradict it.

    Every abstract of a conference supplement may carry the supplement's DOI, every paper that of
    the proceedings, and some journals give one DOI to a whole issue; so titles that are far apart
    leave the question open, unless the first author, the first and the last page are the same: two
    abstracts of one group may begin on one page.
    """

    name = "doi"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """SHA-1 of the DOI, one for all that differ in full stops and slashes only: these meet,
        others judge them.
        """
        return (
            (
                hashlib.sha1(
                    without_marks(fingerprint.doi).encode(), usedforsecurity=False
                ).hexdigest(),
            )
            if fingerprint.doi
            else ()
        )

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal DOI whose titles, authors or pages do not speak against it."""
        if not a.doi or a.doi != b.doi:
            return None
        facts = evidence(a, b)
        if (
            facts.title == "far"
            and facts.score < FAR
            and not (facts.page_range and facts.first_author)
        ):
            return None
        return verdict(self.name, word(facts), 0.99, ("same DOI", *facts.words()), a, b)
