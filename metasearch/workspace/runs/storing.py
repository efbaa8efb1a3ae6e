"""The answers of a run, as they are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from metasearch.engine import asking
from metasearch.errors import MetasearchError
from metasearch.message import message_n
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.keys import named
from metasearch.workspace.runs.prepared import Asked, Question
from metasearch.workspace.runs.runs import Run, SourceAnswer
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import written
from metasearch.workspace.works.adding import add_records
from metasearch.workspace.workspace import Workspace


class Stored:
    """Where a run's answers are stored. `progress` is called with each of them."""

    def __init__(
        self,
        workspace: Workspace,
        project: Project,
        run: Run,
        asked: Asked,
        progress: Callable[[SourceAnswer], None] | None,
    ) -> None:
        self._workspace = workspace
        self._project = project
        self._run = run
        self._asked = asked
        self._progress = progress

    async def answer(self, question: Question, said: asking.SourceAnswer) -> None:
        """Store what a source answered, records and all."""
        records = [named(record) for record in said.records]
        facts = _facts(said, wanted=self._run.mode != "counts")
        if not records:
            self._tell(await self._workspace.write(self._at_once, question, said.source, facts))
            return
        answer = await self._workspace.write(self._begun, question, said.source)
        added = await self._workspace.work(add_records, self._project, answer, records)
        left_out = [reason for _, reason in added.left_out]
        self._tell(await self._workspace.write(_finished, answer, len(records), left_out, facts))

    async def failure(self, question: Question, source: str, error: MetasearchError) -> None:
        """Store why a source could not be asked at all."""
        facts = {"status": "error", "error": error.message, "advice": error.advice}
        self._tell(await self._workspace.write(self._at_once, question, source, facts))

    def _tell(self, answer: SourceAnswer) -> None:
        if self._progress is not None:
            self._progress(answer)

    def _begun(self, db: Database, question: Question, source: str) -> int:
        with db.transaction():
            return runs.begin_answer(
                db,
                self._run,
                question.step.step.id,
                source,
                label=self._asked.labels[source],
                place=self._asked.places[source],
                digest=question.digest,
                query=question.text,
            )

    def _at_once(
        self, db: Database, question: Question, source: str, facts: dict[str, Any]
    ) -> SourceAnswer:
        with db.transaction():
            return runs.finish_answer(db, self._begun(db, question, source), **facts)


def _finished(
    db: Database, answer: int, given: int, left_out: Sequence[str], facts: dict[str, Any]
) -> SourceAnswer:
    """Fill in an answer whose records are stored. `left_out`: why some records cannot be kept."""
    with db.transaction():
        kept = int(db.value("SELECT count(*) FROM finding WHERE answer = ?", answer))
        notes = [*facts["notes"], *dict.fromkeys(left_out)]
        repeated = given - kept - len(left_out)
        if repeated > 0:  # a list that moves between two pages
            notes.append(
                message_n(
                    "{count} record was given twice, and is counted once",
                    "{count} records were given again, and are counted once",
                    repeated,
                    count=f"{repeated:,}",
                )
            )
        unread = (facts["unread"] or 0) + len(left_out)
        known = {**facts, "fetched": kept, "unread": unread, "notes": notes}
        return runs.finish_answer(db, answer, **known)


def _facts(said: asking.SourceAnswer, *, wanted: bool) -> dict[str, Any]:
    """The columns of an answer, but for those that its row has from the beginning; `wanted`:
    whether records were.
    """
    report, error = said.report, said.report.error
    # A source that failed before it gave anything has not given 0 records.
    counted = wanted and (report.answered or bool(said.records))
    return {
        "status": report.status,
        "error": "" if error is None else error.message,
        "advice": "" if error is None else error.advice,
        "sent": report.query,
        "requests": [
            {"method": sent.method, "url": sent.url, "body": [list(pair) for pair in sent.body]}
            for sent in said.requests
        ],
        "claimed": report.total,
        "exact": said.exact,
        "fetched": len(said.records) if counted else None,
        "filtered": report.filtered if counted else None,
        "unread": report.unread if counted else None,
        "asked_at": None if said.asked_at is None else written(said.asked_at),
        "cached": report.cached,
        "seconds": report.seconds,
        "notes": report.notes,
        "spec": said.spec,
    }
