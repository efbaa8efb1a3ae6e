"""The form of PRESS, and the review of a strategy in the reports of its project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metasearch.message import message
from metasearch.review.press import peer_review
from metasearch.review.press.findings import Finding, Fix
from metasearch.review.press.reading import read
from metasearch.review.projects import projects
from metasearch.review.reports import press_form, prisma_s, searches
from metasearch.review.reports.document import Code, Document, to_json
from metasearch.review.reports.render import FORMATS, write
from metasearch.review.store.database import Database
from metasearch.review.strategies import search_file, steps, strategies
from metasearch.review.strategies.strategies import Strategy
from tests.review.filled import Filled

TEXT = "1. gambl*.ti,ab.\n2. casino*.ti,ab.\n3. harm*.ti,ab.\n4. 1 and 3"
AT = TEXT.index("2. ") + 3
UNUSED = Finding(
    "unused-line",
    message("Nothing names line {number}", number=2),
    AT,
    AT + len("casino*.ti,ab."),
    2,
    Fix(AT, AT + 7, "(casino* or bet*)"),
)
HINT = Finding("limit-date", "Only some years", 0, 0)


def form(*found: Finding, **more: Any) -> Document:
    strategy = read(TEXT, "ovid")
    return press_form.document(strategy, peer_review.rows(strategy, found), name="a.txt", **more)


def said(document: Document) -> str:
    return to_json(document).decode()


def test_the_form_has_the_strategy_and_what_was_found():
    """Each finding with its line, what stands there, the reason and the mend."""
    document = form(UNUSED)
    assert [block.text for block in document.blocks if isinstance(block, Code)] == [TEXT]
    text = said(document)
    for part in ("casino*.ti,ab.", "Nothing names line 2", "(casino* or bet*)", "Ovid", "a.txt"):
        assert part in text, part


def test_the_gravest_finding_decides_what_is_asked_for():
    """Of its element and of the whole; hints ask for nothing. Of the question no rule says that it
    is translated well.
    """
    error = Finding("line-missing", "There is no line 9", 0, 0)
    assert said(form()).count("No revisions") == 6  # five elements, and the whole
    assert said(form(HINT)).count("No revisions") == 6
    assert said(form(UNUSED)).count("Revisions suggested") == 2
    assert said(form(UNUSED, error)).count("Revisions required") == 2


def test_the_form_is_written_in_the_language_of_its_readers():
    text = said(form(UNUSED, language="zh"))
    assert "不需要修改" in text
    assert "No revisions" not in text
    assert "Nothing names line" in text  # a sentence of this test, which nobody has translated


@pytest.mark.parametrize("name", ["html", "docx", "md", "json"])
def test_the_form_is_a_file_of_every_format_of_reports(name: str):
    assert write(form(UNUSED, HINT), FORMATS[name].name)


def test_a_text_that_looks_like_markup_stays_text():
    strategy = read("<script>alert(1)</script> and harm*", "simple")
    document = press_form.document(strategy, (), name="<b>x</b>")
    html = write(document, "html").decode()
    assert "<script>alert" not in html
    assert "<b>x</b>" not in html


# Reviews that are kept.


@pytest.fixture
def filled(tmp_path: Path):
    with Database(tmp_path / "w.sqlite") as db:
        filled = Filled(db)
        for text in ("gambl*", "casino*", "harm*", "#1 AND #3"):
            filled.step(text)
        yield filled


def reviewed(filled: Filled) -> Strategy:
    (strategy,) = strategies.of(filled.project)
    own = steps.of(filled.db, strategy)
    text = peer_review.text_of(own)
    read_one = read(text, peer_review.syntax_of(own))
    at = text.index("casino*")
    unused = Finding("unused-line", message("Nothing names line {n}", n=2), at, at + 7, 2)
    found = peer_review.rows(read_one, [unused])
    return peer_review.keep(filled.project, strategy, own, found)


def test_the_steps_of_a_project_are_read_with_their_numbers(filled: Filled):
    (strategy,) = strategies.of(filled.project)
    own = steps.of(filled.db, strategy)
    lines = read(peer_review.text_of(own), peer_review.syntax_of(own)).lines
    assert [line.number for line in lines] == [step.number for step in own]
    assert [reference.number for reference in lines[-1].references] == [1, 3]


def test_a_strategy_without_a_review_has_none_in_its_reports(filled: Filled):
    assert "PRESS" not in said(searches.document(filled.project))
    (strategy,) = strategies.of(filled.project)
    assert "peer_review" not in search_file.write(filled.db, strategy, syntax="pubmed").decode()


def test_the_appendix_has_the_review_that_is_kept(filled: Filled):
    reviewed(filled)
    text = said(searches.document(filled.project))
    for part in ("Peer review by rule (PRESS 2015)", "Nothing names line 2", "casino*"):
        assert part in text, part
    assert "changed since it was reviewed" not in text
    assert ": 1 finding." in said(prisma_s.document(filled.project))


def test_a_review_of_a_strategy_that_was_changed_says_so(filled: Filled):
    strategy = reviewed(filled)
    steps.edit(filled.db, strategy, 2, text="casino* OR betting")
    assert "changed since it was reviewed" in said(searches.document(filled.project))


def test_a_search_file_has_the_review(filled: Filled):
    strategy = reviewed(filled)
    content = search_file.write(filled.db, strategy, syntax="pubmed")
    review = json.loads(content)["metasearch"]["peer_review"]
    (finding,) = review["findings"]
    assert (finding["code"], finding["severity"], finding["line"]) == ("unused-line", "warning", 2)
    assert search_file.read(content, "a.json")[0].own  # which is read as before


@pytest.mark.parametrize(
    "kept",
    ["x", [], {}, {"findings": "x"}, {"findings": [1, {"code": "unused-line"}, {"code": []}]}],
)
def test_an_odd_review_of_an_archive_harms_nothing(filled: Filled, kept: object):
    (strategy,) = strategies.of(filled.project)
    strategies.update(filled.db, strategy, details={peer_review.KEY: kept})
    document = searches.document(projects.find(filled.db, filled.project.uid))
    assert "casino*" in said(document)
