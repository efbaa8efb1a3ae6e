"""ISO 2709 as libraries exchange it: encodings, wrong lengths, damage; places are offsets in
bytes."""

from __future__ import annotations

import io
from pathlib import Path

import pymarc
import pytest

from metasearch.formats.iso2709 import looks_like
from metasearch.formats.reading import read_bytes
from metasearch.record import Author
from tests.cases import each
from tests.formats.marc.union import ALL, union
from tests.formats.reading.samples import told
from tests.formats.reading.structured import MARC, marc

FIRST = marc("1", "Eisen in Seen", "Müsterfrau, Erika", "2019")


def raw(fields: list[tuple[str, bytes]], leader: str = "00000nam  2200000 i 4500") -> bytes:
    """A record of these fields, its lengths right."""
    directory, body = b"", b""
    for tag, value in fields:
        value += b"\x1e"
        directory += f"{tag}{len(value):04d}{len(body):05d}".encode()
        body += value
    base = 24 + len(directory) + 1
    length = base + len(body) + 1
    return (
        f"{length:05d}{leader[5:12]}{base:05d}{leader[17:]}".encode()
        + directory
        + b"\x1e"
        + body
        + b"\x1d"
    )


def test_a_whole_file() -> None:
    """Two records with their offsets, and the encoding."""
    reading = read_bytes(MARC, "a.mrc")

    assert (reading.format, reading.encoding, reading.problems) == ("marc", "utf-8", [])
    assert [(it.line, it.record.title) for it in reading.entries] == [
        (0, "Eisen in Seen"),
        (len(FIRST), "A book of mud"),
    ]
    assert reading.records[0].authors == (Author("Erika Müsterfrau", "Müsterfrau", "Erika"),)
    assert (reading.records[0].year, reading.records[0].source_id) == (2019, "1")


@each(
    ("title", "leader", "encoding", "read"),
    [
        (b"\xe8Uber Gr\xe8o\xc7e", " ", "marc-8", "Über Größe"),
        (b"\x1b(N\x4d\x49\x52\x1b(B", " ", "marc-8", "мир"),
        ("Über Größe".encode(), " ", "utf-8", "Über Größe"),
        ("Über Größe".encode(), "a", "utf-8", "Über Größe"),
        (b"plain", " ", "ascii", "plain"),
        ("Über".encode("latin-1"), "a", "cp1252", "Über"),
    ],
)
def test_encodings_of_marc_21(title: bytes, leader: str, encoding: str, read: str) -> None:
    """MARC-8 unless the bytes are UTF-8 or the leader claims so; a claim that is wrong is told."""
    reading = read_bytes(
        raw([("245", b"10\x1fa" + title)], f"00000nam {leader}2200000 i 4500"),
        "a.mrc",
        format="marc",
    )

    assert [record.title for record in reading.records] == [read]
    assert reading.encoding == encoding
    assert bool(reading.problems) is (encoding == "cp1252")


@each(
    ("encoding", "title"),
    [("utf-8", "中国图书馆史研究"), ("gb18030", "中国图书馆史研究的理论与方法")],
)
def test_encodings_of_unimarc(encoding: str, title: str) -> None:
    """Chinese libraries write GB 18030 and do not say so."""
    data = raw(
        [
            ("200", b"1 \x1fa" + title.encode(encoding)),
            ("701", b" 0\x1fa" + "张三".encode(encoding)),
        ]
    )
    reading = read_bytes(data, "a.mrc", format="marc")

    assert [(record.title, record.authors[0].name) for record in reading.records] == [
        (title, "张三")
    ]
    assert reading.encoding == encoding


def test_lengths_that_are_all_wrong_are_told_and_do_not_matter() -> None:
    """As after a conversion from Latin-1 that did not count again."""
    data = raw(
        [
            ("100", b"1 \x1faM\xfcller, J\xf6rg"),
            ("245", b"10\x1fa\xdcber Seen"),
            ("260", b"  \x1fc1999"),
        ],
        "00000nam a2200000 i 4500",
    )
    converted = data.decode("latin-1").encode()
    reading = read_bytes(converted + FIRST, "a.mrc")

    assert [record.title for record in reading.records] == ["Über Seen", "Eisen in Seen"]
    assert (reading.records[0].authors[0].family, reading.records[0].year) == ("Müller", 1999)
    assert told(reading) == [
        (
            0,
            (
                f"the leader gives a length of {data[:5].decode()}, but the record has "
                f"{len(converted)} bytes"
            ),
        )
    ]


