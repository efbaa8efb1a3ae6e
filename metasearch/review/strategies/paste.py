"""Search strategies as they are copied from a database's history, line by line, or from a paper.

Ovid, PubMed (also its file of comma-separated values), Embase, EBSCO, Web of Science (the newest
line first), Cochrane, Scopus, ProQuest, numbered lists with `1.`, `1、`, `(1)`, `#1` or `S1`, and
lists without numbers, whose lines are counted: `metasearch.query.lines` cuts them all. Beside a
query, histories show hits, times, buttons and settings; hits are kept, all else is told as left
out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.query.beside import count_of
from metasearch.query.characters import plain_characters
from metasearch.query.combinations import in_signs
from metasearch.query.detect import detect
from metasearch.query.lines import MOST_ROWS, all_lines
from metasearch.query.pubmed import history
from metasearch.query.syntaxes import DATABASES
from metasearch.query.tree import MAX_LENGTH, plain
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps as stored
from metasearch.review.strategies.references import LARGEST
from metasearch.review.strategies.resolve import place_of
from metasearch.review.strategies.step_text import read_step, renumbered
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.strategies.writer import Written, WrittenLine, written

__all__ = ["CopiedIn", "Written", "WrittenLine", "copy_in", "written"]


#: Characters of a text with all lines, and lines.
LONGEST, MOST_LINES = 500_000, 500
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class CopiedLine:
    """A line. `number`: as it stands there, or its place in a list without numbers. `hits`: what
    the database said then.
    """

    number: int
    text: str
    hits: int | None
    original: str


@dataclass(frozen=True, slots=True)
class CopiedText:
    """All lines, those that were first in the search first. `syntax`: of all of them, one of
    `metasearch.query.CHOICES`; "auto" where each is read by its own marks.
    """

    lines: tuple[CopiedLine, ...]
    syntax: str
    notes: tuple[str, ...]


def copied_text(text: str, syntax: str = "auto") -> CopiedText:
    """The lines of a text. `syntax`: that they are in; "auto" finds it by their marks. Raises
    UsageError: it is empty, or has too many lines or characters.
    """
    if len(text) > LONGEST:
        raise UsageError(
            message("The text has more than {most} characters", most=f"{LONGEST:,}"),
            advice=message("Copy in one search strategy at a time."),
        )
    text = plain_characters(text)
    notes: list[str] = []
    if text.count("\n") > MOST_ROWS:
        raise _too_many()
    if text.lstrip("\ufeff \r\n").casefold().startswith("search number,"):
        lines = _of_pubmed_file(text)
        syntax = "pubmed" if syntax == "auto" else syntax
    else:
        lines, notes = _of_history(text)
    if not lines:
        raise UsageError(
            message("The text has no lines"), advice=message("Copy in a step on each line.")
        )
    if len(lines) > MOST_LINES:
        raise _too_many()
    if syntax == "auto":
        syntax = _syntax_of(text, lines)
        if syntax != "auto":
            notes.append(message("the lines are read in the syntax {syntax}", syntax=syntax))
    return CopiedText(tuple(lines), syntax, tuple(notes))


def _too_many() -> UsageError:
    return UsageError(
        message("The text has more than {most} lines", most=MOST_LINES),
        advice=message("Copy in one search strategy at a time."),
    )


def _of_history(text: str) -> tuple[list[CopiedLine], list[str]]:
    """The lines of a text as a history shows them, and notes on what else stood there."""
    cut = all_lines(text)
    lines = [
        CopiedLine(line.number, plain(line.text), line.hits, line.printed) for line in cut.lines
    ]
    empty = next((line.number for line in lines if not any(map(str.isalnum, line.text))), None)
    if empty is not None:
        raise UsageError(
            message("Line {number} has no query", number=empty),
            advice=message("Copy the column with the queries, too."),
        )
    left = [shown for kind, shown in cut.losses if kind not in ("counted", "unnumbered")]
    return lines, [_left_out(left)] if left else []


def _of_pubmed_file(text: str) -> list[CopiedLine]:
    """The lines of PubMed's history as a file."""
    lines = [
        CopiedLine(number, query, count_of(hits), query) for number, query, hits in history(text)
    ]
    return sorted(lines, key=lambda line: line.number)


def _syntax_of(text: str, lines: Sequence[CopiedLine]) -> str:
    """The syntax of all lines: by their marks, else by how they name one another."""
    marks = {detect(line.text) for line in lines} - {"simple"}
    if marks:
        if marks - {*DATABASES, "pubmed"} or len(text) > MAX_LENGTH:
            return "auto"
        if len(marks) == 1:
            return marks.pop()
        whole = detect("\n".join(line.text for line in lines))
        return whole if whole in marks else "auto"
    if len(text) <= MAX_LENGTH and detect(text) == "pubmed":  # tags behind blanks, in lines alone
        return "pubmed"
    for sign, syntax in (("", "ovid"), ("S", "ebsco")):
        if any(_combines(line.text, sign) for line in lines):
            return syntax
    return "auto"


