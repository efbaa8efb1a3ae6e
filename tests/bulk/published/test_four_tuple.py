"""The four-tuple as it was published: what it finds, with and without stripping, and what not even
then."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given

from metasearch.bulk.published.equality import PublishedFourTuple, strip_signs
from metasearch.dedup.fingerprints import fingerprint
from metasearch.record import Author, Record
from tests.cases import each, sample
from tests.dedup.matchers.texts import (
    HOSTILE,
    assert_order_does_not_matter,
    clusters,
    compared,
    share_a_key,
)
from tests.dedup.records import record, records

MEASURED, STRIPPED = PublishedFourTuple(), PublishedFourTuple(stripped=True)
ARTICLE: dict[str, Any] = {
    "title": "湖泊修复的理论与实践",
    "venue": "湖泊科学",
    "year": 2005,
    "authors": ["王磊"],
}
THESIS: dict[str, Any] = {
    "title": "湖泊修复研究",
    "type": "thesis",
    "year": 2005,
    "authors": ["王磊"],
}


def found(matcher: PublishedFourTuple, a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two variations of one article are one work to it."""
    match = compared(matcher, {**ARTICLE, **a}, {**ARTICLE, **b})
    return match is not None and match.verdict == "same"


def byline(names: str) -> dict[str, Any]:
    return {"authors": [names]}


#: The paper's named failures that its section 3.3 mends.
SYMBOLS = {
    "a pair of dashes": (
        {"title": "太湖五里湖生态重建示范工程——大型围隔试验"},
        {"title": "太湖五里湖生态重建示范工程--大型围隔试验"},
    ),
    "one dash and a hyphen": ({"title": "龙羊峡—刘家峡河段"}, {"title": "龙羊峡-刘家峡河段"}),
    "widths of brackets": ({"title": "太湖水质（1998）评价"}, {"title": "太湖水质(1998)评价"}),
    "author separators ; and ,": (byline("王磊;李敏"), byline("王磊,李敏")),
    "author separators ; and a blank": (byline("王磊；李敏"), byline("王磊 李敏")),
    "full-width letters and case": ({"title": "ＤＮＡ损伤"}, {"title": "dna损伤"}),
}
#: Those that nothing in the paper mends.
BEYOND = {
    "a subtitle": (
        {"title": "水生植物群落构建对入湖河流污染物的净化效应——以巢湖小柘皋河为例"},
        {"title": "水生植物群落构建对入湖河流污染物的净化效应"},
    ),
    "a patent without date": ({"type": "patent"}, {"type": "patent", "year": None}),
    "no author": ({}, {"authors": []}),
    "a journal's name abbreviated": (
        {"venue": "Journal of Lake Sciences"},
        {"venue": "J Lake Sci"},
    ),
    "traditional characters": (
        {"title": "湖泊修复的理論與實踐"},
        {"title": "湖泊修复的理论与实践"},
    ),
}


@each("case", SYMBOLS)
def test_symbols_keep_copies_apart_unless_they_are_stripped(case: str) -> None:
    """None of the named cases is found as measured, all with the improvement."""
    assert not found(MEASURED, *SYMBOLS[case])
    assert found(STRIPPED, *SYMBOLS[case])


@each("case", BEYOND)
def test_what_is_more_than_symbols_keeps_copies_apart(case: str) -> None:
    """A member that one database leaves out, or words otherwise."""
    assert not found(MEASURED, *BEYOND[case])
    assert not found(STRIPPED, *BEYOND[case])


def test_the_keys_are_the_hashes() -> None:
    """SHA-1 of the DOI, and of the four members; written down by hand."""
    it = fingerprint(record(**ARTICLE, doi="10.1000/one"))
    doi = hashlib.sha1(b"10.1000/one").hexdigest()
    four = hashlib.sha1("湖泊修复的理论与实践\x1f湖泊科学\x1f2005\x1f王磊".encode()).hexdigest()

    assert [*MEASURED.keys(it)] == [f"doi:{doi}", f"tuple:{four}"]
    assert [*STRIPPED.keys(it)] == [f"doi:{doi}", f"tuple:{four}"]  # there are no symbols in it


@each(
    ("text", "letters"),
    [("（ Ⅱ ）——A", "iia"), ("１９９８年", "1998年"), ("--・", ""), ("Über-Maß", "übermaß")],
)
def test_stripping_leaves_letters_and_digits_of_one_width_and_case(text: str, letters: str) -> None:
    """NFKC, lower case, and everything else gone."""
    assert strip_signs(text) == letters


