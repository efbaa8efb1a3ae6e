"""Works made anew where records have come, gone or been pinned: only of the components concerned.

A component holds the works that a new record may join or divide together
(`OnlineDedup.components`). Whatever touches one of its records, all its records are de-duplicated
again, and nothing else: the works are then the same as if all records of the project had been
de-duplicated at once (docs/decisions/0039-incremental-works.md says where bounds allow another
result).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from metasearch.dedup import Fingerprint, OnlineDedup
from metasearch.dedup.key_numbers import title_place
from metasearch.dedup.sketches import applies, strangers
from metasearch.record import Hit
from metasearch.workspace.store.database import Database
from metasearch.workspace.works.journal_titles import JournalTitles
from metasearch.workspace.works.places import Placed
from metasearch.workspace.works.records import AT_ONCE, Stored, batches, in_marks, read
from metasearch.workspace.works.rules import Rules


@dataclass(frozen=True, slots=True)
class Found:
    """A work as the records make it.

    Attributes:
        hit: What they make together.
        records: Row of each -> key.
        component: The smallest row of a record of its component.
    """

    hit: Hit
    records: dict[int, str]
    component: int


@dataclass(slots=True)
class Group:
    """Components that are looked at, with their records.

    Attributes:
        components: Their numbers, as the works have them now.
        stored: All their records, without those that are superseded.
        passed_over: Comparisons that were not made.
    """

    components: set[int] = field(default_factory=set)
    stored: dict[int, Stored] = field(default_factory=dict)
    passed_over: int = 0


def components_of(db: Database, project: int, records: Iterable[int]) -> dict[int, int]:
    """Row of a record -> its component; without those that stand in no work yet."""
    found: dict[int, int] = {}
    for some in batches(sorted(set(records)), AT_ONCE):
        rows = db.all(
            "SELECT work_record.record, work.component FROM work_record"
            " JOIN work ON work.id = work_record.work"
            f" WHERE +work.project = ? AND work_record.record IN ({in_marks(some)})",
            project,
            *some,
        )
        found |= {row["record"]: row["component"] for row in rows}
    return found


def gathered(
    db: Database,
    project: int,
    components: Collection[int],
    entered: Sequence[Stored] = (),
    prints: Mapping[int, Fingerprint] | None = None,
) -> Group:
    """Components with all their records, and with those that are new; records of which there is a
    fingerprint are not read again.
    """
    group = Group(set(components))
    ids: list[int] = []
    for some in batches(sorted(group.components), AT_ONCE):
        ids += (
            row[0]
            for row in db.all(
                "SELECT work_record.record FROM work"
                " JOIN work_record ON work_record.work = work.id"
                " JOIN record ON record.id = work_record.record"
                f" WHERE work.project = ? AND work.component IN ({in_marks(some)})"
                " AND record.superseded IS NULL",
                project,
                *some,
            )
        )
    new = {one.id: one for one in entered}
    there = prints or {}
    again = {
        number: Stored(number, there[number].record_key, there[number].record)
        for number in ids
        if number in there
    }
    unread = set(ids) - new.keys() - again.keys()
    group.stored = {one.id: one for one in read(db, unread)} | again | new
    return group


def divided(
    db: Database,
    project: int,
    rules: Rules,
    group: Group,
    prints: Mapping[int, Fingerprint] | None = None,
) -> Iterator[Found]:
    """The works that the records of a group make.

    Args:
        db: The workspace.
        project: Its id.
        rules: How works are made.
        group: What `gathered` has returned; `passed_over` of it is counted.
        prints: Fingerprints that are there already, by row.
    """
    titles = JournalTitles(db, project)

    def recurs(fingerprint: Fingerprint) -> bool:
        number = title_place(fingerprint)
        return number is not None and titles.recurs(number)

    known = prints or {}
    ids = sorted(group.stored)
    stage = OnlineDedup(rules.chain, versions=rules.versions, recurs=recurs)
    stage.extend(
        known[number]
        if number in known
        else Fingerprint(group.stored[number].record, group.stored[number].key)
        for number in ids
    )
    for works in stage.components():
        component = min(ids[numbers[0]] for numbers, _ in works)
        for numbers, hit in works:
            rows = [ids[number] for number in numbers]
            yield Found(hit, {row: group.stored[row].key for row in rows}, component)
    group.passed_over += stage.passed_over


def _without_strangers(
    db: Database, asked: Mapping[int, list[tuple[Placed, bool]]]
) -> dict[int, list[tuple[Placed, bool]]]:
    """Without the pairs of which the sketches show that they are not one work."""
    found: dict[int, list[tuple[Placed, bool]]] = {}
    for some in batches(sorted(asked), AT_ONCE):
        rows = db.all(
            f"SELECT record, sketch FROM record_sketch WHERE record IN ({in_marks(some)})", *some
        )
        sketches = {row["record"]: row["sketch"] for row in rows}
        for row in some:
            other = sketches.get(row, 0)
            kept = [
                (placed, exact)
                for placed, exact in asked[row]
                if exact or not strangers(placed.sketch, other)
            ]
            if kept:
                found[row] = kept
    return found


def joining(
    db: Database,
    project: int,
    rules: Rules,
    pairs: Sequence[tuple[Placed, Collection[int], Collection[int]]],
) -> tuple[set[int], dict[int, Fingerprint]]:
    """The components that new records belong to, and the fingerprints of those of their records
    that were compared, by row.

    Args:
        db: The workspace.
        project: Its id.
        rules: How works are made.
        pairs: Each new record, the rows of those that share an exact key with it, and of others
            that are worth a comparison.
    """
    component = components_of(
        db, project, (row for _, exactly, others in pairs for row in (*exactly, *others))
    )
    # A record that several are compared with is read once.
    asked: dict[int, list[tuple[Placed, bool]]] = {}
    for placed, exactly, others in pairs:
        for rows, exact in ((exactly, True), (others, False)):
            for row in rows:
                if row in component:
                    asked.setdefault(row, []).append((placed, exact))
    if applies(rules.chain):
        asked = _without_strangers(db, asked)
    touched: set[int] = set()
    prints: dict[int, Fingerprint] = {}
    separate = rules.versions == "separate"
    for some in batches(sorted(asked), AT_ONCE):
        rest = [row for row in some if component[row] not in touched]
        for stored in read(db, rest):
            if component[stored.id] in touched:
                continue
            other = Fingerprint(stored.record, stored.key)
            for placed, exact in asked[stored.id]:
                match = rules.chain.judge(other, placed.print, exact=exact)
                if match is None or match.verdict == "different":
                    continue
                if match.verdict == "version" and separate:
                    continue
                touched.add(component[stored.id])
                prints[stored.id] = other
                break
    return touched, prints
