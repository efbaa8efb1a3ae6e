"""Records of an answer become records of the project, findings, and works.

What an addition costs depends on the records that are added, and not on those that are there:
`places.py` finds the few that are worth a comparison, `grouping.py` makes the works concerned anew,
`assigning.py` keeps their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metasearch.dedup import Chain, Fingerprint
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.record import Record
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.works import records as rows
from metasearch.workspace.works.assigning import Assigned, assign
from metasearch.workspace.works.grouping import components_of, divided, gathered, joining
from metasearch.workspace.works.journal_titles import JournalTitles
from metasearch.workspace.works.names import works_named
from metasearch.workspace.works.places import Placed, Places
from metasearch.workspace.works.rules import Rules, rules

#: Records of one transaction: others who write wait for no more than that, some 1.5 seconds.
AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of the records of an answer.

    Attributes:
        received: How many there were.
        new_records: Of them, how many are new to the project.
        new_versions: How many say otherwise than the project's version of them did.
        known: How many were there already, word for word.
        left_out: (position, reason) of those that cannot be kept.
        new_works: Works that are new.
        grown: Works that have other records than before.
        joined: (uid of a work, uid of one that is part of it now).
        divided: (uid of a work, uid of what was a part of it).
        conflicts: Uids of works whose parts were decided on differently.
        passed_over: Comparisons that were not made, because too many records share a key.
    """

    received: int = 0
    new_records: int = 0
    new_versions: int = 0
    known: int = 0
    left_out: tuple[tuple[int, str], ...] = ()
    new_works: int = 0
    grown: int = 0
    joined: tuple[tuple[str, str], ...] = ()
    divided: tuple[tuple[str, str], ...] = ()
    conflicts: tuple[str, ...] = ()
    passed_over: int = 0

    def __add__(self, other: Added) -> Added:
        """What both are together."""
        return Added(
            **{name: getattr(self, name) + getattr(other, name) for name in Added.__slots__}
        )


def add_records(
    db: Database,
    project: Project,
    answer_id: int,
    records: Iterable[Record],
    *,
    chain: Chain | None = None,
    by: str = "",
) -> Added:
    """Add the records of an answer, in transactions of `AT_ONCE` records.

    The same records added again change nothing, so that what was interrupted can be repeated.

    Args:
        db: The workspace.
        project: The one that the answer belongs to.
        answer_id: The row of the answer.
        records: As the source gave them, with their positions.
        chain: Matchers in place of those of the project's strategy.
        by: Who asked; for the log.

    Raises:
        UsageError: There is no such answer in the project, or its rules cannot be used.
    """
    made_by = rules(db, project.id, chain=chain)
    if not _is_made_by(db, project, made_by):
        rebuild(db, project, chain=chain, by=by)
    total = Added()
    for some in rows.batches(records, AT_ONCE):
        with db.transaction():
            total += _add(db, project.id, answer_id, some, made_by, by)
    return total


def _add(
    db: Database,
    project: int,
    answer: int,
    some: Sequence[Record],
    made_by: Rules,
    by: str,
) -> Added:
    run = db.value(
        "SELECT run.id FROM answer JOIN run ON run.id = answer.run"
        " WHERE answer.id = ? AND run.project = ?",
        answer,
        project,
    )
    if run is None:
        raise UsageError(message("The project has no answer {answer}", answer=answer))
    kept = rows.keep(db, project, answer, some)
    places = Places(db, project, made_by.chain)
    touched = _leave(db, project, places, made_by, kept.superseded)
    placed = _placed(kept.entered, made_by)
    met, prints = _meet(db, project, places, made_by, placed)
    prints |= {one.id: one.print for one in placed}
    done, passed_over = _make(db, project, made_by, touched | met, kept.entered, prints, run, by)
    return Added(
        received=len(some),
        new_records=kept.new,
        new_versions=len(kept.entered) - kept.new,
        known=kept.known,
        left_out=tuple(kept.left_out),
        new_works=done.new,
        grown=done.grown,
        joined=tuple(done.joined),
        divided=tuple(done.divided),
        conflicts=tuple(done.conflicts),
        passed_over=places.passed_over + passed_over,
    )


