"""Notices about a work, in the words of databases and in the closed form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metasearch.bib import notices
from metasearch.bib.notices import KINDS, Notice, each_once, read
from metasearch.errors import UsageError
from metasearch.formats.record_of import record_of
from tests.cases import each

LINKS = ("", "10.1000/x", "10.1002/(sici)1:2<3::aid-4>3.0.co;2-2", "pmid:77", "https://a.example/n")


@each("kind", KINDS)
@each("date", ["", "2020", "2020-06", "2020-06-04"])
@each("link", LINKS)
def test_the_closed_form_is_read_back(kind: str, date: str, link: str) -> None:
    notice = Notice(kind, date, link)
    assert read(str(notice)) == notice
    assert notices.texts(str(notice)) == (str(notice),)


@each(
    ("words", "form"),
    [
        (
            "RetractionIn J Ex. 2020 Jun 4;29(3):1. doi: 10.1000/X.",
            "retraction 2020-06-04 10.1000/x",
        ),
        ("Retraction in Lancet. 2010 Feb;375(9713):445 pmid:77", "retraction 2010-02 pmid:77"),
        ("retraction 2020-06-04 10.1000/x.2019", "retraction 2020-06-04 10.1000/x.2019"),
        ("RetractedandRepublishedIn J Ex. 2020", "retraction 2020"),
        ("ErratumIn Trials of 2019. 2020 Jun 45;2018:1", "correction 2020-06"),
        ("removal 2020", "withdrawal 2020"),
        ("expression_of_concern", "concern"),
        ("Expression of concern in J Ex. 2019 Spring", "concern 2019"),
        ("partial_retraction 2018", "correction 2018"),
        ("CorrectedandRepublishedIn J Ex. 2018 Dec 30", "correction 2018-12-30"),
        ("Erratum in", "correction"),
        ("corrigendum https://a.example/n", "correction https://a.example/n"),
        ("concern javascript:alert(1)", "concern"),
    ],
)
def test_words_of_databases(words: str, form: str) -> None:
    assert notices.texts(words) == (form,)


@each(
    "words",
    ["RetractionOf J Ex. 2020", "Retraction of: J", "ErratumFor J", "Erratum for", "CommentIn J",
     "new_version 2020 10.1000/x", "UpdateIn", "", "retractions 2020"],
)  # fmt: skip
def test_what_is_no_notice_about_the_work(words: str) -> None:
    assert notices.texts(words) == ()


@each(
    ("found", "form"),
    [
        ([["retraction", [2020, 6, 4], "10.1000/X"]], "retraction 2020-06-04 10.1000/x"),
        ([["erratum", [2020], None], ["erratum", [2020], None]], "correction 2020"),
        ([["Retraction in", "J Ex. 2020 Jun 4;1:2", "123"]], "retraction 2020-06-04 pmid:123"),
        ([["Retraction in", None, "PPR12"], 7, None, {"a": 1}, [[]], [None]], "retraction"),
    ],
)
def test_parts_of_notices(found: Any, form: str) -> None:
    assert notices.texts(found) == (form,)


def test_elements_of_pubmed_and_europe_pmc() -> None:
    root = etree.fromstring(
        """<a><CommentsCorrections RefType="RetractionIn"><RefSource>J Ex. 2020 Jun;1(2):3
        </RefSource><PMID Version="1">5</PMID></CommentsCorrections><commentCorrection><id>6</id>
        <source>MED</source><reference>J Ex. 2019;1:2</reference><type>Erratum in</type>
        </commentCorrection></a>"""
    )
    assert notices.texts([*root]) == ("retraction 2020-06 pmid:5", "correction 2019 pmid:6")


@given(st.text() | st.lists(st.text() | st.lists(st.text() | st.integers())))
def test_whatever_is_found_becomes_the_closed_form(found: Any) -> None:
    for text in notices.texts(found):
        notice = read(text)
        assert notice is not None
        assert str(notice) == text
        assert len(text.split()) == len([*filter(None, notice)])


def test_a_notice_that_several_have_is_one() -> None:
    """The gravest first; that with a DOI and a whole date speaks for the others."""
    said = [
        ("correction 2019 10.1000/a", 1),
        ("retraction 2020-06 pmid:7", 2),
        ("correction 2019 10.1000/b", 3),
        ("retraction 2020-06-04 10.1000/n", 4),
        ("retraction", 5),
        ("retraction 2012 pmid:9", 6),
        ("no notice", 7),
    ]
    assert [(str(notice), who) for notice, who in each_once(said)] == [
        ("retraction 2020-06-04 10.1000/n", 4),
        ("retraction 2012 pmid:9", 6),
        ("correction 2019 10.1000/a", 1),
        ("correction 2019 10.1000/b", 3),
    ]


def test_a_record_of_what_a_program_has_at_hand() -> None:
    doi = "10.1002/(sici)1:2<3::aid-4>3.0.co;2-2"
    record = record_of(title="x", notices=f"retraction 2020 {doi}; correction")
    assert record.notices == (f"retraction 2020 {doi}", "correction")
    with pytest.raises(UsageError, match="retraction 2020-06-04"):
        record_of(title="x", notices=["praised"])
