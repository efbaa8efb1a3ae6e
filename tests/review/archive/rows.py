"""A project with a row in every table, and one with many records."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import orjson

from metasearch.bib import record_json
from metasearch.formats import hits
from metasearch.record import Hit, Record
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports import reports
from metasearch.review.reports.document import Document
from metasearch.review.runs import other_sources
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies

NOW = "2026-11-23T05:40:00Z"
#: The uid of a user, who is nobody in this workspace.
VOTER = "vvvvvvvvvvvv"
#: What was said of a work before it joined another one.
SAID = {"decisions": [["title", "", "close", "", NOW]], "tags": ["lake"], "notes": [["", "a", NOW]]}
UIDS = ("abcdefghijkm", "mkjihgfedcba", "npqrstuvwxyz")


def record(number: int) -> Record:
    return Record(
        source="a",
        source_id=str(number),
        title=f"沉水植物 and lakes, part {number}",
        position=number,
    )


def _rows(db: sqlite3.Connection, project: int, records: int, uids: Iterator[str]) -> None:
    """A run that found records, a work each, with one of everything that belongs to a work."""
    strategy = db.execute("SELECT min(id) FROM strategy WHERE project = ?", (project,)).fetchone()[
        0
    ]
    step = db.execute("SELECT min(id) FROM step WHERE strategy = ?", (strategy,)).fetchone()[0]
    run = db.execute(
        "INSERT INTO run (project, strategy, number, mode, status, started, tool, options)"
        " VALUES (?, ?, 1, 'records', 'done', ?, 'metasearch', '{\"steps\":[1]}')",
        (project, strategy, NOW),
    ).lastrowid
    answer = db.execute(
        "INSERT INTO answer (run, step, source, label, status, seconds, asked_at)"
        " VALUES (?, ?, 'a', 'A', 'ok', 0.1, ?)",
        (run, step, NOW),
    ).lastrowid
    first = 0
    for number in range(1, records + 1):
        body = record_json.record_to_json(record(number))
        row = db.execute(
            "INSERT INTO record (project, source, key, digest, body, position, added)"
            " VALUES (?, 'a', ?, ?, ?, ?, ?)",
            (project, f"a:{number}", hashlib.sha256(body).hexdigest(), body, number, NOW),
        ).lastrowid
        db.execute(
            "INSERT INTO finding (answer, record, position) VALUES (?, ?, ?)", (answer, row, number)
        )
        uid = next(uids)
        work = db.execute(
            "INSERT INTO work (project, uid, component, title, first_run, added)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (project, uid, row, record(number).title, run, NOW),
        ).lastrowid
        hit = Hit(id=f"a:{number}", record=record(number), records=(record(number),), provenance={})
        db.execute("INSERT INTO work_body VALUES (?, ?, 'lakes')", (work, hits.write(hit)))
        db.execute("INSERT INTO work_words (rowid, words) VALUES (?, 'lakes')", (work,))
        db.execute("INSERT INTO work_record VALUES (?, ?)", (row, work))
        db.execute(
            "INSERT INTO work_source (work, project, source) VALUES (?, ?, 'a')", (work, project)
        )
        db.execute("INSERT INTO alias VALUES (?, ?, ?)", (project, uid, work))
        db.execute("INSERT INTO decision VALUES (?, 'title', '', 'relevant', '', ?)", (work, NOW))
        db.execute("INSERT INTO tag VALUES (?, 'lake')", (work,))
        db.execute("INSERT INTO note (work, text, at) VALUES (?, 'read it', ?)", (work, NOW))
        first = first or row
    # An older version of the first record.
    body = record_json.record_to_json(record(0))
    db.execute(
        "INSERT INTO record (project, source, key, digest, body, added, superseded)"
        " VALUES (?, 'a', 'a:1', ?, ?, ?, ?)",
        (project, hashlib.sha256(body).hexdigest(), body, NOW, first),
    )
    old = db.execute("SELECT last_insert_rowid()").fetchone()[0]
    db.execute("INSERT INTO work_record VALUES (?, ?)", (old, work))
    db.execute("INSERT INTO finding (answer, record, position) VALUES (?, ?, 9)", (answer, old))
    joined = next(uids)
    db.execute(
        "INSERT INTO joined_work VALUES (?, ?, ?, 'a:9', ?, ?)",
        (joined, project, work, orjson.dumps(SAID).decode(), NOW),
    )
    db.execute("INSERT INTO alias VALUES (?, ?, ?)", (project, joined, work))
    db.execute("INSERT INTO decision VALUES (?, 'title', ?, 'close', '', ?)", (work, VOTER, NOW))
    db.execute(
        "INSERT INTO screening (project, stage, created) VALUES (?, 'title', ?)", (project, NOW)
    )
    db.execute("INSERT INTO screener VALUES (?, 'title', ?)", (project, VOTER))
    db.execute(
        "INSERT INTO resolution (work, stage, votes, verdict, at)"
        " VALUES (?, 'title', ?, 'close', ?)",
        (work, orjson.dumps([[VOTER, "close", ""]]).decode(), NOW),
    )
    db.execute("INSERT INTO opened VALUES (?, 'title')", (work,))
    difference = dict.fromkeys(("field", "written", "found", "source", "why"), "year")
    asked = {"source": "a", "label": "A", "status": "found", "by": ["doi"], "error": None}
    db.execute(
        "INSERT INTO work_check (work, verdict, serious, differences, asked, at, tried)"
        " VALUES (?, 'differs', 1, ?, ?, ?, ?)",
        (
            work,
            orjson.dumps([difference | {"serious": True}]).decode(),
            orjson.dumps([asked]).decode(),
            NOW,
            NOW,
        ),
    )
    db.execute(
        "INSERT INTO pin (project, verdict, a, b, at) VALUES (?, 'same', 'a:1', 'a:2', ?)",
        (project, NOW),
    )
    db.execute(
        "INSERT INTO known_work (project, name, body) VALUES (?, 'doi:10.1/x', ?)",
        (project, record_json.record_to_json(record(1))),
    )
    db.execute("UPDATE report SET last_run = ? WHERE project = ?", (run, project))
    undecided, decided = (
        orjson.dumps({"stage": "title", "by": "", "works": {uid: kept}}).decode()
        for kept in (None, ["relevant", "", NOW])
    )
    line = (
        "INSERT INTO change (project, at, action, object, before, after, undoes)"
        " VALUES (?, ?, 'mark works', ?, ?, ?, ?)"
    )
    about = (project, NOW, f"work:{uid}")
    change = db.execute(line, (*about, undecided, decided, None)).lastrowid
    change = db.execute(line, (*about, decided, undecided, change)).lastrowid
    db.execute(line, (*about, undecided, decided, change))


def made(
    path: Path, name: str = "lakes", records: int = 2, uids: Iterator[str] | None = None
) -> Project:
    """Make a project with so many records, and more of everything else."""
    names = uids or iter(UIDS)
    with Database(path) as db:
        project = projects.create(db, name, "novelty", "Lakes")
        strategy = strategies.create(project, "one", sources=("a",), note="first")
        steps.add(db, strategy, "lakes")
        steps.add(db, strategy, "#1 AND fish")
        strategies.create(project, "empty")
        other_sources.add(project, "website", "A website", identified=3)
        project = projects.update(project, details={"客户": "某公司"})
        reports.keep(project, Document(kind="prisma-s", title="Searches", language="en"))
    with sqlite3.connect(path) as raw:
        _rows(raw, project.id, records, names)
    raw.close()
    return project
