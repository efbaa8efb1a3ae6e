"""`weighted-simhash`: TF, IDF, part of speech, length, markers and title, multiplied."""

from __future__ import annotations

from dataclasses import replace
from math import isclose

import pytest

from metasearch.bulk.published import simhash
from metasearch.bulk.published.simhash import HASH, WeightedSimHash, hash64
from metasearch.bulk.published.words import TextWord, idf, segmenter, table_id
from metasearch.dedup import STRATEGIES, fingerprint
from metasearch.dedup.matchers import NeighbourMatcher
from tests.bulk.near_twins import (
    near_twins,
    needs_a_dictionary,
)
from tests.cases import each
from tests.dedup.records import record

TITLE = "Phosphate sorption"
ABSTRACT = "Phosphate binds iron. In conclusion, sediments bind phosphate."
# Those that are no stop words: phosphate sorption | phosphate binds iron | conclusion sediments
# bind phosphate.
TERMS = 9


def by_hand() -> dict[str, float]:
    """The weights of the text above: TF * IDF * length * marker * title; English has no part of
    speech.

    Lengths are 4 (iron, bind) to 10 (conclusion).
    """
    return {
        "phosphate": 3 / TERMS * idf("phosphate") * min(25, (1 + 5 / 6) * 5 * 5),
        "sorption": 1 / TERMS * idf("sorption") * (1 + 4 / 6) * 5,
        "binds": 1 / TERMS * idf("binds") * (1 + 1 / 6),
        "iron": 1 / TERMS * idf("iron") * 1,
        "conclusion": 1 / TERMS * idf("conclusion") * 2 * 5,
        "sediments": 1 / TERMS * idf("sediments") * (1 + 5 / 6) * 5,
        "bind": 1 / TERMS * idf("bind") * 1 * 5,
    }


def same_weights(found: dict[str, float], expected: dict[str, float]) -> bool:
    return found.keys() == expected.keys() and all(
        isclose(found[term], expected[term]) for term in expected
    )


def test_weights_are_the_product_of_all_factors() -> None:
    """Of a text of a title and two sentences, by hand; "in" is a stop word."""
    assert same_weights(
        WeightedSimHash().weights(record(title=TITLE, abstract=ABSTRACT)), by_hand()
    )


def test_factors_can_be_added_instead() -> None:
    found = WeightedSimHash(combined="sum").weights(record(title=TITLE, abstract=ABSTRACT))

    assert isclose(found["phosphate"], 3 / TERMS * idf("phosphate") * (1 + (1 + 5 / 6) + 5 + 5))
    assert isclose(found["iron"], 1 / TERMS * idf("iron") * (1 + 1 + 1 + 1))


def test_all_factors_together_are_bounded() -> None:
    """Without the bound a long marked word of the title would weigh fifty times."""
    free = WeightedSimHash(most=1_000).weights(record(title=TITLE, abstract=ABSTRACT))
    tight = WeightedSimHash(most=2).weights(record(title=TITLE, abstract=ABSTRACT))

    assert isclose(free["phosphate"], 3 / TERMS * idf("phosphate") * (1 + 5 / 6) * 25)
    assert isclose(tight["phosphate"], 3 / TERMS * idf("phosphate") * 2)
    assert isclose(tight["iron"], by_hand()["iron"])


def test_the_signature_is_the_sign_of_weighted_sums() -> None:
    """Charikar's, with the weights above; plain arithmetic, column by column."""
    weights = by_hand()
    expected = 0
    for bit in range(64):
        total = sum(
            weight if hash64(term) >> bit & 1 else -weight for term, weight in weights.items()
        )
        assert abs(total) > 1e-3, "too near zero for floating point to be the judge"
        expected |= (total > 0) << bit

    assert (
        WeightedSimHash().signature(fingerprint(record(title=TITLE, abstract=ABSTRACT))) == expected
    )


def test_a_column_whose_sum_is_zero_gives_a_zero() -> None:
    """Two terms of one weight: where their hashes disagree, the plus does not outweigh the
    minus."""
    a, b = "qqxone", "qqxtwo"
    assert idf(a) == idf(b)
    it = fingerprint(record(title=f"{a} {b}"))

    assert WeightedSimHash(min_features=2).signature(it) == hash64(a) & hash64(b)


def test_parts_of_speech_weigh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noun 1.0, verb 0.8, the rest 0.5; a term that is tagged in two ways counts as the heavier
    one."""
    tags = {"铁路": "noun", "运输": "verb", "快速": "other", "unknown": ""}
    sentences = iter([["铁路"], ["铁路", "运输", "快速", "unknown"]])
    monkeypatch.setattr(
        simhash,
        "words_with_tags",
        lambda _: [TextWord(text, tags[text]) for text in next(sentences)],
    )
    plain = WeightedSimHash(title=1.0, longest=1).weights(record(title="一", abstract="二"))

    assert isclose(plain["铁路"], 2 / 5 * idf("铁路"))
    assert isclose(plain["运输"], 1 / 5 * idf("运输") * 0.8)
    assert isclose(plain["快速"], 1 / 5 * idf("快速") * 0.5)
    assert isclose(plain["unknown"], 1 / 5 * idf("unknown"))

    for order in (["verb", "noun"], ["noun", "verb"]):
        both = iter([[], [TextWord("研究", pos) for pos in order]])
        monkeypatch.setattr(simhash, "words_with_tags", lambda _, both=both: next(both))
        assert isclose(
            WeightedSimHash().weights(record(title="一", abstract="二"))["研究"], idf("研究")
        )


def test_chinese_nouns_weigh_more_than_verbs() -> None:
    """With a dictionary that knows parts of speech, and through it the same formula."""
    needs_a_dictionary()
    weights = WeightedSimHash(longest=1).weights(
        record(title="", abstract="铁路提高速度，工人采用材料。")
    )

    assert isclose(weights["速度"] / weights["提高"], idf("速度") / idf("提高") / 0.8)


def test_long_words_weigh_no_more_than_twelve_letters() -> None:
    """English words are long: without a bound one chemical's name would rule the lengths."""
    long, longer = "q" * 12, "q" * 30
    assert idf(long) == idf(longer)

    weights = WeightedSimHash(title=1).weights(record(title=f"{long} {longer} iron"))

    assert weights[long] == weights[longer]


