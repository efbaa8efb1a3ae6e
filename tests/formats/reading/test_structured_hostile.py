"""Whatever a structured file holds, reading it raises nothing, loses nothing silently, and takes
linear time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metasearch.errors import FileFormatError
from metasearch.formats.reading import FileReading, read_bytes
from tests.cases import each
from tests.formats.reading.structured import SAMPLES, raw
from tests.growth import MOST, growth

FORMATS = sorted(SAMPLES)
GZIP = b"\x1f\x8b"


def found(reading: FileReading) -> int:
    """How many records a reading accounts for."""
    return len(reading.entries) + reading.lost


@each("name", FORMATS)
def test_samples_are_read_whole(name: str) -> None:
    """Format, number of records, their places, and nothing to complain about."""
    reading = read_bytes(raw(name), "a")

    assert (reading.format, reading.problems) == (name, [])
    assert (
        len(reading.entries)
        == SAMPLES[name].records
        == len(SAMPLES[name].begin.findall(SAMPLES[name].text))
    )
    assert all(
        entry.record.title and entry.record.authors and entry.record.year
        for entry in reading.entries
    )
    lines = [entry.line for entry in reading.entries]
    assert lines == sorted(set(lines)) or name == "marcxml"


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_a_file_that_breaks_off_keeps_what_was_complete(name: str, data: st.DataObject) -> None:
    """Records before the cut are as they were, and what is cut is told."""
    whole = raw(name)
    cut = data.draw(st.integers(0, len(whole)), "cut")
    reading = read_bytes(whole[:cut], "a", format=name)
    expected = read_bytes(whole, "a").records

    text = whole[:cut].decode("latin-1")
    begun = len(SAMPLES[name].begin.findall(text))
    # Nothing but the name of a cell is left, or not what kind of thing an element is.
    assert found(reading) >= begun - (1 if name in ("csv", "ndjson", "zotero-rdf") else 0)
    assert reading.records[: begun - 1] == expected[: max(0, begun - 1)]
    if name != "csv":  # what is missing of a last cell nobody can know
        assert reading.problems or reading.records == expected[: len(reading.records)]


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_one_damaged_byte_costs_no_record_silently(name: str, data: st.DataObject) -> None:
    """Every record is an entry, or something is told."""
    whole = bytearray(raw(name))
    at = data.draw(st.integers(0, len(whole) - 1), "at")
    whole[at] = data.draw(st.integers(0, 255), "byte")
    assume(not whole.startswith(GZIP))

    reading = read_bytes(bytes(whole), "a", format=name)

    # where the end of a line is hit, two rows are one: of works, or of names; RDF is one graph,
    # whose nodes point at one another
    if name in ("csv", "zotero-rdf"):
        assert found(reading) >= SAMPLES[name].records or reading.problems
    else:
        assert found(reading) >= SAMPLES[name].records
        assert len(reading.entries) >= SAMPLES[name].records - 1


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_cut_and_corrupted_files_raise_nothing(name: str, data: st.DataObject) -> None:
    """Any damage is survived, and something is told where nothing is found."""
    damaged = bytearray(raw(name) * 2)
    for _ in range(data.draw(st.integers(0, 8), "corruptions")):
        at = data.draw(st.integers(0, len(damaged) - 1), "at")
        length = data.draw(st.integers(0, 40), "length")
        damaged[at : at + length] = data.draw(st.binary(max_size=12), "new")
    cut = bytes(
        damaged[
            data.draw(st.integers(0, 60), "from") : data.draw(st.integers(60, len(damaged)), "to")
        ]
    )
    assume(not cut.startswith(GZIP))

    reading = read_bytes(cut, "a", format=name)

    assert reading.entries or reading.problems
    positions = [entry.record.position for entry in reading.entries]
    assert positions == sorted(set(positions)) or name == "ndjson"


@given(data=st.binary(max_size=300), name=st.sampled_from(FORMATS))
def test_any_bytes_are_read(data: bytes, name: str) -> None:
    """Nothing is raised; where nothing is found, that is told."""
    try:
        reading = read_bytes(data, "a", format=name)
    except FileFormatError:
        assert data.startswith(GZIP)
        return
    assert reading.entries or reading.problems


PIECES = (
    "@article{a,", "@book(b,", "title = {x},", "}", "{", '"', "#", ",", "=", "\\", "@",
    "@string{s = ", "\n", " and ",
    "<record>", "</record>", "<xml>", "<!--", "-->", "<![CDATA[", "&amp;", "&x;",
    "<titles><title>t</title></titles>",
    "<leader>", '<datafield tag="245">', '<subfield code="a">t</subfield></datafield>',
    "Title,Year\n", "t,1999\n", "[",
    "]", '{"title": "x"', ":", '{"event": "hit", "id": "1", "sources": []}', '{"source": "s"',
    "null", "1e999",
    "\x1d", "\x1e", "\x1f", "00024nam a2200025 a 4500", "245000300000", "\x00", "\ufeff", "\ud800",
)  # fmt: skip


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=30), name=st.sampled_from(FORMATS))
def test_pieces_in_any_order(pieces: list[str], name: str) -> None:
    """No order of what the formats are made of makes a reader raise."""
    read_bytes("".join(pieces).encode(errors="surrogatepass"), "a", format=name)


HOSTILE = {
    "entries that never end": ("bibtex", "@article{a, title={"),
    "entries in one line": ("bibtex", "@article{a, title={b}} "),
    "macros of macros": ("bibtex", "@string{a = a # a}\n"),
    "quotes": ("bibtex", '@article{a, title="'),
    "braces": ("bibtex", "{"),
    "names": ("bibtex", "@article{a, author={A and "),
    "records that never end": ("endnote-xml", "<record><titles>"),
    "ends of records": ("endnote-xml", "</record>"),
    "comments": ("endnote-xml", "<record><!--"),
    "elements": ("marcxml", "<record><leader><a>"),
    "envelopes": ("marcxml", "<recordData><record>"),
    "quotes in cells": ("csv", 'Title,Year\n"a'),
    "doubled quotes": ("csv", 'Title,Year\n"a""\n'),
    "cells": ("csv", "Title,"),
    "brackets": ("csl-json", "["),
    "objects": ("csl-json", '[{"title":'),
    "objects in a line": ("ndjson", '{"title":'),
    "lines": ("ndjson", '{"event": "hit", "id": "a"}\n'),
    "ends": ("marc", "\x1d"),
    "fields": ("marc", "\x1ea"),
    "leaders": ("marc", "\x1e00024nam a2200025 a 4500"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_time_is_linear(kind: str) -> None:
    """Four times the text takes some four times as long, and not sixteen."""
    name, piece = HOSTILE[kind]

    def reading(size: int) -> Callable[[], object]:
        data = (piece * (size // len(piece))).encode()
        return lambda: read_bytes(data, "a", format=name)

    assert growth(reading, 5_000) <= MOST
