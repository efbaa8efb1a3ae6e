"""Records of an answer become records of the project, findings, and works.

What an addition costs depends on the records that are added, and not on those that are there:
`places.py` finds the few that are worth a comparison, `groups.py` makes the works concerned anew
and keeps their ids.

Others write meanwhile. Records are kept in short transactions, and wait in the table `entering`;
what takes long (fingerprints, comparisons, merged hits) is computed outside of any transaction; and
works are written in short transactions, too, which check that what was read still holds. One
process at a time makes works of a project, all that wait: so no two records miss one another. What
a process that was killed has left is done by the next one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import orjson

from metasearch.dedup import Chain, Fingerprint
from metasearch.errors import UsageError, WorkspaceError
from metasearch.message import message
from metasearch.record import Record
from metasearch.review.projects.projects import Project
from metasearch.review.store import database
from metasearch.review.store.database import Database, check_goes_on, portions
from metasearch.review.works import records as rows
from metasearch.review.works.groups import (
    ComputedWork,
    OtherWorksError,
    WorkChanges,
    WorkGroup,
    WorkRules,
    assign,
    components_of,
    divide,
    find_joins,
    gather,
    rules,
)
from metasearch.review.works.places import (
    JournalTitles,
    PlacedRecord,
    ProjectPlaces,
)
from metasearch.review.works.works import works_by_name

#: Records of which works are made together.
AT_ONCE = 4_000
#: Seconds for which a process makes the works of a project alone, unless it goes on; after
#: which it says so, also while it computes; and after which another one asks again.
_LEASE, _RENEWED, _ASKS_AGAIN = 30.0, 8.0, 0.05
#: Times in a row that works are computed which cannot be written, since others have changed what
#: was read. No person changes so much: then the rows contradict one another.
_MOST_IN_VAIN = 20
#: Rows that are removed at a time.
_REMOVED = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeResult:
    """What became of the records of an answer.

    Attributes:
        new_records: Records that are new to the project.
        new_versions: Records that say otherwise than the project's version of them did.
        known: Records that were there already, word for word.
        left_out: (position, reason) of those that cannot be kept.
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

    def __add__(self, other: IntakeResult) -> IntakeResult:
        """What both are together."""
        return IntakeResult(
            **{name: getattr(self, name) + getattr(other, name) for name in IntakeResult.__slots__}
        )


def add_records(
    project: Project,
    answer_id: int,
    records: Iterable[Record],
    *,
    links: Mapping[str, str] = rows.NO_LINKS,
    chain: Chain | None = None,
) -> IntakeResult:
    """Add the records of an answer.

    The same records added again change nothing, so that what was interrupted can be repeated.
    `links`: as of `rows.keep`. `chain`: matchers in place of those of the project's strategy.
    Raises UsageError: there is no such answer in the project, or its rules cannot be used.
    """
    return keep_records(project, answer_id, records, links) + make_works(project, chain=chain)


def keep_records(
    project: Project,
    answer_id: int,
    records: Iterable[Record],
    links: Mapping[str, str] = rows.NO_LINKS,
) -> IntakeResult:
    """Keep the records of an answer, of which `make_works` makes works later. Raises UsageError:
    there is no such answer in the project.
    """
    kept, received = rows.KeepResult(), 0
    of_project = (
        "SELECT 1 FROM answer JOIN run ON run.id = answer.run"
        " JOIN project ON project.id = run.project"
        " WHERE answer.id = ? AND run.project = ? AND project.hidden = ''"
    )
    for some in portions(
        project.db, map(rows.pack_record, records), lambda one: 1 + len(one.body) // 8_192
    ):
        with project.db.transaction():
            if project.db.one(of_project, answer_id, project.id) is None:
                raise UsageError(message("The project has no answer {answer}", answer=answer_id))
            rows.keep(project.db, project.id, answer_id, some, kept, links)
        received += len(some)
    return IntakeResult(
        received=received,
        new_records=kept.new,
        new_versions=kept.versions,
        known=kept.known,
        left_out=tuple(kept.left_out),
    )


def take_back(db: Database, answer_id: int) -> None:
    """Remove what an answer has brought, of which no works were made yet, and its findings. What
    another answer has named, too, waits as a record of that one.
    """
    found = db.all("SELECT record FROM finding WHERE answer = ? ORDER BY record DESC", answer_id)
    for some in portions(db, [row["record"] for row in found]):
        with db.transaction():
            for record in some:
                _take_back(db, answer_id, record)
            db.run_many(
                "DELETE FROM finding WHERE answer = ? AND record = ?",
                [(answer_id, record) for record in some],
            )


