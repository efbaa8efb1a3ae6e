"""The same landing page."""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.evidence import evidence, word
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.record import Match


class Url:
    """Equal URL after normalisation, and titles that do not contradict it.

    A portal's search page or a publisher's home page is the URL of many works, so the titles have a
    say.
    """

    name = "url"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The normalised URL."""
        return (fingerprint.url,) if fingerprint.url else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal URL whose titles agree."""
        if not a.url or a.url != b.url:
            return None
        facts = evidence(a, b)
        if facts.title == "far" or (facts.title == "missing" and facts.first_author is False):
            return None
        return verdict(self.name, word(facts), 0.97, ("same URL", *facts.words()), a, b)
