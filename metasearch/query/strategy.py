"""Strategies of reviews in the syntax of one database: a single text, or lines with numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import Clause
from metasearch.query.reading import ReadQuery, read_or_suggest
from metasearch.query.scanner import Losses, StrategyLine
from metasearch.query.tree import MAX_LINES, And, Near, Not, Or, Query

# Strategies whose lines have numbers, of which the last is the search: `1 exp X/`, `2 or/1-4`, `3
# 1 and 2`.
#
# Histories are printed with the first line first or the last line first; `#1`, `S1`, `1.` and `1`
# are numbers. A line without a number goes on with the one above it. Each line is read when those
# before it are, so one that names a later line, itself, or none that there is, is an error.

_NUMBERED = re.compile(r"[ \t\ufeff]{0,8}(#|S|s)?([0-9]{1,4})([.):]?)(?:[ \t]{1,20}|$)(?=(\S?))")
#: The number of hits that a database writes at the end of a line: in brackets, or behind a tab or
#: several blanks.
HITS = re.compile(
    r"[ \t]{1,20}\(\s?[0-9][0-9,. ]{0,12}\)[ \t]*$|(?:\t[ \t]*|[ ]{3,20})[0-9][0-9,]{0,11}[ \t]*$"
)
_REFERS = re.compile(
    r"(?:^|[\s(])(?:(?:or|and)/\s?#?[0-9]|[#Ss][0-9]{1,4}\b|[0-9]{1,4}\)?\s{1,3}(?:and|or|not)\s"
    r"|(?:and|or|not)\s{1,3}\(?[0-9]{1,4}(?:[\s)]|$)|limit\s[0-9]|from\s[0-9])",
    re.IGNORECASE,
)
_REFERS_PLAINLY = re.compile(
    r"(?:or|and)/\s?#?[0-9]|(?:^|[\s(])[#S][0-9]{1,4}\b|^\(?[0-9]{1,4}\)?\s{1,3}(?:and|or|not)\s{1,3}\(?[0-9]{1,4}(?:[\s)]|$)",
    re.IGNORECASE,
)
_FURTHEST = 25


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line of a strategy: number, sign before it ("#", "S", ""), text and its place."""

    number: int
    sign: str
    text: str
    start: int


def plainly_refer(lines: list[NumberedLine]) -> bool:
    """Whether a line names others in a way that no list of titles does."""
    return any(_REFERS_PLAINLY.search(it.text) for it in lines)


class LineReader(Protocol):
    """What reads one line, as `DatabaseReader` does."""

    used: set[int]
    read: int

    def tree(self) -> Clause: ...

    def ended(self, clause: Clause) -> ReadQuery: ...


def numbered_lines(text: str, *, referring: bool = True) -> list[NumberedLine] | None:
    """The lines, those first that were first; None where the text is no such strategy."""
    lines: list[NumberedLine] = []
    at, step = 0, 0
    for whole in text.splitlines(keepends=True):
        match = _NUMBERED.match(whole)
        number = int(match[2]) if match else 0
        new = match is not None and (match[4] != "" or match[1] is not None)
        if new and lines and match is not None:
            away = number - lines[-1].number
            step = step or (1 if away > 0 else -1)
            new = (match[1] or "").upper() == lines[0].sign and 0 < away * step <= _FURTHEST
        if new and match is not None:
            lines.append(
                NumberedLine(
                    number,
                    (match[1] or "").upper(),
                    whole[match.end() :].rstrip(),
                    at + match.end(),
                )
            )
        elif lines:
            last = lines[-1]
            # Blanks stand for what is between the two, so that places stay what they are.
            text_so_far = text[last.start : at + len(whole)].rstrip()
            lines[-1] = NumberedLine(last.number, last.sign, text_so_far, last.start)
        elif whole.strip():
            return None
        at += len(whole)
    if len(lines) < 2 or (referring and not any(_REFERS.search(it.text) for it in lines)):
        return None
    return lines if step > 0 else lines[::-1]


