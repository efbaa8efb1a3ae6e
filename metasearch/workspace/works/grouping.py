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
from functools import cached_property

from metasearch.dedup import Fingerprint, OnlineDedup
from metasearch.dedup.key_numbers import title_place
from metasearch.dedup.sketches import applies, strangers
from metasearch.record import Hit
from metasearch.workspace.store.database import Database
from metasearch.workspace.works.journal_titles import JournalTitles
from metasearch.workspace.works.places import Placed
from metasearch.workspace.works.records import AT_ONCE, Stored, batches, in_marks, read
from metasearch.workspace.works.rules import Rules
from metasearch.workspace.works.storing import WorkValues


@dataclass(frozen=True)
class Found:
    """A work as the records make it. `records`: row of each -> key. `component`: the smallest row
    of a record of its component.
    """

    hit: Hit
    records: dict[int, str]
    component: int

    @cached_property
    def values(self) -> WorkValues:
        """What its rows get."""
        return WorkValues.of(self.hit, self.records.values())


@dataclass(slots=True)
class Group:
    """Components that are looked at, with their records.

    Attributes:
        component: Row of each record that stands in a work -> its component.
        stored: All their records, without those that are superseded, and those that are new.
        passed_over: Comparisons that were not made.
    """

    component: dict[int, int] = field(default_factory=dict)
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
    replaced: Collection[int] = (),
) -> Group:
    """Components with all their records, and with those that are new, but without the versions
    that these replace.
    """
    group = Group()
    for some in batches(sorted(set(components)), AT_ONCE):
        rows = db.all(
            "SELECT work_record.record, work.component FROM work"
            " JOIN work_record ON work_record.work = work.id"
            " JOIN record ON record.id = work_record.record"
            f" WHERE work.project = ? AND work.component IN ({in_marks(some)})"
            " AND record.superseded IS NULL",
            project,
            *some,
        )
        group.component |= dict(map(tuple, rows))
    new = {one.id: one for one in entered}
    there = read(db, group.component.keys() - new.keys() - set(replaced))
    group.stored = {one.id: one for one in there} | new
    return group


def divided(
    db: Database,
    project: int,
    rules: Rules,
    group: Group,
    prints: Mapping[int, Fingerprint] | None = None,
) -> Iterator[Found]:
    """The works that the records of a group make. `group`: what `gathered` has returned;
    `passed_over` of it is counted.
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
    touched: set[int],
) -> dict[int, set[int]]:
    """Row of each new record -> records of works that may be the same work: one of each component.

    `pairs`: each new record, the rows of those that share an exact key with it, and of others that
    are worth a comparison. `touched`: components that are looked at anyway; those that are found
    are added.
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
    near: dict[int, set[int]] = {}
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
                near.setdefault(placed.id, set()).add(stored.id)
                break
    return near
