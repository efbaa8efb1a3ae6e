"""Counts: hits of every step and source, by one request each, within every limit."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Request
from metasearch.cache import MemoryStore
from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.errors import ConnectFailed, RateLimited, UsageError
from metasearch.review.projects import projects
from metasearch.review.runs import runs
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import COUNTS_AT_ONCE, run_strategy
from metasearch.review.runs.runs import StoredAnswer
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps, strategies
from tests.engine.test_engine import works as answer_of
from tests.review.runs.planned import MARSH, Planned, paged, planned
from tests.stalls import Calls

#: Twelve steps: words, and combinations of them.
TWELVE = [
    *("soil", "carbon", "peat", "marsh", "birds", "tide", "salt"),
    *("#1 AND #2", "#3 OR #4", "#8 AND #9", "#5 NOT #6", "#10 OR #11"),
]


async def count(plan: Planned, **options: object) -> dict[tuple[int, str], StoredAnswer]:
    """The answers of a count."""
    done = await run_strategy(
        plan.workspace,
        plan.engine,
        plan.project,
        plan.strategy,
        RunOptions(mode="counts", **options),
    )
    assert (done.mode, done.status) == ("counts", "done")
    return await plan.answers(done)


async def test_one_request_a_step_and_source(tmp_path: Path) -> None:
    """Twelve steps at fifteen sources are 180 requests, each for a single record."""
    sources = {f"source{number}": paged(1_000 + number) for number in range(15)}
    async with await planned(tmp_path, TWELVE, sources) as plan:
        answers = await count(plan)
        asked = Counter(one.source for one in plan.upstreams.asked)

    assert len(answers) == 180
    assert set(asked.values()) == {12}
    assert len(asked) == 15
    assert {dict(one.params)["rows"] for one in plan.upstreams.asked} == {"1"}
    assert {answer.claimed for (_, name), answer in answers.items() if name == "source7"} == {1007}
    assert all(answer.asked_at and answer.fetched is None for answer in answers.values())


@pytest.mark.slow
async def test_the_limits_of_each_source_are_respected(tmp_path: Path) -> None:
    """No source is asked by more requests at once than its spec or this mode allows, nor faster
    than its rate."""
    now, most = Counter[str](), Counter[str]()
    times: dict[str, list[float]] = {}

    async def answer(request: Request) -> bytes:
        now[request.source] += 1
        most[request.source] = max(most[request.source], now[request.source])
        times.setdefault(request.source, []).append(asyncio.get_running_loop().time())
        await asyncio.sleep(0.002)
        now[request.source] -= 1
        return answer_of(MARSH, total=9)

    names = ("one", "many")
    async with await planned(tmp_path, TWELVE[:6], dict.fromkeys(names, answer)) as plan:
        limits = {
            "one": {"concurrency": 1, "requests": 1, "per": 0.02},
            "many": {"concurrency": 4, "requests": 9_000},
        }
        tables = {
            name: {**table, "limits": limits[name]}
            for name, table in plan.engine.settings.sources.items()
        }
        made = Engine(type(plan.engine.settings)(sources=tables, default_sources=names))
        made._fetcher = Fetcher(plan.upstreams, None)
        await plan.engine.close()
        plan.engine = made
        answers = await count(plan)

    assert {answer.claimed for answer in answers.values()} == {9}
    assert most == {"one": 1, "many": COUNTS_AT_ONCE}
    assert len(times["one"]) == 6
    # A machine that is busy may note one of them late, and the next one soon after it.
    assert times["one"][-1] - times["one"][0] > 4 * 0.015


async def test_what_failed_is_told_apart_from_nothing(tmp_path: Path) -> None:
    """A failed source is asked once and has no number; the others have theirs."""

    def gone(request: Request) -> bytes:
        raise ConnectFailed(request.source, "no route")

    bodies = {"gone": gone, "none": answer_of(), "some": paged(4)}
    async with await planned(tmp_path, ["soil"], bodies) as plan:
        answers = await count(plan)

    assert [answers[1, name].claimed for name in bodies] == [None, 0, 4]
    assert [answers[1, name].failed for name in bodies] == [True, False, False]
    assert sum(one.source == "gone" for one in plan.upstreams.asked) == 1


async def test_after_a_pause_the_next_steps_are_counted(tmp_path: Path) -> None:
    """A source that is busy for a moment lacks one number, not all; it is asked once a step."""
    first = True

    def busy(request: Request) -> bytes:
        nonlocal first
        if first:
            first = False
            raise RateLimited(request.source, 0.05)
        return answer_of(MARSH, total=9)

    async with await planned(tmp_path, TWELVE[:5], {"alpha": busy}) as plan:
        answers = await count(plan)
        asked = len(plan.upstreams.asked)

    assert [answer.claimed for answer in answers.values()].count(9) >= 3
    assert answers[1, "alpha"].status == "limited"
    assert asked <= 5


async def test_nothing_is_kept_but_the_numbers(tmp_path: Path) -> None:
    """A count adds no record and no work."""
    async with await planned(tmp_path, ["soil"]) as plan:
        await count(plan)
        kept = await plan.workspace.read(
            lambda db: [db.value(f"SELECT count(*) FROM {name}") for name in ("record", "work")]
        )

    assert kept == [0, 0]


async def test_a_page_in_the_cache_is_not_asked_for_and_keeps_its_date(tmp_path: Path) -> None:
    """Counting again costs nothing within the time of the cache, and says when it was asked."""
    async with await planned(tmp_path, ["soil"], {"alpha": paged(7)}) as plan:
        plan.engine._fetcher = Fetcher(plan.upstreams, MemoryStore(), patience=0)
        first = (await count(plan))[1, "alpha"]
        await plan.engine._fetcher.finish_writes()
        again = (await count(plan))[1, "alpha"]
        await count(plan, cache=False)

    assert (again.cached, again.claimed) == (True, 7)
    assert again.asked_at == first.asked_at
    assert len(plan.upstreams.asked) == 2


async def test_steps_that_cannot_be_searched_for_are_left_out(tmp_path: Path) -> None:
    """A step that only narrows others is not asked for; named, it is an error."""
    async with await planned(tmp_path, ["soil", "year:2020-", "#1 AND #2"]) as plan:
        answers = await count(plan, sources=["alpha"])
        with pytest.raises(UsageError, match="only narrows"):
            await count(plan, steps=[2])

    assert [step for step, _ in answers] == [1, 3]


async def test_a_strategy_without_steps(tmp_path: Path) -> None:
    """There is nothing to count, and that is told."""
    async with await planned(tmp_path, []) as plan:
        with pytest.raises(UsageError, match="no step"):
            await count(plan)
        begun = await plan.workspace.read(plan.project.bind(runs.of))

    assert not begun


async def test_sources_that_need_two_requests_for_records_are_counted_by_one(
    tmp_path: Path,
) -> None:
    """PubMed's way: ids first, records by a second request; real sockets, real bodies."""
    told: list[StoredAnswer] = []
    async with (
        DemoDatabases(latency=0, faults=False) as demo,
        Engine(demo.settings()) as engine,
        Workspace(tmp_path / "workspace.db") as workspace,
    ):
        project = await workspace.write(projects.create, "demo", "review")
        strategy = await workspace.write(project.bind(strategies.create), "main")
        for text in ("gambling", "harms", "#1 AND #2"):
            await workspace.write(steps.add, strategy, text)
        await run_strategy(
            workspace, engine, project, strategy, RunOptions(mode="counts"), progress=told.append
        )

    assert len(told) == 15
    assert {len(answer.requests) for answer in told} == {1}
    assert {answer.claimed for answer in told if answer.source == "demo-pubmed"} == {12}


@pytest.mark.slow
async def test_the_loop_is_not_blocked(tmp_path: Path) -> None:
    """Others are served while a strategy is counted, also where its queries are long."""
    words = " OR ".join(f"word{number}" for number in range(90))
    texts = [words, *("soil" for _ in range(3)), "#1 AND #2", "#1 NOT #3"]
    sources = {f"source{number}": paged(50) for number in range(15)}
    async with await planned(tmp_path, texts, sources) as plan:
        await count(plan)  # what is imported and compiled by the first use
        async with Calls() as calls:
            await count(plan)

    assert calls.most < 12_000
