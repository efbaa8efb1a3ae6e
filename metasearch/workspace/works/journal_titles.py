"""Which titles return in one journal, and so are those of columns: what `dedup/columns.py` keeps in
memory for one job, in a table of the project.

A title that is that of a column stays one, also where a later version of a record says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from metasearch.dedup.columns import PLACES, YEARS, TitleFacts
from metasearch.workspace.store.database import Database
from metasearch.workspace.works.places import Placed

#: As many years, volumes, pages as decide; more of them say nothing new.
_ENOUGH = max(YEARS, PLACES)


class JournalTitles:
    """The titles in journals of one project."""

    def __init__(self, db: Database, project: int) -> None:
        self._db = db
        self._project = project

    def take(self, many: Sequence[Placed]) -> list[int]:
        """Take in records; the places of titles that become those of columns by them."""
        by_title: dict[int, list[Placed]] = {}
        for one in many:
            if one.title is not None:
                by_title.setdefault(one.title, []).append(one)
        began = []
        rows = []
        for number, group in by_title.items():
            row = self._db.one(
                "SELECT facts, recurs FROM journal_title WHERE project = ? AND place = ?",
                self._project,
                number,
            )
            if row is not None and row["recurs"]:
                continue
            facts = _read(row["facts"]) if row is not None else TitleFacts()
            for one in group:
                facts.add(one.print)
            recurs = facts.recurs
            if recurs:
                began.append(number)
            rows.append((self._project, number, _written(facts), int(recurs)))
        self._db.run_many(
            "INSERT OR REPLACE INTO journal_title (project, place, facts, recurs)"
            " VALUES (?, ?, ?, ?)",
            sorted(rows),
        )
        return began

    def recurs(self, number: int) -> bool:
        """Whether the title at a place is that of a column."""
        return bool(
            self._db.value(
                "SELECT recurs FROM journal_title WHERE project = ? AND place = ?",
                self._project,
                number,
            )
        )


def _read(text: str) -> TitleFacts:
    facts = TitleFacts()
    years, volumes, pages, unsigned = orjson.loads(text)
    facts.years.update(years)
    facts.places[0].update(volumes)
    facts.places[1].update(pages)
    facts.places[2].update(unsigned)
    return facts


def _written(facts: TitleFacts) -> str:
    kept = (sorted(one)[:_ENOUGH] for one in (facts.years, *facts.places))
    return orjson.dumps(list(kept)).decode()
