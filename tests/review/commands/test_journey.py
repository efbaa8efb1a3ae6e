"""A review by command line alone: from the strategy to the flow diagram, the screening tool, and
the update search. Every number is computed again from what other commands say."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from tests.cli.conftest import Run
from tests.review.commands.conftest import Json

FIRST, LATER = "demo-pubmed,demo-openalex", "demo-pubmed,demo-openalex,demo-crossref"


def flow(run: Run, *args: str) -> Any:
    """The numbers of the flow diagram, by the label of each row of its table."""
    document = json.loads(run("report", "prisma-flow", "--json", *args).out)
    tables = (block for block in walk(document) if block.get("head", [None])[0] == "Step")
    return {row[0]: int(row[1].replace(",", "")) for row in next(tables)["rows"]}


def walk(value: Any) -> Any:
    """All objects in a document."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from walk(each)


def test_a_review_from_the_strategy_to_the_update(run: Run, answered: Json, tmp_path: Path) -> None:
    """As a reviewer would do it, without a server."""
    # The strategy, and the hits of each step.
    run("project", "new", "gambling", "--kind", "review", "--title", "Gambling harms")
    run("strategy", "add", "gambling OR betting")
    run("strategy", "add", "harm* OR debt")
    run("strategy", "add", "#1 AND #2")
    counts = answered("strategy", "counts", "--demo", "-s", FIRST)
    claimed = {(each["step"], each["source"]): each["claimed"] for each in counts["answers"]}
    assert len(claimed) == 6
    assert claimed[3, "demo-pubmed"] <= claimed[1, "demo-pubmed"]

    # The run: what was fetched becomes works.
    ran = answered("strategy", "run", "--demo", "-s", FIRST)
    fetched = sum(each["fetched"] for each in ran["answers"])
    works = answered("works", "list", "-n", "500")["works"]
    assert len(works) == ran["works"] < fetched

    # Screening in another program.
    exported = tmp_path / "screening.csv"
    run("works", "export", "-f", "asreview", "-o", str(exported))
    rows = list(csv.DictReader(io.StringIO(exported.read_text(encoding="utf-8-sig"))))
    kept = {row["metasearch_id"] for row in rows[:5]}
    for row in rows:
        row["included"] = "1" if row["metasearch_id"] in kept else "0"
    with exported.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    imported = answered("works", "import", str(exported))
    assert imported["changed"] == len(rows) == len(works)

    # The whole texts: one cannot be had, one is left out.
    unavailable, wrong, *included = sorted(kept)
    run("works", "mark", "unavailable", unavailable, "--stage", "fulltext")
    run("works", "mark", "excluded", wrong, "--stage", "fulltext", "--reason", "population")
    run("works", "mark", "relevant", *included, "--stage", "fulltext")

    # The flow diagram; its sums hold.
    numbers = flow(run)
    assert numbers["Records identified in databases"] == fetched
    assert numbers["Removed: duplicates"] == fetched - len(works)
    assert numbers["Records screened"] == len(works)
    assert numbers["Records excluded"] == len(works) - 5
    assert numbers["Reports sought"] == 5
    assert numbers["Reports not retrieved"] == 1
    assert numbers["Reports assessed"] == 4
    assert numbers["Reports excluded with a reason"] == 1
    assert numbers["Reports included"] == len(included) == 3
    finished = answered("report", "prisma-flow", "--freeze", "-o", str(tmp_path / "flow.svg"))
    assert finished["frozen"]["number"] == "1"
    assert not finished["draft"]

    # The update search: another source brings new works, and decisions stay.
    again = answered("strategy", "run", "--demo", "-s", LATER)
    new = answered("works", "list", "--first-run", str(again["number"]), "-n", "500")
    assert new["total"] == again["new_works"] > 0
    assert answered("works", "list", "--verdict", "undecided")["total"] == new["total"]
    run("works", "mark", "excluded", "--all-matching", "--verdict", "undecided")
    update = flow(run, "--continues", "last")
    assert update["Records screened"] == new["total"]
    assert update["Reports included"] == 0
    assert flow(run, "--number", "1") == numbers

    # All of it as one file, in another workspace.
    archive, other = tmp_path / "review.zip", tmp_path / "other.sqlite3"
    run("project", "export", str(archive))
    run("project", "import", str(archive), "--workspace", str(other))
    there = answered("project", "show", "--workspace", str(other))
    assert there["holds"] == answered("project", "show")["holds"]
