"""The table of formats: closed, lazy, and true to the media types that clients expect."""

from __future__ import annotations

import subprocess
import sys

import pytest

from metasearch import formats
from metasearch.errors import FormatError
from tests.cases import each
from tests.formats.samples import MERGED, answer


@pytest.mark.slow
def test_importing_the_package_loads_no_format() -> None:
    """The table costs nothing: no library that a format needs is imported with it."""
    probe = (
        "import sys, metasearch.formats; print({'lxml', 'orjson', 'wcwidth', 'csv'} & "
        "set(sys.modules))"
    )

    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"


@each(
    ("name", "media_type", "extension"),
    [
        ("json", "application/json", "json"),
        ("ndjson", "application/x-ndjson", "ndjson"),
        ("sse", "text/event-stream", "sse"),
        ("csv", "text/csv", "csv"),
        ("ris", "application/x-research-info-systems", "ris"),
        ("bibtex", "application/x-bibtex", "bib"),
        ("atom", "application/atom+xml", "atom"),
        ("rss", "application/rss+xml", "rss"),
        ("jsonfeed", "application/feed+json", "jsonfeed"),
        ("table", "text/plain", "txt"),
    ],
)
def test_media_types_and_extensions(name: str, media_type: str, extension: str) -> None:
    """Media types and extensions are those that clients register."""
    found = formats.get(name)

    assert (media_type, extension) == (found.media_type, found.extension)


def test_only_streams_can_begin_before_the_end() -> None:
    """NDJSON and SSE are written while the search runs; everything else waits for the answer."""
    assert {"ndjson", "sse"} == {it.name for it in formats.WRITABLE.values() if not it.whole}


@each("name", [it.name for it in formats.WRITABLE.values() if it.whole and not it.library])
def test_every_whole_format_writes_an_answer(name: str) -> None:
    """`write` reaches the module of every format, also for an answer without hits."""
    assert b"Toward unique identifiers" in formats.write(name, answer(MERGED)).replace(
        b"{", b""
    ).replace(b"}", b"")
    assert isinstance(formats.write(name, answer()), bytes)


def test_an_unknown_format_is_told_with_the_known_ones() -> None:
    """The error names what was asked for and everything that could be."""
    with pytest.raises(FormatError, match="'docx'") as caught:
        formats.get("docx")

    assert caught.value.status == 406
    assert all(name in caught.value.advice for name in formats.WRITABLE)


def test_a_stream_is_not_written_from_an_answer() -> None:
    """Asking for NDJSON of a finished answer is refused with the formats that can be had."""
    with pytest.raises(FormatError, match="while a search runs") as caught:
        formats.write("ndjson", answer())

    assert "json" in caught.value.advice
