"""Additions beside other writers: nobody waits for what is computed, and the works are those that
one addition after the other would make.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from metasearch.dedup.pins import Pin, Pins
from metasearch.errors import WorkspaceError
from metasearch.record import Record
from metasearch.review.projects import projects
from metasearch.review.projects.archive_format import export_to
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.store import database
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database, portions
from metasearch.review.works import intake, pins
from metasearch.review.works.intake import add_records, make_works
from tests.review.works.held import Held, at_once, paper

TITLES = (
    "Harms of gambling",
    "Soil of the northern plains",
    "Reed beds and the water of lakes",
    "Mussels in streams",
    "Storms and harbours",
)


def twins(*sources: str) -> list[Record]:
    """The same works from several sources."""
    return [
        paper(source, number, title, author=f"Author{'abcde'[number]}", volume=str(number + 1))
        for source in sources
        for number, title in enumerate(TITLES)
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a workspace is made."""
    return tmp_path / "workspace.db"


@pytest.fixture
def db(file: Path) -> Iterator[Database]:
    """A workspace of its own."""
    with Database(file) as made:
        yield made


def write_at_once(file: Path) -> None:
    """Write to a workspace, or fail where another transaction is open."""
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as other:
        other.execute("UPDATE project SET title = title")


def test_others_write_while_records_come_and_works_are_computed(
    db: Database, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No transaction is open while records are read, compared, or merged."""
    whole, computed = intake.divide, []

    def divided(*args: Any, **kwargs: Any) -> Any:
        for found in whole(*args, **kwargs):
            write_at_once(file)
            computed.append(found)
            yield found

    def coming() -> Iterator[Record]:
        for record in twins("a", "b"):
            write_at_once(file)
            yield record

    monkeypatch.setattr(intake, "divide", divided)
    held = Held(db)
    add_records(held.project, held.answer(), coming())
    assert len(held.works()) == len(computed) == len(TITLES)


def test_a_long_job_pauses_between_portions(db: Database, file: Path) -> None:
    """Each portion is a transaction of its own: what was written before is seen by others."""
    held, seen = Held(db), []
    rows = [(held.answer(), number) for number in range(40)]
    for some in portions(db, rows):
        with Database(file, read_only=True) as other:
            seen.append(other.value("SELECT count(*) FROM tag"))
        with db.transaction():
            work = held.add(paper("a", len(seen))).new_works
            assert work <= 1
            db.run("INSERT INTO tag SELECT id, ? FROM work LIMIT 1", f"{len(seen)} {len(some)}")
    assert seen == list(range(len(seen)))
    assert len(seen) > 1


def test_two_additions_at_once_miss_no_twin(db: Database, file: Path) -> None:
    """Two programs add the records of two sources to one project at the same moment."""
    held, gate, failed = Held(db), threading.Barrier(2), []
    records = {source: twins(source) for source in "ab"}
    answers = {source: held.answer(source) for source in "ab"}

    def add(source: str) -> None:
        try:
            with Database(file) as own:
                gate.wait()
                add_records(held.project.at(own), answers[source], records[source])
        except Exception as exc:
            failed.append(exc)

    threads = [threading.Thread(target=add, args=(source,)) for source in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert held.clusters() == at_once([*records["a"], *records["b"]])
    assert not check(db)


@pytest.mark.parametrize("verdict", ["different", "same"])
def test_a_pin_while_works_are_computed_holds(
    db: Database, file: Path, verdict: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person pins two works between the moment at which they are read and that at which they are
    written; the works are those of the pin."""
    held = Held(db)
    first = [paper("a", 1), paper("b", 2, "Soil of the northern plains", author="Okafor")]
    held.add(*first)
    later = [paper("c", 3), paper("d", 4, "Soil of the northern plains", author="Okafor")]
    names = ("a:1", "c:3") if verdict == "different" else ("a:1", "b:2")
    whole, pinned = intake.divide, []

    def divided(*args: Any, **kwargs: Any) -> Any:
        found = list(whole(*args, **kwargs))
        if not pinned:
            pinned.append(True)
            with Database(file) as other:
                if verdict == "same":
                    pins.pin(held.project.at(other), verdict, *names)
                else:  # as if the record had been there already
                    other.run(
                        "INSERT INTO pin (project, verdict, a, b, at) VALUES (?, ?, ?, ?, '')",
                        held.project.id,
                        verdict,
                        *names,
                    )
                    other.run("UPDATE works_made SET pins = pins + 1")
        return found

    monkeypatch.setattr(intake, "divide", divided)
    held.add(*later)
    assert held.clusters() == at_once(
        [*first, *later], Pins((Pin(verdict, names, 1, "project", ""),))
    )
    assert not check(db)


def test_a_work_that_is_divided_while_works_are_computed(
    db: Database, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer version of a record comes while a person pins the older one away."""
    held = Held(db)
    held.add(paper("a", 1), paper("b", 1))
    whole, pinned = intake.divide, []

    def divided(*args: Any, **kwargs: Any) -> Any:
        found = list(whole(*args, **kwargs))
        if not pinned:
            pinned.append(True)
            with Database(file) as other:
                pins.pin(held.project.at(other), "different", "a:1", "b:1")
        return found

    monkeypatch.setattr(intake, "divide", divided)
    held.add(paper("a", 1, abstract="A newer text."))
    assert held.clusters() == {frozenset({"a:1"}), frozenset({"b:1"})}
    assert {work.hit.record.abstract for work in held.works()} == {"A newer text.", None}
    assert not check(db)


def test_records_that_wait_get_works_in_a_copy_of_the_project(db: Database, tmp_path: Path) -> None:
    """An archive may be written while records are added: in its copy the next addition makes works
    of them, and a newer version takes the place of the older one. What an import had brought that
    had not come to its end is not there."""
    held = Held(db)
    held.add(*twins("a"))
    newer = [paper("a", 0, TITLES[0], author="Authora", volume="1", abstract="A newer text.")]
    intake.keep_records(held.project, held.answer(), [*newer, *twins("b")])
    run = held.run()
    db.run("UPDATE run SET mode = 'import', status = 'running' WHERE id = ?", run)
    intake.keep_records(held.project, held.answer(run=run), [paper("c", 9, "Half an import")])
    export_to(held.project, tmp_path / "copy.zip")

    with Database(tmp_path / "other.db") as other:
        copy = import_project(other, tmp_path / "copy.zip").project
        assert not check(other)
        intake.make_works(copy.at(other))
        assert not check(other)
        assert other.value("SELECT count(*) FROM entering") == 0
        assert other.value("SELECT count(*) FROM record WHERE source = 'c'") == 0
        keys = {
            row["key"] for row in other.all("SELECT key FROM record WHERE superseded IS NOT NULL")
        }
        assert keys == {"a:0"}
        works = other.value("SELECT count(*) FROM work")
    assert works == len(TITLES)


def half_import(held: Held) -> tuple[int, int]:
    """The run of an import that goes on, and its answer."""
    run = held.run()
    held.db.run("UPDATE run SET mode = 'import', status = 'running' WHERE id = ?", run)
    return run, held.answer(run=run)


def harm(db: Database) -> list[str]:
    return [problem.what for problem in check(db) if problem.harmful]


def test_what_two_answers_brought_stays_with_one(db: Database) -> None:
    """A record of an import that is taken back is one of the run that gave it meanwhile, too."""
    held = Held(db)
    _, answer = half_import(held)
    intake.keep_records(held.project, answer, [paper("a", 1), paper("a", 2, "Soil")])
    held.add(paper("a", 1))
    intake.take_back(db, answer)
    intake.make_works(held.project)
    assert held.clusters() == {frozenset({"a:1"})}
    assert not harm(db)


@pytest.mark.parametrize("is_done", [True, False])
def test_a_version_after_one_of_an_import_that_goes_on(db: Database, is_done: bool) -> None:
    """It waits for the end of the import, however that ends, and is then the newest one."""
    held = Held(db)
    held.add(paper("a", 1, abstract="first"))
    run, answer = half_import(held)
    intake.keep_records(held.project, answer, [paper("a", 1, abstract="second")])
    held.add(paper("a", 1, abstract="third"))
    if is_done:
        db.run("UPDATE run SET status = 'done' WHERE id = ?", run)
    else:
        intake.take_back(db, answer)
    intake.make_works(held.project)
    assert [len(work.hit.records) for work in held.works()] == [1]
    assert held.work("a:1").hit.record.abstract == "third"
    assert not harm(db)


def test_several_versions_that_wait(db: Database) -> None:
    """One follows the other, also where works are made of all of them at once."""
    held = Held(db)
    held.add(paper("a", 1), paper("b", 1))
    for number in range(4):
        newer = paper("a", 1, abstract=f"Text {number}")
        intake.keep_records(held.project, held.answer(), [newer])
    intake.make_works(held.project)
    assert held.clusters() == {frozenset({"a:1", "b:1"})}
    assert held.work("a:1").hit.record.abstract == "Text 3"
    assert not harm(db)


@pytest.mark.parametrize("how", ["killed", "pinned"])
def test_a_column_that_shows_where_works_must_be_computed_anew(
    db: Database, file: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The works of before that a title had joined are divided, also where the process died, or a
    person set a pin, after the title had shown to be that of a column."""
    held, whole, computed = Held(db), intake.divide, []
    title = "Nursing notes of the wards"
    rows = [
        paper("abab"[n], n, title, author=author, year=year, volume=volume, venue="Practice")
        for n, (author, year, volume) in enumerate(
            [("Browne", 2010, None), ("Browne", 2010, None), ("Li", 2012, "12")]
        )
    ]
    last = paper("c", 9, title, author="Okafor", year=2015, volume="15", venue="Practice")
    more = paper("c", 8, title, author="Sato", year=2017, volume="17", venue="Practice")
    held.add(*rows, more)
    assert frozenset({"a:0", "b:1"}) in held.clusters()

    def divided(*args: Any, **kwargs: Any) -> Any:
        found = list(whole(*args, **kwargs))
        computed.append(found)
        if len(computed) == 1:
            if how == "killed":
                raise KeyboardInterrupt
            with Database(file) as other:
                other.run("UPDATE works_made SET pins = pins + 1")
        return found

    monkeypatch.setattr(intake, "divide", divided)
    try:
        held.add(last)
    except KeyboardInterrupt:
        intake.make_works(held.project)
    assert len(computed) == 2
    assert held.clusters() == at_once([*rows, more, last])


def test_the_turn_is_kept_while_works_are_computed(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes: two processes that take it from each other would never end."""
    held, whole, take, renewed = Held(db), intake.divide, database.take_lease, threading.Event()

    def divided(*args: Any, **kwargs: Any) -> Any:
        assert renewed.wait(20)
        return whole(*args, **kwargs)

    def taken(*args: Any) -> bool:
        found = take(*args)
        if threading.current_thread() is not threading.main_thread() and found:
            renewed.set()
        return found

    monkeypatch.setattr(intake, "_RENEWED", 0.01)
    monkeypatch.setattr(intake, "divide", divided)
    monkeypatch.setattr(database, "take_lease", taken)
    held.add(paper("a", 1))
    assert held.clusters() == {frozenset({"a:1"})}
    assert db.value("SELECT count(*) FROM lease") == 0


def test_who_waits_for_the_turn_ends_with_the_program(db: Database, file: Path) -> None:
    """A server that is shut down does not wait for a process that makes works, or was killed."""
    held, ending = Held(db), threading.Event()
    database.take_lease(db, f"works:{held.project.uid}", "another", 30)
    ending.set()
    with Database(file, ending=ending) as own, pytest.raises(WorkspaceError, match="ends"):
        intake.make_works(held.project.at(own))


@pytest.mark.parametrize("other", ["a:1", "c:5", "b:1"])
def test_rows_that_contradict_one_another_end_the_work(db: Database, other: str) -> None:
    """In a damaged file nobody computes for ever."""
    held = Held(db)
    held.add(paper("a", 1), paper("b", 1), paper("c", 5, "Soil", author="Sato"))
    db.run(
        "UPDATE record SET superseded = (SELECT id FROM record WHERE key = ?)"
        " WHERE key IN ('a:1', 'b:1') AND key <> ?",
        other,
        "b:1" if other == "c:5" else "",
    )
    answer = held.answer()
    intake.keep_records(held.project, answer, [paper("d", 1), paper("a", 1, abstract="new")])
    if other == "c:5":
        with pytest.raises(WorkspaceError, match="works cannot be made"):
            intake.make_works(held.project)
    else:
        intake.make_works(held.project)
    assert db.value("SELECT count(*) FROM lease") == 0


def test_who_waits_for_its_turn_ends_with_the_program(db: Database, file: Path) -> None:
    """A server that stops does not wait until another process has made the works of a project."""
    project = projects.create(db, "mine", "review")
    ending = threading.Event()
    assert database.take_lease(db, f"works:{project.uid}", "another process", 30)
    ending.set()

    with (
        Database(file, ending=ending) as other,
        pytest.raises(WorkspaceError, match="the program ends"),
    ):
        make_works(project.at(other))
