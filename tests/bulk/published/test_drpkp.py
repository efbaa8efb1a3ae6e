"""`drpkp`: a fingerprint a paragraph, and the share of paragraphs that two records have in
common."""

from __future__ import annotations

import random
from dataclasses import replace
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.published.paragraphs import (
    MOST_PARAGRAPHS,
    RABIN,
    Drpkp,
    paragraph_print,
    rabin64,
)
from metasearch.bulk.published.words import (
    TextWord,
    paragraphs,
    segmenter,
    words_with_tags,
)
from metasearch.dedup import STRATEGIES, Fingerprint, fingerprint
from metasearch.dedup.matchers import NeighbourMatcher
from tests.bulk.near_twins import (
    HOSTILE,
    all_pairs,
    candidates,
    clusters,
    near_twins,
    needs_a_dictionary,
    prints_of,
)
from tests.cases import each, sample
from tests.dedup.records import record
from tests.examples import examples

#: A sentence of 40 characters and more is a paragraph.
FIRST = "Phosphate binds strongly to iron oxides in shallow lakes."
SECOND = "Columns were filled with fresh sediment from several ponds."
THIRD = "Temperature changed the binding of arsenic far less than acidity."
FOURTH = "Old oxides released sulphate whenever oxygen became scarce."
OTHER = "Village schools taught arithmetic before printed primers spread."
ALIEN = "Accountants audited merchant ledgers during the eighteenth century."


def of(*sentences: str, number: int = 1, title: str = "A title of its own") -> Fingerprint:
    """A record with these paragraphs."""
    return fingerprint(record("a", number, title=title, abstract=" ".join(sentences)))


def nouns(text: str) -> list[TextWord]:
    """A paragraph of nouns, but for words in brackets, which are neither noun nor verb."""
    return [
        TextWord(word.strip("()"), "other" if word.startswith("(") else "noun")
        for word in text.split()
    ]


# --------------------------------------------------------------------------- a paragraph


def test_a_topic_word_weighs_by_frequency_context_and_position() -> None:
    """By hand, on eight words of which six are nouns or verbs, in windows of 20 letters."""
    # Letters:   0-4  4-12      12-16   16-20 20-28    28-32 32-41     41-45
    paragraph = nouns("iron phosphate(x)".replace("(x)", "")) + nouns(
        "(very) iron sediment lake (yesterday) iron"
    )
    assert [len(word.text) for word in paragraph] == [4, 9, 4, 4, 8, 4, 9, 4]
    # Nouns: iron 0-4, phosphate 4-13, iron 17-21, sediment 21-29, lake 29-33, iron 42-46: six, of
    # which three are iron. Windows: iron phosphate (0-13), phosphate iron (4-21), iron sediment
    # lake (17-33), lake iron (29-46).

    found = Drpkp().weights(paragraph, 0.3, frozenset(("lake", "archive")))

    expected = {
        "iron": 3 / 6 + 0.1 * 3 + 0.3,
        "phosphate": 1 / 6 + 0.1 * 2 + 0.3,
        "sediment": 1 / 6 + 0.1 * 3 + 0.3,
        "lake": 1 / 6 + 0.1 * 3 + 1.0,
    }
    assert found.keys() == expected.keys()
    assert all(isclose(found[word], expected[word]) for word in expected)


@given(
    st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "g" * 25]), max_size=30)
)
def test_the_best_window_is_the_best_of_all_windows(texts: list[str]) -> None:
    """Against brute force: every stretch of words of at most 20 letters, and the different words in
    it."""
    paragraph = [TextWord(text, "noun") for text in texts]
    best = dict.fromkeys(texts, 1)
    for start in range(len(texts)):
        for end in range(start + 1, len(texts) + 1):
            if sum(map(len, texts[start:end])) <= 20:
                for text in texts[start:end]:
                    best[text] = max(best[text], len(set(texts[start:end])))

    found = Drpkp().weights(paragraph, 0.0, frozenset())

    assert found.keys() == best.keys()
    assert all(isclose(found[it], texts.count(it) / len(texts) + 0.1 * best[it]) for it in best)


def test_the_context_weighs_at_most_one() -> None:
    """Twelve topic words in one window."""
    paragraph = [TextWord(letter, "noun") for letter in "abcdefghijkl"]

    assert isclose(Drpkp(topics=12).weights(paragraph, 0.0, frozenset())["a"], 1 / 12 + 1.0)


def test_topic_words_are_the_ten_most_probable_nouns_and_verbs() -> None:
    """Of equal ones, the first."""
    text = " ".join(f"noun{number}" for number in range(12)) + " (rest) (rest) (rest) noun11 noun11"

    assert list(Drpkp().weights(nouns(text), 0.1, frozenset())) == [
        "noun11",
        *(f"noun{n}" for n in range(9)),
    ]


