"""Bibliographic files -> records: format and encoding are detected, what is broken is reported with its line.

    reading = read_file(Path("search.ris"))
    reading.records, reading.problems

Importing this package loads no format; a format's module is imported by its first use.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from metasearch.errors import FileFormatError
from metasearch.files.detect import detect
from metasearch.files.encodings import decode
from metasearch.files.reading import Entry, Problem, Reading
from metasearch.files.registry import FORMATS, FileFormat

__all__ = ["FORMATS", "MOST_BYTES", "Entry", "FileFormat", "Problem", "Reading", "read_bytes", "read_file"]

#: Of a file, packed and unpacked.
MOST_BYTES = 1_000_000_000
_GZIP = b"\x1f\x8b\x08"


def read_file(
    path: Path,
    *,
    name: str | None = None,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
) -> Reading:
    """The records of a file.

    Args:
        path: Where it lies; a gzipped file is unpacked.
        name: What it is called in reports, and the `source` of its records; the last part of the path if None.
        format: One of `FORMATS`; detected if None.
        encoding: As Python calls it; detected if None.

    Raises:
        FileFormatError: The file cannot be opened, is too large, or nobody knows its format or encoding.
    """
    name = name or path.name
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as exc:  # a ValueError for a path with a NUL in it
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)
        raise FileFormatError(name, f"the file cannot be opened: {reason}", advice="Look at its path.") from exc
    return read_bytes(data, name, format=format, encoding=encoding)


def read_bytes(
    data: bytes,
    name: str,
    *,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
) -> Reading:
    """Like `read_file`, for what was read already."""
    if format is not None and format not in FORMATS:
        advice = f"Formats are {', '.join(FORMATS)}."
        raise FileFormatError(name, f"there is no format {format[:40]!r} for files", advice=advice)
    problems: list[Problem] = []
    if data.startswith(_GZIP):
        data, problems = _unpacked(data, name)
    if len(data) > MOST_BYTES:
        raise _too_large(name)
    if not data.strip(b"\x00\x1a\t\r\n\f\v \xef\xbb\xbf"):
        what = "the file is empty" if not data else "the file holds nothing but blanks"
        return Reading(name, format or "", encoding or "utf-8", problems=[*problems, Problem(0, what)])
    known = format or detect(data, name, encoding)
    reading = Reading(name, known, encoding or "utf-8", problems=problems)
    one = FORMATS[known]
    if one.binary and encoding is None:
        one.read(data, reading)
    else:
        text, used, unread = decode(data, name, encoding)
        reading.problems += unread
        one.read(text.encode(errors="replace") if one.binary else text, reading)
        reading.encoding = used
    if not reading.entries and not reading.lost:
        told = any("no record" in problem.message for problem in reading.problems)
        reading.problems += [] if told else [Problem(0, f"no record was found in it, read as {known}")]
    reading.problems.sort(key=lambda problem: problem.line)
    return reading


def _unpacked(data: bytes, name: str) -> tuple[bytes, list[Problem]]:
    """The content of a gzipped file, as far as it is whole."""
    parts: list[bytes] = []
    size = 0
    while data.startswith(_GZIP):
        inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            part = inflate.decompress(data, MOST_BYTES + 1 - size)
        except zlib.error:
            return _rescued(parts, data, size, name)
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise _too_large(name)
        if not inflate.eof:
            return b"".join(parts), [_cut_off(size)]
        data = inflate.unused_data
    return b"".join(parts), []


def _rescued(parts: list[bytes], data: bytes, size: int, name: str) -> tuple[bytes, list[Problem]]:
    """What comes before damage: the decompressor is asked in small steps, and the last one fails."""
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        for start in range(0, len(data), 1024):
            part = inflate.decompress(data[start : start + 1024], MOST_BYTES + 1 - size)
            size += len(part)
            parts.append(part)
    except zlib.error:
        pass
    if not size:
        raise FileFormatError(name, "the file is damaged: it cannot be unpacked", advice="Fetch it again.")
    return b"".join(parts), [_cut_off(size)]


def _cut_off(size: int) -> Problem:
    return Problem(0, f"the gzipped file is damaged or breaks off; the first {size:,} bytes of its content were read")


def _too_large(name: str) -> FileFormatError:
    advice = "Divide it into several files."
    return FileFormatError(name, f"the file is larger than {MOST_BYTES:,} bytes", advice=advice)
