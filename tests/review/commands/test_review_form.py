"""`metasearch strategy review --form` and `--keep`: what comes of a review."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

LINES = "1. gambl*.ti,ab.\n2. casino*.ti,ab.\n3. harm*.ti,ab.\n4. 1 and 3\n"


@pytest.fixture
def strategy(tmp_path: Path) -> Path:
    file = tmp_path / "ovid.txt"
    file.write_text(LINES, encoding="utf-8")
    return file


@pytest.fixture
def project(run: Run, strategy: Path) -> None:
    run("project", "new", "gambling", "--kind", "review")
    run("strategy", "paste", str(strategy))


@pytest.mark.parametrize("ending", ["html", "docx"])
def test_the_form_is_written_beside_the_findings(
    run: Run, strategy: Path, tmp_path: Path, ending: str
):
    """Standard output has the findings as without it."""
    form = tmp_path / f"form.{ending}"
    outcome = run("strategy", "review", str(strategy), "--form", str(form), "--json")
    assert outcome.code == 0, outcome.err
    assert "unused-line" in {each["code"] for each in json.loads(outcome.out)["findings"]}
    assert form.stat().st_size > 1_000
    assert str(form) in outcome.err


def test_a_form_of_no_known_ending_is_told_before_the_review(run: Run, strategy: Path):
    outcome = run("strategy", "review", str(strategy), "--form", "form.xyz")
    assert outcome.code == 2
    assert ".docx" in outcome.err
    assert not outcome.out


def test_a_kept_review_is_in_the_reports(run: Run, project: None):
    """Of the steps of a project, whose numbers are those of the findings."""
    kept = run("strategy", "review", "--keep")
    assert kept.code == 0, kept.err
    appendix = run("report", "appendix", "--format", "md").out
    assert "Peer review by rule (PRESS 2015)" in appendix
    assert "unused-line" in appendix
    file = json.loads(run("strategy", "search-file", "write", "--syntax", "pubmed").out)
    lines = {each["code"]: each["line"] for each in file["metasearch"]["peer_review"]["findings"]}
    assert lines["unused-line"] == 2


def test_a_review_is_not_kept_unless_asked_for(run: Run, project: None):
    run("strategy", "review")
    assert "Peer review by rule" not in run("report", "appendix", "--format", "md").out


def test_the_review_of_a_file_cannot_be_kept(run: Run, strategy: Path):
    outcome = run("strategy", "review", str(strategy), "--keep")
    assert outcome.code == 2
    assert "strategy paste" in outcome.err