def _take_back(db: Database, answer: int, record: int) -> None:
    row = db.one("SELECT * FROM entering WHERE record = ? AND answer = ?", record, answer)
    if row is None:
        return
    # Of a version that was there before, the findings of before say nothing.
    other = db.value(
        "SELECT min(answer) FROM finding WHERE record = ? AND (answer > ? OR (? AND answer <> ?))",
        record,
        answer,
        row["is_new"],
        answer,
    )
    if other is not None:
        db.run("UPDATE entering SET answer = ? WHERE record = ?", other, record)
        return
    db.run("UPDATE entering SET replaces = ? WHERE replaces = ?", row["replaces"], record)
    db.run("DELETE FROM entering WHERE record = ?", record)
    if row["is_new"]:
        db.run("DELETE FROM record WHERE id = ?", record)


def make_works(project: Project, *, chain: Chain | None = None) -> IntakeResult:
    """Make works of all records of a project that stand in none yet; those of an import that has
    not come to its end are left.

    `chain`: matchers in place of those of the project's strategy. Raises UsageError: the rules of
    the project cannot be used; WorkspaceError: the workspace cannot be written, its rows contradict
    one another, or the program ends.
    """
    total, in_vain = IntakeResult(), 0
    with _alone(project) as turn:
        while in_vain < _MOST_IN_VAIN:
            turn.wait()  # where this machine slept, another process may have it
            made_by = rules(project.db, project.id, chain=chain)
            if not _is_made_by(project, made_by):
                _make_all(project, made_by)
            waiting = _new_records(project)
            if not waiting:
                return total
            total += _make_some(project, made_by, waiting)
            still = {one.record for one in _new_records(project)}
            in_vain = in_vain + 1 if still.issuperset(one.record for one in waiting) else 0
    raise WorkspaceError(
        str(project.db.path),
        message("works cannot be made of the records of {project}", project=repr(project.name)),
        advice=message("Look what is damaged: metasearch workspace check"),
    )


@dataclass(frozen=True, slots=True)
class _NewRecord:
    """A record that stands in no work yet; the columns of `entering`, and its run."""

    record: int
    replaces: int | None
    run: int


def _new_records(project: Project) -> list[_NewRecord]:
    """Records that wait, first those that stand at their places already. A version that follows
    another one that waits comes after that, also where that is of an import without an end.
    """
    found = project.db.all(
        "SELECT entering.record, entering.replaces, run.id FROM entering"
        " JOIN answer ON answer.id = entering.answer JOIN run ON run.id = answer.run"
        " WHERE entering.project = ? AND (run.mode <> 'import' OR run.status = 'done')"
        " AND NOT EXISTS (SELECT 1 FROM entering AS one WHERE one.record = entering.replaces)"
        " ORDER BY entering.placed DESC, entering.record LIMIT ?",
        project.id,
        AT_ONCE,
    )
    return [_NewRecord(*row) for row in found]


class _Turn:
    """The turn of this process to make the works of a project."""

    def __init__(self, project: Project) -> None:
        self._db = project.db
        self._name = f"works:{project.uid}"
        self._holder = database.new_holder()
        self._is_over = threading.Event()

    def wait(self) -> None:
        """Wait until no other process makes works of the project, and keep the turn. Raises
        WorkspaceError: the program ends.
        """
        while not database.take_lease(self._db, self._name, self._holder, _LEASE):
            check_goes_on(self._db)
            time.sleep(_ASKS_AGAIN)

    @contextmanager
    def keep(self) -> Iterator[None]:
        """A block in which the turn is kept, also while works are computed for minutes."""
        # In a transaction nobody else can take it.
        thread = None if self._db.inside else threading.Thread(target=self._keep, daemon=True)
        if thread is not None:
            thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            if thread is not None:
                thread.join()

    def _keep(self) -> None:
        while not self._is_over.wait(_RENEWED):
            with suppress(WorkspaceError), Database(self._db.path) as own:
                database.take_lease(own, self._name, self._holder, _LEASE)

    def end(self) -> None:
        database.release_lease(self._db, self._name, self._holder)


