"""SimHash of words: records whose titles and abstracts are of nearly the same words.

Charikar, "Similarity estimation techniques from rounding algorithms" (STOC 2002), with 64 bits of
which 3 may differ: Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (WWW
2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.published.text.content import body, content_words, title
from metasearch.dedup.published.text.segment import segmenter
from metasearch.dedup.published.text.signed import Signed
from metasearch.dedup.published.text.simhash import HASH, simhash
from metasearch.record import Record


@dataclass(frozen=True)
class SimHash(Signed):
    """Words but stop words, each with its frequency; the order of words counts for nothing.

    Charikar leaves the features open; words are the usual choice. `max_distance` and `blocks` are
    those of Manku et al. `min_features`: different words that a record must have (ours): what
    columns and notices of journals are called ("Letter to the editor", "Book reviews") has less,
    and equal headings are no equal works.
    """

    name: ClassVar[str] = "simhash"

    min_features: int = 5

    def signature(self, fingerprint: Fingerprint) -> int | None:
        """Of title and abstract; None where they have too few words."""
        return fingerprint.once(("simhash", HASH, segmenter(), self.min_features), self._signature)

    def made_of(self, a: Fingerprint, b: Fingerprint) -> str:
        """Words, hash, segmenter."""
        return f"words, {HASH}, {segmenter()}"

    def _signature(self, record: Record) -> int | None:
        features = content_words(f"{title(record)} {body(record)}")
        return simhash(features) if len(set(features)) >= self.min_features else None
