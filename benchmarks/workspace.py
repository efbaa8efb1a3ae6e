"""A project of 100,000 records: what it costs to add a run, to show a page of works, to decide on
all, to export all.

    python3 tasks.py bench workspace [--records 100000] [--added 5000] [--file FILE]

CPU is that of this process; a page is the median of its repetitions. With `--file` the project is
made there and kept, so that other things can be measured on it; a file that is there is measured
as it is.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.generated import Library
from metasearch.record import Record
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.works import decisions, lists, works
from metasearch.review.works import export as exporting
from metasearch.review.works.intake import add_records
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.undo import undo

#: Goals: seconds of CPU for an addition of 5,000, seconds for a page.
ADDITION, PAGE = 5.0, 0.2
#: Repetitions of a page.
TIMES = 5
PAGES = {
    "all, with facets": WorksQuery(),
    "the last page by title": WorksQuery(sort="title", start=80_000),
    "a word": WorksQuery(text="health"),
    "two words by year": WorksQuery(text="water quality", sort="year"),
    "undecided": WorksQuery(verdict="undecided"),
    "source, years, by author": WorksQuery(years="2010-2020", sources=("beta",), sort="author"),
    "found by a step": WorksQuery(steps=(1,), sort="relevance"),
    "new in the last run": WorksQuery(first_runs=(2,)),
}


@dataclass(frozen=True, slots=True)
class Made:
    """A project that is measured."""

    db: Database
    project: Project

    def answer(self) -> int:
        """The row of a new answer of a new run."""
        strategy = self.db.value("SELECT id FROM strategy WHERE project = ?", self.project.id)
        step = self.db.value("SELECT id FROM step WHERE strategy = ?", strategy)
        run = self.db.run(
            "INSERT INTO run (project, strategy, number, mode, status, started, tool)"
            " SELECT ?, ?, 1 + count(*), 'records', 'done', '', 'bench' FROM run WHERE project = ?",
            self.project.id,
            strategy,
            self.project.id,
        )
        return self.db.run(
            "INSERT INTO answer (run, step, source, label, status, fetched)"
            " VALUES (?, ?, 'library', 'Library', 'ok', 0)",
            run,
            step,
        )

    def add(self, records: Iterable[Record]) -> float:
        """Add records as those of a new run; returns seconds of CPU."""
        given = list(records)
        answer = self.answer()
        start = time.process_time()
        add_records(self.project, answer, given)
        return time.process_time() - start


def made(db: Database, records: int) -> Made:
    """A project with so many records, as `Library` has them."""
    project = projects.create(db, "library", "review")
    strategy = db.run(
        "INSERT INTO strategy (project, name, created) VALUES (?, 'main', '')", project.id
    )
    db.run(
        "INSERT INTO step (strategy, number, kind, text, edited) VALUES (?, 1, 'query', 'x', '')",
        strategy,
    )
    whole = Made(db, project)
    spent = whole.add(record for _, record in Library().records(records))
    say(f"{records:,} records added", f"{spent / records * 1e3:8.2f} ms CPU a record")
    return whole


def measured(whole: Made, records: int, added: int) -> bool:
    """Print the figures; returns whether the goals are met."""
    db, project = whole.db, whole.project
    coming = itertools.islice(Library().records(records + added), records, None)
    spent = whole.add(record for _, record in coming)
    met = told(f"{added:,} more records added", spent, ADDITION * added / 5_000, "s CPU")
    for name, query in PAGES.items():
        seconds = statistics.median(
            timed(partial(lists.page, project, query)) for _ in range(TIMES)
        )
        met &= told(f"page: {name}", seconds, PAGE, "s")
    first = lists.page(project, WorksQuery(count=1)).works[0]
    say("one work by its DOI or key", f"{timed(lambda: named(db, project, first)) * 1e3:8.2f} ms")
    uids = lists.uids(project, WorksQuery())
    change = None

    def mark() -> None:
        nonlocal change
        change = decisions.mark(project, uids, "excluded", reason="off topic").change

    say(f"{len(uids):,} works marked", f"{timed(mark):8.2f} s")
    say("  undone", f"{timed(lambda: undo(project, change or 0)):8.2f} s")
    for name in ("ris", "asreview"):
        seconds = timed(partial(exported, db, project, name))
        say(f"{len(uids):,} works exported as {name}", f"{seconds:8.2f} s")
    return met


def named(db: Database, project: Project, work: works.Work) -> None:
    for record in work.hit.records:
        works.find(project, record.key)


def exported(db: Database, project: Project, name: str) -> None:
    for _ in exporting.export(project, WorksQuery(), name):
        pass


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def told(what: str, seconds: float, goal: float, unit: str) -> bool:
    """Print a figure with its goal; returns whether it is met."""
    met = seconds <= goal
    say(what, f"{seconds:8.3f} {unit} (goal {goal:g}{'' if met else ', NOT MET'})")
    return met


def say(what: str, figures: str) -> None:
    print(f"{what:<36} {figures}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--added", type=int, default=5_000)
    parser.add_argument("--file", type=Path, help="where the project is made and kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = options.file or Path(folder) / "workspace.db"
        is_there = file.exists()
        with Database(file) as db:
            whole = (
                Made(db, projects.find(db, "library")) if is_there else made(db, options.records)
            )
            count = db.value("SELECT count(*) FROM record WHERE project = ?", whole.project.id)
            return 0 if measured(whole, count, options.added) else 1


if __name__ == "__main__":
    sys.exit(main())
