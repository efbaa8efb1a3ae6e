"""An archive that is damaged, or made to do harm, is refused with its place, and nothing of it is
imported."""

from __future__ import annotations

import hashlib
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import archive_checks, projects
from metasearch.review.projects.archive_format import export_to
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from tests.cases import each
from tests.review.archive.forged import Members, rows, unpacked, written
from tests.review.archive.rows import made


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive as metasearch writes it."""
    folder = tmp_path_factory.mktemp("whole")
    project = made(folder / "w.sqlite3")
    with Database(folder / "w.sqlite3") as db:
        export_to(project.at(db), folder / "lakes.zip")
    return folder / "lakes.zip"


@pytest.fixture
def refused(tmp_path: Path) -> Iterator[Callable[[Path], UsageError]]:
    """Imports an archive, which must be refused and leave nothing; returns the error."""

    def tried(path: Path) -> UsageError:
        with Database(tmp_path / "data" / "w.sqlite3") as db:
            with pytest.raises(UsageError) as told:
                import_project(db, path)
            assert projects.every(db) == []
        assert all(each.name.startswith("w.sqlite3") for each in (tmp_path / "data").iterdir())
        assert told.value.advice
        return told.value

    yield tried
    with Database(tmp_path / "data" / "w.sqlite3") as db:
        assert check(db) == []


@pytest.fixture
def changed(
    whole: Path, tmp_path: Path
) -> Callable[[Callable[[Members, dict[str, Any]], object]], Path]:
    """Writes the archive anew with a change to its rows or to its manifest."""

    def rewritten(change: Callable[[Members, dict[str, Any]], object]) -> Path:
        found, manifest = unpacked(whole)
        change(found, manifest)
        return written(tmp_path / "changed.zip", found, manifest)

    return rewritten


def test_an_archive_that_is_written_anew_is_imported(changed, tmp_path: Path):
    """What follows is refused for what is changed, and not for how the tests write archives."""
    with Database(tmp_path / "w.sqlite3") as db:
        assert import_project(db, changed(lambda found, manifest: None)).project.name == "lakes"


CHANGES: dict[str, tuple[Callable[[Members, dict[str, Any]], object], str]] = {
    "a column that is not known": (
        lambda f, m: rows(f, "run")[0].update(owner="ada"), "tables/run.jsonl, line 1"),
    "the project of another": (
        lambda f, m: rows(f, "strategy")[1].update(project=1), "tables/strategy.jsonl, line 2"),
    "a column that is lacking": (
        lambda f, m: rows(f, "record")[1].pop("body"), "line 2: the column body"),
    "a column that only some rows have": (
        lambda f, m: rows(f, "work")[1].pop("title"), "line 2: the column title is not there"),
    "a table that is not known": (
        lambda f, m: f.update({"tables/user.jsonl": []}), "tables/user.jsonl"),
    "a table that is made of others": (
        lambda f, m: f.update({"tables/works_made.jsonl": []}), "works_made"),
    "a way out of the folder": (
        lambda f, m: f.update({"recorded/1/../../../../etc/page.json": b""}), "recorded/1/.."),
    "an absolute name": (lambda f, m: f.update({"/etc/passwd": b""}), "/etc/passwd"),
    "a deep folder": (lambda f, m: f.update({"recorded/1/a/b/c/d/page.json": b""}), "recorded"),
    "two projects": (
        lambda f, m: rows(f, "project").append(dict(rows(f, "project")[0], id=2)), "one project"),
    "no project": (lambda f, m: f.update({"tables/project.jsonl": []}), "one project"),
    "rows that are numbered otherwise": (
        lambda f, m: rows(f, "work")[0].update(id=7), "not numbered"),
    "a row that is not there": (
        lambda f, m: rows(f, "answer")[0].update(run=99), "answer.jsonl, line 1, run"),
    "a row before all others": (
        lambda f, m: rows(f, "work")[0].update(component=0), "component"),
    "a row that is named by a text": (
        lambda f, m: rows(f, "finding")[0].update(record="1"), "no such row"),
    "twice the same row": (
        lambda f, m: rows(f, "tag").append(rows(f, "tag")[0]), "tag.jsonl, line 3"),
    "a text for a number": (lambda f, m: rows(f, "run")[0].update(number="x"), "run.jsonl, line 1"),
    "a list for a text": (lambda f, m: rows(f, "run")[0].update(tool=["x"]), "run.jsonl, line 1"),
    "a kind that is not known": (
        lambda f, m: rows(f, "project")[0].update(kind="secret"), "project.jsonl, line 1"),
    "a verdict that is not known": (
        lambda f, m: rows(f, "decision")[1].update(verdict="great"), "decision.jsonl, line 2"),
    "a status that is not known": (
        lambda f, m: rows(f, "answer")[0].update(status="great"), "no such status"),
    "a name that cannot be one": (
        lambda f, m: rows(f, "project")[0].update(name="../up"), "cannot be a name"),
    "a strategy whose name cannot be one": (
        lambda f, m: rows(f, "strategy")[1].update(name="a\nb"), "strategy.jsonl, line 2"),
    "a title that is too long": (
        lambda f, m: rows(f, "project")[0].update(title="x" * 501), "project.jsonl, line 1, title"),
    "a tag that is too long": (
        lambda f, m: rows(f, "tag")[0].update(text="x" * 200_000), "tag.jsonl, line 1"),
    "a uid that is none": (
        lambda f, m: rows(f, "work")[0].update(uid="<script>"), "uid"),
    "a vote of somebody who can be none": (
        lambda f, m: rows(f, "decision")[0].update(by="<script>"), "the uid of no user"),
    "a screener who can be none": (
        lambda f, m: rows(f, "screener")[0].update(by="x" * 99), "the uid of no user"),
    "a screener who is nobody": (
        lambda f, m: rows(f, "screener")[0].update(by=""), "screener.jsonl, line 1"),
    "a team of thousands": (
        lambda f, m: rows(f, "screening")[0].update(needed=5_000), "screening.jsonl, line 1"),
    "a resolution of votes that are none": (
        lambda f, m: rows(f, "resolution")[0].update(votes='[["a", 1]]'), "resolution.jsonl"),
    "a check that says nothing of who was asked": (
        lambda f, m: rows(f, "work_check")[0].update(asked='[{"source": "a"}]'), "work_check"),
    "a check with a verdict that is none": (
        lambda f, m: rows(f, "work_check")[0].update(verdict="invented"), "work_check"),
    "a line of the log of an action that is not known": (
        lambda f, m: rows(f, "change")[0].update(action="rm"), "change.jsonl, line 1"),
    "a line about a thing that is not known": (
        lambda f, m: rows(f, "change")[0].update(object="user:1"), "change.jsonl, line 1"),
    "a line about a thing of another kind": (
        lambda f, m: rows(f, "change")[0].update(object="step:1/1"), "change.jsonl, line 1"),
    "a line about a strategy that is not there": (
        lambda f, m: rows(f, "change")[1].update(object="strategy:3"), "line 2, object"),
    "a line about a step that is not there": (
        lambda f, m: rows(f, "change")[2].update(object="step:2/1"), "line 3, object"),
    "a line that undoes a later one": (
        lambda f, m: rows(f, "change")[0].update(undoes=2), "line 1, undoes"),
    "a line that undoes one of another project": (
        lambda f, m: rows(f, "change")[0].update(undoes=99), "no such row"),
    "a step of another strategy": (
        lambda f, m: rows(f, "step")[1].update(strategy=2), "a step of another strategy"),
    "two strategies of a number": (
        lambda f, m: rows(f, "strategy")[1].update(number=1), "strategy.jsonl"),
    "a strategy of an odd number": (
        lambda f, m: rows(f, "strategy")[1].update(number=-1), "strategy.jsonl, line 2"),
    "users": (lambda f, m: f.update({"tables/member.jsonl": []}), "member"),
    "a moment that is none": (
        lambda f, m: rows(f, "run")[0].update(started="yesterday"), "moment"),
    "details that are no JSON": (
        lambda f, m: rows(f, "project")[0].update(details="{"), "no JSON"),
    "details that are a list": (
        lambda f, m: rows(f, "step")[0].update(details="[]"), "other JSON"),
    "another source with other details": (
        lambda f, m: rows(f, "other_source")[0].update(details='{"x": 1}'), "cannot be read"),
    "a record of another digest": (
        lambda f, m: rows(f, "record")[0].update(body="{}"), "digest"),
    "a record that is none": (
        lambda f, m: rows(f, "record")[0].update(
            body="[]", digest=hashlib.sha256(b"[]").hexdigest()), "record.jsonl, line 1"),
    "a work that is none": (
        lambda f, m: rows(f, "work_body")[0].update(hit='{"shape": 1}'), "work_body.jsonl, line 1"),
    "bytes that are no base64": (
        lambda f, m: rows(f, "work_body")[0].update(hit={"base64": "!"}), "base64"),
    "a frozen report that was changed": (
        lambda f, m: rows(f, "report")[0].update(document='{"a":1}'), "report.jsonl, line 1"),
    "a report with other numbers": (
        lambda f, m: rows(f, "report")[0].update(data='{"title": "a"}'), "The numbers of report 1"),
    "a report that is none": (
        lambda f, m: rows(f, "report")[0].update(
            document="{}", digest=hashlib.sha256(b"{}").hexdigest()), "report"),
    "pages outside the archive": (
        lambda f, m: rows(f, "run")[0].update(recorded="/home/ada"), "its pages"),
    "a line that is no object": (
        lambda f, m: rows(f, "tag").append([]), "tag.jsonl, line 3: it is no JSON object"),
    "another format": (lambda f, m: m.update(format="x"), "manifest.json"),
    "no version": (lambda f, m: m.update(version=None), "names no version"),
    "a newer layout": (lambda f, m: m.update(version=2), "versions up to"),
    "newer tables": (lambda f, m: m.update(tables=99), "versions up to"),
    "members that are no list": (lambda f, m: m.update(members=7), "lists no members"),
    "members that are not there": (lambda f, m: m.update(members=[]), "only in the manifest"),
    "a member that is not described": (lambda f, m: m.update(members=[{}]), "not described"),
}  # fmt: skip


@each("name", CHANGES)
def test_what_metasearch_does_not_write_is_refused(name: str, changed, refused):
    """The error names the member, the line or the column, and nothing is imported."""
    change, expected = CHANGES[name]

    assert expected in str(refused(changed(change)))


def packed(path: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_zip_files_that_are_no_archives_are_refused(tmp_path: Path, refused):
    """No zip file, an empty one, one with a name twice, and one that is small only while it is
    packed."""
    text = tmp_path / "text"
    text.write_text("Dear diary")
    assert "no zip file" in str(refused(text))
    assert "cannot be read" in str(refused(tmp_path / "not-there"))
    assert "cannot be read" in str(refused(tmp_path))
    assert "manifest.json: it is not there" in str(refused(packed(tmp_path / "empty")))
    twice = packed(tmp_path / "twice", ("manifest.json", b"{}"), ("manifest.json", b"{}"))
    assert "twice" in str(refused(twice))
    bomb = packed(tmp_path / "bomb", ("tables/tag.jsonl", bytes(20_000_000)))
    assert "times as large" in str(refused(bomb))
    deep = packed(tmp_path / "deep", ("manifest.json", b"[" * 100_000))
    assert "no JSON" in str(refused(deep))


@pytest.mark.parametrize(
    ("bound", "value", "expected"),
    [
        ("MOST_MEMBERS", 5, "more than 5 members"),
        ("MOST_BYTES", 1_000, "larger than 1000 bytes"),
        ("MOST_PACKED", 1_000, "larger than 1000 bytes"),
        ("MOST_MANIFEST", 100, "larger than 100 bytes"),
        ("MOST_LINE", 50, "line 1: it is longer than 50 bytes"),
        ("MOST_ROWS", 20, "more than 20 rows"),
    ],
)
def test_sizes_are_bounded(
    whole: Path, refused, monkeypatch: pytest.MonkeyPatch, bound: str, value: int, expected: str
):
    """An archive that is larger than any project is refused."""
    monkeypatch.setattr(archive_checks, bound, value)

    assert expected in str(refused(whole))


def test_a_member_that_was_changed_is_refused(whole: Path, tmp_path: Path, refused):
    """Another text with the same length is told by its digest."""
    with zipfile.ZipFile(whole) as archive:
        found = [(name, archive.read(name)) for name in archive.namelist()]
    path = packed(
        tmp_path / "changed.zip",
        *((name, content.replace(b"read it", b"burn it")) for name, content in found),
    )

    assert "tables/note.jsonl: it is not what the manifest says" in str(refused(path))


@pytest.mark.slow
def test_damaged_bytes_never_lead_to_anything_but_a_refusal(whole: Path, tmp_path: Path):
    """With bytes changed at random it is refused, or, where these mean nothing, imported."""
    dice = random.Random(19)
    content = whole.read_bytes()
    path = tmp_path / "damaged.zip"
    outcomes = set()
    with Database(tmp_path / "w.sqlite3") as db:
        for _ in range(300):
            damaged = bytearray(content)
            for _ in range(dice.randrange(1, 4)):
                damaged[dice.randrange(len(damaged))] = dice.randrange(256)
            if dice.random() < 0.1:
                damaged = damaged[: dice.randrange(len(damaged))]
            path.write_bytes(damaged)
            before = len(projects.every(db))
            try:
                import_project(db, path)
            except UsageError:
                outcomes.add("refused")
                assert len(projects.every(db)) == before
        assert check(db) == []
    assert "refused" in outcomes
