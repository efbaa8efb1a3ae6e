"""CSL-JSON of reference managers, and the works of Crossref, which are nearly that."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metasearch.formats import csl_json
from metasearch.formats.csl_json import looks_like
from metasearch.formats.origins import Beside
from metasearch.formats.reading import read_bytes
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.exported import hits_of
from tests.formats.reading.samples import read, told
from tests.formats.reading.structured import CSL_JSON, OWN
from tests.formats.samples import hit


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
        ({"editor": [{"family": "Doe", "given": "Jane"}]},
         {"editors": (Author("Jane Doe", "Doe", "Jane"),), "authors": ()}),
        ({"translator": [{"family": "Doe", "given": "Jane"}], "publisher-place": "Bonn"},
         {"translators": (Author("Jane Doe", "Doe", "Jane"),), "place": "Bonn"}),
        ({"publisher-location": "Bonn"}, {"place": "Bonn"}),
        ({"publisher": "Bonn : Mud Press"}, {"publisher": "Mud Press", "place": "Bonn"}),
        ({"author": [{"family": "Roe", "given": "Max", "suffix": "Jr.", "comma-suffix": True},
                     {"family": "Os", "non-dropping-particle": "van", "given": "Ada, III"},
                     {"family": "Lund", "given": "Eva,! Jr."}]},
         {"authors": (Author("Max Roe Jr.", "Roe", "Max", suffix="Jr."),
                      Author("Ada van Os III", "van Os", "Ada", suffix="III"),
                      Author("Eva Lund Jr.", "Lund", "Eva", suffix="Jr."))}),
        ({"issued": {"date-parts": [["2019", "03", "5"]]}}, {"date": "2019-03-05"}),
        ({"issued": {"raw": "2019-03-12"}}, {"date": "2019-03-12"}),
        ({"issued": {"edtf": "2019-03/2020-01"}}, {"date": "2019-03"}),
        ({"issued": {"date-parts": "2019-03"}}, {"date": "2019-03"}),
        ({"issued": {"date-parts": [["2019-03-12"]]}}, {"date": "2019-03-12"}),
        ({"issued": [{"date-parts": [[2019]]}]}, {"date": "2019"}),
        ({"issued": {"year": 2019, "month": "3"}}, {"date": "2019-03"}),
        ({"funder": [{"name": "NSF", "award": ["1"]}, {"DOI": "10.1"}]}, {"funders": ("NSF",)}),
        ({"funder": "Ministry"}, {"funders": ("Ministry",)}),
    ],
)  # fmt: skip
def test_fields(item: dict[str, Any], expected: dict[str, object]) -> None:
    """The flavours of Zotero, Mendeley, citeproc and Crossref."""
    found = record(**item)

    assert {name: getattr(found, name) for name in expected} == expected


def again(item: dict[str, Any]) -> dict[str, Any]:
    """What we write of an item, which is read as the same."""
    (entry,) = read(json.dumps([{"title": "T", "type": "book", **item}]), "csl-json").entries
    found = replace(hit(), record=entry.record)
    written = csl_json.item(found, Beside(fields=entry.given))
    (back,) = read(json.dumps([written]), "csl-json").entries
    drop = {"source": "", "source_id": "", "position": 0}
    assert replace(back.record, **drop) == replace(entry.record, **drop)
    assert set(back.given) == set(entry.given)
    return written


@each(
    ("issued", "date"),
    [
        ({"literal": "in press"}, None),
        ({"date-parts": [[850]]}, None),
        ({"date-parts": [["2019", 3], [2020]]}, "2019-03"),
        ({"date-parts": [[2019]], "season": "1"}, "2019"),
        ({"date-parts": [[2019]], "circa": True}, "2019"),
        ({"date-parts": [[2019, 21]]}, "2019"),
        ({"literal": "2019/2020"}, "2019"),
    ],
)
def test_a_date_that_is_more_than_a_date(issued: dict[str, Any], date: str | None) -> None:
    """It is kept beside the record and written again; one without a year is told."""
    reading = read(json.dumps([{"title": "T", "issued": issued}]), "csl-json")

    assert reading.records[0].date == date
    assert [problem.message.partition(":")[0] for problem in reading.problems] == (
        [] if date else ["issued holds no year"]
    )
    assert again({"issued": issued})["issued"] == issued


def test_a_raw_date_is_written_as_words() -> None:
    """Processors understand raw dates in ways of their own."""
    assert again({"issued": {"raw": "Spring 2019"}})["issued"] == {"literal": "Spring 2019"}


def test_dates_of_other_records_of_the_work_are_not_written() -> None:
    """The work has the year that most of its records have."""
    beside = Beside(fields=(("issued", "in press"), ("issued", '{"date-parts":[[2018],[2019]]}')))

    assert csl_json.item(hit(year=2017), beside)["issued"] == {"date-parts": [[2017]]}


@each("depth", [200, 252, 900, 100_000])
def test_what_is_nested_deeply_in_a_text_stays_text(depth: int) -> None:
    """A cell of a table may hold what only looks like our own JSON."""
    deep = "[" * depth + "]" * depth
    fields = (("accessed", deep), ("issued", deep), ("custom", "{"), ("issued", "[1]"))

    assert b"".join(csl_json.parts([hit()], beside={"crossref:1": Beside(fields=fields)}))


def test_other_people_and_dates_are_kept() -> None:
    """Members that a record has no place for, as they are."""
    item = {
        "container-author": [{"family": "Roe", "given": "Ada"}],
        "accessed": {"date-parts": [[2020, 1, 2]]},
        "event-place": "Bonn",
        "custom": {"a": 1},
    }
    written = again(item)

    assert {name: written[name] for name in item} == item
    assert not read(json.dumps([{"title": "T", **item}]), "csl-json").problems


def test_an_unknown_member_that_is_no_text_is_told() -> None:
    """And kept, as JSON; of Crossref's own there are too many."""
    items = [
        {"title": "A", "x-y": {"b": 1}},
        {"title": "B", "x-y": [{"c": 2}], "indexed": {"d": 3}},
    ]
    reading = read(json.dumps(items), "csl-json")

    assert [entry.given for entry in reading.entries] == [
        (("x-y", '{"b":1}'),),
        (("x-y", '[{"c":2}]'),),
    ]
    assert told(reading) == [
        (
            1,
            (
                "2 lines, first this one, hold the member 'x-y', whose value is no text; "
                "kept beside the record"
            ),
        )
    ]


