"""An archive that somebody has forged changes nothing of the projects of others, and breaks no page
of its own.
"""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import UsageError
from metasearch.record import Record
from metasearch.review.projects import log, members, projects, shapes
from metasearch.review.projects.archive_checks import JSON
from metasearch.review.projects.archive_format import export_project, export_to
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.projects.projects import Project
from metasearch.review.store.checks import TableRelation, check, relations
from metasearch.review.store.database import Database
from metasearch.review.users import accounts
from metasearch.review.works import undo as undoing
from metasearch.review.works.undo import undo
from tests import cases
from tests.review.archive.forged import Members, rows, unpacked, written
from tests.review.archive.rows import NOW, VOTER, made
from tests.review.security.team import Person, Team
from tests.review.security.team_fixtures import As
from tests.review.security.test_roles import UNDER_PROJECT, filled_in

VICTIM = ("vvvvvvvvvvva", "vvvvvvvvvvvb", "vvvvvvvvvvvc")
OWN = ("aaaaaaaaaaaa", "aaaaaaaaaaab", "aaaaaaaaaaac")
STEP = {"kind": "query", "text": "forged", "syntax": "auto", "note": "", "details": {}}


@pytest.fixture
def victim(tmp_path: Path) -> Project:
    """The project of somebody else, the second one of its workspace."""
    made(tmp_path / "w.sqlite3", "first", uids=iter(("b" * 12, "c" * 12, "d" * 12)))
    return made(tmp_path / "w.sqlite3", "victim", uids=iter(VICTIM))


@pytest.fixture
def own(tmp_path: Path) -> tuple[Members, dict[str, Any]]:
    """What stands in an archive of the attacker."""
    project = made(tmp_path / "own.sqlite3", "own", uids=iter(OWN))
    with Database(tmp_path / "own.sqlite3") as db:
        export_to(project.at(db), tmp_path / "own.zip")
    return unpacked(tmp_path / "own.zip")


def everything(db: Database, project: Project) -> bytes:
    """All rows of a project: its archive, which has the same bytes for the same rows."""
    file = io.BytesIO()
    export_project(project.at(db), file)
    return file.getvalue()


def pairs(uid: str) -> Mapping[str, list[tuple[Any, Any]]]:
    """Action that can be undone -> what its forged lines say was before, and after: what stands in
    the victim's project now, so that no change since is in the way.
    """

    def marks(*kept: Any) -> list[dict[str, Any]]:
        return [{"stage": "title", "by": by, "works": {uid: each}} for each in kept for by in ("",)]

    none, relevant, close = marks(None, ["relevant", "", NOW], ["close", "", NOW])
    pin = {"id": 2, "verdict": "same", "a": "a:1", "b": "a:2", "note": "", "by": "", "at": NOW}
    votes = json.dumps([[VOTER, "close", ""]])
    resolved = [votes, "close", "", "", NOW]
    return {
        "mark works": [(none, relevant), (close, relevant)],
        "import decisions": [(none, relevant)],
        "tag works": [({"forged": [uid]}, {"lake": [uid]})],
        "note works": [({"works": {uid: "forged"}}, {"works": {uid: "read it"}})],
        "resolve conflicts": [
            (
                {"stage": "title", "works": {uid: None}},
                {"stage": "title", "works": {uid: resolved}},
            )
        ],
        "pin works": [(None, pin), (pin | {"verdict": "different"}, pin)],
        "remove pin": [(pin, None)],
        "edit project": [({"title": "forged"}, {"title": "Lakes"})],
        "edit strategy": [({"note": "forged"}, {"note": "first"})],
        "edit step": [
            (STEP, STEP | {"text": "lakes"}),
            (STEP | {"text": "#1 AND forged"}, STEP | {"text": "#1 AND fish"}),
        ],
    }


def objects(db: Database, victim: Project) -> list[str]:
    """All ways to name something of the victim: rows, uids, names."""

    def row(table: str) -> int:
        return int(db.value(f"SELECT min(id) FROM {table} WHERE project = ?", victim.id))

    return [
        "project", "works", "stage:title", "pin:a:1 a:2", "report:prisma-s/1", "x:1/1",
        f"strategy:{row('strategy')}", f"step:{row('strategy')}/1", f"step:{row('strategy')}/2",
        "step:1/1", "step:1/2", "strategy:1", "strategy:-1", "strategy:１", f"strategy:{10**8}",
        f"project:{victim.id}", f"other_source:{row('other_source')}", f"pin:{row('pin')}",
        *(f"work:{uid}" for uid in VICTIM[:2]),
    ]  # fmt: skip


