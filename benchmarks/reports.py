"""What reports of a large project cost.

    python3 tasks.py bench reports [--records 100000]

Generated records of eight databases become works as in a run; nine of ten are screened, one of ten
has a decision on its full text.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.generated import Library
from metasearch.record import Record
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports.render import write
from metasearch.review.reports.reports import KINDS
from metasearch.review.runs import runs
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.works import decisions
from metasearch.review.works.intake import add_records

SOURCES = 8


def filled(db: Database, records: int) -> Project:
    """A project with so many records, searched in one run and screened."""
    project = projects.create(db, "large", "review")
    strategy = strategies.create(project, "main")
    step = steps.add(db, strategy, "gambling AND harm")
    run = runs.begin(project, strategy, "records")
    of: defaultdict[str, list[Record]] = defaultdict(list)
    for number, (_, record) in enumerate(Library().records(records)):
        of[f"source-{number % SOURCES}"].append(record)
    for source, its in of.items():
        answer = runs.begin_answer(
            db, run, step.id, source, label=source, place="database", query=step.text
        )
        add_records(project, answer, its)
        runs.finish_answer(db, answer, status="ok", claimed=len(its), fetched=len(its))
    runs.finish(db, run)
    uids = [row["uid"] for row in db.all("SELECT uid FROM work ORDER BY id")]
    random.Random(1).shuffle(uids)
    tenth = len(uids) // 10
    decisions.mark(project, uids[: 7 * tenth], "excluded")
    decisions.mark(project, uids[7 * tenth : 9 * tenth], "relevant")
    decisions.mark(
        project, uids[7 * tenth : 8 * tenth], "excluded", stage="fulltext", reason="no harm"
    )
    return project


def main() -> None:
    """Print seconds for each report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    with (
        tempfile.TemporaryDirectory() as folder,
        Database(Path(folder) / "workspace.sqlite") as db,
    ):
        project = filled(db, parser.parse_args().records)
        works = db.value("SELECT count(*) FROM work")
        print(f"{parser.parse_args().records:,} records, {works:,} works")
        print("| report | numbers and text, s of CPU | as Word, s of CPU |\n| --- | ---: | ---: |")
        for kind in KINDS.values():
            began = time.process_time()
            document = kind.build(project)
            built = time.process_time()
            write(document, "docx")
            print(f"| {kind.name} | {built - began:.2f} | {time.process_time() - built:.2f} |")


if __name__ == "__main__":
    main()
