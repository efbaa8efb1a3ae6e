"""The PRISMA 2020 flow diagram as a `Figure`.

    Page, M. J. et al. (2021). The PRISMA 2020 statement. BMJ 372, n71; its diagrams for new and for
    updated reviews, with databases and registers only or with other methods too.

A drawing has room for so many lines; the table beside it says all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wcwidth import wcwidth

from metasearch.review.reports.document import Arrow, Box, Figure, Say, Table
from metasearch.review.reports.numbers import Identified, Numbers
from metasearch.review.runs.other_sources import OtherSource

#: Lines of a list in a box, and columns (of letters) of a line of 100 units.
_MOST_LINES, _LETTERS = 8, 15.5
#: Height of a box beside its lines, of a line, between two boxes, of the heads; width of a band.
_PAD, _LINE, _GAP, _TOP, _BAND = 17, 17, 34, 28, 26
#: Widths of the columns, and what lies between them.
_PREVIOUS, _MAIN, _SIDE, _OTHER, _BETWEEN = 184, 270, 256, 210, 38


def figure(numbers: Numbers, table: Table, say: Say) -> Figure:
    """The diagram."""
    return _Drawing(numbers, say).figure(table)


class _Drawing:
    """Places the boxes: columns from left to right, rows from top to bottom."""

    def __init__(self, numbers: Numbers, say: Say) -> None:
        self._numbers = numbers
        self._say = say
        self._boxes: list[Box] = []
        self._arrows: list[Arrow] = []
        names = ["stage"]
        names += ["previous"] if numbers.previous else []
        names += ["main", "side"]
        names += ["other"] if numbers.other else []
        self._columns = {name: number for number, name in enumerate(names)}
        widths = {
            "stage": _BAND,
            "previous": _PREVIOUS,
            "main": _MAIN,
            "side": _SIDE,
            "other": _OTHER,
        }
        self._x: dict[str, int] = {}
        self._widths = widths
        x = 0
        for name in names:
            self._x[name] = x
            x += widths[name] + (14 if name == "stage" else _BETWEEN)
        self._width = x - _BETWEEN + 2

    def figure(self, table: Table) -> Figure:
        numbers, say = self._numbers, self._say
        rows = self._rows()
        y = _TOP
        tops: list[tuple[int, int]] = []
        for row in rows:
            height = max(_PAD + _LINE * len(lines) for lines in row.values())
            tops.append((y, height))
            y += height + _GAP
        heads = {"main": say("Databases and registers", "数据库与注册库")}
        if numbers.other:
            heads["other"] = say("Other methods", "其他途径")
        if numbers.previous:
            heads["previous"] = say("Previous studies", "既往研究")
        for name, text in heads.items():
            self._box(name, 0, 0, 0, (text,), role="label")
        for number, row in enumerate(rows):
            for name, lines in row.items():
                top, _ = tops[number]
                own = _PAD + _LINE * len(lines)
                self._box(name, number, top, own, lines)
        self._stages(tops, len(rows))
        self._ways(rows)
        return Figure(
            title=say("PRISMA 2020 flow diagram", "PRISMA 2020 文献筛选流程图"),
            description=self._description(),
            width=self._width,
            height=max(box.y + box.height for box in self._boxes) + 2,
            boxes=tuple(self._boxes),
            arrows=tuple(self._arrows),
            table=table,
        )

    def _description(self) -> str:
        n, say = self._numbers, self._say
        return say(
            f"From {n.identified:,} records identified in databases and registers to "
            f"{n.total_reports:,} reports included. All numbers are in the table that follows.",
            f"从数据库与注册库检出的 {n.identified:,} 条记录到纳入的 {n.total_reports:,} "
            "篇报告。全部数字见下表。",
        )

    # ---------------------------------------------------------------- boxes

    def _rows(self) -> list[dict[str, tuple[str, ...]]]:
        """The texts of each row of boxes, by column."""
        n, say = self._numbers, self._say
        rows: list[dict[str, tuple[str, ...]]] = [
            {
                "main": self._lines(
                    "main", say("Records identified", "检出记录"), n.identified, self._sources()
                ),
                "side": self._lines(
                    "side",
                    say("Removed before screening", "筛选前剔除"),
                    n.duplicates + n.known,
                    self._removed(),
                ),
            },
            {
                "main": self._lines(
                    "main",
                    say("Records screened", "筛选记录"),
                    n.screened,
                    self._waiting(say("Not yet screened", "尚未筛选"), n.not_screened),
                ),
                "side": self._lines("side", say("Records excluded", "排除记录"), n.excluded),
            },
            {
                "main": self._lines(
                    "main", say("Reports sought for retrieval", "需获取全文的报告"), n.sought
                ),
                "side": self._lines(
                    "side", say("Reports not retrieved", "未获得全文"), n.not_retrieved
                ),
            },
            {
                "main": self._lines(
                    "main",
                    say("Reports assessed for eligibility", "评估全文的报告"),
                    n.assessed,
                    self._waiting(say("Not yet assessed", "尚未评估"), n.not_assessed),
                ),
                "side": self._lines(
                    "side",
                    say("Reports excluded", "排除报告"),
                    n.excluded_reports,
                    self._reasons(n.reasons.items()),
                ),
            },
            {"main": self._included()},
        ]
        if n.other:
            self._add_other(rows)
        if n.previous:
            rows[0]["previous"] = self._lines(
                "previous",
                say("Studies included", "纳入研究"),
                n.previous.studies,
                [say(f"Reports of them {n.previous.reports:,}", f"报告 {n.previous.reports:,}")],
            )
            rows.append({"main": self._total()})
        return rows

    def _included(self) -> tuple[str, ...]:
        n, say = self._numbers, self._say
        studies, reports = n.studies + n.other_included, n.included + n.other_included
        new = n.previous is not None
        title = (
            say("New studies included", "新纳入研究")
            if new
            else say("Studies included", "纳入研究")
        )
        more = [say(f"Reports of them {reports:,}", f"报告 {reports:,}")]
        if n.other:
            more.append(
                say(
                    f"From databases {n.included:,}, by other methods {n.other_included:,}",
                    f"来自数据库 {n.included:,}，其他途径 {n.other_included:,}",
                )
            )
        return self._lines("main", title, studies, more)

    def _total(self) -> tuple[str, ...]:
        n, say = self._numbers, self._say
        return self._lines(
            "main",
            say("Total studies included", "纳入研究总数"),
            n.total_studies,
            [say(f"Reports of them {n.total_reports:,}", f"报告 {n.total_reports:,}")],
        )

    def _add_other(self, rows: list[dict[str, tuple[str, ...]]]) -> None:
        n, say = self._numbers, self._say
        kinds: dict[str, int] = {}
        for one in n.other:
            kinds[one.kind] = kinds.get(one.kind, 0) + (one.identified or 0)
        listed = [f"{kind_of_other(kind, say)} {count:,}" for kind, count in kinds.items()]
        sought, lost, assessed, excluded = other_sums(n.other)
        rows[0]["other"] = self._lines(
            "other", say("Records identified", "检出记录"), sum(kinds.values()), listed
        )
        rows[2]["other"] = self._lines(
            "other",
            say("Reports sought", "需获取全文"),
            sought,
            [say(f"Not retrieved {lost:,}", f"未获得全文 {lost:,}")],
        )
        rows[3]["other"] = self._lines(
            "other",
            say("Reports assessed", "评估全文"),
            assessed,
            [
                say(f"Excluded {sum(excluded.values()):,}", f"排除 {sum(excluded.values()):,}"),
                *(f"\u2003{line}" for line in self._reasons(excluded.items())),
            ],
        )

    def _lines(
        self, column: str, title: str, count: int, more: Iterable[str] = ()
    ) -> tuple[str, ...]:
        columns = int(self._widths[column] * _LETTERS / 100)
        head = f"{title}{self._say(': ', '：')}{count:,}"
        wrapped = [line for text in more for line in wrap(text, columns)]
        return (fitted(head, columns - 2), *wrapped)

    def _waiting(self, label: str, count: int) -> list[str]:
        return [f"{label} {count:,}"] if count else []

    def _sources(self) -> list[str]:
        say = self._say
        out = []
        for place, title in (
            ("database", say("Databases", "数据库")),
            ("register", say("Registers", "注册库")),
            ("other", say("Other files", "其他文件")),
        ):
            sources = self._numbers.of_place(place)
            if not sources and place == "other":
                continue
            out.append(f"{title} {sum(one.records for one in sources):,}")
            largest = sorted(sources, key=lambda one: -one.records)
            out += self._cut([f"\u2003{self._source(one)}" for one in largest])
        return out

    def _source(self, one: Identified) -> str:
        hand = self._say(" (by hand)", "（手工检索）") if one.by_hand else ""
        return f"{one.label}{hand} {records_of(one, self._say)}"

    def _removed(self) -> list[str]:
        n, say = self._numbers, self._say
        out = [say(f"Duplicates {n.duplicates:,}", f"重复记录 {n.duplicates:,}")]
        if n.previous:
            out.append(say(f"Found by the earlier search {n.known:,}", f"既往检索已得 {n.known:,}"))
        out.append(say("By automation tools 0", "自动化工具剔除 0"))
        return out

    def _reasons(self, reasons: Iterable[tuple[str, int]]) -> list[str]:
        return self._cut([f"{reason_text(text, self._say)} {count:,}" for text, count in reasons])

    def _cut(self, lines: list[str]) -> list[str]:
        if len(lines) <= _MOST_LINES:
            return lines
        rest = len(lines) - _MOST_LINES + 1
        return [*lines[: _MOST_LINES - 1], self._say(f"and {rest:,} more", f"另有 {rest:,} 项")]

    # ---------------------------------------------------------------- drawing

    def _box(
        self,
        name: str,
        row: int,
        y: int,
        height: int,
        lines: Sequence[str],
        role: str = "box",
    ) -> None:
        # Row 0 of the grid holds the heads.
        self._boxes.append(
            Box(
                lines=tuple(lines),
                x=self._x[name],
                y=y,
                width=self._widths[name],
                height=height,
                role="label" if role == "label" else "box",
                row=row if role == "label" else row + 1,
                column=self._columns[name],
            )
        )

    def _stages(self, tops: list[tuple[int, int]], rows: int) -> None:
        say = self._say
        for text, first, last in (
            (say("Identification", "检索"), 0, 0),
            (say("Screening", "筛选"), 1, 3),
            (say("Included", "纳入"), 4, rows - 1),
        ):
            top = tops[first][0]
            self._boxes.append(
                Box(
                    lines=(text,),
                    x=0,
                    y=top,
                    width=_BAND,
                    height=max(tops[last][0] + tops[last][1] - top, 78),
                    role="stage",
                    row=first + 1,
                    column=0,
                    rows=last - first + 1,
                )
            )

    def _ways(self, rows: list[dict[str, tuple[str, ...]]]) -> None:
        boxes = {(box.row - 1, box.column): box for box in self._boxes if box.role == "box"}
        columns = self._columns

        def at(row: int, name: str) -> Box:
            return boxes[row, columns[name]]

        for row in range(len(rows) - 1):
            self._down(at(row, "main"), at(row + 1, "main"))
        for row, texts in enumerate(rows):
            if "side" in texts:
                self._right(at(row, "main"), at(row, "side"))
        if "other" in columns:
            self._down(at(0, "other"), at(2, "other"))
            self._down(at(2, "other"), at(3, "other"))
            self._corner(at(3, "other"), at(4, "main"))
        if "previous" in columns:
            self._corner(at(0, "previous"), at(len(rows) - 1, "main"))

    def _down(self, upper: Box, lower: Box) -> None:
        x = upper.x + upper.width // 2
        self._arrow(upper, lower, (x, upper.y + upper.height), (x, lower.y))

    def _right(self, left: Box, right: Box) -> None:
        y = left.y + 17
        self._arrow(left, right, (left.x + left.width, y), (right.x, y))

    def _corner(self, upper: Box, lower: Box) -> None:
        """Down from the one, then to the side of the other."""
        x, y = upper.x + upper.width // 2, lower.y + 17
        side = lower.x if x < lower.x else lower.x + lower.width
        self._arrow(upper, lower, (x, upper.y + upper.height), (x, y), (side, y))

    def _arrow(self, start: Box, end: Box, *points: tuple[int, int]) -> None:
        cells = ((start.row, start.column), (end.row, end.column))
        self._arrows.append(Arrow(points=points, cells=cells))


def other_sums(other: Iterable[OtherSource]) -> tuple[int, int, int, dict[str, int]]:
    """Of other ways of searching: reports sought, not retrieved, assessed, and excluded by reason;
    what is not stated counts nothing.
    """
    sought = lost = assessed = 0
    excluded: dict[str, int] = {}
    for one in other:
        sought += one.sought or 0
        lost += one.not_retrieved or 0
        assessed += one.assessed or 0
        for reason, count in one.excluded.items():
            excluded[reason] = excluded.get(reason, 0) + count
    return sought, lost, assessed, dict(sorted(excluded.items(), key=lambda it: (-it[1], it[0])))


def kind_of_other(kind: str, say: Say) -> str:
    """A kind of `OtherSource` in words."""
    return {
        "website": say("Websites", "网站"),
        "organisation": say("Organisations", "机构"),
        "browse": say("Browsing", "浏览"),
        "citation": say("Citation searching", "引文检索"),
        "contact": say("Contacts", "联系作者与专家"),
        "register": say("Registers by hand", "手工检索注册库"),
    }.get(kind, say("Other methods", "其他方法"))


def records_of(one: Identified, say: Say) -> str:
    """How many records a source gave; one that failed did not give 0."""
    return say("failed", "检索失败") if one.failed else f"{one.records:,}"


def reason_text(reason: str, say: Say) -> str:
    """A reason in words, where none was given too."""
    return reason or say("No reason given", "未注明理由")


def wrap(text: str, columns: int) -> list[str]:
    """The lines of a text, each of so many columns at most; a Chinese character takes two."""
    lines, line, width = [], "", 0
    for word in _words(text):
        needed = sum(map(_width, word))
        if line.strip() and width + needed > columns:
            lines.append(line.rstrip())
            word = word.lstrip()
            line, width = "\u2003\u2003", 4  # what goes on is set in
            needed = sum(map(_width, word))
        for sign in word:  # a word that is longer than a line is broken
            if width + _width(sign) > columns and line.strip():
                lines.append(line.rstrip())
                line, width = "\u2003\u2003", 4
            line += sign
            width += _width(sign)
    return [*lines, line.rstrip()] if line.strip() else lines


def fitted(text: str, columns: int) -> str:
    """A text on one line, cut with "…" where it is longer; its last word stays: it is a number."""
    if sum(map(_width, text)) <= columns:
        return text
    head, blank, number = text.rpartition(" ")
    if not blank:
        head, number = text, ""
    while head and sum(map(_width, head + number)) + 2 > columns:
        head = head[:-1]
    return f"{head}… {number}".rstrip()


def _words(text: str) -> list[str]:
    """Pieces at whose ends a line may end: words with the blank before them, wide characters."""
    pieces: list[str] = []
    for sign in text:
        last = pieces[-1][-1] if pieces else ""
        narrow = last and not sign.isspace() and _width(sign) < 2 and _width(last) < 2
        if narrow or (last.isspace() and not sign.isspace()):
            pieces[-1] += sign
        else:
            pieces.append(sign)
    return pieces


def _width(sign: str) -> int:
    return max(wcwidth(sign), 0)
