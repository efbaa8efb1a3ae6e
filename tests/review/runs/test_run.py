"""Runs: what sources answer to steps is kept with all that a report needs to say of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.request import Request
from metasearch.errors import ConnectFailed, RateLimited, UnknownSource, UsageError, WorkspaceError
from metasearch.message import Message
from metasearch.review.runs import execution, runs
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import run_strategy
from metasearch.review.runs.runs import StoredAnswer
from metasearch.review.strategies import steps
from metasearch.review.works import works
from metasearch.settings import Settings
from tests.engine.test_engine import works as answer_of
from tests.review.runs.planned import BIRDS, MARSH, PEAT, paged, planned


async def run(
    plan: Any, *, progress: Any = None, **options: Any
) -> dict[tuple[int, str], StoredAnswer]:
    """The answers in a run with these options."""
    done = await run_strategy(
        plan.workspace,
        plan.engine,
        plan.project,
        plan.strategy,
        RunOptions(**options),
        progress=progress,
    )
    assert done.status == "done"
    return await plan.answers(done)


async def test_a_run_keeps_what_each_source_answered(tmp_path: Path) -> None:
    """Numbers, the query as it was sent, the request, the date and the spec; and the works."""
    async with await planned(tmp_path, ["soil carbon"]) as plan:
        answers = await run(plan)
        titles = await plan.titles()

    alpha = answers[1, "alpha"]
    assert (alpha.status, alpha.claimed, alpha.fetched, alpha.unread) == ("ok", 2, 2, 0)
    assert (alpha.label, alpha.place, alpha.query) == ("alpha", "database", "soil carbon")
    assert alpha.sent == "any: soil carbon"
    assert [request["method"] for request in alpha.requests] == ["GET"]
    assert alpha.requests[0]["url"].startswith("https://alpha.example/works?")
    assert alpha.asked_at is not None
    assert len(alpha.digest) == len(alpha.spec) == 64
    assert titles == ["Peat and soil carbon", "Salt marsh birds", "Soil carbon in marshes"]


async def test_the_last_step_that_no_other_names_is_run(tmp_path: Path) -> None:
    """Combined steps are sent as one query, with what they name put in."""
    async with await planned(tmp_path, ["soil", "marsh", "birds", "#1 AND #2"]) as plan:
        answers = await run(plan)

    assert {step for step, _ in answers} == {4}
    assert answers[4, "alpha"].query == "soil AND marsh"


async def test_chosen_steps_and_sources(tmp_path: Path) -> None:
    """Each chosen step is asked of each chosen source, and of no other."""
    async with await planned(tmp_path, ["soil", "marsh", "#1 AND #2"]) as plan:
        answers = await run(plan, steps=[1, 3], sources=["beta"])

    assert set(answers) == {(1, "beta"), (3, "beta")}


async def test_the_years_of_the_strategy_are_asked_for(tmp_path: Path) -> None:
    """They are a part of the query, and so of its digest."""
    async with await planned(tmp_path, ["soil"], years="2010-") as plan:
        dated = await run(plan)
    (tmp_path / "other").mkdir()
    async with await planned(tmp_path / "other", ["soil"]) as plan:
        undated = await run(plan)

    assert dated[1, "alpha"].query == "soil AND year:2010-"
    assert dated[1, "alpha"].digest != undated[1, "alpha"].digest


async def test_nothing_of_a_source_is_lost_between_its_report_and_the_works(tmp_path: Path) -> None:
    """All records of all pages are findings with their positions, and each is one of a work."""
    async with await planned(tmp_path, ["soil"], {"alpha": paged(150), "beta": paged(30)}) as plan:
        answers = await run(plan, per_source=110)
        rows = await plan.workspace.read(
            lambda db: db.all(
                "SELECT answer.source, finding.position, work_record.work FROM finding"
                " JOIN answer ON answer.id = finding.answer"
                " LEFT JOIN work_record ON work_record.record = finding.record"
            )
        )

    alpha, beta = answers[1, "alpha"], answers[1, "beta"]
    assert (alpha.claimed, alpha.fetched, beta.claimed, beta.fetched) == (150, 110, 30, 30)
    positions = sorted(row["position"] for row in rows if row["source"] == "alpha")
    assert positions == list(range(1, 111))
    assert all(row["work"] is not None for row in rows)


async def test_a_failed_source_has_no_numbers_and_costs_only_itself(tmp_path: Path) -> None:
    """What is not known is None, never 0; the others are kept."""

    def gone(request: Request) -> bytes:
        raise ConnectFailed(request.source, "no route to the host")

    bodies = {"alpha": gone, "beta": answer_of(MARSH), "gamma": answer_of()}
    async with await planned(tmp_path, ["soil"], bodies) as plan:
        answers = await run(plan)
        titles = await plan.titles()

    failed, empty = answers[1, "alpha"], answers[1, "gamma"]
    assert failed.failed
    assert "no route" in failed.error
    assert isinstance(failed.advice, Message)  # a page shows it in its own language
    assert (failed.claimed, failed.fetched, failed.filtered, failed.unread) == (None,) * 4
    assert failed.requests
    assert (empty.status, empty.claimed, empty.fetched) == ("empty", 0, 0)
    assert titles == ["Soil carbon in marshes"]


async def test_records_before_a_failure_are_kept_and_counted(tmp_path: Path) -> None:
    """A source that fails on its second page has given the first one."""

    def page(request: Request) -> bytes:
        if dict(request.params)["offset"] != "0":
            raise ConnectFailed(request.source, "no route")
        return paged(300)(request)  # type: ignore[no-any-return]

    async with await planned(tmp_path, ["soil"], {"alpha": page}) as plan:
        alpha = (await run(plan))[1, "alpha"]

    assert (alpha.status, alpha.claimed, alpha.fetched) == ("error", 300, 100)


async def test_a_number_of_a_wider_query_is_not_exact(tmp_path: Path) -> None:
    """Where clauses are applied here, the claim is not that of the whole query, and what was left
    out is counted."""
    async with await planned(tmp_path, ["title:soil NOT peat"]) as plan:
        alpha = (await run(plan))[1, "alpha"]

    assert not alpha.exact
    assert (alpha.claimed, alpha.fetched, alpha.filtered) == (2, 1, 1)
    assert any("applied here" in note for note in alpha.notes)


async def test_a_record_that_is_given_twice_is_counted_once(tmp_path: Path) -> None:
    """A list that moves between two pages repeats a record; that is told."""
    async with await planned(tmp_path, ["soil"], {"alpha": answer_of(MARSH, PEAT, MARSH)}) as plan:
        alpha = (await run(plan))[1, "alpha"]

    assert alpha.fetched == 2
    assert any("given twice" in note for note in alpha.notes)


async def test_records_without_an_id_are_the_same_in_the_next_run(tmp_path: Path) -> None:
    """A position is no name: another work may stand there the next time."""

    def nameless(*kept: dict[str, Any]) -> bytes:
        return answer_of(*({**one, "alternative-id": []} for one in kept))

    bodies = {"alpha": nameless(MARSH, PEAT)}
    async with await planned(tmp_path, ["soil"], bodies) as plan:
        await run(plan)
        plan.upstreams.bodies = {"alpha": nameless(BIRDS, MARSH, PEAT)}
        await run(plan)
        titles = await plan.titles()
        records = await plan.workspace.read(lambda db: db.value("SELECT count(*) FROM record"))

    assert len(titles) == records == 3


async def test_a_later_run_tells_what_is_new(tmp_path: Path) -> None:
    """A work is of the run that found it first, and the later run names the one before it."""
    async with await planned(tmp_path, ["soil"], {"alpha": answer_of(MARSH)}) as plan:
        await run(plan)
        plan.upstreams.bodies = {"alpha": answer_of(BIRDS, MARSH)}
        second = await run_strategy(plan.workspace, plan.engine, plan.project, plan.strategy)
        first_runs = {
            doi: (await plan.workspace.read(plan.project.bind(works.find), doi)).first_run
            for doi in ("10.1000/one", "10.1000/three")
        }

    assert second.options["follows"] == 1
    assert first_runs == {"10.1000/one": 1, "10.1000/three": 2}


async def test_progress_is_told_as_answers_are_kept(tmp_path: Path) -> None:
    """Each answer is told when it is stored, the fast source before the slow one is asked twice."""
    told: list[tuple[int, str]] = []
    waits = asyncio.Event()

    async def slow(_request: Request) -> bytes:
        await waits.wait()
        return answer_of(MARSH)

    def progress(answer: StoredAnswer) -> None:
        told.append((answer.step, answer.source))
        if len(told) == 2:
            waits.set()

    bodies = {"slow": slow, "fast": answer_of(PEAT)}
    async with await planned(tmp_path, ["soil", "peat"], bodies) as plan:
        await run(plan, steps=[1, 2], progress=progress)

    assert told[:2] == [(1, "fast"), (2, "fast")]
    assert set(told[2:]) == {(1, "slow"), (2, "slow")}


async def test_a_source_that_asks_for_a_pause_gets_it(tmp_path: Path) -> None:
    """It is asked once more after it, and its records are those of the second answer."""
    asked: list[float] = []

    def busy(request: Request) -> bytes:
        asked.append(asyncio.get_running_loop().time())
        if len(asked) == 1:
            raise RateLimited(request.source, 0.05)
        return answer_of(MARSH)

    async with await planned(tmp_path, ["soil"], {"alpha": busy}) as plan:
        alpha = (await run(plan))[1, "alpha"]

    assert (alpha.status, alpha.fetched) == ("ok", 1)
    assert asked[1] - asked[0] >= 0.05


async def test_a_source_that_asks_for_a_long_pause_has_failed(tmp_path: Path) -> None:
    """A run does not wait for hours."""

    def busy(request: Request) -> bytes:
        raise RateLimited(request.source, 3_600)

    async with await planned(tmp_path, ["soil"], {"alpha": busy}) as plan:
        alpha = (await run(plan))[1, "alpha"]

    assert (alpha.status, alpha.fetched) == ("limited", None)


async def test_an_error_of_whoever_is_told_ends_the_run(tmp_path: Path) -> None:
    """It is raised as it is, and the run is stopped."""

    def progress(_answer: StoredAnswer) -> None:
        raise BrokenPipeError

    async with await planned(tmp_path, ["soil"]) as plan:
        with pytest.raises(BrokenPipeError):
            await run(plan, progress=progress)
        (stopped,) = await plan.workspace.read(plan.project.bind(runs.of))

    assert stopped.status == "interrupted"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"steps": [7]}, "no step 7"),
        ({"steps": [2]}, "only narrows"),
        ({"steps": []}, "No step"),
        ({"per_source": 10_001}, "per_source"),
        ({"timeout": 0}, "timeout"),
    ],
)
async def test_what_cannot_be_run_is_told_before_anything_is_sent(
    tmp_path: Path, options: dict[str, Any], why: str
) -> None:
    """A wrong number is an error of the caller; no run is begun."""
    async with await planned(tmp_path, ["soil", "year:2020-"]) as plan:
        with pytest.raises(UsageError, match=why):
            await run(plan, **options)
        begun = await plan.workspace.read(plan.project.bind(runs.of))

    assert not begun
    assert not plan.upstreams.asked


async def test_a_source_that_does_not_exist(tmp_path: Path) -> None:
    """A name that is none is an error of the caller."""
    async with await planned(tmp_path, ["soil"]) as plan:
        with pytest.raises(UnknownSource, match="alhpa"):
            await run(plan, sources=["alhpa"])


async def test_a_source_whose_spec_is_wrong_costs_only_itself(tmp_path: Path) -> None:
    """Its answer says what is wrong; the others are asked."""
    async with await planned(tmp_path, ["soil"]) as plan:
        sources = dict(plan.engine.settings.sources)
        sources["wrong"] = {"extends": "crossref", "url": "https://wrong.example", "paging": 7}
        plan.engine.registry = type(plan.engine.registry)(
            Settings(sources=sources, default_sources=("alpha", "wrong"))
        )
        answers = await run(plan)

    assert answers[1, "wrong"].failed
    assert "paging" in answers[1, "wrong"].error
    assert answers[1, "alpha"].fetched == 2


async def test_a_source_that_cannot_be_asked_has_no_number(tmp_path: Path) -> None:
    """Nothing is sent to it, and its answer says which part of the query it cannot search."""
    async with await planned(tmp_path, ["soil NOT peat"]) as plan:
        sources = dict(plan.engine.settings.sources)
        sources["strict"] = {**sources["alpha"], "query": {"unsupported": "refuse"}}
        plan.engine.registry = type(plan.engine.registry)(
            Settings(sources=sources, default_sources=("alpha", "strict"))
        )
        strict = (await run(plan))[1, "strict"]

    assert (strict.status, strict.claimed, strict.fetched) == ("skipped", None, None)
    assert (strict.requests, strict.asked_at) == ((), None)
    assert strict.error


async def test_a_cancelled_run_is_interrupted_and_keeps_what_it_had(tmp_path: Path) -> None:
    """Whoever interrupts it finds the answers that were told."""
    told = asyncio.Event()

    async def never(_request: Request) -> bytes:
        await asyncio.sleep(60)
        return b""

    async with await planned(
        tmp_path, ["soil"], {"never": never, "alpha": answer_of(MARSH)}
    ) as plan:
        going = asyncio.create_task(
            run_strategy(
                plan.workspace,
                plan.engine,
                plan.project,
                plan.strategy,
                progress=lambda _answer: told.set(),
            )
        )
        await told.wait()
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        (stopped,) = await plan.workspace.read(plan.project.bind(runs.of))
        answers = await plan.answers(stopped)
        titles = await plan.titles()

    assert (stopped.status, set(answers)) == ("interrupted", {(1, "alpha")})
    assert stopped.ended is not None
    assert titles == ["Soil carbon in marshes"]


async def test_an_answer_that_cannot_be_stored_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are stored; the run is told to have failed, and its half answer says so."""
    whole = execution.add_records

    def full(project: Any, answer: int, records: Any, **more: Any) -> Any:
        if records[0].source == "alpha":
            raise WorkspaceError("workspace.db", "the disk is full")
        return whole(project, answer, records, **more)

    monkeypatch.setattr(execution, "add_records", full)
    async with await planned(tmp_path, ["soil"]) as plan:
        with pytest.raises(WorkspaceError, match="full"):
            await run(plan)
        (stopped,) = await plan.workspace.read(plan.project.bind(runs.of))
        answers = await plan.answers(stopped)

    assert stopped.status == "interrupted"
    assert (answers[1, "alpha"].status, answers[1, "alpha"].fetched) == ("error", 0)
    assert (answers[1, "beta"].status, answers[1, "beta"].fetched) == ("ok", 2)


async def test_a_step_that_is_edited_later_does_not_change_what_was_asked(tmp_path: Path) -> None:
    """The answer holds the query as it was."""
    async with await planned(tmp_path, ["soil"]) as plan:
        done = await run_strategy(plan.workspace, plan.engine, plan.project, plan.strategy)
        await plan.workspace.write(steps.edit, plan.strategy, 1, text="peat")
        answers = await plan.answers(done)

    assert answers[1, "alpha"].query == "soil"
