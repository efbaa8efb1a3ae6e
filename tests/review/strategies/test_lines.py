"""Search strategies that are copied in line by line. The texts are of our own making, in the forms
in which the databases show their histories.
"""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.query import parse
from metasearch.query import read as as_query
from metasearch.review.projects import log
from metasearch.review.store.database import Database
from metasearch.review.strategies import paste, resolve, steps
from metasearch.review.strategies.paste import copy_in
from metasearch.review.strategies.paste import read_paste as read
from metasearch.review.strategies.strategies import Strategy
from tests import cases

OVID = """Database: Ovid MEDLINE(R) ALL <1946 to May 03, 2026>
Search Strategy:
--------------------------------------------------------------------------------
1     exp Gambling/ (5834)
2     (gambl* or betting).ti,ab. (12345)
3     1 or 2 (14000)
4     limit 3 to yr="2010 -Current" (200)
"""
OVID_TABLE = (
    "#\tSearches\tResults\tType\tActions\n"
    "1\texp Gambling/\t5834\tAdvanced\tDisplay Results\tMore\n"
    "2\tgambl*.ti.\t12345\tAdvanced\tDisplay Results\tMore\n"
    "3\tor/1-2\t14000\tAdvanced\tDisplay Results\tMore\n"
)
PUBMED = (
    "#3\tSearch: #1 AND #2\t1,234\t04:55:51\n"
    "#2\tSearch: harm*[tiab] Filters: Humans\t45,000\t04:55:10\n"
    "#1\tSearch: gambl*[tiab]\t8,000\t04:54:00\n"
)
PUBMED_FILE = (
    "Search number,Query,Sort By,Filters,Search Details,Results,Time\n"
    '3,#1 AND #2,,,"(""x"")","1,234",04:55:51\n'
    "2,harm*[tiab],,Humans,,45000,04:55:10\n"
    "1,gambl*[tiab],,,,8000,04:54:00\n"
)
EMBASE = (
    "#1 'gambling'/exp OR gambl*:ti,ab   12,345   12 Mar 2026\n"
    "#2 (harm NEAR/3 reduc*):ti,ab   5,000   12 Mar 2026\n"
    "#3 #1 AND #2   340   12 Mar 2026\n"
)
EBSCO = (
    "S3\tS1 AND S2\tExpanders - Apply equivalent subjects\tInterface - EBSCOhost\t320\n"
    "S2\tTI harm* N3 reduc*\tExpanders - Apply equivalent subjects\tInterface - EBSCOhost\t5,000\n"
    'S1\t(MH "Gambling+") OR TI gambl*\tLimiters - Published Date: 20100101-\tInterface\t12,000\n'
)
WOS = """# 3\t320\t#2 AND #1
Indexes=SCI-EXPANDED, SSCI Timespan=All years
# 2\t5,000\tTS=(harm NEAR/3 reduc*)
Indexes=SCI-EXPANDED, SSCI Timespan=All years
# 1\t12,000\tTS=(gambl* OR betting)
Indexes=SCI-EXPANDED, SSCI Timespan=All years
"""
COCHRANE = (
    "Search Name: harms\nDate Run: 12/03/2026 10:00:00\n\nID\tSearch\tHits\n"
    "#1\tMeSH descriptor: [Gambling] explode all trees\t340\n"
    "#2\tgambl*:ti,ab,kw\t900\n#3\t{or #1-#2}\t1000\n"
)
SCOPUS = (
    "1\tTITLE-ABS-KEY(gambl*)\t12,345 document results\n"
    "2\tTITLE-ABS-KEY(harm W/3 reduc*)\t5,000 document results\n"
    "3\t#1 AND #2\t100 document results\n"
)
PROQUEST = (
    "S1\tti,ab(gambl*)\tPsycINFO\t1234*\n"
    'S2\tMAINSUBJECT.EXACT("Gambling")\tPsycINFO\t900°\nS3\tS1 OR S2\tPsycINFO\t2000*\n'
)


