"""Works made anew: by which rules, which records form one, and which earlier work it is.

How a project's works are made: its strategy of de-duplication, versions mode and pins.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import orjson

from metasearch.dedup import Chain, Fingerprint, OnlineDedup, strategy
from metasearch.dedup.clusters import title_place
from metasearch.dedup.matchers import SignatureMatcher
from metasearch.dedup.online import has_sketches, strangers
from metasearch.dedup.pins import Pin, Pins
from metasearch.errors import PinsError, UsageError
from metasearch.message import message
from metasearch.record import VERSIONS_MODES, Hit, VersionsMode
from metasearch.review.projects import log
from metasearch.review.screening import votes
from metasearch.review.store.database import Database
from metasearch.review.store.values import now, uid
from metasearch.review.works import works as said
from metasearch.review.works.places import JournalTitles, PlacedRecord
from metasearch.review.works.records import (
    AT_ONCE,
    ProjectRecord,
    WorkContents,
    WorkRows,
    WorkValues,
    batches,
    in_marks,
    read,
)
from metasearch.review.works.works import STAGES

#: Raised by whoever changes the keys or signatures of a matcher: the places of all records are then
#: made anew, by the next addition to a project.
SHAPE = 2
#: As `metasearch dedup` does for reviews: a preprint and its article are a work each.
DEFAULT_VERSIONS: VersionsMode = "separate"
DEFAULT_STRATEGY = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRules:
    """How the works of a project are made.

    Attributes:
        chain: The matchers, with the pins of the project.
        versions: What becomes of preprint and article.
        name: Of strategy, versions and the shape of places; another name means that all works are
            made anew.
    """

    chain: Chain
    versions: VersionsMode
    pins: Pins
    name: str


def rules(db: Database, project: int, *, chain: Chain | None = None) -> WorkRules:
    """The rules of a project: `works.dedup` and `works.versions` of its details, and its pins.

    `chain`: in place of that of the project's strategy; without pins. Raises UsageError: the
    details name a strategy or a mode that cannot be used.
    """
    details = orjson.loads(db.value("SELECT details FROM project WHERE id = ?", project) or "{}")
    own = details.get("works")
    own = own if isinstance(own, dict) else {}
    versions = own.get("versions", DEFAULT_VERSIONS)
    if versions not in VERSIONS_MODES:
        raise UsageError(
            message("The project's works.versions is {mode}", mode=repr(str(versions)[:40])),
            advice=message("Use one of {modes}.", modes=", ".join(VERSIONS_MODES)),
        )
    name = str(own.get("dedup", DEFAULT_STRATEGY))
    if chain is None:
        chain = strategy(name).chain
    unkept = [one.name for one in chain.searchers if not isinstance(one, SignatureMatcher)]
    if unkept:
        raise UsageError(
            message("The strategy {name} cannot be used for a project", name=repr(name[:40])),
            advice=message(
                "It compares each record with all others; use {default}.", default=DEFAULT_STRATEGY
            ),
        )
    pins = pins_of(db, project)
    return WorkRules(
        chain=chain.with_pins(pins) if pins else chain,
        versions=versions,
        pins=pins,
        name=f"{SHAPE} {name} {versions}",
    )


def pins_of(db: Database, project: int) -> Pins:
    """The pins of a project. Raises UsageError: they contradict one another."""
    rows = db.all("SELECT * FROM pin WHERE project = ? ORDER BY id", project)
    try:
        return Pins(
            tuple(
                Pin(row["verdict"], (row["a"], row["b"]), row["id"], "project", row["note"])
                for row in rows
            )
        )
    except PinsError as exc:
        raise UsageError(
            message("The pins contradict one another: {problem}", problem=exc.problems[0]),
            advice=message("Remove one of them."),
        ) from exc


# Works made anew where records have come, gone or been pinned: only of the components concerned. A
# component holds the works that a new record may join or divide together
# (`OnlineDedup.components`). Whatever touches one of its records, all its records are de-duplicated
# again, and nothing else: the works are then the same as if all records of the project had been
# de-duplicated at once (docs/decisions/0039-incremental-works.md says where bounds allow another
# result).


@dataclass(frozen=True)
class ComputedWork:
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
class WorkGroup:
    """Components that are looked at, with their records.

    Attributes:
        component: Row of each record that stands in a work -> its component.
        stored: All their records, without those that are superseded, and those that are new.
        passed_over: Comparisons that were not made.
    """

    component: dict[int, int] = field(default_factory=dict)
    stored: dict[int, ProjectRecord] = field(default_factory=dict)
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


def gather(
    db: Database,
    project: int,
    components: Collection[int],
    entered: Sequence[ProjectRecord] = (),
    replaced: Collection[int] = (),
) -> WorkGroup:
    """Components with all their records, and with those that are new, but without the versions
    that these replace.
    """
    group = WorkGroup()
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


def divide(
    db: Database,
    project: int,
    rules: WorkRules,
    group: WorkGroup,
    prints: Mapping[int, Fingerprint] | None = None,
) -> Iterator[ComputedWork]:
    """The works that the records of a group make. `group`: what `gather` has returned;
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
            yield ComputedWork(hit, {row: group.stored[row].key for row in rows}, component)
    group.passed_over += stage.passed_over


