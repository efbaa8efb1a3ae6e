"""A process that is killed while it imports a file: the file is there as a whole, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metasearch.review.projects import projects
from metasearch.review.runs import imports, runs
from metasearch.review.runs.imports import import_file
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from tests.review.store.processes import started

#: Imports a file, and kills itself where the `nth` call of a function of a module begins or ends.
IMPORTER = """
import importlib, os, signal, sys
from pathlib import Path
from metasearch.review.projects import projects
from metasearch.review.runs.imports import import_file
from metasearch.review.store.database import Database
from metasearch.review.strategies import strategies

file, content, place, moment, nth = sys.argv[1:]
module, _, name = place.rpartition(".")
module = importlib.import_module(module)
whole, calls = getattr(module, name), []

def killed(*args, **kwargs):
    calls.append(name)
    if len(calls) == int(nth) and moment == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    made = whole(*args, **kwargs)
    if len(calls) == int(nth) and moment == "after":
        os.kill(os.getpid(), signal.SIGKILL)
    return made

setattr(module, name, killed)
with Database(Path(file)) as db:
    project = projects.find(db, "lakes")
    strategy = strategies.find(project, "main")
    import_file(project, strategy, Path(content).read_bytes(), "hand.ris",
                source="CNKI", searched="2026-05-03")
print("not killed")
"""
RUNS, ADDING = "metasearch.review.runs.runs", "metasearch.review.works.intake"
KEEPING = "metasearch.review.works.records.keep"
#: Place, moment, which call; whether the file is kept.
STAGES = {
    "before its run begins": (f"{RUNS}.begin", "before", 1, False),
    "when its run has begun": (f"{RUNS}.begin_answer", "after", 1, False),
    "in the first portion": (KEEPING, "after", 1, False),
    "between two portions": (KEEPING, "before", 2, False),
    "before its last step": (f"{RUNS}.finish_answer", "before", 1, False),
    "in its last step": (f"{RUNS}.finish", "after", 1, False),
    "before works are computed": (f"{ADDING}.make_works", "before", 1, True),
    "when records stand at their places": (f"{ADDING}._enter", "after", 1, True),
    "before works are written": (f"{ADDING}.assign", "before", 1, True),
    "between two portions of works": (f"{ADDING}.assign", "before", 2, True),
}


def ris(start: int, end: int) -> bytes:
    """A file of articles, some of which stand in the project already."""
    return "".join(
        f"TY  - JOUR\nTI  - {'Water of the lake ' + chr(65 + n % 26) * 3} in region {n}\n"
        f"AU  - Li, Na\nPY  - {1980 + n}\nT2  - Limnology\nDO  - 10.5555/{n}\nER  - \n"
        for n in range(start, end)
    ).encode()


def works(db: Database) -> set[frozenset[str]]:
    """The identifiers of the records of each work."""
    found: dict[int, set[str]] = {}
    for work, key in db.all(
        "SELECT work, record.key FROM work_record JOIN record ON record.id = work_record.record"
    ):
        found.setdefault(work, set()).add(key)
    return {frozenset(keys) for keys in found.values()}


def made(path: Path) -> None:
    """A workspace with a project that holds a file of another database."""
    with Database(path) as db:
        project = projects.create(db, "lakes", "review")
        strategy = strategies.create(project, "main")
        steps.add(db, strategy, "lake")
        brought(db, ris(0, 20), "other.ris", "Wanfang")


def brought(db: Database, content: bytes, name: str = "hand.ris", source: str = "CNKI") -> Any:
    """A file, imported."""
    project = projects.find(db, "lakes")
    strategy = strategies.find(project, "main")
    return import_file(project, strategy, content, name, source=source, searched="2026-05-03")


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_half_an_import_is_none(stage: str, tmp_path: Path) -> None:
    """After kill -9 at any stage no run is under way, and all records are there with their works,
    or none; the file imported again gives what one import gives."""
    place, moment, nth, kept = STAGES[stage]
    content = tmp_path / "hand.ris"
    content.write_bytes(ris(10, 70))
    for name in ("killed.db", "whole.db"):
        made(tmp_path / name)
    with Database(tmp_path / "whole.db") as db:
        before = works(db)
        brought(db, content.read_bytes())
        expected = works(db)

    process = started(IMPORTER, tmp_path / "killed.db", content, place, moment, nth)
    said, _ = process.communicate()
    assert said == ""
    with Database(tmp_path / "killed.db") as db:
        project = projects.find(db, "lakes")
        imports.recover(db, project)
        records = db.value("SELECT count(*) FROM record")
        assert records == (80 if kept else 20)
        assert works(db) == (expected if kept else before)
        assert db.value("SELECT count(*) FROM entering") == 0
        assert {run.status for run in runs.of(project)} <= {"done", "stopped", "interrupted"}
        assert db.value("SELECT count(*) FROM run WHERE status = 'running'") == 0
        assert not check(db)
        brought(db, content.read_bytes())
        assert works(db) == expected
        assert not check(db)