@each("missing", [(), ("venue",), ("year",), ("authors",)])
def test_one_member_may_be_missing_in_both(missing: tuple[str, ...]) -> None:
    """A title and two others are enough; the verdict names them."""
    said = {"venue": "venue", "year": "year", "authors": "first author"}
    without = {name: value for name, value in ARTICLE.items() if name not in missing}

    match = compared(MEASURED, without, without)

    assert match is not None
    assert match.because == "same title, " + ", ".join(
        said[name] for name in said if name not in missing
    )


@each("missing", [("venue", "year"), ("venue", "authors"), ("year", "authors"), ("title",)])
def test_with_less_than_that_nothing_is_known(missing: tuple[str, ...]) -> None:
    """Two works of one title must not meet in "nothing"; the paper lets them, and so can this."""
    without = {name: value for name, value in ARTICLE.items() if name not in missing}

    assert compared(MEASURED, without, without) is None
    assert compared(STRIPPED, without | {"title": "——"}, without | {"title": "——"}) is None
    assert (compared(PublishedFourTuple(fewest=0), without, without) is None) == (
        "title" in missing
    )


def test_a_thesis_stands_in_its_institution() -> None:
    """Whether the source says so in the venue or names the institution apart; a journal is no
    thesis's venue."""
    apart = {**THESIS, "publisher": "北京大学", "venue": "中国优秀硕士学位论文全文数据库"}

    assert compared(MEASURED, apart, {**THESIS, "venue": "北京大学学位论文"}) is not None
    assert compared(MEASURED, apart, {**THESIS, "publisher": "清华大学"}) is None


def test_an_equal_doi_is_enough() -> None:
    """Whatever the tuples say."""
    match = compared(
        MEASURED, {"doi": "10.1000/one", "title": "One"}, {"doi": "10.1000/one", "title": "Another"}
    )

    assert match is not None
    assert (match.verdict, match.because) == ("same", "same DOI")


def test_other_dois_contradict_equal_tuples_unless_merged_as_in_the_paper() -> None:
    """An erratum or a part: flagged by default; the paper's flow never compares two DOIs."""
    one, other = {**ARTICLE, "doi": "10.1000/one"}, {**ARTICLE, "doi": "10.1000/two"}
    merging = PublishedFourTuple(conflicting_dois="merge")

    flagged, merged = compared(MEASURED, one, other), compared(merging, one, other)

    assert flagged is not None
    assert merged is not None
    assert (flagged.verdict, merged.verdict) == ("different", "same")
    assert "other DOIs" in flagged.because
    apart = [record("a", 1, **one), record("a", 2, **other)]
    assert (len(clusters(MEASURED, apart)), len(clusters(merging, apart))) == (2, 1)


def test_keys_join_through_a_third_record() -> None:
    """A and B by DOI, B and C by tuple: one work, in any order; and so it is where DOIs conflict at
    its ends."""
    by_doi = {"doi": "10.1000/one", "title": "Something else"}
    chain = [by_doi, {**ARTICLE, "doi": "10.1000/one"}, ARTICLE]
    conflict = [{**ARTICLE, "doi": "10.1000/one"}, ARTICLE, {**ARTICLE, "doi": "10.1000/two"}]

    for values in (chain, conflict):
        found = [record("a", number, **one) for number, one in enumerate(values)]
        assert len(clusters(MEASURED, found)) == 1
        assert_order_does_not_matter(MEASURED, found)


@pytest.mark.parametrize("matcher", sample([MEASURED, STRIPPED], 2))
@given(found=records())
def test_order_does_not_matter_and_keys_find_every_verdict(
    matcher: PublishedFourTuple, found: list[Record]
) -> None:
    """Verdicts are symmetric, and speak only of records that share a key."""
    assert_order_does_not_matter(matcher, found)
    prints = [fingerprint(it) for it in found]
    for a in prints:
        for b in prints:
            assert matcher.compare(a, b) == matcher.compare(b, a)
            assert matcher.compare(a, b) is None or share_a_key(matcher, a, b)


@each("hostile", HOSTILE)
def test_hostile_members_are_hashed_as_any_others(hostile: dict[str, Any]) -> None:
    """Of one that is endless the beginning counts."""
    values = {**hostile, "venue": hostile["title"], "year": 2005}
    people = Record(
        source="b", authors=(Author(hostile["title"] or "x"),), year=2005, venue="x", title="x"
    )

    assert len([*MEASURED.keys(fingerprint(record(**values)))]) == 1
    assert len([*STRIPPED.keys(fingerprint(people))]) == 1
