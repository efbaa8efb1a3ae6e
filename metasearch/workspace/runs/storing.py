"""A run while it goes on: its row, which shows that it lives, and the answers that are stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from metasearch.engine import asking
from metasearch.errors import MetasearchError, WorkspaceError
from metasearch.message import message_n
from metasearch.record import Record
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.keys import each_once
from metasearch.workspace.runs.prepared import Asked, Question
from metasearch.workspace.runs.runs import RENEWED, Run, SourceAnswer
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import written
from metasearch.workspace.works.adding import add_records
from metasearch.workspace.workspace import Workspace

#: Records that are stored at a time; the decisions that people make meanwhile wait no longer.
AT_A_TIME = 200


@asynccontextmanager
async def going_on(workspace: Workspace, run: Run) -> AsyncIterator[None]:
    """A block in which a run goes on: it is done at the end, and stopped where the block is left
    by an error or is cancelled.
    """
    renewing = asyncio.create_task(_renewed(workspace, run), name=f"run {run.number}")
    status: runs.RunStatus = "stopped"
    try:
        yield
        status = "done"
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
        ending = asyncio.ensure_future(workspace.write(runs.finish, run, status))
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:  # once more, while the end is written
            await asyncio.wait({ending})
            raise


async def _renewed(workspace: Workspace, run: Run) -> None:
    while True:
        await asyncio.sleep(RENEWED)
        try:
            await workspace.write(runs.renew, run)
        except WorkspaceError:  # another process is writing; the next time may do
            continue


class Stored:
    """Where the answers of a run are stored.

    Args:
        workspace: The workspace.
        project: Of the run.
        run: The run.
        asked: Its sources.
        progress: Is called with each answer that is stored.
    """

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
        """Store what a source answered, records and all.

        Raises:
            WorkspaceError: The file cannot be written.
        """
        records, repeated = each_once(said.records)
        facts = _facts(said, None if self._run.mode == "counts" else len(records), repeated)
        if not records:
            await self._told(
                await self._workspace.write(self._at_once, question, said.source, facts)
            )
            return
        answer = await self._workspace.write(self._begun, question, said.source)
        for start in range(0, len(records), AT_A_TIME):
            await self._workspace.write(
                _added, self._project, answer, records[start : start + AT_A_TIME]
            )
        await self._told(await self._workspace.write(_finished, answer, facts))

    async def failure(self, question: Question, source: str, error: MetasearchError) -> None:
        """Store why a source could not be asked at all.

        Raises:
            WorkspaceError: The file cannot be written.
        """
        facts = {"status": "error", "error": str(error), "advice": str(error.advice or "")}
        await self._told(await self._workspace.write(self._at_once, question, source, facts))

    async def _told(self, answer: SourceAnswer) -> None:
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


def _added(db: Database, project: Project, answer: int, records: list[Record]) -> None:
    add_records(db, project, answer, records)


def _finished(db: Database, answer: int, facts: dict[str, Any]) -> SourceAnswer:
    return runs.finish_answer(db, answer, **facts)


def _facts(said: asking.SourceAnswer, kept: int | None, repeated: int) -> dict[str, Any]:
    """The columns of an answer, but for those that its row has from the beginning."""
    report = said.report
    came = said.asked_at is not None
    error = report.error
    notes = list(report.notes)
    if repeated:
        notes.append(
            message_n(
                "{count} record was given twice, and is counted once",
                "{count} records were given again, and are counted once",
                repeated,
                count=f"{repeated:,}",
            )
        )
    counted = kept is not None and came and (not report.failed or kept > 0)
    return {
        "status": report.status,
        "error": "" if error is None else str(error),
        "advice": "" if error is None else str(error.advice or ""),
        "sent": report.query,
        "requests": [
            {"method": sent.method, "url": sent.url, "body": [list(pair) for pair in sent.body]}
            for sent in said.requests
        ],
        "claimed": report.total,
        "exact": said.exact,
        "fetched": kept if counted else None,
        "filtered": report.filtered if counted else None,
        "unread": report.unread if counted else None,
        "asked_at": None if said.asked_at is None else written(said.asked_at),
        "cached": report.cached,
        "seconds": report.seconds,
        "notes": notes,
        "spec": said.spec,
    }
