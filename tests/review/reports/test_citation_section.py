"""What PRISMA-S says of citation searches, in the items of TARCiS: written from the runs alone."""

from __future__ import annotations

from pathlib import Path

from metasearch.review.projects.projects import Project
from metasearch.review.reports import prisma_s
from metasearch.review.reports.render import write
from tests.review.runs.cited import INDEXES, Review, review


async def written(here: Review) -> str:
    def text(project: Project) -> str:
        return write(prisma_s.document(project), "md").decode()

    return await here.workspace.read(here.project.bind(text))


async def test_each_item_is_answered_from_the_runs(tmp_path: Path) -> None:
    """Seeds, directions, indexes, iterations and why they ended, and what was de-duplicated."""
    async with review(tmp_path) as here:
        await here.include(10)
        step = await here.step()
        first = await here.run(step.number)
        answers = await here.answers(first)
        new = len(await here.uids(first.number))
        await here.run(step.number, again=True)
        text = await written(here)

    assert "10 works" in text
    assert "backward: works that they cite" in text
    assert "forward: works that cite them" in text
    assert all(answers[name].label in text for name in INDEXES)
    assert "2; the last run brought no new work" in text
    assert f"{new:,} works that were new" in text


async def test_rounds_that_may_not_have_been_made_are_not_counted(tmp_path: Path) -> None:
    """A run of ten rounds ends where nothing new comes: the report says "at most"."""
    async with review(tmp_path) as here:
        await here.include(2)
        await here.run((await here.step(rounds=10, directions=("references",))).number)
        text = await written(here)

    assert "at most 10; the last run brought" in text
    assert "forward: works that cite them" not in text


async def test_a_project_without_such_runs_says_nothing_of_them(tmp_path: Path) -> None:
    async with review(tmp_path) as here:
        assert "Seed references" not in await written(here)
