"""Runs that a server has begun and that go on without the request that began them, and the shares
of users in what takes long.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from metasearch.errors import MetasearchError, WorkspaceError
from metasearch.message import Message, message
from metasearch.server.problem import Problem, storage_problem

# Shares: of what takes long, so much goes on at once, and only a part of it for one user. Of each
# kind there is one `Shares` a process, so that one user never takes all of it from others;
# `service.py` says who is a user, and which requests take a permit.

#: Seconds after which who was refused may come again.
RETRY_AFTER = 30
#: Who has no share: only the sum holds.
OWNER = ""


class Shares:
    """Permits of one kind. `what`: what is permitted, for people: "archives that are written or
    received". `each`: how many permits are one user's; None takes the half.
    """

    def __init__(self, what: Message, most: int, each: int | None = None) -> None:
        self.what = what
        self.most = most
        self.each = max(1, most // 2) if each is None else each
        self._of_user: Counter[str] = Counter()

    def take(self, user: str) -> Callable[[], None]:
        """Take a permit; returns what gives it back, of which a second call does nothing. Raises
        Problem: 429 where the user has taken a whole share, 503 where others have taken the rest;
        both with `Retry-After`.
        """
        again = {"Retry-After": str(RETRY_AFTER)}
        if user != OWNER and self._of_user[user] >= self.each:
            detail = message(
                "As many of yours are under way as one user may have: {each} {what}. Wait until "
                "one has ended.",
                each=self.each,
                what=self.what,
            )
            raise Problem(429, "share", detail, headers=again)
        if self._of_user.total() >= self.most:
            detail = message(
                "As many are under way as this server takes: {most} {what}. Try again in a moment.",
                most=self.most,
                what=self.what,
            )
            raise Problem(503, "full", detail, headers=again)
        self._of_user[user] += 1
        taken = True

        def give_back() -> None:
            nonlocal taken
            if taken:
                taken = False
                self._of_user[user] -= 1
                if not self._of_user[user]:
                    del self._of_user[user]

        return give_back


#: What a job tells while it runs.
T = TypeVar("T")

#: Finished jobs of one process that are remembered.
MOST_FINISHED = 64

logger = logging.getLogger("metasearch.server")


@dataclass(eq=False, slots=True)
class Job(Generic[T]):
    """What runs in the background, and what it has told.

    Attributes:
        key: Whose it is: of each key one job runs at once.
        told: All that it has told, in order.
        number: The number of the run, once it is known.
        error: Why it ended, where it did not come to its end; None where it runs or has ended well.
        reason: The same for a reader, without a path of the server.
    """

    key: Hashable
    told: list[T] = field(default_factory=list)
    number: int | None = None
    error: MetasearchError | None = None
    reason: str | None = None
    ended: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    def tell(self, told: T) -> None:
        """Add something; those who follow get it."""
        self.told.append(told)
        self._wake()

    def set_number(self, number: int) -> None:
        self.number = number
        self._wake()

    async def wait_for_number(self) -> None:
        """Wait until the number of the run is known, or it has ended."""
        while self.number is None and not self.ended:
            await self._news.wait()

    async def follow(self, start: int = 0) -> AsyncIterator[T]:
        """What it tells, from a place on, until it ends."""
        while True:
            for told in self.told[start:]:
                start += 1
                yield told
            if start < len(self.told):
                continue
            if self.ended:
                return
            await self._news.wait()

    def start(
        self, work: Callable[[Job[T]], Awaitable[object]], after: Callable[[Job[T]], None]
    ) -> None:
        """Have `work(job)` done; `after(job)` is called at its end."""

        def end(_: asyncio.Task[None]) -> None:
            self.ended = True
            after(self)
            self._wake()

        self._task = asyncio.create_task(self._done(work))
        # Not in the task itself: one that is cancelled before its first step never runs.
        self._task.add_done_callback(end)

    async def stop(self) -> None:
        """End it; what it has saved stays."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([self._task])

    async def _done(self, work: Callable[[Job[T]], Awaitable[object]]) -> None:
        try:
            await work(self)
        except WorkspaceError as exc:
            self.error, self.reason = exc, storage_problem(exc).detail
        except MetasearchError as exc:
            self.error, self.reason = exc, exc.message
        except Exception:
            logger.exception("a run in the background failed")
            self.reason = message(
                "An internal error occurred; the log of the server has the details."
            )
            self.error = MetasearchError(self.reason)

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class Jobs(Generic[T]):
    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self._running: dict[Hashable, Job[T]] = {}
        self._finished: list[Job[T]] = []

    def begin(
        self, key: Hashable, work: Callable[[Job[T]], Awaitable[object]], user: str = OWNER
    ) -> Job[T]:
        """Have `work(job)` done, beside everything else, in the share of a user. Raises Problem:
        409 where one of this key runs, and those of `Shares.take`.
        """
        if key in self._running:
            raise Problem(
                409,
                "running",
                message("A run of this project is under way. Wait for its end, or stop it."),
            )
        give_back = self._shares.take(user)

        def ended(job: Job[T]) -> None:
            give_back()
            self._finish(job)

        job: Job[T] = Job(key)
        self._running[key] = job
        job.start(work, ended)
        return job

    def of(self, key: Hashable) -> Job[T] | None:
        """The job of this key that runs; None if there is none."""
        return self._running.get(key)

    def job_of_run(self, key: Hashable, number: int) -> Job[T] | None:
        """The job of a run, also of one that has ended not long ago."""
        return next((job for job in self._jobs(key) if job.number == number), None)

    def last(self, key: Hashable) -> Job[T] | None:
        """The job of this key that runs, or has ended last."""
        return next(self._jobs(key), None)

    def _jobs(self, key: Hashable) -> Iterator[Job[T]]:
        jobs = (*self._running.values(), *reversed(self._finished))
        return (job for job in jobs if job.key == key)

    async def close(self) -> None:
        await asyncio.gather(*(job.stop() for job in list(self._running.values())))

    def _finish(self, job: Job[T]) -> None:
        self._running.pop(job.key, None)
        self._finished = [*self._finished[1 - MOST_FINISHED :], job]
