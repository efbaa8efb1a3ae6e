"""`Workspace`: a workspace file for a program with an event loop.

What is written runs in one thread, and what is only read in another, so that a list is there while
others write; who asks is looked up in a third. What takes long has threads and connections of its
own, and writes in portions. The loop waits for none of them.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar
from weakref import WeakValueDictionary

from metasearch import garbage_collection
from metasearch.review.store.database import Database

P = ParamSpec("P")
T = TypeVar("T")

#: What takes long at once, and how much of it is one user's; more of it waits.
MOST_LONG, MOST_USER_LONG = 4, 2
#: Whose share what takes long is of, here and in tasks that are begun here; "" has no share.
LONG_OF: ContextVar[str] = ContextVar("long of", default="")


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
    """A workspace file, used from an event loop. `path`: of the file; it is opened, and made, by
    the first call.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = _Thread(path, "workspace-write", only_read=False)
        self._reader = _Thread(path, "workspace-read", only_read=True)
        self._looker = _Thread(path, "workspace-look", only_read=True)
        self._long = ThreadPoolExecutor(MOST_LONG, thread_name_prefix="workspace-long")
        self._of_users: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._ending = threading.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()

    async def write(
        self, function: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call `function(database, *args, **kwargs)` to make changes, one call after another."""
        return await self._writer.call(partial(_with, function, args, kwargs))

    async def read(
        self, function: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that changes nothing; it does not wait for changes."""
        return await self._reader.call(partial(_with, function, args, kwargs))

    async def look(
        self, function: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that reads a few rows, such as those of the user who asks; it waits for
        no list that somebody else reads.
        """
        return await self._looker.call(partial(_with, function, args, kwargs))

    async def long(
        self, function: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that reads for long, such as an export, with a connection of its own. At
        most `MOST_LONG` of these and of `work` go on at once, and `MOST_USER_LONG` of one user
        (`LONG_OF`).

        While it reads in a `snapshot`, the log of SQLite grows by what others write.
        """
        return await self._apart(partial(_with, function, args, kwargs), read_only=True)

    async def work(
        self, function: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that writes much, in portions (store/database.py), with a connection of
        its own: others write between two of them.
        """
        return await self._apart(partial(_with, function, args, kwargs), read_only=False)

    async def _apart(self, function: Callable[[Database], T], *, read_only: bool) -> T:
        def called() -> T:
            with (
                garbage_collection.beside_others(),
                Database(self.path, read_only=read_only, ending=self._ending) as db,
            ):
                return function(db)

        async with self._share(LONG_OF.get()):
            if self._ending.is_set():
                raise RuntimeError(f"the workspace {self.path} is closed")
            job = asyncio.get_running_loop().run_in_executor(self._long, called)
            try:
                return await asyncio.shield(job)
            except asyncio.CancelledError:
                await asyncio.wait([job])  # the thread goes on, with the files that it was given
                raise

    def _share(self, user: str) -> AbstractAsyncContextManager[None]:
        """Waits while a user has a whole share: what is queued for the threads is then of many
        users, and none waits behind all that one has asked for.
        """
        if not user:
            return nullcontext()
        share = self._of_users.get(user)
        if share is None:
            share = self._of_users[user] = asyncio.Semaphore(MOST_USER_LONG)
        return share

    async def close(self) -> None:
        """Wait for what is being done, and close the file; what is done in portions ends before the
        next one. A second call does nothing.
        """
        self._ending.set()
        try:
            await self._writer.close()
        finally:
            try:
                await self._reader.close()
            finally:
                await self._looker.close()
                await asyncio.to_thread(self._long.shutdown, cancel_futures=True)


def _with(
    function: Callable[..., T], args: tuple[object, ...], kwargs: dict[str, object], db: Database
) -> T:
    return function(db, *args, **kwargs)


# Recorded pages that an archive has brought: a folder a project, beside the workspace.
# `NAME-recorded/UID`, where UID is that of the project, also with "-" and more behind it. Pages
# that `--record` keeps lie where a person wants them: they are none of these, and are never
# removed.

#: Thread that removes the pages of a project that is gone.
REMOVING = "recorded pages are removed"


def place_of(workspace: Path) -> Path:
    """The folder of all recorded pages of a workspace."""
    beside = workspace.absolute()
    return beside.with_name(f"{beside.stem}-recorded")


def folders_of(workspace: Path, uid: str) -> list[Path]:
    return [folder for folder in folders(workspace) if uid_of(folder) == uid]


def folders(workspace: Path) -> list[Path]:
    """The folders of all projects that are, or were, in a workspace."""
    try:
        found = sorted(place_of(workspace).iterdir())
    except OSError:  # there are none
        return []
    return [folder for folder in found if folder.is_dir() and not folder.is_symlink()]


def uid_of(folder: Path) -> str:
    """The uid of the project that a folder belongs to."""
    return folder.name.partition("-")[0]


def bytes_of(some: Iterable[Path]) -> int:
    """What the files in folders take."""
    return sum(
        entry.stat(follow_symlinks=False).st_size
        for folder in some
        for at, _, _ in os.walk(folder)
        for entry in os.scandir(at)
        if entry.is_file(follow_symlinks=False)
    )


def set_pages(db: Database, project: int, size: int) -> None:
    db.run("UPDATE stored SET pages = ? WHERE project = ?", size, project)


def remove(some: Iterable[Path]) -> None:
    """Remove folders, beside what the caller does next: many files take seconds. What is left where
    the process ends before is found by `workspace check`.
    """

    def removed() -> None:
        for folder in listed:
            shutil.rmtree(folder, ignore_errors=True)

    if listed := list(some):
        threading.Thread(target=removed, name=REMOVING).start()