def _without_strangers(
    db: Database, asked: Mapping[int, list[tuple[PlacedRecord, bool]]]
) -> dict[int, list[tuple[PlacedRecord, bool]]]:
    """Without the pairs of which the sketches show that they are not one work."""
    found: dict[int, list[tuple[PlacedRecord, bool]]] = {}
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


def find_joins(
    db: Database,
    project: int,
    rules: WorkRules,
    pairs: Sequence[tuple[PlacedRecord, Collection[int], Collection[int]]],
) -> dict[int, set[int]]:
    """Row of each new record -> records of works that may be the same work: one of each component.

    `pairs`: each new record, the rows of those that share an exact key with it, and of others that
    are worth a comparison.
    """
    component = components_of(
        db, project, (row for _, exactly, others in pairs for row in (*exactly, *others))
    )
    # A record that several are compared with is read once.
    asked: dict[int, list[tuple[PlacedRecord, bool]]] = {}
    for placed, exactly, others in pairs:
        for rows, exact in ((exactly, True), (others, False)):
            for row in rows:
                if row in component:
                    asked.setdefault(row, []).append((placed, exact))
    if has_sketches(rules.chain):
        asked = _without_strangers(db, asked)
    near: dict[int, set[int]] = {}
    touched: set[int] = set()  # components that are looked at anyway
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


# Which work is which, when works are made anew: ids that stay, and what people said that goes
# along.
#
# - The work that holds the oldest record of an earlier one is that one; where several earlier ones
#   become one work, the oldest of them is kept, and the ids of the others become names of it.
# - Decisions, tags and notes of the others come along. Where two decisions contradict one another,
#   that of the kept work stands, the work gets the tag `CONFLICT_TAG`, and the log has both.
# - Votes of screeners come along, too. Of two that one screener has given, the newer one stands,
#   and a line of the log tells that screener. What follows from all votes is decided anew.
# - When a work is divided, the part with its oldest record stays it. A part that was a work of its
#   own before it joined gets its id, decisions, tags and notes of that time back. Any other part is
#   a new work: it has the tags, and no decision, so that a person looks at it.

#: In the log: of the works, and of a screener whose votes on two of them were different ones.
ACTION, VOTES = "join and divide works", "join votes"


class OtherWorksError(Exception):
    """The works are not those that were read when the new ones were computed."""


@dataclass(slots=True)
class WorkChanges:
    """What became of the works.

    Attributes:
        grown: How many have another set of records than before.
        joined: (uid of the work that is kept, uid that is a name of it now).
        divided: (uid of the work that was divided, uid of a part of it).
        conflicts: Uids of works with decisions that contradict one another.
    """

    new: int = 0
    grown: int = 0
    joined: list[tuple[str, str]] = field(default_factory=list)
    divided: list[tuple[str, str]] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)

    def add(self, other: WorkChanges) -> None:
        self.new += other.new
        self.grown += other.grown
        self.joined += other.joined
        self.divided += other.divided
        self.conflicts += other.conflicts


@dataclass(slots=True)
class _Old:
    """A work as it was.

    Attributes:
        records: Its records, without superseded ones.
        owner: The oldest of them, or the newest version of what was the oldest.
        behind: Row of a superseded version -> row of the newest.
    """

    id: int
    uid: str
    component: int
    first_run: int
    added: str
    records: set[int] = field(default_factory=set)
    owner: int | None = None
    behind: dict[int, int] = field(default_factory=dict)


def assign(
    db: Database,
    project: int,
    components: Iterable[int],
    found: Sequence[ComputedWork],
    *,
    entered: Mapping[int, int],
    replaced: Mapping[int, int],
    anew: bool = False,
    by: str = "",
) -> WorkChanges:
    """Write works that were made anew, inside a transaction.

    `entered`: row of each record that stands in no work yet -> row of the run that gave it.
    `replaced`: row of each version that stands in one of these works and is superseded now -> row
    of the newest. `anew`: whether a work is written again also where its records are those of
    before. Raises OtherWorksError: these components have other records by now.
    """
    olds = _olds(db, project, components)
    there = {row for old in olds.values() for row in old.records}
    if there != {row for one in found for row in one.records} - (
        entered.keys() - set(replaced.values())
    ):
        raise OtherWorksError
    assigning = _WorkWriter(db, project, entered, anew)
    assigning.all(olds, found)
    if assigning.lines:
        log.write(
            db,
            project,
            ACTION,
            "works",
            [before for before, _ in assigning.lines],
            [after for _, after in assigning.lines],
            by=by,
        )
    return assigning.done


