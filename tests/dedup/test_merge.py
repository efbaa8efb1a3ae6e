"""One record out of many, and for each field the source that gave it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metasearch.dedup.fingerprints import fingerprint
from metasearch.dedup.hits import FIELDS, POLICIES, first, merge
from metasearch.record import Author, Hit, Match, Record
from tests.dedup.records import ARTICLE, record, records


def merged(*rows: Record, **options: Any) -> Hit:
    """The hit of these records."""
    return merge([(f"{r.key}@{n}", r, fingerprint(r)) for n, r in enumerate(rows)], **options)


def test_each_field_names_its_source() -> None:
    """Provenance has an entry for every field that the merged record has, and the source really
    said so."""
    hit = merged(
        record("a", 1, **{**ARTICLE, "venue": "J. Soil Sci."}, ids={"pmid": "5"}),
        record("b", 1, **ARTICLE, doi="10.1000/one", abstract="Iron binds phosphate."),
    )

    assert hit.provenance["venue"] == "b"
    assert hit.provenance["abstract"] == "b"
    assert hit.provenance["ids.pmid"] == "a"
    assert hit.record.venue == "Journal of Soil Science"
    for name, source in hit.provenance.items():
        if not name.startswith("ids."):
            value = getattr(hit.record, name)
            assert value
            if name not in ("titles", "isbn", "issn", "keywords"):
                assert any(r.source == source and getattr(r, name) == value for r in hit.records)


def test_other_titles_are_united() -> None:
    """What one source calls the work in Chinese and another in German stays with it."""
    hit = merged(
        record("a", 1, title="Iron in lakes", titles=("湖泊中的铁",)),
        record("b", 1, title="Iron in lakes", titles=("Eisen in Seen", "湖泊中的铁")),
    )

    assert hit.record.titles == ("湖泊中的铁", "Eisen in Seen")


def test_editors_whom_a_catalogue_calls_authors_stay_editors() -> None:
    """Where no source names both, and the work is a whole one."""
    roe, os = Author("Ada Roe", "Roe", "Ada"), Author("Max Os", "Os", "Max")
    catalogue = Record(source="a", title="Clays", authors=(replace(roe, given="A."),), type="book")
    edited = Record(source="b", title="Clays", editors=(roe,), type="book")

    def people(*rows: Record) -> tuple[tuple[Author, ...], tuple[Author, ...]]:
        found = merged(*rows).record
        assert set(merged(*rows).provenance) >= {"title", "editors"}
        return found.authors, found.editors

    assert people(catalogue, edited) == ((), (roe,))
    assert people(replace(catalogue, authors=(os,)), edited) == ((os,), (roe,))
    both = replace(edited, source="c", authors=(roe,))
    assert [one.family for one in people(catalogue, edited, both)[0]] == ["Roe"]
    chapter = replace(edited, type="chapter")
    assert people(catalogue, chapter)[0] == catalogue.authors


def test_a_title_has_no_full_stop_that_another_record_of_it_does_not_have() -> None:
    """MEDLINE puts one behind each title; an ellipsis, and a stop that all have, stay."""
    with_stop = record("a", 1, title="Iron in lakes.", titles=("Fer des lacs",))
    alone = merged(with_stop, record("b", 1, title="Something else"))

    assert merged(with_stop, record("b", 1, title="Iron in  Lakes")).record.title == "Iron in lakes"
    assert merged(with_stop, record("b", 1, title="Iron in  Lakes")).record.titles == (
        "Fer des lacs",
    )
    assert alone.record.title == "Iron in lakes."


def test_a_title_in_capitals_or_cut_off_is_the_last_choice() -> None:
    """The readable title wins, whatever the sources' names."""
    hit = merged(
        record("a", 1, title="SORPTION OF PHOSPHATE ON IRON"),
        record("b", 1, title="Sorption of phosphate on …"),
        record("c", 1, title="Sorption of phosphate on iron"),
    )

    assert hit.record.title == "Sorption of phosphate on iron"
    assert hit.provenance["title"] == "c"


