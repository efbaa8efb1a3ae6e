"""Memory goes into records and not into bytes: what a file may hold is bounded, and read step by
step."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from metasearch.errors import FileFormatError
from metasearch.formats import bibtex, iso2709, own
from metasearch.formats import csv as csv_rows
from metasearch.formats import csv as csv_table
from metasearch.formats.reading import encodings, read_bytes, read_file, read_pipe
from metasearch.formats.reading import (
    items as json_items,
)
from metasearch.formats.reading import (
    items as xml_slices,
)
from metasearch.formats.reading import result as collector
from metasearch.formats.reading import result as reading
from metasearch.formats.reading.encodings import FileEncoding, FileText, cut, decode
from metasearch.formats.reading.files import BLOCK, Content
from metasearch.formats.reading.items import Slices
from tests.cases import each
from tests.formats.reading.samples import RIS, told
from tests.growth import MOST, growth

#: Bytes to which each hostile file unpacks.
LARGE = 80
MEGA = 1 << 20
#: Of memory, in MB, that reading one may cost.
MEMORY = 60

#: Reads each file in a process of its own, which has loaded everything already; a line each:
#: entries (or "refused"), lost records, megabytes.
MEASURE = """
import os, resource, sys
from pathlib import Path
from metasearch.errors import FileFormatError
from metasearch.formats.reading import read_bytes, read_file
SMALL = {"ris": b"TY  - A\\nER  - ", "endnote-xml": b"<record></record>", "csv": b"Title\\na"}
for form, data in SMALL.items():
    read_bytes(data, "a", format=form)
for path, form in zip(sys.argv[1::2], sys.argv[2::2]):
    if os.fork():
        os.wait()
        continue
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        found = read_file(Path(path), format=form)
        told = f"{len(found.entries)} {found.lost}"
    except FileFormatError as exc:
        told = "refused 0"
    print(told, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, flush=True)
    os._exit(0)
"""

#: Format, what stands before and behind a long run of one piece, the piece; entries and lost
#: records.
HOSTILE: dict[str, tuple[str, bytes, bytes, bytes, tuple[str, str]]] = {
    "blanks": ("ris", b"", b" " * MEGA, b"\nTY  - JOUR\nTI  - a\nER  - \n", ("1", "0")),
    "ends of lines": ("ris", b"", b"\n" * MEGA, b"TY  - JOUR\nTI  - a\nER  - \n", ("1", "0")),
    "a line of RIS": ("ris", b"TY  - JOUR\nTI  - a\nAB  - ", b"a" * MEGA, b"\nER  - \n", ("1",
    "0")),
    "stray lines": ("ris", b"TY  - JOUR\nTI  - a\nER  - \n",
    (b"stray " * 20 + b"\n") * (MEGA // 121), b"", ("1", "0")),
    "a line of CSV": ("csv", b"Title,Year\na,2000\n", b"a" * MEGA, b"\nb,2001\n", ("2", "1")),
    "a node of text": (
        "endnote-xml", b"<xml><records><record><titles><title>", b"a" * MEGA,
        b"</title></titles></record><record><titles><title>b</title></titles></record></records></xml>",
        ("1", "1"),
    ),
    "comments": (
        "endnote-xml", b"<xml><records><record>", (b"<!--" + b"x" * 249 + b"-->") * (MEGA // 256),
        b"</record><record><titles><title>b</title></titles></record></records></xml>", ("1", "1"),
    ),
    "an attribute": (
        "endnote-xml", b'<xml><records><record a="', b"a" * MEGA,
        b'"></record><record><titles><title>b</title></titles></record></records></xml>', ("1",
        "1"),
    ),
    "a record of MARC": ("marc", b"00024nam a2200025 a 4500", b"a" * MEGA, b"\x1d", ("0", "1")),
    "a document of JSON": ("csl-json", b'[{"title": "', b"a" * 6 * MEGA, b'"}]', ("refused", "0")),
}  # fmt: skip


def packed(before: bytes, piece: bytes, behind: bytes) -> bytes:
    """A gzipped file of many members, which is made at once."""
    return gzip.compress(before) + gzip.compress(piece, 1) * LARGE + gzip.compress(behind)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux does")
def test_memory_is_not_that_of_the_file(tmp_path: Path) -> None:
    """A gzipped file of some hundred KB that unpacks to 80 MB costs no more than what a record may
    hold."""
    arguments = []
    for number, (form, before, piece, behind, _) in enumerate(HOSTILE.values()):
        path = tmp_path / f"{number}.gz"
        path.write_bytes(packed(before, piece, behind))
        arguments += [str(path), form]

    lines = subprocess.run(
        [sys.executable, "-c", MEASURE, *arguments], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    done = {kind: line.split() for kind, line in zip(HOSTILE, lines, strict=True)}
    assert {kind: tuple(words[:2]) for kind, words in done.items()} == {
        kind: expected for kind, (*_, expected) in HOSTILE.items()
    }
    assert {kind: words[2] for kind, words in done.items() if int(words[2]) >= MEMORY} == {}


def test_what_is_too_large_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bomb is unpacked up to the bound, block by block, and no record is made of it."""
    made: list[object] = []
    monkeypatch.setattr("metasearch.formats.reading.MOST_BYTES", 5 * BLOCK)
    monkeypatch.setattr("metasearch.formats.ris._draft", made.append)

    with pytest.raises(FileFormatError, match="larger than 1,310,720 bytes"):
        read_bytes(packed(RIS.encode(), b" " * MEGA, b""), "a.ris.gz")
    assert not made


