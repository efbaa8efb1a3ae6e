"""DRPKP: a fingerprint a paragraph, and records that share paragraphs.

Yu Feng, Wang Yinna, DRPKP, 1007-757X(2014)01-0058-03 (2014): within one professional field all
texts are alike, so that one SimHash a document confuses them; a paragraph's own topic words tell
more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from metasearch.bib import normalise
from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.hamming import BITS, Nothing, Signatures, block_keys
from metasearch.dedup.matcher import Neighbours, verdict
from metasearch.dedup.published.text import content
from metasearch.dedup.published.text.passages import paragraphs
from metasearch.dedup.published.text.rabin import RABIN, rabin64
from metasearch.dedup.published.text.segment import Word, is_stop, segmenter, tagged, words
from metasearch.dedup.published.text.simhash import LaneSums, weighted
from metasearch.record import Match, Record

#: Of one record so many paragraphs count, the first ones: an abstract has two to ten.
MOST_PARAGRAPHS = 200
#: Words without a part of speech that are shorter say little; this is not asked of Chinese.
SHORTEST_WORD = 3

_FINGERPRINTS = LaneSums(BITS, lambda word: rabin64(content.encoded(word)))

#: Fingerprints of a record's paragraphs.
Prints = frozenset[int]


@dataclass(frozen=True)
class Drpkp:
    """The set of the paragraphs' fingerprints; records are the same where enough of one's
    paragraphs are in the other.

    The paper says: nouns and verbs only; of a paragraph the 10 most probable of them; their weight
    as the sum of frequency, context (0.1 for each topic word in a window of 20 characters) and
    position; 64-bit Rabin fingerprints of words; SimHash over them; distance at most 3, "growing
    with the number of paragraphs". Its formulas are lost; we read:

    - frequency as the word's share of the paragraph's nouns and verbs, ties to whichever comes
      first;
    - context as the best window, at most 1.0; letters are counted, blanks and punctuation are not;
    - position as `title` for words that the title has too, else `first`, `last` or `elsewhere`; the
      title itself is no paragraph;
    - a distance between sets as the share of one's paragraphs that have a near one in the other, in
      the direction that gives more: a text that is posted again has fewer or more paragraphs. Where
      one side has a single paragraph, both directions must hold, or every quotation would be its
      source; one against one is a comparison of the two;
    - sentences grouped to `shortest` characters as the paragraphs of an abstract;
    - words without a known part of speech (English): those of 3 letters and more that are neither
      stop words nor numbers.

    The two MapReduce jobs of the paper are the two halves of a matcher: job 1 (text ->
    fingerprints, by file) is what a record's `Fingerprint` keeps of it; the map of job 2, which
    inverts that to fingerprint -> files, is `keys`, and its reduce, which computes distances only
    within what an inverted entry holds, is `compare`. An entry here is a quarter of a fingerprint
    instead of a whole one, so that near ones meet too.

    Attributes:
        share: Of paragraphs, from which on two records are the same (ours).
        max_distance: Bits of 64 in which paragraphs that are the same differ at most.
        grows: Whether one bit more may differ for each five paragraphs (of the shorter text) after
            the first.
        topics: Topic words of a paragraph.
        window: Characters.
        context: Weight of each topic word in a window.
        title: Weight of position of words that the title has.
        first: That of others in the first paragraph.
        last: That in the last paragraph.
        elsewhere: That in all others.
        shortest: Characters that a paragraph has at least.
        min_topics: Topic words that a paragraph must have to count (ours): one with less than half
            of ten is a phrase ("There were no significant differences") that papers share without
            sharing anything.
        blocks: Of a fingerprint, for the keys.
    """

    name: ClassVar[str] = "drpkp"
    exact: ClassVar[bool] = False

    share: float = 0.5
    max_distance: int = 3
    grows: bool = False
    topics: int = 10
    window: int = 20
    context: float = 0.1
    title: float = 1.0
    first: float = 0.5
    last: float = 0.3
    elsewhere: float = 0.1
    shortest: int = 40
    min_topics: int = 5
    blocks: int = 4

    @property
    def radius(self) -> int:
        """Bits in which two paragraphs may differ that are the same, whatever the texts."""
        return self.distance(MOST_PARAGRAPHS)

    def signatures(self, fingerprint: Fingerprint) -> Iterable[int]:
        """Those of the paragraphs: what the first job of the paper makes of a file."""
        return sorted(self.prints(fingerprint))

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The blocks of every paragraph; none where too many bits may differ for equal blocks."""
        if self._scans:
            return ()
        return sorted(
            {key for print_ in self.prints(fingerprint) for key in block_keys(print_, self.blocks)}
        )

    def neighbours(self) -> Neighbours:
        """A scan of all paragraphs; nothing where blocks find everything."""
        return _Paragraphs(self) if self._scans else Nothing()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where enough paragraphs of one are in the other; the score is their share."""
        one, other = self.prints(a), self.prints(b)
        if not one or not other:
            return None
        least, most = sorted((len(one), len(other)))
        distance = self.distance(least)
        shares = (
            _found(one, other, distance) / len(one),
            _found(other, one, distance) / len(other),
        )
        share = max(shares) if least > 1 else min(shares)
        if share < self.share:
            return None
        pos = "" if self._kept(a)[1] and self._kept(b)[1] else ", pos: none"
        said = because.PARAGRAPHS_AGREE.format(
            share=f"{share:.0%}",
            least=least,
            most=most,
            distance=distance,
            bits=BITS,
            made_of=f"{RABIN}, {segmenter()}{pos}",
        )
        return verdict(self.name, "same", share, (said,), a, b)

    def prints(self, fingerprint: Fingerprint) -> Prints:
        """Those of the abstract's paragraphs; empty where none is there or says enough."""
        return self._kept(fingerprint)[0]

    def distance(self, paragraphs: int) -> int:
        """Bits in which two paragraphs may differ, where the shorter text has so many."""
        return self.max_distance + (max(0, paragraphs - 1) // 5 if self.grows else 0)

    def weights(
        self, paragraph: Sequence[Word], position: float, titles: frozenset[str]
    ) -> dict[str, float]:
        """Topic word -> weight. `paragraph`: all its words. `position`: weight of where it stands.
        `titles`: the words of the title.
        """
        counts = Counter(word.text for word in paragraph if _is_content(word))
        total = counts.total()
        chosen = dict(counts.most_common(self.topics))  # of equal ones, the first that occur
        near = self._most_together(paragraph, frozenset(chosen))
        return {
            word: count / total
            + min(1.0, self.context * near[word])
            + (self.title if word in titles else position)
            for word, count in chosen.items()
        }

    @property
    def _scans(self) -> bool:
        return self.radius >= self.blocks

    def _kept(self, fingerprint: Fingerprint) -> tuple[Prints, bool]:
        """(fingerprints, whether some word's part of speech is known)."""
        of_words = (
            self.topics,
            self.window,
            self.context,
            self.title,
            self.first,
            self.last,
            self.elsewhere,
        )
        return fingerprint.once(
            (self.name, RABIN, segmenter(), self.shortest, self.min_topics, *of_words), self._prints
        )

    def _prints(self, record: Record) -> tuple[Prints, bool]:
        titles = frozenset(words(content.title(record)))
        found = [
            tagged(one) for one in paragraphs(content.body(record), self.shortest)[:MOST_PARAGRAPHS]
        ]
        prints = set()
        for place, paragraph in enumerate(found):
            weights = self.weights(paragraph, self._position(place, len(found)), titles)
            if len(weights) >= self.min_topics:
                prints.add(paragraph_print(weights))
        return frozenset(prints), any(word.pos for paragraph in found for word in paragraph)

    def _position(self, place: int, count: int) -> float:
        if place == 0:
            return self.first
        return self.last if place == count - 1 else self.elsewhere

    def _most_together(self, paragraph: Sequence[Word], chosen: frozenset[str]) -> dict[str, int]:
        """Of each topic word, how many of them the best window around it holds, itself counted."""
        places: list[tuple[int, int, str]] = []
        start = 0
        for word in paragraph:
            end = start + len(word.text)
            if word.text in chosen:
                places.append((start, end, word.text))
            start = end
        best = dict.fromkeys(chosen, 1)
        for number, (first, _, opening) in enumerate(places):
            together = {opening}
            for _, end, other in places[number + 1 : number + self.window]:
                if end - first > self.window:
                    break
                together.add(other)
            for one in together:
                best[one] = max(best[one], len(together))
        return best


class _Paragraphs:
    """`Neighbours` by a scan of the fingerprints of all paragraphs."""

    def __init__(self, matcher: Drpkp) -> None:
        self._matcher = matcher
        self._signatures = Signatures()

    @property
    def passed_over(self) -> int:
        """How many near paragraphs were not named."""
        return self._signatures.passed_over

    def near(self, fingerprint: Fingerprint) -> set[int]:
        """The records that have a paragraph near one of this record's."""
        prints = self._matcher.prints(fingerprint)
        # No less than what is asked of a pair, because there the shorter text counts.
        distance = self._matcher.distance(len(prints))
        return {number for print_ in prints for number in self._signatures.near(print_, distance)}

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Enter a record's paragraphs."""
        for print_ in self._matcher.prints(fingerprint):
            self._signatures.add(number, print_)


def paragraph_print(weights: Mapping[str, float]) -> int:
    """SimHash (Charikar 2002) over Rabin fingerprints of words; a sum of 0 gives bit 0."""
    return weighted(weights, _FINGERPRINTS)


def _found(some: Prints, others: Prints, distance: int) -> int:
    """How many of some have a near one among the others."""
    return sum(any((one ^ other).bit_count() <= distance for other in others) for one in some)


def _is_content(word: Word) -> bool:
    """A noun or a verb; if unknown, a word long enough, neither stop word nor number."""
    if word.pos:
        return word.pos in ("noun", "verb")
    long = len(word.text) >= SHORTEST_WORD or normalise.has_cjk(word.text)
    return long and not word.text.isdecimal() and not is_stop(word.text)
