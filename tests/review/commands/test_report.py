"""`metasearch report`: written as files, finished, verified."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from metasearch.review.commands import SORTS as NAMED_SORTS
from metasearch.review.commands import STANDINGS as NAMED_STANDINGS
from metasearch.review.reports.commands import FORMATS as NAMED_FORMATS
from metasearch.review.reports.commands import REPORTS
from metasearch.review.reports.render import FORMATS
from metasearch.review.reports.reports import KINDS
from metasearch.review.works.commands import EXPORTS as NAMED_EXPORTS
from metasearch.review.works.commands import VERDICTS as NAMED_VERDICTS
from metasearch.review.works.export import EXPORTS
from metasearch.review.works.lists import SORTS, STANDINGS
from metasearch.review.works.works import VERDICTS
from tests.cases import each, sample
from tests.cli.conftest import Run
from tests.review.commands.conftest import Json
from tests.review.new_workspaces import make_once


@pytest.fixture
def project(run: Run, file: Path) -> None:
    """A review that has been run, and whose works are decided."""

    def make() -> None:
        run("project", "new", "gambling", "--kind", "review")
        run("strategy", "add", "gambling")
        run("strategy", "run", "--demo", "-s", "demo-pubmed")
        run("works", "mark", "excluded", "--all-matching")

    make_once("decided", file, make)


def test_the_words_of_the_options_are_those_of_the_workspace() -> None:
    """Help loads nothing of the workspace, so that they stand in two places."""
    assert set(REPORTS) == set(KINDS)
    assert set(NAMED_FORMATS) == set(FORMATS)
    assert set(NAMED_EXPORTS) == set(EXPORTS)
    assert set(NAMED_SORTS) == set(SORTS)
    assert set(NAMED_STANDINGS) == set(STANDINGS) - {""}
    assert set(NAMED_VERDICTS) == {*VERDICTS, "undecided"}


@pytest.mark.parametrize("kind", sample(REPORTS, 2))
def test_every_report_is_written(run: Run, project: None, kind: str) -> None:
    """As Markdown on standard output, and as JSON; what is missing is told on stderr."""
    outcome = run("report", kind)
    document = json.loads(run("report", kind, "--json").out)

    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("# ")
    assert document["kind"] == kind
    assert len(document.get("draft", ())) == outcome.err.count("draft: ")


@pytest.mark.parametrize(
    ("name", "begins"),
    sample(
        [
            ("flow.html", b"<!DOCTYPE html>"),
            ("flow.md", b"# "),
            ("flow.json", b"{"),
            ("flow.svg", b"<"),
        ],
        4,
    ),
)
def test_the_ending_of_a_file_chooses_the_format(
    run: Run, project: None, tmp_path: Path, name: str, begins: bytes
) -> None:
    """The same report, and the same bytes each time."""
    file = tmp_path / name

    run("report", "prisma-flow", "-o", str(file))
    first = file.read_bytes()
    run("report", "prisma-flow", "-o", str(file))

    assert first.lower().startswith(begins.lower())
    assert file.read_bytes() == first


def test_a_word_file(run: Run, project: None, tmp_path: Path) -> None:
    """With the extra `docx`."""
    pytest.importorskip("docx", reason="python-docx is not installed")

    run("report", "prisma-s", "-o", str(tmp_path / "a.docx"))

    assert (tmp_path / "a.docx").read_bytes().startswith(b"PK")


def test_a_finished_report_stays_as_it_is(
    run: Run, answered: Json, project: None, tmp_path: Path
) -> None:
    """Whatever is decided later; it is listed with its digest."""
    file = tmp_path / "flow.md"
    made = answered("report", "prisma-flow", "--freeze", "-o", str(file))
    run("works", "mark", "relevant", "--all-matching")
    run("report", "prisma-flow", "--number", "last", "-o", str(tmp_path / "again.md"))
    now = run("report", "prisma-flow")

    assert made["frozen"]["number"] == "1"
    assert (tmp_path / "again.md").read_text() == file.read_text() != now.out
    assert [each["digest"] for each in answered("report", "list")] == [made["frozen"]["digest"]]
    assert [each["unchanged"] for each in answered("report", "verify")] == [True]


def test_a_changed_report_is_noticed(run: Run, answered: Json, project: None, file: Path) -> None:
    """Exit code 3, and it is not written."""
    run("report", "prisma-flow", "--freeze")
    with sqlite3.connect(file) as db:
        db.execute("UPDATE report SET document = replace(document, 'excluded', 'included')")
    db.close()

    verified = answered("report", "verify", code=3)
    written = run("report", "prisma-flow", "--number", "1")

    assert [each["unchanged"] for each in verified] == [False]
    assert written.code == 2
    assert "was changed after it was finished" in written.err


def test_a_draft_is_finished_only_on_demand(run: Run, project: None) -> None:
    """What is missing is told."""
    run("works", "mark", "undecided", "--all-matching")

    refused = run("report", "prisma-flow", "--freeze")
    forced = run("report", "prisma-flow", "--freeze", "--draft")

    assert refused.code == 2
    assert "The report is a draft" in refused.err
    assert forced.code == 0
    assert "finished as report 1, SHA-256 " in forced.err


def test_an_estimate_of_what_was_missed(run: Run, answered: Json, project: None) -> None:
    """One database says nothing; of several the numbers add up."""
    alone = answered("report", "missed")
    run("strategy", "run", "--demo", "-s", "demo-openalex,demo-crossref")
    several = answered("report", "missed")

    assert alone["estimate"] is None
    assert sum(each["works"] for each in several["found_by"]) == several["found"]
    assert several["estimate"]["total"] >= several["found"]


@each(
    ("args", "said"),
    [
        (["prisma-s", "-o", "x.pdf"], "has the ending of no format"),
        (["prisma-s", "-o", "x.svg"], "no diagram"),
        (["prisma-flow", "--number", "7"], "There is no finished report prisma-flow 7"),
        (["prisma-flow", "--continues", "last"], "There is no finished report"),
        (["prisma-s", "--continues", "last"], "continues no earlier one"),
        (["prisma-flow", "--number", "1", "--freeze"], "stays as it is"),
        (["prisma"], "Did you mean"),
    ],
)
def test_what_cannot_be_written(
    run: Run, project: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str],
    said: str,
) -> None:  # fmt: skip
    """It is said in words; exit code 2, and no file is made."""
    monkeypatch.chdir(tmp_path)

    outcome = run("report", *args)

    assert outcome.code == 2
    assert said in outcome.err
    assert not list(tmp_path.glob("x.*"))