@each("level", [0, 1, 9])
def test_blocks_are_small_whatever_is_packed(level: int) -> None:
    """Also where one packed byte stands for a thousand."""
    data = RIS.encode() + b"\0" * 3 * MEGA + bytes(range(256)) * 1_000
    content = Content(
        io.BytesIO(gzip.compress(data, level) + gzip.compress(b"end")), "a", 10 * MEGA
    )

    for _ in range(2):
        blocks = list(content.blocks())
        assert max(map(len, blocks)) <= BLOCK
        assert b"".join(blocks) == data + b"end"
    assert (content.size, content.problem) == (len(data) + 3, None)


@each(
    ("data", "words"),
    [
        (b"BZh91AY&SY" + b"\0" * 50, "packed with bzip2"),
        (b"\xfd7zXZ\x00" + b"\0" * 50, "packed with xz"),
        (b"\x28\xb5\x2f\xfd" + b"\0" * 50, "packed with Zstandard"),
        (gzip.compress(gzip.compress(RIS.encode())), "gzipped twice"),
    ],
)
def test_other_packings_are_refused_by_name(data: bytes, words: str) -> None:
    """Whatever the file is called."""
    with pytest.raises(FileFormatError, match=words) as raised:
        read_bytes(data, "a.ris")
    assert "gzip" in raised.value.advice


def test_a_pipe_is_read_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit into memory waits in a temporary file, and what is too large is refused as
    it comes."""
    monkeypatch.setattr("metasearch.formats.reading.files.IN_MEMORY", 1_000)
    data = RIS.encode() * 200

    assert read_pipe(io.BytesIO(data), "a.ris").records == read_bytes(data, "a.ris").records
    monkeypatch.setattr("metasearch.formats.reading.MOST_BYTES", 10_000)
    with pytest.raises(FileFormatError, match="larger than 10,000 bytes"):
        read_pipe(io.BytesIO(data), "a.ris")


def test_a_file_holds_so_many_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """More are refused, and the message names the bound."""
    monkeypatch.setattr(collector, "MOST_RECORDS", 50)
    path = tmp_path / "a.ris"
    path.write_text("TY  - JOUR\nTI  - a\nER  - \n" * 50)
    assert len(read_file(path).entries) == 50
    path.write_text("TY  - JOUR\nTI  - a\nER  - \n" * 51)
    with pytest.raises(FileFormatError, match="holds more than 50 records"):
        read_file(path)


def test_so_many_problems_are_listed_and_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of lost records is right whatever is listed."""
    monkeypatch.setattr(reading, "MOST_PROBLEMS", 10)
    found = read_bytes(b'{"source": "a", "title": "b"}\n' + b"no\n" * 100, "a.ndjson")

    assert (len(found.entries), found.lost, len(found.problems)) == (1, 100, 11)
    assert told(found)[-1] == (0, "90 more problems were found, which are not listed")


