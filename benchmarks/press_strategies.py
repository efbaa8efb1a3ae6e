"""Strategies of searches as texts of lines, whose lines can be exchanged and taken out.

They stand in `strategies/SYNTAX.txt`, each below a line `=== name: what it looks for`. A strategy
has numbered lines, or it is one query, whose only line has no number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

FOLDER = Path(__file__).parent / "strategies"
_LINE = re.compile(
    r"(?P<before>[#S]?(?P<number>[0-9]+)[.\t ]+(?:Search: )?)(?P<body>.*?)"
    r"(?P<hits>(?:\t|[ ]+)[0-9][0-9,]*)?"
)
#: A line that only joins others: `or/1-4`, `1 or 2`, `#1 AND #2`, `{or #1-#2}`.
_RANGE = re.compile(r"(or|and)/([0-9]+)-([0-9]+)|\{(or|and) #([0-9]+)-#([0-9]+)\}", re.IGNORECASE)
_LIST = re.compile(r"[#S]?[0-9]+(?: (?:or|and|not) [#S]?[0-9]+)+", re.IGNORECASE)
_WORD = re.compile(r"(?<= )(?:or|and|not)(?= )", re.IGNORECASE)
_REFERENCE = re.compile(r"(?<![\w.*-])[#S]([0-9]+)\b")


@dataclass(frozen=True, slots=True)
class Line:
    """A line.

    Attributes:
        before: All before its query: sign, number, blanks.
        hits: What is printed behind it, with the blanks before it.
    """

    number: int | None
    before: str
    body: str
    hits: str = ""

    @property
    def count(self) -> int:
        return int(self.hits.replace(",", "").strip() or 0)

    @property
    def join(self) -> Join | None:
        """What a line says that only joins others."""
        if match := _RANGE.fullmatch(self.body):
            word, first, last = filter(None, match.groups())
            return Join(word, tuple(range(int(first), int(last) + 1)))
        words = {*_WORD.findall(self.body)}
        if self.number is not None and _LIST.fullmatch(self.body) and len(words) == 1:
            return Join(words.pop(), tuple(map(int, re.findall("[0-9]+", self.body))))
        return None


@dataclass(frozen=True, slots=True)
class Join:
    """One operator between earlier lines, as it is written."""

    word: str
    numbers: tuple[int, ...]

    @property
    def operator(self) -> str:
        return self.word.upper()

    def text(self, syntax: str) -> str:
        sign = {"ovid": "", "ebsco": "S", "proquest": "S"}.get(syntax, "#")
        if (
            syntax == "ovid"
            and len(self.numbers) > 2
            and all(second == first + 1 for first, second in pairwise(self.numbers))
        ):
            return f"{self.word}/{self.numbers[0]}-{self.numbers[-1]}"
        return f" {self.word} ".join(f"{sign}{number}" for number in self.numbers)


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy.

    Attributes:
        lines: In the order of their numbers.
        turned: Whether it is printed with the last line first.
    """

    name: str
    syntax: str
    lines: tuple[Line, ...]
    turned: bool = False

    @property
    def text(self) -> str:
        lines = self.lines[::-1] if self.turned else self.lines
        return "\n".join(f"{line.before}{line.body}{line.hits}" for line in lines)

    def line(self, number: int | None) -> Line:
        return next(line for line in self.lines if line.number == number)

    def joins(self, operator: str) -> Iterator[tuple[Line, Join]]:
        for line in self.lines:
            if (join := line.join) and join.operator == operator:
                yield line, join

    def concepts(self) -> Iterator[tuple[Line, list[Line]]]:
        """Lines that join others by OR, with those."""
        for line, join in self.joins("OR"):
            yield line, [self.line(number) for number in join.numbers]

    def with_body(self, number: int | None, body: str, hits: str | None = None) -> Strategy:
        return replace(
            self,
            lines=tuple(
                replace(line, body=body, hits=line.hits if hits is None else hits)
                if line.number == number
                else line
                for line in self.lines
            ),
        )

    def with_line(self, body: str) -> Strategy:
        """One more at the end, numbered as the others are."""
        last = self.lines[-1]
        assert last.number is not None
        before = last.before.replace(str(last.number), str(last.number + 1))
        hits = re.sub("[0-9,]+", f"{last.count * 2 // 3:,}", last.hits)
        return replace(self, lines=(*self.lines, Line(last.number + 1, before, body, hits)))

    def without(self, numbers: Sequence[int], instead: Mapping[int, int] | None = None) -> Strategy:
        """Without these lines, numbered anew.

        `instead`: lines that are taken out -> those that others name in their place.
        """
        kept = [line for line in self.lines if line.number not in numbers]
        new: dict[int, int] = {
            line.number: at for at, line in enumerate(kept, 1) if line.number is not None
        }
        for old, other in (instead or {}).items():
            new[old] = new[other]
        lines = []
        for line in kept:
            assert line.number is not None
            if join := line.join:
                parts = tuple(new[number] for number in join.numbers if number in new)
                body = Join(join.word, parts).text(self.syntax)
            else:
                body = _REFERENCE.sub(
                    lambda match: match[0].replace(match[1], str(new[int(match[1])])), line.body
                )
            before = line.before.replace(str(line.number), str(new[line.number]))
            lines.append(Line(new[line.number], before, body, line.hits))
        return replace(self, lines=tuple(lines))


def strategies() -> list[Strategy]:
    """Those of all files, by syntax."""
    return [
        _strategy(file.stem, *part.split("\n", 1))
        for file in sorted(FOLDER.glob("*.txt"))
        for part in file.read_text(encoding="utf-8").split("=== ")[1:]
    ]


def _strategy(syntax: str, title: str, text: str) -> Strategy:
    text = text.strip("\n")
    rows = [_LINE.fullmatch(row) for row in text.split("\n")]
    name = f"{syntax} {title.partition(':')[0]}"
    if not all(rows):
        return Strategy(name, syntax, (Line(None, "", text),))
    with_hits = all(row and row["hits"] for row in rows)
    lines = [
        Line(
            int(row["number"]),
            row["before"],
            row["body"] if with_hits else row["body"] + (row["hits"] or ""),
            (row["hits"] or "") if with_hits else "",
        )
        for row in rows
        if row
    ]
    turned = (lines[0].number or 0) > (lines[-1].number or 0)
    return Strategy(name, syntax, tuple(lines[::-1] if turned else lines), turned)
