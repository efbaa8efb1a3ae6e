"""Strategies that compare sets: of runs of words, of chunks, of keywords."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import ClassVar, Literal, NamedTuple

from metasearch.bulk.published import words as passages
from metasearch.bulk.published import words as segment
from metasearch.bulk.published.simhash import HASH, hash64
from metasearch.bulk.published.words import (
    LONGEST_BODY,
    SEPARATOR,
    body,
    content_words,
    title,
    utf8,
)
from metasearch.dedup import evidence
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.matchers import verdict
from metasearch.message import message
from metasearch.record import Match, Record

# How much two sets have in common, and where sets lie that have enough.

#: What a share is taken of: the smaller of the two ("how much of it is contained in the other"),
#: the larger, or both together (Jaccard's coefficient).
Of = Literal["smaller", "larger", "union"]
#: The same in words.
IN_WORDS: Mapping[Of, str] = {
    "smaller": evidence.OF_SMALLER,
    "larger": evidence.OF_LARGER,
    "union": evidence.OF_BOTH,
}
#: Records with the very same set that are named; each of them resembles all others, so that more
#: would say no more.
MOST_ALIKE = 16


def share(a: AbstractSet[Hashable], b: AbstractSet[Hashable], of: Of = "smaller") -> float:
    """What two sets share, 0..1; 0 where one is empty."""
    return ratio(len(a & b), len(a), len(b), of) if a and b else 0.0


def ratio(common: int, a: int, b: int, of: Of) -> float:
    """The same by sizes; both are positive."""
    if of == "union":
        return common / (a + b - common)
    return common / (min(a, b) if of == "smaller" else max(a, b))


def fewest_common(threshold: float, size: int) -> int:
    """How many elements of so many are at least that share of them."""
    # 0.55 * 20 is 11.000000000000002 to a computer; one too few costs a look-up, one too many would
    # lose a pair.
    return max(1, math.ceil(threshold * size - 1e-9))


def enough(threshold: float, size: int) -> int:
    """How many elements of a set suffice to meet every other that holds such a share of it,
    whichever they are.

    Who holds k of n elements cannot miss n - k + 1 of them (the prefix filter of Chaudhuri, Ganti
    and Kaushik, "A primitive operator for similarity joins in data cleaning", ICDE 2006).
    """
    return size - fewest_common(threshold, size) + 1


class Overlaps:
    """`Neighbours` by an inverted index: exactly the records whose sets share enough, and no
    pairwise comparison.

    What is shared counts against the smaller set, so two questions are asked. A record that is no
    larger than an older one shares one of any `enough` elements of its own with it: the rarest are
    looked up among all elements of the older ones. Of one that is larger some element is among any
    `enough` of the older one: all are looked up among those. The rarest are those that fewest sets
    hold so far, so that long lists are hardly read.

    Records with the very same set stand behind one entry, and `near` names at most `MOST_ALIKE` of
    them; `passed_over` counts the others. `set_of`: the set of a record, each element once, in any
    order; None where there is too little. `threshold`: what must be shared, 0..1. `of`: of what.
    """

    def __init__(
        self,
        set_of: Callable[[Fingerprint], Sequence[str] | None],
        threshold: float,
        of: Of = "smaller",
    ) -> None:
        self._set_of = set_of
        self._threshold = threshold
        self._of: Of = of
        self._sets: list[frozenset[str]] = []
        self._members: list[list[int]] = []
        self._more: list[int] = []
        self.passed_over = 0
        self._places: dict[frozenset[str], int] = {}
        self._all: dict[str, list[int]] = {}
        self._rarest: dict[str, list[int]] = {}

    def near(self, fingerprint: Fingerprint) -> list[int]:
        """The records that share enough with it."""
        elements = self._set_of(fingerprint)
        if not elements:
            return []
        places: set[int] = set()
        for element in self._rarest_of(elements):
            places.update(self._all.get(element, ()))
        for element in elements:
            places.update(self._rarest.get(element, ()))
        return self._members_of(places, frozenset(elements))

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Enter a record, if it has a set."""
        elements = self._set_of(fingerprint)
        if not elements:
            return
        found = frozenset(elements)
        place = self._places.setdefault(found, len(self._sets))
        if place < len(self._sets):
            if len(self._members[place]) < MOST_ALIKE:
                self._members[place].append(number)
            else:
                self._more[place] += 1
            return
        self._sets.append(found)
        self._members.append([number])
        self._more.append(0)
        for element in self._rarest_of(elements):
            self._rarest.setdefault(element, []).append(place)
        for element in elements:
            self._all.setdefault(element, []).append(place)

    def _rarest_of(self, elements: Sequence[str]) -> list[str]:
        held = self._all
        by_number = sorted(elements, key=lambda element: len(held.get(element, ())))
        return by_number[: enough(self._threshold, len(elements))]

    def _members_of(self, places: set[int], elements: frozenset[str]) -> list[int]:
        found: list[int] = []
        size = len(elements)
        for place in places:
            other = self._sets[place]
            if ratio(len(elements & other), size, len(other), self._of) >= self._threshold:
                found += self._members[place]
                self.passed_over += self._more[place]
        return found