def test_without_parts_of_speech_longer_words_count_that_are_neither_stop_words_nor_numbers() -> (
    None
):
    """English: three letters and more. Chinese words that nobody tags count at any length."""
    paragraph = [
        TextWord(text, "") for text in ("the", "ph", "iron", "with", "2019", "lake", "水体")
    ]

    assert set(Drpkp().weights(paragraph, 0.1, frozenset())) == {"iron", "lake", "水体"}


def test_chinese_nouns_and_verbs_count() -> None:
    """With a dictionary that tags."""
    needs_a_dictionary()

    found = Drpkp().weights(words_with_tags("我们非常迅速地提高了铁路的速度"), 0.1, frozenset())

    assert {"提高", "铁路", "速度"} <= found.keys()
    assert found.keys().isdisjoint({"我们", "非常", "迅速", "地", "了", "的"})


def test_a_paragraphs_fingerprint_is_simhash_over_rabin() -> None:
    """Column by column."""
    weights = {"iron": 1.3, "lake": 0.7, "phosphate": 0.45, "水体": 0.21}
    expected = 0
    for bit in range(64):
        total = sum(
            weight if rabin64(word.encode()) >> bit & 1 else -weight
            for word, weight in weights.items()
        )
        expected |= (total > 0) << bit

    assert paragraph_print(weights) == expected
    assert paragraph_print(dict(reversed(weights.items()))) == expected


def test_a_column_whose_sum_is_zero_gives_a_zero() -> None:
    a, b = rabin64(b"iron"), rabin64(b"lake")

    assert paragraph_print({"iron": 0.1, "lake": 0.1}) == a & b
    assert paragraph_print({"iron": 0.3, "lake": 0.1}) == a
    assert paragraph_print({}) == 0


# --------------------------------------------------------------------------- a record


def test_a_record_is_the_set_of_its_paragraphs() -> None:
    """Each with the weight of its position; here so far apart that a wrong position would show."""
    matcher = Drpkp(first=3.0, last=0.3, elsewhere=0.0)
    titles = frozenset(("binds", "columns", "temperature"))
    assert paragraphs(f"{FIRST} {SECOND} {THIRD}") == [FIRST, SECOND, THIRD]

    def print_(paragraph: str, position: float) -> int:
        return paragraph_print(matcher.weights(words_with_tags(paragraph), position, titles))

    for paragraph in (FIRST, SECOND, THIRD):
        assert len({print_(paragraph, position) for position in (3.0, 0.3, 0.0)}) == 3
    found = matcher.prints(of(FIRST, SECOND, THIRD, title="Binds columns: temperature"))

    assert found == {print_(FIRST, 3.0), print_(SECOND, 0.0), print_(THIRD, 0.3)}


def test_weights_of_position_are_as_we_read_them() -> None:
    """Title, first, last, other: the order is the paper's, the numbers are ours."""
    assert (Drpkp().title, Drpkp().first, Drpkp().last, Drpkp().elsewhere) == (1.0, 0.5, 0.3, 0.1)


def test_a_single_paragraph_is_the_first_one() -> None:
    weights = Drpkp().weights(words_with_tags(FIRST), 0.5, frozenset())

    assert Drpkp().prints(of(FIRST, title="")) == {paragraph_print(weights)}


def test_the_title_is_no_paragraph() -> None:
    """A record with a title alone has nothing to compare, however long the title is."""
    assert Drpkp().prints(of(title=f"{FIRST} {SECOND} {THIRD}")) == frozenset()


def test_phrases_do_not_count_as_paragraphs() -> None:
    """Fewer than five topic words say nothing that only one paper would say."""
    phrase = "There were no significant differences between these."

    assert len(phrase) > 40
    assert Drpkp().prints(of(phrase)) == frozenset()
    assert len(Drpkp(min_topics=1).prints(of(phrase))) == 1
    assert len(Drpkp().prints(of(FIRST, phrase))) == 1


# --------------------------------------------------------------------------- two records


def brute_force(one: frozenset[int], other: frozenset[int], distance: int, share: float) -> bool:
    """The set comparison as the docstring says it, in so many loops."""
    shares = []
    for some, others in ((one, other), (other, one)):
        found = 0
        for a in some:
            near = [b for b in others if (a ^ b).bit_count() <= distance]
            found += 1 if near else 0
        shares.append(found / len(some))
    if len(one) == 1 or len(other) == 1:
        return shares[0] >= share and shares[1] >= share
    return shares[0] >= share or shares[1] >= share


