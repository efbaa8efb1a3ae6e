"""Search strategies as they are copied from a database's history, line by line, or from a paper.

Ovid, PubMed (also its file of comma-separated values), Embase, EBSCO, Web of Science (the newest
line first), Cochrane, Scopus, ProQuest, numbered lists with `1.`, `1、`, `(1)`, `#1` or `S1`, and
lists without numbers, whose lines are counted: `metasearch.query.strategy_lines` cuts them all.
Beside a query, histories show hits, times, buttons and settings; hits are kept, all else is told
as left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.query.characters import plain_characters
from metasearch.query.combinations import in_signs
from metasearch.query.detect import detect
from metasearch.query.pubmed import history
from metasearch.query.strategy_lines import MOST_ROWS, NumberedLine, all_lines, numbered_lines
from metasearch.query.strategy_rows import count_of
from metasearch.query.syntaxes import DATABASES
from metasearch.query.tree import MAX_LENGTH, plain
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps as stored
from metasearch.review.strategies.references import LARGEST
from metasearch.review.strategies.resolve import place_of
from metasearch.review.strategies.step_text import read_step, renumber
from metasearch.review.strategies.strategies import Step, Strategy

#: Characters of a text with all lines, and lines.
LONGEST, MOST_LINES = 500_000, 500
_SHOWN = 8
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_BEGINS_NUMBERED = re.compile(r"\s{0,99}[#S(\[]?[0-9]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PastedLine:
    """A line. `number`: as it stands there, or its place in a list without numbers. `hits`: what
    the database said then.
    """

    number: int
    text: str
    hits: int | None
    original: str


@dataclass(frozen=True, slots=True)
class PastedText:
    """All lines, those that were first in the search first. `syntax`: of all of them, one of
    `metasearch.query.CHOICES`; "auto" where each is read by its own marks.
    """

    lines: tuple[PastedLine, ...]
    syntax: str
    notes: tuple[str, ...]


def read_paste(text: str, syntax: str = "auto") -> PastedText:
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
        syntax = syntax_of_lines(text, lines)
        if syntax != "auto":
            notes.append(message("the lines are read in the syntax {syntax}", syntax=syntax))
    if len(lines) > 1 and _are_apart(text, lines, syntax):
        numbers = [line.number for line in lines]
        joining = " AND ".join(f"#{number}" for number in numbers)
        lines.append(PastedLine(numbers[-1] + 1, joining, None, joining))
        notes.append(message("no line joins the others, so a last step joins them with AND"))
    return PastedText(tuple(lines), syntax, tuple(notes))


def _are_apart(text: str, lines: Sequence[PastedLine], syntax: str) -> bool:
    """Whether lines have no numbers and none names another: read as a whole, all have to hold."""
    if numbered_lines(text) is not None or _BEGINS_NUMBERED.match(text):
        return False
    if syntax == "auto":  # words in rows may be those of one title
        return any(" OR " in line.text for line in lines)
    return all(in_signs(line.text, 1, syntax) == line.text for line in lines)


def _too_many() -> UsageError:
    return UsageError(
        message("The text has more than {most} lines", most=MOST_LINES),
        advice=message("Copy in one search strategy at a time."),
    )


def _of_history(text: str) -> tuple[list[PastedLine], list[str]]:
    """The lines of a text as a history shows them, and notes on what else stood there."""
    cut = all_lines(text)
    lines = [
        PastedLine(line.number, _in_rows(line.text), line.hits, line.printed) for line in cut.lines
    ]
    empty = next((line.number for line in lines if not any(map(str.isalnum, line.text))), None)
    if empty is not None:
        raise UsageError(
            message("Line {number} has no query", number=empty),
            advice=message("Copy the column with the queries, too."),
        )
    left = [shown for kind, shown in cut.losses if kind not in ("counted", "unnumbered")]
    if not left:
        return lines, []
    return lines, [
        message("left out: {texts}", texts=_first_of(list(dict.fromkeys(map(plain, left)))))
    ]


def _in_rows(text: str) -> str:
    """The text of a line; rows of it that no operator joins stay rows, each of which is a whole."""
    rows = [row for row in map(plain, text.split("\n")) if row]
    text = "".join(rows[:1])
    for above, row in pairwise(rows):
        beside = above.rpartition(" ")[2].upper(), row.partition(" ")[0].upper()
        text += (" " if _OPERATORS.intersection(beside) else "\n") + row
    return text


def _of_pubmed_file(text: str) -> list[PastedLine]:
    """The lines of PubMed's history as a file."""
    lines = [
        PastedLine(number, query, count_of(hits), query) for number, query, hits in history(text)
    ]
    return sorted(lines, key=lambda line: line.number)


def syntax_of_lines(text: str, lines: Sequence[PastedLine | NumberedLine]) -> str:
    """The syntax of all lines: by their marks, else by how they name one another."""
    marks = {detect(line.text) for line in lines} - {"simple"}
    if marks:
        # A field of Chinese databases may be one of the others: TI=x.
        if marks - {*DATABASES, "pubmed", "cnki"} or len(text) > MAX_LENGTH:
            return "auto"
        if len(marks) == 1 and (marks != {"cnki"} or detect(text) == "cnki"):
            return marks.pop()
        whole = detect("\n".join(line.text for line in lines))
        return whole if whole in marks - {"cnki"} or whole == detect(text) != "cnki" else "auto"
    if len(text) <= MAX_LENGTH and (whole := detect(text)) in ("pubmed", "vhl"):
        return whole  # in lines alone: tags behind blanks, names before colons
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


def _first_of(texts: Sequence[str]) -> str:
    shown = "; ".join(text if len(text) <= 80 else f"{text[:79]}…" for text in texts[:_SHOWN])
    if len(texts) <= _SHOWN:
        return shown
    return message("{words} and {number} more", words=shown, number=len(texts) - _SHOWN)


_LONGEST_ORIGINAL = 5_000


@dataclass(frozen=True, slots=True)
class PasteResult:
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
) -> PasteResult:
    """Add a step for each line of a text, all or none.

    Numbers stay what they are where they are free; otherwise lines are numbered anew, also where
    they name one another. Limits that a platform prints beside a query stay in the step, whose
    reader reads them. `details["hits"]` of a step is the number of hits that its line showed.
    Raises QuerySyntaxError: a line cannot be read; the reason begins with its number. Raises
    UsageError: the text has no lines or too many, or its numbers cannot be kept or changed.
    """
    copied = read_paste(text, syntax)
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
    return PasteResult(tuple(steps), copied.syntax, tuple(notes))


def _in_signs(copied: PastedText) -> list[PastedLine]:
    """The lines as the syntax writes those that combine or limit others."""
    if copied.syntax == "auto":
        return list(copied.lines)
    before = (0, *(line.number for line in copied.lines))
    return [
        replace(line, text=in_signs(line.text, number, copied.syntax))
        for number, line in zip(before, copied.lines, strict=False)
    ]


def _draft(strategy: Strategy, line: PastedLine, syntax: str, numbers: dict[int, int]) -> Step:
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
        text = renumber(text, syntax, numbers)
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
