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

    def keys(self, it: Fingerprint) -> Iterable[str]:
        """The normalised URL."""
        return (it.url,) if it.url else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal URL whose titles agree."""
        if not a.url or a.url != b.url:
            return None
        it = evidence(a, b)
        if it.title == "far" or (it.title == "missing" and it.first_author is False):
            return None
        return verdict(self.name, word(it), 0.97, ("same URL", *it.words()), a, b)
