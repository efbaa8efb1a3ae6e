"""What the default chain says about pairs: the regrets of other tools, one by one."""

from __future__ import annotations

from typing import Any

from metasearch.dedup import DEFAULT, fingerprint
from metasearch.record import Match
from tests.cases import each
from tests.dedup.records import ARTICLE, record


def said(a: dict[str, Any], b: dict[str, Any]) -> Match | None:
    """The chain's verdict on two variations of one article."""
    left, right = (
        record(source, 1, **{**ARTICLE, **over}) for source, over in (("a", a), ("b", b))
    )
    match = DEFAULT.judge(fingerprint(left), fingerprint(right))
    mirrored = DEFAULT.judge(fingerprint(right), fingerprint(left))
    assert match == mirrored
    return match


SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "spelling of the DOI is settled before": (
        {"doi": "10.1000/one"},
        {"doi": "10.1000/one", "title": "Sorption"},
    ),
    "journal abbreviated": ({}, {"venue": "J. Soil Sci."}),
    "journal as initialism": (
        {"venue": "Journal of the American Medical Association"},
        {"venue": "JAMA"},
    ),
    "first author inverted and with initials": (
        {},
        {"authors": ["van der Berg, A.", "Okafor, C."]},
    ),
    "subtitle missing": ({}, {"title": "Sorption of phosphate on iron oxides in lake sediments"}),
    "subtitle in its own field": (
        {},
        {
            "title": "Sorption of phosphate on iron oxides in lake sediments",
            "subtitle": "A column study",
        },
    ),
    "capitals and a full stop": ({}, {"title": ARTICLE["title"].upper() + "."}),
    "a typo": ({}, {"title": ARTICLE["title"].replace("phosphate", "phopshate")}),
    "cut off with an ellipsis": ({}, {"title": "Sorption of phosphate on iron oxides in …"}),
    "year one apart (online first)": ({}, {"year": 2012}),
    "pages shortened": ({}, {"pages": "101-15"}),
    "a suffix that databases add": ({}, {"title": ARTICLE["title"] + " [Review]"}),
    "no author on one side": ({}, {"authors": []}),
    "only another author first": ({}, {"authors": ["Okafor, C.", "Berg, A. van der"]}),
    "same PMID": (
        {"ids": {"pmid": "5"}, "year": None},
        {"ids": {"pmid": "5"}, "venue": None, "pages": None},
    ),
    "full-width brackets": (
        {"title": "太湖流域水质（一九九八年）变化研究与评价"},
        {"title": "太湖流域水质(一九九八年)变化研究与评价"},
    ),
    "dash pair against double hyphen": (
        {"title": "太湖五里湖生态重建示范工程——大型围隔试验"},
        {"title": "太湖五里湖生态重建示范工程--大型围隔试验"},
    ),
    "em dash against hyphen": (
        {"title": "龙羊峡—刘家峡河段开发规划"},
        {"title": "龙羊峡-刘家峡河段开发规划"},
    ),
    "Chinese subtitle missing": (
        {"title": "水生植物群落构建对入湖河流污染物的净化效应——以巢湖小柘皋河为例"},
        {"title": "水生植物群落构建对入湖河流污染物的净化效应"},
    ),
}

APART: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "two parts": (
        {"title": "Iron oxides in lakes. Part I"},
        {"title": "Iron oxides in lakes. Part II"},
    ),
    "roman series numbers": (
        {"title": "Iron oxides in lakes II"},
        {"title": "Iron oxides in lakes III"},
    ),
    "Chinese series numbers": (
        {"title": "铁氧化物吸附磷的研究（Ⅰ）"},
        {"title": "铁氧化物吸附磷的研究（Ⅱ）"},
    ),
    "erratum": ({}, {"title": "Erratum: " + ARTICLE["title"]}),
    "erratum under the article's DOI": (
        {"doi": "10.1000/one"},
        {"title": "Erratum to: " + ARTICLE["title"], "doi": "10.1000/one"},
    ),
    "reply": ({}, {"title": "Reply to: " + ARTICLE["title"], "authors": ["Smith, J."]}),
    "retraction": ({}, {"title": "Retraction: " + ARTICLE["title"]}),
    "another DOI": (
        {"doi": "10.1000/one"},
        {"doi": "10.1000/two", "pages": "200-210", "volume": "13"},
    ),
    "yearly reports": (
        {"title": "Annual report on soils 2010"},
        {"title": "Annual report on soils 2011"},
    ),
    "another edition": ({"edition": "2nd ed."}, {"edition": "3rd edition"}),
    "the same title years later": ({"year": 2001, "volume": None}, {"year": 2011, "volume": None}),
    "front matter": (
        {"title": "Editorial", "pages": "1-2"},
        {"title": "Editorial", "pages": "55-56", "issue": "4"},
    ),
    "one DOI over a whole supplement": (
        {"doi": "10.1000/suppl", "title": "Thyroid function in mice", "pages": None},
        {
            "doi": "10.1000/suppl",
            "title": "Outcomes of knee surgery",
            "pages": None,
            "authors": ["Li, Wei"],
        },
    ),
    "empty titles": ({"title": ""}, {"title": ""}),
    "a portal's URL": (
        {"url": "https://example.org/search", "title": "Thyroid function in mice"},
        {
            "url": "https://example.org/search",
            "title": "Outcomes of knee surgery",
            "authors": ["Li, Wei"],
        },
    ),
}


@each("name", SAME)
def test_one_work(name: str) -> None:
    """These two records are one work."""
    match = said(*SAME[name])

    assert match is not None
    assert match.verdict == "same"
    assert match.because


def test_a_page_without_its_volume_is_no_key() -> None:
    """Every journal has a first page in every year, so all records of a year would meet."""
    one, other = (
        record(source, 1, title=title, year=2001, pages="1-9")
        for source, title in (("a", "Iron in northern lakes"), ("b", "Voting among students"))
    )

    assert not set(DEFAULT.keys(fingerprint(one))) & set(DEFAULT.keys(fingerprint(other)))


@each("name", SAME)
def test_one_work_meets(name: str) -> None:
    """The two records share a key, so that they are compared at all."""
    left, right = (
        record(s, 1, **{**ARTICLE, **over}) for s, over in zip("ab", SAME[name], strict=True)
    )

    assert set(DEFAULT.keys(fingerprint(left))) & set(DEFAULT.keys(fingerprint(right)))


@each("name", APART)
def test_two_works(name: str) -> None:
    """These two records are two works."""
    match = said(*APART[name])

    assert match is None or match.verdict == "different"


def test_preprint_and_article_are_versions() -> None:
    """A preprint and the published article are versions of one work, not the same record twice."""
    match = said(
        {"doi": "10.1000/one"},
        {"doi": "10.48550/arxiv.1101.00001", "type": "preprint", "venue": "arXiv"},
    )

    assert match is not None
    assert match.verdict == "version"


def test_the_reason_is_in_words() -> None:
    """Evidence can be read: which identifier, and which fields agree."""
    match = said({"doi": "10.1000/one"}, {"doi": "10.1000/one"})

    assert match is not None
    assert (
        match.because
        == "same DOI; titles equal; same authors; same year; same venue; volume equal; issue "
        "equal; pages equal"
    )
    assert (match.left, match.right) == ("a:1", "b:1")


def test_too_little_is_never_the_same() -> None:
    """Two records that hold nothing but an abstract of a few words stay apart."""
    a, b = (fingerprint(record(s, 1, title="", abstract="No abstract available")) for s in "ab")

    assert DEFAULT.judge(a, b) is None
