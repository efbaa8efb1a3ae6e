"""Shingling: sketches against whole sets of shingles, and keys against all pairs."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.published.sets import Shingling, resemblance, shingles
from metasearch.dedup.fingerprints import fingerprint
from metasearch.record import Record
from tests.cases import each, sample
from tests.dedup.matchers.texts import (
    ABSTRACT,
    CHINESE_ABSTRACT,
    CHINESE_TITLE,
    HOSTILE,
    OTHER_ABSTRACT,
    THIN,
    TITLE,
    WORK,
    assert_order_does_not_matter,
    compared,
    share_a_key,
    works,
)
from tests.dedup.records import record

MATCHER = Shingling()


def jaccard(a: list[str], b: list[str], width: int) -> float:
    """Resemblance as Broder defines it, of whole sets."""
    one, other = (
        {tuple(words[i : i + width]) for i in range(len(words) - width + 1)} for words in (a, b)
    )
    return len(one & other) / len(one | other)


def test_shingles_are_the_runs_of_words() -> None:
    """Broder's own example: the 4-shingles of "a rose is a rose is a rose" are three, of which two
    occur twice."""
    found = [*shingles("a rose is a rose is a rose".split(), 4)]

    assert (len(found), len(set(found))) == (5, 3)
    assert [*shingles(["a"], 4)] == []


def test_a_sketch_that_holds_all_gives_the_resemblance_itself() -> None:
    """MIN_s of as many elements as there are, and MOD_1, sample nothing."""
    cut = {"title": TITLE, "abstract": ABSTRACT.rpartition(". ")[0]}
    words = [
        f"{TITLE} {it['abstract']}".lower().replace(".", "").replace(",", "").split()
        for it in (WORK, cut)
    ]
    wanted = round(jaccard(*words, 10), 3)

    for matcher in (Shingling(size=1_000), Shingling(sketch="mod", modulus=1)):
        match = compared(matcher, WORK, cut)
        assert match is not None
        assert match.score == wanted
        assert match.because == f"texts share {wanted:.0%} of their shingles"


@given(
    a=st.frozensets(st.integers(0, 40)),
    b=st.frozensets(st.integers(0, 40)),
    size=st.integers(1, 50),
)
def test_resemblance_is_that_of_the_smallest_elements_of_the_union(
    a: frozenset[int], b: frozenset[int], size: int
) -> None:
    """Of the first s of A and B together, how many are in both; told from the two sketches
    alone."""
    union = sorted(a | b)[:size]
    if not union:
        return
    wanted = sum(it in a and it in b for it in union) / len(union)

    assert resemblance(sorted(a)[:size], sorted(b)[:size], size) == wanted


def test_a_sketch_estimates_within_its_error() -> None:
    """A hundred of ten thousand elements: the mean of many estimates is right, and each is near."""
    draw = random.Random(7)
    errors = []
    for _ in range(50):
        values = [draw.getrandbits(64) for _ in range(15_000)]
        a, b = sorted(values[:10_000]), sorted(values[5_000:])
        errors.append(resemblance(a[:100], b[:100], 100) - 1 / 3)

    assert abs(sum(errors)) / len(errors) < 0.02
    assert max(map(abs, errors)) < 0.2


@each(("title", "abstract"), [(TITLE, ABSTRACT), (CHINESE_TITLE, CHINESE_ABSTRACT)])
def test_a_copy_with_a_line_added_is_found_and_another_text_is_not(
    title: str, abstract: str
) -> None:
    """In both languages; capitals and marks do not count."""
    work = {"title": title, "abstract": abstract}
    padded = {"title": title.upper(), "abstract": f"{abstract} All rights reserved."}

    match = compared(MATCHER, work, padded)

    assert match is not None
    assert match.verdict == "same"
    assert compared(MATCHER, work, {"title": title, "abstract": OTHER_ABSTRACT}) is None


@each("thin", [*THIN, {"title": TITLE}])
def test_too_few_shingles_are_unknown(thin: dict[str, Any]) -> None:
    """A title alone has none or few of ten words."""
    assert compared(MATCHER, thin, thin) is None
    assert [*MATCHER.keys(fingerprint(record(**thin)))] == []


@pytest.mark.parametrize(
    "matcher",
    sample([MATCHER, Shingling(width=3, threshold=0.2), Shingling(sketch="mod", modulus=3)], 3),
)
@given(found=works())
def test_every_verdict_has_a_key(matcher: Shingling, found: list[Record]) -> None:
    """Keys are a part of the sketch only, and yet no resembling pair is missed; verdicts are
    symmetric."""
    prints = [fingerprint(it) for it in found]
    for a in prints:
        for b in prints:
            assert matcher.compare(a, b) == matcher.compare(b, a)
            assert matcher.compare(a, b) is None or share_a_key(matcher, a, b)


@given(works())
def test_order_does_not_matter(found: list[Record]) -> None:
    """Clusters are what "same" connects."""
    assert_order_does_not_matter(Shingling(width=3), found)


@each("hostile", HOSTILE)
def test_hostile_text_gives_a_sketch_of_bounded_size(hostile: dict[str, Any]) -> None:
    """No error, and no more keys than the sketch has elements."""
    assert len([*MATCHER.keys(fingerprint(record(**hostile)))]) <= MATCHER.size