@pytest.mark.parametrize(
    ("text", "syntax", "texts", "hits"),
    [
        (OVID, "ovid",
         ["exp Gambling/", "(gambl* or betting).ti,ab.", "1 or 2",
          'limit 3 to yr="2010 -Current"'], [5834, 12345, 14000, 200]),
        (OVID_TABLE, "ovid", ["exp Gambling/", "gambl*.ti.", "or/1-2"], [5834, 12345, 14000]),
        (PUBMED, "pubmed", ["gambl*[tiab]", "harm*[tiab] Filters: Humans", "#1 AND #2"],
         [8000, 45000, 1234]),
        (PUBMED_FILE, "pubmed", ["gambl*[tiab]", "harm*[tiab] Filters: Humans", "#1 AND #2"],
         [8000, 45000, 1234]),
        (EMBASE, "embase",
         ["'gambling'/exp OR gambl*:ti,ab", "(harm NEAR/3 reduc*):ti,ab", "#1 AND #2"],
         [12345, 5000, 340]),
        (EBSCO, "ebsco", ['(MH "Gambling+") OR TI gambl* Limiters - Published Date: 20100101-',
          "TI harm* N3 reduc*", "S1 AND S2"],
         [12000, 5000, 320]),
        (WOS, "wos", ["TS=(gambl* OR betting)", "TS=(harm NEAR/3 reduc*)", "#2 AND #1"],
         [12000, 5000, 320]),
        ("3: #1 AND #2 Results: 320\n2: TS=(harm) Results: 5000\n1: TS=(gambl*) Results: 9\n",
         "wos", ["TS=(gambl*)", "TS=(harm)", "#1 AND #2"], [9, 5000, 320]),
        (COCHRANE, "cochrane",
         ["MeSH descriptor: [Gambling] explode all trees", "gambl*:ti,ab,kw", "{or #1-#2}"],
         [340, 900, 1000]),
        (SCOPUS, "scopus",
         ["TITLE-ABS-KEY(gambl*)", "TITLE-ABS-KEY(harm W/3 reduc*)", "#1 AND #2"],
         [12345, 5000, 100]),
        (PROQUEST, "proquest", ["ti,ab(gambl*)", 'MAINSUBJECT.EXACT("Gambling")', "S1 OR S2"],
         [1234, 900, 2000]),
        ("1、(沉水植物+贝类)*生态系统\n2、水质*(种类+密度)\n3、#1*#2\n", "cnki",
         ["(沉水植物+贝类)*生态系统", "水质*(种类+密度)", "#1*#2"], [None, None, None]),
        ("（1）沉水植物\n（2）水质\n", "auto", ["沉水植物", "水质"], [None, None]),
        ("gambl* OR betting\n\nharm*\n#1 AND #2\n", "auto",
         ["gambl* OR betting", "harm*", "#1 AND #2"], [None, None, None]),
        ("1 exp Gambling/ 5834\n2 gambl*.ti. 12,345\n3 1 or 2 14000", "ovid",
         ["exp Gambling/", "gambl*.ti.", "1 or 2"], [5834, 12345, 14000]),
        ("1. gambling\n   and harm\n2. policy", "auto", ["gambling and harm", "policy"],
         [None, None]),
    ],
)  # fmt: skip
def test_the_histories_of_databases_become_steps(
    db: Database, strategy: Strategy, text: str, syntax: str, texts: list[str], hits: list[int]
) -> None:
    """With the numbers that lines have, the first line of the search first, and without hits."""
    copied = copy_in(db, strategy, text)
    assert copied.syntax == syntax
    assert [it.text for it in copied.steps] == texts
    assert [it.details.get("hits") for it in copied.steps] == hits
    assert [it.number for it in copied.steps] == list(range(1, len(texts) + 1))
    assert steps.of(db, strategy) == list(copied.steps)
    last = copied.steps[-1].text
    assert copied.steps[-1].parents or not any(sign in last for sign in ("#", "/1", "1 or"))


def test_a_number_that_ends_a_query_is_no_count() -> None:
    """Unless each line has one, or it is set apart."""
    copied = read("1. vitamin b 12\n2. #1 AND 6\n3. omega 3")
    assert [(it.text, it.hits) for it in copied.lines] == [
        ("vitamin b 12", None), ("#1 AND 6", None), ("omega 3", None),
    ]  # fmt: skip


