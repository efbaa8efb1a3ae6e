"""SimHash: 64 bits of a text such that texts that nearly agree differ in few of them; the
strategies that compare these bits.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import ClassVar, Literal

from metasearch.bib import normalise
from metasearch.bib.normalise import simplify
from metasearch.bulk.published import words as content
from metasearch.bulk.published.words import (
    TextWord,
    body,
    content_words,
    idf,
    is_stop,
    segmenter,
    sentences,
    table_id,
    title,
    words,
    words_with_tags,
)
from metasearch.dedup import evidence
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.matchers import Neighbours, verdict
from metasearch.dedup.signatures import BITS, NoNeighbours, Scan, block_keys
from metasearch.message import message
from metasearch.record import Match, Record

# SimHash: 64 bits of a text such that texts that nearly agree differ in few of them. Charikar,
# "Similarity estimation techniques from rounding algorithms" (STOC 2002). Every feature is hashed
# to 64 bits; a feature's weight is added to a column where its hash has a 1 and subtracted where it
# has a 0; a bit of the signature is 1 where the column's sum is positive, and 0 where it is
# negative or zero.

SIMHASH_BITS = 64
#: Names the hash of features; whoever compares signatures compares this, too.
HASH = "blake2b-8"
#: Of a text with more features the first ones count.
MOST_FEATURES = (1 << 15) - 1
#: Weights are rounded to multiples of this, so that sums are whole numbers and no order of adding
#: can matter.
UNIT = 2.0**-20
#: Of larger weights the signature would not be exact.
MOST_WEIGHT = (1 << 62) - 1
#: Features whose spread hashes are kept.
MOST_KEPT = 50_000

_TOP_BITS = bytes(0x31 if byte & 0x80 else 0x30 for byte in range(256))


def hash64(feature: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big"
    )


class LaneSums(dict[str, int]):
    """Feature -> its 64 bits, each in a lane of its own of one big integer: one addition counts all
    columns.

    `width`: bits of a lane, a multiple of 8; sums below half of what fits are counted. `hashed`:
    the 64 bits of a feature.
    """

    def __init__(self, width: int, hashed: Callable[[str], int] = hash64) -> None:
        super().__init__()
        self._width = width
        self._hashed = hashed
        self._zeros = "0" * (width // 4 - 1)
        self.ones = sum(1 << (width * bit) for bit in range(SIMHASH_BITS))

    def __missing__(self, feature: str) -> int:
        if len(self) >= MOST_KEPT:
            self.clear()
        # Each bit becomes a hexadecimal digit, and the lane is filled up with zeros.
        self[feature] = lanes = int(self._zeros.join(f"{self._hashed(feature):064b}"), 16)
        return lanes

    def signature(self, sums: int, total: int) -> int:
        """The bits whose lane has more than half of the total: where plus outweighs minus."""
        half = 1 << (self._width - 1)
        # A lane's top bit becomes 1 exactly where its sum exceeds half of the total.
        shifted = (sums + self.ones * (half - total // 2 - 1)) & (self.ones << (self._width - 1))
        step = self._width // 8
        return int(shifted.to_bytes(SIMHASH_BITS * step, "big")[::step].translate(_TOP_BITS), 2)


_counted = LaneSums(16)
_weighed = LaneSums(64)


def simhash(features: Iterable[str]) -> int:
    """The signature of features; one weighs as often as it occurs."""
    listed = list(islice(features, MOST_FEATURES))
    return _counted.signature(sum(map(_counted.__getitem__, listed)), len(listed))


def simhash_of_weights(weights: Mapping[str, float], columns: LaneSums = _weighed) -> int:
    """The signature of features with weights.

    `weights`: feature -> weight. `columns`: how features are hashed; lanes of 64 bits. Raises
    ValueError: a weight is negative or not finite, or all together are too large.
    """
    sums = total = 0
    for feature, weight in weights.items():
        if not 0 <= weight < MOST_WEIGHT:
            raise ValueError(
                f"the weight of {feature!r} is {weight}; expected a number of at least 0"
            )
        units = round(weight / UNIT)
        total += units
        sums += columns[feature] * units
    if total > MOST_WEIGHT:
        raise ValueError(f"the weights sum up to {total * UNIT:g}, which is too much")
    return columns.signature(sums, total)


# What matchers have in common that compare one 64-bit signature a record by Hamming distance.


@dataclass(frozen=True)
class SignatureNeighbours(ABC):
    """A matcher by one signature a record.

    Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007): of
    signatures that differ in less bits than there are blocks, one block is equal, and is the key.
    Where more may differ, all are compared. `max_distance`: bits of 64 in which duplicates differ
    at most; 3 in that paper, for 8 billion pages. `blocks`: of a signature: 4 of 16 bits.
    """

    name: ClassVar[str]
    exact: ClassVar[bool] = False

    max_distance: int = 3
    blocks: int = 4

    @abstractmethod
    def signature(self, fingerprint: Fingerprint) -> int | None:
        """Of a record, the same for every distance; None where it has too little text."""

    @abstractmethod
    def basis(self, a: Fingerprint, b: Fingerprint) -> str:
        """What shaped the signatures of a pair, in words: features, hash, segmenter."""

    @property
    def radius(self) -> int:
        """As `max_distance`."""
        return self.max_distance

    def signatures(self, fingerprint: Fingerprint) -> Iterable[int]:
        signature = self.signature(fingerprint)
        return () if signature is None else (signature,)

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The blocks; none where too many bits may differ for a block to be equal."""
        if self.max_distance >= self.blocks:
            return ()
        signature = self.signature(fingerprint)
        return () if signature is None else block_keys(signature, self.blocks)

    def neighbours(self) -> Neighbours:
        """A scan of all signatures; nothing where blocks find everything."""
        return (
            NoNeighbours()
            if self.max_distance < self.blocks
            else Scan(self.signature, self.max_distance)
        )

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where few enough bits differ; the score falls by 1/64 with each."""
        one, other = self.signature(a), self.signature(b)
        if one is None or other is None:
            return None
        distance = (one ^ other).bit_count()
        if distance > self.max_distance:
            return None
        said = message(
            evidence.SIMHASH_DISTANCE, distance=distance, bits=BITS, made_of=self.basis(a, b)
        )
        return verdict(self.name, "same", 1 - distance / BITS, (said,), a, b)


# SimHash of words: records whose titles and abstracts are of nearly the same words. Charikar,
# "Similarity estimation techniques from rounding algorithms" (STOC 2002), with 64 bits of which 3
# may differ: Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007).


@dataclass(frozen=True)
class SimHash(SignatureNeighbours):
    """Words but stop words, each with its frequency; the order of words counts for nothing.

    Charikar leaves the features open; words are the usual choice. `max_distance` and `blocks` are
    those of Manku et al. `min_features`: different words that a record must have (ours): what
    columns and notices of journals are called ("Letter to the editor", "Book reviews") has less,
    and equal headings are no equal works.
    """

    name: ClassVar[str] = "simhash"

    min_features: int = 5

    def signature(self, fingerprint: Fingerprint) -> int | None:
        return fingerprint.once(("simhash", HASH, segmenter(), self.min_features), self._signature)

    def basis(self, a: Fingerprint, b: Fingerprint) -> str:
        return f"words, {HASH}, {segmenter()}"

    def _signature(self, record: Record) -> int | None:
        features = content_words(f"{title(record)} {body(record)}")
        return simhash(features) if len(set(features)) >= self.min_features else None


# SimHash of pairs of words: records whose titles and abstracts are of nearly the same words in
# nearly the same order. Patent CN102831198A, filed 2012-08-07 (People Search; Wen Yun, Yang Qing).


@dataclass(frozen=True)
class BigramSimHash(SignatureNeighbours):
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
        name = ("bigram-simhash", HASH, segmenter(), self.together, self.min_features)
        return fingerprint.once(name, self._signature)

    def basis(self, a: Fingerprint, b: Fingerprint) -> str:
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


# SimHash of weighted terms: frequency, rarity, part of speech, length, marked sentences and the
# title. The improved SimHash of "Computer Science and Application" (Hans) 2020, no. 2, pp. 371-378.

#: What opens the sentences that matter. The first three are the paper's; the others (ours) are how
#: abstracts do it.
MARKERS = (
    "综上所述",
    "总之",
    "但是",
    "结果表明",
    "结论",
    "本文提出",
    "results show",
    "in conclusion",
    "we propose",
)
#: Of a sentence so many characters are searched for a marker that opens it: brackets and blanks may
#: stand before it.
MOST_BEFORE = 64


@dataclass(frozen=True)
class WeightedSimHash(SignatureNeighbours):
    """Terms but stop words, each with TF * IDF * part of speech * length * marker * title.

    The paper says: 64 bits; TF as the share of all terms; a noun no less than a verb, a verb no
    less than the rest; length normalised over the text; five times for marked terms and for those
    of the title. Its formulas are lost, and it names no distance; we read:

    - IDF = log(1 + (D + 1) / (df + 1)), which is never 0 or negative, from the table that comes
      with the program;
    - the values of `noun`, `verb` and `other`; the factor of length as 1 + (length - shortest) /
      (longest - shortest);
    - the factors multiplied, and all four together at most `most`;
    - marked terms as those of a sentence that a marker opens, because markers themselves are stop
      words;
    - a column whose sum is 0 as bit 0; `max_distance` as that of Manku et al. (WWW 2007).

    The paper finds the documents of a theme, not duplicates: its figures are not to be compared
    with those of others.

    Attributes:
        noun: Factor of nouns.
        verb: Factor of verbs.
        other: Factor of other parts of speech.
        no_pos: Factor where nobody knows the part of speech, as in English; a term counts as what
            it is most.
        longest: Length in characters from which on longer terms weigh no more: English words are
            long.
        marker: Factor of marked terms.
        title: Factor of terms that occur in the title.
        most: Bound of all factors together; 5 * 5 would be doubled by the length otherwise.
        reading: What a marker marks: the terms of the "sentence" that it opens, or the "term" that
            holds it.
        combined: Whether the factors are multiplied or added.
        markers: What opens marked sentences.
        min_features: Different terms that a record must have (ours): headings that many works bear
            have less.
    """

    name: ClassVar[str] = "weighted-simhash"

    noun: float = 1.0
    verb: float = 0.8
    other: float = 0.5
    no_pos: float = 1.0
    longest: int = 12
    marker: float = 5.0
    title: float = 5.0
    most: float = 25.0
    reading: Literal["sentence", "term"] = "sentence"
    combined: Literal["product", "sum"] = "product"
    markers: tuple[str, ...] = MARKERS
    min_features: int = 5

    def signature(self, fingerprint: Fingerprint) -> int | None:
        return self._signature_once(fingerprint)[0]

    def basis(self, a: Fingerprint, b: Fingerprint) -> str:
        """Terms, hash, segmenter, table of frequencies; and that there were no parts of speech to
        go by.
        """
        pos = "" if self._signature_once(a)[1] and self._signature_once(b)[1] else ", pos: none"
        return f"weighted words, {HASH}, {segmenter()}, {table_id()}{pos}"

    def weights(self, record: Record) -> dict[str, float]:
        """Term -> weight, larger than 0; stop words have none."""
        return self._weights(self._terms(record))

    def _signature_once(self, fingerprint: Fingerprint) -> tuple[int | None, bool]:
        """(the signature, whether some term's part of speech is known)."""
        return fingerprint.once(
            (self.name, HASH, segmenter(), table_id(), *self._parameters()), self._signature
        )

    def _parameters(self) -> tuple[object, ...]:
        """Everything that shapes the signature."""
        of_speech = (self.noun, self.verb, self.other, self.no_pos)
        of_place = (self.marker, self.title, self.reading, self.markers)
        return (*of_speech, *of_place, self.longest, self.most, self.combined, self.min_features)

    def _signature(self, record: Record) -> tuple[int | None, bool]:
        terms = self._terms(record)
        weights = self._weights(terms)
        has_pos = any(term.word.pos for term in terms)
        return (simhash_of_weights(weights) if len(weights) >= self.min_features else None), has_pos

    def _terms(self, record: Record) -> list[_Term]:
        """Every term where it stands, title first."""
        marks = _fold(self.markers)
        return [
            *self._of_sentence(content.title(record), marks, in_title=True),
            *(
                term
                for sentence in sentences(content.body(record))
                for term in self._of_sentence(sentence, marks, in_title=False)
            ),
        ]

    def _of_sentence(
        self, sentence: str, marks: tuple[str, ...], *, in_title: bool
    ) -> Iterator[_Term]:
        by_term = self.reading == "term"
        opened = not by_term and _letters(sentence[:MOST_BEFORE]).startswith(marks)
        for word in words_with_tags(sentence):
            if not is_stop(word.text):
                yield _Term(
                    word, in_title, opened or (by_term and any(mark in word.text for mark in marks))
                )

    def _weights(self, terms: list[_Term]) -> dict[str, float]:
        counts = Counter(term.word.text for term in terms)
        titles = {term.word.text for term in terms if term.in_title}
        marked = {term.word.text for term in terms if term.marked}
        speech: dict[str, float] = {}
        for term in terms:
            speech[term.word.text] = max(
                speech.get(term.word.text, 0.0), self._of_speech(term.word.pos)
            )
        lengths = self._lengths(counts)
        return {
            term: count
            / len(terms)
            * idf(term)
            * self._together(
                speech[term],
                lengths[term],
                self.marker if term in marked else 1.0,
                self.title if term in titles else 1.0,
            )
            for term, count in counts.items()
        }

    def _of_speech(self, pos: str) -> float:
        return {"noun": self.noun, "verb": self.verb, "": self.no_pos}.get(pos, self.other)

    def _lengths(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Of each term, 1 for the shortest of the text to 2 for the longest."""
        lengths = {term: min(len(term), self.longest) for term in counts}
        least, most = min(lengths.values(), default=0), max(lengths.values(), default=0)
        span = max(1, most - least)
        return {term: 1 + (length - least) / span for term, length in lengths.items()}

    def _together(self, speech: float, length: float, marker: float, title: float) -> float:
        factor = (
            speech * length * marker * title
            if self.combined == "product"
            else speech + length + marker + title
        )
        return min(factor, self.most)


@dataclass(frozen=True, slots=True)
class _Term:
    word: TextWord
    in_title: bool
    marked: bool


@lru_cache(maxsize=8)
def _fold(markers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_letters, markers))


def _letters(text: str) -> str:
    """Letters and digits only, of one width and case, Chinese simplified: as words are."""
    return normalise.compact(simplify(text))