def lines(action: str, names: list[str]) -> Iterator[dict[str, Any]]:
    """Forged lines of an action."""
    said = [pair for uid in VICTIM[1:2] for pair in pairs(uid).get(action, [(None, None)])]
    for name in names:
        for before, after in said:
            yield {
                "action": action, "object": name, "before": json.dumps(before),
                "after": json.dumps(after),
            }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("action", shapes.ACTIONS)
def test_no_forged_line_of_the_log_reaches_another_project(
    action: str, victim: Project, own: tuple[Members, dict[str, Any]], tmp_path: Path
) -> None:
    """For every action, with every name of what is the victim's: it is refused, or it is about what
    the attacker has. The victim can be deleted afterwards.
    """
    assert set(pairs("")) == set(undoing.UNDONE) <= set(shapes.ACTIONS)
    found, manifest = own
    with Database(tmp_path / "w.sqlite3") as db:
        before = everything(db, victim)
        whole = rows(found, "change")
        outcomes = set()
        for forged in lines(action, objects(db, victim)):
            line = whole[-1] | forged | {"id": len(whole) + 1, "undoes": None}
            found["tables/change.jsonl"] = [*whole, line]
            archive = written(tmp_path / "forged.zip", found, manifest)
            try:
                copy = import_project(db, archive, name="copy").project
            except UsageError as refused:
                outcomes.add(str(refused).partition(", line")[0])
                continue
            number = log.lines(db, copy.id, most=2)[1].id
            try:
                undo(copy, number)
            except UsageError:
                outcomes.add("not undone")
            projects.delete(copy)
        refused_at = "the archive cannot be imported: tables/change.jsonl"
        assert refused_at in outcomes <= {refused_at, "not undone"}
        assert everything(db, victim) == before
        assert check(db) == []
        projects.delete(victim.at(db))
        assert check(db) == []


def test_the_line_of_the_issue_is_refused_with_its_place(
    own: tuple[Members, dict[str, Any]], tmp_path: Path
) -> None:
    """`edit step` of `x:1/1`."""
    found, manifest = own
    forged = next(lines("edit step", ["x:1/1"]))
    found["tables/change.jsonl"].append(rows(found, "change")[-1] | forged | {"id": 12})
    with Database(tmp_path / "w.sqlite3") as db, pytest.raises(UsageError) as refused:
        import_project(db, written(tmp_path / "forged.zip", found, manifest))
    assert "tables/change.jsonl, line 12" in str(refused.value)


#: What may stand before and after; and kinds of objects with names that fit and that do not.
ODD = (
    None, 3, "x", [1], {}, {"works": 1}, {"works": {"u": None}, "stage": "title"}, STEP,
    {"works": {OWN[0]: [1, 2]}, "stage": 1}, {"details": {"novelty": 3}}, {"title": None},
    {"sources": [4]}, {"years": []}, {"archived": "no"}, {"novelty": 5}, {"t": "u"}, {"t": [[]]},
    {"\0": [OWN[0]]}, STEP | {"syntax": "x"}, STEP | {"details": 3}, {"a": "a:1", "b": "a:2"},
)  # fmt: skip
NAMES: Mapping[str, tuple[str, ...]] = {
    "project": ("project", "project:1"), "strategy": ("strategy:1", "strategy:x"),
    "step": ("step:1/1", "step:"), "works": ("works", "work:1"), "pin": ("pin:a:1 a:2", "pin:"),
}  # fmt: skip


