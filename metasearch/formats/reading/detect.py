"""Which format a file is in: detected from its content, else from its name."""

from __future__ import annotations

from pathlib import PurePath

from metasearch.errors import FileFormatError
from metasearch.formats.reading.encodings import decode
from metasearch.formats.registry import READABLE

#: Bytes of a file that are looked at.
HEAD = 8_192


def detect(data: bytes, name: str, encoding: str | None = None) -> str:
    """The name of the format in `READABLE`.

    `name`: what it is called. `encoding`: where the user says so. Raises FileFormatError: neither
    content nor name tell; the message says which formats there are.
    """
    for known, one in READABLE.items():
        if one.magic and data.startswith(one.magic):
            return known
    head = decode(data[:HEAD], name, encoding).text
    if head.lstrip("\ufeff\x00 \t\r\n"):
        for known, one in READABLE.items():
            if one.looks_like(head):
                return known
    return by_name(name)


def by_name(name: str) -> str:
    """The format of a file's ending: the first whose own it is, none that all texts share."""
    ending = PurePath(name.lower().removesuffix(".gz")).suffix.removeprefix(".")
    for place in range(3):
        for known, one in READABLE.items():
            if ending != "txt" and ending in one.endings[place : place + 1]:
                return known
    raise FileFormatError(
        name,
        "the format of this file is not known",
        advice=f"--from names it; formats are {', '.join(READABLE)}.",
    )
