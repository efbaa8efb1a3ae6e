"""The worked examples are whole projects: searched, screened, and reported without a gap."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review import examples
from metasearch.review.examples import EXAMPLES, content, works_of
from metasearch.review.projects import log, projects
from metasearch.review.projects.archive_format import export_project, export_to
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.projects.projects import Project
from metasearch.review.reports import reports as finished
from metasearch.review.reports.document import Document
from metasearch.review.reports.numbers import numbers
from metasearch.review.reports.reports import kind_of
from metasearch.review.runs import known_works, runs
from metasearch.review.runs.imports import import_file
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import strategies
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.undo import undo
from tests.review.new_workspaces import make_once


def install(file: Path) -> None:
    async def all_of_them() -> None:
        async with Workspace(file) as workspace:
            for example in EXAMPLES.values():
                await example(workspace)

    asyncio.run(all_of_them())


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with all examples; no test changes it."""
    path = tmp_path_factory.mktemp("examples") / "workspace.sqlite3"
    make_once("examples", path, lambda: install(path))
    return path


@pytest.fixture
def db(file: Path):
    with Database(file, read_only=True) as db:
        yield db


def report(db: Database, project: Project, kind: str, previous: str | None = None) -> Document:
    return kind_of(kind).build(project, language=None, previous=previous)


def text_of(document: Document) -> str:
    return repr(document.blocks)


def facts(db: Database, project: Project) -> list[tuple[object, ...]]:
    """What was decided on each work, without what is random or of the moment."""
    return sorted(
        (
            work.title,
            work.sources,
            work.tags,
            work.first_run,
            sorted((stage, one.verdict, one.reason) for stage, one in work.decisions.items()),
        )
        for work in works_of(project, WorksQuery())
    )


def test_the_workspace_is_whole(db: Database):
    """Nothing is wrong with a workspace that holds the examples."""
    assert [project.name for project in projects.every(db)] == [
        examples.NOVELTY_NAME,
        examples.NAME,
    ]
    assert check(db) == []


def test_no_source_failed_and_every_run_ended(db: Database):
    """The demo's failing database is not part of the examples."""
    for project in projects.every(db):
        for run in runs.of(project):
            assert run.status == "done"
            assert not any(answer.failed for answer in runs.answers(db, run))


def test_requests_name_no_port(db: Database):
    """Reports print the requests, which are the same on every machine."""
    urls = {row[0] for row in db.all("SELECT requests FROM answer WHERE source LIKE 'demo%'")}

    assert urls
    assert not any("127.0.0.1" in url or "localhost" in url for url in urls)


@pytest.mark.slow
def test_an_example_is_the_same_every_time(db: Database, tmp_path: Path):
    """Works, decisions and their order follow from rules, and not from the moment."""
    install(tmp_path / "again.sqlite3")
    with Database(tmp_path / "again.sqlite3") as again:
        for name in EXAMPLES:
            assert facts(db, projects.find(db, name)) == facts(again, projects.find(again, name))


# ------------------------------------------------------------------------- review


def test_the_review_has_a_finished_search_and_an_update(db: Database):
    """The reports of the first search are finished; the update has found works that it had not, and
    all of them are decided on."""
    project = projects.find(db, examples.NAME)
    first = {one.kind: one for one in finished.frozen(project)}
    assert first.keys() == {"prisma-s", "prisma-flow"}
    assert not any(one.data["draft"] for one in first.values())

    flow = report(db, project, "prisma-flow", previous="last")
    counted = numbers(project, finished.find_previous(project, "prisma-flow", "last"))

    assert flow.draft == ()
    assert counted.previous is not None
    assert counted.previous.reports > counted.included > 0
    assert counted.screened == counted.works > counted.excluded
    assert report(db, project, "prisma-s").draft == ()


def test_all_boxes_of_the_flow_are_filled(db: Database):
    """Over both searches there are duplicates, works left out in both stages with reasons, one that
    could not be had, a study with two reports, and other ways of searching."""
    counted = numbers(projects.find(db, examples.NAME))

    assert counted.identified > counted.works > counted.excluded > 0
    assert counted.not_retrieved > 0
    assert len(counted.reasons) > 1
    assert "" not in counted.reasons
    assert counted.citations is not None
    assert counted.studies < counted.included + counted.citations.included
    assert {one.kind for one in counted.others} == {"website", "citation"}
    assert counted.citations.included > 0
    assert {source.label for source in counted.sources if source.by_hand} == {"PsycINFO"}
    assert counted.not_screened == counted.not_assessed == 0


def test_the_known_works_are_found_and_the_old_one_by_citations_alone(db: Database):
    """The validation shows what the limit of years costs, and what citations bring."""
    project = projects.find(db, examples.NAME)

    validated = known_works.validate(project, strategies.find(project, None))

    along = {run.number for run in runs.of(project) if run.mode == "citations"}
    cited = [
        one.known.name for one in validated.works if {finder.run for finder in one.finders} <= along
    ]
    assert validated.found == len(validated.works) == len(examples.KNOWN.split())
    assert [name.rpartition("doi:")[2] for name in cited] == ["10.1136/bmj.329.7479.1405-a"]


# ------------------------------------------------------------------------- novelty


def test_the_novelty_report_is_complete(db: Database):
    """No field is empty, nothing is undecided, and the strategy is there as it was typed."""
    project = projects.find(db, examples.NOVELTY_NAME)

    made = report(db, project, "chaxin")

    assert made.draft == ()
    text = text_of(made)
    for step, _ in examples.NOVELTY_STEPS:
        assert step in text
    for answer in ("示例水生态研究所", "立项", *examples.POINTS):
        assert answer in text or answer in repr(made.cover)


