"""What goes on while a run asks its sources: signs of life, and answers that are stored."""

from __future__ import annotations

import asyncio
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from typing import Any

from metasearch.engine.inquiry import SourceAnswer as Said
from metasearch.errors import MetasearchError, QuotaExceeded, RateLimited, RunClash, WorkspaceError
from metasearch.message import message, message_n
from metasearch.record import Record
from metasearch.review.projects.projects import ProjectRow
from metasearch.review.runs import carriers, runs
from metasearch.review.runs.citations import CitationAnswer
from metasearch.review.runs.plan import RunLimits, RunPlan, SourceQuestion
from metasearch.review.runs.runs import Run, StoredAnswer
from metasearch.review.store.database import Database
from metasearch.review.store.values import moment_text
from metasearch.review.store.workspace import Workspace
from metasearch.review.works.intake import add_records
from metasearch.review.works.records import NO_LINKS, with_key


def _finish_answer(
    db: Database, answer: int, given: int, left_out: Sequence[str], facts: dict[str, Any]
) -> StoredAnswer:
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


def _facts(said: Said, *, wanted: bool) -> dict[str, Any]:
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
        "asked_at": None if said.asked_at is None else moment_text(said.asked_at),
        "cached": report.cached,
        "seconds": report.seconds,
        "notes": report.notes,
        "spec": said.spec,
    }


#: Seconds between two looks whether the run is to be stopped.
LOOKED = 1.0


@asynccontextmanager
async def under_way(workspace: Workspace, run: Run) -> AsyncIterator[None]:
    """A block in which a run goes on: it is done at the end. Where the block is left by an error or
    is cancelled, the run is interrupted, or stopped where a person wanted that. Raises RunClash:
    the run was stopped, resumed or ended by somebody else.
    """
    task = asyncio.current_task()
    assert task is not None
    watching = asyncio.create_task(_watch(workspace, run, task), name=f"run {run.number}")
    cancelled = task.cancelling()
    status: runs.RunStatus = "interrupted"
    try:
        yield
        status = "done"
    except asyncio.CancelledError:
        if watching.done() and task.uncancel() <= cancelled:
            raise watching.result() from None
        raise
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        ending = asyncio.ensure_future(workspace.write(runs.finish, run, status))
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:  # once more, while the end is written
            await asyncio.wait({ending})
            raise


async def _watch(workspace: Workspace, run: Run, task: asyncio.Task[object]) -> RunClash:
    """Cancel the task of a run that is not to go on; returns why."""
    renewed = time.monotonic()
    while True:
        await asyncio.sleep(min(LOOKED, carriers.RENEWED))
        try:
            if await workspace.look(carriers.is_to_stop, run.id):
                text = message("Run {number} was stopped", number=run.number)
                break
            if time.monotonic() - renewed < carriers.RENEWED:
                continue
            if not await workspace.write(runs.renew, run):
                text = message("Run {number} was resumed or ended elsewhere", number=run.number)
                break
            renewed = time.monotonic()
        except WorkspaceError:  # another process is writing; the next time may do
            continue
    task.cancel()
    return RunClash(text, kind="not-running", advice=message("What was answered is kept."))


# Asks the sources of a run: each about one step after the other, beside the other sources. What a
# source has answered is stored at once. A source that asks for a pause gets it.

#: Sources that are asked at once.
SOURCES_AT_ONCE = 16
#: Seconds that a source may ask to wait; one that asks for more has failed.
LONGEST_PAUSE = 120.0

#: Asks a source about a step.
Ask = Callable[[SourceQuestion, str], Awaitable[Said]]