@pytest.mark.parametrize("turn", cases.sample(range(4), 4))
@pytest.mark.parametrize("action", undoing.UNDONE)
def test_a_line_that_stands_in_a_file_is_undone_or_refused(
    action: str, turn: int, tmp_path: Path
) -> None:
    """Whatever stands before and after, and whatever it is about: nothing but a refusal comes of
    it, also of lines that no import lets through. A turn tries a fourth of the pairs.
    """
    project = made(tmp_path / "w.sqlite3", uids=iter(OWN))
    with Database(tmp_path / "w.sqlite3") as db, db.transaction():
        for name in NAMES[shapes.ACTIONS[action].object]:
            for number, before in enumerate(ODD, turn):
                for after in ODD[number % 4 :: 4]:
                    row = db.run(
                        "INSERT INTO change (project, at, action, object, before, after)"
                        " VALUES (?, ?, ?, ?, ?, ?)",
                        project.id, NOW, action, name, json.dumps(before), json.dumps(after),
                    )  # fmt: skip
                    with suppress(UsageError):
                        undo(project.at(db), row)
                    db.run("DELETE FROM change WHERE id >= ?", row)


# --------------------------------------------------------------------------- rows across projects


def all_relations(folder: Path) -> list[TableRelation]:
    """Those of the schema."""
    with Database(folder / "empty.sqlite3") as db:
        return relations(db)


def test_every_column_that_names_rows_is_looked_at(tmp_path: Path) -> None:
    """All foreign keys, but those that tell whose a row is, and those of users."""
    found = {(one.table, one.column) for one in all_relations(tmp_path)}
    assert {
        ("alias", "work"), ("answer", "step"), ("change", "undoes"), ("finding", "record"),
        ("joined_work", "work"), ("record", "superseded"), ("report", "last_run"),
        ("run", "strategy"), ("step_parent", "parent"), ("work", "component"),
        ("work", "first_run"),
        ("work_record", "work"), ("work_source", "work"), ("record_signature", "record"),
        ("record_place", "record"), ("saved_news", "run"),
        ("entering", "record"), ("entering", "answer"), ("entering", "replaces"),
    } == found  # fmt: skip


@pytest.mark.parametrize("turn", cases.sample(range(2), 2))
def test_a_row_that_names_one_of_another_project_is_found(turn: int, tmp_path: Path) -> None:
    """One is planted for each relation: the check tells it, and both projects can be deleted. In
    a turn one of the two projects is the victim."""
    path = tmp_path / "w.sqlite3"
    first = made(path, "first", uids=iter(OWN))
    second = made(path, "second", uids=iter(VICTIM))
    with sqlite3.connect(path) as raw:
        for number, project in enumerate((first, second), 1):
            record = raw.execute(
                "SELECT min(id) FROM record WHERE project = ?", (project.id,)
            ).fetchone()[0]
            values = (project.id, record)
            # A source of its own, so that no planted row takes the place of another.
            raw.execute("UPDATE work_source SET source = ?1 WHERE project = ?1", (project.id,))
            raw.execute("INSERT INTO record_place VALUES (?, 1, 0, ?)", values)
            raw.execute("INSERT INTO record_signature VALUES (?2, 'm', ?1, 1)", values)
            raw.execute(
                "INSERT INTO entering (record, project, answer, is_new, replaces)"
                " SELECT ?2, ?1, min(answer.id), 0, ?2 FROM answer"
                " JOIN run ON run.id = answer.run WHERE run.project = ?1",
                values,
            )
            raw.execute(
                "INSERT INTO saved_search (id, uid, name, query, feed, created)"
                " VALUES (?1, ?1, ?1, 'x', ?1, '')",
                (number,),
            )
            raw.execute(
                "INSERT INTO saved_run (id, saved, number, status, started)"
                " VALUES (?1, ?1, 1, 'done', '')",
                (number,),
            )
            raw.execute(
                "INSERT INTO saved_news (uid, run, saved, kind, hit, at)"
                " VALUES (?1, ?1, ?1, 'new', x'', '')",
                (number,),
            )
    raw.close()
    with Database(path) as db:
        before = {project.name: everything(db, project) for project in (first, second)}
    whole = path.read_bytes()
    for number, one in enumerate(all_relations(tmp_path), turn):
        victim, attacker = ((first, second), (second, first))[number % 2]
        path.write_bytes(whole)
        plant(path, one, victim, attacker)
        with Database(path) as db:
            told = [problem.what for problem in check(db)]
            assert any(f"rows of {one.table} of" in what for what in told), (one, told)
            if one.owner == "project":
                projects.delete(attacker.at(db))
                assert everything(db, victim) == before[victim.name]
                assert not any("another project" in problem.what for problem in check(db))
        path.write_bytes(whole)
        plant(path, one, victim, attacker)
        with Database(path) as db:
            projects.delete(victim.at(db))  # whatever is damaged
            assert db.all("PRAGMA foreign_key_check") == []