@pytest.mark.parametrize("form", ["csl-json", "bibtex"])
def test_what_is_held_as_a_whole_is_bounded(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON and BibTeX, of which one part explains another."""
    monkeypatch.setattr(encodings, "MOST_WHOLE", 1_000)

    with pytest.raises(FileFormatError, match="more than 1,000 characters"):
        read_bytes(b" " * 1_000 + b"[]", "a", format=form)


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("csl-json", b'[{"title": "%b"}, {"title": "b"}]'),
        ("ndjson", b'{"source": "s", "title": "%b"}\n{"source": "s", "title": "b"}'),
        ("bibtex", b"@book{a, title = {%b}}\n@book{b, title = {b}}"),
        ("endnote-xml",
        b"".join(b"<record><titles><title>%b</title></titles></record>" % it for it in (b"%b",
        b"b"))),
        ("csv", b"Title,Year\n%b,2000\nb,2001\n"),
        ("marc", b"".join(b"00024nam a2200025 a "
                          b"4500245000300000\x1e00\x1fa%b\x1e\x1d" % it for it in (b"%b", b"b"))),
    ],
)  # fmt: skip
def test_a_record_that_is_too_large_costs_itself(
    form: str, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told with the bound; the one behind it is read."""
    for module, bound in (
        (bibtex, "LARGEST"),
        (iso2709, "LARGEST"),
        (json_items, "LARGEST_ITEM"),
        (xml_slices, "LARGEST_RECORD"),
    ):
        monkeypatch.setattr(module, bound, 10_000)
    for module in (csv_table, own):
        monkeypatch.setattr(module, "LONGEST_LINE", 10_000)

    found = read_bytes(data % (b"a" * 50_000), "a", format=form)

    assert ([record.title for record in found.records], found.lost) == (["b"], 1)
    assert any("more than" in it.message or "larger than" in it.message for it in found.problems)


# --------------------------------------------------------------------------- pieces


@each("size", [1, 2, 3, 7, 1_000])
@each("encoding", ["utf-8-sig", "gb18030", "utf-16", "utf-16-le"])
def test_text_in_pieces_is_the_text(size: int, encoding: str) -> None:
    """Characters, ends of lines and marks at the end may be cut anywhere."""
    whole = (
        "{Title}: 水生植物群落构建对入湖河流污染物的净化效应\r\n\r{Author}: "
        "张三；李四\n\n\x1a x\x1a\x1a"
    )
    data = whole.encode(encoding)

    def blocks() -> list[bytes]:
        return [data[at : at + size] for at in range(0, len(data), size)]

    found = FileText(blocks, "a", FileEncoding(decode(data, "a").encoding, legal=True, notes=[]))
    assert "".join(found.pieces()) == whole.rstrip("\x1a") == found.whole() == found.head(1_000)
    lines = whole.rstrip("\x1a").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert list(found.lines(1_000)) == lines
    assert list(found.lines(4)) == [line[:5] for line in lines]
    assert "".join(found.stretches(1_000)) == "\n".join(lines)


def test_empty_lines_are_told_once() -> None:
    """With the number of the first; every other line keeps its own."""
    whole = "\n\n\n\n\na\n\nb\n\n\n\n\n\n\n\nccc\n\n\n\n\n"
    for size in (1, 2, 3, 100):
        blocks = [whole[at : at + size].encode() for at in range(0, len(whole), size)]
        found = FileEncoding("utf-8", legal=True, notes=[])
        text = FileText(lambda: blocks, "a", found)  # noqa: B023 - read before the next turn
        numbered = dict(text.lines_with_numbers(2))
        assert {number: line for number, line in numbered.items() if line} == {
            6: "a",
            8: "b",
            16: "ccc",
        }
    assert list(FileText.plain(whole).lines_with_numbers(9)) == [
        (1, ""), (6, "a"), (7, ""), (8, "b"), (9, ""), (16, "ccc"), (17, "")
    ]  # fmt: skip
    assert list(cut(["a", "b\n", "\nc"], 9)) == ["ab", "", "c"]


RECORDS = (
    "<?xml version='1.0'?>\n<records>\n<record a='1'>a</record><record />\n<!-- "
    "<record>no</record> -->"
    "<record><![CDATA[</record>]]></record>\n</record><record>\nx<record>b</record>"
)


@pytest.mark.parametrize("size", [1, 2, 5, 30, 10_000])
def test_xml_in_pieces_is_cut_as_the_whole_is(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the pieces end, also inside of tags and comments."""
    monkeypatch.setattr(xml_slices, "LONGEST_TAG", 40)
    pieces = [RECORDS[at : at + size] for at in range(0, len(RECORDS), size)]
    slices = Slices(pieces, r"<record(?:\s[^<>]*)?>")
    found = [(it.line, it.text or it.flaw) for it in slices]

    assert found == [
        (3, "<record a='1'>a</record>"),
        (3, "<record />"),
        (4, "<record><![CDATA[</record>]]></record>"),
        (5, "a record ends here that does not begin; it was left out"),
        (5, "the record does not end before the next one begins; it was left out"),
        (6, "<record>b</record>"),
    ]
    assert (slices.line, slices.tail) == (6, RECORDS[-1_000:])


# --------------------------------------------------------------------------- time


def many_open_quotes(size: int) -> bytes:
    """Each of the rows would swallow all that follow, up to what a cell may hold."""
    return b"Title,Year\n" + b'"a""\n' * (size // 6)


TIMED: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "open quotes": ("csv", many_open_quotes),
    "records that begin": ("endnote-xml", lambda n: b"<records>" + b"<record>" * (n // 8)),
    "blanks before a tag": ("marcxml", lambda n: b"<record>" + b" " * n + b"<record>" + b" " * n),
    "tags without end": ("marcxml", lambda n: b"<record " * (n // 8)),
    "comments without end": ("endnote-xml", lambda n: b"<record>" + b"<!--" * (n // 4)),
    "members of gzip": ("ris", lambda n: gzip.compress(b"a\n") * (n // 22)),
    "one byte in each encoding": ("ris", lambda n: "TI  - ü\n".encode("cp1252") * (n // 8)),
    "carriage returns": ("ris", lambda n: b"\r" * n + b"\r\n" * (n // 2)),
    "ends of records": ("marc", lambda n: b"\x1d\x00" * (n // 2)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", TIMED)
def test_a_file_is_read_in_linear_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it repeats."""
    form, make = TIMED[kind]

    def reading(size: int) -> Callable[[], object]:
        data = make(size)

        def run() -> None:
            # A cell may grow with the file.
            monkeypatch.setattr(csv_rows, "LONGEST_CELL", size // 4)
            read_bytes(data, "a", format=form)

        return run

    assert growth(reading, 20_000) <= MOST
