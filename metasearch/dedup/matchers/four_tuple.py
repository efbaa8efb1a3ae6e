"""SHA-1 of the normalised {title, journal, year, first author}: Hao Hui's second step."""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.evidence import evidence, word
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.record import Match


class FourTuple:
    """Equal hash of the four members; no key where the title or more than one other member is
    missing.
    """

    name = "four-tuple"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The hash."""
        return (
            (fingerprint.four_tuple,) if fingerprint.four_tuple and not fingerprint.generic else ()
        )

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal hash of a title that means something."""
        if not a.four_tuple or a.four_tuple != b.four_tuple or a.generic:
            return None
        facts = evidence(a, b)
        if not a.venue and facts.publisher is False:  # two printers of one poem
            return None
        members = [
            name
            for name, value in (("venue", a.venue), ("year", a.year), ("first author", a.first))
            if value
        ]
        return verdict(self.name, word(facts), 0.95, (f"same title, {', '.join(members)}",), a, b)