@each("between", [b"", b"\n", b"\r\n\x00 "])
def test_damage_costs_one_record(between: bytes) -> None:
    """The offset is told, and reading goes on behind the next end of a record."""
    data = between.join(
        [FIRST, b"garbage\x1d", FIRST[:40] + b"\x1d", marc("2", "B", "C, D", "2001")]
    )
    reading = read_bytes(data, "a.mrc")

    assert [record.title for record in reading.records] == ["Eisen in Seen", "B"]
    offsets = [len(FIRST) + len(between), len(FIRST) + 2 * len(between) + 8]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [
        (offset, 1) for offset in offsets
    ]


def test_a_file_that_breaks_off() -> None:
    """What was complete is kept."""
    reading = read_bytes(MARC[:-20], "a.mrc")

    assert [record.title for record in reading.records] == ["Eisen in Seen"]
    assert told(reading) == [
        (len(FIRST), "the file breaks off inside this record; it was left out")
    ]


def test_an_end_of_record_that_is_lost() -> None:
    """The leader behind it begins a record of its own."""
    for damaged in (MARC.replace(b"\x1d", b"", 1), MARC.replace(b"\x1d", b"x", 1)):
        assert [record.title for record in read_bytes(damaged, "a.mrc").records] == [
            "Eisen in Seen",
            "A book of mud",
        ]


def test_fields_in_another_order_than_the_directory() -> None:
    """The directory goes by tag, the fields by when they were added."""
    body = [b"10\x1faA title\x1e", b"1 \x1faDoe, Jane\x1e"]
    directory = f"100{len(body[1]):04d}{len(body[0]):05d}245{len(body[0]):04d}00000".encode()
    base = 24 + len(directory) + 1
    data = (
        f"{base + sum(map(len, body)) + 1:05d}nam a22{base:05d} i 4500".encode()
        + directory
        + b"\x1e"
        + b"".join(body)
        + b"\x1d"
    )
    record = read_bytes(data, "a.mrc").records[0]

    assert (record.title, record.authors[0].family) == ("A title", "Doe")


def test_odd_fields_cost_nothing() -> None:
    """Without indicators, without a code, with control characters; a directory that lists too
    little."""
    data = raw(
        [
            ("245", b"\x1faA\x0b title\x1f\x1fbsub"),
            ("100", b"1"),
            ("9XX", b"  \x1fax"),
            ("260", b"  \x1fc1999"),
        ],
        "00000nam a2200000 i 4500",
    )
    record = read_bytes(data, "a.mrc").records[0]
    assert (record.title, record.subtitle, record.year) == ("A title", "sub", 1999)

    cut = data[: 24 + 36] + data[24 + 48 :]  # one entry of the directory is gone
    reading = read_bytes(cut, "a.mrc", format="marc")
    assert len(reading.entries) + reading.lost == 1
    assert any(
        "the directory lists 3 fields, but the record has 4" in message
        for _, message in told(reading)
    )


def test_detection() -> None:
    """A leader and a directory."""
    assert looks_like(MARC.decode("latin-1"))
    assert not looks_like("00123 is a number")


@pytest.mark.shared
@pytest.mark.parametrize("count", [200, pytest.param(ALL, marks=pytest.mark.slow)])
def test_real_records_are_the_same_as_in_marcxml(shared: Path, count: int) -> None:
    """Records that pymarc writes in UTF-8 give what their MARCXML gives."""
    data = union(shared, count)
    records = pymarc.parse_xml_to_array(io.BytesIO(data))
    written = b"".join(record.as_marc() for record in records)
    reading = read_bytes(written, "union")

    assert (reading.format, len(reading.entries)) == ("marc", count)
    assert not reading.problems
    expected = read_bytes(data, "union").records
    assert [r.title for r in reading.records] == [r.title for r in expected]
    assert list(reading.records) == list(expected)
