"""Checks of included works: what databases say of each is kept, and nothing of it is taken back by
a database that fails.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Request
from metasearch.engine.lookup import LookupOptions
from metasearch.errors import ConnectFailed, QuotaExceeded, RunClash, UsageError
from metasearch.message import message
from metasearch.review.projects import log
from metasearch.review.reports import prisma_flow
from metasearch.review.reports.document import Remark, Table, plain
from metasearch.review.runs.run import run_strategy
from metasearch.review.works import decisions, work_checks
from metasearch.review.works.lists import WorksQuery, uids
from metasearch.review.works.work_checks import WorkCheck, check_again, check_works
from tests.engine.test_engine import item, works
from tests.review.runs.planned import Planned, planned

RETRACTED = {"updated-by": [{"type": "retraction"}]}
MARSH = item("Soil carbon in marshes", "10.1000/one")
PEAT = item("Peat and soil carbon", "10.1000/two", year=2012)


def away(request: Request) -> bytes:
    """The body of a source that cannot be reached."""
    raise ConnectFailed(request.source, "no route to the host")


async def included(folder: Path, **bodies: Any) -> Planned:
    """A project that includes the works of a run, and whose sources then answer otherwise."""
    before = {"alpha": works(MARSH, PEAT), "beta": works()}
    plan = await planned(folder, ["soil"], before)
    await run_strategy(plan.workspace, plan.engine, plan.project, plan.strategy)
    await plan.workspace.write(plan.project.bind(include))
    answer(plan, **bodies)
    return plan


def include(project: Any) -> None:
    decisions.mark(project, uids(project, WorksQuery()), "relevant", stage="fulltext")


def answer(plan: Planned, **bodies: Any) -> None:
    """From now on; what failed before is asked again at once."""
    plan.upstreams.bodies = {**plan.upstreams.bodies, **bodies}
    plan.engine._fetcher = Fetcher(plan.upstreams, None, patience=0)


async def checks(plan: Planned) -> dict[str, WorkCheck]:
    found = await plan.workspace.read(plan.project.bind(work_checks.checks_of), most=100)
    return {each.title: each for each in found}


async def check(plan: Planned, **how: Any) -> work_checks.CheckResult:
    return await check_works(plan.workspace, plan.engine, plan.project, LookupOptions(), **how)


async def test_what_databases_say_of_each_included_work_is_kept(tmp_path: Path) -> None:
    """With who was asked, and a line of the log; works that are not included are not asked for."""
    body = works(MARSH | RETRACTED, PEAT)
    async with await included(tmp_path, alpha=body) as plan:
        marsh = (await plan.workspace.read(plan.project.bind(uids), WorksQuery(text="marshes")))[0]
        result = await check(plan)
        found = await checks(plan)
        (line,) = (await plan.workspace.read(log.lines, plan.project.id))[:1]
        known = await plan.workspace.read(plan.project.bind(work_checks.summary))

    assert (result.checked, result.told) == (2, [marsh])
    assert [each.verdict for each in found.values()] == ["retracted", "confirmed"]
    assert found["Soil carbon in marshes"].serious
    assert {each["label"] for each in found["Peat and soil carbon"].asked} == {"alpha", "beta"}
    assert (line.action, line.after) == (work_checks.CHECK, {"works": 2, "told": [marsh]})
    assert (known.included, known.checked, known.serious, known.warning) == (2, 2, 1, None)


async def test_a_database_that_fails_takes_nothing_back(tmp_path: Path) -> None:
    """Neither a retraction nor that a work was found; the time is that of the check that told."""
    async with await included(tmp_path, alpha=works(MARSH | RETRACTED, PEAT)) as plan:
        await check(plan)
        before = await checks(plan)
        answer(plan, alpha=away, beta=works(MARSH))
        await check(plan)
        assert await checks(plan) == before

        answer(plan, alpha=works(MARSH, PEAT))
        await check(plan)
        assert {each.verdict for each in (await checks(plan)).values()} == {"confirmed"}


async def test_what_no_database_could_answer_is_said(tmp_path: Path) -> None:
    """It is unchecked, not unknown; and the reason can be read in another language."""
    async with await included(tmp_path, alpha=away, beta=works()) as plan:
        await check(plan)
        found = await checks(plan)

    assert {each.verdict for each in found.values()} == {"unchecked"}
    assert {each.reason for each in found.values()} == {"no answer of alpha"}


async def test_an_update_tells_what_was_retracted_since(tmp_path: Path) -> None:
    """Once, by DOI, without a whole check; and it takes back nothing that one has said."""
    async with await included(tmp_path) as plan:
        place = plan.workspace, plan.engine, plan.project
        assert (await check_again(*place)).told == []
        answer(plan, beta=works(MARSH | RETRACTED))
        plan.upstreams.asked.clear()
        first = await check_again(*place)
        queries = [dict(request.params) for request in plan.upstreams.asked]
        answer(plan, beta=works())
        second = await check_again(*place)
        found = await checks(plan)

    assert [first.hits[uid].record.doi for uid in first.told] == ["10.1000/one"]
    assert len(queries) <= 2
    assert all("10.1000/one" in str(query) for query in queries)
    assert second.told == []
    assert found["Soil carbon in marshes"].verdict == "retracted"


async def test_a_later_run_leaves_what_was_said(tmp_path: Path) -> None:
    """Also where it brings another record of the work."""
    async with await included(tmp_path, alpha=works(MARSH | RETRACTED, PEAT)) as plan:
        await check(plan)
        before = await checks(plan)
        answer(plan, beta=works(item("SOIL CARBON IN MARSHES", "10.1000/one")))
        await run_strategy(plan.workspace, plan.engine, plan.project, plan.strategy)
        assert {each.uid: each.at for each in (await checks(plan)).values()} == {
            each.uid: each.at for each in before.values()
        }


async def test_an_update_is_none_the_worse_for_what_fails(tmp_path: Path) -> None:
    async with await included(tmp_path, alpha=away, beta=away) as plan:
        assert (await check_again(plan.workspace, plan.engine, plan.project)).told == []


async def test_one_check_at_a_time_and_any_process_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was checked stays; afterwards another one may begin."""
    monkeypatch.setattr(work_checks, "LOOKED", 0.01)
    asked = asyncio.Event()

    async def never(request: Request) -> bytes:
        asked.set()
        await asyncio.sleep(60)
        return works()

    async with await included(tmp_path, beta=never) as plan:
        running = asyncio.create_task(check(plan))
        await asked.wait()
        assert await plan.workspace.read(plan.project.bind(work_checks.is_under_way))
        with pytest.raises(RunClash, match="under way"):
            await check(plan)
        await plan.workspace.write(plan.project.bind(work_checks.stop))
        with pytest.raises(RunClash, match="stopped"):
            await running
        with pytest.raises(RunClash, match="No check"):
            await plan.workspace.write(plan.project.bind(work_checks.stop))
        answer(plan, beta=works())
        assert (await check(plan)).checked == 2


