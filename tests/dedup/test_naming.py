"""What works are called: by what they are, each by an id of its own, and found by every id that
they may have borne."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.work_ids import find, find_each, hit_id, other_ids
from metasearch.dedup import DEFAULT, OnlineDedup, fingerprint
from metasearch.dedup import hits as naming
from metasearch.record import Author, Hit, Record, VersionsMode
from tests.cases import each
from tests.dedup.records import ARTICLE, record, records
from tests.dedup.test_online import fold
from tests.growth import MOST, growth

PREPRINT = {
    **ARTICLE,
    "venue": "arXiv",
    "volume": None,
    "issue": None,
    "pages": None,
    "type": "preprint",
}


def hits_of(rows: list[Record], versions: VersionsMode = "group") -> list[Hit]:
    """The hits of an answer of these records."""
    stage = OnlineDedup(DEFAULT, versions=versions)
    for row in rows:
        stage.insert(row)
    return stage.hits()


def key(**values: Any) -> str:
    """The key of one record."""
    return naming.key_of(fingerprint(record(**{**ARTICLE, **values})))[1]


@given(records(), st.sampled_from(["group", "separate", "merge"]))
def test_no_two_hits_have_one_id(rows: list[Record], versions: VersionsMode) -> None:
    """Also where a veto keeps records of one title and author apart."""
    ids = [hit.id for hit in hits_of(rows, versions)]

    assert len(set(ids)) == len(ids)


@given(records(), st.randoms(use_true_random=False), st.sampled_from(["group", "separate"]))
def test_every_id_of_fewer_records_finds_its_work(
    rows: list[Record], rng: random.Random, versions: VersionsMode
) -> None:
    """The id that a work has in the answer of fewer sources means, in the whole answer, a hit with
    one of its records.

    Unless another hit bears that very id there.
    """
    whole = hits_of(rows, versions)
    ids = {hit.id for hit in whole}

    for part in hits_of([row for row in rows if rng.random() < 0.5], versions):
        found = find(part.id, whole)
        keys = {row.key for row in part.records}

        assert found
        assert part.id in ids or any(keys & {row.key for row in hit.records} for hit in found)


@given(records(), st.sampled_from(["group", "separate"]))
def test_many_ids_are_found_as_one_by_one(rows: list[Record], versions: VersionsMode) -> None:
    """In one pass over the hits: their own ids, earlier ones, possible ones, and one of no hit."""
    hits = hits_of(rows, versions)
    names = {name for hit in hits for name in other_ids((hit.id, *hit.also), hit.records)}
    expected = {name: find(name, hits)[0] for name in names}

    assert find_each([*names, hit_id("nobody")], hits) == expected


@given(records())
def test_every_name_of_a_record_finds_its_hit(rows: list[Record]) -> None:
    """Key, identifiers, and the id after the smallest record that hits had before."""
    hits = hits_of(rows)

    for hit in hits:
        assert find(hit.id, hits) == [hit]
        assert find(f"urn:metasearch:hit:{hit.id}", hits) == [hit]
        assert hit in find(hit_id(min(row.key for row in hit.records)), hits)
        for row in hit.records:
            assert find(row.key, hits) == [hit]
            if row.doi:
                assert hit in find(f"https://doi.org/{row.doi.upper()}", hits)


@given(
    st.lists(st.sampled_from([2009, 2010, 2011, 2012]), min_size=2, max_size=6),
    st.randoms(use_true_random=False),
)
def test_works_of_one_key_fold_in_any_order(years: list[int], rng: random.Random) -> None:
    """A work that comes late may take the id of another one; whoever applies the changes holds the
    hits."""
    rows = [
        record(
            "a",
            number,
            title="Annual report on water",
            authors=["Berg, A."],
            year=year,
            doi=f"10.1000/{number}",
        )
        for number, year in enumerate(years)
    ]
    whole = {hit.id: hit for hit in hits_of(rows)}
    rng.shuffle(rows)
    stage = OnlineDedup(DEFAULT)
    changes = []
    for row in rows:
        changes += stage.add(row)
        assert fold(changes) == {hit.id: hit for hit in stage.hits()}

    assert fold(changes) == whole


def test_of_two_works_with_one_key_the_earlier_keeps_the_id() -> None:
    """The other one is told apart by its year, and is found by the shared id where it is alone."""
    early, late = (
        record(
            "a",
            year,
            title="Annual report on water",
            authors=["Berg, A."],
            year=year,
            doi=f"10.1000/{year}",
        )
        for year in (2009, 2015)
    )
    (alone,) = hits_of([late])
    (before,) = hits_of([early])

    both = {hit.record.year: hit for hit in hits_of([late, early])}

    assert both[2009].id == before.id == alone.id
    assert both[2015].id not in (before.id, "")
    assert alone.id in both[2015].also
    assert find(both[2015].id, hits_of([late])) == [alone]


@each(
    "other",
    [
        {"title": "SORPTION OF PHOSPHATE ON IRON OXIDES IN LAKE SEDIMENTS"},
        {"title": "Sorption of phosphate on iron oxides in lake sediments — a column study."},
        {"title": "Sorption of phosphate on iron oxides in lake …"},
        {
            "title": "Sorption of phosphate on iron oxides in lake sediments",
            "subtitle": "a column study",
        },
        {"authors": ["van der Berg, A."]},
        {"authors": ["Anna van der Berg"]},
        {"authors": ["BERG AB"]},
        {"year": 2012},
        {"venue": "arXiv", "type": "preprint", "doi": "10.48550/arxiv.1"},
        {"doi": "10.1000/one"},
    ],
)
def test_spellings_of_one_work_have_one_key(other: dict[str, Any]) -> None:
    """Capitals, subtitle, a title cut off, names in one piece, a year beside it, preprint,
    identifiers."""
    assert key(**other) == key()


@each(
    "other",
    [
        {"title": "Desorption of phosphate on iron oxides in lake sediments"},
        {"authors": ["Okafor, Chidi"]},
        {"title": "Sorption of phosphate on iron oxides in lake sediments: Part II"},
        {"title": "Correction: Sorption of phosphate on iron oxides in lake sediments"},
    ],
)
def test_other_works_have_other_keys(other: dict[str, Any]) -> None:
    """Another title, author or part, and a notice about the work."""
    assert key(**other) != key()


def test_a_title_that_says_nothing_is_named_by_identifier_or_place() -> None:
    """Two editorials are two works; without an identifier volume, issue and page tell."""
    assert key(title="Editorial", doi="10.1000/one") != key(title="Editorial", doi="10.1000/two")
    assert key(title="Editorial", volume="12") != key(title="Editorial", volume="13")
    assert key(title="Editorial", venue="J. Soil Sci.") == key(title="Editorial")


def test_a_work_is_named_without_its_source() -> None:
    """The name of a source or file is no part of the key, even if little else is there."""
    for values in (
        ARTICLE,
        {"title": "Sorption"},
        {"title": "", "doi": "10.1000/one"},
        {"title": "", "year": 2011},
    ):
        one, other = (
            naming.own_id(fingerprint(record(source, 7, **values)))
            for source in ("old.ris", "new.ris")
        )

        assert one == other


def test_family_names_in_two_words_are_one_key_however_they_are_given() -> None:
    """Some sources give both names as the family name, some leave the name in one piece; "Jr" is no
    name."""
    names = [
        Author("Cailem Murray Boyle", "Murray Boyle", "Cailem"),
        Author("Cailem Murray Boyle"),
        Author("C. Murray-Boyle", "Murray-Boyle", "C."),
        Author("Cailem Boyle Jr"),
    ]
    keys = {
        naming.key_of(fingerprint(Record(source="a", title="Opportunity costs", authors=(it,))))
        for it in names
    }

    assert len(keys) == 1


def test_versions_that_are_separate_keep_their_ids() -> None:
    """The preprint has one id whether or not the article is there, and with that the grouped hit is
    found."""
    article, preprint = record("a", 1, doi="10.1000/one", **ARTICLE), record("b", 1, **PREPRINT)
    (grouped,) = hits_of([article, preprint])

    apart = {hit.records[0].source: hit for hit in hits_of([article, preprint], "separate")}
    (alone,) = hits_of([preprint], "separate")

    assert apart["a"].id == grouped.id
    assert apart["b"].id == alone.id != grouped.id
    assert find(alone.id, [grouped]) == [grouped]


@pytest.mark.slow
def test_ids_are_the_same_in_every_process() -> None:
    """Whatever the seed of Python's hashes is."""
    program = (
        "import json;from metasearch.dedup import *;from tests.dedup.records import *;"
        "s=OnlineDedup(DEFAULT);"
        "[s.insert(record('a',n,**{**ARTICLE,'year':n,'doi':f'10.1000/{n}'})) for n in "
        "(1990,2000,2010)];"
        "print(json.dumps(sorted(h.id for h in s.hits())))"
    )
    found = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
        )
        for seed in ("1", "2")
    ]

    assert found[0] == found[1]
    assert len(found[0]) == 3


def _naming(count: int) -> Callable[[], object]:
    """Naming so many works of one key."""
    prints = [
        fingerprint(
            record(
                "a", number, title="Annual report", authors=["Berg, A."], doi=f"10.1000/{number}"
            )
        )
        for number in range(count)
    ]
    works = [[number] for number in range(count)]

    def run() -> None:
        own = naming.WorkIds(prints)
        for number in range(count):
            own.claim(number, [works[number]])
        own.settle(lambda root: [works[root]])

    return run


@pytest.mark.slow
def test_naming_many_works_of_one_key_is_linear() -> None:
    """Four times as many take about four times as long."""
    assert growth(_naming, 300) <= MOST
