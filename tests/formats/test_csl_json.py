"""CSL-JSON of reference managers, and the works of Crossref, which are nearly that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metasearch.formats.csl_json import looks_like
from metasearch.formats.reading import read_bytes
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.samples import read, told
from tests.formats.reading.structured import CSL_JSON, OWN


def record(**item: Any) -> Record:
    """The record of a file with this item."""
    reading = read(json.dumps([{"title": "T", **item}]), "csl-json")
    assert not reading.problems
    return reading.records[0]


def test_a_whole_file() -> None:
    """Numbers as numbers or strings, dates in three ways, particles, bodies, databases."""
    reading = read(CSL_JSON)
    first, second = reading.records

    assert not reading.problems
    assert [(it.line, it.database) for it in reading.entries] == [(2, "PubMed"), (6, None)]
    assert first == Record(
        source="a.txt",
        source_id="a",
        position=1,
        title="Iron in lakes",
        authors=(Author("Erika Musterfrau", "Musterfrau", "Erika"), Author("Lake Group")),
        year=2019,
        date="2019-03-12",
        venue="Journal of Mud",
        volume="12",
        issue="3",
        pages="101-109",
        doi="10.1000/mud.1",
        ids={"pmid": "10000001"},
        issn=("1234-5679",),
        type="article",
    )
    assert (second.type, second.year, second.authors[0].family) == ("book", 2001, "von Byron")


@each(
    ("item", "expected"),
    [
        ({"title": ["A", "B"], "subtitle": ["S"]}, {"title": "A", "subtitle": "S", "titles": ("B",
        )}),
        ({"original-title": "Ein Titel"}, {"titles": ("Ein Titel",)}),
        ({"issued": {"date-parts": [[2019]]}}, {"year": 2019, "date": "2019"}),
        ({"issued": {"date-parts": [[None]]}}, {"year": None}),
        ({"issued": {"literal": "circa 1900"}}, {"year": 1900}),
        ({"issued": "2019-03"}, {"date": "2019-03"}),
        ({"published-print": {"date-parts": [[2018, 2]]}}, {"date": "2018-02"}),
        ({"type": "article"}, {"type": "preprint"}),
        ({"type": "article", "container-title": "J"}, {"type": "article", "venue": "J"}),
        ({"type": "paper-conference", "event-title": "C"}, {"type": "conference-paper",
        "venue": "C"}),
        ({"type": "thesis", "publisher": "北京大学"}, {"type": "thesis",
        "venue": "北京大学学位论文"}),
        ({"type": "proceedings-article"}, {"type": "conference-paper"}),
        ({"type": "entry-encyclopedia"}, {"type": "reference-entry"}),
        ({"article-number": "e12"}, {"pages": "e12"}),
        ({"number": "arXiv:1706.03762", "publisher": "arXiv"}, {"ids": {"arxiv": "1706.03762"}}),
        ({"note": "PMID: 10000001"}, {"ids": {"pmid": "10000001"}}),
        ({"PMCID": "PMC77"}, {"ids": {"pmcid": "PMC77"}}),
        ({"keyword": "a, b"}, {"keywords": ("a", "b")}),
        ({"subject": ["Life, the universe"]}, {"keywords": ("Life, the universe",)}),
        ({"is-referenced-by-count": 4}, {"citations": 4}),
        ({"author": [{"name": "A body"}, {"family": "B",
        "ORCID": "http://orcid.org/0000-0002-1825-0097"}]},
         {"authors": (Author("A body"), Author("B", "B", None, "0000-0002-1825-0097"))}),
        ({"author": [{"family": "张", "given": "三"}, "Doe, Jane", 5, {}]},
         {"authors": (Author("张三", "张", "三"), Author("Jane Doe", "Doe", "Jane"))}),
        ({"editor": [{"family": "Doe", "given": "Jane"}]}, {"authors": (Author("Jane "
                                                                               "Doe", "Doe",
                                                                               "Jane"),)}),
    ],
)  # fmt: skip
def test_fields(item: dict[str, Any], expected: dict[str, object]) -> None:
    """The flavours of Zotero, Mendeley, citeproc and Crossref."""
    found = record(**item)

    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    "text",
    [
        '[{"title": "A"}, {"title": "B"}]',
        '{"items": [{"title": "A"}, {"title": "B"}], "other": [{"title": "no"}]}',
        (
            '{"status": "ok", "message": {"facets": {}, "items": [{"title": ["A"]}, {"title": '
            '["B"]}]}}'
        ),
        '{"title": "A"}\n{"title": "B"}',
    ],
)
def test_where_the_items_are(text: str) -> None:
    """A list, a list under a key, or one object behind the other."""
    assert [record.title for record in read(text, "csl-json").records] == ["A", "B"]


def test_an_answer_about_one_work() -> None:
    """Crossref's envelope is taken off."""
    assert (
        read(
            '{"status": "ok", "message": {"title": ["A"], "author": [{"family": "B"}]}}', "csl-json"
        )
        .records[0]
        .title
        == "A"
    )


def test_a_broken_item_is_told_and_costs_no_other() -> None:
    """Whatever is broken in it: brackets, commas, quotes, what it is."""
    text = """[
 {"id": "a", "title": "A"},
 {"id": "x", "title": "brackets", "author": [{"family": "X"},
 {"id": "b", "title": "B"},
 {"id": "y", "title": "comma" "volume": 1},
 {"id": "z", "title": "quote},
 {"id": "c", "title": "C", "author": [{"family": "é"}]},
 {"id": "n", "note": "nothing"},
 {"id": "d", "title": "D", "volume": NaN, "abstract": "a	tab"}
]"""
    reading = read(text, "csl-json")

    assert [(it.record.title, it.line) for it in reading.entries] == [
        ("A", 2),
        ("B", 4),
        ("C", 7),
        ("D", 9),
    ]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [
        (3, 1),
        (5, 1),
        (6, 1),
        (8, 1),
    ]


def test_what_is_nested_too_deeply_is_refused() -> None:
    """An item, not its neighbours; and whatever the nesting, nothing is raised."""
    deep = "[" * 200 + "]" * 200
    reading = read(
        f'[{{"title": "A"}}, {{"title": "B", "x": {deep}}}, {{"title": "C"}}]', "csl-json"
    )

    assert [record.title for record in reading.records] == ["A", "C"]
    assert told(reading) == [
        (1, "the item could not be read and was left out: it is nested too deeply")
    ]
    assert read("[" * 100_000 + '{"title": "x"}' + "]" * 100_000, "csl-json").problems


def test_detection() -> None:
    """Members of CSL in JSON, which ours are not."""
    assert looks_like(CSL_JSON)
    assert not looks_like(OWN)
    assert not looks_like('DOI: "DOI" : 1')


@pytest.mark.shared
def test_real_answers_of_crossref(shared: Path) -> None:
    """Every work in them, with title or DOI, as Crossref's own adapter finds them."""
    folder = shared / "data/payloads/crossref"
    counted = {
        "works-query-ecology-rows-2.json": 2,
        "crossref-orcid.json": 10,
        "crossref-by-id.json": 1,
    }
    for path in sorted(folder.glob("works-filter-type-book-chapter*.json")):
        counted[path.name] = 20
    for name, count in counted.items():
        reading = read_bytes((folder / name).read_bytes(), name)
        assert (reading.format, len(reading.entries), reading.lost) == ("csl-json", count, 0), name
        assert all(record.title and record.doi for record in reading.records), name
