"""Strategies of reviews in the syntax of one database: a single text, or lines with numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Protocol

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import Clause
from metasearch.query.combinations import in_signs, is_range
from metasearch.query.places import Places
from metasearch.query.reader import ReadQuery, read_or_suggest
from metasearch.query.scanner import EarlierLine, SyntaxLosses
from metasearch.query.strategy_lines import (
    NumberedLine,
    StrategyText,
    lines_apart,
    numbered_lines,
    whole_text,
)
from metasearch.query.tree import MAX_LINES, leaves

# Strategies whose lines have numbers, of which the last is the search: `1 exp X/`, `2 or/1-4`, `3
# 1 and 2`. `lines.py` cuts the text. Each line is read when those before it are, so one that names
# a later line, itself, or none that there is, is an error.


class LineReader(Protocol):
    """What reads one line, as `DatabaseReader` does."""

    used: set[int]
    read: int
    places: Places | None

    def tree(self) -> Clause: ...

    def result_of(self, clause: Clause) -> ReadQuery: ...


#: Makes the reader of a text, or of one line: from it, the lines before it, and where notes are
#: gathered.
Make = Callable[..., LineReader]


def read_strategy(text: str, make: Make, syntax: str) -> ReadQuery:
    """A single text, or lines with numbers. Raises QuerySyntaxError: it cannot be read."""
    # The whole is looked at once, for what holds for it: its length, and that it is text.
    one = make(text)
    lines = numbered_lines(text) or lines_apart(text)
    if lines is not None:
        return read_lines(lines, make, syntax)
    whole = whole_text(text)
    if whole.lines and (whole.losses or whole.lines[0].number or whole.lines[0].hits is not None):
        losses = _losses(whole)
        one = make(" " * whole.lines[0].start + whole.lines[0].text, None, losses)
    return one.result_of(one.tree())


def read_lines(cut: StrategyText, make: Make, syntax: str) -> ReadQuery:
    """The search that the last line is.

    Raises QuerySyntaxError: one of them cannot be read; its place is that in the text of all.
    """
    lines = cut.lines
    if len(lines) > MAX_LINES:
        raise QuerySyntaxError(
            message("The strategy has more than {max_lines} lines", max_lines=MAX_LINES),
            text=cut.text,
            position=lines[MAX_LINES].start,
            advice=message("Search for its parts one by one."),
            syntax=syntax,
        )
    if again := cut.twice():
        raise QuerySyntaxError(
            message("Two lines have the number {number}", number=again.number),
            text=cut.text,
            position=again.start,
            length=len(again.text),
            advice=message("Number the lines anew, and read one strategy at a time."),
            syntax=syntax,
        )
    losses = _losses(cut)
    known: dict[int, EarlierLine] = {}
    uses: dict[int, set[int]] = {}
    for at, line in enumerate(lines):
        before = lines[at - 1].number if at else 0
        shown = in_signs(line.text, before, syntax)
        if shown != line.text and is_range(line.text):
            losses.add("range", line.text)
        try:
            one = make(shown, known, losses)
            clause = one.tree()
            if clause.widest is None and line is not lines[-1]:
                losses.add("unknown line", message("line {number}", number=line.number))
            if line is lines[-1]:
                _note_idle_lines(losses, {**uses, line.number: one.used}, line.number)
                return one.result_of(clause)
        except QuerySyntaxError as error:
            raise _error_in_text(error, line, cut.text) from None
        size = sum(1 for _ in leaves(clause.widest)) if clause.widest is not None else 0
        known[line.number] = EarlierLine(clause, size or 1)
        uses[line.number] = one.used
    raise AssertionError("a strategy has lines")


def _losses(cut: StrategyText) -> SyntaxLosses:
    """What was cut away, as it is told."""
    losses = SyntaxLosses()
    for kind, shown in cut.losses:
        losses.add(kind, shown)
    for line in cut.lines:
        if line.hits is not None:
            losses.add("hits", f"{line.hits:,}")
    return losses


def _note_idle_lines(losses: SyntaxLosses, uses: Mapping[int, set[int]], last: int) -> None:
    reached, waiting = {last}, [last]
    while waiting:
        new = uses[waiting.pop()] - reached
        reached |= new
        waiting.extend(new)
    for number in uses:
        if number not in reached:
            losses.add("unused", f"line {number}")


def _error_in_text(error: QuerySyntaxError, line: NumberedLine, text: str) -> QuerySyntaxError:
    """The error of one line, as one of the whole."""
    fix, place, length = None, error.position, error.length
    if error.text != line.text:  # a combination in the signs of the syntax
        place, length = 0, len(line.text)
    elif error.suggestion is not None:
        fix = f"{text[: line.start]}{error.suggestion}{text[line.end :]}"
    return error.with_changes(
        message("Line {number}: {reason}", number=line.number, reason=error.reason),
        text=text,
        position=line.start + place,
        length=length,
        suggestion=fix,
        advice=error.advice or message("Correct this line."),
        kind="syntax",
    )


def parse_database(text: str, syntax: str) -> ReadQuery:
    """Read a strategy in the syntax of one database, a single text or lines with numbers.

    `syntax`: a key of `metasearch.query.syntaxes.SYNTAXES` that is the syntax of a database. Raises
    QuerySyntaxError: it cannot be read in that syntax.
    """
    make = line_reader(syntax)
    return read_or_suggest(lambda one: read_strategy(one, make, syntax), text)


def line_reader(syntax: str) -> Make:
    """What reads one line in the syntax of a database, made of its text, the lines that it may name
    and where its losses are gathered.
    """
    module = import_module(f"metasearch.query.{syntax}")
    name = "Expert" if syntax == "cnki" else syntax.capitalize()
    made: Make = getattr(module, f"{name}Reader")
    return made
