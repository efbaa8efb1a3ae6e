"""The PRISMA 2020 flow diagram as a `Figure`.

    Page, M. J. et al. (2021). The PRISMA 2020 statement. BMJ 372, n71; its diagrams for new and for
    updated reviews, with databases and registers only or with other methods too.

A drawing has room for so many lines; the table beside it says all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wcwidth import wcwidth

from metasearch.message import message_in
from metasearch.review.reports.document import Arrow, Box, Figure, Phrase, Table
from metasearch.review.reports.numbers import CitationNumbers, ReportNumbers, SourceNumbers
from metasearch.review.runs.other_sources import OtherSource

#: Lines of a list in a box, and columns (of letters) of a line of 100 units.
_MOST_LINES, _LETTERS = 8, 15.5
#: Height of a box beside its lines, of a line, between two boxes, of the heads; width of a band.
_PAD, _LINE, _GAP, _TOP, _BAND = 17, 17, 34, 28, 26
#: Widths of the columns, and what lies between them.
_PREVIOUS, _MAIN, _SIDE, _OTHER, _BETWEEN = 184, 270, 256, 210, 38


def figure(numbers: ReportNumbers, table: Table, phrase: Phrase) -> Figure:
    """The diagram."""
    return _FlowLayout(numbers, phrase).figure(table)


class _FlowLayout:
    """Places the boxes: columns from left to right, rows from top to bottom."""

    def __init__(self, numbers: ReportNumbers, phrase: Phrase) -> None:
        self._numbers = numbers
        self._phrase = phrase
        self._boxes: list[Box] = []
        self._arrows: list[Arrow] = []
        names = ["stage"]
        names += ["previous"] if numbers.previous else []
        names += ["main", "side"]
        names += ["other"] if numbers.others else []
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
        numbers, phrase = self._numbers, self._phrase
        rows = self._rows()
        y = _TOP
        tops: list[tuple[int, int]] = []
        for row in rows:
            height = max(_PAD + _LINE * len(lines) for lines in row.values())
            tops.append((y, height))
            y += height + _GAP
        heads = {"main": phrase("Databases and registers")}
        if numbers.others:
            heads["other"] = phrase(message_in("diagram", "Other methods"))
        if numbers.previous:
            heads["previous"] = phrase("Previous studies")
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
            title=phrase(message_in("diagram", "PRISMA 2020 flow diagram")),
            description=self._description(),
            width=self._width,
            height=max(box.y + box.height for box in self._boxes) + 2,
            boxes=tuple(self._boxes),
            arrows=tuple(self._arrows),
            table=table,
        )

    def _description(self) -> str:
        n, phrase = self._numbers, self._phrase
        return phrase(
            "From {identified} records identified in databases and registers to "
            "{total_reports} reports included. All numbers are in the table that "
            "follows.",
            identified=n.identified,
            total_reports=n.total_reports,
        )

    # ---------------------------------------------------------------- boxes

    def _rows(self) -> list[dict[str, tuple[str, ...]]]:
        """The texts of each row of boxes, by column."""
        n, phrase = self._numbers, self._phrase
        rows: list[dict[str, tuple[str, ...]]] = [
            {
                "main": self._lines(
                    "main", phrase("Records identified"), n.identified, self._sources()
                ),
                "side": self._lines(
                    "side",
                    phrase("Removed before screening"),
                    n.duplicates + n.known,
                    self._removed_lines(),
                ),
            },
            {
                "main": self._lines(
                    "main",
                    phrase("Records screened"),
                    n.screened,
                    self._waiting_lines(phrase("Not yet screened"), n.not_screened),
                ),
                "side": self._lines("side", phrase("Records excluded"), n.excluded),
            },
            {
                "main": self._lines("main", phrase("Reports sought for retrieval"), n.sought),
                "side": self._lines(
                    "side", phrase(message_in("diagram", "Reports not retrieved")), n.not_retrieved
                ),
            },
            {
                "main": self._lines(
                    "main",
                    phrase("Reports assessed for eligibility"),
                    n.assessed,
                    self._waiting_lines(phrase("Not yet assessed"), n.not_assessed),
                ),
                "side": self._lines(
                    "side",
                    phrase("Reports excluded"),
                    n.excluded_reports,
                    self._reasons(n.reasons.items()),
                ),
            },
            {"main": self._included_lines()},
        ]
        if n.others:
            self._add_other(rows)
        if n.previous:
            rows[0]["previous"] = self._lines(
                "previous",
                phrase("Studies included"),
                n.previous.studies,
                [phrase("Reports of them {reports}", reports=n.previous.reports)],
            )
            rows.append({"main": self._total()})
        return rows

    def _included_lines(self) -> tuple[str, ...]:
        n, phrase = self._numbers, self._phrase
        studies, reports = n.studies + n.other_studies, n.included + n.other_included
        new = n.previous is not None
        title = phrase("New studies included") if new else phrase("Studies included")
        more = [phrase("Reports of them {reports}", reports=reports)]
        if n.others:
            more.append(
                phrase(
                    "From databases {included}, by other methods {other_included}",
                    included=n.included,
                    other_included=n.other_included,
                )
            )
        return self._lines("main", title, studies, more)

    def _total(self) -> tuple[str, ...]:
        n, phrase = self._numbers, self._phrase
        return self._lines(
            "main",
            phrase("Total studies included"),
            n.total_studies,
            [phrase("Reports of them {total_reports}", total_reports=n.total_reports)],
        )

    def _add_other(self, rows: list[dict[str, tuple[str, ...]]]) -> None:
        n, phrase = self._numbers, self._phrase
        kinds: dict[str, int] = {}
        for one in n.others:
            kinds[one.kind] = kinds.get(one.kind, 0) + (one.identified or 0)
        listed = []
        for kind, count in kinds.items():
            listed.append(f"{kind_of_other(kind, phrase)} {count:,}")
            if kind == "citation" and n.citations:
                listed += [f"\u2003{line}" for line in self._not_sought(n.citations)]
        sought, lost, assessed, excluded = other_sums(n.others)
        rows[0]["other"] = self._lines(
            "other", phrase("Records identified"), sum(kinds.values()), listed
        )
        rows[2]["other"] = self._lines(
            "other",
            phrase(message_in("diagram", "Reports sought")),
            sought,
            [phrase("Not retrieved {lost}", lost=lost)],
        )
        rows[3]["other"] = self._lines(
            "other",
            phrase("Reports assessed"),
            assessed,
            [
                phrase("Excluded {excluded}", excluded=sum(excluded.values())),
                *(f"\u2003{line}" for line in self._reasons(excluded.items())),
            ],
        )

    def _not_sought(self, along: CitationNumbers) -> list[str]:
        """What became of the records that citations led to, and whose reports were not sought."""
        phrase = self._phrase
        out = [phrase("Duplicates {duplicates}", duplicates=along.duplicates)]
        if self._numbers.previous:
            out.append(phrase("Found by the earlier search {known}", known=along.known))
        out.append(phrase("Excluded by title {count}", count=along.left_out))
        return out + self._waiting_lines(phrase("Not yet screened"), along.not_screened)

    def _lines(
        self, column: str, title: str, count: int, more: Iterable[str] = ()
    ) -> tuple[str, ...]:
        columns = int(self._widths[column] * _LETTERS / 100)
        head = self._phrase("{title}: {count}", title=title, count=count)
        wrapped = [line for text in more for line in wrap(text, columns)]
        return (fit_line(head, columns - 2), *wrapped)

    def _waiting_lines(self, label: str, count: int) -> list[str]:
        return [f"{label} {count:,}"] if count else []

    def _sources(self) -> list[str]:
        phrase = self._phrase
        out = []
        for place, title in (
            ("database", phrase("Databases")),
            ("register", phrase("Registers")),
            ("other", phrase("Other files")),
        ):
            sources = self._numbers.of_place(place)
            if not sources and place == "other":
                continue
            out.append(f"{title} {sum(one.records for one in sources):,}")
            largest = sorted(sources, key=lambda one: -one.records)
            out += self._cut([f"\u2003{self._source(one)}" for one in largest])
        return out

    def _source(self, one: SourceNumbers) -> str:
        hand = self._phrase(" (by hand)") if one.by_hand else ""
        return f"{one.label}{hand} {records_of(one, self._phrase)}"

    def _removed_lines(self) -> list[str]:
        n, phrase = self._numbers, self._phrase
        out = [phrase("Duplicates {duplicates}", duplicates=n.duplicates)]
        if n.previous:
            out.append(phrase("Found by the earlier search {known}", known=n.known))
        out.append(phrase("By automation tools 0"))
        return out

    def _reasons(self, reasons: Iterable[tuple[str, int]]) -> list[str]:
        return self._cut(
            [f"{reason_text(text, self._phrase)} {count:,}" for text, count in reasons]
        )

    def _cut(self, lines: list[str]) -> list[str]:
        if len(lines) <= _MOST_LINES:
            return lines
        rest = len(lines) - _MOST_LINES + 1
        return [*lines[: _MOST_LINES - 1], self._phrase("and {rest} more", rest=rest)]

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
        phrase = self._phrase
        for text, first, last in (
            (phrase("Identification"), 0, 0),
            (phrase("Screening"), 1, 3),
            (phrase("Included"), 4, rows - 1),
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


def kind_of_other(kind: str, phrase: Phrase) -> str:
    """A kind of `OtherSource` in words."""
    return {
        "website": phrase("Websites"),
        "organisation": phrase("Organisations"),
        "browse": phrase("Browsing"),
        "citation": phrase("Citation searching"),
        "contact": phrase("Contacts"),
        "register": phrase("Registers by hand"),
    }.get(kind, phrase("Other methods"))


def records_of(one: SourceNumbers, phrase: Phrase) -> str:
    """How many records a source gave; one that failed did not give 0."""
    return phrase(message_in("diagram", "failed")) if one.failed else f"{one.records:,}"


def reason_text(reason: str, phrase: Phrase) -> str:
    """A reason in words, where none was given too."""
    return reason or phrase("No reason given")


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


def fit_line(text: str, columns: int) -> str:
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
