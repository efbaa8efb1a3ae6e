"""The workspace of a server: its file, and the runs that it does in the background.

The pages and the JSON interface both use this one object; `site.workspace_of` gives it to a
handler. Workers of one server share the file; a run belongs to the worker that began it, and the
others see its answers in the file.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator
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
from metasearch.workspace.removing import remove_hidden
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.counts import count_strategy
from metasearch.workspace.runs.run import run_strategy
from metasearch.workspace.runs.runs import Run, SourceAnswer
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.workspace import Workspace

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine


logger = logging.getLogger("metasearch.server")

#: Archives that are received or written at once: each takes disk, and a thread.
MOST_ARCHIVES = 2
_RETRY_AFTER = 30
#: Streams of the progress of runs that are sent at once, and to one client: each reads the file
#: twice a second.
MOST_STREAMS, MOST_CLIENT_STREAMS = 64, 8


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
        self._cleaning: asyncio.Future[None] | None = None

    async def open(self) -> None:
        """Open the file, so that a server that cannot use it does not start.

        Raises:
            WorkspaceError: It cannot be used.
        """
        await self.workspace.write(projects.every)
        self._cleaning = asyncio.ensure_future(self._clean())

    async def _clean(self) -> None:
        """Remove what a process left that died while it imported or deleted a project."""
        try:
            await self.workspace.long(remove_hidden, self.workspace.portion)
        except (WorkspaceError, RuntimeError) as error:  # also where the server ends meanwhile
            logger.warning("what is left of deleted projects is removed the next time: %s", error)

    async def close(self) -> None:
        """End the runs, whose answers so far are saved, and close the file."""
        await self.jobs.close()
        await self.workspace.close()
        if self._cleaning is not None:
            await self._cleaning

    async def projects(self) -> list[Project]:
        """All projects, the newest first."""
        return await self.workspace.read(projects.every)

    async def project(self, name: str) -> Project:
        """The project with this uid or name.

        Raises:
            UsageError: There is none.
        """
        return await self.workspace.read(projects.find, name)

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
            Problem: 409 where a run of the project is under way, 503 where too many are.
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

        job = self.jobs.begin(project.id, work)
        await job.known()
        if job.number is None:
            raise job.error or WorkspaceError(
                str(self.workspace.path), message("the run was ended")
            )
        return await self.workspace.read(runs.find, project, job.number)

    async def stop_run(self, project: Project, run: Run) -> None:
        """End a run; what its sources have answered is kept.

        Raises:
            Problem: 409 where it does not run, or not in this process.
        """
        job = self.jobs.of(project.id)
        if job is None or job.number != run.number:
            raise Problem(
                409,
                "not-running",
                message("The run {number} is not under way in this process.", number=run.number),
            )
        await job.stop()
