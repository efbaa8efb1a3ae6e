"""Records as NDJSON: what is written of a record, and that nothing else is."""

from __future__ import annotations

import orjson
from hypothesis import given

from metasearch.formats import own
from metasearch.record import Author, Record
from tests.formats.samples import MERGED, hostile_hits


def test_a_line_a_record() -> None:
    """Only what the record says, in the order of its fields; source and position always."""
    full, bare = MERGED.records[1], Record(source="a")

    assert own.write([]) == b""
    first, second = own.write([full, bare]).splitlines()
    assert second == b'{"source":"a","position":0}'
    assert list(orjson.loads(first)) == [
        "source", "source_id", "position", "url", "title", "authors", "year", "date", "venue",
        "publisher", "volume",
        "issue", "pages", "doi", "ids", "issn", "type", "language", "abstract", "keywords",
        "citations", "pdf_url",
    ]  # fmt: skip
    assert orjson.loads(first)["authors"][1] == {"name": "IEEE Standards Committee"}


def test_nothing_passes_that_no_format_may_let_through() -> None:
    """Control characters, lone surrogates, numbers that JSON readers round."""
    record = Record(
        source="a",
        title="a\x1b[2J\ud800b",
        authors=(Author("x\u202ey"),),
        year=10**30,
        ids={"k\x00": "v\x07"},
    )

    assert orjson.loads(own.write([record])) == {
        "source": "a",
        "position": 0,
        "title": "a[2Jb",
        "authors": [{"name": "xy"}],
        "ids": {"k": "v"},
    }


@given(hostile_hits())
def test_hostile_text_is_written(hit: object) -> None:
    """One line each, whatever upstream sent."""
    found = hit.records  # type: ignore[attr-defined]

    assert len(own.write(found).splitlines()) == len(found)
