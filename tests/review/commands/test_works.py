"""`metasearch works`: lists, decisions, tags, notes, pins, exports and imports."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cases import each
from tests.cli.conftest import Run
from tests.review.commands.conftest import Json
from tests.review.new_workspaces import make_once

SOURCES = "demo-pubmed,demo-openalex"


@pytest.fixture(autouse=True)
def project(run: Run, file: Path) -> None:
    """A review that has been run once."""

    def make() -> None:
        run("project", "new", "gambling", "--kind", "review")
        run("strategy", "add", "gambling")
        run("strategy", "run", "--demo", "-s", SOURCES)

    make_once("run once", file, make)


def uids(answered: Json, *args: str, code: int = 0) -> list[str]:
    """The ids of a list."""
    return [
        work["uid"] for work in answered("works", "list", "-n", "500", *args, code=code)["works"]
    ]


def test_a_list_is_narrowed_sorted_and_paged(run: Run, answered: Json) -> None:
    """All options hold together; stderr names the next page; an empty list exits 1."""
    every = uids(answered, "--sort", "title")
    page = run("works", "list", "-n", "2", "--start", "2", "--sort", "title")
    recent = answered("works", "list", "--year", "2020-", "--source", "demo-pubmed", "-n", "500")

    assert [line.split()[0] for line in page.out.splitlines()[1:]] == every[2:4]
    assert f"3 to 4 of {len(every)} works; --start 4 shows the next" in page.err
    assert 0 < recent["total"] < len(every)
    assert all(
        work["year"] >= 2020 and "demo-pubmed" in work["sources"] for work in recent["works"]
    )
    assert run("works", "list", "--text", "zzyzx").code == 1


def test_facets_count_the_whole_list(run: Run, answered: Json) -> None:
    """Whatever part of it is shown."""
    page = answered("works", "list", "-n", "1")
    sources = next(facet for facet in page["facets"] if facet["name"] == "sources")

    assert {value["value"] for value in sources["values"]} == set(SOURCES.split(","))
    assert max(value["count"] for value in sources["values"]) <= page["total"]
    assert "verdict: undecided" in run("works", "list", "--facets").out


def test_a_work_is_found_by_any_of_its_names(run: Run, answered: Json) -> None:
    """Its id, its DOI in any spelling, and the keys of its records; it says who found it."""
    work = next(
        one for one in answered("works", "list", "-n", "500")["works"] if len(one["sources"]) == 2
    )

    by_id = answered("works", "show", work["uid"])
    by_doi = answered("works", "show", f"https://doi.org/{work['doi'].upper()}")
    shown = run("works", "show", work["uid"]).out

    assert by_id == by_doi
    assert {found["source"] for found in by_id["found_by"]} == set(SOURCES.split(","))
    assert f"found     run 1, #1, {SOURCES.split(',')[0]}" in shown


def test_decisions_are_made_and_undone(run: Run, answered: Json) -> None:
    """One by one, or about all that a list shows; each call is one change of the log."""
    first, second, *_ = uids(answered)
    old = uids(answered, "--year", "-2015")

    marked = run("works", "mark", "relevant", first, second)
    excluded = answered(
        *("works", "mark", "excluded", "--all-matching", "--year", "-2015"),
        *("--reason", "too old"),
    )
    again = answered("works", "mark", "excluded", "--all-matching", "--verdict", "excluded",
                     "--reason", "too old")  # fmt: skip
    before = uids(answered, "--verdict", "excluded")
    run("project", "undo", str(excluded["change"]))
    after = uids(answered, "--verdict", "excluded", code=1)
    run("works", "mark", "undecided", second)

    assert "2 works marked as relevant" in marked.err
    assert excluded["works"] == len(old) > 0
    assert (again["works"], again["unchanged"], again["change"]) == (0, len(old), None)
    assert (sorted(before), after) == (sorted(old), [])
    assert uids(answered, "--verdict", "relevant") == [first]


def test_ids_come_from_standard_input(run: Run, answered: Json) -> None:
    """As another program writes them."""
    chosen = uids(answered)[:3]

    run("works", "mark", "close", "-", stdin="\n".join(chosen).encode())

    assert sorted(uids(answered, "--verdict", "close")) == sorted(chosen)


def test_tags_and_notes(run: Run, answered: Json) -> None:
    """They are given, narrowed by, and taken away."""
    first = uids(answered)[0]
    run("works", "tag", first, "--add", "to read", "--add", "later")
    run("works", "tag", "--all-matching", "--tag", "later", "--remove", "later")
    run("works", "note", first, "Ask the author.")

    work = answered("works", "show", first)

    assert (work["tags"], work["note"]) == (["to read"], "Ask the author.")
    assert uids(answered, "--tag", "to read") == [first]


def test_two_works_are_pinned_as_one_and_divided_again(run: Run, answered: Json) -> None:
    """The id of the other one stays a name of the work; without the pin there are two again."""
    first, second, *rest = uids(answered)
    joined = answered("works", "pin", "same", first, second, "--note", "looked at both")
    (pair,) = joined["joined"]
    one = uids(answered)
    (pin,) = answered("works", "pins")
    run("works", "unpin", str(pin["id"]))

    assert {pair["kept"], pair["was"]} == {first, second}
    assert sorted(one) == sorted([pair["kept"], *rest])
    assert pin["note"] == "looked at both"
    assert sorted(uids(answered)) == sorted([first, second, *rest])
    assert answered("works", "pins") == []


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.ris", b"TY  - "),
        ("a.csv", b"\xef\xbb\xbf"),
        ("a.bib", b"@"),
        ("a.nbib", b"PMID- "),
    ],
)
def test_the_ending_of_a_file_chooses_the_format(
    run: Run, tmp_path: Path, name: str, begins: bytes
) -> None:
    """As in a search."""
    file = tmp_path / name

    outcome = run("works", "export", "-o", str(file))

    assert outcome.code == 0, outcome.err
    assert file.read_bytes().startswith(begins) or begins == b"PMID- "
    assert file.stat().st_size > 0


def test_decisions_of_a_screening_tool_come_back(run: Run, answered: Json, tmp_path: Path) -> None:
    """An export names each work; a table with the same names and a decision is imported as one
    change; what is no work is told, with exit code 3."""
    out = tmp_path / "screening.csv"
    run("works", "export", "-f", "asreview", "-o", str(out))
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8-sig"))))
    for number, row in enumerate(rows):
        row["included"] = str(number % 2)
    rows.append({**rows[0], "metasearch_id": "nosuchwork22", "doi": "", "title": "Nothing"})
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)

    made = answered("works", "import", str(out), code=3)
    included = uids(answered, "--verdict", "relevant")
    run("project", "undo", str(made["change"]))

    assert made["changed"] == len(rows) - 1
    assert len(made["not_imported"]) == 1
    assert sorted(included) == sorted(row["metasearch_id"] for row in rows[1:-1:2])
    assert uids(answered, "--verdict", "relevant", code=1) == []


@each(
    ("args", "said"),
    [
        (["show", "10.1000/none"], "There is no work '10.1000/none'"),
        (["mark", "relevant"], "no work is named"),
        (["mark", "relevant", "--text", "debt"], "--all-matching is not given"),
        (["mark", "relevant", "x", "--all-matching"], "Use one of them"),
        (["mark", "relevant", "nosuchwork22"], "nosuchwork22"),
        (["mark", "perhaps", "x"], "'perhaps' is not one of"),
        (["mark", "unavailable", "--all-matching"], "There is no verdict 'unavailable'"),
        (["tag", "x"], "no tag is named"),
        (["tag", "--all-matching", "--add", " "], "cannot be a tag"),
        (["list", "--year", "soon"], "four digits"),
        (["list", "--step", "first"], "is no step"),
        (["list", "-n", "501"], "501"),
        (["export", "-o", "x.docx"], "no format has files that end in .docx"),
        (["export", "-f", "endnote"], "endnote"),
        (["import", "/nowhere.csv"], "nowhere"),
        (["unpin", "7"], "no pin 7"),
        (["pin", "same", "x", "y"], "x"),
    ],
)
def test_what_cannot_be_done(run: Run, args: list[str], said: str) -> None:
    """It is said in words; exit code 2, and nothing is changed."""
    outcome = run("works", *args)

    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    assert run("works", "list", "--verdict", "decided").code == 1
