"""Known works: who finds them, and why the others miss them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from metasearch.errors import FileFormatError, UsageError
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.runs import known_works
from metasearch.review.runs.known_works import KnownWorkCheck, validate
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import run_strategy
from metasearch.review.store.database import Database
from tests.review.runs.planned import planned

RIS = b"""TY  - JOUR
TI  - Soil carbon in marshes
AU  - Berg, Anna
PY  - 2020
T2  - Journal of Soil Science
ER  -
TY  - JOUR
TI  - Mangrove roots
AU  - Berg, Anna
PY  - 2020
AB  - Roots of mangroves hold the shore.
DO  - 10.1000/mangrove
ER  -
"""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A new workspace."""
    with Database(tmp_path / "workspace.db") as made:
        yield made


@pytest.fixture
def project(db: Database) -> Project:
    """A new project."""
    return projects.create(db, "marshes", "review")


def test_lines_are_dois_pmids_and_titles(db: Database, project: Project) -> None:
    """Any spelling of an identifier; what is neither is a title, whose year may follow."""
    text = """
    https://doi.org/10.1000/ABC
    PMID: 123
    4567
    isbn:978-0-306-40615-7
    Soil carbon in marshes (2020)
    A title: with a colon
    doi:10.1000/abc
    """

    added = known_works.add_lines(project, text)

    assert [one.name for one in added] == [
        "doi:10.1000/abc",
        "pmid:123",
        "pmid:4567",
        "isbn:9780306406157",
        "Soil carbon in marshes (2020)",
        "A title: with a colon",
    ]
    assert (added[4].record.title, added[4].record.year) == ("Soil carbon in marshes", 2020)
    assert known_works.add_lines(project, text) == []
    assert known_works.of(project) == added


def test_lines_that_are_wrong(
    db: Database, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of the line is told, and nothing is added."""
    with pytest.raises(UsageError, match="Line 2"):
        known_works.add_lines(project, "10.1000/abc\nhttps://example.org/x")
    with pytest.raises(UsageError, match="Line 1"):
        known_works.add_lines(project, "a" * 1_001)
    monkeypatch.setattr(known_works, "MOST", 1)
    with pytest.raises(UsageError, match="at most 1"):
        known_works.add_lines(project, "1\n2")

    assert known_works.of(project) == []


def test_files_are_read(db: Database, project: Project) -> None:
    """Each record is a known work; one with an identifier is named after it."""
    added = known_works.add_file(project, RIS, "known.ris")

    assert [one.name for one in added] == ["Soil carbon in marshes (2020)", "doi:10.1000/mangrove"]
    with pytest.raises(FileFormatError):
        known_works.add_file(project, b" ", "empty.ris")


def test_a_name_that_no_file_can_hold(db: Database, project: Project) -> None:
    """A terminal may give half a character."""
    (added,) = known_works.add_lines(project, "Soil \ud800 carbon")

    assert added.name == "Soil ? carbon"


def test_known_works_are_removed_by_name(db: Database, project: Project) -> None:
    """All of the names or none."""
    known_works.add_lines(project, "1\n2")
    with pytest.raises(UsageError, match="pmid:3"):
        known_works.remove(project, ["pmid:1", "pmid:3"])

    known_works.remove(project, ["pmid:1"])

    assert [one.name for one in known_works.of(project)] == ["pmid:2"]


async def validated(
    tmp_path: Path, lines: str, *texts: str, file: bytes = b""
) -> list[KnownWorkCheck]:
    """The known works of these lines after a run of all steps."""
    async with await planned(tmp_path, texts) as plan:
        await run_strategy(
            plan.workspace,
            plan.engine,
            plan.project,
            plan.strategy,
            RunOptions(steps=list(range(1, len(texts) + 1))),
        )
        await plan.workspace.write(plan.project.bind(known_works.add_lines), lines)
        if file:
            await plan.workspace.write(plan.project.bind(known_works.add_file), file, "known.ris")
        found = await plan.workspace.read(plan.project.bind(validate), plan.strategy)
        assert found.found == sum(one.found for one in found.works)
        return list(found.works)


async def test_which_step_and_source_found_a_work(tmp_path: Path) -> None:
    """By its DOI, whoever gave it."""
    (one,) = await validated(tmp_path, "10.1000/one", "soil", "carbon")

    assert one.found
    assert len(one.works) == 1
    assert [(finder.step, finder.source, finder.position) for finder in one.finders] == [
        (1, "alpha", 1),
        (1, "beta", 1),
        (2, "alpha", 1),
        (2, "beta", 1),
    ]
    assert [(step.step, step.sources) for step in one.steps] == [
        (1, ("alpha", "beta")),
        (2, ("alpha", "beta")),
    ]


@pytest.mark.parametrize(
    "line", ["Soil carbon in marshes", "SOIL CARBON IN MARSHES (2020)", "Salt marsh birds, 2021"]
)
async def test_a_title_alone_is_enough(tmp_path: Path, line: str) -> None:
    """Whatever its case; a year may differ by one, as it does between print and web."""
    (one,) = await validated(tmp_path, line, "soil")

    assert one.found


@pytest.mark.parametrize("line", ["Soil carbon", "Soil carbon in marshes (2012)", "10.1000/none"])
async def test_another_title_or_year_is_another_work(tmp_path: Path, line: str) -> None:
    """Nothing is found where only a part agrees."""
    (one,) = await validated(tmp_path, line, "soil")

    assert not one.found
    assert one.works == ()


async def test_a_whole_record_is_compared_by_the_matchers(tmp_path: Path) -> None:
    """Without an identifier in common, title, author, year and journal decide."""
    found, missed = await validated(tmp_path, "", "soil", file=RIS)

    assert found.found
    assert not missed.found


async def test_why_a_step_misses_a_work(tmp_path: Path) -> None:
    """Its query does not fit, and the part that does not is named; or it fits, and no source gave
    it; or what is known of the work does not tell."""
    works = await validated(
        tmp_path,
        "10.1000/unknown",
        "mangrove AND roots",
        "mangrove AND title:peat",
        "year:2019-2021 AND roots",
        "roots AND year:1990",
        file=RIS,
    )
    unknown, _, mangrove = works

    assert [step.fits for step in mangrove.steps] == [True, False, True, False]
    assert [step.lacks for step in mangrove.steps] == [(), ("title:peat",), (), ("year:1990",)]
    assert {step.fits for step in unknown.steps} == {None}


async def test_what_another_strategy_found_is_not_found_by_this_one(tmp_path: Path) -> None:
    """The work is one of the project, and the strategy has not found it."""
    from metasearch.review.strategies import strategies

    async with await planned(tmp_path, ["soil"]) as plan:
        await run_strategy(plan.workspace, plan.engine, plan.project, plan.strategy)
        await plan.workspace.write(plan.project.bind(known_works.add_lines), "10.1000/one")
        other = await plan.workspace.write(plan.project.bind(strategies.create), "other")
        found = await plan.workspace.read(plan.project.bind(validate), other)

    assert (found.found, len(found.works[0].works)) == (0, 1)
