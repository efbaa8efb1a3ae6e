"""Shingling: the runs of w words that two texts share, estimated from a sample of their hashes.

Broder, Glassman, Manasse and Zweig, "Syntactic clustering of the Web" (WWW6, 1997); Broder, "On the
resemblance and containment of documents" (SEQUENCES 1997).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import ClassVar, Literal

from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.published.text import segment
from metasearch.dedup.published.text.content import SEPARATOR, body, title
from metasearch.dedup.published.text.sets import enough
from metasearch.dedup.published.text.simhash import HASH, hash64
from metasearch.record import Match, Record


@dataclass(frozen=True)
class Shingling:
    """The strategy `shingling`: resemblance (Jaccard's coefficient) of the sets of w-shingles, from
    sketches.

    As in the paper: shingles of 10 words, resemblance at least 50 %, a sketch of the smallest
    hashes (MIN_s) or of those that a number divides (MOD_m). Its run over the Web used MOD_25,
    which leaves five or six of an abstract's 150 shingles; so the default is MIN_s, and its s is
    our reading: 100 give a standard error of at most .05.

    A pair that resembles enough shares one of the first elements of either sketch, in the order of
    the hashes; these are the keys, and nothing is missed but in the crowd of a key that hundreds of
    records share. The paper leaves out shingles that too many share, too.

    Thin input: fewer than `fewest` elements of a sketch; a title alone has too few.

    Attributes:
        width: Words of a shingle. Paper: 10.
        sketch: "min": the `size` smallest hashes; "mod": the hashes that `modulus` divides.
        size: Elements of a MIN_s sketch. Our reading.
        modulus: Of a MOD_m sketch. Paper: 25.
        threshold: Resemblance from which on two texts are one. Paper: 0.5.
        fewest: Elements that a sketch must have. Our reading: fewer cannot tell a tenth from
            nothing.
    """

    name: ClassVar[str] = "shingling"
    exact: ClassVar[bool] = True

    width: int = 10
    sketch: Literal["min", "mod"] = "min"
    size: int = 100
    modulus: int = 25
    threshold: float = 0.5
    fewest: int = 10

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The first elements of the sketch, so many that any resembling sketch shares one."""
        found = self._sketch(fingerprint)
        return [f"{element:x}" for element in found[: enough(self.threshold, len(found))]]

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where the estimated resemblance reaches the threshold."""
        one, other = self._sketch(a), self._sketch(b)
        if not one or not other:
            return None
        found = resemblance(one, other, self.size if self.sketch == "min" else None)
        if found < self.threshold or not found:
            return None
        return verdict(
            self.name, "same", found, (because.SHINGLES_SHARED.format(share=f"{found:.0%}"),), a, b
        )

    def _sketch(self, fingerprint: Fingerprint) -> Sequence[int]:
        """Sorted; empty where there is too little text."""
        shape = self.size if self.sketch == "min" else self.modulus
        found = fingerprint.once(
            (self.name, segment.segmenter(), HASH, self.width, self.sketch, shape), self._sampled
        )
        return found if len(found) >= self.fewest else ()

    def _sampled(self, record: Record) -> array[int]:
        hashes = {hash64(shingle) for shingle in shingles(_words(record), self.width)}
        if self.sketch == "min":
            return array("Q", nsmallest(self.size, hashes))
        return array("Q", sorted(value for value in hashes if value % self.modulus == 0))


def shingles(words: Sequence[str], width: int) -> Iterable[str]:
    """Every run of so many words."""
    return (SEPARATOR.join(words[start : start + width]) for start in range(len(words) - width + 1))


def resemblance(a: Sequence[int], b: Sequence[int], size: int | None) -> float:
    """What two sketches say of the resemblance of their sets, 0..1. `a`: a sketch, sorted. `b`:
    another. `size`: of MIN_s sketches; None for MOD_m.
    """
    one, other = set(a), set(b)
    union = sorted(one | other)[:size]
    return len((one & other).intersection(union)) / len(union)


def _words(record: Record) -> list[str]:
    return [*segment.words(title(record)), *segment.words(body(record))]
