"""The keyword tree: trees written by hand, and the comparison against a slow one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.published import words as frequencies
from metasearch.bulk.published import words as passages
from metasearch.bulk.published import words as segment
from metasearch.bulk.published.paragraphs import (
    MOST_SENTENCES,
    KeywordTree,
    Node,
    agreement,
)
from metasearch.bulk.published.paragraphs import (
    TREE_PARAGRAPHS as MOST_PARAGRAPHS,
)
from metasearch.dedup.fingerprints import fingerprint
from metasearch.record import Record
from tests.cases import each, sample
from tests.dedup.matchers.texts import (
    ABSTRACT,
    CHINESE_ABSTRACT,
    CHINESE_TITLE,
    HOSTILE,
    OTHER_ABSTRACT,
    OTHER_TITLE,
    SENTENCES,
    THIN,
    TITLE,
    WORK,
    assert_order_does_not_matter,
    compared,
    share_a_key,
    works,
)
from tests.dedup.records import record

MATCHER = KeywordTree()


def node(terms: str, *children: Node) -> Node:
    return Node(frozenset(terms), terms, children)


def slow(a: Node, b: Node, least_overlap: float) -> float:
    """Share of the nodes of the tree that agrees more; each node asks every node of the other tree
    for itself."""

    def open_(mine: Node, theirs: Node) -> bool:
        return (
            len(mine.terms & theirs.terms) / min(len(mine.terms), len(theirs.terms))
            >= least_overlap
        )

    def count(mine: Node, theirs: Node) -> tuple[int, int]:
        agreeing, nodes = int(mine.hash == theirs.hash), 1
        for paragraph in mine.children:
            nodes += 1 + len(paragraph.children)
            if not open_(mine, theirs):
                continue
            agreeing += any(paragraph.hash == other.hash for other in theirs.children)
            for sentence in paragraph.children:
                agreeing += any(
                    sentence.hash == below.hash
                    for other in theirs.children
                    if open_(paragraph, other)
                    for below in other.children
                )
        return agreeing, nodes

    return max(agreeing / nodes for agreeing, nodes in (count(a, b), count(b, a)))


leaves = st.text("abcdefg", min_size=1, max_size=3).map(
    lambda terms: node("".join(sorted(set(terms))))
)


def grown(children: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    terms = st.text("abcdefg", min_size=1, max_size=3).map(lambda it: "".join(sorted(set(it))))
    return st.builds(
        lambda it, below: node(it, *below), terms, st.lists(children, min_size=1, max_size=4)
    )


trees = grown(grown(leaves))


@given(a=trees, b=trees, least_overlap=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_agreement_is_that_of_the_slow_comparison(a: Node, b: Node, least_overlap: float) -> None:
    """And the same from either side, whatever the share is taken of."""
    assert agreement(a, b, least_overlap, "smaller") == slow(a, b, least_overlap)
    for of in ("smaller", "larger", "union"):
        assert agreement(a, b, least_overlap, of) == agreement(b, a, least_overlap, of)
        assert agreement(a, a, least_overlap, of) == 1.0


def test_pruning_cuts_off_what_lies_below() -> None:
    """Two equal sentences under paragraphs, or documents, that have nothing in common are never
    compared."""
    sentence = node("xy")
    a, b = node("ab", node("cd", sentence)), node("ab", node("ef", sentence))
    c = node("gh", node("cd", sentence))

    assert agreement(a, b, 0.3, "smaller") == 1 / 3  # the document alone
    assert agreement(a, c, 0.3, "smaller") == 0.0
    assert agreement(a, b, 0.0, "smaller") == 2 / 3
    assert agreement(a, c, 0.0, "smaller") == 2 / 3


@each(("title", "abstract"), [(TITLE, ABSTRACT), (CHINESE_TITLE, CHINESE_ABSTRACT)])
def test_a_tree_holds_the_heaviest_terms_of_document_paragraphs_and_sentences(
    title: str, abstract: str
) -> None:
    """Counted anew from each text: frequency times idf, stop words apart."""

    def heaviest(text: str) -> frozenset[str]:
        counts = Counter(word for word in segment.words(text) if not segment.is_stop(word))
        ordered = sorted(counts, key=lambda word: (-counts[word] * frequencies.idf(word), word))
        return frozenset(ordered[:5])

    tree = MATCHER._tree(fingerprint(record(title=title, abstract=abstract)))

    assert tree is not None
    paragraphs = [title, *passages.paragraphs(abstract)]
    assert tree.terms == heaviest(f"{title} ; {abstract}")
    assert [paragraph.terms for paragraph in tree.children] == [*map(heaviest, paragraphs)]
    assert [
        sentence.terms for paragraph in tree.children[1:] for sentence in paragraph.children
    ] == [
        heaviest(sentence)
        for paragraph in paragraphs[1:]
        for sentence in passages.sentences(paragraph)
    ]
    assert tree.size == len([*tree.levels()])


def test_nodes_agree_where_their_terms_do() -> None:
    """Order and capitals within a sentence do not count, nor do words that are not among the
    heaviest."""
    edited = ABSTRACT.replace("A model with one reaction", "With one reaction a MODEL").replace(
        "We packed", "We"
    )

    match = compared(KeywordTree(threshold=0.5), WORK, {"title": TITLE.upper(), "abstract": edited})

    assert match is not None
    assert match.verdict == "same"
    assert "of the nodes of the smaller text agree" in match.because


@each(("kept", "of", "same"), [(6, "smaller", True), (6, "larger", True), (4, "larger", False)])
def test_a_text_that_was_cut(kept: int, of: Any, same: bool) -> None:
    """Most of the nodes of the longer text are not in a short beginning of it."""
    part = {"title": TITLE, "abstract": " ".join(SENTENCES[:kept])}

    assert (compared(KeywordTree(of=of), WORK, part) is not None) == same


def test_other_texts_do_not_agree() -> None:
    """Nor do texts of which only the title is the same."""
    assert compared(MATCHER, WORK, {"title": OTHER_TITLE, "abstract": OTHER_ABSTRACT}) is None
    assert compared(MATCHER, WORK, {"title": TITLE, "abstract": OTHER_ABSTRACT}) is None


@each("thin", [*THIN, {"title": TITLE}, {"title": TITLE, "abstract": SENTENCES[0]}])
def test_too_few_sentences_are_unknown(thin: dict[str, Any]) -> None:
    """Document, paragraph and sentence would be one and the same node."""
    assert compared(MATCHER, thin, thin) is None
    assert [*MATCHER.keys(fingerprint(record(**thin)))] == []


@pytest.mark.parametrize(
    "matcher", sample([MATCHER, KeywordTree(threshold=0.2, top=2), KeywordTree(of="union")], 3)
)
@given(found=works())
def test_every_verdict_has_a_key_and_order_does_not_matter(
    matcher: KeywordTree, found: list[Record]
) -> None:
    """Verdicts are symmetric; clusters are what "same" connects."""
    prints = [fingerprint(it) for it in found]
    for a in prints:
        for b in prints:
            assert matcher.compare(a, b) == matcher.compare(b, a)
            assert matcher.compare(a, b) is None or share_a_key(matcher, a, b)
    assert_order_does_not_matter(matcher, found)


@pytest.mark.parametrize("hostile", sample(HOSTILE, 4))
def test_hostile_text_gives_a_tree_of_bounded_size(hostile: dict[str, Any]) -> None:
    """No error, and no more nodes than paragraphs and sentences count."""
    it = fingerprint(record(**hostile))

    assert len([*MATCHER.keys(it)]) <= 1 + MOST_PARAGRAPHS * (1 + MOST_SENTENCES)
    assert compared(MATCHER, hostile, hostile) is None or it.record.abstract