class _Given(Drpkp):
    """With fingerprints that a test chooses, by the record's number."""

    given: dict[str, frozenset[int]]

    def prints(self, it: Fingerprint) -> frozenset[int]:
        return self.given[it.record_key]

    def _prints_once(self, it: Fingerprint) -> tuple[frozenset[int], bool]:
        return self.given[it.record_key], True


def given_prints(matcher: Drpkp, *prints: frozenset[int]) -> tuple[_Given, list[Fingerprint]]:
    """A matcher with these parameters and fingerprints, and records for it."""
    changed = _Given(
        share=matcher.share,
        max_distance=matcher.max_distance,
        grows=matcher.grows,
        blocks=matcher.blocks,
    )
    rows = prints_of(record("a", number) for number in range(len(prints)))
    object.__setattr__(
        changed, "given", {it.record_key: print_ for it, print_ in zip(rows, prints, strict=True)}
    )
    return changed, rows


@st.composite
def paragraph_sets(draw: st.DrawFn) -> frozenset[int]:
    """Fingerprints a few bits from a handful of common ones."""
    bases = [0x0123456789ABCDEF, 0xFEDCBA9876543210, 0x00FF00FF00FF00FF, 0xA5A5A5A55A5A5A5A]
    found = set()
    for _ in range(draw(st.integers(1, 12))):
        print_ = draw(st.sampled_from(bases))
        for bit in draw(st.lists(st.integers(0, 63), max_size=4)):
            print_ ^= 1 << bit
        found.add(print_)
    return frozenset(found)


@given(
    st.lists(paragraph_sets(), min_size=2, max_size=6),
    st.sampled_from([0, 1, 3, 4, 8]),
    st.sampled_from([0.3, 0.5, 0.8]),
    st.booleans(),
)
def test_sets_are_compared_as_brute_force_compares_them_and_all_are_found(
    sets: list[frozenset[int]], distance: int, share: float, grows: bool
) -> None:
    """Whatever the sets: the same verdict, and what is the same meets by a key or as neighbours."""
    matcher, prints = given_prints(Drpkp(share=share, max_distance=distance, grows=grows), *sets)

    expected = set()
    for b in range(len(sets)):
        for a in range(b):
            grown = (min(len(sets[a]), len(sets[b])) - 1) // 5 if grows else 0
            if brute_force(sets[a], sets[b], distance + grown, share):
                expected.add((a, b))

    assert all_pairs(matcher, prints) == expected
    assert expected <= candidates(matcher, prints)


@each("matcher", [Drpkp(max_distance=4), Drpkp(max_distance=4, blocks=8)], ids=["scan", "keys"])
def test_a_difference_in_every_block_is_found(matcher: Drpkp) -> None:
    """Four bits, one in each quarter: no four blocks find that."""
    matcher, prints = given_prints(
        matcher, frozenset((0,)), frozenset((1 << 0 | 1 << 16 | 1 << 32 | 1 << 48,))
    )

    assert all_pairs(matcher, prints) == {(0, 1)} == candidates(matcher, prints)


def test_a_text_that_was_cut_is_the_same() -> None:
    """All paragraphs of the shorter one are in the longer one; the first and the last one stand
    where they stood."""
    match = Drpkp().compare(
        of(FIRST, SECOND, THIRD, FOURTH, number=1), of(FIRST, SECOND, FOURTH, number=2)
    )

    assert match is not None
    assert (match.matcher, match.verdict, match.score) == ("drpkp", "same", 1.0)
    assert match.because == (
        f"100% of the paragraphs agree (3 and 4; within 3 bits of 64; {RABIN}, {segmenter()}, "
        f"pos: none)"
    )


def test_the_share_decides() -> None:
    """Two of three are enough for half, and too few for more."""
    one, other = of(FIRST, SECOND, FOURTH, number=1), of(FIRST, SECOND, OTHER, number=2)

    match = Drpkp().compare(one, other)

    assert match is not None
    assert match.score == 0.667
    assert Drpkp(share=0.7).compare(one, other) is None
    assert Drpkp(share=0.3).compare(one, of(OTHER, SECOND, ALIEN, number=3)) is not None
    assert Drpkp().compare(one, of(OTHER, SECOND, ALIEN, number=3)) is None


def test_a_single_paragraph_in_a_long_text_is_a_quotation() -> None:
    """One against one is a comparison of the two; against many, both must hold enough of the
    other."""
    assert Drpkp().compare(of(FIRST, number=1), of(FIRST, number=2)) is not None
    assert Drpkp().compare(of(FIRST, number=1), of(OTHER, number=2)) is None
    assert Drpkp().compare(of(FIRST, number=1), of(FIRST, SECOND, THIRD, FOURTH, number=2)) is None


