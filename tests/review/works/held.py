"""Projects with works that were made of records, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from metasearch.dedup import Fingerprint, OnlineDedup, strategy
from metasearch.dedup.pins import Pins
from metasearch.record import Author, Record, VersionsMode
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Kind, Project
from metasearch.review.store.database import Database
from metasearch.review.works import works
from metasearch.review.works.intake import IntakeResult, add_records
from metasearch.review.works.works import Work

_NUMBERS = count(1)
AT = "2026-11-20T10:00:00Z"


class Held:
    """A project, and records that answers of runs give it.

    Args:
        db: The workspace.
        kind: Of the project.
        details: Of the project.
    """

    def __init__(self, db: Database, kind: Kind = "review", **details: Any) -> None:
        self.db = db
        self.project: Project = projects.create(db, f"p{next(_NUMBERS)}", kind)
        if details:
            self.project = projects.update(self.project, details=details)
        self.strategy = db.run(
            "INSERT INTO strategy (project, name, created) VALUES (?, 'main', ?)",
            self.project.id,
            AT,
        )
        self._steps: dict[int, int] = {}
        self._runs = 0

    def step(self, number: int = 1) -> int:
        """The row of a step."""
        if number not in self._steps:
            self._steps[number] = self.db.run(
                "INSERT INTO step (strategy, number, kind, text, edited)"
                " VALUES (?, ?, 'query', 'x', ?)",
                self.strategy,
                number,
                AT,
            )
        return self._steps[number]

    def answer(self, source: str = "a", *, step: int = 1, run: int | None = None) -> int:
        """The row of an answer, of a new run where none is named."""
        if run is None:
            run = self.run()
        return self.db.run(
            "INSERT INTO answer (run, step, source, label, status, asked_at)"
            " VALUES (?, ?, ?, ?, 'ok', ?)",
            run,
            self.step(step),
            source,
            source,
            AT,
        )

    def run(self) -> int:
        """The row of a new run."""
        self._runs += 1
        return self.db.run(
            "INSERT INTO run (project, strategy, number, mode, status, started, tool)"
            " VALUES (?, ?, ?, 'records', 'done', ?, 'metasearch')",
            self.project.id,
            self.strategy,
            self._runs,
            AT,
        )

    def add(self, *records: Record, **answer: Any) -> IntakeResult:
        """Add records as those of a new answer."""
        return add_records(self.project, self.answer(**answer), records)

    def works(self) -> list[Work]:
        """All works, the oldest first."""
        rows = self.db.all("SELECT id FROM work WHERE project = ? ORDER BY id", self.project.id)
        return works.read(self.db, [row[0] for row in rows])

    def clusters(self) -> set[frozenset[str]]:
        """The keys of the records of each work, without versions that are superseded."""
        rows = self.db.all(
            "SELECT work_record.work, record.key FROM work_record"
            " JOIN record ON record.id = work_record.record"
            " WHERE record.project = ? AND record.superseded IS NULL",
            self.project.id,
        )
        found: dict[int, set[str]] = {}
        for work, key in rows:
            found.setdefault(work, set()).add(key)
        return {frozenset(keys) for keys in found.values()}

    def work(self, name: str) -> Work:
        """The work of a name."""
        return works.find(self.project, name)


@contextmanager
def workspace(folder: Path) -> Iterator[Database]:
    """A workspace file for a test."""
    with Database(folder / "workspace.db") as db:
        yield db


def at_once(
    records: Sequence[Record], pins: Pins | None = None, versions: VersionsMode = "separate"
) -> set[frozenset[str]]:
    """The works that the records make when all are there from the beginning."""
    chain = strategy("default").chain
    stage = OnlineDedup(chain.with_pins(pins) if pins else chain, versions=versions)
    stage.extend(map(Fingerprint, records))
    return {frozenset(records[n].key for n in numbers) for numbers in stage.clusters()}


def paper(source: str, number: object, title: str = "Harms of gambling", **values: Any) -> Record:
    """A record of an article; `author` is the family name of its only one."""
    author = values.pop("author", "Browne")
    values.setdefault("year", 2020)
    return Record(
        source=source,
        source_id=str(number),
        position=int(str(number)) if str(number).isdigit() else 1,
        title=title,
        authors=(Author(f"Anna {author}", author, "Anna"),) if author else (),
        venue=values.pop("venue", "Journal of Gambling Studies"),
        **values,
    )


def keys(some: Iterable[Work]) -> list[list[str]]:
    """The keys of the records of works."""
    return [sorted(record.key for record in work.hit.records) for work in some]
