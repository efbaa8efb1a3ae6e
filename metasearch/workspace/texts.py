"""Texts that people type, checked before they are kept."""

from __future__ import annotations

import datetime as dt
import re

from metasearch.errors import UsageError
from metasearch.message import message

#: What cannot stand in a Word file (XML), or in no file at all.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def checked_text(text: object, longest: int, *, lines: bool = False) -> str:
    """The text without space around it, on one line where `lines` is False. Raises UsageError: it
    is no text, has more than `longest` characters, or one that no file may have.
    """
    if not isinstance(text, str):
        raise UsageError(message("it is not a text"))
    if len(text) > longest:
        raise UsageError(
            message(
                "it has {count} characters, and at most {most} are kept",
                count=f"{len(text):,}",
                most=f"{longest:,}",
            )
        )
    text = text.replace("\r\n", "\n").strip() if lines else " ".join(text.split())
    if bad := _UNPRINTABLE.search(text):
        raise UsageError(message("it has the character U+{code}", code=f"{ord(bad[0]):04X}"))
    return text


def checked_date(text: str) -> str:
    """A day as "2026-11-23"; also of "20261123". Raises UsageError: it is none."""
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        raise UsageError(
            message("{value} is no date as 2026-11-23", value=repr(text[:40]))
        ) from None