class RunExecution:
    """A run while it is carried out.

    Args:
        again: Whether a step is asked about once more after a pause; else the pause holds for the
            next step.
        there: (number of a step, source) that are not asked, as a run that is resumed has their
            answers.
        progress: Is called with each answer that is stored.
        limits: What is asked before an answer is stored; where it refuses, the run ends.
    """

    def __init__(
        self,
        workspace: Workspace,
        project: ProjectRow,
        run: Run,
        prepared: RunPlan,
        ask: Ask,
        *,
        at_once: int = 1,
        again: bool = False,
        there: Collection[tuple[int, str]] = (),
        progress: Callable[[StoredAnswer], None] | None = None,
        limits: RunLimits | None = None,
    ) -> None:
        self._workspace = workspace
        self._project = project
        self._run = run
        self._asked = prepared.asked
        self._questions = prepared.questions
        self._ask = ask
        self._at_once = at_once
        self._again = again
        self._limits = limits
        self._progress = progress
        self._full = False
        self._storing = asyncio.Lock()
        self._there = frozenset(there)
        self._sources = asyncio.Semaphore(SOURCES_AT_ONCE)
        self._failures: list[MetasearchError] = []

    async def done(self) -> Run:
        """Ask every source about every step; returns the run at its end. Raises RunClash: somebody
        else has stopped it or taken it over. Raises MetasearchError: an answer could not be stored;
        the others were asked and stored all the same.
        """
        async with under_way(self._workspace, self._run):
            try:
                async with asyncio.TaskGroup() as group:
                    for source in (*self._asked.sources, *self._asked.broken):
                        group.create_task(self._source(source), name=f"ask {source}")
            except ExceptionGroup as several:  # what `progress` raises
                raise _first(several) from None
            if self._failures:
                raise self._failures[0]
        return await self._workspace.read(self._project.bind(runs.find), self._run.number)

    async def _source(self, source: str) -> None:
        waiting = iter(
            [
                question
                for question in self._questions
                if (question.step.step.number, source) not in self._there
            ]
        )
        async with self._sources, asyncio.TaskGroup() as group:
            for _ in range(self._at_once):
                group.create_task(self._steps(source, waiting))

    async def _steps(self, source: str, waiting: Iterator[SourceQuestion]) -> None:
        broken = self._asked.broken.get(source)
        for question in waiting:
            if self._full:
                return
            try:
                if broken is not None:
                    facts = {"status": "error", "error": broken.message, "advice": broken.advice}
                    await self._store_at_once(question, source, facts)
                else:
                    await self._step(question, source)
            except QuotaExceeded as error:
                self._full = True
                self._failures.insert(0, error)
            except MetasearchError as error:
                self._failures.append(error)

    async def _step(self, question: SourceQuestion, source: str) -> None:
        said = await self._ask(question, source)
        pause = _pause(said)
        if pause is not None and self._again:
            await asyncio.sleep(pause)
            said, pause = await self._ask(question, source), None
        async with self._storing:  # the next answer is measured by what this one has added
            records = [with_key(record) for record in said.records]
            if self._limits is not None:
                await self._limits.brings(records)
            await self._store(question, said, records)
        if pause is not None:
            await asyncio.sleep(pause)

    async def _store(self, question: SourceQuestion, said: Said, records: Sequence[Record]) -> None:
        """Store what a source answered, records and all."""
        facts = _facts(said, wanted=self._run.mode != "counts")
        if not records:
            await self._store_at_once(question, said.source, facts)
            return
        answer = await self._workspace.write(self._begin, question, said.source)
        links = said.links if isinstance(said, CitationAnswer) else NO_LINKS
        added = await self._workspace.work(
            self._project.bind(add_records), answer, records, links=links
        )
        left_out = [reason for _, reason in added.left_out]
        self._tell(
            await self._workspace.write(_finish_answer, answer, len(records), left_out, facts)
        )

    async def _store_at_once(
        self, question: SourceQuestion, source: str, facts: Mapping[str, Any]
    ) -> None:
        """Store an answer that has no records."""

        def write(db: Database) -> StoredAnswer:
            with db.transaction():
                return runs.finish_answer(db, self._begin(db, question, source), **facts)

        self._tell(await self._workspace.write(write))

    def _begin(self, db: Database, question: SourceQuestion, source: str) -> int:
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

    def _tell(self, answer: StoredAnswer) -> None:
        if self._progress is not None:
            self._progress(answer)


def _pause(said: Said) -> float | None:
    """Seconds that a source asks to wait; None where it does not, or for too long."""
    error = said.report.error
    if not isinstance(error, RateLimited) or error.retry_after is None:
        return None
    if isinstance(said, CitationAnswer):  # nothing more is asked
        return None
    return error.retry_after if error.retry_after <= LONGEST_PAUSE else None


def _first(several: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = several
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
