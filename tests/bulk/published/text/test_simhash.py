"""SimHash of features: against columns counted by hand."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.published.simhash import (
    MOST_FEATURES,
    UNIT,
    hash64,
    simhash,
    simhash_of_weights,
)
from tests.cases import each

FEATURES = st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=60)


def by_hand(weights: Mapping[str, Fraction | int]) -> int:
    """A column of plus and minus for each bit; zero is no plus."""
    columns = [Fraction(0)] * 64
    for feature, weight in weights.items():
        digest = int.from_bytes(
            hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big"
        )
        for bit in range(64):
            columns[bit] += weight if digest >> bit & 1 else -weight
    return sum(1 << bit for bit in range(64) if columns[bit] > 0)


@given(FEATURES)
def test_lanes_count_what_columns_count(features: list[str]) -> None:
    """A feature weighs as often as it occurs."""
    assert simhash(features) == by_hand(Counter(features))


@given(
    st.dictionaries(st.text(min_size=1, max_size=6), st.floats(0, 1000), min_size=1, max_size=40)
)
def test_weights_are_summed_exactly(weights: dict[str, float]) -> None:
    """Rounded to whole units first, so that no order of adding can turn a bit."""
    units = {feature: round(weight / UNIT) for feature, weight in weights.items()}

    assert simhash_of_weights(weights) == by_hand(units)
    assert simhash_of_weights(dict(reversed(weights.items()))) == simhash_of_weights(weights)


@given(FEATURES)
def test_equal_weights_are_no_weights(features: list[str]) -> None:
    """Weighing each feature by its frequency is counting it."""
    assert simhash_of_weights(Counter(features)) == simhash(features)


def test_a_column_that_sums_up_to_nothing_gives_bit_0() -> None:
    """Two features of one weight leave a bit only where both hashes have it."""
    assert simhash(["a", "b"]) == hash64("a") & hash64("b")


def test_of_no_feature_the_signature_is_0() -> None:
    """Whoever makes signatures must not compare those of nothing."""
    assert simhash([]) == simhash_of_weights({}) == 0


def test_an_edited_text_stays_near() -> None:
    """One word changed among many moves few bits."""
    text = [f"word{i % 40}" for i in range(120)]
    edited = [*text[:-1], "other"]

    assert (simhash(text) ^ simhash(edited)).bit_count() <= 6


def test_of_endless_features_the_first_count() -> None:
    """Lanes cannot run over."""
    assert simhash(["a"] * MOST_FEATURES + ["b"] * 100_000) == hash64("a")


@each("weight", [-1.0, float("nan"), float("inf"), 1e300])
def test_weights_that_mean_nothing_are_refused(weight: float) -> None:
    """A negative weight would turn a feature's bits round."""
    with pytest.raises(ValueError, match="weight"):
        simhash_of_weights({"a": weight})


def test_a_lone_surrogate_has_a_hash() -> None:
    """No text of a database can stop a search."""
    assert hash64("\ud800") == hash64("?")
