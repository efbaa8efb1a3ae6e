"""Keywords grown from the title: against the definition, and the inverted index against all
pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.published import words as segment
from metasearch.bulk.published.sets import KeywordOverlap
from metasearch.dedup.fingerprints import fingerprint
from metasearch.dedup.matchers import NeighbourMatcher
from metasearch.record import Record
from tests.cases import each, sample
from tests.dedup.matchers.texts import (
    ABSTRACT,
    CHINESE_ABSTRACT,
    CHINESE_TITLE,
    HOSTILE,
    OTHER_ABSTRACT,
    OTHER_TITLE,
    THIN,
    TITLE,
    WORK,
    assert_order_does_not_matter,
    compared,
    works,
)
from tests.dedup.records import record

MATCHER = KeywordOverlap()


def keywords(matcher: KeywordOverlap, **values: Any) -> set[str]:
    """What the matcher takes of a record."""
    words = replace(matcher, fewest=1)._enough(fingerprint(record(**values)))
    return set(words or ())


def reference(matcher: KeywordOverlap, title: str, abstract: str) -> set[str]:
    """The definition, word by word: how many windows around title words hold it."""
    seeds = {word for word in segment.words(title) if not segment.is_stop(word)}
    body = [word for word in segment.words(abstract) if not segment.is_stop(word)]
    centres = [place for place in range(len(body)) if body[place] in seeds]
    grown = []
    for word in dict.fromkeys(body):
        if word in seeds:
            continue
        held = 0
        for centre in centres:
            held += any(
                body[i] == word for i in range(len(body)) if abs(i - centre) <= matcher.window
            )
        share = held / max(1, len(centres))
        if (
            held >= (1 if len(body) < matcher.short else matcher.least_windows)
            and share >= matcher.least_share
        ):
            grown.append((-share, body.index(word), word))
    return seeds | {word for _, _, word in sorted(grown)[: matcher.most]}


LONG = (f"{ABSTRACT} {OTHER_ABSTRACT} {ABSTRACT}", CHINESE_ABSTRACT * 4)


@each("abstract", [ABSTRACT, CHINESE_ABSTRACT, *LONG, OTHER_ABSTRACT, ""])
@each("title", [TITLE, CHINESE_TITLE])
@each(
    "matcher",
    [
        MATCHER,
        KeywordOverlap(window=3, most=5),
        KeywordOverlap(window=20, least_share=0.5, short=1),
    ],
)
def test_keywords_are_those_of_the_definition(
    matcher: KeywordOverlap, title: str, abstract: str
) -> None:
    """In both languages, in short and long abstracts, for other numbers than the default ones,
    too."""
    assert keywords(matcher, title=title, abstract=abstract) == reference(matcher, title, abstract)


def test_words_that_are_not_frequent_are_found_beside_the_title() -> None:
    """That is the point of the paper: "sulphide" occurs once, two words from "oxides"."""
    found = keywords(MATCHER, **WORK)

    assert {"sorption", "phosphate", "oxides", "sulphide", "columns"} <= found
    assert found.isdisjoint({"the", "of", "and"})
    assert keywords(MATCHER, title=TITLE, abstract=OTHER_ABSTRACT) == keywords(MATCHER, title=TITLE)


def test_author_keywords_are_read_on_request() -> None:
    """Databases disagree on who shows them, so that they are left out otherwise."""
    shown = {"title": TITLE, "keywords": ("Limnology", "iron oxides")}

    assert keywords(MATCHER, **shown) == keywords(MATCHER, title=TITLE)
    assert keywords(KeywordOverlap(author_keywords=True), **shown) == keywords(
        MATCHER, title=TITLE
    ) | {"limnology"}


@each(("title", "abstract"), [(TITLE, ABSTRACT), (CHINESE_TITLE, CHINESE_ABSTRACT)])
def test_an_edited_copy_is_the_same_and_another_text_is_not(title: str, abstract: str) -> None:
    """Cut at its end, with a line in front and in capitals."""
    work = {"title": title, "abstract": abstract}
    edited = {
        "title": title,
        "abstract": f"Copyright 2011. {abstract[: len(abstract) * 4 // 5].upper()}",
    }

    match = compared(MATCHER, work, edited)

    assert match is not None
    assert match.verdict == "same"
    assert "keywords in common" in match.because
    assert "title-only" not in match.because
    assert compared(MATCHER, work, {"title": OTHER_TITLE, "abstract": OTHER_ABSTRACT}) is None


@each("bare", [{"title": TITLE}, {"title": TITLE, "abstract": OTHER_ABSTRACT}])
def test_a_verdict_that_rests_on_a_title_says_so(bare: dict[str, str]) -> None:
    """Without an abstract, or with one that holds no word of the title."""
    match = compared(MATCHER, WORK, bare)

    assert match is not None
    assert match.because.endswith("title-only")
    assert compared(KeywordOverlap(of="union"), WORK, bare) is None


@each("thin", [*THIN, {"title": "Sorption of phosphate on oxides"}])
def test_too_few_keywords_are_unknown(thin: dict[str, Any]) -> None:
    """Four words of a title are contained in many a text."""
    assert compared(MATCHER, thin, thin) is None
    assert compared(MATCHER, WORK, thin) is None
    assert MATCHER.neighbours().near(fingerprint(record(**thin))) == []


@pytest.mark.parametrize("of", sample(["smaller", "union"], 2))
@given(found=works(most=14), threshold=st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_the_index_finds_every_pair_that_is_the_same_and_no_other(
    of: Any, found: list[Record], threshold: float
) -> None:
    """Against comparing all pairs, one by one."""
    matcher = KeywordOverlap(threshold=threshold, of=of, most=6)
    assert isinstance(matcher, NeighbourMatcher)
    prints = [fingerprint(it) for it in found]
    index = matcher.neighbours()

    for number, it in enumerate(prints):
        wanted = [
            other for other in range(number) if matcher.compare(prints[other], it) is not None
        ]
        assert all(
            matcher.compare(prints[other], it) == matcher.compare(it, prints[other])
            for other in wanted
        )
        assert sorted(index.near(it)) == wanted
        assert [*matcher.keys(it)] == []
        index.add(number, it)


@given(works())
def test_order_does_not_matter(found: list[Record]) -> None:
    """The index misses nothing, so that clusters are what "same" connects."""
    assert_order_does_not_matter(MATCHER, found)


@each("hostile", HOSTILE)
def test_hostile_text_gives_so_many_keywords(hostile: dict[str, Any]) -> None:
    """No error, and no more than a title's words and thirty."""
    assert len(keywords(KeywordOverlap(author_keywords=True), **hostile)) <= 100 + 30 + 100
