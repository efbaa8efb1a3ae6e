"""Files as steps: what was searched by hand is kept and reported as such."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import FileFormatError, UsageError, WorkspaceError
from metasearch.review.projects import log, projects
from metasearch.review.projects.projects import Project
from metasearch.review.runs import imports, runs
from metasearch.review.runs.imports import FileImport, import_file
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works import intake, records, works
from tests import cases


def ris(*titles: str, **more: str) -> bytes:
    """A file of articles."""
    tags = "".join(f"{tag}  - {value}\n" for tag, value in more.items())
    return "".join(
        f"TY  - JOUR\nTI  - {title}\nAU  - 李, 娜\nPY  - 2020\nT2  - 生态学报\n{tags}ER  - \n"
        for title in titles
    ).encode()


FILE = ris("沉水植物与水质", "贝类对生态系统的影响")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A new workspace."""
    with Database(tmp_path / "workspace.db") as made:
        yield made


@pytest.fixture
def project(db: Database) -> Project:
    """A new project."""
    return projects.create(db, "lakes", "novelty")


@pytest.fixture
def strategy(db: Database, project: Project) -> Strategy:
    """A strategy with one query."""
    made = strategies.create(project, "main")
    steps.add(db, made, "水质")
    return made


def imported(db: Database, project: Project, strategy: Strategy, **more: Any) -> FileImport:
    """The file, from CNKI, on a day."""
    known: dict[str, Any] = {"content": FILE, "name": "cnki.ris", "source": "CNKI"}
    known |= {"searched": "2026-05-03"} | more
    content, name = known.pop("content"), known.pop("name")
    return import_file(project.as_user(known.pop("by", "")), strategy, content, name, **known)


def count(db: Database, table: str) -> int:
    """The rows of a table."""
    return int(db.value(f"SELECT count(*) FROM {table}"))


def dump(db: Database, *tables: str) -> list[list[tuple[Any, ...]]]:
    """All rows of some tables."""
    return [list(map(tuple, db.all(f"SELECT * FROM {table}"))) for table in tables]


