"""How two titles relate: a word for each kind of difference."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from metasearch.dedup.evidence import _between_marks, _is_among, _within, resemblance
from metasearch.dedup.fingerprints import fingerprint
from metasearch.dedup.words import SMALL_WORDS, one_word
from tests.cases import each
from tests.dedup.records import record

LONG = "Sorption of phosphate on iron oxides in lake sediments"


@each(
    ("a", "b", "relation"),
    [
        (LONG, LONG.upper() + ".", "equal"),
        (LONG, LONG + ": a column study", "start"),
        (LONG, "Sorption of phosphate on iron oxides …", "start"),
        (LONG, "MEDICAL PROGRESS: " + LONG, "end"),
        (LONG, "Berg, A., Okafor, C. " + LONG, "end"),
        (LONG, "Sorption of phosphate on iron oxides in lake sedimnets", "near"),
        (LONG, "Sorption of phosphateon iron oxides in lake sediments", "equal"),
        (
            "Secure buffering in firm real-time systems",
            "Secure bufering in rm real-time systems",
            "near",
        ),
        (
            "Anaemia of haemolytic origin in children",
            "Anemia of hemolytic origin in children",
            "near",
        ),
        (LONG, LONG + " and river beds", "within"),
        (LONG, "A model of " + LONG, "far"),
        (LONG, "Desorption of phosphate on iron oxides in lake sediments", "reworded"),
        (
            "Hypotension in elderly patients of clinics",
            "Hypertension in elderly patients of clinics",
            "reworded",
        ),
        (
            "Survival of men after the second infarction",
            "Survival of women after the second infarction",
            "reworded",
        ),
        ("Trial of plasma-resistant syndrome", "Trial of plasma-sensitive syndrome", "reworded"),
        (LONG, "Poems of a summer", "far"),
        (LONG, "", "missing"),
        ("", "", "missing"),
        ("不锈钢管的制造方法研究", "不锈钢管制造方法研究", "near"),
        ("高血压患者的护理研究进展", "低血压患者的护理研究进展", "reworded"),
    ],
)
def test_relation(a: str, b: str, relation: str) -> None:
    """The same from either side."""
    one, other = fingerprint(record("a", 1, title=a)), fingerprint(record("b", 1, title=b))

    assert resemblance(one, other) == relation
    assert resemblance(other, one) == relation


def test_a_translated_title_is_a_title() -> None:
    """One record's other title is the main one of the other record."""
    one = fingerprint(record("a", 1, title="磷酸盐的吸附研究", titles=(LONG,)))

    assert resemblance(one, fingerprint(record("b", 1, title=LONG))) == "equal"


WORDS = st.text("abfils", min_size=1, max_size=9) | st.sampled_from(
    ["the", "male", "female", "five", "ve", "linear", "nonlinear", "soil", "soils"]
)


@given(WORDS, st.lists(WORDS, max_size=5))
def test_a_word_is_among_others_where_it_is_one_of_them(word: str, others: list[str]) -> None:
    """`_is_among` is `one_word` of each, of words that are no small ones."""
    assume(word not in SMALL_WORDS)

    assert _is_among(word, others) == any(one_word(word, other) for other in others)


@given(st.lists(st.sampled_from("soil wheat and in: dry. plains, a study of".split()), min_size=1))
def test_a_title_stands_in_another_one_only_with_its_letters(words: list[str]) -> None:
    """So no rule on titles that stand in others asks where the letters do not."""
    long = fingerprint(record("b", 2, title=" ".join([*words, "of the soil in dry plains today"])))
    for title in ("soil in dry plains: a study of wheat", " ".join(words[:6]), "dry plains today"):
        short = fingerprint(record("a", 1, title=title))
        if short.compact and _within(short, long):
            assert short.compact in long.compact
        if short.compact and short.compact in long.compact and _between_marks(short, long):
            assert " ".join(short.words) in " ".join(long.words)