def _combines(text: str, sign: str) -> bool:
    """Whether a line combines others, whose numbers have the sign."""
    names = re.fullmatch(
        rf"[\s()]*(?:(?:or|and)/\s?[0-9][0-9,\s-]*|{sign}[0-9]{{1,4}}[\s()]+(?:and|or|not)\b.*)",
        text,
        re.IGNORECASE,
    )
    return names is not None and "#" not in text


def _left_out(texts: Sequence[str]) -> str:
    return message("left out: {texts}", texts=_shown(list(dict.fromkeys(map(plain, texts)))))


def _shown(texts: Sequence[str]) -> str:
    shown = "; ".join(text if len(text) <= 80 else f"{text[:79]}…" for text in texts[:_SHOWN])
    if len(texts) <= _SHOWN:
        return shown
    return message("{words} and {number} more", words=shown, number=len(texts) - _SHOWN)


_LONGEST_ORIGINAL = 5_000


@dataclass(frozen=True, slots=True)
class CopiedIn:
    """What came of a text.

    Attributes:
        steps: A step for each line.
        syntax: That the lines are in; "auto" where each is read by its own marks.
        notes: What was left out or numbered anew.
    """

    steps: tuple[Step, ...]
    syntax: str
    notes: tuple[str, ...]


def copy_in(
    db: Database, strategy: Strategy, text: str, *, syntax: str = "auto", by: str = ""
) -> CopiedIn:
    """Add a step for each line of a text, all or none.

    Numbers stay what they are where they are free; otherwise lines are numbered anew, also where
    they name one another. Limits that a platform prints beside a query stay in the step, whose
    reader reads them. `details["hits"]` of a step is the number of hits that its line showed.
    Raises QuerySyntaxError: a line cannot be read; the reason begins with its number. Raises
    UsageError: the text has no lines or too many, or its numbers cannot be kept or changed.
    """
    copied = copied_text(text, syntax)
    notes = list(copied.notes)
    with db.transaction():
        last = db.value("SELECT max(number) FROM step WHERE strategy = ?", strategy.id) or 0
        numbers = [line.number for line in copied.lines]
        if again := next((it for at, it in enumerate(numbers) if it in numbers[:at]), None):
            raise UsageError(
                message("Two lines have the number {number}", number=again),
                advice=message("Number the lines anew, or remove all numbers."),
            )
        kept = numbers[0] > last and numbers == sorted(numbers) and numbers[-1] <= LARGEST
        new = {number: number if kept else last + place for place, number in enumerate(numbers, 1)}
        if not kept and new != {number: number for number in numbers}:
            notes.append(
                message(
                    "the lines are numbered anew: {first} is step {number}",
                    first=numbers[0],
                    number=new[numbers[0]],
                )
            )
        lines = _in_signs(copied)
        drafts = [_draft(strategy, line, copied.syntax, new) for line in lines]
        steps = stored.add_all(db, strategy, drafts, by=by)
    return CopiedIn(tuple(steps), copied.syntax, tuple(notes))


def _in_signs(copied: CopiedText) -> list[CopiedLine]:
    """The lines as the syntax writes those that combine or limit others."""
    if copied.syntax == "auto":
        return list(copied.lines)
    before = (0, *(line.number for line in copied.lines))
    return [
        replace(line, text=in_signs(line.text, number, copied.syntax))
        for number, line in zip(before, copied.lines, strict=False)
    ]


def _draft(strategy: Strategy, line: CopiedLine, syntax: str, numbers: dict[int, int]) -> Step:
    details: dict[str, Any] = {}
    if line.hits is not None:
        details["hits"] = line.hits
    if line.original.strip() != line.text:
        details["copied"] = line.original[:_LONGEST_ORIGINAL]
    text = line.text
    try:
        for number in read_step(text, syntax).numbers:
            where = place_of(text, number)
            if number not in numbers and where is not None:
                raise QuerySyntaxError(
                    message("There is no line {number}", number=number),
                    text=text,
                    position=where[0],
                    length=where[1] - where[0],
                    advice=message("Copy in all lines that others name."),
                )
        text = renumbered(text, syntax, numbers)
    except QuerySyntaxError as error:
        raise stored.of_line(error, line.number) from None
    return Step(
        id=0,
        strategy=strategy.id,
        number=numbers[line.number],
        kind="query",
        text=text,
        syntax=syntax,
        details=details,
    )
