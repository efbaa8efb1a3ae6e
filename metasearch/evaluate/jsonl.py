"""Files with a JSON object a line, compressed or not; mistakes are told with file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from metasearch import opening
from metasearch.errors import UsageError

#: Longest line that is read, in bytes.
LONGEST_LINE = 16_000_000
#: Bytes of a file, unpacked.
MOST_BYTES = 4_000_000_000

Row = Mapping[str, Any]


def rows(path: Path) -> Iterator[tuple[str, Row]]:
    """("file:line", object) of each line that is not empty. Raises UsageError: a line is no object,
    or too long; or the file is damaged.
    """
    number = size = 0
    try:
        with (
            opening.opened(path) as file,
            gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file as stream,
        ):
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                size += len(line)
                where = f"{path}:{number}"
                if size > MOST_BYTES:
                    raise UsageError(
                        f"{where}: the file is larger than {MOST_BYTES:,} bytes, unpacked"
                    )
                if len(line) > LONGEST_LINE:
                    raise UsageError(f"{where}: the line is longer than {LONGEST_LINE:,} bytes")
                if line.strip():
                    yield where, _object(line, where)
    except (gzip.BadGzipFile, EOFError, zlib.error) as exc:
        raise UsageError(f"{path}:{number + 1}: the compressed file is damaged: {exc}") from exc
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {opening.why(exc)}") from exc


def identifier(value: Any, where: str, key: str) -> str:
    """A string or a whole number, as a string. Raises UsageError: anything else, or empty."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise UsageError(f"{where}: {key} is {value!r}; expected a string or a whole number")
    return str(value)


def _object(line: bytes, where: str) -> Row:
    try:
        # Not orjson, which refuses a lone surrogate; what is not fit to be shown is taken out when
        # a row is read.
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as exc:
        raise UsageError(f"{where}: is not UTF-8: {exc.reason} at byte {exc.start}") from exc
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"{where}: is no JSON: {exc}") from exc
    if not isinstance(row, dict):
        raise UsageError(f"{where}: expected an object, found {type(row).__name__}")
    return row