def _is_made_by(db: Database, project: Project, made_by: Rules) -> bool:
    """Whether places and works are those of the rules of now."""
    found = db.value("SELECT rules FROM works_made WHERE project = ?", project.id)
    return bool(found == made_by.name)


def _placed(entered: Sequence[rows.Stored], made_by: Rules) -> list[Placed]:
    prints = [Fingerprint(one.record, one.key) for one in entered]
    made_by.chain.prepare(prints)
    return [
        Placed.of(one.id, print_, made_by.chain)
        for one, print_ in zip(entered, prints, strict=True)
    ]


def _leave(
    db: Database, project: int, places: Places, made_by: Rules, superseded: dict[int, int]
) -> set[int]:
    """Take superseded versions away; returns their components."""
    if not superseded:
        return set()
    old = list(rows.read(db, superseded))
    places.remove(_placed(old, made_by))
    return set(components_of(db, project, superseded).values())


def _meet(
    db: Database, project: int, places: Places, made_by: Rules, placed: Sequence[Placed]
) -> tuple[set[int], dict[int, Fingerprint]]:
    """Enter new records; returns the components that they touch, and fingerprints of records of
    these, by row.
    """
    pairs = []
    named: list[str] = []
    for one in placed:
        near = places.near(one)
        pairs.append((one, near.exactly, near.others))
        if made_by.pins and made_by.pins.touches(one.print):
            named += made_by.pins.same_names(one.print)
    touched, prints = joining(db, project, made_by, pairs)
    if named:
        works = works_named(db, project, named)
        touched |= {work.component for found in works.values() for work in found}
    places.enter(placed)
    for title in JournalTitles(db, project).take(placed):
        touched |= set(components_of(db, project, places.with_title(title)).values())
    return touched, prints


def _make(
    db: Database,
    project: int,
    made_by: Rules,
    touched: set[int],
    entered: Sequence[rows.Stored],
    prints: Mapping[int, Fingerprint],
    run: int | None,
    by: str,
    *,
    anew: bool = False,
) -> tuple[Assigned, int]:
    """Make the works of components and of new records; returns what became of them, and how many
    comparisons were not made.
    """
    group = gathered(db, project, touched, entered, prints)
    found = list(divided(db, project, made_by, group, prints))
    done = assign(db, project, touched, found, run=run, anew=anew, by=by)
    return done, group.passed_over


def remake(db: Database, project: Project, components: Iterable[int], *, by: str = "") -> Assigned:
    """Make the works of some components anew, inside a transaction: after a change of pins."""
    made_by = rules(db, project.id)
    if not _is_made_by(db, project, made_by):  # as after an import of the project
        return rebuild(db, project, by=by)
    return _make(db, project.id, made_by, set(components), (), {}, None, by, anew=True)[0]


def rebuild(
    db: Database, project: Project, *, chain: Chain | None = None, by: str = ""
) -> Assigned:
    """Make the places of all records and all works anew, by the rules of now; ids stay.

    This is for a project whose rules have changed, and takes minutes and memory for a large one.
    """
    made_by = rules(db, project.id, chain=chain)
    with db.transaction():
        number = project.id
        for table in ("record_place", "record_signature", "journal_title"):
            db.run(f"DELETE FROM {table} WHERE project = ?", number)
        places, titles = Places(db, number, made_by.chain), JournalTitles(db, number)
        ids = [
            row[0]
            for row in db.all(
                "SELECT id FROM record WHERE project = ? AND superseded IS NULL", number
            )
        ]
        for some in rows.batches(ids, AT_ONCE):
            placed = _placed(list(rows.read(db, some)), made_by)
            places.enter(placed)
            titles.take(placed)
        touched = {
            row[0]
            for row in db.all("SELECT DISTINCT component FROM work WHERE project = ?", number)
        }
        done, _ = _make(db, number, made_by, touched, (), {}, None, by, anew=True)
        db.run(
            "INSERT OR REPLACE INTO works_made (project, rules) VALUES (?, ?)",
            number,
            made_by.name,
        )
    return done
