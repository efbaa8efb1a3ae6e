"""The rows of the table of clients; they travel in the reports of the tests, also between the
processes of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

#: Under what name a row stands among the properties of a test.
PROPERTY = "client"
COLUMNS = ("client", "version", "request", "result")


@dataclass
class Row:
    """One client that asked for something.

    Attributes:
        client: Its name.
        asked: What it asked for.
        cells: Column -> text.
    """

    client: str
    asked: str
    cells: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.cells = dict.fromkeys(COLUMNS, "") | {"client": self.client, "request": self.asked}

    def came(self, result: str) -> None:
        """What came out, in a few words."""
        self.cells["result"] = result


def table(reports: Iterable[pytest.TestReport]) -> list[str]:
    """The lines of the table, in the order of the tests; [] where no test has a row.

    A test that failed has no other result than that.
    """
    rows: dict[tuple[str, int], list[str]] = {}
    for report in reports:
        for place, (name, cells) in enumerate(report.user_properties):
            if name != PROPERTY:
                continue
            known = rows.setdefault((report.nodeid, place), [cells[column] for column in COLUMNS])
            if report.failed:
                known[-1] = "FAILED"
            elif cells["result"] and known[-1] != "FAILED":
                known[-1] = cells["result"]
    if not rows:
        return []
    lines = [list(COLUMNS), *(rows[key] for key in sorted(rows))]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
