"""Reading a file: unpacking, detection, and what is told."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from metasearch.errors import FileFormatError
from metasearch.formats import reading as files
from metasearch.formats.reading import read_bytes, read_file
from tests.cases import each
from tests.formats.reading.samples import RIS, told

TITLES = ["Iron in lakes", "A book of mud"]


def titles(reading: files.FileReading) -> list[str]:
    return [record.title for record in reading.records]


def test_a_file(tmp_path: Path) -> None:
    """Format and encoding are found; the name of the file is the source of its records."""
    path = tmp_path / "search.ris"
    path.write_text(RIS, encoding="utf-8")
    reading = read_file(path)

    assert (reading.name, reading.format, reading.encoding, reading.lost) == (
        "search.ris",
        "ris",
        "utf-8",
        0,
    )
    assert titles(reading) == TITLES
    assert [record.key for record in reading.records] == ["search.ris:@1", "search.ris:@2"]
    assert read_file(path, name="other").records[0].source == "other"


def test_a_gzipped_file(tmp_path: Path) -> None:
    """Whatever its name, of one member or several."""
    path = tmp_path / "search.gz"
    half = len(RIS) // 2
    path.write_bytes(
        gzip.compress(RIS[:half].encode()) + gzip.compress(RIS[half:].encode()) + b"\0\0"
    )

    assert titles(read_file(path)) == TITLES


def test_a_gzipped_file_that_breaks_off() -> None:
    """What can be unpacked is read, and the damage is told."""
    packed = gzip.compress(RIS.encode() * 400)
    cut = read_bytes(packed[: len(packed) * 2 // 3], "a.ris.gz")
    bad = read_bytes(
        packed[: len(packed) // 2] + b"\xff" * 200 + packed[len(packed) // 2 :], "a.ris.gz"
    )

    for reading in (cut, bad):
        assert len(reading.entries) > 100
        assert "damaged or breaks off" in reading.problems[0].message


def test_a_gzipped_file_of_which_nothing_can_be_unpacked() -> None:
    with pytest.raises(FileFormatError, match="cannot be unpacked"):
        read_bytes(b"\x1f\x8b\x08" + b"\xff" * 20, "a.ris.gz")


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacking stops at the cap."""
    monkeypatch.setattr(files, "MOST_BYTES", 1_000_000)

    with pytest.raises(FileFormatError, match="larger than 1,000,000 bytes"):
        read_bytes(gzip.compress(b"a" * 50_000_000), "a.ris.gz")


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    path = tmp_path / "a.ris"
    path.write_text(RIS)

    with pytest.raises(FileFormatError, match="larger than 10 bytes") as caught:
        read_file(path)
    assert caught.value.file == "a.ris"


@each(
    ("data", "message"),
    [(b"", "the file is empty"), (b"\xef\xbb\xbf\r\n \x1a", "the file holds nothing but blanks")],
)
def test_an_empty_file_is_told(data: bytes, message: str) -> None:
    """It is no error: a search may have found nothing."""
    for name in ("a.ris", "a"):
        reading = read_bytes(data, name)
        assert (reading.entries, told(reading)) == ([], [(0, message)])


def test_a_file_without_records_is_told() -> None:
    reading = read_bytes(b"No results were found.\n", "a.ris")

    assert reading.entries == []
    assert told(reading)[0] == (0, "no record was found in it, read as ris")


def test_what_the_user_says_is_done() -> None:
    """A format and an encoding that are named are not questioned."""
    reading = read_bytes(
        "TY  - JOUR\nTI  - 題名\nER  - ".encode("big5"), "a.bib", format="ris", encoding="big5"
    )

    assert titles(reading) == ["題名"]
    assert (reading.format, reading.encoding) == ("ris", "big5")


def test_names_that_do_not_exist(tmp_path: Path) -> None:
    """A file, a format, an encoding, a format that cannot be detected."""
    with pytest.raises(
        FileFormatError, match=r"none\.ris: the file cannot be opened: No such file"
    ):
        read_file(tmp_path / "none.ris")
    for odd in (tmp_path, tmp_path / "a\0b"):
        with pytest.raises(FileFormatError, match="cannot be opened"):
            read_file(odd)
    with pytest.raises(FileFormatError, match="there is no format 'word'") as caught:
        read_bytes(b"a", "a.ris", format="word")
    assert "endnote-xml" in caught.value.advice
    with pytest.raises(FileFormatError, match="there is no encoding 'word'"):
        read_bytes(b"a", "a.ris", encoding="word")


def test_problems_stand_in_the_order_of_the_file() -> None:
    reading = read_bytes(b"TY  - JOUR\nTI  - a\nTY  - JOUR\nDO  - x\nTI  - b\xff\nER  - ", "a.ris")

    assert [problem.line for problem in reading.problems] == sorted(
        problem.line for problem in reading.problems
    )


@pytest.mark.slow
def test_importing_the_package_loads_no_format() -> None:
    """Nor what formats need: tagged text is detected and read without it."""
    script = (
        "import sys, metasearch.formats.reading as f; before = set(sys.modules); "
        "f.read_bytes(b'TY  - JOUR\\nTI  - a\\nER  - ', 'a'); print(*before, '|', *sys.modules)"
    )
    out = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    before, after = (set(part.split()) for part in out.split("|"))

    assert (
        not {
            "metasearch.formats.ris",
            "metasearch.formats.reading.tagged",
            "lxml",
            "pymarc",
            "bibtexparser",
        }
        & before
    )
    assert not {"metasearch.formats.marc", "pymarc", "bibtexparser", "aiohttp", "asyncio"} & after
