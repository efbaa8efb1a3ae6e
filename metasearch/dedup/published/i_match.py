"""I-Match: one hash of the terms that are neither too common nor too rare.

Chowdhury, Frieder, Grossman and McCabe, "Collection statistics for fast duplicate document
detection" (ACM TOIS 20:2, 2002).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.published.text import frequencies, segment
from metasearch.dedup.published.text.content import body, sha1, title
from metasearch.record import Match, Record


class _Terms(NamedTuple):
    number: int
    hash: str


@dataclass(frozen=True)
class IMatch:
    """The strategy `i-match`: equal SHA-1 of the sorted, unique terms of title and abstract with a
    middling idf.

    As in the paper: each term once, sorted, hashed; equality is identity. The idf is that of the
    shipped table, because a stream has no collection to count in; the hash holds for one table and
    one segmenter.

    Thin input: fewer than `fewest` terms are no text (our reading; the paper notes that documents
    without any term left all get one hash).

    Attributes:
        lowest: Normalised idf (0..1) that a term has at least. Paper: best between 0.1 and 0.9.
        highest: And at most.
        fewest: Terms that must be left.
    """

    name: ClassVar[str] = "i-match"
    exact: ClassVar[bool] = True

    lowest: float = 0.1
    highest: float = 0.9
    fewest: int = 5

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The hash."""
        found = self._terms(fingerprint)
        return (found.hash,) if found.number >= self.fewest else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal hash."""
        one, other = self._terms(a), self._terms(b)
        if one != other or one.number < self.fewest:
            return None
        return verdict(
            self.name, "same", 1.0, (because.SAME_TERMS.format(number=one.number),), a, b
        )

    def _terms(self, fingerprint: Fingerprint) -> _Terms:
        name = (self.name, segment.segmenter(), frequencies.table_id(), self.lowest, self.highest)
        return fingerprint.once(name, self._hashed)

    def _hashed(self, record: Record) -> _Terms:
        words = {*segment.words(title(record)), *segment.words(body(record))}
        kept = sorted(
            word for word in words if self.lowest <= frequencies.nidf(word) <= self.highest
        )
        return _Terms(len(kept), sha1(kept))
