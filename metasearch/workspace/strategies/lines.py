"""Search strategies copied in line by line, and written out for searches by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import steps as stored
from metasearch.workspace.strategies.combine import LARGEST
from metasearch.workspace.strategies.copied_text import CopiedLine, copied_text
from metasearch.workspace.strategies.reading import read_step
from metasearch.workspace.strategies.renumbering import renumbered
from metasearch.workspace.strategies.resolve import place_of
from metasearch.workspace.strategies.step import Step
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.strategies.writing import Written, WrittenLine, written

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
    they name one another. `details["hits"]` of a step is the number of hits that its line showed.
    Raises QuerySyntaxError: a line cannot be read; the reason begins with its number. Raises
    UsageError: the text has no lines or too many, or its numbers cannot be kept or changed.
    """
    copied = copied_text(text, syntax)
    notes = list(copied.notes)
    with db.transaction():
        last = db.value("SELECT max(number) FROM step WHERE strategy = ?", strategy.id) or 0
        numbers = [line.number for line in copied.lines]
        if len(set(numbers)) != len(numbers):
            raise UsageError(
                message("Two lines have the same number"),
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
        drafts = [_draft(strategy, line, copied.syntax, new) for line in copied.lines]
        steps = stored.add_all(db, strategy, drafts, by=by)
    return CopiedIn(tuple(steps), copied.syntax, tuple(notes))


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


__all__ = ["CopiedIn", "Written", "WrittenLine", "copy_in", "written"]