def read_lines(
    text: str,
    lines: list[NumberedLine],
    reader: Callable[[str, Mapping[int, StrategyLine], Losses], LineReader],
    syntax: str,
) -> ReadQuery:
    """The search that the last line is.

    `reader`: makes the reader of one line, from its text, the lines before it and where notes are
    gathered. Raises QuerySyntaxError: one of them cannot be read; its place is that in the whole
    text.
    """
    if len(lines) > MAX_LINES:
        raise QuerySyntaxError(
            message("The strategy has more than {max_lines} lines", max_lines=MAX_LINES),
            text=text,
            position=lines[MAX_LINES].start,
            advice=message("Search for its parts one by one."),
            syntax=syntax,
        )
    losses = Losses()
    known: dict[int, StrategyLine] = {}
    uses: dict[int, set[int]] = {}
    for line in lines:
        bare = HITS.sub("", line.text)
        if bare != line.text:
            losses.add("hits", line.text[len(bare) :])
        try:
            one = reader(bare, known, losses)
            clause = one.tree()
            if line is lines[-1]:
                _note_unused(losses, {**uses, line.number: one.used}, line.number)
                return one.ended(clause)
        except QuerySyntaxError as error:
            raise _placed(error, line, text, bare, syntax) from None
        known[line.number] = StrategyLine(clause, max(1, _size(clause.widest)))
        uses[line.number] = one.used
    raise AssertionError("a strategy has lines")


def _size(query: Query | None) -> int:
    """Words, phrases and ranges in it."""
    waiting, size = [query], 0
    while waiting:
        match waiting.pop():
            case And(parts) | Or(parts) | Near(parts):
                waiting.extend(parts)
            case Not(part):
                waiting.append(part)
            case None:
                pass
            case _:
                size += 1
    return size


def _note_unused(losses: Losses, uses: Mapping[int, set[int]], last: int) -> None:
    reached, waiting = {last}, [last]
    while waiting:
        new = uses[waiting.pop()] - reached
        reached |= new
        waiting.extend(new)
    for number in uses:
        if number not in reached:
            losses.add("unused", f"line {number}")


def _placed(
    error: QuerySyntaxError, line: NumberedLine, text: str, bare: str, syntax: str
) -> QuerySyntaxError:
    """The error of one line, as one of the whole."""
    fix = None
    if error.suggestion is not None:
        fix = f"{text[: line.start]}{error.suggestion}{text[line.start + len(bare) :]}"
    return QuerySyntaxError(
        message("Line {number}: {reason}", number=line.number, reason=error.reason),
        text=text,
        position=line.start + error.position,
        length=error.length,
        suggestion=fix,
        advice=error.advice or message("Correct this line."),
        syntax=syntax,
    )


#: Syntax -> (module, class) of what reads a text or line in it.
_READERS: Mapping[str, tuple[str, str]] = {
    "ovid": ("ovid", "OvidReader"),
    "scopus": ("scopus", "ScopusReader"),
    "wos": ("wos", "WosReader"),
    "ebsco": ("ebsco", "EbscoReader"),
    "embase": ("embase", "EmbaseReader"),
    "cochrane": ("cochrane", "CochraneReader"),
    "proquest": ("proquest", "ProquestReader"),
    "ieee": ("ieee", "IeeeReader"),
}


def parse_database(text: str, syntax: str) -> ReadQuery:
    """Read a strategy in the syntax of one database, a single text or lines with numbers.

    `syntax`: a key of `metasearch.query.syntaxes.SYNTAXES` that is the syntax of a database. Raises
    QuerySyntaxError: it cannot be read in that syntax.
    """
    return read_or_suggest(lambda one: _read(one, syntax), text)


def line_reader(syntax: str) -> Callable[..., LineReader]:
    """What reads one line in the syntax of a database, made of its text, the lines that it may name
    and where its losses are gathered; `PubmedReader` of pubmed.py does the same.
    """
    module, name = _READERS[syntax]
    made: Callable[..., LineReader] = getattr(import_module(f"metasearch.query.{module}"), name)
    return made


def _read(text: str, syntax: str) -> ReadQuery:
    make = line_reader(syntax)
    # The whole is looked at once, for what holds for it: its length, and that it is text.
    one = make(text)
    lines = numbered_lines(text)
    return one.ended(one.tree()) if lines is None else read_lines(text, lines, make, syntax)
