"""Finished reports: they stay as they were, and a change of them is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log
from metasearch.review.reports import prisma_flow, reports
from metasearch.review.reports.document import digest
from metasearch.review.reports.reports import KINDS, kind_of
from metasearch.review.runs import carriers
from metasearch.review.store.database import Database
from tests.review.filled import Filled


@pytest.fixture
def filled(tmp_path: Path):
    with Database(tmp_path / "w.sqlite") as db:
        filled = Filled(db)
        for work in filled.found({"pubmed": [1, 2]}):
            filled.decide(work, "fulltext", "relevant")
        yield filled


def test_later_runs_change_nothing_in_a_finished_report(filled: Filled):
    """The document, its digest and its numbers stay; the report of now is another one."""
    db, project = filled.db, filled.project
    document = prisma_flow.document(project)
    report = reports.freeze(project.as_user("ann"), "prisma-flow")
    filled.found({"eric": [7, 8, 9]})
    assert reports.frozen(project) == [report]
    assert reports.document(db, report) == document
    assert reports.is_unchanged(db, report)
    assert report.digest == digest(document)
    assert prisma_flow.document(project) != document
    assert report.data["numbers"]["identified"] == 2
    (line,) = [line for line in log.lines(db, project.id) if line.action == "finish report"]
    assert (line.object, line.by) == ("report:prisma-flow/1", "ann")
    assert line.after["digest"] == report.digest


def test_reports_are_numbered_by_kind(filled: Filled):
    """Each kind counts from 1; the newest is "last"."""
    project = filled.project
    for kind in ("prisma-flow", "prisma-flow", "appendix"):
        reports.freeze(project, kind, language="zh", draft=True)
    assert [(each.kind, each.number) for each in reports.frozen(project)] == [
        ("appendix", "1"),
        ("prisma-flow", "2"),
        ("prisma-flow", "1"),
    ]
    assert reports.find(project, "prisma-flow", "last").number == "2"
    with pytest.raises(UsageError) as error:
        reports.find(project, "prisma-flow", "9")
    assert error.value.advice == "There are 2, 1."


def test_a_report_that_was_changed_is_found(filled: Filled):
    """Its digest is computed anew when it is read."""
    report = reports.freeze(filled.project, "prisma-flow")
    filled.db.run("UPDATE report SET document = replace(document, '2', '3')")
    assert not reports.is_unchanged(filled.db, report)
    with pytest.raises(UsageError, match="was changed after it was finished"):
        reports.document(filled.db, report)


def test_a_report_is_not_finished_while_a_run_goes_on(filled: Filled):
    """The works of a run that goes on would belong to no report."""
    with filled.db.transaction():
        carriers.claim(filled.db, filled.run(status="running"))
    with pytest.raises(UsageError, match="Run 2 has not ended"):
        reports.freeze(filled.project, "prisma-flow")


def test_a_run_that_was_killed_keeps_no_report_from_being_finished(filled: Filled):
    """What it has brought counts; nobody waits for it."""
    filled.run(status="running")
    assert reports.freeze(filled.project, "prisma-flow").last_run == 2


def test_a_draft_is_finished_only_on_demand(filled: Filled):
    """What is undecided keeps a report from being finished; its warnings stay in it."""
    filled.found({"eric": [9]})
    with pytest.raises(UsageError, match="is a draft: Records not yet screened: 1"):
        reports.freeze(filled.project, "prisma-flow")
    report = reports.freeze(filled.project, "prisma-flow", draft=True)
    assert reports.document(filled.db, report).draft
    assert report.data["draft"]


def test_updates_of_updates_add_up(filled: Filled):
    """Each report continues the one before it: nothing is counted twice."""
    project = filled.project
    reports.freeze(project, "prisma-flow")
    totals = []
    for n in range(3):
        run = filled.run()
        filled.answer(run, filled.step(), "pubmed", ["1", "2", f"new{n}"])
        filled.decide(filled.work(run, f"pubmed:new{n}"), "fulltext", "relevant")
        report = reports.freeze(project, "prisma-flow", previous="last")
        kept = report.data["numbers"]
        totals.append((kept["identified"], kept["works"], kept["total_reports"], kept["changed"]))
    assert totals == [(3, 1, 3, 0), (3, 1, 4, 0), (3, 1, 5, 0)]


def test_kinds_are_known(filled: Filled):
    """Every kind is built in each of its languages; others are told what there is."""
    for kind in KINDS.values():
        for language in kind.languages:
            document = kind.build(filled.project, language=language)
            assert (document.kind, document.language) == (kind.name, language)
    with pytest.raises(UsageError, match="no report 'prisma'"):
        kind_of("prisma")
    with pytest.raises(UsageError, match="not written in fr"):
        kind_of("appendix").build(filled.project, language="fr")
    with pytest.raises(UsageError, match="continues no earlier one"):
        kind_of("appendix").build(filled.project, previous="1")
