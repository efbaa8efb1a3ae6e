"""Runs in the background: one of a key at a time, followed by any number of readers."""

from __future__ import annotations

import asyncio

import pytest

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.background import Job, Jobs, Shares
from metasearch.server.problem import Problem


async def test_what_a_job_tells_is_followed_from_any_place() -> None:
    """By those who come early, late, or in the middle; each gets everything once."""
    goes_on = asyncio.Event()

    async def work(job: Job[str]) -> None:
        job.set_number(7)
        job.tell("a")
        await goes_on.wait()
        job.tell("b")

    jobs: Jobs[str] = Jobs(Shares(message("runs"), 4))
    job = jobs.begin("p", work)
    early = asyncio.create_task(_all(job))
    await job.wait_for_number()
    middle = asyncio.create_task(_all(job, 1))
    running = jobs.of("p")
    goes_on.set()

    assert (await early, await middle) == (["a", "b"], ["b"])
    assert await _all(job) == ["a", "b"]
    assert (running, jobs.of("p"), jobs.job_of_run("p", 7)) == (job, None, job)
    assert (job.ended, job.error) == (True, None)


async def test_an_error_ends_a_job_and_is_kept() -> None:
    """That of a user with its words, one of ours without; who waits for its number waits no
    longer."""

    async def wrong(_: Job[str]) -> None:
        raise UsageError("there is no such source")

    async def broken(_: Job[str]) -> None:
        raise KeyError("secret")

    jobs: Jobs[str] = Jobs(Shares(message("runs"), 4))
    first, second = jobs.begin("a", wrong), jobs.begin("b", broken)
    await first.wait_for_number()
    await second.wait_for_number()

    assert (first.number, first.reason) == (None, "there is no such source")
    assert "secret" not in str(second.reason)
    assert "internal error" in str(second.reason)


async def test_one_job_of_a_key_and_not_too_many() -> None:
    """409 and 503; both go once there is room."""
    jobs: Jobs[str] = Jobs(Shares(message("runs"), 4))
    running = [jobs.begin(number, _forever) for number in range(4)]

    with pytest.raises(Problem) as same:
        jobs.begin(0, _forever)
    with pytest.raises(Problem) as more:
        jobs.begin("another", _forever)
    await running[0].stop()
    again = jobs.begin(0, _forever)

    assert (same.value.status, more.value.status) == (409, 503)
    assert running[0].ended
    assert not again.ended
    await jobs.close()
    assert all(job.ended for job in (*running[1:], again))


async def _forever(_: Job[str]) -> None:
    await asyncio.Event().wait()


async def _all(job: Job[str], start: int = 0) -> list[str]:
    return [told async for told in job.follow(start)]
