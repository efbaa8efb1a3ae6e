"""Bibliographic files -> records: format and encoding are detected, what is broken is reported with
its line.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import BinaryIO

from metasearch.errors import FileFormatError, UsageError
from metasearch.formats.reading import foreign
from metasearch.formats.reading.encodings import FileText, decode
from metasearch.formats.reading.files import (
    Content,
    content_of,
    content_of_pipe,
    read_error,
)
from metasearch.formats.reading.result import (
    Entry,
    FileProblem,
    FileReading,
    HandOut,
    HandOutError,
)
from metasearch.formats.registry import READABLE

__all__ = [
    "MOST_BYTES",
    "MOST_BYTES_HANDED_OUT",
    "READABLE",
    "Entry",
    "FileProblem",
    "FileReading",
    "HandOut",
    "HandOutError",
    "read_bytes",
    "read_content",
    "read_file",
    "read_pipe",
]


#: Bytes of a file that are looked at.
HEAD = 8_192


def detect(data: bytes, name: str, encoding: str | None = None) -> str:
    """The name of the format in `READABLE`.

    `name`: what it is called. `encoding`: where the user says so. Raises FileFormatError: neither
    content nor name tell, or the content is of a kind that is not read; the message says which
    formats there are, or what to do instead.
    """
    for known, one in READABLE.items():
        if one.magic and data.startswith(one.magic):
            return known
    head = decode(data[:HEAD], name, encoding).text
    if head.lstrip("\ufeff\x00 \t\r\n"):
        _refuse(name, foreign.of_text(head, last=False))
        for known, one in READABLE.items():
            if one.looks_like(head):
                return known
        _refuse(name, foreign.of_text(head, last=True))
    return by_name(name)


def _refuse(name: str, found: foreign.Foreign | None, *, certain: bool = False) -> None:
    if found is not None:
        raise foreign.error(name, found, certain=certain)


def by_name(name: str) -> str:
    """The format of a file's ending: the first whose own it is, none that all texts share."""
    ending = PurePath(name.lower().removesuffix(".gz")).suffix.removeprefix(".")
    for place in range(3):
        for known, one in READABLE.items():
            if ending != "txt" and ending in one.endings[place : place + 1]:
                return known
    _refuse(name, foreign.of_name(name))
    raise FileFormatError(
        name,
        "the format of this file is not known",
        advice=f"--from names it; formats are {', '.join(READABLE)}.",
    )


#     reading = read_file(Path("search.ris"))
#     reading.records, reading.problems
#
#     read_file(Path("large.ndjson"), hand_out=lambda entries: ...)  # some at a time, none is kept
#
# Importing this package loads no format; a format's module is imported by its first use.

#: Of a file, packed and unpacked.
MOST_BYTES = 1_000_000_000
#: The same of a file whose entries are handed out.
MOST_BYTES_HANDED_OUT = 200_000_000_000
_BLANKS = b"\x00\x1a\t\r\n\f\v \xef\xbb\xbf"


def read_file(
    path: Path,
    *,
    name: str | None = None,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
    hand_out: HandOut | None = None,
) -> FileReading:
    """The records of a file. Memory goes into its records, and not into its bytes, where its format
    permits that.

    Args:
        path: Where it lies; a gzipped file is unpacked. What is no regular file (a device, a FIFO)
            is refused.
        name: What it is called in reports, and the `source` of its records; the last part of the
            path if None.
        format: One of `READABLE`; detected if None.
        encoding: As Python calls it; detected if None.
        hand_out: Takes the entries, some at a time, which the reading does not keep then; so a file
            may be larger than memory, where its format is not held as a whole (JSON documents and
            BibTeX are). What was handed out before an error was raised is no whole file.

    Raises:
        FileFormatError: The file cannot be opened or read, holds too much, or its format
            or encoding is not known.
        HandOutError: `hand_out` raised an OSError or a MemoryError.
    """
    name = name or path.name
    with content_of(path, name, most_bytes(hand_out)) as content:
        return read_content(content, format=format, encoding=encoding, hand_out=hand_out)