@contextmanager
def _alone(project: Project) -> Iterator[_Turn]:
    """A block in which no other process makes works of a project."""
    turn = _Turn(project)
    turn.wait()
    try:
        with turn.keep():
            yield turn
    finally:
        with suppress(WorkspaceError):  # it ends by itself
            turn.end()


def are_made(project: Project) -> bool:
    """Whether the works are those of the rules of now, or there are none; where the rules cannot be
    used, who changes works is told why.
    """
    with suppress(UsageError):
        if not _is_made_by(project, rules(project.db, project.id)):
            return project.db.one("SELECT 1 FROM work WHERE project = ?", project.id) is None
    return True


def _is_made_by(project: Project, made_by: WorkRules) -> bool:
    """Whether places and works are those of the rules of now."""
    found = project.db.value("SELECT rules FROM works_made WHERE project = ?", project.id)
    return bool(found == made_by.name)


def _places_of(entered: Sequence[rows.ProjectRecord], made_by: WorkRules) -> list[PlacedRecord]:
    prints = [Fingerprint(one.record, one.key) for one in entered]
    made_by.chain.prepare(prints)
    return [
        PlacedRecord.of(one.id, print_, made_by.chain)
        for one, print_ in zip(entered, prints, strict=True)
    ]


@dataclass(slots=True)
class _Computation:
    """Works that were computed of what was read, to be written.

    Attributes:
        pins: The state of the project's pins that was read.
        runs: Row of each new record -> row of the run that gave it.
        replaced: Row of each version that the new ones supersede -> row of the one that follows it.
        leaving: Those of them that stand in works, with their places.
        anew: Whether works are written again also where their records are those of before.
    """

    pins: int | None
    group: WorkGroup
    found: list[ComputedWork]
    runs: Mapping[int, int] = field(default_factory=dict)
    replaced: Mapping[int, int] = field(default_factory=dict)
    leaving: Mapping[int, PlacedRecord] = field(default_factory=dict)
    anew: bool = False