def test_terms_of_one_length_all_count_once() -> None:
    weights = WeightedSimHash(title=1).weights(record(title="iron lake"))

    assert isclose(weights["iron"], idf("iron") / 2)
    assert isclose(weights["lake"], idf("lake") / 2)


@each(
    "sentence",
    [
        "We propose a lake",
        "WE PROPOSE a lake",
        "In conclusion: a lake",
        "Results show a lake",
        "【结论】 lake",
        "總之, lake",
        "综上所述，lake",
        "但是 lake",
        "  (In conclusion) lake",
    ],
)
def test_a_marker_that_opens_a_sentence_marks_its_terms(sentence: str) -> None:
    """In whatever case, width, writing and brackets; the terms of the sentences around it are not
    marked."""
    marked = WeightedSimHash().weights(
        record(title="", abstract=f"Iron is here. {sentence}. Iron is there.")
    )
    plain = WeightedSimHash(markers=()).weights(
        record(title="", abstract=f"Iron is here. {sentence}. Iron is there.")
    )

    assert isclose(marked["lake"], 5 * plain["lake"])
    assert isclose(marked["iron"], plain["iron"])


def test_a_marker_within_a_sentence_marks_nothing() -> None:
    text = record(title="", abstract="Iron oxides, we propose, bind phosphate.")

    assert WeightedSimHash().weights(text) == WeightedSimHash(markers=()).weights(text)


def test_the_other_reading_marks_the_term_that_holds_a_marker() -> None:
    """As the paper's words have it; as most markers are stop words or several words, it marks
    little."""
    matcher = WeightedSimHash(reading="term", markers=("iron", "结论"))
    text = record(title="", abstract="Iron binds phosphate. Ironstone binds lake water.")

    found, plain = matcher.weights(text), replace(matcher, markers=()).weights(text)

    assert {term for term in found if isclose(found[term], 5 * plain[term])} == {
        "iron",
        "ironstone",
    }
    assert isclose(found["lake"], plain["lake"])


def test_no_weight_is_zero_or_negative() -> None:
    """Not even of the commonest words, and of the shortest: a negative one would turn its bits
    round."""
    rows = near_twins(5)

    assert all(weight > 0 for row in rows for weight in WeightedSimHash().weights(row).values())


def test_a_match_says_what_it_rests_on() -> None:
    """English has no parts of speech here, and the match says so."""
    one = fingerprint(record("a", 1, title=TITLE, abstract=ABSTRACT))
    other = fingerprint(record("b", 1, title=TITLE.upper(), abstract=ABSTRACT))

    match = WeightedSimHash().compare(one, other)

    assert match is not None
    assert (match.matcher, match.verdict, match.score) == ("weighted-simhash", "same", 1.0)
    expected = (
        f"SimHash distance 0 of 64 (weighted words, {HASH}, {segmenter()}, {table_id()}, pos: none)"
    )
    assert match.because == expected


def test_what_shapes_a_signature_names_what_is_kept() -> None:
    """Two sets of parameters never share a signature; two distances do."""
    plain = WeightedSimHash()
    changes = [
        {"noun": 0.9},
        {"verb": 0.9},
        {"other": 0.9},
        {"no_pos": 0.9},
        {"longest": 3},
        {"marker": 2.0},
    ]
    changes += [
        {"title": 2.0},
        {"most": 2.0},
        {"reading": "term"},
        {"combined": "sum"},
        {"markers": ("iron",)},
    ]
    names = {_name(plain)} | {_name(replace(plain, **change)) for change in changes}

    assert len(names) == len(changes) + 1
    assert _name(replace(plain, max_distance=12, blocks=8)) == _name(plain)


def _name(matcher: WeightedSimHash) -> object:
    """The name under which the matcher keeps a signature."""
    asked: list[object] = []

    class Asked:
        def once(self, name: object, make: object) -> tuple[int, bool]:
            asked.append(name)
            return 0, False

    matcher.signature(Asked())  # type: ignore[arg-type]
    return asked[0]


def test_the_strategy_can_be_chosen_and_swept() -> None:
    (matcher,) = STRATEGIES["weighted-simhash"].chain.matchers

    assert matcher == WeightedSimHash(max_distance=3)
    assert isinstance(matcher, NeighbourMatcher)
    assert STRATEGIES["weighted-simhash"].at(6).matchers == (replace(matcher, max_distance=6),)