def test_the_distance_may_grow_with_the_number_of_paragraphs() -> None:
    """A bit more for each five paragraphs of the shorter text; not unless it is asked for."""
    assert [Drpkp(grows=True).distance(number) for number in (1, 5, 6, 10, 11, 16)] == [
        3,
        3,
        4,
        4,
        5,
        6,
    ]
    assert Drpkp().distance(100) == 3


@each(
    "values",
    [
        {},
        {"abstract": ""},
        {"title": "Sorption", "abstract": None},
        {"abstract": "Short."},
        {"abstract": "。！？…"},
        {"title": "Sorption of phosphate on iron oxides in the sediments of lakes"},
    ],
)
def test_of_too_little_text_nothing_is_said(values: dict[str, str]) -> None:
    """No fingerprints, no keys, no verdict, no neighbours: two records that say nothing are not
    one."""
    one, other = fingerprint(record("a", 1, **values)), fingerprint(record("b", 1, **values))
    for matcher in (Drpkp(), Drpkp(max_distance=8), Drpkp(grows=True)):
        assert matcher.prints(one) == frozenset()
        assert list(matcher.keys(one)) == []
        assert matcher.compare(one, other) is None
        assert matcher.compare(one, of(FIRST, SECOND)) is None
        neighbours = matcher.neighbours()
        neighbours.add(0, one)
        assert list(neighbours.near(other)) == []


@pytest.mark.parametrize(
    "matcher",
    sample([Drpkp(), Drpkp(max_distance=8), Drpkp(grows=True), Drpkp(share=0.3)], 4),
    ids=["as published", "8 bits", "growing", "a third"],
)
@each("seed", range(2))
def test_keys_and_neighbours_find_every_pair_that_brute_force_finds(
    matcher: Drpkp, seed: int
) -> None:
    prints = prints_of(near_twins(seed, works=24, size=14))

    same = all_pairs(matcher, prints)

    assert len(same) > 10
    assert same <= candidates(matcher, prints)


@pytest.mark.parametrize(
    "matcher", sample([Drpkp(), Drpkp(max_distance=8)], 2), ids=["as published", "8 bits"]
)
@examples(0.2)
@given(order=st.randoms(use_true_random=False))
def test_arrival_order_does_not_matter(matcher: Drpkp, order: random.Random) -> None:
    rows = near_twins(17)
    shuffled = rows[:]
    order.shuffle(shuffled)

    assert clusters(matcher, shuffled) == clusters(matcher, rows)


def test_what_is_kept_of_a_record_does_not_depend_on_thresholds() -> None:
    """A sweep makes the fingerprints once; what shapes them makes them anew."""
    it = of(FIRST, SECOND)
    kept = Drpkp().prints(it)

    for matcher in (Drpkp(share=0.8), Drpkp(max_distance=8), Drpkp(grows=True), Drpkp(blocks=8)):
        assert matcher.prints(it) is kept
    for change in (
        {"topics": 9},
        {"window": 9},
        {"context": 0.2},
        {"title": 2.0},
        {"first": 2.0},
        {"last": 2.0},
    ):
        assert replace(Drpkp(), **change).prints(it) is not kept
    for change in ({"elsewhere": 2.0}, {"shortest": 80}, {"min_topics": 3}):
        assert replace(Drpkp(), **change).prints(it) is not kept


@each("abstract", HOSTILE)
def test_hostile_text_is_read_in_bounds(abstract: str) -> None:
    """Of one record no more than so many paragraphs count."""
    one = fingerprint(record("a", 1, title="x", abstract=abstract))
    other = fingerprint(record("b", 1, title="x", abstract=abstract))

    match = Drpkp().compare(one, other)

    assert len(Drpkp().prints(one)) <= MOST_PARAGRAPHS
    assert len(list(Drpkp().keys(one))) <= 4 * MOST_PARAGRAPHS
    assert match is None or match.score == 1.0


def test_the_first_paragraphs_of_very_many_count() -> None:
    """Four hundred of them, each of other words."""
    rng = random.Random(1)
    lines = [
        " ".join("".join(rng.choices("bcdfghklmnprst", k=7)) for _ in range(6)) for _ in range(400)
    ]
    it = fingerprint(record("a", 1, title="x", abstract="\n".join(lines)))

    assert len(Drpkp().prints(it)) == MOST_PARAGRAPHS


def test_the_strategy_can_be_chosen_and_swept() -> None:
    """With the paper's parameters, and with any other share."""
    (matcher,) = STRATEGIES["drpkp"].chain.matchers

    assert matcher == Drpkp(
        share=0.5, max_distance=3, topics=10, window=20, context=0.1, grows=False
    )
    assert isinstance(matcher, NeighbourMatcher)
    assert STRATEGIES["drpkp"].at(0.8).matchers == (replace(matcher, share=0.8),)
