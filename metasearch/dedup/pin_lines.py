"""One line of a file of pins: its verdict, its names, its reason."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from metasearch.bib.work_ids import read_name
from metasearch.late_pattern import late_pattern

_CONTROL = late_pattern("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
#: A quoted run, or the blank or the beginning before a comment.
_QUOTED_OR_COMMENT = late_pattern(r""""[^"]*(?:"|$)|'[^']*(?:'|$)|((?:(?<=\s)|^)\#)""")


@dataclass(frozen=True, slots=True)
class Pin:
    """One line of a file.

    Attributes:
        verdict: What is said of the names, each with each.
        names: In the form of `read_name`, at least two, each once.
        line: Where it stands, from 1; `file`: in which file, without its folder.
        reason: The comment behind it; may be empty.
    """

    verdict: Literal["same", "different"]
    names: tuple[str, ...]
    line: int
    file: str
    reason: str = ""


def shown(name: str) -> str:
    """A name as one would type it."""
    return name.removeprefix("doi:")


def read_line(line: str, number: int, file: str) -> Pin | None:
    """The pin of a line; None where it is empty or a comment. Raises ValueError: it is neither."""
    words, reason = _split(line)
    if not words:
        return None
    word = words[0].lower()
    if word not in ("same", "different"):
        raise ValueError(
            f'begins with {words[0]!r}; must begin with "same" or "different", or with # for a '
            f"comment"
        )
    names: dict[str, None] = {}
    for text in words[1:]:
        name = read_name(text)
        if name in names:
            raise ValueError(f"names {shown(name)} twice")
        names[name] = None
    if len(names) < 2:
        raise ValueError(f"{word} needs two names or more, each set apart by a blank")
    return Pin("same" if word == "same" else "different", tuple(names), number, file, reason)


def _split(line: str) -> tuple[list[str], str]:
    """The words of a line, and its comment."""
    if '"' not in line and "'" not in line and "#" not in line:
        return line.split(), ""
    start = next((found.start() for found in _comments(line)), len(line))
    body, reason = line[:start], " ".join(_CONTROL.sub("", line[start:].lstrip("#")).split())
    if '"' not in body and "'" not in body:
        return body.split(), reason
    lexer = shlex.shlex(body, posix=True)
    # A name may hold a backslash, and a DOI may end in "#".
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        return list(lexer), reason
    except ValueError:
        advice = "a name that holds a quotation mark stands between marks of the other kind"
        raise ValueError(f"a quotation mark is opened and never closed; {advice}") from None


def _comments(line: str) -> Iterator[re.Match[str]]:
    return (found for found in _QUOTED_OR_COMMENT.finditer(line) if found.group(1))