def test_the_published_form_speaks_for_the_work() -> None:
    """Of preprint and article the article gives the fields, and both stand in `versions`."""
    hit = merged(
        record("a", 1, title="Sorption of phosphate", type="preprint", venue="arXiv", year=2010),
        record("b", 1, title="Sorption of phosphate", type="article", venue="Soil", year=2011),
        matches=[Match("fields", "version", 0.9, "", "a:1@0", "b:1@1")],
    )

    assert hit.record.type == "article"
    assert hit.record.year == 2011
    assert [v.kind for v in hit.versions] == ["published", "preprint"]


def test_trust_decides_between_equals() -> None:
    """A source with more weight gives the volume where the sources disagree."""
    rows = [record("a", 1, title="T", volume="1"), record("b", 1, title="T", volume="2")]

    assert merged(*rows).record.volume == "1"
    assert merged(*rows, trust={"b": 2.0}).record.volume == "2"


@given(records(), st.randoms(use_true_random=False))
def test_order_does_not_matter(rows: list[Record], rng: random.Random) -> None:
    """Merging is a function of the set of records."""
    members = [(f"{r.key}@{n}", r, fingerprint(r)) for n, r in enumerate(rows)]
    shuffled = members[:]
    rng.shuffle(shuffled)

    assert merge(shuffled) == merge(members)


@given(st.sampled_from(FIELDS), records(), st.integers(2, 4))
def test_what_all_say_is_what_the_hit_says(field: str, rows: list[Record], times: int) -> None:
    """Every policy chooses the value that all records have, as the merge does without asking it;
    the most trusted record gives it."""
    value = getattr(rows[0], field)
    same = [record(name, 1, title="T", **{field: value}) for name in "abcd"[:times]]
    hit = merged(*same, trust={"a": 2.0})

    if value:
        assert POLICIES.get(field, first)([value] * times) == value
        if field != "titles":  # but for the chosen title
            assert getattr(hit.record, field) == value
            assert hit.provenance[field] == "a"
    elif field not in ("citations", "year", "titles"):
        assert field not in hit.provenance


def test_the_highest_citation_count_stands_on_the_hit() -> None:
    """With the source that counts it, whatever the sources' order of trust; a count of 0 is a
    count."""
    rows = [record("a", 1, title="T", citations=3), record("b", 1, title="T", citations=40),
            record("c", 1, title="T"), record("d", 1, title="T", citations=40)]  # fmt: skip
    hit = merged(*rows, trust={"a": 9.0})
    none = merged(record("a", 1, title="T", citations=0), record("b", 1, title="T"))
    single = merged(record("a", 1, title="T", citations=0))

    assert (hit.record.citations, hit.provenance["citations"]) == (40, "b")
    assert (none.record.citations, none.provenance["citations"]) == (0, "a")
    assert (single.record.citations, single.provenance["citations"]) == (0, "a")
    assert (
        "citations" not in merged(record("a", 1, title="T"), record("b", 1, title="T")).provenance
    )


def test_one_open_copy_makes_a_work_open() -> None:
    """Whatever the more trusted source says; and the PDF is that of the copy that is open."""
    rows = [
        record("a", 1, title="T", open_access="closed", pdf_url="https://a.example/paywall.pdf"),
        record("b", 1, title="T", pdf_url="https://b.example/unknown.pdf"),
        record("c", 1, title="T", open_access="open"),
        record("d", 1, title="T", open_access="green", pdf_url="https://d.example/free.pdf"),
    ]
    hit = merged(*rows, trust={"a": 9.0})
    without = merged(*rows[:3], trust={"a": 9.0})
    paywalled = merged(rows[0], record("e", 1, title="T"))

    assert (hit.record.open_access, hit.provenance["open_access"]) == ("green", "d")
    assert (hit.record.pdf_url, hit.provenance["pdf_url"]) == ("https://d.example/free.pdf", "d")
    assert (without.record.open_access, without.provenance["open_access"]) == ("open", "c")
    assert without.provenance["pdf_url"] == "b"
    assert paywalled.record.open_access == "closed"
    assert paywalled.provenance["pdf_url"] == "a"
