"""The table of kinds: for each the share of true pairs found, and the false pairs with one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metasearch.evaluate.metrics import Tally
from metasearch.evaluate.table_cells import fitted, share

#: Longest name of a row, and of a kind.
NAME, KIND = 24, 14
#: Kinds that the table for people shows.
MOST = 40
#: What the table shows, for its head.
ABOUT = "by kind: share of the true pairs with such a record that was found, +false pairs with one"

#: (name of the row, kind -> its pairs)
Rows = Sequence[tuple[str, Mapping[str, Tally]]]


def table(rows: Rows, first: str, width: int) -> Iterator[str]:
    """The lines; where the kinds do not fit side by side, several tables. `first` is a heading."""
    named = min(NAME, max(len(name) for name in (first, *(name for name, _ in rows))))
    kinds = [(kind, fitted(kind, KIND).rstrip() or "-") for kind in list(rows[0][1])[:MOST]]
    columns = [(shown, [cell(tallies[kind]) for _, tallies in rows]) for kind, shown in kinds]
    while columns:
        here: list[tuple[str, list[str]]] = []
        used = named
        while columns and (not here or used + 2 + _width(columns[0]) <= width):
            here.append(columns.pop(0))
            used += 2 + _width(here[-1])
        yield "  ".join(
            [fitted(first, named), *(column[0].rjust(_width(column)) for column in here)]
        )
        for number, (name, _) in enumerate(rows):
            yield "  ".join(
                [fitted(name, named), *(column[1][number].rjust(_width(column)) for column in here)]
            )
    if len(rows[0][1]) > MOST:
        yield f"{len(rows[0][1]) - MOST:,} more kinds: --json has them all"


def markdown(rows: Rows, first: str) -> str:
    """The same as a table of Markdown."""
    kinds = list(rows[0][1])
    lines = [(first, *(kind or "-" for kind in kinds)), ("---",) * (len(kinds) + 1)]
    lines += [(name, *(cell(tallies[kind]) for kind in kinds)) for name, tallies in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def cell(tally: Tally) -> str:
    """ ".815", ".815 +3", or, for records that are works of their own, "+3"."""
    if not tally.right + tally.missed:
        return f"+{tally.false}"
    return share(tally.recall, 3) + (f" +{tally.false}" if tally.false else "")


def as_object(kinds: Mapping[str, Tally]) -> dict[str, Any]:
    """Kind -> its counts, and its recall, which is null where there is nothing to find."""
    return {
        kind: {
            "recall": tally.recall if tally.right + tally.missed else None,
            "right": tally.right,
            "false": tally.false,
            "missed": tally.missed,
        }
        for kind, tally in kinds.items()
    }


def _width(column: tuple[str, Sequence[str]]) -> int:
    return max(map(len, (column[0], *column[1])))
