"""`metasearch strategy replay`: the pages of a run give its records again."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.cli.conftest import Run
from tests.review.commands.conftest import Json


def test_a_recorded_run_is_repeated_from_its_pages(
    run: Run, answered: Json, tmp_path: Path
) -> None:
    """Into another project, with the same records; a page that is lost is told by the exit code."""
    pages = tmp_path / "pages"
    run("project", "new", "again", "--kind", "review")
    run("project", "new", "gambling", "--kind", "review")
    run("strategy", "add", "gambling harms")
    made = answered(
        *("strategy", "run", "--demo", "--record", str(pages), "-s", "demo-crossref,demo-pubmed")
    )
    fetched = sum(answer["fetched"] for answer in made["answers"])

    whole = answered("strategy", "replay", str(made["number"]), "--into", "again", "--demo")
    shutil.rmtree(pages / "demo-pubmed")
    lost = run("strategy", "replay", str(made["number"]), "--into", "again", "--demo")

    assert fetched > 20
    assert (whole["same"], whole["lacking"], whole["added"]) == (fetched, [], [])
    assert whole["run"]["number"] == 1
    assert lost.code == 3
    assert "demo-pubmed:" in lost.out


def test_a_run_without_pages_cannot_be_repeated(run: Run) -> None:
    """The error says how pages are kept."""
    run("project", "new", "gambling", "--kind", "review")
    run("strategy", "add", "gambling harms")
    run("strategy", "run", "--demo", "-s", "demo-crossref")

    outcome = run("strategy", "replay", "1", "--into", "gambling", "--demo")

    assert outcome.code == 2
    assert "--record" in outcome.err
