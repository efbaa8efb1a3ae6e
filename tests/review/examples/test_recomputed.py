"""The numbers of every report of the worked examples, recomputed from their exported archives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metasearch.review.projects import projects
from metasearch.review.projects.archive_format import export_to
from metasearch.review.reports import render, reports
from metasearch.review.reports.document import Language
from metasearch.review.reports.reports import KINDS, ReportKind
from metasearch.review.store.database import Database
from tests import cases
from tests.review.examples.test_examples import install
from tests.review.new_workspaces import make_once
from tests.review.recompute import Recomputed, differences, rows_of


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace of all examples, and the archive of each."""
    folder = tmp_path_factory.mktemp("recomputed")
    path = folder / "workspace.sqlite3"
    make_once("examples", path, lambda: install(path))
    with Database(path) as db:
        for project in projects.every(db):
            export_to(project.at(db), folder / f"{project.kind}.zip")
    return folder


@cases.each(
    ("kind", "language"),
    [(kind, language) for kind in KINDS.values() for language in kind.languages],
    ids=lambda it: getattr(it, "name", it),
)
@cases.each("example", ["review", "novelty"])
def test_all_numbers_of_a_report_are_those_of_the_archive(
    made: Path, example: str, kind: ReportKind, language: Language
) -> None:
    """Of each report of each example, in each of its languages; and of the update that continues
    the finished flow diagram of the review.
    """
    numbers = Recomputed(rows_of(made / f"{example}.zip"))
    with Database(made / "workspace.sqlite3") as db:
        project = next(one for one in projects.every(db) if one.kind == example)
        continued = reports.frozen(project, kind.name)
        document = kind.build(project, language=language)
        assert differences(json.loads(render.write(document, "json")), numbers) == []
        if continued and document.kind == "prisma-flow":
            last = continued[0].number
            update = kind.build(project, language=language, previous=last)
            numbers = Recomputed(rows_of(made / f"{example}.zip"), last)
            assert differences(json.loads(render.write(update, "json")), numbers) == []
