"""`metasearch evaluate --strategy`: tables, document and picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metasearch import dedup
from metasearch.bulk.commands import WIDTH
from metasearch.dedup import STRATEGIES
from tests.bulk.evaluate.samples import write, write_rows
from tests.bulk.evaluate.strategies import fixed, strategy
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default strategy, and two of ours."""
    for it in (strategy(), fixed()):
        monkeypatch.setitem(STRATEGIES, it.name, it)
    for name in set(STRATEGIES) - {"default", "words", "fixed"}:
        monkeypatch.delitem(STRATEGIES, name)
    assert dedup.STRATEGIES is STRATEGIES


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "marked.jsonl.gz")


def first_words(out: str) -> list[str]:
    return [line.split()[0] if line.strip() else "" for line in out.splitlines()]


def test_table(run: Run, marked: Path) -> None:
    """A table a set with a line a strategy, one of the kinds below it, and what the columns
    mean."""
    outcome = run("evaluate", str(marked), "--strategy", "words,default")

    assert (outcome.code, outcome.err) == (0, "")
    assert first_words(outcome.out)[:4] == ["marked:", "strategy", "words", "default"]
    assert first_words(outcome.out).count("strategy") == 2
    assert "marked: 6 records, 3 works; pairs are counted" in outcome.out
    assert "CE: confused error" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= WIDTH


def test_names(run: Run, marked: Path) -> None:
    """Repeated options, commas and `all`, each strategy once and in the order in which it was
    named."""
    several = run(
        "evaluate", str(marked), "--strategy", "fixed, words", "--strategy", "words,default"
    ).out
    every = run("evaluate", str(marked), "--strategy", "words,all").out

    assert first_words(several)[2:5] == ["fixed", "words", "default"]
    assert first_words(every)[2:5] == ["words", "default", "fixed"]


def test_sets_and_what_is_none(run: Run, marked: Path, tmp_path: Path) -> None:
    """A table for each set of a folder of files, and a line for what is none."""
    write(tmp_path / "sets" / "folder")
    write_rows(tmp_path / "files" / "b.jsonl")
    write_rows(tmp_path / "files" / "a.jsonl", [{"id": "x"}])

    paths = (tmp_path / "sets" / "folder", tmp_path / "files", marked)
    outcome = run("evaluate", "--strategy", "words", *map(str, paths))

    tables = [word for word in first_words(outcome.out) if word.endswith(":")]
    assert tables[:3] == ["folder:", "b:", "marked:"]
    assert "a.jsonl  skipped: its rows have no cluster\n" in outcome.out


def test_fields(run: Run, tmp_path: Path) -> None:
    """Of each record only these are looked at: without DOI, author, year and journal, nobody can
    tell."""
    folder = str(write(tmp_path / "s"))

    whole, part = (
        json.loads(run("evaluate", folder, "--strategy", "default", "--json", *fields).out)
        for fields in ((), ("--fields", "year", "--fields", "abstract,keywords"))
    )

    assert (whole["fields"], part["fields"]) == (None, ["year", "abstract", "keywords"])
    assert [it["sets"][0]["strategies"][0]["recall"] for it in (whole, part)] == [1.0, 0.0]
    assert (
        json.loads(run("evaluate", folder, "--json", "--fields", "year").out)["sets"][0]["recall"]
        == 0.0
    )


def test_json(run: Run, marked: Path) -> None:
    """One document: how it was done, and of each set each strategy."""
    document = json.loads(
        run("evaluate", str(marked), "--strategy", "words,fixed", "--json", "--shuffles", "1").out
    )

    (it,) = document["sets"]
    assert (document["strategies"], document["shuffles"], document["skipped"]) == (
        ["words", "fixed"],
        1,
        [],
    )
    assert (it["set"], it["records"]) == ("marked", 6)
    assert [(row["strategy"], row["f1"], row["ce"]) for row in it["strategies"]] == [
        ("words", 0.5, 0.5),
        ("fixed", 0.5, 0.5),
    ]
    assert it["strategies"][0]["shuffled"]["same_clusters"] == 1
    assert "curve" not in it["strategies"][0]


def test_curves(run: Run, marked: Path, tmp_path: Path) -> None:
    """`--curves` adds the figures over thresholds and sizes to the document."""
    run(
        "evaluate", str(marked), "--strategy", "words", "--curves", "-o", str(tmp_path / "all.json")
    )

    (row,) = json.loads((tmp_path / "all.json").read_text())["sets"][0]["strategies"]
    assert [point["threshold"] for point in row["curve"]] == [3.0, 2.0, 1.0]
    assert [point["records"] for point in row["growth"]] == [6]


@pytest.mark.slow
def test_plot(run: Run, marked: Path, tmp_path: Path) -> None:
    """The picture goes to its file, and the table where it always goes."""
    pytest.importorskip("matplotlib")

    picture = tmp_path / "all.png"
    outcome = run("evaluate", str(marked), "--strategy", "words,fixed", "--plot", str(picture))

    assert outcome.code == 0
    assert first_words(outcome.out)[2:4] == ["words", "fixed"]
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_plot_with_a_document(run: Run, marked: Path, tmp_path: Path) -> None:
    """What was drawn stands in the document."""
    pytest.importorskip("matplotlib")

    out = run(
        "evaluate",
        str(marked),
        "--strategy",
        "words",
        "--plot",
        str(tmp_path / "all.svg"),
        "--json",
    ).out

    assert json.loads(out)["sets"][0]["strategies"][0]["curve"]
    assert (tmp_path / "all.svg").read_bytes().startswith(b"<?xml")


def test_errors(run: Run, marked: Path) -> None:
    """The wrong pairs of a single strategy."""
    outcome = run("evaluate", str(marked), "--strategy", "words", "--errors", "-n", "1")

    assert "marked: false pairs 2, shown 1; missed 2, shown 1" in outcome.out
    assert "shared-words: same" in outcome.out


def test_kinds_of_one_strategy(run: Run, marked: Path) -> None:
    """A line a set has its kinds below, too, and so has the document."""
    outcome = run("evaluate", str(marked), "--dedup", "words")
    document = json.loads(run("evaluate", str(marked), "--dedup", "words", "--json").out)

    head, row = outcome.out.splitlines()[-2:]
    assert (head.split(), row.split()[:2]) == (
        ["set", "base", "cut", "far", "forged"],
        ["marked", ".667"],
    )
    assert (document["dedup"], document["sets"][0]["kinds"]["cut"]["false"]) == ("words", 1)


@pytest.mark.slow
@pytest.mark.shared
def test_the_shared_files(run: Run, shared: Path) -> None:
    """As a shell's `*` gives them: three sets, and reasons for the rest."""
    files = sorted((shared / "data" / "neardup").iterdir())

    outcome = run("evaluate", "--strategy", "default", "--fields", "title", *map(str, files))

    assert outcome.code == 0
    assert [line.split(":")[0] for line in outcome.out.splitlines() if "are counted" in line] == [
        "asysd_dev",
        "en_dev",
        "zh_dev",
    ]
    assert outcome.out.count("skipped: its rows have no cluster") == 3
    assert outcome.out.count("skipped: a file, and not") == 2
