"""What each database has given of all works, and of the relevant ones: alone, and together with
others; as tables, and as UpSet plots.

    Lex, A. et al. (2014). UpSet: visualization of intersecting sets. IEEE Transactions on
    Visualization and Computer Graphics 20, 1983-1992.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from metasearch.message import message_in
from metasearch.review.projects.projects import Project
from metasearch.review.reports import estimate
from metasearch.review.reports.document import (
    Block,
    Box,
    Figure,
    Heading,
    Paragraph,
    Phrase,
    Table,
    Text,
)
from metasearch.review.reports.estimate import Overlap
from metasearch.review.reports.flow import fit_line
from metasearch.review.runs.figures import source_labels

#: Rows of a plot and columns of it; rows of its table.
MOST_ROWS, MOST_COLUMNS, MOST_LISTED = 18, 15, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseShare:
    """What one database has given.

    Attributes:
        works, relevant: Works of it, and of them those that are relevant as far as it is decided.
        works_alone, relevant_alone: Those that no other database has given.
    """

    source: str
    label: str
    works: int
    works_alone: int
    relevant: int
    relevant_alone: int

    @property
    def relevant_shared(self) -> int:
        """Relevant works that other databases have given, too."""
        return self.relevant - self.relevant_alone


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseOverlap:
    """How the works of a project are spread over its databases and registers. `labels`: name of a
    database -> name for people.
    """

    works: Overlap
    relevant: Overlap
    labels: Mapping[str, str]

    @property
    def shares(self) -> list[DatabaseShare]:
        """What each database has given; who has given most of what is relevant comes first."""
        made = [
            DatabaseShare(
                source=name,
                label=self.labels[name],
                works=works,
                works_alone=self.works.sets.get((name,), 0),
                relevant=self.relevant.databases[name],
                relevant_alone=self.relevant.sets.get((name,), 0),
            )
            for name, works in self.works.databases.items()
        ]
        return sorted(made, key=lambda one: (-one.relevant, -one.works, one.label.casefold()))

    def as_object(self) -> dict[str, Any]:
        """What programs are shown: `databases`, each with its numbers, and `sets`: works and
        relevant ones of each set of databases that exactly these have given.
        """
        return {
            "databases": [
                {
                    "source": one.source,
                    "label": one.label,
                    "works": one.works,
                    "works_alone": one.works_alone,
                    "relevant": one.relevant,
                    "relevant_alone": one.relevant_alone,
                    "relevant_shared": one.relevant_shared,
                }
                for one in self.shares
            ],
            "sets": [
                {
                    "sources": list(names),
                    "works": works,
                    "relevant": self.relevant.sets.get(names, 0),
                }
                for names, works in _largest(self.works)
            ],
        }


def overlap(project: Project) -> DatabaseOverlap:
    with project.db.snapshot():
        works = estimate.overlap(project)
        relevant = estimate.overlap(project, included=True)
        known = source_labels(project)
    labels = {name: known.get(name, name) for name in works.databases}
    return DatabaseOverlap(works=works, relevant=relevant, labels=labels)


def _largest(found: Overlap) -> list[tuple[tuple[str, ...], int]]:
    """The sets of databases, that with most works first."""
    return sorted(found.sets.items(), key=lambda one: (-one[1], len(one[0]), one[0]))


def section(project: Project, phrase: Phrase, *, level: int = 1) -> Iterator[Block]:
    """The blocks; none where fewer than two databases have answered."""
    found = overlap(project)
    if len(found.works.databases) < 2 or not found.works.found:
        return
    yield Heading(text=phrase("What each database contributed"), level=level)
    yield _shares(found, phrase)
    yield Paragraph(
        text=phrase(
            "A database that alone has given relevant works cannot be left out; one whose relevant "
            "works all stand in others, too, added none to this search."
        )
    )
    yield _plot(found.works, found, phrase("Works by the databases that gave them"), phrase)
    if found.relevant.found:
        title = phrase("Works judged relevant so far by the databases that gave them")
        yield _plot(found.relevant, found, title, phrase)


def _shares(found: DatabaseOverlap, phrase: Phrase) -> Table:
    every = found.relevant.found
    rows: list[tuple[Text, ...]] = [
        (
            one.label,
            f"{one.works:,}",
            f"{one.works_alone:,}",
            f"{one.relevant:,}",
            f"{one.relevant_alone:,}",
            f"{one.relevant_shared:,}",
            f"{one.relevant / every:.0%}" if every else "–",
        )
        for one in found.shares
    ]
    return Table(
        caption=phrase("Works and relevant works of each database"),
        head=(
            phrase("Database"),
            phrase(message_in("report", "Works")),
            phrase("Only here"),
            phrase(message_in("report", "Relevant")),
            phrase("Relevant, only here"),
            phrase("Relevant, shared"),
            phrase("Share of the relevant"),
        ),
        rows=tuple(rows),
        numbers=(1, 2, 3, 4, 5, 6),
        widths=(30, 11, 11, 11, 13, 12, 12),
    )


# ---------------------------------------------------------------- the plot

#: Units: names, bars of databases, a row, a column, the highest bar, a circle, distances.
_NAMES, _ACROSS, _ROW, _COLUMN, _UP, _CIRCLE, _GAP = 200, 90, 24, 34, 120, 12, 14
#: Letters of a name, height of a line of text.
_LETTERS, _LINE = 26, 17


def _plot(shown: Overlap, found: DatabaseOverlap, title: str, phrase: Phrase) -> Figure:
    sets = _largest(shown)
    table = _sets_table(sets, found, phrase)
    columns = sets[:MOST_COLUMNS]
    names = sorted(shown.databases, key=lambda one: (-shown.databases[one], one))[:MOST_ROWS]
    left, top = _NAMES + _ACROSS + 3 * _GAP + 2 * _CIRCLE, _LINE + _UP + _GAP
    boxes = [*_rows(names, shown, found, top)]
    most = columns[0][1]
    for place, (together, works) in enumerate(columns):
        x = left + place * _COLUMN
        height = max(1, round(_UP * works / most))
        bar = Box(lines=(), role="bar", x=x + 7, y=_LINE + _UP - height, width=20, height=height)
        boxes += (_count(works, x, bar.y - _LINE, _COLUMN), bar)
        rows = [row for row, name in enumerate(names) if name in together]
        if len(rows) > 1:
            y = top + rows[0] * _ROW + _ROW // 2
            reach = (rows[-1] - rows[0]) * _ROW
            boxes.append(Box(lines=(), role="bar", x=x + 16, y=y, width=2, height=reach))
        for row in range(len(names)):
            boxes.append(
                Box(
                    lines=(),
                    role="dot" if row in rows else "ring",
                    x=x + (_COLUMN - _CIRCLE) // 2,
                    y=top + row * _ROW + (_ROW - _CIRCLE) // 2,
                    width=_CIRCLE,
                    height=_CIRCLE,
                )
            )
    together, works = columns[0]
    return Figure(
        title=title,
        description=phrase(
            "UpSet plot of {works} works of {databases} databases. Most, {most}, were given by "
            "exactly these: {names}. All numbers are in the table that follows.",
            works=shown.found,
            databases=len(shown.databases),
            most=works,
            names=_together(together, found, phrase),
        ),
        width=left + len(columns) * _COLUMN + 2,
        height=top + len(names) * _ROW + 2,
        boxes=tuple(boxes),
        arrows=(),
        table=table,
    )


def _rows(names: list[str], shown: Overlap, found: DatabaseOverlap, top: int) -> Iterator[Box]:
    """Name and bar of each database, with its number of works."""
    most = max(shown.databases.values())
    for row, name in enumerate(names):
        y, works = top + row * _ROW, shown.databases[name]
        width = round(_ACROSS * works / most) if most else 0
        label = fit_line(found.labels[name], _LETTERS)
        yield Box(lines=(label,), role="label", x=0, y=y - 5, width=_NAMES, height=_ROW)
        yield Box(lines=(), role="bar", x=_NAMES, y=y + 6, width=max(width, 1), height=_ROW - 12)
        yield _count(works, _NAMES + width + 2, y, 2 * _CIRCLE + _GAP)


def _count(works: int, x: int, y: int, width: int) -> Box:
    return Box(lines=(f"{works:,}",), role="count", x=x, y=y, width=width, height=_LINE + 3)


def _sets_table(
    sets: list[tuple[tuple[str, ...], int]], found: DatabaseOverlap, phrase: Phrase
) -> Table:
    rows: list[tuple[Text, ...]] = [
        (_together(names, found, phrase), f"{len(names):,}", f"{works:,}")
        for names, works in sets[:MOST_LISTED]
    ]
    if rest := sets[MOST_LISTED:]:
        label = phrase("{count} other sets of databases", count=len(rest))
        rows.append((label, "–", f"{sum(works for _, works in rest):,}"))
    return Table(
        caption=phrase("All numbers of the diagram"),
        head=(
            phrase("Given by exactly these databases"),
            phrase("Databases"),
            phrase(message_in("report", "Works")),
        ),
        rows=tuple(rows),
        numbers=(1, 2),
        widths=(70, 15, 15),
    )


def _together(names: tuple[str, ...], found: DatabaseOverlap, phrase: Phrase) -> str:
    labels = sorted((found.labels[name] for name in names), key=str.casefold)
    return phrase(message_in("report", ", ")).join(labels)
