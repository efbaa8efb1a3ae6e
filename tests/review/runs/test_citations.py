"""A search along citations as a step: its seeds, what each index brings, and what led to a work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metasearch.demo import replay_settings
from metasearch.errors import UsageError
from metasearch.review.projects import projects
from metasearch.review.projects.archive_format import export_to
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.projects.projects import Project
from metasearch.review.runs.citations import CitationStep
from metasearch.review.runs.run import replay_run, resume_run
from metasearch.review.works import decisions, works
from metasearch.review.works.undo import undo
from metasearch.settings import Settings
from tests.review.recompute import Recomputed, rows_of
from tests.review.runs.cited import INDEXES, review


async def test_a_run_brings_what_the_included_works_cite_and_what_cites_them(
    tmp_path: Path,
) -> None:
    """New works name the seeds that led to them, and the indexes that say so."""
    async with review(tmp_path) as here:
        seeds = await here.include(20)
        step = await here.step()
        before = set(await here.uids())
        run = await here.run(step.number)
        answers = await here.answers(run)
        new = await here.uids(run.number)
        links = [link for uid in new for link in await here.links(uid)]

    assert (run.mode, run.status, len(run.options["seeds"])) == ("citations", "done", 20)
    assert set(answers) == set(INDEXES)
    assert all(answer.place == "other" for answer in answers.values())
    assert new
    assert not before & set(new)
    assert {link.work for link in links} <= set(seeds)
    assert {source for link in links for source in link.indexes} <= set(INDEXES)
    assert {link.direction for link in links} == {"references", "cited_by"}


async def test_the_numbers_add_up(tmp_path: Path) -> None:
    """Of each index: citations named; of all: records, duplicates, works; and of screening."""
    async with review(tmp_path) as here:
        await here.include(20)
        first = await here.numbers()
        run = await here.run((await here.step()).number)
        answers = await here.answers(run)
        await here.include(3)
        await here.include(2, "excluded")
        counted = await here.numbers()

    recomputed = Recomputed(rows_of(tmp_path / "workspace.db", "review")).flow()
    along = counted.citations
    assert first.citations is None
    assert along is not None
    assert along.identified == sum(answer.fetched or 0 for answer in answers.values())
    assert along.identified == along.duplicates + along.known + along.works
    assert along.works == along.screened + along.not_screened
    assert along.screened == along.left_out + (along.sought or 0)
    assert along.sought == (along.not_retrieved or 0) + along.not_assessed + along.assessed
    assert along.assessed == sum(along.excluded.values()) + along.included
    # The other column has the sums that it had, but for what was decided since.
    assert (counted.identified, counted.duplicates) == (first.identified, first.duplicates)
    assert counted.works == first.works == counted.screened + counted.not_screened
    assert counted.total_reports == counted.included + along.included
    assert recomputed["citations"]["records"] == along.identified
    for name in ("duplicates", "works", "not_screened", "sought", "assessed", "included"):
        assert recomputed["citations"][name] == getattr(along, name)
    assert recomputed["total_studies"] == counted.total_studies
    for answer in answers.values():
        named, rest = str(answer.notes[-1]), answer.claimed
        assert rest is not None
        if "citations named" in named:
            words = [int(word) for word in named.replace(":", "").split() if word.isdigit()]
            total, kept, _, among, lost = words
            assert total == rest == kept + among + lost


async def test_a_further_run_follows_what_was_included_since(tmp_path: Path) -> None:
    """It ends where nothing was included; asked again, it asks for all once more."""
    async with review(tmp_path) as here:
        seeds = await here.include(5)
        step = await here.step()
        first = await here.run(step.number)
        with pytest.raises(UsageError, match="asked for already"):
            await here.run(step.number)
        more = await here.include(2)
        second = await here.run(step.number)
        again = await here.run(step.number, again=True)
        works_then = await here.uids(again.number)

    assert not set(seeds) & set(more)
    assert len(first.options["seeds"]) == 5
    assert len(second.options["seeds"]) == 2
    assert len(again.options["seeds"]) == 7
    assert works_then == []  # nothing has appeared since


async def test_chosen_works_one_direction_and_the_same_step(tmp_path: Path) -> None:
    """A step that asks for the same is the step that is there."""
    async with review(tmp_path) as here:
        (uid, *_) = await here.uids()
        step = await here.step(seeds=(uid,), directions=("references",))
        same = await here.step(seeds=(uid,), directions=("references",))
        other = await here.step(seeds=(uid,))
        run = await here.run(step.number)
        with pytest.raises(UsageError, match="not names of one work"):
            await here.step(seeds=("10.1000/none",))

    assert (step.number, other.number - step.number) == (same.number, 1)
    assert len(run.options["seeds"]) == 1
    assert run.options["directions"] == ["references"]


async def test_without_an_included_work_there_is_nothing_to_follow(tmp_path: Path) -> None:
    """The error says what to do; steps of queries are run without it."""
    async with review(tmp_path) as here:
        step = await here.step()
        with pytest.raises(UsageError, match="No work is included"):
            await here.run(step.number)
        with pytest.raises(UsageError, match="by itself"):
            await here.run(1, step.number)
        with pytest.raises(UsageError, match="has no query"):
            await here.run(step.number, mode="counts")
        last = await here.run(sources=["demo-crossref"])

    assert last.mode == "records"
    assert last.options["steps"] == [1]


async def test_a_failing_index_costs_only_itself(tmp_path: Path) -> None:
    """It is named with the works that it gave no answer for, and never counts 0."""
    async with review(tmp_path, faults=True) as here:
        await here.include(10)
        step = await here.step(indexes=("demo-crossref", "demo-failing"))
        run = await here.run(step.number)
        answers = await here.answers(run)
        counted = await here.numbers()

    assert answers["demo-crossref"].answered
    failed = answers["demo-failing"]
    assert failed.failed
    assert failed.fetched is None
    assert "no whole answer for 10 works" in " ".join(failed.notes)
    assert counted.citations is not None
    (label,) = [one.label for one in counted.citations.sources if one.failed]
    assert "failing" in label


async def test_decisions_on_what_citations_led_to_are_undone_like_others(tmp_path: Path) -> None:
    async with review(tmp_path) as here:
        await here.include(10)
        run = await here.run((await here.step()).number)
        (uid, *_) = await here.uids(run.number)
        marking = here.project.bind(decisions.mark)
        made = await here.workspace.write(marking, [uid], "excluded")
        marked = (await here.numbers()).citations
        await here.workspace.write(here.project.bind(undo), made.change)
        undone = (await here.numbers()).citations

    assert marked is not None
    assert undone is not None
    assert (marked.left_out, undone.left_out) == (1, 0)


async def test_a_recorded_run_replays_to_the_same_records(tmp_path: Path) -> None:
    """In another project; nothing is sent."""
    async with review(tmp_path) as here:
        await here.include(8)
        folder = tmp_path / "pages"
        run = await here.run((await here.step()).number, record=folder)
        into = await here.workspace.write(projects.create, "again", "review")
        replayed = await replay_run(here.workspace, replay_settings(Settings()), run, into)

    assert replayed.same > 0
    assert (replayed.lacking, replayed.added) == ((), ())


async def test_an_archive_keeps_what_led_to_each_work(tmp_path: Path) -> None:
    """Also where its works have other ids in the workspace that reads it."""
    async with review(tmp_path) as here:
        await here.include(10)
        await here.run((await here.step()).number)
        file = tmp_path / "archive.zip"
        await here.workspace.read(here.project.bind(export_to), file)
        made = await here.workspace.write(import_project, file, name="other")
        before = await here.workspace.read(here.project.bind(led_to))
        after = await here.workspace.read(made.project.bind(led_to))

    assert any(before.values())
    assert after == before


def led_to(project: Project) -> dict[str, list[tuple[str, str, tuple[str, ...]]]]:
    """Title of a work -> direction, title of the seed, and indexes of what led to it."""
    rows = [
        row["id"] for row in project.db.all("SELECT id FROM work WHERE project = ?", project.id)
    ]
    return {
        work.title: [
            (link.direction, link.title, link.indexes) for link in works.links_of(project, work)
        ]
        for work in works.read(project.db, rows)
    }


async def test_an_interrupted_run_goes_on_with_its_own_seeds(tmp_path: Path) -> None:
    """Also where more works were included meanwhile."""
    async with review(tmp_path) as here:
        await here.include(6)
        step = await here.step()
        run = await here.run(step.number)

        def interrupt(project: Project) -> None:
            project.db.run("DELETE FROM answer WHERE run = ?", run.id)
            project.db.run("UPDATE run SET status = 'interrupted' WHERE id = ?", run.id)

        answers = await here.answers(run)
        await here.workspace.write(here.project.bind(interrupt))
        await here.include(3)
        again = await resume_run(here.workspace, here.engine, here.project, run.number)
        resumed = await here.answers(again)

    assert again.options["seeds"] == run.options["seeds"]
    assert {name: one.fetched for name, one in resumed.items()} == {
        name: one.fetched for name, one in answers.items()
    }


@pytest.mark.parametrize(
    "details",
    [
        {"seeds": "10.1000/a"},
        {"seeds": [1]},
        {"directions": ["sideways"]},
        {"rounds": 0},
        {"rounds": True},
        {"indexes": ["a" * 200]},
        {"seeds": ["x"] * 1_001},
    ],
)
def test_details_that_cannot_be_are_refused(details: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        CitationStep.of(details)