def plant(path: Path, one: TableRelation, victim: Project, attacker: Project) -> None:
    """Let a row of the attacker name one of the victim."""
    theirs, ours = (owned(one, project) for project in (victim, attacker))
    with sqlite3.connect(path) as raw:
        raw.execute("DROP TRIGGER change_stays")
        row = raw.execute(
            f"SELECT other.id FROM {one.other} AS other WHERE other.rowid IN ({theirs[1]})"
            " ORDER BY 1 DESC"
        ).fetchone()
        changed = raw.execute(
            f"UPDATE OR REPLACE {one.table} SET {one.column} = ? WHERE {one.column} IN ({ours[1]})",
            row,
        )
        assert changed.rowcount
        raw.execute(
            "CREATE TRIGGER change_stays BEFORE UPDATE ON change"
            " BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"
        )
    raw.close()


def owned(one: TableRelation, project: Project) -> tuple[str, str]:
    """The kind of an owner, and the SELECT of the rows of a relation's table that are theirs."""
    number = project.id
    of = {
        "step": "SELECT step.id FROM step JOIN strategy ON strategy.id = step.strategy"
        f" WHERE strategy.project = {number}",
        "saved_run": f"SELECT id FROM saved_run WHERE saved = {number}",
        "answer": "SELECT answer.id FROM answer JOIN run ON run.id = answer.run"
        f" WHERE run.project = {number}",
    }
    return one.owner, of.get(one.other, f"SELECT id FROM {one.other} WHERE project = {number}")


# --------------------------------------------------------------------------- odd values


def deep(levels: int) -> Any:
    """A list in a list in a list."""
    return [deep(levels - 1)] if levels else []


#: What may stand where JSON is expected; keys that the program looks for have odd values, too.
VALUES: tuple[Any, ...] = (
    None, 5, -1e308, "x", True, [], [1, 2], [None], [[]], ["x"], {}, {"a": [{"b": [1.5]}]},
    deep(200), {"a": deep(300)}, [str(list(range(60_000)))], [2**63], {"a": 2**63},
    list(range(5_000)), [{}],
    [{"method": 3, "url": [], "body": {}}], [{"url": "x", "body": [["a", "b"]]}],
    *(
        {name: value}
        for name in (
            "derived_from", "numbers", "imports_left_out", "search_file", "hits", "source", "file",
            "searched", "steps", "sources", "per_source", "years", "title", "draft", "novelty",
        )
        for value in (7, [1], {"a": 1}, "x")
    ),
    {"search_file": {"date": 3}}, {"search_file": {"authors": [3], "record_info": 4}},
    {"search_file": {"date": {"data_entry": []}, "database": 3}}, {"numbers": {"other": [3]}},
)  # fmt: skip


async def ask_all(person: Person, team: Team, project: str) -> None:
    """Ask every page and every route of programs that reads a project."""
    for route in UNDER_PROJECT:
        if route.gets and "progress" not in route.path:
            for accept in ("text/html", "application/json"):
                path = filled_in(route.path, team, project)
                response = await person.get(path, accept)
                content = await response.read()
                assert response.status < 500, (path, content[:2_000])


