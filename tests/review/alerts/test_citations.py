"""A saved search for what cites the included works of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review.alerts import news, saved_searches
from metasearch.review.alerts.news import SavedSearchRun
from metasearch.review.alerts.runs import run_saved
from metasearch.review.alerts.saved_searches import CITATIONS, SavedSearch
from metasearch.review.store.database import Database
from tests.review.runs.cited import INDEXES, Review, review

#: The year of all runs.
YEAR = 2026


async def save(here: Review, name: str = "citing") -> SavedSearch:
    """A saved search for what cites the included works of the review."""
    return await here.workspace.write(
        saved_searches.create, name, "review", syntax=CITATIONS, sources=INDEXES
    )


async def run(here: Review, saved: SavedSearch) -> tuple[SavedSearchRun, list[str]]:
    """A run, and the kinds of its news."""
    made = await run_saved(here.workspace, here.engine, saved, year=YEAR)
    told = await here.workspace.read(news.news_of, saved, run=made.number)
    return made, [one.kind for one in told]


def forget(db: Database) -> None:
    """Let nothing have been found yet, as if all had appeared since the first run."""
    db.run("DELETE FROM saved_name WHERE name NOT LIKE 'seed:%'")


async def test_the_first_run_is_the_baseline_and_later_ones_tell_what_is_new(
    tmp_path: Path,
) -> None:
    """What the project has, or only cites works that were included since, is no news."""
    async with review(tmp_path) as here:
        await here.include(15)
        saved = await save(here)
        first, told = await run(here, saved)
        same, told_again = await run(here, saved)
        await here.include(10)
        more, told_of_more = await run(here, saved)

    assert (first.status, first.baseline, told) == ("done", True, [])
    assert first.works
    assert (same.works, told_again) == (first.works, [])
    assert more.works
    assert told_of_more == []
    assert set(first.sources) <= set(INDEXES)


async def test_new_citing_works_are_told_but_for_those_of_the_project(tmp_path: Path) -> None:
    async with review(tmp_path) as here:
        await here.include(15)
        saved = await save(here)
        await run(here, saved)
        await here.workspace.write(forget)
        second, told = await run(here, saved)

    assert told
    assert set(told) <= {"new", "late"}
    assert len(told) < (second.works or 0)


def rename(db: Database) -> None:
    db.run("UPDATE project SET name = 'other', uid = 'x'")


async def test_a_project_without_included_works_or_that_is_gone(tmp_path: Path) -> None:
    """The run fails, and says why; nothing is told."""
    async with review(tmp_path) as here:
        saved = await save(here)
        nothing, _ = await run(here, saved)
        await here.workspace.write(
            lambda db: db.run("UPDATE project SET name = 'other', uid = 'x'")
        )
        gone, _ = await run(here, saved)
        with pytest.raises(UsageError):
            await save(here, "another")

    assert (nothing.status, str(nothing.error)) == ("failed", "No work is included yet")
    assert gone.status == "failed"


async def test_it_has_no_years(tmp_path: Path) -> None:
    async with review(tmp_path) as here:
        with pytest.raises(UsageError, match="no years"):
            await here.workspace.write(
                saved_searches.create, "c", "review", syntax=CITATIONS, years="2010-"
            )
