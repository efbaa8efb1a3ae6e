"""Files of records in a collection: read once, read again when they have changed, and forgotten
when they are gone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import orjson
import pytest

from metasearch.collections.index import IndexReport, index, roots_of
from metasearch.collections.search import PageOrder, facts, search
from metasearch.collections.store import Collection
from metasearch.errors import UsageError

RIS = "TY  - JOUR\nID  - {id}\nTI  - {title}\nAU  - Doe, Jane\nPY  - 2020\nER  - \n"
BIB = "@article{{{id}, title={{{title}}}, author={{Doe, Jane}}, year={{2021}}}}\n"


def ris(*titles: str) -> str:
    return "".join(
        RIS.format(id=f"id{number}", title=title) for number, title in enumerate(titles, 1)
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "refs"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.ris").write_text(ris("One", "Two"))
    (folder / "sub" / "b.bib").write_text(BIB.format(id="k", title="Three"))
    (folder / "c.csv").write_text("Title,Authors,Year\nFour,Doe Jane,2019\n")
    return folder


def run(tmp_path: Path, *named: Path) -> IndexReport:
    with Collection.open(tmp_path / "own", "refs", "files") as collection:
        return index(named, collection)


def found(tmp_path: Path) -> dict[str, str]:
    """Titles by key."""
    answer = orjson.loads(search(tmp_path / "own" / "refs.sqlite", PageOrder(size=1000)))
    return {it["source_id"]: it["title"] for it in answer["records"]}


def test_every_record_of_every_file(tmp_path: Path, files: Path) -> None:
    """Any mix of formats; a record is called after its file and its own identifier."""
    done = run(tmp_path, files)

    assert (done.records, done.unread_records, len(done.read), done.unchanged) == (4, 0, 3, 0)
    assert found(tmp_path) == {
        "a.ris:id1": "One",
        "a.ris:id2": "Two",
        "sub/b.bib:k": "Three",
        "c.csv:@1": "Four",
    }


def test_unchanged_files_are_not_opened(tmp_path: Path, files: Path) -> None:
    """Size and time of change are enough; a file that only looks changed is not read again."""
    run(tmp_path, files)
    os.utime(files / "c.csv", (1, 1))
    (files / "a.ris").chmod(0)  # it could not be opened, unless by root
    before = (files / "a.ris").stat()

    done = run(tmp_path, files)

    assert (files / "a.ris").stat().st_atime_ns == before.st_atime_ns
    assert (done.read, done.unchanged) == ([], 3)


def test_changed_files_are_read_again(tmp_path: Path, files: Path) -> None:
    """New records come, changed ones change, and what is no longer in the file goes."""
    run(tmp_path, files)
    (files / "a.ris").write_text(ris("One", "Two, changed", "Five"))
    (files / "c.csv").write_text("Title,Authors,Year\n")

    done = run(tmp_path, files)

    assert (len(done.read), done.unchanged) == (2, 1)
    assert sorted(found(tmp_path).values()) == ["Five", "One", "Three", "Two, changed"]


def test_vanished_files_take_their_records_with_them(tmp_path: Path, files: Path) -> None:
    run(tmp_path, files)
    (files / "a.ris").unlink()

    done = run(tmp_path, files)

    assert (done.gone, done.removed) == (1, 2)
    assert sorted(found(tmp_path).values()) == ["Four", "Three"]


def test_a_folder_that_is_empty_now_empties_the_collection(tmp_path: Path, files: Path) -> None:
    """But one that never held anything is a mistake."""
    run(tmp_path, files / "sub")
    (files / "sub" / "b.bib").unlink()

    assert run(tmp_path, files / "sub").gone == 1
    (tmp_path / "nothing").mkdir()
    with pytest.raises(UsageError):
        run(tmp_path, tmp_path / "nothing")


def test_what_was_named_is_remembered(tmp_path: Path, files: Path) -> None:
    """Without names everything is looked through again; a folder that was named before stays."""
    run(tmp_path, files / "sub")
    run(tmp_path, files / "a.ris")
    assert len(found(tmp_path)) == 3
    (files / "sub" / "d.ris").write_text(ris("Six"))

    done = run(tmp_path)

    assert done.unchanged == 2
    assert "Six" in found(tmp_path).values()
    with Collection.open(tmp_path / "own", "refs", "files") as collection:
        assert roots_of(collection) == [files / "sub", files / "a.ris"]


def test_a_folder_that_is_gone(tmp_path: Path, files: Path) -> None:
    """Its records go when everything is looked through."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.ris").write_text(ris("Elsewhere"))
    run(tmp_path, files, other)
    (other / "x.ris").unlink()
    other.rmdir()

    assert run(tmp_path).gone == 1
    assert "Elsewhere" not in found(tmp_path).values()


def test_nothing_named_and_nothing_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="this collection has no files yet"):
        run(tmp_path)


def test_two_files_of_one_name(tmp_path: Path, files: Path) -> None:
    """Each record keeps a key of its own."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.ris").write_text(ris("Another one"))

    run(tmp_path, files, other)

    assert found(tmp_path)["a.ris:id1+"] == "Another one"
    assert len(found(tmp_path)) == 5


def test_what_cannot_be_read_is_counted_and_told(tmp_path: Path, files: Path) -> None:
    """A broken record costs no other one, a broken file no other file."""
    (files / "bad.ris").write_text(ris("Good") + "TY  - JOUR\nER  - \n")
    (files / "worse.ris.gz").write_bytes(b"\x1f\x8b\x08 no gzip")

    done = run(tmp_path, files)

    assert done.unreadable_files == 1
    assert done.unread_records == 1
    bad = next(file for file in done.read if file.name == "bad.ris")
    assert (bad.records, bad.lost) == (1, 1)
    assert [problem.line for problem in bad.problems if problem.lost] == [7]
    assert len(found(tmp_path)) == 5
    assert facts(tmp_path / "own" / "refs.sqlite", "refs").lost == 1


def test_a_file_that_breaks_keeps_its_old_records(tmp_path: Path, files: Path) -> None:
    """What cannot be read just now is no reason to forget; it is read when it is whole again."""
    run(tmp_path, files)
    (files / "a.ris").write_bytes(b"\x1f\x8b\x08 no gzip")

    done = run(tmp_path, files)

    assert done.unreadable_files == 1
    assert "One" in found(tmp_path).values()
    (files / "a.ris").write_text(ris("Whole again"))
    run(tmp_path, files)
    assert "One" not in found(tmp_path).values()


def test_progress(tmp_path: Path, files: Path) -> None:
    told: list[tuple[int, int]] = []
    with Collection.open(tmp_path / "own", "refs", "files") as collection:
        index([files], collection, lambda done, of: told.append((done, of)))

    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems want names in Unicode")
def test_a_name_that_is_not_in_utf_8(tmp_path: Path) -> None:
    """A file of such a name is read like any other; a folder of such a name cannot be remembered,
    which is said."""
    folder = tmp_path / "refs"
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.ris")).write_text("TY  - JOUR\nTI  - One\nER  - \n")

    assert run(tmp_path, folder).records == 1
    assert run(tmp_path, folder).unchanged == 1

    odd = tmp_path / os.fsdecode(b"\xe9")
    odd.mkdir()
    with pytest.raises(UsageError, match="not in UTF-8"):
        run(tmp_path, odd)
