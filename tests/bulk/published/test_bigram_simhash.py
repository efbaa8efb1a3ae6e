"""`bigram-simhash`: the patent's signature of every two consecutive terms."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from fractions import Fraction

from metasearch.bulk.published.simhash import HASH, BigramSimHash, hash64, simhash, tokens
from metasearch.bulk.published.words import segmenter, words
from metasearch.dedup import STRATEGIES, fingerprint
from metasearch.dedup.matchers import NeighbourMatcher
from tests.bulk.near_twins import (
    clusters,
    needs_a_dictionary,
    prints_of,
)
from tests.dedup.records import record

TITLE = "Sorption of phosphate on iron oxides in lake sediments"


def test_tokens_are_two_consecutive_terms() -> None:
    assert tokens(["a", "b", "c", "a", "b"], 2) == ["a b", "b c", "c a", "a b"]
    assert tokens(["a", "b", "c"], 3) == ["a b c"]
    assert tokens(["a", "b", "c"], 1) == ["a", "b", "c"]


def test_fewer_terms_than_a_token_has_are_one_token() -> None:
    """Our reading; of no terms there is no token, and no signature."""
    assert tokens(["a"], 2) == ["a"]
    assert tokens(["a", "b"], 3) == ["a b"]
    assert tokens([], 2) == []
    single = fingerprint(record(title="Sorption"))

    assert BigramSimHash(min_features=1).signature(single) == hash64("sorption")
    assert BigramSimHash().signature(single) is None


def test_the_signature_is_that_of_the_patent() -> None:
    """Token frequency as the weight, the sign of each of 64 sums; stop words are terms as all
    others are."""
    it = fingerprint(
        record(title=TITLE, abstract="We measure. We measure the sorption of phosphate on iron.")
    )
    terms = [
        *words(TITLE),
        "we",
        "measure",
        "we",
        "measure",
        "the",
        "sorption",
        "of",
        "phosphate",
        "on",
        "iron",
    ]
    pairs = [f"{a} {b}" for a, b in itertools.pairwise(terms)]
    frequency = {pair: Fraction(pairs.count(pair), len(pairs)) for pair in pairs}

    expected = 0
    for bit in range(64):
        total = sum(
            weight if hash64(pair) >> bit & 1 else -weight for pair, weight in frequency.items()
        )
        expected |= (total > 0) << bit

    assert BigramSimHash().signature(it) == expected


def test_punctuation_is_no_term_and_stop_words_are() -> None:
    plain = fingerprint(record(title=TITLE))
    marked = fingerprint(
        record(title="Sorption of phosphate, on iron-oxides: in (lake) sediments!")
    )
    without = fingerprint(record(title="Sorption phosphate iron oxides lake sediments"))

    assert BigramSimHash().signature(plain) == BigramSimHash().signature(marked)
    assert BigramSimHash().signature(plain) != BigramSimHash().signature(without)


def test_the_order_of_words_counts() -> None:
    """That is what the pairs are for: with single terms it would not."""
    one = fingerprint(record("a", 1, title="lake iron phosphate sorption columns oxides sediment"))
    other = fingerprint(
        record("b", 1, title="sediment sorption oxides iron columns lake phosphate")
    )

    assert BigramSimHash(max_distance=16).compare(one, other) is None
    assert BigramSimHash(max_distance=0, together=1).compare(one, other) is not None


def test_chinese_is_cut_into_words() -> None:
    """Pairs are of words, where there is a dictionary."""
    needs_a_dictionary()
    it = fingerprint(record(title="湖泊沉积物中铁氧化物对磷的吸附特征研究"))

    cut = words("湖泊沉积物中铁氧化物对磷的吸附特征研究")

    assert "湖泊" in cut
    assert BigramSimHash().signature(it) == simhash(tokens(cut, 2))


def test_a_match_says_what_it_rests_on() -> None:
    one = fingerprint(record("a", 1, title=TITLE))
    other = fingerprint(record("b", 1, title=TITLE.upper()))

    match = BigramSimHash().compare(one, other)

    assert match is not None
    assert (match.matcher, match.verdict, match.score) == ("bigram-simhash", "same", 1.0)
    assert match.because == f"SimHash distance 0 of 64 (bigrams, {HASH}, {segmenter()})"


def test_a_chain_of_near_texts_is_one_cluster() -> None:
    """Each is near the next, the ends are not: connected components join all three, in whatever
    order they come."""
    rng = random.Random(3)
    terms = [f"w{number}" for number in range(120)]
    texts = [" ".join(terms)]
    for _ in range(2):
        for _ in range(2):
            terms[rng.randrange(len(terms))] = f"x{rng.random()}"
        texts.append(" ".join(terms))
    rows = [record("a", number, title=text) for number, text in enumerate(texts)]
    first, middle, last = (BigramSimHash().signature(it) or 0 for it in prints_of(rows))
    distance = max((first ^ middle).bit_count(), (middle ^ last).bit_count())
    assert (first ^ last).bit_count() > distance
    matcher = BigramSimHash(max_distance=distance)

    for order in ([0, 1, 2], [0, 2, 1], [2, 1, 0]):
        assert clusters(matcher, [rows[number] for number in order]) == {
            frozenset(("a:0", "a:1", "a:2"))
        }


def test_the_strategy_can_be_chosen_and_swept() -> None:
    (matcher,) = STRATEGIES["bigram-simhash"].chain.matchers

    assert matcher == BigramSimHash(max_distance=3, blocks=4, together=2)
    assert isinstance(matcher, NeighbourMatcher)
    assert STRATEGIES["bigram-simhash"].at(14).matchers == (replace(matcher, max_distance=14),)
