"""Equal URL, and nothing else: the oldest way, which metasearch engines of the open web use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.record import Match


@dataclass(frozen=True)
class EqualUrl:
    """The strategy `url`: equal URL after normalisation (`web_addresses.url_key`), whatever the
    records say otherwise.

    SearXNG merges hits so, and Zhang and Guo (2014) name it among the older ways. It finds no copy
    that another site holds, and merges all records that carry the address of a portal's search
    page: the default chain's `Url`, which asks the titles too, is its guarded form.

    Thin input: a record without a URL, or with a DOI resolver's or a bare host, has no key and is
    never "same".
    """

    name: ClassVar[str] = "url"
    exact: ClassVar[bool] = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The normalised URL."""
        return (fingerprint.url,) if fingerprint.url else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal URL."""
        if not a.url or a.url != b.url:
            return None
        return verdict(self.name, "same", 1.0, (because.SAME_URL,), a, b)
