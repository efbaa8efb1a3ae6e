"""The table of a strategy: the newest number of each source and step, with what it lacks."""

from __future__ import annotations

import asyncio
from pathlib import Path

from metasearch.adapters.request import Request
from metasearch.errors import ConnectFailed
from metasearch.review.runs import figures
from metasearch.review.runs.figures import Figures
from metasearch.review.runs.imports import import_file
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import run_strategy
from metasearch.review.strategies import steps, strategies
from tests.engine.test_engine import works as answer_of
from tests.review.runs.planned import MARSH, Planned, paged, planned

RIS = b"TY  - JOUR\nTI  - Wetlands\nAU  - Li, Na\nPY  - 2020\nER  - \n"


async def count(plan: Planned, *numbers: int) -> None:
    """Count these steps, or all."""
    await run_strategy(
        plan.workspace,
        plan.engine,
        plan.project,
        plan.strategy,
        RunOptions(mode="counts", steps=numbers or None),
    )


async def table(plan: Planned) -> Figures:
    """The table now."""
    strategy = await plan.workspace.read(strategies.by_id, plan.project.id, plan.strategy.id)
    return await plan.workspace.read(figures.table, strategy)


async def test_a_strategy_that_was_never_asked(tmp_path: Path) -> None:
    """It has its steps and no numbers."""
    async with await planned(tmp_path, ["soil", "peat"]) as plan:
        lines = (await table(plan)).steps

    assert [line.step.number for line in lines] == [1, 2]
    assert [(line.claimed, line.fetched, line.missing) for line in lines] == [(None, None, ())] * 2


async def test_the_newest_number_of_each_source_and_their_sum(tmp_path: Path) -> None:
    """A later answer takes the place of an earlier one."""
    async with await planned(tmp_path, ["soil"], {"alpha": paged(7), "beta": paged(5)}) as plan:
        await count(plan)
        plan.upstreams.bodies = {"alpha": paged(9), "beta": paged(5)}
        await count(plan)
        found = await table(plan)

    (line,) = found.steps
    assert found.sources == {"alpha": "alpha", "beta": "beta"}
    assert {name: figure.claimed for name, figure in line.figures.items()} == {
        "alpha": 9,
        "beta": 5,
    }
    assert (line.claimed, line.missing, line.stale) == (14, (), False)
    assert line.first is not None
    assert line.first <= (line.last or "")


async def test_sources_stand_in_the_order_in_which_they_were_named(tmp_path: Path) -> None:
    """Whoever answers first; in the lines, too."""

    async def slow(request: Request) -> bytes:
        await asyncio.sleep(0.05)
        return paged(7)(request)  # type: ignore[no-any-return]

    async with await planned(tmp_path, ["soil"], {"slow": slow, "fast": paged(5)}) as plan:
        await count(plan)
        found = await table(plan)

    assert list(found.sources) == ["slow", "fast"]
    assert list(found.steps[0].figures) == ["slow", "fast"]


async def test_a_sum_of_wider_queries_is_not_exact(tmp_path: Path) -> None:
    """One number that is not of the whole query is enough."""
    async with await planned(tmp_path, ["soil", "soil NOT peat"]) as plan:
        await count(plan)
        lines = (await table(plan)).steps

    assert [line.exact for line in lines] == [True, False]


async def test_a_failed_source_is_missing_from_the_sum(tmp_path: Path) -> None:
    """It is not 0, and what it said before is still known."""

    def gone(request: Request) -> bytes:
        raise ConnectFailed(request.source, "no route")

    async with await planned(tmp_path, ["soil"], {"alpha": paged(7), "beta": answer_of()}) as plan:
        await count(plan)
        plan.upstreams.bodies = {"alpha": gone, "beta": answer_of()}
        await count(plan)
        (line,) = (await table(plan)).steps

    alpha = line.figures["alpha"]
    assert (alpha.claimed, alpha.newest.failed) == (None, True)
    assert alpha.answered is not None
    assert alpha.answered.claimed == 7
    assert (line.claimed, line.missing) == (0, ("alpha",))


async def test_a_source_that_was_not_asked_is_missing_too(tmp_path: Path) -> None:
    """Of the sources of the table, each that has no number is named."""
    async with await planned(tmp_path, ["soil", "peat"]) as plan:
        await count(plan, 1)
        lines = (await table(plan)).steps

    assert [line.missing for line in lines] == [(), ("alpha", "beta")]
    assert lines[1].claimed is None


