"""`Workspace`: a workspace file for a program with an event loop.

What is written runs in one thread, and what is only read in another; who asks is looked up in a
third. A job that writes much has a thread and a connection of its own, and writes in portions, so
that others write between two of them. The loop waits for none of them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar
from weakref import WeakValueDictionary

from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database

P = ParamSpec("P")
T = TypeVar("T")

#: Jobs that write much at once, each in a thread; further ones wait.
MOST_JOBS = 4


class _Thread:
    """A thread with its own connection, opened by the first call."""

    def __init__(self, path: Path, name: str, *, only_read: bool) -> None:
        self._path = path
        self._only_read = only_read
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._database: Database | None = None
        self._closed = False

    async def call(self, function: Callable[[Database], T]) -> T:
        if self._closed:
            raise RuntimeError(f"the workspace {self._path} is closed")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._called, function)

    def _called(self, function: Callable[[Database], T]) -> T:
        if self._database is None:
            if self._only_read:
                # Made where it does not exist; a reader has tables of its own, which are temporary.
                Database(self._path).close()
            self._database = Database(self._path, read_only=self._only_read)
        return function(self._database)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    async def close(self) -> None:
        """Wait for what was called, and close the file; cancelling this ends the waiting only."""
        if self._closed:
            return
        self._closed = True
        closing = asyncio.get_running_loop().run_in_executor(self._pool, self._close)
        self._pool.shutdown(wait=False)  # what was handed in is still done
        await asyncio.shield(closing)
        self._pool.shutdown(wait=True)  # the thread has nothing left to do but to end


class Workspace:
    """A workspace file, used from an event loop.

    Args:
        path: Of the file; it is opened, and made, by the first call.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = _Thread(path, "workspace-write", only_read=False)
        self._reader = _Thread(path, "workspace-read", only_read=True)
        self._looker = _Thread(path, "workspace-look", only_read=True)
        self._jobs = ThreadPoolExecutor(MOST_JOBS, thread_name_prefix="workspace-job")
        self._ending = threading.Event()
        #: Project -> held while a job of it runs: a second one would wait in a thread.
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()

    async def write(
        self, function: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call `function(database, *args, **kwargs)` where changes are made, one after the other.

        Raises:
            WorkspaceError: The file cannot be used.
        """
        return await self._writer.call(partial(_with, function, args, kwargs))

    async def read(
        self, function: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that changes nothing; it does not wait for changes.

        Raises:
            WorkspaceError: The file cannot be used.
        """
        return await self._reader.call(partial(_with, function, args, kwargs))

    async def look(
        self, function: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that reads a few rows, such as those of the user who asks; it waits for
        no list that somebody else reads.

        Raises:
            WorkspaceError: The file cannot be used.
        """
        return await self._looker.call(partial(_with, function, args, kwargs))

    async def work(
        self,
        function: Callable[Concatenate[Database, Project, P], T],
        project: Project,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Call a function that writes much, in portions: `Database.portions`. Others write and read
        meanwhile; jobs of one project run one after the other.

        Raises:
            WorkspaceError: The file cannot be used, or the program ends.
        """
        turn = self._turns.setdefault(project.id, asyncio.Lock())
        async with turn:
            if self._ending.is_set():
                raise RuntimeError(f"the workspace {self.path} is closed")
            loop = asyncio.get_running_loop()
            job = loop.run_in_executor(
                self._jobs, self._worked, partial(_with, function, (project, *args), kwargs)
            )
            # The thread goes on where this is cancelled, and the turn with it.
            try:
                return await asyncio.shield(job)
            except asyncio.CancelledError:
                await asyncio.wait([job])
                raise

    def _worked(self, function: Callable[[Database], T]) -> T:
        with Database(self.path, ending=self._ending) as db:
            return function(db)

    async def close(self) -> None:
        """Wait for what is being done, and close the file; long jobs end at their next portion. A
        second call does nothing.
        """
        self._ending.set()
        await asyncio.to_thread(self._jobs.shutdown)
        try:
            await self._writer.close()
        finally:
            try:
                await self._reader.close()
            finally:
                await self._looker.close()


def _with(
    function: Callable[..., T], args: tuple[object, ...], kwargs: dict[str, object], db: Database
) -> T:
    return function(db, *args, **kwargs)
