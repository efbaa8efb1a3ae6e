"""Block hashes: which chunks two texts share, counted by hand."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given

from metasearch.bulk.published.sets import MOST_CHUNKS, BlockHash
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

MATCHER = BlockHash()
CONTENT = BlockHash(
    chunks="content", weigh="bytes", divisor=32, second_divisor=16, shortest=24, longest=160
)


def test_the_keys_are_the_hashes_of_title_and_sentences() -> None:
    """MD5 of each as it stands."""
    wanted = [hashlib.md5(text.encode()).hexdigest() for text in (TITLE, *SENTENCES)]

    assert [*MATCHER.keys(fingerprint(record(**WORK)))] == wanted


@each(("kept", "same"), [(6, True), (5, True), (2, True), (1, True)])
def test_a_part_of_a_text_is_contained_in_it(kept: int, same: bool) -> None:
    """Against the shorter text a beginning is all there; against the longer one it must be most of
    it."""
    part = {"title": TITLE, "abstract": " ".join(SENTENCES[:kept])}

    assert (compared(MATCHER, WORK, part) is not None) == same
    assert (compared(BlockHash(of="larger"), WORK, part) is not None) == ((kept + 1) / 7 >= 0.8)


@each(("changed", "score"), [(0, 1.0), (1, 0.857), (2, None), (7, None)])
def test_four_of_five_sentences_must_be_equal(changed: int, score: float | None) -> None:
    """One letter changes a sentence: of seven chunks one may be other, not two."""
    texts = [
        text.replace("e", "é", 1) if i < changed else text
        for i, text in enumerate([*SENTENCES, TITLE])
    ]
    match = compared(MATCHER, WORK, {"title": texts[-1], "abstract": " ".join(texts[:-1])})

    assert (match and match.score) == score
    if match:
        assert match.because == f"{7 - changed} equal sentences: {score:.0%} of the smaller text"


def test_four_of_five_are_enough() -> None:
    """The threshold itself counts."""
    four = SENTENCES[:4]

    match = compared(
        MATCHER,
        {"title": TITLE, "abstract": " ".join(four)},
        {"title": OTHER_TITLE, "abstract": " ".join(four)},
    )

    assert match is not None
    assert match.score == 0.8


def test_sentences_may_stand_in_another_order() -> None:
    """Hashes are a set."""
    turned = {"title": TITLE, "abstract": " ".join(reversed(SENTENCES))}

    assert compared(MATCHER, WORK, turned) is not None
    assert compared(MATCHER, WORK, {"title": OTHER_TITLE, "abstract": OTHER_ABSTRACT}) is None


def test_chinese_sentences_end_without_a_blank() -> None:
    """Six and the title."""
    it = fingerprint(record(title=CHINESE_TITLE, abstract=CHINESE_ABSTRACT))

    assert len([*MATCHER.keys(it)]) == 1 + CHINESE_ABSTRACT.count("。")


def test_bytes_weigh_long_chunks_more() -> None:
    """All short sentences equal and the long one other: most hashes are shared, but not most
    bytes."""
    short = "One is so. Two is so. Three is so. Four is so. Five is so."
    one, other = (
        {"title": "Six", "abstract": f"{short} {'long ' * 60}{end}."} for end in ("a", "b")
    )

    assert compared(MATCHER, one, other) is not None
    assert compared(BlockHash(weigh="bytes"), one, other) is None


def test_chunks_by_content_survive_an_insertion() -> None:
    """Cut where the bytes say so: a line put before the text leaves the chunks after it."""
    long = f"{ABSTRACT} {OTHER_ABSTRACT}"
    padded = {"title": TITLE, "abstract": f"Copyright, all rights reserved. {long}"}

    match = compared(CONTENT, {"title": TITLE, "abstract": long}, padded)

    assert match is not None
    assert "equal chunks" in match.because
    assert compared(CONTENT, WORK, {"title": OTHER_TITLE, "abstract": OTHER_ABSTRACT}) is None


def test_an_abstract_is_too_short_for_the_chunks_of_files() -> None:
    """With the authors' sizes, about a thousand bytes, there is one chunk: unknown."""
    assert compared(BlockHash(chunks="content"), WORK, WORK) is None


@each("thin", [*THIN, {"title": TITLE}])
@each("matcher", [MATCHER, CONTENT])
def test_one_chunk_is_unknown(matcher: BlockHash, thin: dict[str, Any]) -> None:
    """A title alone says nothing."""
    if matcher is CONTENT and thin == {"title": TITLE}:
        return  # two chunks of content
    assert compared(matcher, thin, thin) is None
    assert [*matcher.keys(fingerprint(record(**thin)))] == []


@pytest.mark.parametrize(
    "matcher", sample([MATCHER, CONTENT, BlockHash(of="union", threshold=0.3)], 3)
)
@given(found=works())
def test_every_verdict_has_a_key_and_order_does_not_matter(
    matcher: BlockHash, found: list[Record]
) -> None:
    """Verdicts are symmetric; clusters are what "same" connects."""
    prints = [fingerprint(it) for it in found]
    for a in prints:
        for b in prints:
            assert matcher.compare(a, b) == matcher.compare(b, a)
            assert matcher.compare(a, b) is None or share_a_key(matcher, a, b)
    assert_order_does_not_matter(matcher, found)


@pytest.mark.parametrize("hostile", sample(HOSTILE, 4))
@each("matcher", [MATCHER, CONTENT])
def test_hostile_text_gives_so_many_chunks(matcher: BlockHash, hostile: dict[str, Any]) -> None:
    """No error, and a bounded number of keys."""
    assert len([*matcher.keys(fingerprint(record(**hostile)))]) <= MOST_CHUNKS