#: The same small strategy as platforms and people write it down.
FORMS = [
    "1 peat.ti. 12345\n2 bog*.ti. 23456\n3 1 and 2 999",
    "1 peat.ti. 12 345\n2 bog*.ti. 23 456\n3 1 and 2 2 999",
    "1. peat.ti. (12345)\n2. bog*.ti. (23 456)\n3. 1 and 2 (n=999)",
    "1\u00a0peat.ti.\n2\u00a0bog∗.ti.\n3\u00a0and/1‐2",
    "#1. peat.ti.\n#2. bog*.ti.\n#3. #1 and #2",
    "1.peat.ti.\n2.bog*.ti.\n3.1 and2",
    "| 1 | peat.ti. | 1,234 |\n| 2 | bog*.ti. | 5,678 |\n| 3 | 1 and 2 | 99 |",
    "|# | Search | Hits|\n|---|:---|\n|1| `peat.ti.` |1|\n|2| bog\\*.ti. |5|\n|3| 1 and 2 |9|",
    "Line | Query | Hits\n--- | --- | ---\n1 | peat.ti. | 4\n2 | bog*.ti. | 5\n3 | 1 and 2 | 1",
    "No.\tHits\tTerms\tDate\n1\t1,234\tpeat.ti.\t2 Mar 2020\n2\t5\tbog*.ti.\t\n3\t9\t1 and 2\t",
    "1\tSoil\tpeat.ti.\t3\n2\tPlace\tbog*.ti.\t4\n3\t\t1 and 2\t1",
    "1\npeat.ti.\n12,345\n2\nbog*.ti.\n99\n3\n1 and 2\n12",
    "Soil:\n1 peat.ti.\nPlace\n2 bog*.ti.\nBoth\n3 1 and 2",
    "peat.ti.\nbog*.ti.\n1 and 2",
    "3 1 and 2 9\n2 bog*.ti. 55\n1 peat.ti. 345",
    "Database: Ovid\nSearch Strategy:\n---\n1     peat.ti. (58)\n2   bog*.ti. (1)\n3   1 and 2 (1)",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_a_text_is_read_as_a_query_and_as_steps_alike(
    db: Database, strategy: Strategy, text: str
) -> None:
    """Whatever stands round the queries of its lines."""
    meant = parse("title:peat AND title:bog*")
    assert as_query(text, "ovid").query == meant

    copied = copy_in(db, strategy, text, syntax="ovid")
    assert [it.text for it in copied.steps[:2]] == ["peat.ti.", "bog*.ti."]
    last = resolve.resolve_all(list(copied.steps))[copied.steps[-1].number]
    assert isinstance(last, resolve.ResolvedStep)
    assert last.query == meant


def test_what_is_left_out_is_told() -> None:
    """Heads of tables and settings; times and buttons are not."""
    assert any("Ovid MEDLINE(R) ALL" in note for note in read(OVID).notes)
    assert any("Apply equivalent subjects" in note for note in read(EBSCO).notes)
    assert not any("04:55" in note for note in read(PUBMED).notes)


def test_a_line_keeps_what_was_copied(db: Database, strategy: Strategy) -> None:
    """Where more stood there than the query."""
    copied = copy_in(db, strategy, OVID)
    assert copied.steps[0].details["copied"] == "exp Gambling/ (5834)"
    assert copied.steps[0].details["hits"] == 5834


def test_numbers_with_gaps_stay(db: Database, strategy: Strategy) -> None:
    """As lines of a history that were deleted."""
    copied = copy_in(db, strategy, "2. gambl*\n5. harm*\n9. #2 AND #5\n")
    assert [(it.number, it.parents) for it in copied.steps] == [(2, ()), (5, ()), (9, (2, 5))]


def test_numbers_that_are_taken_are_made_anew(db: Database, strategy: Strategy) -> None:
    """Also where lines name one another; a note says so."""
    steps.add(db, strategy, "first")
    copied = copy_in(db, strategy, OVID)
    assert [it.number for it in copied.steps] == [2, 3, 4, 5]
    assert copied.steps[2].text == "2 or 3"
    assert copied.steps[3].text == 'limit 4 to yr="2010 -Current"'
    assert "the lines are numbered anew: 1 is step 2" in copied.notes


def test_a_line_that_cannot_be_read_adds_nothing(db: Database, strategy: Strategy) -> None:
    """The error begins with the number of the line."""
    for text, reason in (
        ("1. gambl*\n2. (harm\n3. #1 AND #2", "Line 2: This bracket is never closed"),
        ("1. gambl*\n2. #7 AND harm", "Line 2: There is no line 7"),
        ("1. gambl*\n2. #3 AND harm\n3. x", "Line 2: There is no step 3"),
    ):
        with pytest.raises(QuerySyntaxError) as caught:
            copy_in(db, strategy, text)
        assert caught.value.reason == reason
    assert steps.of(db, strategy) == []
    assert len(log.lines(db, strategy.project)) == 2  # project, strategy


@cases.each(
    ("text", "reason"),
    [
        ("", "The text has no lines"),
        ("\n \n", "The text has no lines"),
        ("x\n" * 501, "more than 500 lines"),
        ("x" * 500_001, "more than 500,000 characters"),
        ("1\t123\n2\t456", "Line 1 has no query"),
    ],
)
def test_a_text_without_lines_is_an_error(
    db: Database, strategy: Strategy, text: str, reason: str
) -> None:
    """And one with too many."""
    with pytest.raises(UsageError, match=reason) as caught:
        copy_in(db, strategy, text)
    assert caught.value.advice


def test_the_syntax_may_be_named(db: Database, strategy: Strategy) -> None:
    """Then no marks are looked for."""
    copied = copy_in(db, strategy, "1. salt marsh\n2. 1 and carbon", syntax="ovid")
    assert {it.syntax for it in copied.steps} == {"ovid"}
    assert copied.steps[1].parents == (1,)


def test_each_step_is_in_the_log(db: Database, strategy: Strategy) -> None:
    """In one transaction."""
    copy_in(db, strategy, OVID, by="Ann")
    lines = [it for it in log.lines(db, strategy.project) if it.action == "new step"]
    assert len(lines) == 4
    assert {it.by for it in lines} == {"Ann"}


def test_the_bounds_of_copied_text_are_those_of_a_strategy() -> None:
    """So that what can be read can be added."""
    assert paste.MOST_LINES == steps.MOST_STEPS
