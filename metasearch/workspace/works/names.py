"""Any spelling of a name of a work -> the work."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from metasearch.bib.work_ids import read_name
from metasearch.workspace.store.database import Database
from metasearch.workspace.works.records import AT_ONCE, batches, in_marks

#: Characters of a name; a longer one is that of no work.
LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class NamedWork:
    """A work that a name means: its row, its uid, its component."""

    id: int
    uid: str
    component: int


def spellings(name: str) -> list[str]:
    """The forms in which a name may be kept, the likeliest first."""
    name = name.strip()[:LONGEST]
    found = [name]
    with suppress(ValueError):
        found.append(read_name(name))
    found += [one.lower() for one in found]
    return list(dict.fromkeys(found))


def works_named(db: Database, project: int, names: Iterable[str]) -> dict[str, list[NamedWork]]:
    """Each name -> the works that it means, the oldest first; without names of no work.

    The id of a work, or of one that has joined it, means that work alone; so does the key of a
    record. An identifier such as a DOI may be that of several works.
    """
    forms = {name: spellings(name) for name in dict.fromkeys(names)}
    wanted = {form for some in forms.values() for form in some}
    kept: dict[str, list[NamedWork]] = {}
    for some in batches(sorted(wanted), AT_ONCE):
        for row in db.all(
            "SELECT alias.name, work.id, work.uid, work.component FROM alias"
            " JOIN work ON work.id = alias.work"
            f" WHERE alias.project = ? AND alias.name IN ({in_marks(some)})"
            " ORDER BY work.id",
            project,
            *some,
        ):
            kept.setdefault(row[0], []).append(NamedWork(row[1], row[2], row[3]))
    found = {}
    for name, some in forms.items():
        works = next((kept[form] for form in some if form in kept), None)
        if works:
            found[name] = works
    return found


def rows_named(db: Database, project: int, names: Iterable[str]) -> dict[str, int]:
    """Each name -> the row of the one work that it means; without names of none, or of several.

    Names that are ids of works, as a list has them, cost least.
    """
    wanted = list(dict.fromkeys(names))
    found: dict[str, int] = {}
    for some in batches(wanted, AT_ONCE):
        rows = db.all(
            f"SELECT uid, id FROM work WHERE uid IN ({in_marks(some)}) AND +project = ?",
            *some,
            project,
        )
        found |= {row["uid"]: row["id"] for row in rows}
    others = works_named(db, project, (name for name in wanted if name not in found))
    return found | {name: works[0].id for name, works in others.items() if len(works) == 1}