def test_numbers_may_have_any_size() -> None:
    """Also where they stand beside the record."""
    text = '[{"title": "A", "custom": {"a": 123456789012345678901234567890, "b": NaN}}]'
    (entry,) = read(text, "csl-json").entries

    assert entry.given == (("custom", '{"a":123456789012345678901234567890}'),)
    assert "custom" in csl_json.item(hit(), Beside(fields=entry.given))


def test_people_without_a_name_are_counted() -> None:
    """Whatever it is that the file says of them."""
    item = {"title": "A", "author": [{"x": "y"}, {}, {"family": "Roe"}], "editor": {"id": 1}}
    reading = read(json.dumps([item]), "csl-json")

    assert [author.name for author in reading.records[0].authors] == ["Roe"]
    assert told(reading) == [
        (1, "2 lines, first this one, hold a name of no known part, which was left out")
    ]


def test_people_and_places_are_written() -> None:
    """Each in its role, with what stands behind the name."""
    roe = Author("Max Roe Jr.", "Roe", "Max", suffix="Jr.")
    written = csl_json.item(hit(editors=(roe,), translators=(roe,), place="Bonn", type="book"))
    name = {"family": "Roe", "given": "Max", "suffix": "Jr."}

    assert (written["editor"], written["translator"]) == ([name], [name])
    assert written["publisher-place"] == "Bonn"
    assert "author" not in written


@each(
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


def test_others_are_no_author() -> None:
    """It is told; who has a given name is a person."""
    reading = read(
        json.dumps(
            [{"title": "T", "author": [{"family": "Falk"}, {"literal": "et al."}]},
             {"title": "U", "author": [{"family": "others"}, {"family": "Others", "given": "A"}]}]
        ),
        "csl-json",
    )  # fmt: skip

    assert [[it.family for it in found.authors] for found in reading.records] == [
        ["Falk"],
        ["Others"],
    ]
    assert told(reading) == [
        (1, "2 lines, first this one, hold a name that stands for others, which was left out")
    ]


def test_the_number_of_a_patent_identifies_it() -> None:
    assert record(type="patent", number="US1234567B2").ids == {"patent": "US1234567B2"}


@each(("kind", "archive"), [("article", "arXiv"), ("preprint", None)])
def test_where_a_copy_of_an_article_lies_is_its_archive(kind: str, archive: str | None) -> None:
    """A preprint is no copy: arXiv has published it."""
    work = Record(source="s", title="T", type=kind, venue="arXiv", ids={"arxiv": "2001.01234"})
    (one,) = hits_of([work])

    assert csl_json.item(one).get("archive") == archive


def test_several_identifiers_stand_in_a_line_of_a_note() -> None:
    """The other lines of the note do not matter."""
    found = record(note="PMID: 123; PMCID: PMC45\nCitation Key: falk")
    assert found.ids == {"pmid": "123", "pmcid": "PMC45"}


def test_all_ranges_of_pages_are_written() -> None:
    """Not the first alone."""
    (found,) = hits_of([replace(record(), pages="12-15,20")])
    assert csl_json.item(found)["page"] == "12-15, 20"


def test_works_by_their_keys_and_in_a_list_of_references() -> None:
    """As citeproc's users write them, and Pandoc."""
    work = {"type": "book", "title": "Iron"}

    for wrapped in ({"a": work, "b": work | {"title": "Mud"}}, {"references": [work, work]}):
        reading = read_bytes(json.dumps(wrapped).encode(), "a.json", format="csl-json")

        assert (len(reading.records), reading.lost) == (2, 0)
        assert not reading.problems


@each("text", ["[]", '{"references": []}', '{"items": []}'])
def test_a_list_of_no_works_is_told_and_is_no_error(text: str) -> None:
    reading = read_bytes(text.encode(), "a.json")

    assert (reading.format, reading.count, reading.lost) == ("csl-json", 0, 0)
    assert "no record was found" in reading.problems[-1].message
    assert "unknown" not in " ".join(problem.message for problem in reading.problems)
