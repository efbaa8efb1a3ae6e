"""`metasearch evaluate`: the table, the wrong pairs, the document, and what is no set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metasearch.bulk.commands import WIDTH
from tests.bulk.evaluate.samples import ROWS, write
from tests.cli.conftest import Run


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write(tmp_path / "small")


def cells(out: str) -> dict[str, str]:
    """The first set's figures by their column."""
    head, row = (line.split() for line in out.splitlines()[:2])
    return dict(zip(head, row, strict=True))


def test_table(run: Run, small: Path) -> None:
    """A line a set, with every figure under its head."""
    outcome = run("evaluate", str(small))

    figures = cells(outcome.out)
    assert (outcome.code, outcome.err) == (0, "")
    assert int(figures.pop("rec/s")) > 0
    assert figures == {
        "set": "small",
        "records": "5",
        "of": "pairs",
        "P": "1.000",
        "R": "1.000",
        "F1": "1.0000",
        "false": "0",
        "missed": "0",
        "lost": "0",
        "B3": "1.000",
        "exact": "1.000",
    }


def test_table_of_a_set_with_errors(run: Run, tmp_path: Path) -> None:
    """False and missed pairs, and works that are lost; shares are written as in the field."""
    truth = [{"cluster": ["B1", "B2", "C"]}]

    figures = cells(run("evaluate", str(write(tmp_path / "s", truth=truth))).out)

    assert {
        name: figures[name] for name in ("P", "R", "F1", "false", "missed", "lost", "exact")
    } == {
        "P": ".500",
        "R": ".333",
        "F1": ".4000",
        "false": "1",
        "missed": "2",
        "lost": "1",
        "exact": ".000",
    }


def test_shuffles(run: Run, small: Path) -> None:
    """Other orders add a column."""
    assert run("evaluate", str(small), "--shuffles", "2").out.splitlines()[1].endswith("same x 2")


def test_what_is_no_set_is_skipped(run: Run, small: Path, tmp_path: Path) -> None:
    """As a shell's `*` gives them: files and other folders get a line, and the rest is
    evaluated."""
    (tmp_path / "README.md").write_text("x")
    (tmp_path / "raw").mkdir()

    outcome = run("evaluate", *map(str, (tmp_path / "README.md", tmp_path / "raw", small)))

    assert outcome.code == 0
    assert "raw        skipped: no records.jsonl\n" in outcome.out
    assert "README.md  skipped: a file, and not .jsonl or .jsonl.gz\n" in outcome.out


def test_table_fits(run: Run, tmp_path: Path) -> None:
    """Even a set with a long name stays within the columns."""
    folder = write(tmp_path / ("name_" * 20))

    outcome = run("evaluate", str(folder), "--shuffles", "1")

    assert max(map(len, outcome.out.splitlines())) <= WIDTH


def test_errors(run: Run, tmp_path: Path) -> None:
    """`--errors` adds the wrong pairs with what every rule said, false merges first."""
    folder = write(tmp_path / "s", truth=[{"cluster": ["B1", "B2", "C"]}])

    out = run("evaluate", str(folder), "--errors").out

    assert "s: false pairs 1, shown 1; missed 2, shown 1" in out
    assert (
        out.index("FALSE  ")
        < out.index("A1 | Island mice")
        < out.index("doi: same ")
        < out.index("MISSED  ")
    )
    assert "MISSED" not in run("evaluate", str(folder)).out


def test_limit(run: Run, tmp_path: Path) -> None:
    """At most so many of each kind."""
    folder = write(tmp_path / "s", truth=[])

    assert run("evaluate", str(folder), "--errors", "-n", "1").out.count("FALSE") == 1
    assert run("evaluate", str(folder), "--errors").out.count("FALSE") == 2


def test_json(run: Run, small: Path, tmp_path: Path) -> None:
    """One document with every figure unrounded, the orders, and what was skipped."""
    (tmp_path / "raw").mkdir()

    outcome = run(
        "evaluate", str(small), str(tmp_path / "raw"), "--json", "--shuffles", "1", "--errors"
    )

    document = json.loads(outcome.out)
    (it,) = document["sets"]
    assert (document["dedup"], document["shuffles"], document["seed"]) == ("default", 1, 1)
    assert document["skipped"] == [{"path": str(tmp_path / "raw"), "reason": "no records.jsonl"}]
    assert (it["set"], it["f1"], it["right"], it["true"], it["found_pairs"]) == (
        "small",
        1.0,
        2,
        2,
        2,
    )
    assert (
        it["works"]["copies_removed"]
        == it["works"]["redundant"]
        == it["works"]["exact_clusters"]
        == 2
    )
    assert it["shuffled"] == {"runs": 1, "f1_lowest": 1.0, "f1_highest": 1.0, "same_clusters": 1}
    assert it["wrong"] == []