def test_a_file_becomes_a_step_with_its_own_answer(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """Database, day, query, file and digest; the numbers are those of the file and of the user."""
    found = imported(
        db, project, strategy, query="SU=水质", claimed=57, note="by Li; all years", by="Li"
    )

    assert (found.step.number, found.step.kind, found.step.text) == (2, "import", "SU=水质")
    assert found.step.details["sha256"] == hashlib.sha256(FILE).hexdigest()
    assert found.step.details["file"] == "cnki.ris"
    assert (found.run.mode, found.run.status, found.run.by) == ("import", "done", "Li")
    answer = found.answer
    assert (answer.source, answer.label, answer.place, answer.status) == (
        *("CNKI", "CNKI", "database", "ok"),
    )
    assert (answer.claimed, answer.fetched, answer.filtered, answer.unread) == (57, 2, 0, 0)
    assert (answer.asked_at, answer.query, answer.requests) == ("2026-05-03", "SU=水质", ())
    assert [work.title for work in works.read(db, [1, 2])] == [
        "沉水植物与水质",
        "贝类对生态系统的影响",
    ]
    assert (found.format, found.again, found.problems) == ("ris", False, ())


def test_what_is_not_known_is_none(db: Database, project: Project, strategy: Strategy) -> None:
    """Without the user's word nobody knows how many hits the database had."""
    assert imported(db, project, strategy).answer.claimed is None


def test_the_same_file_again_adds_nothing(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """It is the same step, its records are the same, and a further run says that it was done."""
    first = imported(db, project, strategy)
    again = imported(db, project, strategy, searched="2026-06-01")

    assert (again.step.number, again.again) == (first.step.number, True)
    assert again.step.details["searched"] == "2026-06-01"
    assert (count(db, "record"), count(db, "work"), count(db, "run")) == (2, 2, 2)
    assert again.answer.fetched == 2


def test_records_without_ids_are_the_same_in_another_file(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """A newer export of the same search adds what is new, wherever it stands in the file."""
    first = imported(db, project, strategy)
    newer = ris("湖泊富营养化", "沉水植物与水质", "贝类对生态系统的影响")

    again = imported(db, project, strategy, content=newer, step=first.step.number)

    assert (again.step.number, again.again) == (first.step.number, False)
    assert again.answer.fetched == 3
    assert (count(db, "record"), count(db, "work")) == (3, 3)
    assert works.find(project, works.read(db, [1])[0].uid).first_run == 1


def test_another_file_is_another_step(db: Database, project: Project, strategy: Strategy) -> None:
    """Two exports of one database are two searches, unless the step is named."""
    first = imported(db, project, strategy)
    other = imported(db, project, strategy, content=ris("湖泊富营养化"), name="more.ris")

    assert (first.step.number, other.step.number) == (2, 3)


def test_what_stands_twice_in_a_file_was_found_twice(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """Both entries are records, and de-duplication makes one work of them."""
    found = imported(db, project, strategy, content=ris("沉水植物与水质", "沉水植物与水质"))

    assert found.answer.fetched == 2
    assert (count(db, "record"), count(db, "work")) == (2, 1)


def test_what_cannot_be_read_is_counted_and_told(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """Each record of the file is kept or counted as unread, and its line is named."""
    content = ris("Lakes") + b"TY  - JOUR\nER  - \n"

    found = imported(db, project, strategy, content=content)

    assert (found.answer.fetched, found.answer.unread) == (1, 1)
    assert [problem.line for problem in found.problems] == [7]
    assert found.answer.notes[0].startswith("line 7: the record is left out")


def test_a_search_by_hand_that_found_nothing(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """It has no file, and is reported with its 0 all the same."""
    found = imported(db, project, strategy, content=b"", claimed=0)

    assert (found.answer.status, found.answer.claimed, found.answer.fetched) == ("empty", 0, 0)


def test_the_log_says_who_imported_what(db: Database, project: Project, strategy: Strategy) -> None:
    """The step and the file are lines of the log."""
    imported(db, project, strategy, by="Li")

    line = next(one for one in log.lines(db, project.id) if one.action == "import file")
    assert (line.by, line.object) == ("Li", f"step:{strategy.id}/2")
    assert line.after["file"] == "cnki.ris"


@cases.each(
    ("more", "why"),
    [
        ({"source": ""}, "name of a database"),
        ({"source": "CN:KI"}, "name of a database"),
        ({"source": "C" * 81}, "at most 80"),
        ({"searched": "yesterday"}, "no date"),
        ({"claimed": -1}, "number of hits"),
        ({"place": "shop"}, "kind of place"),
        ({"content": b"   "}, "nothing but blanks"),
        ({"content": b"neither this nor that"}, "no record"),
        ({"format": "doc"}, "no format"),
        ({"step": 1}, "no import of CNKI"),
        ({"step": 9}, "no step 9"),
        ({"note": "a" * 2_001}, "the note"),
        ({"query": "a\ud800"}, "the query"),
    ],
)
def test_what_cannot_be_imported_leaves_nothing(
    db: Database, project: Project, strategy: Strategy, more: dict[str, Any], why: str
) -> None:
    """The error says what is wrong; no step and no run is there."""
    with pytest.raises((UsageError, FileFormatError), match=why):
        imported(db, project, strategy, **more)

    assert (count(db, "step"), count(db, "run"), count(db, "record")) == (1, 0, 0)


def test_the_same_file_with_another_query_is_refused(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """Its records would be counted twice."""
    imported(db, project, strategy, query="SU=水质")

    with pytest.raises(UsageError, match="step 2 already"):
        imported(db, project, strategy, query="SU=湖")


def test_a_file_that_is_too_large(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes and records are bounded."""
    monkeypatch.setattr(imports, "MOST_RECORDS", 1)
    with pytest.raises(UsageError, match="more than 1 records"):
        imported(db, project, strategy)
    monkeypatch.setattr(imports, "MOST_BYTES", 10)
    with pytest.raises(UsageError, match="more than 10 bytes"):
        imported(db, project, strategy)


def test_an_import_that_breaks_off_leaves_only_its_run(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its records nor its step are there, and importing the file again brings all."""
    whole = records.keep

    def full(*args: Any, **kwargs: Any) -> Any:
        whole(*args, **kwargs)
        raise WorkspaceError("workspace.db", "the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(records, "keep", full)
        with pytest.raises(WorkspaceError):
            imported(db, project, strategy)
    (stopped,) = runs.of(project)
    (half,) = runs.answers(db, stopped)
    left = [count(db, table) for table in ("record", "finding", "entering", "work")]
    there = [step.kind for step in steps.of(db, strategy)]
    again = imported(db, project, strategy)

    assert (stopped.status, half.status, half.fetched) == ("stopped", "error", 0)
    assert (left, there) == ([0, 0, 0, 0], ["query"])
    assert (again.answer.fetched, count(db, "record"), count(db, "work")) == (2, 2, 2)


def test_a_newer_file_that_breaks_off_leaves_the_older_one(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step, its records and what they say are those of the file before."""
    first = imported(db, project, strategy)
    before = dump(db, "step", "record", "work", "work_body", "record_place", "finding")
    content = FILE.replace(b"2020", b"2021")

    def full(*_: Any, **__: Any) -> Any:
        raise WorkspaceError("workspace.db", "the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(runs, "finish_answer", full)
        with pytest.raises(WorkspaceError):
            imported(db, project, strategy, content=content, step=first.step.number)
    assert dump(db, "step", "record", "work", "work_body", "record_place", "finding") == before


def test_works_that_could_not_be_made_are_made_by_the_next_addition(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All records of the file are kept then."""

    def full(*_: Any, **__: Any) -> Any:
        raise WorkspaceError("workspace.db", "the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(intake, "assign", full)
        with pytest.raises(WorkspaceError):
            imported(db, project, strategy)
    assert [count(db, table) for table in ("record", "entering", "work")] == [2, 2, 0]
    again = imported(db, project, strategy)
    assert (again.again, count(db, "entering"), count(db, "work")) == (True, 0, 2)
