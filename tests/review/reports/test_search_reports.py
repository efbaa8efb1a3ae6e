"""PRISMA-S and the search appendix: what was searched, word for word, and what is not stated."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from metasearch.formats import hits
from metasearch.record import Hit, Match, Record
from metasearch.review.projects import projects
from metasearch.review.reports import prisma_s, searches
from metasearch.review.reports.document import Code, Document, to_json
from metasearch.review.reports.prisma_s import merge_rules
from metasearch.review.reports.render import write
from metasearch.review.reports.searches import newest, search_answers
from metasearch.review.runs import other_sources
from metasearch.review.store.database import Database
from tests.review.filled import Filled

SENT = '("gambl*"[tiab]) AND   harm <b>'
REQUESTS = [
    {"method": "GET", "url": "https://eutils.example.org/esearch?term=gambl*&retmax=100"},
    *({"method": "POST", "url": "https://eutils.example.org/efetch", "body": "id=1"},) * 4,
]


@pytest.fixture
def filled(tmp_path: Path):
    with Database(tmp_path / "w.sqlite") as db:
        filled = Filled(db)
        step, by_hand = filled.step("gambl* AND harm"), filled.step("SU=赌博", kind="import")
        filled.answer(filled.run("counts"), step, "openalex", claimed=900, fetched=None)
        run = filled.run()
        filled.answer(
            run,
            step,
            "pubmed",
            ["1", "2"],
            label="PubMed",
            claimed=5,
            filtered=1,
            sent=SENT,
            query="gambl* AND harm",
            requests=orjson.dumps(REQUESTS).decode(),
            notes=orjson.dumps(["truncation was lost"]).decode(),
        )
        filled.answer(run, step, "eric", status="timeout", error="no answer within 10 s")
        filled.answer(run, step, "ct", ["n"], place="register", label="ClinicalTrials.gov")
        files = filled.run("import", file="cnki.ris", searched="2026-11-02", by_hand="all years")
        filled.answer(
            files, by_hand, "CNKI", ["a"], label="CNKI", claimed=1, sent="SU=赌博", cached=0
        )
        for key in ("pubmed:1", "pubmed:2", "ct:n", "CNKI:a"):
            filled.work(run, key)
        yield filled


def said(document: Document) -> str:
    return to_json(document).decode()


def test_the_appendix_says_what_was_sent(filled: Filled):
    """Search strings, requests, dates, numbers and losses stand there as they are in the store."""
    document = searches.document(filled.project)
    codes = [block.text for block in document.blocks if isinstance(block, Code)]
    assert SENT in codes
    assert "SU=赌博" in codes
    (requests,) = [text for text in codes if "esearch" in text]
    assert requests.splitlines()[:3] == [
        "GET https://eutils.example.org/esearch?term=gambl*&retmax=100",
        "POST https://eutils.example.org/efetch",
        "id=1",
    ]
    text = said(document)
    for part in (
        "Requests for further pages: 2.",
        "truncation was lost",
        "2 of 5 records were obtained.",
        "1, by conditions that the database cannot search for",
        "The database failed (timeout): no answer within 10 s",
        "2026-11-20 10:00 UTC",
        "by hand, from a file",
        "cnki.ris",
        "2026-11-02",
        "all years",
    ):
        assert part in text, part
    assert text.count('"900"') == 1  # the count of a step, and no records


def test_the_newest_whole_answer_is_shown(filled: Filled):
    """A later failure does not hide what was obtained; a later whole answer does."""
    step = filled.db.value("SELECT min(id) FROM step")
    filled.answer(filled.run(), step, "pubmed", status="error", error="down", label="PubMed")
    filled.answer(filled.run(), step, "eric", status="empty")
    chosen = {
        (one.source, one.run, one.status)
        for one in newest(
            one for one in search_answers(filled.project, str) if one.mode != "counts"
        )
    }
    assert chosen == {
        ("pubmed", 2, "ok"),
        ("ct", 2, "ok"),
        ("CNKI", 3, "ok"),
        ("eric", 5, "empty"),
    }


def test_prisma_s_has_sixteen_items(filled: Filled):
    """Each in order with its number; what only people know is asked for, and told as missing."""
    document = prisma_s.document(filled.project)
    numbers = [block.number for block in document.blocks if getattr(block, "number", "")]
    assert numbers == [f"{n}." for n in range(1, 17)]
    (missing,) = [text for text in document.draft if text.startswith("Not stated")]
    assert missing == (
        "Not stated: item 4 (Online resources and browsing), 5 (Citation searching), 6 (Contacts), "
        "7 (Other methods), 9 (Limits and restrictions), 10 (Search filters), 11 (Prior work), "
        "14 (Peer review)."
    )
    text = said(document)
    for part in ("ClinicalTrials.gov", "eutils.example.org", "by hand, files: cnki.ris"):
        assert part in text, part
    assert "No study registry was searched" not in text


def test_answers_and_other_sources_complete_prisma_s(filled: Filled):
    """Answers are printed as they are; a way of searching that is listed answers its item."""
    project = filled.project
    other_sources.add(
        project, "citation", "Included studies", how="Backwards.", date="2026-11-21", identified=3
    )
    names = (
        "online",
        "contacts",
        "other_methods",
        "limits",
        "filters",
        "prior_work",
        "peer_review",
    )
    values = {f"prisma_s.{name}": f"About {name} <i>." for name in names}
    projects.answer(project, values)
    document = prisma_s.document(project)
    text = said(document)
    for value in values.values():
        assert value in text
    assert "Citation searching: Included studies. Backwards. Date: 2026-11-21. Records: 3." in text
    assert not [each for each in document.draft if each.startswith("Not stated")]


def test_duplicates_are_explained(filled: Filled):
    """Item 16 counts how many pairs each rule has joined; a work of one record counts nothing."""
    db = filled.db
    record = Record(source="pubmed", source_id="1", title="t")
    work = db.value("SELECT min(id) FROM work")
    filled.join(work, "pubmed:2")
    matches = (
        Match("doi", "same", 1.0, "same DOI", "a", "b"),
        Match("doi", "same", 1.0, "same DOI", "a", "c"),
        Match("titles", "version", 0.9, "titles equal", "a", "d"),
        Match("titles", "different", 0.9, "another year", "a", "e"),
    )
    hit = Hit(id="h", record=record, records=(record,), provenance={}, matches=matches)
    for number in (work, work + 1):
        db.run("UPDATE work_body SET hit = ? WHERE work = ?", hits.write(hit), number)
    found = merge_rules(filled.project)
    assert dict(found.reasons) == {"doi": 2, "titles": 1}
    assert (found.strategy, found.versions, found.pins) == ("default", "separate", 0)


def test_stale_steps_make_a_draft(tmp_path: Path):
    """A step that was edited after its run is told, also where a step it names was edited."""
    from metasearch.review.runs.plan import SourceQuestion
    from metasearch.review.strategies import steps, strategies
    from metasearch.review.strategies.resolve import resolve_step

    with Database(tmp_path / "w.sqlite") as db:
        filled = Filled(db)
        strategy = strategies.find(filled.project, "main")
        steps.add(db, strategy, "gambling")
        last = steps.add(db, strategy, "#1 AND harm")
        digest = SourceQuestion.of(resolve_step(steps.of(db, strategy), 2), "").digest
        filled.answer(filled.run(), last.id, "pubmed", ["1"], digest=digest)
        assert searches.document(filled.project).draft == ()
        steps.edit(db, strategy, 1, text="betting")
        assert searches.document(filled.project).draft == (
            "Steps whose query has changed since they were run: main #2.",
        )


def test_reports_in_chinese_have_no_english_sentence(filled: Filled):
    """Every phrase of ours is Chinese; what databases and people said stays."""
    for module in (prisma_s, searches):
        text = write(module.document(filled.project, language="zh"), "md").decode()
        text = text.replace("truncation was lost", "")
        for word in ("The ", " was ", " were ", "Records", "Hits", "Date"):
            assert word not in text, word
