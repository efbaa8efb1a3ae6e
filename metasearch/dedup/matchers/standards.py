"""The same standard: its number, or its name, with the year."""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.evidence import evidence
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.standards import SHORTEST_NAME, relation, standard
from metasearch.record import Match


class Standards:
    """Equal number, or equal title, of the same year: nobody numbers two documents alike."""

    name = "standard"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """Number with year, and name with year."""
        found = standard(fingerprint)
        if found is None or not found.year:
            return ()
        keys = [f"{found.number}:{found.year}"] if found.number else []
        if len(found.name) >= SHORTEST_NAME:
            keys.append(f"{found.name}:{found.year}")
        return keys

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for two records of one standard."""
        one = standard(a)
        if one is None:
            return None
        other = standard(b)
        if other is None or not relation(one, other):
            return None
        said = (
            f"same standard ({one.number})"
            if one.number and one.number == other.number
            else "standard of one name"
        )
        return verdict(self.name, "same", 0.97, (said, *evidence(a, b).words()), a, b)
