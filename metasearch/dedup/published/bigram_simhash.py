"""SimHash of pairs of words: records whose titles and abstracts are of nearly the same words in
nearly the same order.

Patent CN102831198A, filed 2012-08-07 (People Search; Wen Yun, Yang Qing).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.published.text.content import body, title
from metasearch.dedup.published.text.segment import segmenter, words
from metasearch.dedup.published.text.signed import Signed
from metasearch.dedup.published.text.simhash import HASH, simhash
from metasearch.record import Record


@dataclass(frozen=True)
class BigramSimHash(Signed):
    """Every two consecutive terms, each pair with its frequency.

    The patent says: 64 bits, pairs, their frequency as weight, four blocks of 16 bits, a distance
    of at most 3. It leaves open, and we read: the hash (`HASH`), stop words (none is dropped),
    punctuation (is no term), and that a text of fewer terms than make a token is one token.

    It gives a document the signature of the first one that is found near it, so that its answer
    depends on the order of arrival. Ours compares pairs and takes connected components, which no
    order changes; a chain of texts, each near the next, becomes one cluster whose ends may differ
    in more than `max_distance` bits. `together`: consecutive terms in a token. `min_features`:
    different tokens that a record must have (ours, the patent has no such bound; 1 is the nearest
    to it): headings that many works bear ("Letter to the editor") have less.
    """

    name: ClassVar[str] = "bigram-simhash"

    together: int = 2
    min_features: int = 5

    def signature(self, fingerprint: Fingerprint) -> int | None:
        """Of title and abstract; None where they have too few tokens."""
        name = ("bigram-simhash", HASH, segmenter(), self.together, self.min_features)
        return fingerprint.once(name, self._signature)

    def made_of(self, a: Fingerprint, b: Fingerprint) -> str:
        """Tokens, hash, segmenter."""
        tokens = "bigrams" if self.together == 2 else f"{self.together} words"
        return f"{tokens}, {HASH}, {segmenter()}"

    def _signature(self, record: Record) -> int | None:
        found = tokens(words(f"{title(record)} {body(record)}"), self.together)
        return simhash(found) if len(set(found)) >= self.min_features else None


def tokens(terms: Sequence[str], together: int) -> list[str]:
    """Every so many consecutive terms; all terms where there are fewer, if any."""
    if not terms:
        return []
    starts = range(max(1, len(terms) - together + 1))
    return [" ".join(terms[start : start + together]) for start in starts]
