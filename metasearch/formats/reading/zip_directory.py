"""The directory of a ZIP archive, with its bounds checked before anything of it is unpacked.

https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
"""

from __future__ import annotations

import zipfile
from typing import IO

from metasearch.errors import FileFormatError

MAGIC = b"PK\x03\x04"
#: Bytes of the directory, and files in it.
MOST_DIRECTORY, MOST_FILES = 4_000_000, 10_000
_END, _END_64, _LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_LENGTH_OF_END, _LENGTH_OF_LOCATOR = 22, 20
_LONGEST_COMMENT = (1 << 16) - 1


def open_archive(file: IO[bytes], name: str) -> zipfile.ZipFile:
    """The archive. Raises FileFormatError: its directory is not there, is damaged, or is too large;
    `zipfile` believes what an archive says of that.
    """
    file.seek(0)
    if not file.read(len(MAGIC)).startswith(MAGIC[:2]):
        advice = "Look at what it holds: it may be a page or a message in place of the file."
        raise FileFormatError(name, "it is no workbook of Excel, whatever its name", advice=advice)
    for size, files in _claims(file):
        if size > MOST_DIRECTORY or files > MOST_FILES:
            what = (
                f"the directory of the archive claims {files:,} files and {size:,} bytes, and at "
                f"most {MOST_FILES:,} and {MOST_DIRECTORY:,} are taken"
            )
            raise FileFormatError(name, what, advice="Save it again, or as CSV.")
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError) as exc:
        what = (
            "the file, a ZIP archive as .xlsx is, too, is damaged or breaks off: its directory, at "
            "its end, cannot be read"
        )
        raise FileFormatError(name, what, advice="Fetch or save it again.") from exc


def _claims(file: IO[bytes]) -> list[tuple[int, int]]:
    """Bytes of the directory and files in it, as each record at the end of the file says."""
    length = file.seek(0, 2)
    start = max(0, length - _LENGTH_OF_END - _LONGEST_COMMENT - _LENGTH_OF_LOCATOR)
    file.seek(start)
    tail = file.read()
    found = []
    for place in {len(tail) - _LENGTH_OF_END, tail.rfind(_END)}:
        end = tail[place : place + _LENGTH_OF_END] if place >= 0 else b""
        if end.startswith(_END) and len(end) == _LENGTH_OF_END:
            found.append((_number(end, 12, 4), _number(end, 10, 2)))
            locator = tail[max(0, place - _LENGTH_OF_LOCATOR) : place]
            if locator.startswith(_LOCATOR_64):
                file.seek(min(_number(locator, 8, 8), length))
                large = file.read(56)
                if large.startswith(_END_64):
                    found.append((_number(large, 40, 8), _number(large, 32, 8)))
                    found = [claim for claim in found if claim[0] != 0xFFFFFFFF]
    return found


def _number(data: bytes, place: int, length: int) -> int:
    return int.from_bytes(data[place : place + length], "little")
