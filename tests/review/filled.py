"""Projects with runs, answers, records, works and decisions, written as rows: for tests of what
reads them. What merges records and asks sources has tests of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from metasearch.formats import hits
from metasearch.record import Hit, Record
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Kind, Project
from metasearch.review.store.database import Database
from metasearch.review.store.values import uid
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.resolve import resolve_step

AT = "2026-11-20T10:00:00Z"


class Filled:
    """A project to which rows are added.

    Args:
        db: The workspace.
        name: Of the project.
        kind: Of the project.
    """

    def __init__(self, db: Database, name: str = "harms", kind: Kind = "review") -> None:
        self.db = db
        self.project: Project = projects.create(db, name, kind, "Gambling harms")
        self.strategy = db.run(
            "INSERT INTO strategy (project, name, created) VALUES (?, ?, ?)",
            self.project.id,
            "main",
            AT,
        )
        self._records: dict[str, int] = {}
        self._steps = 0
        self._digests: dict[int, str] = {}

    def step(self, text: str = "gambling", *, kind: str = "query", **details: Any) -> int:
        """Add a step; returns the id of its row."""
        self._steps += 1
        return self.db.run(
            "INSERT INTO step (strategy, number, kind, text, details, edited)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            self.strategy,
            self._steps,
            kind,
            text,
            orjson.dumps(details).decode(),
            AT,
        )

    def run(self, mode: str = "records", *, status: str = "done", **options: Any) -> int:
        """Add a run; returns its id."""
        number = 1 + self.db.value(
            "SELECT coalesce(max(number), 0) FROM run WHERE project = ?", self.project.id
        )
        return self.db.run(
            "INSERT INTO run (project, strategy, number, mode, status, started, ended, tool,"
            " options) VALUES (?, ?, ?, ?, ?, ?, ?, 'metasearch 0.1.0', ?)",
            self.project.id,
            self.strategy,
            number,
            mode,
            status,
            AT,
            AT,
            orjson.dumps(options).decode(),
        )

    def answer(
        self,
        run: int,
        step: int,
        source: str,
        ids: Iterable[str] = (),
        *,
        works: Mapping[str, int] | None = None,
        place: str = "database",
        status: str = "ok",
        label: str = "",
        claimed: int | None = None,
        **columns: Any,
    ) -> int:
        """Add an answer with records `source:id`; returns its id.

        Args:
            run: Its id.
            step: Its id.
            source: Its name.
            ids: Of the records; None in `fetched` where it failed.
            works: Key of a record -> id of the work that it is of; others get no work.
            place: What kind of place it is.
            status: How it fared.
            label: Its name for people.
            claimed: Hits that it says it has.
            columns: Others of the row.
        """
        listed = list(ids)
        failed = status not in ("ok", "empty")
        values: dict[str, Any] = {
            "run": run,
            "step": step,
            "source": source,
            "label": label or source.title(),
            "place": place,
            "status": status,
            "fetched": None if failed else len(listed),
            "claimed": claimed,
            "asked_at": None if failed else AT,
            "digest": self._digest(step),
            **columns,
        }
        answer = self.db.run(
            f"INSERT INTO answer ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
            *values.values(),
        )
        for position, name in enumerate(listed, 1):
            record = self.record(source, name)
            self.db.run(
                "INSERT INTO finding (answer, record, position) VALUES (?, ?, ?)",
                answer,
                record,
                position,
            )
            if works and f"{source}:{name}" in works:
                self.join(works[f"{source}:{name}"], f"{source}:{name}")
        return answer

    def _digest(self, step: int) -> str:
        """Of the query of a step; "" of an import."""
        if step not in self._digests:
            strategy = strategies.find(self.project, "main")
            row = next(row for row in steps.of(self.db, strategy) if row.id == step)
            known = [row] if not row.parents else steps.of(self.db, strategy)
            self._digests[step] = (
                "" if row.kind == "import" else resolve_step(known, row.number).digest
            )
        return self._digests[step]

    def record(self, source: str, name: str, version: str = "") -> int:
        """The id of a record, which is added where it is new."""
        key = f"{source}:{name}"
        if key + version not in self._records:
            self._records[key + version] = self.db.run(
                "INSERT INTO record (project, source, key, digest, body, added)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                self.project.id,
                source,
                key,
                hashlib.sha256((key + version).encode()).hexdigest(),
                b"{}",
                AT,
            )
        return self._records[key + version]

    def work(self, first_run: int, *keys: str, title: str = "A work", **columns: Any) -> int:
        """Add a work of records that are there; returns its id."""
        values: dict[str, Any] = {
            "project": self.project.id,
            "uid": uid(),
            "component": 0,
            "title": title,
            "first_run": first_run,
            "added": AT,
            **columns,
        }
        work = self.db.run(
            f"INSERT INTO work ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
            *values.values(),
        )
        record = Record(source="a", title=title)
        hit = Hit(id=f"h{work}", record=record, records=(record,), provenance={})
        self.db.run("INSERT INTO work_body (work, hit) VALUES (?, ?)", work, hits.write(hit))
        self.db.run(
            "INSERT INTO work_words (rowid, words)"
            " SELECT work, words FROM work_body WHERE work = ?",
            work,
        )
        for key in keys:
            self.join(work, key)
        return work

    def join(self, work: int, key: str, version: str = "") -> None:
        """Put a record into a work."""
        source = key.partition(":")[0]
        self.db.run(
            "INSERT OR REPLACE INTO work_record (record, work) VALUES (?, ?)",
            self._records[key + version],
            work,
        )
        self.db.run(
            "INSERT OR IGNORE INTO work_source (work, project, source) VALUES (?, ?, ?)",
            work,
            self.project.id,
            source,
        )

    def found(
        self,
        sources: Mapping[str, Sequence[int]],
        *,
        run: int | None = None,
        step: int | None = None,
        **columns: Any,
    ) -> list[int]:
        """Add a run in which sources find works, given by numbers; works with a number that two
        sources share have a record of each.

        Args:
            sources: Name -> the numbers of its works.
            run: None for a new one.
            step: None for a new one.
            columns: Of the answers.

        Returns:
            Ids of the works, in the order of their numbers.
        """
        run = run or self.run()
        step = step or self.step()
        of: dict[int, list[str]] = {}
        for source, numbers in sources.items():
            self.answer(run, step, source, [str(number) for number in numbers], **columns)
            for number in numbers:
                of.setdefault(number, []).append(f"{source}:{number}")
        return [self.work(run, *of[number], title=f"Work {number}") for number in sorted(of)]

    def decide(self, work: int, stage: str, verdict: str, reason: str = "", by: str = "") -> None:
        """Decide on a work."""
        self.db.run(
            "INSERT OR REPLACE INTO decision (work, stage, by, verdict, reason, at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            work,
            stage,
            by,
            verdict,
            reason,
            AT,
        )

    def tag(self, work: int, text: str) -> None:
        """Tag a work."""
        self.db.run("INSERT INTO tag (work, text) VALUES (?, ?)", work, text)