async def test_without_included_works_nothing_is_asked(tmp_path: Path) -> None:
    async with await planned(tmp_path, ["soil"]) as plan:
        with pytest.raises(UsageError, match="included"):
            await check(plan)
        assert plan.upstreams.asked == []


async def test_a_check_is_one_search_of_who_asks(tmp_path: Path) -> None:
    """Where the quota is used up, nothing is asked."""
    taken: list[tuple[int, int]] = []

    class Limits:
        async def begins(self, searches: int, sources: int) -> None:
            taken.append((searches, sources))
            raise QuotaExceeded(message("used up"), kind="searches", limit=1)

        async def brings(self, records: object) -> None:
            raise AssertionError

    async with await included(tmp_path) as plan:
        plan.upstreams.asked.clear()
        with pytest.raises(QuotaExceeded):
            await check(plan, limits=Limits())
        assert plan.upstreams.asked == []
    assert taken == [(1, 2)]


async def test_a_report_warns_until_all_that_it_includes_was_checked(tmp_path: Path) -> None:
    """It says what to do; then how many were checked, and what is serious, in its language."""
    body = works(MARSH | RETRACTED)
    async with await included(tmp_path, alpha=body, beta=works()) as plan:
        bound = plan.project.bind(prisma_flow.document)
        before = warnings(await plan.workspace.read(bound))
        await check(plan)
        after = await plan.workspace.read(bound)
        chinese = await plan.workspace.read(bound, language="zh")

    assert any("metasearch project check" in text for text in before)
    assert not any("project check" in text for text in warnings(after))
    table = next(
        block for block in after.blocks if isinstance(block, Table) and "serious" in block.caption
    )
    assert [plain(cell) for cell in table.rows[0]][:2] == [
        "Soil carbon in marshes (10.1000/one)",
        "Retracted",
    ]
    text = " ".join(plain(block.text) for block in chinese.blocks if hasattr(block, "text"))
    assert "有严重问题的：1 篇" in text
    assert "未找到的：1 篇（" in text


def warnings(document: Any) -> list[str]:
    return [
        plain(block.text)
        for block in document.blocks
        if isinstance(block, Remark) and block.warning
    ]