def read_pipe(
    pipe: BinaryIO,
    name: str,
    *,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
    hand_out: HandOut | None = None,
) -> FileReading:
    """Like `read_file`, for what can be read only once, such as standard input."""
    with content_of_pipe(pipe, name, most_bytes(hand_out)) as content:
        return read_content(content, format=format, encoding=encoding, hand_out=hand_out)


def most_bytes(hand_out: HandOut | None) -> int:
    """Of a file, unpacked."""
    return MOST_BYTES if hand_out is None else MOST_BYTES_HANDED_OUT


def read_bytes(
    data: bytes,
    name: str,
    *,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
) -> FileReading:
    return read_content(
        Content(io.BytesIO(data), name, MOST_BYTES), format=format, encoding=encoding
    )


def read_content(
    content: Content,
    *,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
    hand_out: HandOut | None = None,
) -> FileReading:
    name = content.name
    if format is not None and format not in READABLE:
        advice = f"Formats are {', '.join(READABLE)}."
        raise FileFormatError(name, f"there is no format {format[:40]!r} for files", advice=advice)
    try:
        return _read(content, format, encoding, hand_out)
    except (OSError, MemoryError) as exc:
        raise read_error(name, exc) from exc


def _read(
    content: Content, form: str | None, encoding: str | None, hand_out: HandOut | None
) -> FileReading:
    name = content.name
    # All of it is read, so that what is too large or damaged is known before a record is made.
    if not sum(bool(block.strip(_BLANKS)) for block in content.blocks()):
        what = "the file holds nothing but blanks" if content.size else "the file is empty"
        return FileReading(
            name,
            form or "",
            encoding or "utf-8",
            problems=[*_problems_of(content), FileProblem(0, what)],
        )
    if form is None:
        content.refuse_foreign()
    known = form or detect(content.head(HEAD), name, encoding)
    one = READABLE[known]
    try:
        one.require()
    except UsageError as exc:
        raise FileFormatError(name, str(exc), advice=exc.advice) from exc
    reading = FileReading(
        name, known, encoding or "utf-8", problems=_problems_of(content), hand_out=hand_out
    )
    if one.magic or (one.binary and encoding is None):
        one.read(content, reading)
    else:
        text = FileText.of(content, encoding)
        reading.problems += text.problems
        one.read(_Utf8Bytes(text) if one.binary else text, reading)
        reading.encoding = text.encoding
    if not reading.count and not reading.lost:
        told = any("no record" in problem.message for problem in reading.problems)
        reading.problems += (
            [] if told else [FileProblem(0, f"no record was found in it, read as {known}")]
        )
    if not reading.count and not one.magic:
        reading.problems += _other_kind(content, known, encoding)
    reading.finish()
    return reading


def _other_kind(content: Content, form: str, encoding: str | None) -> list[FileProblem]:
    """What a file seems to be that gave no record."""
    start = content.head(HEAD)
    head = decode(start, content.name, encoding).text
    if READABLE[form].looks_like(head):
        return []
    kinds = (foreign.of_text(head, last=last) for last in (False, True))
    found = foreign.of_bytes(start) or next(filter(None, kinds), None) or foreign.of_rest(head)
    return [FileProblem(0, f"it looks like {found.what}. {found.advice}")] if found else []


def _problems_of(content: Content) -> list[FileProblem]:
    return [content.problem] if content.problem is not None else []


class _Utf8Bytes:
    """The bytes of a text whose encoding the user has named, for a format that takes bytes."""

    def __init__(self, text: FileText) -> None:
        self.name = text.name
        self._text = text

    def blocks(self) -> Iterator[bytes]:
        return (piece.encode(errors="replace") for piece in self._text.pieces())
