"""What two records of one work never show: contradictions that no likeness outweighs."""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.evidence import evidence
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.record import Match

#: Years that may pass between a preprint and its publication.
YEARS_TO_PRINT = 3


class Vetoes:
    """Says "different", or nothing."""

    name = "veto"

    def keys(self, it: Fingerprint) -> Iterable[str]:
        """None: a contradiction is no place to look."""
        return ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "different" where the records contradict one another."""
        reason = self._reason(a, b)
        return verdict(self.name, "different", 1.0, (reason,), a, b) if reason else None

    def _reason(self, a: Fingerprint, b: Fingerprint) -> str:
        it = evidence(a, b)
        same_doi = it.doi is True
        if not it.notice:
            return (
                f"one is a {a.notice or b.notice}" if not (a.notice and b.notice) else f"{a.notice} against {b.notice}"
            )
        if it.parts is False and not (same_doi and not (a.parts and b.parts)):
            shown = ["/".join(sorted(p)) or "none" for p in (a.parts, b.parts)]
            return f"parts differ: {shown[0]} against {shown[1]}"
        if it.doi is False and a.preprint == b.preprint and not _same_place(a, b):
            return f"DOIs differ: {a.doi} against {b.doi}"
        if same_doi:
            return ""
        if it.numbers is False:
            return "numbers in the titles differ"
        if it.edition is False:
            return f"editions differ: {a.edition} against {b.edition}"
        if it.gap is not None and it.gap > (1 if a.preprint == b.preprint else YEARS_TO_PRINT):
            return f"years differ: {a.year} against {b.year}"
        if it.volume is False and it.pages is not True and a.preprint == b.preprint:
            return f"volumes differ: {a.volume} against {b.volume}"
        if it.isbn is False and not it.same_year:
            return "ISBNs and years differ"
        return ""


def _same_place(a: Fingerprint, b: Fingerprint) -> bool:
    """One article can have been registered twice: then its place in print is the same in every number."""
    it = evidence(a, b)
    return bool(it.title == "equal" and it.venue and it.volume and it.pages and it.same_year and it.first_author)
