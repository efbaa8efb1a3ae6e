"""Ranking: every point has a reason, and the order is total."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.engine.facets import RANK_MODES
from metasearch.engine.rank import Ranking, rank
from metasearch.engine.scores import FIRST, K, best_positions, source_weights
from metasearch.query import parse
from metasearch.query.tree import Term
from metasearch.record import Hit
from tests.dedup.records import record
from tests.engine.hits import hit, hits, single

QUERIES = [None, Term("iron lakes"), Term("湖泊水质"), parse("iron author:berg"), parse("isbn:1")]


def test_more_sources_outvote_one() -> None:
    """Second in two sources beats first in one."""
    both = hit(record("a", 2, title="Both"), record("b", 2, title="Both"))
    alone = hit(record("a", 1, title="Single"))

    assert [h.record.title for h in rank([alone, both])] == ["Both", "Single"]


def test_reasons_of_positions_are_one_for_each_source() -> None:
    """Weighted, by the best position of each source, with the factor for agreement in them."""
    twice = hit(record("a", 3, title="T"), record("a", 9, title="T"), record("b", 1, title="T"))

    (ranked,) = rank([twice], Term("T"), weights={"b": 2.0}, mode="positions")

    assert [(r.source, r.text, r.points) for r in ranked.reasons] == [
        ("a", "a ranks it 3", round(2**0.25 / (K + 3), 9)),
        ("b", "b ranks it 1", round(2**0.25 * 2 / (K + 1), 9)),
    ]


def test_words_say_what_they_found() -> None:
    """Of two hits at one rank the one whose title holds the words comes first, and says why."""
    named = single(1, "b", title="Phosphate sorption in lakes", abstract="Sorption of phosphate.")
    other = single(1, "a", title="Iron in lakes")

    first, second = rank([other, named], Term("phosphate sorption"))

    assert first.record.title == "Phosphate sorption in lakes"
    assert [r.text for r in first.reasons] == [
        "b ranks it 1",
        "all words in the title",
        "its words fit the query best",
        "two words of the query stand together",
    ]
    assert [r.text for r in second.reasons] == ["a ranks it 1"]


def test_agreement_is_a_reason_of_its_own() -> None:
    """Three sources that hold a hit agree."""
    common = hit(*(record(source, 4, title="T") for source in "abc"))

    (ranked,) = rank([common])

    assert [r.text for r in ranked.reasons][-1] == "3 sources agree"
    assert ranked.reasons[-1].points == pytest.approx((3**0.25 - 1) * 3 / (K + 4))


def test_a_word_counts_in_singular_and_plural() -> None:
    """ "studies" is looked for as "study", too; "news" is not taken for a plural of "new"."""
    one, two = single(1, title="A study of lakes"), single(1, "b", title="Lake studies")

    for ranked in rank([one, two], Term("lake study")):
        assert ranked.reasons[1].text == "all words in the title"


def test_a_rare_word_covers_more_than_a_common_one() -> None:
    """Of two words the one that few hits hold weighs more."""
    common = [single(i, title="Lakes everywhere") for i in range(2, 9)]
    rare, usual = single(1, "x", title="Selenium"), single(1, "y", title="Lakes")

    order = [h.record.title for h in rank([*common, usual, rare], Term("selenium lakes"))]

    assert order.index("Selenium") < order.index("Lakes")


def test_chinese_is_compared_by_pairs_of_characters() -> None:
    """Without blanks and without a dictionary."""
    good = single(1, "a", title="沉水植物对湖泊水质的影响")
    poor = single(1, "b", title="陆生植物的种类")

    first, _ = rank([poor, good], Term("沉水植物 水质"))

    assert first.record.title == good.record.title
    assert first.reasons[1].text == "all words in the title"


def test_fielded_terms_match_their_fields() -> None:
    """An author of the query is looked for among the authors, an ISBN among the ISBNs."""
    wanted = single(1, "a", title="Lakes", authors=["Berg, Ann"])
    other = single(1, "b", title="Berg and lakes", authors=["Okafor, Chidi"])

    first, second = rank([other, wanted], parse("lakes author:berg"))

    assert first.record.authors[0].family == "Berg"
    assert first.reasons[1].text == "all words and fields agree"
    assert second.reasons[1].text == "1 of 2 words and fields agree"


def test_what_is_not_wanted_is_not_looked_for() -> None:
    """A word under NOT earns nothing."""
    (ranked,) = rank([single(1, title="Iron lakes")], parse("lakes NOT iron"))

    assert ranked.reasons[1].text == "the word in the title"


def test_a_query_of_stop_words_is_looked_for_as_it_is() -> None:
    """ "to be or not to be" has no other words."""
    (ranked,) = rank([single(1, title="To be, or not to be")], Term("to be or not to be"))

    assert ranked.reasons[1].text == "all words in the title"


def test_a_source_with_which_no_other_agrees_counts_less() -> None:
    """Four sources have the same first works, the fifth has others."""
    agreed = [dict.fromkeys("abcd", place) for place in range(1, 11)]
    odd = [{"e": place} for place in range(1, 11)]

    weights = source_weights([*agreed, *odd])

    assert weights["e"] == 0.5
    assert all(weights[source] > 1 for source in "abcd")
    assert math.fsum(weights.values()) / 5 == pytest.approx(1)


def test_with_four_sources_all_weigh_the_same() -> None:
    """Agreement of so few is chance; below the first works nothing is compared."""
    assert source_weights([dict.fromkeys("abcd", 1), {"a": 2}]) == {}
    assert source_weights([dict.fromkeys("abcde", FIRST + 1)]) == {}


def test_deep_positions_add_nothing() -> None:
    """Below a hundred, chance decides."""
    assert best_positions([record("a", 101), record("b", 100)]) == {"b": 100}


@given(hits(), st.sampled_from(QUERIES), st.sampled_from(RANK_MODES), st.randoms())
def test_the_order_of_arrival_has_no_effect(
    works: list[Hit], query: object, mode: str, chance: random.Random
) -> None:
    """However the hits come in, they go out in one order, with the same scores and reasons."""
    shuffled = works[:]
    chance.shuffle(shuffled)

    assert rank(shuffled, query, mode=mode) == rank(works, query, mode=mode)  # type: ignore[arg-type]


@given(hits(), st.sampled_from(QUERIES), st.sampled_from(RANK_MODES))
def test_the_score_is_the_sum_of_its_reasons(works: list[Hit], query: object, mode: str) -> None:
    """Ranks go from 1, scores fall, and every point has a reason with words."""
    ranked = rank(works, query, mode=mode)  # type: ignore[arg-type]

    assert [h.rank for h in ranked] == list(range(1, len(works) + 1))
    assert [h.score for h in ranked] == sorted((h.score for h in ranked), reverse=True)
    for each in ranked:
        assert each.score == pytest.approx(sum(r.points for r in each.reasons), abs=1e-8)
        assert all(r.text and r.points > 0 for r in each.reasons)


@given(hits(), st.integers(0, 12))
def test_hits_that_grow_are_ranked_like_those_that_came_at_once(
    works: list[Hit], part: int
) -> None:
    """What was counted before is used again and changes nothing."""
    growing = Ranking(Term("iron lakes"))
    growing.rank(works[:part])

    assert growing.rank(works) == Ranking(Term("iron lakes")).rank(works)
    assert growing.ids(works) == [h.id for h in growing.rank(works)]


@given(hits(), st.sampled_from(QUERIES))
def test_words_are_worth_the_same_in_every_list(works: list[Hit], query: object) -> None:
    """What is rounded once for many hits is what each is worth by itself, among the same hits."""
    together = rank(works, query)
    ranking = Ranking(query)

    for each in together:
        work = next(one for one in works if one.id == each.id)
        (alone,) = ranking.rank([work], works)
        assert (alone.score, alone.reasons) == (each.score, each.reasons)
