"""Asks the sources of a run: each about one step after the other, beside the other sources.

What a source has answered is stored at once. A source that asks for a pause gets it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator

from metasearch.engine.asking import SourceAnswer as Said
from metasearch.errors import MetasearchError, QuotaExceeded, RateLimited
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.keys import named
from metasearch.workspace.runs.limits import RunLimits
from metasearch.workspace.runs.prepared import Prepared, Question
from metasearch.workspace.runs.runs import Run, SourceAnswer
from metasearch.workspace.runs.storing import Stored
from metasearch.workspace.runs.under_way import going_on
from metasearch.workspace.workspace import Workspace

#: Sources that are asked at once.
SOURCES_AT_ONCE = 16
#: Seconds that a source may ask to wait; one that asks for more has failed.
LONGEST_PAUSE = 120.0

#: Asks a source about a step.
Ask = Callable[[Question, str], Awaitable[Said]]


class CarryingOut:
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
        project: Project,
        run: Run,
        prepared: Prepared,
        ask: Ask,
        *,
        at_once: int = 1,
        again: bool = False,
        there: Collection[tuple[int, str]] = (),
        progress: Callable[[SourceAnswer], None] | None = None,
        limits: RunLimits | None = None,
    ) -> None:
        self._workspace = workspace
        self._project = project
        self._run = run
        self._prepared = prepared
        self._ask = ask
        self._at_once = at_once
        self._again = again
        self._limits = limits
        self._full = False
        self._storing = asyncio.Lock()
        self._there = frozenset(there)
        self._stored = Stored(workspace, project, run, prepared.asked, progress)
        self._sources = asyncio.Semaphore(SOURCES_AT_ONCE)
        self._failures: list[MetasearchError] = []

    async def done(self) -> Run:
        """Ask every source about every step; returns the run at its end. Raises RunClash: somebody
        else has stopped it or taken it over. Raises MetasearchError: an answer could not be stored;
        the others were asked and stored all the same.
        """
        asked = self._prepared.asked
        async with going_on(self._workspace, self._run):
            try:
                async with asyncio.TaskGroup() as group:
                    for source in (*asked.sources, *asked.broken):
                        group.create_task(self._source(source), name=f"ask {source}")
            except ExceptionGroup as several:  # what `progress` raises
                raise _first(several) from None
            if self._failures:
                raise self._failures[0]
        return await self._workspace.read(runs.find, self._project, self._run.number)

    async def _source(self, source: str) -> None:
        waiting = iter(
            [
                question
                for question in self._prepared.questions
                if (question.step.step.number, source) not in self._there
            ]
        )
        async with self._sources, asyncio.TaskGroup() as group:
            for _ in range(self._at_once):
                group.create_task(self._steps(source, waiting))

    async def _steps(self, source: str, waiting: Iterator[Question]) -> None:
        broken = self._prepared.asked.broken.get(source)
        for question in waiting:
            if self._full:
                return
            try:
                if broken is not None:
                    await self._stored.failure(question, source, broken)
                else:
                    await self._step(question, source)
            except QuotaExceeded as error:
                self._full = True
                self._failures.insert(0, error)
            except MetasearchError as error:
                self._failures.append(error)

    async def _step(self, question: Question, source: str) -> None:
        said = await self._ask(question, source)
        pause = _pause(said)
        if pause is not None and self._again:
            await asyncio.sleep(pause)
            said, pause = await self._ask(question, source), None
        async with self._storing:  # the next answer is measured by what this one has added
            if self._limits is not None:
                await self._limits.brings([named(record) for record in said.records])
            await self._stored.answer(question, said)
        if pause is not None:
            await asyncio.sleep(pause)


def _pause(said: Said) -> float | None:
    """Seconds that a source asks to wait; None where it does not, or for too long."""
    error = said.report.error
    if not isinstance(error, RateLimited) or error.retry_after is None:
        return None
    return error.retry_after if error.retry_after <= LONGEST_PAUSE else None


def _first(several: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = several
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