# Content-defined chunking: bytes cut where they themselves say so, so that an insertion moves one
# cut and not all. A window slides over the bytes; where its fingerprint modulo D is D - 1, a chunk
# ends. TTTD, "two thresholds, two divisors", keeps chunks within bounds: none ends before the lower
# one, and one that reaches the upper one ends at the last place that a second, smaller divisor
# allowed, if there is one. Eshghi and Tang, "A framework for analyzing and improving content-based
# chunking algorithms" (HPL-2005-30); Forman, Eshghi and Chiocchetti (KDD 2005).

_PRIME = (1 << 61) - 1
_BASE = 0x1F3D5B79A8C6E42D


def content_chunks(
    data: bytes, *, window: int, divisor: int, second_divisor: int, shortest: int, longest: int
) -> Iterator[bytes]:
    """The chunks, in order; together they are the data.

    Args:
        data: What is cut.
        window: Bytes that decide about a cut.
        divisor: Chunks are about so long beyond the shortest.
        second_divisor: Smaller; for where `divisor` finds no end.
        shortest: Bytes of the shortest chunk, the last one apart.
        longest: Bytes of the longest.
    """
    start = spare = 0
    for end, fingerprint in enumerate(fingerprints(data, window), 1):
        if end - start < shortest:
            continue
        if fingerprint % second_divisor == second_divisor - 1:
            spare = end
        if fingerprint % divisor == divisor - 1:
            cut = end
        elif end - start >= longest:
            cut = spare or end
        else:
            continue
        yield data[start:cut]
        start, spare = cut, 0
    if start < len(data):
        yield data[start:]


def fingerprints(data: bytes, window: int) -> Iterator[int]:
    """A rolling fingerprint of the last `window` bytes at each byte: a polynomial mod a prime."""
    leaving = pow(_BASE, window, _PRIME)
    rolled = 0
    for place, byte in enumerate(data):
        gone = data[place - window] + 1 if place >= window else 0
        rolled = (rolled * _BASE + byte + 1 - gone * leaving) % _PRIME
        yield rolled


# Shingling: the runs of w words that two texts share, estimated from a sample of their hashes.
# Broder, Glassman, Manasse and Zweig, "Syntactic clustering of the Web" (WWW6, 1997); Broder, "On
# the resemblance and containment of documents" (SEQUENCES 1997).


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
            self.name,
            "same",
            found,
            (message(evidence.SHINGLES_SHARED, share=f"{found:.0%}"),),
            a,
            b,
        )

    def _sketch(self, fingerprint: Fingerprint) -> Sequence[int]:
        """Sorted; empty where there is too little text."""
        shape = self.size if self.sketch == "min" else self.modulus
        found = fingerprint.once(
            (self.name, segment.segmenter(), HASH, self.width, self.sketch, shape), self._sample
        )
        return found if len(found) >= self.fewest else ()

    def _sample(self, record: Record) -> array[int]:
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


# Block hashes: the chunks that two texts share. Forman, Eshghi and Chiocchetti, "Finding similar
# files in large document repositories" (KDD 2005, HPL-2005-42).

#: Chunks of a record that count.
MOST_CHUNKS = 400