def test_works_are_related_to_both_points(db: Database):
    """Each point of novelty has closely and generally related works; some works are neither."""
    works = works_of(projects.find(db, examples.NOVELTY_NAME), WorksQuery())
    verdicts = {work.decisions["title"].verdict for work in works}

    assert verdicts == {"close", "relevant", "excluded"}
    for point in ("查新点1", "查新点2"):
        related = {work.decisions["title"].verdict for work in works if point in work.tags}
        assert related == {"close", "relevant"}


def test_works_of_several_databases_are_one(db: Database):
    """Among the works of the novelty search are some that two databases and the file have, each in
    its own spelling."""
    works = works_of(projects.find(db, examples.NOVELTY_NAME), WorksQuery())

    assert any({"demo-crossref", "demo-openalex", "CNKI"} <= set(work.sources) for work in works)
    assert sum(len(work.sources) > 1 for work in works) >= 4


def test_cnki_is_reported_as_searched_by_hand(db: Database):
    """Its file is named, and its works are among the related ones."""
    project = projects.find(db, examples.NOVELTY_NAME)

    text = text_of(report(db, project, "chaxin"))

    assert "cnki.ris" in text
    assert any(work.sources == ("CNKI",) for work in works_of(project, WorksQuery()))


# ------------------------------------------------------------------------- installing


@pytest.mark.parametrize("name", EXAMPLES)
async def test_an_example_replaces_no_project(name: str, tmp_path: Path):
    """Where there is a project of its name, it is refused with advice, and that project stays."""
    async with Workspace(tmp_path / "w.sqlite3") as workspace:
        mine = await workspace.write(projects.create, name, "plain")
        with pytest.raises(UsageError, match="already") as refused:
            await EXAMPLES[name](workspace)

        assert name in refused.value.advice
        assert await workspace.read(projects.every) == [mine]


async def test_an_example_may_be_made_under_other_names(tmp_path: Path):
    """As often as one likes."""
    async with Workspace(tmp_path / "w.sqlite3") as workspace:
        for name in ("first", "second"):
            assert (await examples.install_novelty(workspace, name=name)).name == name

        assert len(await workspace.read(projects.every)) == 2


async def test_an_example_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The project is removed again with all that was searched."""
    monkeypatch.setattr(examples, "KNOWN", "10.5555/demo\n" + "x" * 100_000)
    async with Workspace(tmp_path / "w.sqlite3") as workspace:
        with pytest.raises(UsageError):
            await examples.install(workspace)

        assert await workspace.read(projects.every) == []


# ------------------------------------------------------------------------- archives


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_survives_the_way_into_another_workspace(
    db: Database, name: str, tmp_path: Path
):
    """All that a real project holds is the same after an export and an import, its reports too, and
    the works keep their ids when records are added afterwards."""
    project = projects.find(db, name)
    export_to(project, tmp_path / "first.zip")
    with Database(tmp_path / "w.sqlite3") as other:
        copy = import_project(other, tmp_path / "first.zip").project
        again = io.BytesIO()
        export_project(copy.at(other), again)

        assert facts(db, project) == facts(other, copy)
        assert numbers(project).included == numbers(copy.at(other)).included
        for kind in ("prisma-s", "prisma-flow") if name == examples.NAME else ("chaxin",):
            assert text_of(report(db, project, kind)) == text_of(report(other, copy, kind))
        uids = {work.title: work.uid for work in works_of(copy.at(other), WorksQuery())}
        strategy = strategies.find(copy.at(other), None)
        import_file(
            copy.at(other),
            strategy,
            content("psycinfo.ris"),
            "more.ris",
            source="Another",
            searched="2026-11-23",
        )
        now = {work.title: work.uid for work in works_of(copy.at(other), WorksQuery())}
        assert uids.items() <= now.items()
        assert check(other) == []
    with zipfile.ZipFile(tmp_path / "first.zip") as before, zipfile.ZipFile(again) as after:
        same = {one for one in before.namelist() if before.read(one) == after.read(one)}
        assert set(before.namelist()) - same == {"tables/change.jsonl", "manifest.json"}


@pytest.mark.parametrize("beside", [False, True], ids=["elsewhere", "beside itself"])
def test_changes_of_a_copy_can_be_undone(db: Database, tmp_path: Path, beside: bool):
    """The log of an imported project is about its own works and steps, whatever their ids became;
    the project that it is a copy of stays as it is."""
    export_to(projects.find(db, examples.NOVELTY_NAME), tmp_path / "a.zip")
    with Database(tmp_path / "w.sqlite3") as other:
        original = import_project(other, tmp_path / "a.zip").project
        copy = import_project(other, tmp_path / "a.zip").project if beside else original
        before = facts(other, original)
        marked = [one for one in log.lines(other, copy.id) if one.action == "mark works"]
        edited = next(one for one in log.lines(other, copy.id) if one.object.startswith("step:"))

        for one in marked:
            undo(copy.at(other), one.id)

        assert marked
        assert not any(work.decisions for work in works_of(copy.at(other), WorksQuery()))
        strategy = strategies.find(copy.at(other), None)
        assert edited.object.startswith(f"step:{strategy.number}/")
        if beside:
            assert facts(other, original) == before
        assert check(other) == []
