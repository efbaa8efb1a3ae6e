"""The workspace of a server: its file, and the runs that it does in the background.

The pages and the JSON interface both use this one object; `site.workspace_of` gives it to a
handler. Workers of one server share the file; a run belongs to the worker that began it, and the
others see its answers in the file, and stop it by the file.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from metasearch.errors import WorkspaceError
from metasearch.message import message
from metasearch.server.background import Job, Jobs
from metasearch.server.problem import Problem
from metasearch.workspace import projects
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.counts import count_strategy
from metasearch.workspace.runs.resuming import resume_run
from metasearch.workspace.runs.run import run_strategy
from metasearch.workspace.runs.runs import Run, SourceAnswer
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.workspace import Workspace

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine


#: Archives that are received or written at once: each takes disk, and a thread.
MOST_ARCHIVES = 2
_RETRY_AFTER = 30
#: Streams of the progress of runs that are sent at once, and to one client: each reads the file
#: twice a second.
MOST_STREAMS, MOST_CLIENT_STREAMS = 64, 8
#: Seconds that a request waits for a run of another process to stop, and between two looks.
_STOPPING, _LOOKED = 5.0, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What is asked for in a run; see `run_strategy`.

    Attributes:
        steps: Numbers; None takes the usual ones.
        sources: Names of sources and groups; None takes those of the strategy.
        per_source: Records of each source and step.
        timeout: Seconds for each step at each source.
    """

    steps: tuple[int, ...] | None = None
    sources: tuple[str, ...] | None = None
    per_source: int | None = None
    timeout: float | None = None


class WorkspaceService:
    """What the handlers of one process share of a workspace.

    Args:
        path: Of the file; made where it does not exist.
        engine: Asks the sources.

    Attributes:
        workspace: Its file: `await service.workspace.read(function, ...)`.
        jobs: The runs of this process, by the id of their project.
        archives: Permits for archives that are written or read: each takes room on the disk.
    """

    def __init__(self, path: Path, engine: Engine) -> None:
        self.workspace = Workspace(path)
        self.engine = engine
        self.jobs: Jobs[SourceAnswer] = Jobs()
        self._archives = 0
        self._streams: Counter[str] = Counter()

    async def open(self) -> None:
        """Open the file, so that a server that cannot use it does not start.

        Raises:
            WorkspaceError: It cannot be used.
        """
        await self.workspace.write(projects.every)
        await self.workspace.write(runs.look)

    async def close(self) -> None:
        """End the runs, whose answers so far are saved, and close the file."""
        await self.jobs.close()
        await self.workspace.close()

    async def projects(self) -> list[Project]:
        """All projects, the newest first."""
        return await self.workspace.read(projects.every)

    async def project(self, name: str) -> Project:
        """The project with this uid or name.

        Raises:
            UsageError: There is none.
        """
        found = await self.workspace.read(projects.find, name)
        await self.settle(found)
        return found

    async def settle(self, project: Project) -> None:
        """Deal with runs of a project whose processes are gone."""
        if await self.workspace.look(runs.has_dead, project):
            await self.workspace.write(runs.look, project)

    @asynccontextmanager
    async def archive(self) -> AsyncIterator[None]:
        """A block in which an archive is received or written.

        Raises:
            Problem: 503 where as many are as may be.
        """
        if self._archives >= MOST_ARCHIVES:
            raise Problem(
                503,
                "busy",
                message(
                    "{most} archives are being written or received. Try again in a moment.",
                    most=MOST_ARCHIVES,
                ),
                headers={"Retry-After": str(_RETRY_AFTER)},
            )
        self._archives += 1
        try:
            yield
        finally:
            self._archives -= 1

    @contextmanager
    def stream(self, client: str) -> Iterator[None]:
        """A block in which a client follows a run.

        Raises:
            Problem: 503 where it, or all clients together, follow as many as may be.
        """
        if self._streams[client] >= MOST_CLIENT_STREAMS or self._streams.total() >= MOST_STREAMS:
            raise Problem(
                503,
                "busy",
                message(
                    "Too many runs are being followed. Close another page, or reload this one now "
                    "and then."
                ),
                headers={"Retry-After": str(_RETRY_AFTER)},
            )
        self._streams[client] += 1
        try:
            yield
        finally:
            self._streams[client] -= 1
            if not self._streams[client]:
                del self._streams[client]

    # ---------------------------------------------------------------- runs

    async def begin_run(
        self,
        project: Project,
        strategy: Strategy,
        mode: Literal["records", "counts"],
        asked: RunOptions,
        *,
        by: str = "",
    ) -> Run:
        """Begin a run that goes on in the background; `jobs.of(project.id)` follows it. `by` is who
        asks for it.

        Raises:
            UsageError: A step, a source or a number cannot be used; nothing was asked.
            RunClash: A run of the project is under way in another process.
            Problem: 409 where one is under way in this process, 503 where too many are.
        """

        async def work(job: Job[SourceAnswer]) -> None:
            def begun(run: Run) -> None:
                job.begun(run.number)

            if mode == "counts":
                await count_strategy(
                    self.workspace,
                    self.engine,
                    project,
                    strategy,
                    steps=asked.steps,
                    sources=asked.sources,
                    timeout=asked.timeout,
                    by=by,
                    begun=begun,
                    progress=job.tell,
                )
            else:
                await run_strategy(
                    self.workspace,
                    self.engine,
                    project,
                    strategy,
                    steps=asked.steps,
                    sources=asked.sources,
                    per_source=asked.per_source,
                    timeout=asked.timeout,
                    by=by,
                    begun=begun,
                    progress=job.tell,
                )

        return await self._begun(project, work)

    async def resume_run(self, project: Project, run: Run) -> Run:
        """Resume a run that was interrupted; it goes on in the background as one that is begun.

        Raises:
            UsageError: It cannot be resumed.
            RunClash: It was not interrupted, or another one is under way.
            Problem: 409 where a run of the project is under way, 503 where too many are.
        """

        async def work(job: Job[SourceAnswer]) -> None:
            await resume_run(
                self.workspace,
                self.engine,
                project,
                run.number,
                begun=lambda again: job.begun(again.number),
                progress=job.tell,
            )

        return await self._begun(project, work)

    async def _begun(
        self, project: Project, work: Callable[[Job[SourceAnswer]], Awaitable[None]]
    ) -> Run:
        """The run that `work` has begun, and carries out in the background."""
        job = self.jobs.begin(project.id, work)
        await job.known()
        if job.number is None:
            raise job.error or WorkspaceError(
                str(self.workspace.path), message("the run was ended")
            )
        return await self.workspace.read(runs.find, project, job.number)

    async def stop_run(self, project: Project, run: Run) -> Run:
        """End a run that is under way, in whichever process, or was interrupted; what its sources
        have answered is kept. Returns the run; one of another process may be running still.

        Raises:
            RunClash: It has ended.
        """
        stopped = await self.workspace.write(runs.stop, project, run.number)
        job = self.jobs.of(project.id)
        if job is not None and job.number == run.number:
            await job.stop()
        for _ in range(int(_STOPPING / _LOOKED)):
            stopped = await self.workspace.read(runs.find, project, run.number)
            if stopped.status != "running":
                break
            await asyncio.sleep(_LOOKED)
        return stopped