@dataclass(frozen=True)
class BlockHash:
    """The strategy `block-hash`: texts most of whose chunks have equal hashes.

    Zhang and Guo (2014), who measure it as a rival, cut "by sentences" and ask for 80 % of the
    chunk hashes: the defaults. Forman, Eshghi and Chiocchetti cut by content and weigh chunks by
    their bytes, against the shorter file (US patent 7,814,078): `chunks="content", weigh="bytes"`.
    Chunks are hashed as they stand, with MD5; a change of one character changes its chunk.

    Thin input: fewer than `fewest` chunks (our reading), so a title alone.

    Attributes:
        threshold: Share from which on two texts are one. Zhang and Guo: 0.8.
        of: Share of what. Forman et al.: the shorter one.
        weigh: What is counted: "hashes" (Zhang and Guo) or "bytes" (Forman et al.).
        chunks: "sentences", of which the title is one, or "content".
        window: Bytes of the sliding window. Forman et al.: 48.
        divisor: Of the first fingerprint that ends a chunk. This and the next three are Eshghi and
            Tang's (HPL-2005-30) for chunks of about 1,015 bytes, to be scaled together; an abstract
            is one or two such chunks.
        second_divisor: Of the spare one.
        shortest: Bytes of the shortest chunk.
        longest: Bytes of the longest.
        fewest: Chunks that a text must have.
    """

    name: ClassVar[str] = "block-hash"
    exact: ClassVar[bool] = True

    threshold: float = 0.8
    of: Of = "smaller"
    weigh: Literal["hashes", "bytes"] = "hashes"
    chunks: Literal["sentences", "content"] = "sentences"
    window: int = 48
    divisor: int = 540
    second_divisor: int = 270
    shortest: int = 460
    longest: int = 2800
    fewest: int = 2

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The hash of every chunk; what hundreds share, as a closing line, is a crowd."""
        return self._hashes(fingerprint)

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        one, other = self._hashes(a), self._hashes(b)
        if not one or not other:
            return None
        common = one.keys() & other.keys()
        if self.weigh == "bytes":
            found = ratio(
                sum(map(one.__getitem__, common)), sum(one.values()), sum(other.values()), self.of
            )
        else:
            found = ratio(len(common), len(one), len(other), self.of)
        if not common or found < self.threshold:
            return None
        equal = evidence.EQUAL_SENTENCES if self.chunks == "sentences" else evidence.EQUAL_CHUNKS
        said = message(equal, number=len(common), share=f"{found:.0%}", of=IN_WORDS[self.of])
        return verdict(self.name, "same", found, (said,), a, b)

    def _hashes(self, fingerprint: Fingerprint) -> Mapping[str, int]:
        """Hash -> bytes; empty where there is too little text."""
        found = fingerprint.once((self.name, self.chunks, *self._cut), self._hash_chunks)
        return found if len(found) >= self.fewest else {}

    @property
    def _cut(self) -> tuple[int, ...]:
        if self.chunks == "sentences":
            return ()
        return (self.window, self.divisor, self.second_divisor, self.shortest, self.longest)

    def _hash_chunks(self, record: Record) -> dict[str, int]:
        cut = self._sentences if self.chunks == "sentences" else self._content
        return {
            hashlib.md5(chunk, usedforsecurity=False).hexdigest(): len(chunk)
            for chunk in islice(cut(record), MOST_CHUNKS)
        }

    def _sentences(self, record: Record) -> Iterable[bytes]:
        return (utf8(text) for text in (title(record), *passages.sentences(body(record))) if text)

    def _content(self, record: Record) -> Iterable[bytes]:
        return content_chunks(
            utf8(f"{title(record)}\n{body(record)}"),
            window=self.window,
            divisor=self.divisor,
            second_divisor=self.second_divisor,
            shortest=self.shortest,
            longest=self.longest,
        )


# Keywords grown from the title, and how many of them two texts share. Zhang Hongxia and Guo
# Xiaofen, web page de-duplication by keyword extraction (2014).

#: Words of a title, of an abstract and of all author keywords that count.
MOST_TITLE_WORDS, MOST_BODY_WORDS, MOST_AUTHOR_WORDS = 100, 4_000, 100


class Keywords(NamedTuple):
    """The keywords of a record. `words`: all of them, sorted. `title_only`: the abstract added
    none, because it is missing or holds no word of the title.
    """

    words: tuple[str, ...]
    title_only: bool


@dataclass(frozen=True)
class KeywordOverlap:
    """The strategy `keyword-overlap`: the title's words are seeds, words that often stand near them
    are keywords too.

    As in the paper: segment, drop stop words; words of the text that often occur in one window with
    words of the title are keywords with these; an inverted index finds texts whose keywords
    overlap; enough overlap is the same content. The paper gives none of the numbers, so all of them
    are our reading.

    No key finds an overlap: `keys` gives none, and the inverted index is `neighbours`, which finds
    exactly the records that reach the threshold.

    Thin input: fewer than `fewest` keywords. A record whose abstract adds none is compared by its
    title's words, and the verdict says "title-only".

    Attributes:
        threshold: Overlap from which on two texts are one: the 80 % that the paper grants its
            rivals.
        of: Overlap against what: "smaller" (containment) or "union" (Jaccard).
        window: Words on each side of a title word in the abstract; stop words are not counted.
        least_share: Of all windows, how many a keyword stands in, 0..1.
        least_windows: Windows that a keyword stands in at least, in an abstract of `short` words or
            more.
        short: Words of an abstract, stop words apart, below which one window is enough.
        most: Keywords that an abstract adds: those in the most windows, and of these the first.
        fewest: Keywords that a record must have: five are the fewest of which 80 % is less than
            all.
        author_keywords: Whether words of the authors' keywords are keywords too. Databases disagree
            on who shows them.
    """

    name: ClassVar[str] = "keyword-overlap"
    exact: ClassVar[bool] = False

    threshold: float = 0.8
    of: Of = "smaller"
    window: int = 10
    least_share: float = 0.1
    least_windows: int = 2
    short: int = 100
    most: int = 30
    fewest: int = 5
    author_keywords: bool = False

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        return ()

    def neighbours(self) -> Overlaps:
        return Overlaps(self._enough, self.threshold, self.of)

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        one, other = self._enough(a), self._enough(b)
        if one is None or other is None:
            return None
        found = share(frozenset(one), frozenset(other), self.of)
        if found < self.threshold or not found:
            return None
        number = len(set(one) & set(other))
        said = [message(evidence.KEYWORDS_IN_COMMON, number=number, share=f"{found:.2f}")]
        if self._keywords(a).title_only or self._keywords(b).title_only:
            said.append(evidence.TITLE_ONLY)
        return verdict(self.name, "same", found, said, a, b)

    def _enough(self, fingerprint: Fingerprint) -> Sequence[str] | None:
        words = self._keywords(fingerprint).words
        return words if len(words) >= self.fewest else None

    def _keywords(self, fingerprint: Fingerprint) -> Keywords:
        name = (
            self.name, segment.segmenter(),
            self.window, self.least_share, self.least_windows, self.short, self.most,
            self.author_keywords,
        )  # fmt: skip
        return fingerprint.once(name, self._extract)

    def _extract(self, record: Record) -> Keywords:
        seeds = frozenset(content_words(title(record))[:MOST_TITLE_WORDS])
        found = self._grown(seeds, content_words(body(record))[:MOST_BODY_WORDS])
        words = seeds.union(found)
        if self.author_keywords:
            said = " ; ".join(record.keywords[:MOST_AUTHOR_WORDS])[:LONGEST_BODY]
            words |= set(content_words(said)[:MOST_AUTHOR_WORDS])
        return Keywords(tuple(sorted(words)), not found)

    def _grown(self, seeds: frozenset[str], words: list[str]) -> list[str]:
        """The keywords of an abstract, the titles' own apart."""
        centres = [place for place, word in enumerate(words) if word in seeds]
        windows: Counter[str] = Counter()
        for centre in centres:
            windows.update(
                {*words[max(0, centre - self.window) : centre + self.window + 1]} - seeds
            )
        fewest = self.least_windows if len(words) >= self.short else 1
        first = {word: place for place, word in reversed([*enumerate(words)])}
        kept = [
            word
            for word, count in windows.items()
            if count >= fewest and count / len(centres) >= self.least_share
        ]
        return sorted(kept, key=lambda word: (-windows[word], first[word]))[: self.most]