def _make_some(project: Project, made_by: WorkRules, waiting: Sequence[_NewRecord]) -> IntakeResult:
    """Make works of some records that wait. Where others have changed pins or works meanwhile, some
    of them go on waiting.
    """
    pins = _pins(project)
    runs = {one.record: one.run for one in waiting}
    replaced = {one.replaces: one.record for one in waiting if one.replaces is not None}
    stored = list(rows.read(project.db, runs.keys() - replaced.keys()))
    placed = _places_of(stored, made_by)
    # Nobody else lets records stand at places meanwhile, so that this needs no transaction.
    with project.db.snapshot():
        near, passed_over = _meet(project.db, project.id, made_by, placed)
    for some in portions(project.db, placed, lambda one: 1 + len(one.places) // 16):
        with project.db.transaction():
            _enter(project.db, project.id, made_by, some, near)
    with project.db.snapshot():
        components = _components(project, made_by, placed, replaced)
        group = gather(project.db, project.id, components, stored, replaced)
        leaving = list(rows.read(project.db, replaced.keys() & group.component.keys()))
        prints = {one.id: one.print for one in placed}
        found = list(divide(project.db, project.id, made_by, group, prints))
    made = _Computation(
        pins=pins,
        group=group,
        found=found,
        runs=runs,
        replaced=replaced,
        leaving={one.id: one for one in _places_of(leaving, made_by)},
    )
    done = WorkChanges()
    with suppress(OtherWorksError):  # they are compared with the others once more
        _write(project, made_by, made, done)
    return IntakeResult(
        new_works=done.new,
        grown=done.grown,
        joined=tuple(done.joined),
        divided=tuple(done.divided),
        conflicts=tuple(done.conflicts),
        passed_over=passed_over + group.passed_over,
    )


def _pins(project: Project) -> int | None:
    """A number that every change of the pins changes; None while no works were made."""
    found: int | None = project.db.value(
        "SELECT pins FROM works_made WHERE project = ?", project.id
    )
    return found


def _meet(
    db: Database, project: int, made_by: WorkRules, placed: Sequence[PlacedRecord]
) -> tuple[dict[int, set[int]], int]:
    """Row of each new record -> records of works that may be the same work; and how many
    comparisons were not made.
    """
    places = ProjectPlaces(db, project, made_by.chain)
    pairs = []
    for one in placed:
        there = places.near(one)
        pairs.append((one, there.exactly, there.others))
    return find_joins(db, project, made_by, pairs), places.passed_over


def _enter(
    db: Database,
    project: int,
    made_by: WorkRules,
    placed: Sequence[PlacedRecord],
    near: Mapping[int, set[int]],
) -> None:
    """Let new records stand at their places, inside a transaction, and note what is near them.

    What was noted before stays: a title is that of a column from one record on, and those who begin
    anew after that would not look at its works.
    """
    places = ProjectPlaces(db, project, made_by.chain)
    places.enter(placed)
    titles: dict[int, set[int]] = {}
    for title in JournalTitles(db, project).take(placed):
        titles[title] = set(places.with_title(title))
    noted = _noted_neighbours(db, [one.id for one in placed])
    db.run_many(
        "UPDATE entering SET placed = 1, near = ? WHERE record = ?",
        [
            (
                orjson.dumps(
                    sorted(
                        near.get(one.id, set())
                        | titles.pop(one.title or 0, set())
                        | noted.get(one.id, set())
                    )
                ).decode(),
                one.id,
            )
            for one in placed
        ],
    )


def _noted_neighbours(db: Database, records: Sequence[int]) -> dict[int, set[int]]:
    """Row of each of some records that wait -> what was noted as near it."""
    found: dict[int, set[int]] = {}
    for some in rows.batches(records, rows.AT_ONCE):
        for row in db.all(
            f"SELECT record, near FROM entering WHERE record IN ({rows.in_marks(some)})", *some
        ):
            found[row["record"]] = set(orjson.loads(row["near"] or "[]"))
    return found


def _components(
    project: Project, made_by: WorkRules, placed: Sequence[PlacedRecord], replaced: Collection[int]
) -> set[int]:
    """The components that new records may join or divide."""
    noted = _noted_neighbours(project.db, [one.id for one in placed])
    near = set(replaced).union(*noted.values())
    named: list[str] = []
    for one in placed:
        if made_by.pins and made_by.pins.touches(one.print):
            named += made_by.pins.same_names(one.print)
    components = set(components_of(project.db, project.id, near).values())
    if named:
        works = works_by_name(project.db, project.id, named)
        components |= {work.component for found in works.values() for work in found}
    return components


def _write(project: Project, made_by: WorkRules, made: _Computation, done: WorkChanges) -> None:
    """Write works, some at a time, and count in `done` what became of them. Their rows are computed
    before the transaction. Raises OtherWorksError: pins or works have changed since they were read;
    what was written before holds.
    """
    for some in portions(project.db, _apart(made), _weight):
        with project.db.transaction():
            if _pins(project) != made.pins:
                raise OtherWorksError
            found = [one for part in some for one in part]
            done.add(_write_part(project, made_by, made, found))


def _weight(part: Sequence[ComputedWork]) -> int:
    """How much is written, in records of a usual size."""
    return sum(len(one.records) + len(one.values.body) // 16_384 for one in part)


def _apart(made: _Computation) -> Iterator[list[ComputedWork]]:
    """The works in parts that have nothing to do with one another: no component of before has
    records in two of them. Those without new records come first: who begins anew knows by the new
    ones that works are to be divided, because of their title.
    """
    parts: dict[int, int] = {}

    def root(number: int) -> int:
        while (above := parts.setdefault(number, number)) != number:
            parts[number] = parts[above]
            number = parts[number]
        return number

    component = made.group.component
    earlier = dict[int, list[int]]()  # newest version -> those that it follows
    for old, new in made.replaced.items():
        earlier.setdefault(new, []).append(old)
    for one in made.found:
        todo = list(one.records)
        while todo:
            row = todo.pop()
            todo += earlier.pop(row, ())
            if row in component:
                parts[root(component[row])] = root(one.component)
    together: dict[int, list[ComputedWork]] = {}
    for one in made.found:
        together.setdefault(root(one.component), []).append(one)

    def order(part: Sequence[ComputedWork]) -> tuple[bool, int]:
        return any(row in made.runs for one in part for row in one.records), len(part)

    yield from sorted(together.values(), key=order)


def _write_part(
    project: Project, made_by: WorkRules, made: _Computation, found: Sequence[ComputedWork]
) -> WorkChanges:
    """Write works that hold all records of their components, inside a transaction. Raises
    OtherWorksError: a record stands in another work by now.
    """
    component = made.group.component
    records = {row for one in found for row in one.records}
    newest: dict[int, int] = {}  # of each version that is superseded now
    for old, new in made.replaced.items():
        passed = {old}
        while new in made.replaced and new not in passed:
            passed.add(new)
            new = made.replaced[new]
        if new in records:
            newest[old] = new
    entered = {row: made.runs[row] for row in (*records, *newest) if row in made.runs}
    wait = sum(
        project.db.value(
            f"SELECT count(*) FROM entering WHERE record IN ({rows.in_marks(some)})", *some
        )
        for some in rows.batches(entered, rows.AT_ONCE)
    )
    if wait < len(entered):
        raise OtherWorksError
    project.db.run_many(
        "UPDATE record SET superseded = ? WHERE id = ? AND superseded IS NOT ?1",
        [(made.replaced.get(row), row) for row in (*entered, *newest)],
    )
    leaving = [made.leaving[old] for old in newest if old in made.leaving]
    if leaving:
        ProjectPlaces(project.db, project.id, made_by.chain).remove(leaving)
    done = assign(
        project.db,
        project.id,
        {component[row] for row in (*records, *newest) if row in component},
        found,
        entered={row: run for row, run in entered.items() if row in records},
        replaced={old: new for old, new in newest.items() if old in component},
        anew=made.anew,
        by=project.by,
    )
    project.db.run_many("DELETE FROM entering WHERE record = ?", [(row,) for row in entered])
    return done


def remake(project: Project, components: Iterable[int]) -> WorkChanges:
    """Make the works of some components anew, inside a transaction: after a change of pins."""
    made_by, done = rules(project.db, project.id), WorkChanges()
    project.db.run("UPDATE works_made SET pins = pins + 1 WHERE project = ?", project.id)
    if not _is_made_by(project, made_by):  # as after an import of the project
        return _make_all(project, made_by)
    group = gather(project.db, project.id, set(components))
    found = list(divide(project.db, project.id, made_by, group))
    made = _Computation(_pins(project), group, found, anew=True)
    _write(project, made_by, made, done)
    return done


def _make_all(project: Project, made_by: WorkRules) -> WorkChanges:
    """Make the places of all records and all works anew, by the rules of now; ids stay. Where
    others have changed pins or works meanwhile, `_is_made_by` still says no at the end.

    This is for a project whose rules have changed, and takes minutes and memory for a large one.
    """
    number, done = project.id, WorkChanges()
    with project.db.transaction():
        project.db.run(
            "INSERT INTO works_made (project, rules) VALUES (?, '')"
            " ON CONFLICT (project) DO UPDATE SET rules = '', pins = pins + 1",
            number,
        )
        project.db.run("UPDATE entering SET placed = 0, near = '[]' WHERE project = ?", number)
        pins = _pins(project)
    for table in ("record_place", "record_signature", "journal_title"):
        _clear(project.db, table, number)
    ids = [
        row[0]
        for row in project.db.all(
            "SELECT id FROM record WHERE project = ? AND superseded IS NULL"
            " AND id NOT IN (SELECT record FROM entering)",
            number,
        )
    ]
    for some in rows.batches(ids, AT_ONCE):
        for part in portions(project.db, _places_of(list(rows.read(project.db, some)), made_by)):
            with project.db.transaction():
                ProjectPlaces(project.db, number, made_by.chain).enter(part)
                JournalTitles(project.db, number).take(part)
    with project.db.snapshot():
        components = {
            row[0]
            for row in project.db.all(
                "SELECT DISTINCT component FROM work WHERE project = ?", number
            )
        }
        group = gather(project.db, number, components)
        found = list(divide(project.db, number, made_by, group))
    with suppress(OtherWorksError):
        _write(project, made_by, _Computation(pins, group, found, anew=True), done)
        with project.db.transaction():
            project.db.run(
                "UPDATE works_made SET rules = ? WHERE project = ? AND pins = ?",
                made_by.name,
                number,
                pins,
            )
    return done


def _clear(db: Database, table: str, project: int) -> None:
    """Remove the rows that a project has in a table of places."""
    key = "record" if table == "record_signature" else "place"
    of_project = f"FROM {table} WHERE project = ?1"
    last = f"SELECT {key} {of_project} ORDER BY {key} LIMIT 1 OFFSET ?2"
    places = iter(lambda: db.value(last, project, _REMOVED), None)
    for most in portions(db, places, lambda _: _REMOVED):
        with db.transaction():
            db.run(f"DELETE {of_project} AND {key} <= ?2", project, max(most))
    with db.transaction():
        db.run(f"DELETE {of_project}", project)
