"""Search strategies as they are copied from a database's history, line by line, or from a paper.

Ovid, PubMed (also its file of comma-separated values), Embase, EBSCO, Web of Science (the newest
line first), Cochrane, Scopus, ProQuest, numbered lists with `1.`, `1、`, `(1)`, `#1` or `S1`, and
lists without numbers, whose lines are counted. Beside a query, histories show hits, times, buttons
and settings; hits are kept, all else is told as left out.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.query.detect import detect
from metasearch.query.strategy import HITS, NumberedLine, numbered_lines
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
#: How numbers are written beside `1.`, `#1` and `S1`: what stands at the beginning -> the number.
_ODD_NUMBER = re.compile(
    r"[ \t]{0,8}(?:"
    r"#[ \t]{1,4}(?P<sharp>[0-9]{1,4})(?=[\s:.])"
    r"|[（(](?P<inside>[0-9]{1,4})[)）](?=\s|[^\W\d]|[(（\"'“])"
    r"|(?P<comma>[0-9]{1,4})[、．]"
    r"|(?:[Ss]et|[Ss]earch|[Ss]tep)[ \t]{1,4}#?(?P<named>[0-9]{1,4})[:.)]?(?=\s))"
)
_FIRST = re.compile(r"[ \t]{0,8}(?:[#Ss]?[0-9]{1,4}[.):]?)(?=[ \t])")
_FULL_WIDTH = str.maketrans("＃０１２３４５６７８９．：", "#0123456789.:")
_COUNT = r"[0-9][0-9,. \u00a0]{0,12}"
_HITS_CELL = re.compile(
    rf"[(~≈]?\s?({_COUNT})\s?(?:(?:document )?results?|hits|documents?|records?|[*°])?\)?",
    re.IGNORECASE,
)
_HITS_SAID = re.compile(
    rf"\s+(?:Results?|Hits|Items found)\s?:\s?({_COUNT})\s*\Z"
    rf"|\s+({_COUNT})\s(?:results?|hits|documents?|document results|records)\s*\Z",
    re.IGNORECASE,
)
_HITS_BARE = re.compile(r"(?<=\S) ([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9})\Z")
_MOMENT_CELL = re.compile(
    r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s?[AP]M)?|[0-9]{1,2}[ -][A-Z][a-z]{2,8}[ -][0-9]{4}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}"
)
_MOMENT = re.compile(rf"\s+(?:{_MOMENT_CELL.pattern})\s*\Z")
_BUTTONS = frozenset(
    "add actions advanced edit delete details view rerun save more expand contract display query "
    "select search share copy".split()
) | {
    "view results",
    "view details",
    "display results",
    "add to builder",
    "create alert",
    "save search",
}
#: What stands below a query in the histories of EBSCO and Web of Science.
_SETTING = re.compile(
    r"\s*(?:Expanders|Search modes|Interface|Search Screen|Database|Databases|Indexes|Timespan|"
    r"Editions|Collections?|Exact search|Last Run Via|View Results|Edit|Save|Date Run)\b\s?"
    r"(?:[-–=:(]|\Z).*",
    re.IGNORECASE,
)
#: The same where it narrows the query.
_NARROWED = re.compile(
    r"\s*(?:Limiters|Narrow by|Refined by|Filters?|Limits?)\s?[-–:]\s?.*", re.IGNORECASE
)
_FILTERS = re.compile(r"\s+(?:Filters|Limits|Sort by)\s?:\s.*\Z", re.IGNORECASE)
_SEARCH = re.compile(r"Search:\s{0,3}", re.IGNORECASE)
_SEARCH_BARE = re.compile(r"Search\s{1,3}(?=\S)")


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
    notes: list[str] = []
    if text.lstrip("\ufeff \r\n").casefold().startswith("search number,"):
        lines, said = _of_pubmed_file(text)
        notes += said
        syntax = "pubmed" if syntax == "auto" else syntax
    else:
        numbered, left = _numbered(text)
        if left:
            notes.append(_left_out(left))
        lines, said = _cleaned(numbered)
        notes += said
    if not lines:
        raise UsageError(
            message("The text has no lines"), advice=message("Copy in a step on each line.")
        )
    if len(lines) > MOST_LINES:
        raise UsageError(
            message("The text has more than {most} lines", most=MOST_LINES),
            advice=message("Copy in one search strategy at a time."),
        )
    if syntax == "auto":
        syntax = _syntax_of(text, lines)
        if syntax != "auto":
            notes.append(message("the lines are read in the syntax {syntax}", syntax=syntax))
    return CopiedText(tuple(lines), syntax, tuple(notes))


def _numbered(text: str) -> tuple[list[NumberedLine], list[str]]:
    """The lines with their numbers, and what stands above the first one."""
    rows = [
        _usual_number(row) for row in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ]
    rows = [row for row in rows if row.strip("\ufeff \t")]
    above = 0
    while above < len(rows) and not _FIRST.match(rows[above]):
        above += 1
    below = numbered_lines("\n".join(rows[above:]), referring=False) if above < len(rows) else None
    if below and not (above and len(below) * 4 < len(rows)):
        return below, [row for row in rows[:above] if any(map(str.isalnum, row))]
    plain_rows = [row.strip("\ufeff \t") for row in rows]
    return [NumberedLine(number, "", row, 0) for number, row in enumerate(plain_rows, 1)], []


def _usual_number(row: str) -> str:
    head = row[:12].translate(_FULL_WIDTH)
    row = (head + row[12:]) if _FIRST.match(head) or _ODD_NUMBER.match(head) else row
    match = _ODD_NUMBER.match(row)
    if match is None:
        return row
    number = match["sharp"] or match["inside"] or match["comma"] or match["named"]
    sign = "#" if match["sharp"] else ""
    return f"{sign}{number}{'' if sign else '.'} {row[match.end() :].lstrip(' :.')}"


def _cleaned(lines: Sequence[NumberedLine]) -> tuple[list[CopiedLine], list[str]]:
    """The queries, and notes on what else stood there."""
    left: list[str] = []
    narrowed: list[str] = []
    bare_search = all(_SEARCH_BARE.match(line.text.lstrip("\t ")) for line in lines)
    out = [_one(line, left, narrowed, bare_search=bare_search) for line in lines]
    out = _with_bare_hits(out)
    notes = [_left_out(left)] if left else []
    if narrowed:
        notes.append(_limits(narrowed))
    counts = all(_HITS_CELL.fullmatch(line.text) for line in out)
    empty = [line.number for line in out if not line.text or counts]
    if empty:
        raise UsageError(
            message("Line {number} has no query", number=empty[0]),
            advice=message("Copy the column with the queries, too."),
        )
    return out, notes


def _one(
    line: NumberedLine, left: list[str], narrowed: list[str], *, bare_search: bool
) -> CopiedLine:
    hits: int | None = None
    rows: list[str] = []
    for row in line.text.split("\n"):
        if rows and _NARROWED.fullmatch(row):
            narrowed.append(f"{line.number}: {plain(row)}")
        elif rows and _SETTING.fullmatch(row):
            left.append(plain(row))
        else:
            rows.append(row)
    text = " ".join(rows)
    if "\t" in text:
        text, hits = _cells(line.number, text, left, narrowed)
    while match := _MOMENT.search(text[-40:]):
        text = text[: len(text) - len(match[0])]
    if hits is None and (match := _HITS_SAID.search(text)):
        text, hits = text[: match.start()], _count(match[1] or match[2])
    if hits is None and (match := HITS.search(text)):
        text, hits = text[: match.start()], _count(match[0])
    if match := _FILTERS.search(text):
        narrowed.append(f"{line.number}: {plain(match[0])}")
        text = text[: match.start()]
    text = text.strip()
    search = _SEARCH.match(text) or (_SEARCH_BARE.match(text) if bare_search else None)
    if search:
        text = text[search.end() :]
    return CopiedLine(line.number, plain(text), hits, line.text)


def _cells(number: int, text: str, left: list[str], narrowed: list[str]) -> tuple[str, int | None]:
    """The query and hits of a row of a table."""
    query, hits = "", None
    for cell in map(str.strip, text.split("\t")):
        if not cell or cell.casefold() in _BUTTONS or cell in ("…", "..."):
            continue
        if hits is None and (match := _HITS_CELL.fullmatch(cell)):
            hits = _count(match[1])
        elif _MOMENT_CELL.fullmatch(cell):
            continue
        elif not query:
            query = cell
        elif _NARROWED.fullmatch(cell):
            narrowed.append(f"{number}: {cell}")
        else:
            left.append(cell)
    return query, hits


def _with_bare_hits(lines: list[CopiedLine]) -> list[CopiedLine]:
    """The lines without a last number where all have one, behind a single blank."""
    if len(lines) < 3 or any(line.hits is not None for line in lines):
        return lines
    found = [_HITS_BARE.search(line.text) for line in lines]
    if not all(found):
        return lines
    out = []
    for line, match in zip(lines, found, strict=True):
        assert match is not None
        query = line.text[: match.start()].rstrip()
        if re.search(
            r"(?:\A|[\s(])(?:and|or|not|limit|from|to)\Z|(?:or|and)/\Z|[=:#(-]\Z",
            query,
            re.IGNORECASE,
        ):
            return lines
        out.append(replace(line, text=query, hits=_count(match[1])))
    return out


def _count(text: str) -> int | None:
    digits = "".join(char for char in text if char.isascii() and char.isdigit())
    return int(digits) if 0 < len(digits) <= 12 else None


def _of_pubmed_file(text: str) -> tuple[list[CopiedLine], list[str]]:
    """The lines of PubMed's history as a file: Search number, Query, ..., Results."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
    try:
        rows = list(csv.DictReader(text.lstrip("\ufeff \r\n").splitlines()))
    except csv.Error as exc:
        raise UsageError(
            message("The lines of the file cannot be read: {reason}", reason=str(exc)),
            advice=message("Copy the table of the history instead."),
        ) from None
    lines: list[CopiedLine] = []
    narrowed: list[str] = []
    for row in rows:
        number, query = (row.get("Search number") or "").strip(" #"), row.get("Query") or ""
        if number.isdigit() and len(number) < 5 and query.strip():
            hits = _count(row.get("Results") or "")
            lines.append(CopiedLine(int(number), plain(query), hits, query))
            if filters := plain(row.get("Filters") or ""):
                narrowed.append(f"{number}: {filters}")
    notes = [_limits(narrowed)] if narrowed else []
    return sorted(lines, key=lambda line: line.number), notes


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


def _limits(texts: Sequence[str]) -> str:
    return message(
        "limits that were set beside a query are not part of it; write them as steps: {texts}",
        texts=_shown(texts),
    )


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
