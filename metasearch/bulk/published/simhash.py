"""SimHash of weighted terms: frequency, rarity, part of speech, length, marked sentences and the
title.

The improved SimHash of "Computer Science and Application" (Hans) 2020, no. 2, pp. 371-378.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

from metasearch.bib import normalise
from metasearch.bib.chinese.characters import simplified
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.published.text import content
from metasearch.dedup.published.text.frequencies import idf, table_id
from metasearch.dedup.published.text.passages import sentences
from metasearch.dedup.published.text.segment import Word, is_stop, segmenter, tagged
from metasearch.dedup.published.text.signed import Signed
from metasearch.dedup.published.text.simhash import HASH, weighted
from metasearch.record import Record

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
class WeightedSimHash(Signed):
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
        """Of title and abstract; None where they have too few terms."""
        return self._kept(fingerprint)[0]

    def made_of(self, a: Fingerprint, b: Fingerprint) -> str:
        """Terms, hash, segmenter, table of frequencies; and that there were no parts of speech to
        go by.
        """
        pos = "" if self._kept(a)[1] and self._kept(b)[1] else ", pos: none"
        return f"weighted words, {HASH}, {segmenter()}, {table_id()}{pos}"

    def weights(self, record: Record) -> dict[str, float]:
        """Term -> weight, larger than 0; stop words have none."""
        return self._weights(self._terms(record))

    def _kept(self, fingerprint: Fingerprint) -> tuple[int | None, bool]:
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
        return (weighted(weights) if len(weights) >= self.min_features else None), has_pos

    def _terms(self, record: Record) -> list[_Term]:
        """Every term where it stands, title first."""
        marks = _folded(self.markers)
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
        for word in tagged(sentence):
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
    """A term at one place of a text."""

    word: Word
    in_title: bool
    marked: bool


@lru_cache(maxsize=8)
def _folded(markers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_letters, markers))


def _letters(text: str) -> str:
    """Letters and digits only, of one width and case, Chinese simplified: as words are."""
    return normalise.compact(simplified(text))