def _olds(db: Database, project: int, components: Iterable[int]) -> dict[int, _Old]:
    found: dict[int, _Old] = {}
    for some in batches(sorted(set(components)), AT_ONCE):
        for row in db.all(
            "SELECT id, uid, component, first_run, added FROM work"
            f" WHERE project = ? AND component IN ({in_marks(some)})",
            project,
            *some,
        ):
            found[row["id"]] = _Old(*row)
    rows = [
        row
        for some in batches(sorted(found), AT_ONCE)
        for row in db.all(
            "SELECT work_record.work, record.id, record.superseded FROM work_record"
            " JOIN record ON record.id = work_record.record"
            f" WHERE work_record.work IN ({in_marks(some)}) ORDER BY record.id",
            *some,
        )
    ]
    newer = {record: newest for _, record, newest in rows if newest is not None}
    for work, record, _ in rows:
        newest, passed = record, {record}
        while newer.get(newest, newest) not in passed:  # what is damaged may go round
            newest = newer[newest]
            passed.add(newest)
        old = found[work]
        old.records.add(newest)
        if newest != record:
            old.behind[record] = newest
        if old.owner is None:
            old.owner = newest
    return found


class _WorkWriter:
    """Works that are being written. `lines`: (before, after) of each work that joined another, and
    of each part of one, for the log.
    """

    def __init__(self, db: Database, project: int, entered: Mapping[int, int], anew: bool) -> None:
        self._db = db
        self._project = project
        self._entered = entered
        self._anew = anew
        self._moment = now()
        self._rows = WorkRows(db, project)
        self.done = WorkChanges()
        self.lines: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def all(self, olds: Mapping[int, _Old], found: Sequence[ComputedWork]) -> None:
        home = {row: old for old in olds.values() for row in old.records}
        owned: dict[int, list[_Old]] = {}
        for old in olds.values():
            if old.owner is not None:
                owned.setdefault(old.owner, []).append(old)
        going: list[tuple[ComputedWork, list[_Old], list[_Old]]] = []
        beginning: list[tuple[ComputedWork, list[_Old]]] = []
        for one in found:
            came = _by_age({home[row].id: home[row] for row in one.records if row in home}.values())
            kept = _by_age(old for row in one.records for old in owned.get(row, ()))
            if kept:
                going.append((one, kept, came))
            else:
                beginning.append((one, came))
        for one, kept, came in going:
            self._go_on(one, kept, came)
        for one, came in beginning:
            self._begin(one, came)
        self._rows.finish([gone.id for _, kept, _ in going for gone in kept[1:]])

    def _go_on(self, one: ComputedWork, kept: Sequence[_Old], came: Sequence[_Old]) -> None:
        """Write a work that was there before."""
        work, rows = kept[0], set(one.records)
        for gone in kept[1:]:
            self._carry_over(work, gone)
            self.done.joined.append((work.uid, gone.uid))
        if len(kept) > 1:
            self._settle(work.id)
        is_other = rows != work.records
        has_versions = any(newest in rows for newest in work.behind.values())
        if not (is_other or has_versions or len(kept) > 1 or self._anew):
            if one.component != work.component:
                self._db.run("UPDATE work SET component = ? WHERE id = ?", one.component, work.id)
            return
        self.done.grown += is_other
        smaller = not work.records <= rows
        self._rows.move_records(work.id, [*rows, *_behind(came, rows)])
        contents = self._contents(one, came, smaller=smaller)
        self._rows.update(work.id, work.uid, contents, smaller=smaller)

    def _begin(self, one: ComputedWork, came: Sequence[_Old]) -> None:
        rows = set(one.records)
        earlier = self._earlier(one, came)
        name = uid() if earlier is None else earlier[0]
        if earlier is not None:
            self._db.run("DELETE FROM joined_work WHERE uid = ?", name)
            self._forget(name)
        contents = self._contents(one, came, smaller=bool(came))
        work = self._rows.insert(name, contents)
        self._rows.move_records(work, [*rows, *_behind(came, rows)])
        if not came:
            self.done.new += 1
            return
        self.done.divided.append((came[0].uid, name))
        self._take_names(work, one, came)
        if earlier is not None:
            said.restore_opinions(self._db, work, orjson.loads(earlier[1]))
            votes.copy_openness(self._db, work, [old.id for old in came])
            self._settle(work)
        else:
            said.copy_tags(self._db, work, [old.id for old in came])
        self.lines.append(({"divided": came[0].uid}, {"part": name, "again": earlier is not None}))

    def _settle(self, work: int) -> None:
        for stage in STAGES:
            votes.settle(self._db, self._project, stage, [work])

    def _contents(self, one: ComputedWork, came: Sequence[_Old], *, smaller: bool) -> WorkContents:
        return WorkContents(
            values=one.values,
            component=one.component,
            first_run=self._first_run(set(one.records), came, smaller=smaller),
            added=min((old.added for old in came), default=self._moment),
        )

    def _first_run(self, rows: set[int], came: Sequence[_Old], *, smaller: bool) -> int:
        runs = [old.first_run for old in came]
        if smaller:  # what was found first may be in another part now
            runs = [
                row[0]
                for some in batches(sorted([*rows, *_behind(came, rows)]), AT_ONCE)
                for row in self._db.all(
                    "SELECT min(answer.run) FROM finding JOIN answer ON answer.id = finding.answer"
                    f" WHERE finding.record IN ({in_marks(some)})",
                    *some,
                )
                if row[0] is not None
            ]
        known = runs or [self._entered[row] for row in rows if row in self._entered]
        return min(known, default=0)

    def _earlier(self, one: ComputedWork, came: Sequence[_Old]) -> tuple[str, str] | None:
        """(uid, state) of the work that a part was before it joined: the one that joined last."""
        keys = set(one.records.values())
        joined = (row for old in came for row in self._join(old.id))
        found = [(row["rowid"], row["uid"], row["state"]) for row in joined if row["key"] in keys]
        return max(found)[1:] if found else None

    def _join(self, work: int) -> list[sqlite3.Row]:
        return self._db.all("SELECT rowid, uid, key, state FROM joined_work WHERE work = ?", work)

    def _take_names(self, work: int, one: ComputedWork, came: Sequence[_Old]) -> None:
        """Let the ids of works that joined the records of a part be names of that part."""
        keys = set(one.records.values())
        for row in [row for old in came for row in self._join(old.id) if row["key"] in keys]:
            self._db.run("UPDATE joined_work SET work = ? WHERE uid = ?", work, row["uid"])
            self._forget(row["uid"])
            self._db.run(
                "INSERT INTO alias (project, name, work) VALUES (?, ?, ?)",
                self._project,
                row["uid"],
                work,
            )

    def _forget(self, name: str) -> None:
        self._db.run("DELETE FROM alias WHERE project = ? AND name = ?", self._project, name)

    def _carry_over(self, work: _Old, gone: _Old) -> None:
        """Let a work have what was said of another one that has become part of it."""
        theirs, ours = said.opinions(self._db, gone.id), said.opinions(self._db, work.id)
        conflict = said.add_opinions(self._db, work.id, ours, theirs)
        if conflict:
            self.done.conflicts.append(work.uid)
        for stage, by, own, other in said.votes_twice(ours, theirs):
            log.write(
                self._db,
                self._project,
                VOTES,
                f"work:{work.uid}",
                {"stage": stage, "by": by, "works": {work.uid: own[2:], gone.uid: other[2:]}},
                {
                    "stage": stage,
                    "by": by,
                    "works": {work.uid: max(own, other, key=lambda row: str(row[4]))[2:]},
                },
                by=by,
            )
        votes.copy_openness(self._db, work.id, [gone.id])
        self._db.run("UPDATE joined_work SET work = ? WHERE work = ?", work.id, gone.id)
        self._db.run(
            "INSERT INTO joined_work (uid, project, work, key, state, at)"
            " SELECT ?, ?, ?, key, ?, ? FROM record WHERE id = ?",
            gone.uid,
            self._project,
            work.id,
            orjson.dumps(theirs).decode(),
            self._moment,
            gone.owner,
        )
        # Whoever has used a name of it finds the work by it.
        self._db.run(
            "INSERT OR IGNORE INTO alias (project, name, work)"
            " SELECT project, name, ? FROM alias WHERE work = ?",
            work.id,
            gone.id,
        )
        self.lines.append(
            (
                {"uid": gone.uid, "said": theirs, "into_said": ours},
                {"into": work.uid, "conflict": conflict},
            )
        )


def _by_age(olds: Iterable[_Old]) -> list[_Old]:
    return sorted(olds, key=lambda old: old.id)


def _behind(came: Iterable[_Old], rows: set[int]) -> list[int]:
    return [row for old in came for row, newest in old.behind.items() if newest in rows]