def test_json_of_wrong_pairs(run: Run, tmp_path: Path) -> None:
    """Each wrong pair has its records and what each rule said."""
    folder = write(tmp_path / "s", truth=[{"cluster": ["B1", "B2"]}])

    (pair,) = json.loads(run("evaluate", str(folder), "--json", "--errors").out)["sets"][0]["wrong"]

    said = {it["rule"]: it["verdict"] for it in pair["evidence"]}
    assert (pair["kind"], [it["id"] for it in pair["records"]]) == ("false", ["A1", "A2"])
    assert said["doi"] == "same"
    assert said["url"] is None


def test_output(run: Run, small: Path, tmp_path: Path) -> None:
    """To a file; its ending chooses the form."""
    assert run("evaluate", str(small), "-o", str(tmp_path / "t.txt")).out == ""
    assert (tmp_path / "t.txt").read_text().startswith("set ")
    run("evaluate", str(small), "-o", str(tmp_path / "t.json"))
    assert json.loads((tmp_path / "t.json").read_text())["sets"]


def test_notes(run: Run, tmp_path: Path) -> None:
    """What could not be read of a set is told on stderr, unless nobody wants to know."""
    folder = write(tmp_path / "s", [{**ROWS[0], "colour": "blue"}], truth=[])

    assert run("evaluate", str(folder)).err == ("s: keys that are not read: 'colour' (1 rows)\n")
    assert run("-q", "evaluate", str(folder)).err == ""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["{}/nowhere"], "nowhere: there is no such file or folder"),
        (["{}/small", "{}/nowhere"], "nowhere: there is no such file or folder"),
        (["{}"], "no records.jsonl"),
        (["{}/broken"], "records.jsonl:1: is no JSON"),
        (["{}/small", "{}/broken"], "records.jsonl:1: is no JSON"),
        (["{}/small", "--dedup", "magic"], "there is no strategy called 'magic'"),
        (["{}/small", "--strategy", "magic"], "there is no strategy called 'magic'"),
        (["{}/small", "--strategy", ","], "--strategy names no strategy"),
        (
            ["{}/small", "--strategy", "all", "--dedup", "default"],
            "--dedup and --strategy exclude one another",
        ),
        (
            ["{}/small", "--strategy", "url,default", "--errors"],
            "--errors shows the pairs of one strategy",
        ),
        (["{}/small", "--fields", "title,headline"], "a record has no field called 'headline'"),
        (["{}/small", "--plot", "all.svg"], "--plot compares strategies"),
        (["{}/small", "--curves", "--json"], "--curves compares strategies"),
        (["{}/small", "--strategy", "url", "--curves"], "--curves has no place in a table"),
        (["{}/small", "--strategy", "url", "--plot", "all.pdf"], "ends in .png or .svg"),
        (["{}/small", "--shuffles", "-1"], "--shuffles"),
        ([], "SET..."),
    ],
)
def test_usage(run: Run, small: Path, tmp_path: Path, args: list[str], message: str) -> None:
    """What cannot be used exits 2 before anything is printed, with a reason."""
    (write(tmp_path / "broken") / "records.jsonl").write_text("{")

    outcome = run("evaluate", *(arg.format(tmp_path) for arg in args))

    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


@pytest.mark.shared
def test_the_shared_folder(run: Run, shared: Path) -> None:
    """As a shell's `*` gives it: sets are scored without a note, and what lies beside them is
    skipped."""
    names = (
        "README.md",
        "bibdedupe_test_cases",
        "raw_exports",
        "sra_tafenoquine",
        "zh_cnki_etc",
        "zh_zotero_silver",
    )

    outcome = run("evaluate", *(str(shared / "data" / "dedup" / name) for name in names))

    first = [row.split()[0] for row in outcome.out.splitlines()[1:7]]
    assert (outcome.code, outcome.err) == (0, "")
    assert first == [
        "bibdedupe_test_cases",
        "sra_tafenoquine",
        "zh_zotero_silver",
        "README.md",
        "raw_exports",
        "zh_cnki_etc",
    ]
    assert "zh_cnki_etc           skipped: no records.jsonl" in outcome.out