class Forge:
    """An archive of the team's project, with other values.

    Args:
        team: Of the project; the copies are its owner's.
        folder: For the archives.
    """

    def __init__(self, team: Team, folder: Path) -> None:
        self.team, self.folder = team, folder
        with Database(team.filled.path) as db:
            export_to(team.review.at(db), folder / "review.zip")
        self.found, self.manifest = unpacked(folder / "review.zip")

    def imported(self, db: Database, table: str, column: str, *values: Any) -> Project | None:
        """The copy with these values in its rows, by turns; None where it was refused, with its
        place.
        """
        forged = [
            row | {column: json.dumps(value)}
            for row, value in zip(rows(self.found, table), cycle(values), strict=False)
        ]
        changed = self.found | {f"tables/{table}.jsonl": forged}
        try:
            path = written(self.folder / "odd.zip", changed, self.manifest)
            copy = import_project(db, path, name="odd").project
        except UsageError as refused:
            if "cannot be imported: tables" in str(refused):
                return None
            raise
        members.add(copy, accounts.find(db, self.team.uids["owner"]), "owner")
        return copy

    def refuses(self, table: str, column: str, value: Any) -> bool:
        """Whether an import refuses it; nothing is kept of one that does not."""
        with Database(self.team.filled.path) as db:
            copy = self.imported(db, table, column, value)
            if copy is not None:
                projects.delete(copy)
            return copy is None

    async def ask(self, person: Person, table: str, column: str, *values: Any) -> None:
        """Ask all routes of the copy, and delete it."""
        with Database(self.team.filled.path) as db:
            copy = self.imported(db, table, column, *values)
            assert copy is not None
        await ask_all(person, self.team, copy.uid)
        with Database(self.team.filled.path) as db:
            projects.delete(copy.at(db))


def together(values: list[Any]) -> list[Any]:
    """Fewer values that have all keys of the objects among some."""
    made: list[dict[str, Any]] = []
    for value in values:
        if isinstance(value, dict):
            free = next((one for one in made if not one.keys() & value.keys()), None)
            if free is None:
                made.append(free := {})
            free.update(value)
    return [*made, *(value for value in values if not isinstance(value, dict))]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column"), JSON)
async def test_no_odd_value_of_an_archive_breaks_a_page(
    table: str, column: str, team: Team, people: As, tmp_path: Path
) -> None:
    """Each column of JSON is replaced by odd values: the archive is refused with the place, or
    every route answers.
    """
    forge = Forge(team, tmp_path)
    if table == "change":
        # Of the actions whose lines may have anything: those of others are tried above.
        free = [
            row for row in rows(forge.found, table)
            if shapes.ACTIONS[row["action"]].before is shapes.ACTIONS[row["action"]].after
            and shapes.ACTIONS[row["action"]].after(3)
        ]  # fmt: skip
        assert len(free) > 5
        forge.found["tables/change.jsonl"] = [
            row | {"id": number, "undoes": None} for number, row in enumerate(free, 1)
        ]
    if not rows(forge.found, table):
        forge.found[f"tables/{table}.jsonl"] = SPARE[table]
    taken = [value for value in VALUES if not forge.refuses(table, column, value)]
    assert len(taken) < len(VALUES)
    left, at_once = together(taken), len(rows(forge.found, table))
    while left:
        await forge.ask(people("owner"), table, column, *left[:at_once])
        left = left[at_once:]


#: Rows of tables of which the project has none.
SPARE: Mapping[str, list[dict[str, Any]]] = {
    "other_source": [{"id": 1, "kind": "website", "name": "a website", "details": ""}],
    "joined_work": [{"uid": "j" * 12, "work": 1, "key": "a:1", "state": "", "at": NOW}],
    "resolution": [
        {"work": 1, "stage": "title", "votes": "", "verdict": "close", "reason": "", "at": NOW}
    ],
}


ODD_PARTS: tuple[Any, ...] = (None, 5, "x", [1], {"a": 1}, [{"a": []}])


@pytest.mark.slow
@pytest.mark.parametrize("of_record", [False, True])
async def test_no_odd_hit_of_an_archive_breaks_a_page(
    of_record: bool, team: Team, people: As, tmp_path: Path
) -> None:
    """Each part of a work's hit, and of its record; those that are taken stand in one hit."""
    forge = Forge(team, tmp_path)
    hit = json.loads(rows(forge.found, "work_body")[0]["hit"])
    parts = {field.name for field in fields(Record)} if of_record else set(hit)

    def forged(odd: Mapping[str, Any]) -> dict[str, Any]:
        return hit | ({"record": hit["record"] | odd} if of_record else odd)

    for value in ODD_PARTS:
        taken = {
            name: value
            for name in sorted(parts)
            if not forge.refuses("work_body", "hit", forged({name: value}))
        }
        if taken:
            await forge.ask(people("owner"), "work_body", "hit", forged(taken))
