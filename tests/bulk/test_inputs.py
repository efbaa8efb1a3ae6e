"""What the user names -> files to be read, each under a name of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.formats.reading.files import NAMES_SHOWN, STDIN, gather


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """b.ris, a.bib, sub/c.ris.gz, and what no one reads."""
    (tmp_path / "sub").mkdir()
    for name in ("b.ris", "a.bib", "sub/c.ris.gz", "notes.docx", ".hidden.ris", "README"):
        (tmp_path / name).touch()
    return tmp_path


def names(*paths: Path) -> list[str]:
    return [it.name for it in gather(paths).files]


def test_files_stay_in_the_order_in_which_they_are_named(folder: Path) -> None:
    """A file that is named is read whatever it is called."""
    assert names(folder / "b.ris", folder / "notes.docx", folder / "a.bib") == [
        "b.ris",
        "notes.docx",
        "a.bib",
    ]


def test_a_folder_is_its_files_with_a_known_ending(folder: Path) -> None:
    """Sorted, those of folders below after its own, and what is left out is told."""
    found = gather([folder])

    assert [it.name for it in found.files] == ["a.bib", "b.ris", "c.ris.gz"]
    (note,) = found.notes
    assert note.endswith(
        "not read, because hidden or without a known ending: .hidden.ris, README, notes.docx"
    )


def test_long_lists_of_what_is_left_out_are_cut(tmp_path: Path) -> None:
    (tmp_path / "a.ris").touch()
    for number in range(NAMES_SHOWN + 3):
        (tmp_path / f"{number}.docx").touch()

    (note,) = gather([tmp_path]).notes

    assert note.endswith("4.docx and 3 more")


def test_two_files_of_one_name_are_called_by_their_paths(folder: Path) -> None:
    """Otherwise nobody could tell their records apart."""
    twin = folder / "sub" / "b.ris"
    twin.touch()

    assert names(folder / "b.ris", twin, folder / "a.bib") == [
        str(folder / "b.ris"),
        str(twin),
        "a.bib",
    ]


def test_a_file_that_is_named_twice_is_read_once(folder: Path) -> None:
    """Also by way of its folder or of a link; it would be counted twice otherwise."""
    (folder / "link.ris").symlink_to(folder / "b.ris")

    found = gather([folder / "b.ris", folder, folder / "link.ris", folder / "sub" / ".." / "b.ris"])

    assert [it.name for it in found.files].count("b.ris") == 1
    assert "link.ris" not in [it.name for it in found.files]
    assert sum("named more than once, and was read once" in note for note in found.notes) == 4


def test_standard_input(folder: Path) -> None:
    """It has a name that no file has."""
    (folder / "stdin").touch()

    assert names(STDIN) == ["stdin"]
    assert names(STDIN, STDIN, folder / "stdin") == ["/dev/stdin", str(folder / "stdin")]


def test_what_is_missing_is_told_at_once(folder: Path) -> None:
    """All of it, before anything is read."""
    with pytest.raises(UsageError, match=r"no such file: .*x\.ris, .*y\.ris"):
        gather([folder / "x.ris", folder / "b.ris", folder / "y.ris"])


def test_a_folder_without_anything_to_read(folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "empty" / "a.docx").touch()

    with pytest.raises(
        UsageError, match="empty: the folder holds no file with a known ending"
    ) as caught:
        gather([folder, folder / "empty"])
    assert ".ris" in caught.value.advice


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    """Whatever stands in it can be printed, and written as UTF-8."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff\x1b[31m\nb.ris"))
    path.touch()

    assert names(path) == ["a�[31m b.ris"]
