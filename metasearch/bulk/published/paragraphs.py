"""Strategies that compare paragraphs: DRPKP by their fingerprints, the keyword tree by
their words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import ClassVar

from metasearch.bib import normalise
from metasearch.bulk.published import words as content
from metasearch.bulk.published import words as frequencies
from metasearch.bulk.published import words as passages
from metasearch.bulk.published import words as segment
from metasearch.bulk.published.sets import IN_WORDS, Of, share
from metasearch.bulk.published.simhash import LaneSums, simhash_of_weights
from metasearch.bulk.published.words import (
    TextWord,
    body,
    content_words,
    is_stop,
    paragraphs,
    segmenter,
    sha1,
    title,
    words,
    words_with_tags,
)
from metasearch.dedup import evidence
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.matchers import Neighbours, verdict
from metasearch.dedup.signatures import BITS, NoNeighbours, Signatures, block_keys
from metasearch.message import message
from metasearch.record import Match, Record

# Rabin's fingerprint: a text as a polynomial over GF(2), and what remains of it modulo an
# irreducible one. Rabin, "Fingerprinting by random polynomials" (Harvard TR-15-81, 1981); the table
# is that of Broder, "Some applications of Rabin's fingerprinting method" (1993).

#: Degree of the polynomial, and bits of a fingerprint.
DEGREE = 64
#: Irreducible and dense: a bit of a text turns about half of the fingerprint's. Its top bit is
#: x^64.
POLYNOMIAL = 0x1E110715B33BFA08F
#: Names the fingerprint; whoever compares signatures made of it compares this, too.
RABIN = "rabin-1e110715b33bfa08f"

_MASK = (1 << DEGREE) - 1


def rabin64(data: bytes) -> int:
    """The remainder of 1, then the bytes, then eight zero bytes, most significant bit first; 64
    bits.

    The 1 in front lets leading zeros count. Without the zero bytes behind (a multiplication by
    x^64) a text of less than eight bytes, which most Chinese words are, would be its own
    fingerprint, bits of UTF-8 and all.
    """
    table = _table()
    # Each byte is added where the zero bytes would have carried it, so that they need not be
    # divided one by one.
    remainder = POLYNOMIAL & _MASK
    for byte in data:
        remainder = (remainder << 8 & _MASK) ^ table[remainder >> (DEGREE - 8) ^ byte]
    return remainder


@cache
def _table() -> tuple[int, ...]:
    """Of each byte that is shifted out at the top, its remainder."""
    return tuple(_shift(byte) for byte in range(256))


def _shift(byte: int) -> int:
    """byte * x^64 modulo the polynomial."""
    remainder = byte << (DEGREE - 8)
    for _ in range(8):
        remainder <<= 1
        if remainder >> DEGREE:
            remainder ^= POLYNOMIAL
    return remainder


# DRPKP: a fingerprint a paragraph, and records that share paragraphs. Yu Feng, Wang Yinna, DRPKP,
# 1007-757X(2014)01-0058-03 (2014): within one professional field all texts are alike, so that one
# SimHash a document confuses them; a paragraph's own topic words tell more.

#: Of one record so many paragraphs count, the first ones: an abstract has two to ten.
MOST_PARAGRAPHS = 200
#: Words without a part of speech that are shorter say little; this is not asked of Chinese.
SHORTEST_WORD = 3

_FINGERPRINTS = LaneSums(BITS, lambda word: rabin64(content.utf8(word)))

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
        return _Paragraphs(self) if self._scans else NoNeighbours()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where enough paragraphs of one are in the other; the score is their share."""
        one, other = self.prints(a), self.prints(b)
        if not one or not other:
            return None
        least, most = sorted((len(one), len(other)))
        distance = self.distance(least)
        shares = (
            _count_near(one, other, distance) / len(one),
            _count_near(other, one, distance) / len(other),
        )
        share = max(shares) if least > 1 else min(shares)
        if share < self.share:
            return None
        pos = "" if self._prints_once(a)[1] and self._prints_once(b)[1] else ", pos: none"
        said = message(
            evidence.PARAGRAPHS_AGREE,
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
        return self._prints_once(fingerprint)[0]

    def distance(self, paragraphs: int) -> int:
        """Bits in which two paragraphs may differ, where the shorter text has so many."""
        return self.max_distance + (max(0, paragraphs - 1) // 5 if self.grows else 0)

    def weights(
        self, paragraph: Sequence[TextWord], position: float, titles: frozenset[str]
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

    def _prints_once(self, fingerprint: Fingerprint) -> tuple[Prints, bool]:
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
            words_with_tags(one)
            for one in paragraphs(content.body(record), self.shortest)[:MOST_PARAGRAPHS]
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

    def _most_together(
        self, paragraph: Sequence[TextWord], chosen: frozenset[str]
    ) -> dict[str, int]:
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
        prints = self._matcher.prints(fingerprint)
        # No less than what is asked of a pair, because there the shorter text counts.
        distance = self._matcher.distance(len(prints))
        return {number for print_ in prints for number in self._signatures.near(print_, distance)}

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        for print_ in self._matcher.prints(fingerprint):
            self._signatures.add(number, print_)


def paragraph_print(weights: Mapping[str, float]) -> int:
    """SimHash (Charikar 2002) over Rabin fingerprints of words; a sum of 0 gives bit 0."""
    return simhash_of_weights(weights, _FINGERPRINTS)


def _count_near(some: Prints, others: Prints, distance: int) -> int:
    """How many of some have a near one among the others."""
    return sum(any((one ^ other).bit_count() <= distance for other in others) for one in some)


def _is_content(word: TextWord) -> bool:
    """A noun or a verb; if unknown, a word long enough, neither stop word nor number."""
    if word.pos:
        return word.pos in ("noun", "verb")
    long = len(word.text) >= SHORTEST_WORD or normalise.has_cjk(word.text)
    return long and not word.text.isdecimal() and not is_stop(word.text)


# A tree of keywords: document, paragraphs, sentences, compared from the top. Iyer and Singh,
# "Document similarity analysis for a plagiarism detection system" (IICAI 2005).

#: Paragraphs of a record, and sentences of a paragraph, that count.
TREE_PARAGRAPHS, MOST_SENTENCES = 40, 100


@dataclass(frozen=True, slots=True)
class Node:
    """A document, a paragraph or a sentence.

    Attributes:
        terms: Its top terms.
        hash: SHA-1 of them, sorted; hex.
        children: Paragraphs of a document, sentences of a paragraph.
    """

    terms: frozenset[str]
    hash: str
    children: tuple[Node, ...] = ()

    @property
    def size(self) -> int:
        """Nodes of the tree below and with it."""
        return 1 + sum(child.size for child in self.children)

    def levels(self, level: int = 0) -> Iterator[tuple[int, str]]:
        """(level, hash) of every node, from the top."""
        yield level, self.hash
        for child in self.children:
            yield from child.levels(level + 1)


@dataclass(frozen=True)
class KeywordTree:
    """The strategy `keyword-tree`: the share of nodes of two keyword trees that agree.

    After Iyer and Singh as Zhang and Guo (2014) measure it: keywords stand in a tree document ->
    paragraph -> sentence, trees are compared from the top, what lies under two nodes with too few
    keywords in common is not compared, and texts are similar where 80 % of the node hashes agree.
    The rest is our reading: a node's terms are those with the highest frequency times idf, without
    stop words; the title is a paragraph of one sentence; a node agrees where the other tree has one
    of equal hash on its level, under a pair of parents that was not pruned.

    Keys are the hashes of all nodes with their levels: agreement of any node is a shared key, so
    nothing is missed but in the crowd of a key that hundreds of records share. What pruning misses
    is the algorithm's own.

    Thin input: fewer than `fewest` sentences, the title counted; so a title alone.

    Attributes:
        threshold: Share of agreeing nodes from which on two texts are one. Zhang and Guo: 0.8.
        of: Share of the nodes of which tree: "smaller" is the one of which more agrees. Our
            reading, the same as that of the strategy that this is a rival of.
        top: Terms of a node. Our reading.
        least_overlap: Of the terms of two nodes, against the smaller set, below which their
            children are not compared. Our reading.
        fewest: Sentences that a text must have. Our reading.
    """

    name: ClassVar[str] = "keyword-tree"
    exact: ClassVar[bool] = True

    threshold: float = 0.8
    of: Of = "smaller"
    top: int = 5
    least_overlap: float = 0.3
    fewest: int = 3

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        tree = self._tree(fingerprint)
        return [f"{level}:{hash_}" for level, hash_ in dict.fromkeys(tree.levels())] if tree else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        one, other = self._tree(a), self._tree(b)
        if one is None or other is None:
            return None
        found = agreement(one, other, self.least_overlap, self.of)
        if found < self.threshold or not found:
            return None
        return verdict(
            self.name,
            "same",
            found,
            (message(evidence.NODES_AGREE, share=f"{found:.0%}", of=IN_WORDS[self.of]),),
            a,
            b,
        )

    def _tree(self, fingerprint: Fingerprint) -> Node | None:
        name = (self.name, segment.segmenter(), frequencies.table_id(), self.top)
        tree = fingerprint.once(name, self._grown)
        return (
            tree
            if tree and sum(len(paragraph.children) for paragraph in tree.children) >= self.fewest
            else None
        )

    def _grown(self, record: Record) -> Node | None:
        paragraphs = ([title(record)], *map(passages.sentences, passages.paragraphs(body(record))))
        idf = _Idf()
        words: list[str] = []
        children: list[Node] = []
        for sentences in islice(paragraphs, TREE_PARAGRAPHS):
            found = [kept for text in sentences[:MOST_SENTENCES] if (kept := content_words(text))]
            if found:
                inside = [word for sentence in found for word in sentence]
                children.append(
                    self._node(idf, inside, tuple(self._node(idf, sentence) for sentence in found))
                )
                words += inside
        return self._node(idf, words, tuple(children)) if children else None

    def _node(self, idf: _Idf, words: list[str], children: tuple[Node, ...] = ()) -> Node:
        counts = Counter(words)
        heaviest = sorted(counts, key=lambda word: (-counts[word] * idf[word], word))[: self.top]
        return Node(frozenset(heaviest), sha1(sorted(heaviest)), children)


class _Idf(dict[str, float]):
    """Word -> idf, of one record: each of its words stands in three nodes."""

    def __missing__(self, word: str) -> float:
        self[word] = found = frequencies.idf(word)
        return found


def agreement(a: Node, b: Node, least_overlap: float, of: Of) -> float:
    """`least_overlap`: of the terms of two nodes, below which their children are not compared.
    `of`: the nodes of which tree; of "union" all nodes of both.
    """
    mine, theirs = (
        _count_agreeing((a,), (b,), least_overlap),
        _count_agreeing((b,), (a,), least_overlap),
    )
    if of == "union":
        return (mine + theirs) / (a.size + b.size)
    shares = (mine / a.size, theirs / b.size)
    return max(shares) if of == "smaller" else min(shares)


def _count_agreeing(nodes: Sequence[Node], others: Sequence[Node], least_overlap: float) -> int:
    """How many nodes, and nodes below them, agree with one of the others' level."""
    hashes = {other.hash for other in others}
    count = 0
    for node in nodes:
        count += node.hash in hashes
        if node.children:
            opened = [other for other in others if share(node.terms, other.terms) >= least_overlap]
            count += _count_agreeing(
                node.children,
                [below for other in opened for below in other.children],
                least_overlap,
            )
    return count