async def test_an_edited_step_makes_its_numbers_and_those_of_its_dependants_stale(
    tmp_path: Path,
) -> None:
    """The old numbers are shown as such, and are in no sum."""
    async with await planned(tmp_path, ["soil", "peat", "#1 AND #2"]) as plan:
        await count(plan)
        await plan.workspace.write(steps.edit, plan.strategy, 2, text="marsh")
        edited = await table(plan)
        await count(plan, 2, 3)
        again = await table(plan)

    assert [line.stale for line in edited.steps] == [False, True, True]
    assert edited.steps[2].claimed is None
    assert edited.steps[2].figures["alpha"].claimed == 2
    assert edited.steps[2].missing == ("alpha", "beta")
    assert [line.stale for line in again.steps] == [False, False, False]


async def test_other_years_make_all_numbers_stale(tmp_path: Path) -> None:
    """They are a part of every query."""
    async with await planned(tmp_path, ["soil"]) as plan:
        await count(plan)
        await plan.workspace.write(strategies.update, plan.strategy, years="2010-")
        (line,) = (await table(plan)).steps

    assert line.stale


async def test_records_that_were_kept_stay_beside_a_later_count(tmp_path: Path) -> None:
    """A count says how many there are now; what was fetched before is still said."""
    async with await planned(tmp_path, ["soil"], {"alpha": paged(30)}) as plan:
        await run_strategy(
            plan.workspace, plan.engine, plan.project, plan.strategy, RunOptions(per_source=10)
        )
        await count(plan)
        (line,) = (await table(plan)).steps

    alpha = line.figures["alpha"]
    assert (line.claimed, line.fetched) == (30, 10)
    assert (alpha.newest.run, alpha.newest.fetched) == (2, None)
    assert alpha.kept is not None
    assert alpha.kept.run == 1


async def test_an_import_is_never_stale_and_expects_no_other_source(tmp_path: Path) -> None:
    """Its line has its own numbers; the lines of queries do not miss the database of the file."""
    async with await planned(tmp_path, ["soil"], {"alpha": answer_of(MARSH)}) as plan:
        await count(plan)
        await plan.workspace.write(
            plan.project.bind(import_file),
            plan.strategy,
            RIS,
            "cnki.ris",
            source="CNKI",
            searched="2026-05-03",
            claimed=12,
        )
        found = await table(plan)

    query, imported = found.steps
    assert list(found.sources) == ["alpha", "CNKI"]
    assert (query.missing, imported.missing) == ((), ())
    assert (imported.claimed, imported.fetched, imported.stale) == (12, 1, False)
    assert imported.error is None
    assert imported.first == "2026-05-03"


async def test_an_or_with_fewer_hits_than_a_part_was_not_searched_as_written(
    tmp_path: Path,
) -> None:
    """Nor was an AND with more; each source that says so is named."""
    texts = ["soil", "peat", "#1 OR #2", "#1 AND #2", "#1 NOT #2"]
    sizes = (7, 5, 6, 8, 9)

    async with await planned(tmp_path, texts, {"alpha": paged(5), "beta": paged(5)}) as plan:
        for number, size in enumerate(sizes, 1):
            plan.upstreams.bodies = {"alpha": paged(size), "beta": paged(5)}
            await count(plan, number)
        lines = (await table(plan)).steps

    assert [line.notes for line in lines[:2]] == [(), ()]
    assert [note[:40] for note in lines[2].notes] == ["alpha: fewer hits than for step 1, all o"]
    assert [line.notes[0][:40] for line in lines[3:]] == [
        "alpha: more hits than for step 1, which ",
        "alpha: more hits than for step 1, which ",
    ]
    assert all(len(line.notes) == 1 for line in lines[2:])


async def test_an_old_number_contradicts_no_new_one(tmp_path: Path) -> None:
    """A step was edited since."""
    async with await planned(tmp_path, ["soil", "#1 OR peat"], {"alpha": paged(7)}) as plan:
        await count(plan, 1)
        plan.upstreams.bodies = {"alpha": paged(5)}
        await count(plan, 2)
        before = (await table(plan)).steps[1].notes
        await plan.workspace.write(steps.edit, plan.strategy, 1, text="moss")
        after = (await table(plan)).steps[1].notes

    assert len(before) == 1
    assert after == ()


async def test_why_numbers_contradict_one_another_and_what_to_write(tmp_path: Path) -> None:
    """The cause that the answers show, and what this database would be written."""
    texts = ["soil*", "peat", "#1 OR #2", "#2 AND #1", "peat OR moss"]
    sizes = (7, 5, 6, 8, 99)

    async with await planned(tmp_path, texts, {"alpha": paged(5)}) as plan:
        for number, size in enumerate(sizes, 1):
            plan.upstreams.bodies = {"alpha": paged(size)}
            await count(plan, number)
        lines = (await table(plan)).steps

    assert [len(line.contradictions) for line in lines] == [0, 0, 1, 1, 0]
    less, more = lines[2].contradictions[0], lines[3].contradictions[0]
    assert (less.source, less.steps, more.steps) == ("alpha", (1,), (1,))
    assert str(lines[2].notes[0]) == f"{less.reason}. {less.cause}. {less.advice}"
