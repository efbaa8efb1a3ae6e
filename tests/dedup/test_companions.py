"""Papers of one team whose titles differ in a word are two works; a paper retold is one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.companions import APART, MERGED, companions, is_one, twins
from metasearch.dedup import DEFAULT, fingerprint
from metasearch.dedup.companions import exchange
from metasearch.dedup.evidence import resemblance
from metasearch.record import Match, Record
from tests.cases import each
from tests.dedup.records import ARTICLE, record

TEAM: dict[str, Any] = {
    "authors": ["Berg, Anna van der", "Okafor, Chidi"],
    "year": 2011,
    "venue": "Journal of Soil Science",
}


def judge(one: str, other: str, **values: Any) -> Match | None:
    """What is said of two papers of one team, of which a database lacks place and DOI."""
    left = record("a", title=one, **{**TEAM, **values})
    return DEFAULT.judge(fingerprint(left), fingerprint(record("b", title=other, **TEAM)))


@each(
    ("one", "other"),
    [
        ("Nitrate uptake of reeds in northern lakes", "Nitrate uptake of reeds in southern lakes"),
        ("Lead in sediments of the river Jordan", "Zinc in sediments of the river Jordan"),
        ("Nitrate in the wells of farms and schools", "Nitrite in the wells of farms and schools"),
        ("Effects of grazing on erosion of dunes", "Effects of erosion on grazing of dunes"),
        ("Soils of terraced fields in Mali", "Soils of terraced fields in Togo"),
        ("Iron deficiency of smoking farmers", "Iron deficiency of non-smoking farmers"),
        ("Toxicity of losartan in river mussels", "Toxicity of valsartan in river mussels"),
        ("Expression of BRAF in the gills of carp", "Expression of KRAS in the gills of carp"),
        ("Pandemic fowl plague of swans on lakes", "Fowl plague of swans on lakes"),
        ("Survival of frozen sedge seeds in peat", "Survival of sedge seeds in peat"),
        ("Uptake of boron by reeds under UV light", "Uptake of boron by reeds under IR light"),
        ("Soil models written in ML for farmers", "Soil models written in C for farmers"),
        ("Grazing of dunes by Danish rams in May", "Grazing of dunes by Spanish rams in May"),
        ("草地土壤有机碳的空间分布特征", "湿地土壤有机碳的空间分布特征"),
        ("咸水湖泊沉积物的迁移特征研究", "湖泊沉积物的迁移特征研究"),
        ("湖泊沉积物中铜的迁移特征研究", "湖泊沉积物中锌的迁移特征研究"),
        ("山西农田土壤有机碳的空间分布", "陕西农田土壤有机碳的空间分布"),
        ("大鼠肝损伤模型的建立与评价方法", "小鼠肝损伤模型的建立与评价方法"),
        ("氯沙坦对肾小球硬化的保护作用", "缬沙坦对肾小球硬化的保护作用"),
    ],
)  # fmt: skip
def test_a_word_that_says_something_parts_two_papers(one: str, other: str) -> None:
    """A place, a substance, an animal; an order of two things; a negation."""
    match = judge(one, other)

    assert match is None or match.verdict == "different"


@each(
    ("one", "other"),
    [
        ("Effects of grazing on dunes: a field study", "Impact of grazing on dunes: a field trial"),
        ("Behaviour of tumour cells in saline water", "Behavior of tumor cells in saline water"),
        ("Sorption of phosphate in lake sediments", "Sorption of phosfate in lake sediment"),
        ("Reeds and sedges as filters of water", "Sedges and reeds as filters of water"),
        ("Magnetic resonance imaging of flooded peat soils", "MRI of flooded peat soils"),
        ("Dunes of the outer coast: a case study", "Dunes of the outer coast: eine Fallstudie"),
        ("MRI of peat", "Magnetic resonance imaging of peat"),
        ("Noise in harbours", "Harbour noise"),
        ("Kerb stones of tidal harbours", "Curb stones of tidal harbors"),
        ("Dunes: a controlled trial in May", "Dunes: a study in May"),
        ("湖泊水质监测数据的处理", "湖泊水质监测数椐的处理"),
        ("河口噪声对底栖动物的影响研究", "河口噪音对底栖动物的影响分析"),
    ],
)  # fmt: skip
def test_a_paper_in_other_words_is_one(one: str, other: str) -> None:
    """Spelling, forms, abbreviations, and words of which one stands for the other."""
    match = judge(one, other)

    assert match is not None
    assert match.verdict == "same"


@each(
    ("one", "other"),
    [
        ("MRI of peat", "Magnetic resonance imaging of peat"),
        ("Noise in harbours", "Harbour noise"),
    ],
)
def test_short_titles_of_one_author_meet(one: str, other: str) -> None:
    """Though neither their beginnings nor their long words are the same."""
    values = {**TEAM, "authors": ["Berg, Anna van der"]}
    left, right = (fingerprint(record("a", title=title, **values)) for title in (one, other))
    match = DEFAULT.judge(left, right)

    assert match is not None
    assert match.verdict == "same"


def test_a_word_that_a_citation_lacks_says_nothing() -> None:
    """Of another venue, or set off by marks: an abbreviation, another name."""
    long, short = "Survival of frozen sedge seeds in peat", "Survival of sedge seeds in peat"
    marked = "Survival of sedge (Carex) seeds in peat"

    for title, values in ((long, {"venue": "Peat"}), (marked, {})):
        match = judge(title, short, **values)
        assert match is None or match.verdict == "same"


@each(
    "values",
    [
        {"volume": "12", "pages": "101-115"},
        {"ids": {"pmid": "1"}},
        {"url": "https://example.org/7"},
    ],
)
def test_what_two_papers_never_share_outweighs_a_word(values: dict[str, Any]) -> None:
    """Volume and page, an identifier, an address."""
    one, other = (
        record(source, title=f"Reeds of {place} lakes as filters of water", **TEAM, **values)
        for source, place in (("a", "northern"), ("b", "southern"))
    )
    match = DEFAULT.judge(fingerprint(one), fingerprint(other))

    assert match is not None
    assert match.verdict == "same"


def test_the_evidence_names_the_words() -> None:
    """So a user sees why two records stay apart."""
    match = judge("Zinc in reeds of tidal rivers", "Lead in reeds of tidal rivers")

    assert match is None or match.because == "titles name two things: zinc against lead"


@each(
    ("wrong", "are_one"),
    [
        ({"volume": "13", "pages": None}, True),
        ({"issue": "4", "pages": None}, True),
        ({"pages": "115"}, True),
        ({"volume": "13", "issue": "4", "pages": None}, False),
        ({"volume": "13", "pages": "201-215"}, False),
    ],
)
def test_one_misprinted_number_is_outweighed_and_two_are_not(
    wrong: dict[str, Any], are_one: bool
) -> None:
    """Where title, authors, year and an identifier are equal."""
    one = record("a", **ARTICLE, ids={"pmid": "7"})
    other = record("b", **{**ARTICLE, **wrong}, ids={"pmid": "7"})
    match = DEFAULT.judge(fingerprint(one), fingerprint(other))

    assert match is not None
    assert (match.verdict == "same") is are_one


def test_without_an_identifier_one_number_is_enough() -> None:
    """Two papers of one title and year may stand in two volumes."""
    one, other = record("a", **ARTICLE), record("b", **{**ARTICLE, "volume": "13", "pages": None})
    match = DEFAULT.judge(fingerprint(one), fingerprint(other))

    assert match is not None
    assert match.verdict == "different"


@each("kind", ["thesis", "report"])
def test_what_came_before_print_is_another_publication(kind: str) -> None:
    """A thesis and an article of one title; so with a report."""
    title = "Kinetics of iron oxides in flooded peat soils"
    one = Record(source="a", title=title, authors=(), year=2010, type=kind, publisher="University")
    other = Record(source="b", title=title, year=2010, venue="Soil", volume="3", type="article")
    match = DEFAULT.judge(fingerprint(one), fingerprint(other))

    assert match is None or match.verdict == "different"


def test_records_that_say_the_same_are_one_if_the_title_says_enough() -> None:
    """Nothing but a title: a long one is not given twice, a short one is."""
    long, short = "Costs of fires in the northern counties: a report", "Fires"

    for title, are_one in ((long, True), (short, False)):
        one, other = (fingerprint(Record(source=s, title=title)) for s in ("a", "b"))
        match = DEFAULT.judge(one, other)
        assert (match is not None) is are_one


def test_generated_pairs_are_judged_as_often_as_is_asked() -> None:
    """Of 400 companions and 400 twins, which `tasks.py bench companions` lists."""
    two, one = list(companions()), list(twins())

    assert len(two) >= 400 <= len(one)
    assert sum(not is_one(pair) for pair in two) * 100 >= APART * len(two)
    assert sum(is_one(pair) for pair in one) * 100 >= MERGED * len(one)


#: Words of titles that are exchanged, added, turned and abbreviated.
WORDS = (
    "the of in on and a without men women left right Iran Iraq trial study losartan valsartan MRI "
    "magnetic resonance imaging soil soils kerb curb noise harbour harbours IIa 2 second pandemic "
    "sorption adsorption ct mr 铜 锌 的 研究 分析 土壤"
).split()
TITLES = st.lists(st.sampled_from(WORDS), min_size=2, max_size=9).map(" ".join)


@given(TITLES, st.data())
def test_the_order_of_two_records_does_not_matter(title: str, data: st.DataObject) -> None:
    """Titles of one team, of which one has words of the other in their order or in another."""
    words = data.draw(st.permutations(title.split()) | st.just(title.split()))
    at = data.draw(st.integers(0, len(words) - 1))
    new = data.draw(st.lists(st.sampled_from(WORDS), max_size=2))
    other = " ".join((*words[:at], *new, *words[at + data.draw(st.integers(0, 1)) :]))
    one, two = (fingerprint(record("a", title=text, **TEAM)) for text in (title, other or "Soil"))
    there, back = DEFAULT.judge(one, two), DEFAULT.judge(two, one)

    assert (there and there.verdict) == (back and back.verdict)
    assert exchange(one.words, two.words) == "" or exchange(two.words, one.words) != ""
    assert resemblance(one, two) == resemblance(two, one)
