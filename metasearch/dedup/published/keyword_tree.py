"""A tree of keywords: document, paragraphs, sentences, compared from the top.

Iyer and Singh, "Document similarity analysis for a plagiarism detection system" (IICAI 2005).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.published.text import frequencies, passages, segment
from metasearch.dedup.published.text.content import body, content_words, sha1, title
from metasearch.dedup.published.text.sets import IN_WORDS, Of, share
from metasearch.record import Match, Record

#: Paragraphs of a record, and sentences of a paragraph, that count.
MOST_PARAGRAPHS, MOST_SENTENCES = 40, 100


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
        """Level and hash of every node."""
        tree = self._tree(fingerprint)
        return [f"{level}:{hash_}" for level, hash_ in dict.fromkeys(tree.levels())] if tree else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where enough nodes agree."""
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
            (because.NODES_AGREE.format(share=f"{found:.0%}", of=IN_WORDS[self.of]),),
            a,
            b,
        )

    def _tree(self, fingerprint: Fingerprint) -> Node | None:
        """None where there is too little text."""
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
        for sentences in islice(paragraphs, MOST_PARAGRAPHS):
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
    """The share of nodes that agree, 0..1.

    Args:
        a: A document.
        b: Another.
        least_overlap: Of the terms of two nodes, below which their children are not compared.
        of: Share of the nodes of which tree; of "union" all nodes of both.
    """
    mine, theirs = _agreeing((a,), (b,), least_overlap), _agreeing((b,), (a,), least_overlap)
    if of == "union":
        return (mine + theirs) / (a.size + b.size)
    shares = (mine / a.size, theirs / b.size)
    return max(shares) if of == "smaller" else min(shares)


def _agreeing(nodes: Sequence[Node], others: Sequence[Node], least_overlap: float) -> int:
    """How many nodes, and nodes below them, agree with one of the others' level."""
    hashes = {other.hash for other in others}
    count = 0
    for node in nodes:
        count += node.hash in hashes
        if node.children:
            opened = [other for other in others if share(node.terms, other.terms) >= least_overlap]
            count += _agreeing(
                node.children,
                [below for other in opened for below in other.children],
                least_overlap,
            )
    return count
