"""I-Match: one hash of the middling terms."""

from __future__ import annotations

import hashlib
from typing import Any

from hypothesis import given

from metasearch.bulk.published import words as frequencies
from metasearch.bulk.published import words as segment
from metasearch.bulk.published.equality import IMatch
from metasearch.dedup.fingerprints import fingerprint
from metasearch.record import Record
from tests.cases import each
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
    works,
)
from tests.dedup.records import record

MATCHER = IMatch()


@each(("title", "abstract"), [(TITLE, ABSTRACT), (CHINESE_TITLE, CHINESE_ABSTRACT)])
@each(("lowest", "highest"), [(0.1, 0.9), (0.0, 1.0), (0.2, 0.7)])
def test_the_hash_is_that_of_the_sorted_terms(
    title: str, abstract: str, lowest: float, highest: float
) -> None:
    """Each term once; those that nearly all documents hold, and those that hardly any holds, are
    left out."""
    terms = [word for word in sorted({*segment.words(f"{title} ; {abstract}")})]  # noqa: C416
    kept = [word for word in terms if lowest <= frequencies.nidf(word) <= highest]
    it = fingerprint(record(title=title, abstract=abstract))

    keys = [*IMatch(lowest, highest, fewest=1).keys(it)]

    assert keys == ([hashlib.sha1("\x1f".join(kept).encode()).hexdigest()] if kept else [])


def test_order_and_repetition_do_not_count() -> None:
    """Sentences turned round, one said twice, capitals and marks."""
    first, _, rest = ABSTRACT.partition(". ")
    turned = {"title": TITLE.upper(), "abstract": f"{rest} {first}! {first}?"}

    match = compared(IMatch(0.0, 1.0), WORK, turned)

    assert match is not None
    assert match.verdict == "same"
    assert match.because.endswith("terms")


def test_one_other_term_is_another_text() -> None:
    """That is the price of one hash."""
    assert (
        compared(
            IMatch(0.0, 1.0), WORK, {**WORK, "abstract": ABSTRACT.replace("sulphide", "sulfide")}
        )
        is None
    )
    assert compared(MATCHER, WORK, {"title": TITLE, "abstract": OTHER_ABSTRACT}) is None


@each("thin", THIN)
def test_too_few_terms_are_unknown(thin: dict[str, Any]) -> None:
    """Texts of which no term is left would all have one hash."""
    assert compared(MATCHER, thin, thin) is None
    assert [*MATCHER.keys(fingerprint(record(**thin)))] == []
    assert compared(IMatch(0.0, 1.0, fewest=100), WORK, WORK) is None


@given(works())
def test_order_does_not_matter(found: list[Record]) -> None:
    """An equal hash is an equivalence."""
    assert_order_does_not_matter(IMatch(0.0, 1.0), found)


@each("hostile", HOSTILE)
def test_hostile_text_is_read_as_far_as_it_counts(hostile: dict[str, Any]) -> None:
    """No error, and one key at most."""
    assert len([*IMatch(0.0, 1.0, fewest=1).keys(fingerprint(record(**hostile)))]) <= 1
