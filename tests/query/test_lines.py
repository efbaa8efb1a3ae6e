"""A strategy is cut into its lines, whoever printed it; what stands beside the queries is told."""

from __future__ import annotations

from functools import partial

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import parse, read, to_text
from metasearch.query.combinations import in_signs
from metasearch.query.strategy_lines import all_lines, numbered_lines, whole_text
from metasearch.query.tree import MAX_LENGTH
from tests.cases import each
from tests.growth import MOST, TIMES, growth

# fmt: off
THREE = ["peat.ti.", "bog*.ti.", "1 and 2"]
NONE = [None] * 3


@each(
    ("text", "hits"),
    [
        ("1 peat.ti. 12345\n2 bog*.ti. 99\n3 1 and 2 7", [12345, 99, 7]),
        ("1 peat.ti. 12 345\n2 bog*.ti. 2 999\n3 1 and 2 2 999", [12345, 2999, 2999]),
        ("1 peat.ti. [12,345]\n2 bog*.ti. [99]\n3 1 and 2 [7]", [12345, 99, 7]),
        ("1 peat.ti. (n=12 345)\n2 bog*.ti. (99)\n3 1 and 2 (7)", [12345, 99, 7]),
        ("1 peat.ti. = 12345\n2 bog*.ti. = 99\n3 1 and 2 = 7", [12345, 99, 7]),
        ("1 peat.ti. 12,345 results\n2 bog*.ti. Results: 99\n3 1 and 2 1 result", [12345, 99, 1]),
        ("1 peat.ti. 345\n2 bog*.ti.\n3 1 and 2 7", [345, None, 7]),
        ("1 peat.ti.\t345\n2 bog*.ti.      99\n3 1 and 2 7", [345, 99, 7]),
        ("1 peat.ti. 345 2020-01-02\n2 bog*.ti. 4 2 Mar 2020\n3 1 and 2 7 02:30", [345, 4, 7]),
        ("1 peat.ti. 345 Advanced\n2 bog*.ti. 4 Advanced More\n3 1 and 2 7 Basic", [345, 4, 7]),
        ("1\npeat.ti.\n345\n2\nbog*.ti.\n4\n3\n1 and 2\n7", [345, 4, 7]),
        ("|1 | peat.ti. | 345|\n|--|--|--|\n|2 | bog*.ti. | 4|\n|3 | 1 and 2 | 7|", [345, 4, 7]),
        ("1 | peat.ti. | 345\n2 | bog*.ti. | 4\n3 | 1 and 2 | 7", [345, 4, 7]),
        ("+--+--+\n| 1 | peat.ti. |\n+--+--+\n| 2 | `bog\\*.ti.` |\n| 3 | 1 and 2 |", NONE),
        ("No.\tHits\tTerms\n1\t345\tpeat.ti.\n2\t4\tbog*.ti.\n3\t7\t1 and 2", [345, 4, 7]),
        ("1\tSoil\tpeat.ti.\t345\n2\tPlace\tbog*.ti.\t4\n3\t\t1 and 2\t7", [345, 4, 7]),
        ("Line\tConcept\tString\n1\tSoil\tpeat.ti.\n2\tPlace\tbog*.ti.\n3\tBoth\t1 and 2", NONE),
        ("3 1 and 2\n2 bog*.ti.\n1 peat.ti.", NONE),
        ("1.peat.ti.\n2.bog*.ti.\n3.1 and 2", NONE),
        ("1、peat.ti.\n2、bog*.ti.\n3、1 and 2", NONE),
        ("(1) peat.ti.\n(2) bog*.ti.\n(3) 1 and 2", NONE),
        ("1: peat.ti.\n2: bog*.ti.\n3: 1and 2", NONE),
        ("Set 1 peat.ti.\nSet 2 bog*.ti.\nSet 3 1 and2", NONE),
        ("peat.ti.\nbog*.ti.\n1 and 2", NONE),
    ],
)
def test_lines_and_their_hits(text: str, hits: list[int | None]) -> None:
    """In all forms, the first line of the search first."""
    cut = numbered_lines(text)
    assert cut is not None
    assert [line.text for line in cut.lines] == THREE
    assert [line.hits for line in cut.lines] == hits
    assert [line.number for line in cut.lines] == [1, 2, 3]
    for line in cut.lines[:2]:
        assert cut.text[line.start : line.end] == line.text


@each(
    ("text", "texts"),
    [
        ("1 vitamin b 12\n2 omega 3\n3 1 and 2", ["vitamin b 12", "omega 3", "1 and 2"]),
        ("1 peat\n2 limit 1 to yr=2010\n3 1 or 2", ["peat", "limit 1 to yr=2010", "1 or 2"]),
        ("1 peat.ti. 345\n2 bog.ti.\n3 1 or 2", ["peat.ti. 345", "bog.ti.", "1 or 2"]),
        ("1 peat.ti. or 3\n2 bog.ti. or 3\n3 1 or 2", ["peat.ti. or 3", "bog.ti. or 3", "1 or 2"]),
    ],
)
def test_a_number_that_ends_a_query_is_part_of_it(text: str, texts: list[str]) -> None:
    """Where not nearly all lines have one, or it is a year or the number of a line."""
    cut = numbered_lines(text)
    assert cut is not None
    assert [line.text for line in cut.lines] == texts


@each(
    ("text", "text_of_line"),
    [
        ("1 (peat or\n  bog).ti.\n2 fen.ti.\n3 1 and 2", "(peat or bog).ti."),
        ("1 exp Soil, Wet\n  And Dry/\n2 fen.ti.\n3 1 and 2", "exp Soil, Wet And Dry/"),
        ("1 peat.ti.\nor bog.ti.\n2 fen.ti.\n3 1 and 2", "peat.ti. or bog.ti."),
        ("1 peat.ti. or\n2\n2 fen.ti.\n3 1 and 2", "peat.ti. or 2"),
        ("1\tpeat.ti.\n\tor bog.ti.\n2\tfen.ti.\n3\t1 and 2", "peat.ti. or bog.ti."),
        ("1 | peat.ti.<br>or bog.ti. |\n2 | fen.ti. |\n3 | 1 and 2 |", "peat.ti. or bog.ti."),
    ],
)
def test_a_line_goes_on_in_the_next_row(text: str, text_of_line: str) -> None:
    """Where its brackets are open, an operator stands at either side, or words are left."""
    cut = numbered_lines(text)
    assert cut is not None
    assert " ".join(cut.lines[0].text.split()) == text_of_line


@each(
    ("text", "told"),
    [
        ("Soil:\n1 peat.ti.\nPlace\n2 bog.ti.\n3 1 and 2", ["Soil", "Place"]),
        ("Database: Ovid <1946>\nSearch Strategy:\n1 peat.ti.\n2 bog.ti.\n3 1 and 2",
         ["Database: Ovid <1946>", "Search Strategy"]),
        ("1\tSoil\tpeat.ti.\n2\tPlace\tbog.ti.\n3\t\t1 and 2", ["Soil", "Place"]),
        ("1 peat.ti.\n2 bog.ti.\n3 1 and 2\nSearch date: 2 May 2020", ["Search date: 2 May 2020"]),
        ("1\tpeat.ti.\tInterface - X\n2\tbog.ti.\tInterface - X\n3\t1 and 2\t", ["Interface - X"]),
        ("peat.ti.\nbog.ti.\n1 and 2", ["1-3"]),
    ],
)
def test_what_is_cut_away_is_told(text: str, told: list[str]) -> None:
    """Headings, labels, settings, other columns; and that lines were counted."""
    found = read(text, "ovid")
    assert found.query == parse("title:peat AND title:bog")
    for shown in told:
        assert any(shown in note for note in found.notes)


@each(
    ("text", "reason", "marked"),
    [
        ("1 peat.ti.\n2 bog.ti.\n2 fen.ti.\n3 1 and 2", "Two lines have the number 2", "fen.ti."),
        ("1 peat.ti.\n2 bog.ti.\n3 1 or 2\n1 fen.ti.\n2 3 or 1", "Two lines have the number 1",
         "fen.ti."),
        ("1 peat.ti.\n2 bog.ti.\n3 1 or7", "Line 3: There is no line 7 before this one", "7"),
        ("1 peat.ti.\n2 bog.ti.\n3 1 or 2\n\nEmbase\n1 fen.ti.", "Two lines have the number 1",
         "fen.ti."),
        ("1 peat.ti. 12\n2 (bog.ti. 3\n3 1 or 2 15", "Line 2: This bracket is never closed", "("),
        ("| 1 | peat.ti. |\n| 2 | bo\\*g.zz. |\n| 3 | 1 or 2 |", "Line 2: There is no", ".zz."),
    ],
)
def test_a_refusal_names_the_line_and_the_place(text: str, reason: str, marked: str) -> None:
    """That of the text as it was cut."""
    with pytest.raises(QuerySyntaxError) as caught:
        read(text, "ovid")
    error = caught.value
    assert error.reason.startswith(reason)
    assert marked in error.text[error.position : error.position + error.length + 3]


@each(
    ("syntax", "text"),
    [
        ("ovid", "S1 peat.ti.\nS2 bog.ti.\nS3 S1 or S2"),
        ("ovid", "#1 peat.ti.\n#2 bog.ti.\n#3 or/#1-#2"),
        ("pubmed", "1. peat[ti]\n2. bog[ti]\n3. 1 or 2"),
        ("pubmed", "1. peat[ti]\n2. bog[ti]\n3. or/1-2"),
        ("wos", "1. TI=(peat)\n2. TI=(bog)\n3. 1 OR 2"),
        ("ebsco", "#1 TI peat\n#2 TI bog\n#3 #1 OR #2"),
        ("scopus", "1 TITLE(peat)\n2 TITLE(bog)\n3 or/1,2"),
        ("embase", "1. peat:ti\n2. bog:ti\n3. #1 OR 2"),
        ("cochrane", "1. peat:ti\n2. bog:ti\n3. #1-#2"),
        ("proquest", "1. ti(peat)\n2. ti(bog)\n3. 1 OR 2"),
    ],
)
def test_lines_may_be_combined_in_the_signs_of_any_platform(syntax: str, text: str) -> None:
    """Papers number all strategies alike."""
    assert read(text, syntax).query == parse("title:peat OR title:bog")


@each(
    ("syntax", "text"),
    [
        ("ovid", "1. peat.ti.\n2. bog.ti.\n1 or 2"),
        ("pubmed", "#1 peat[ti]\n#2 bog[ti]\n\n#1 OR #2"),
        ("pubmed", "#1 Soil (wet)\n(peat[ti])\n#2 Place\n(bog[ti])\n#3 Both\n#1 OR #2"),
        ("ovid", "## MEDLINE (Ovid)\n```\n1. peat.ti.\n2. bog.ti.\n3. 1 or 2\n```"),
        ("ovid", "**Soil**\n- 1 peat.ti.\n**Place:**\n- 2 bog.ti.\n- 3 1 or 2"),
        ("embase", "#1 peat:ti\n#2 bog:ti\n#3 #1 OR #2\n\n:ti = title\n/exp = with narrower terms"),
        ("cochrane", "|ID|\tSearch |\n|--|\n|\\#1|\tpeat:ti|\n|\\#2| bog:ti|\n|\\#3|\\#1 OR \\#2|"),
        ("cochrane", "#1 peat:ti\n#2 bog:ti\n#3 #1 or #2\n#4 Limit to Trials"),
    ],
)
def test_lines_as_people_write_them_down(syntax: str, text: str) -> None:
    """With names of lines and parts, a last line without a number, legends, fences; a line that
    only limits limits the one before it.
    """
    assert read(text, syntax).query == parse("title:peat OR title:bog")


def test_a_line_that_limits_is_applied() -> None:
    """To the line before it, in any syntax."""
    for syntax, one in (("ovid", "peat.ti."), ("embase", "peat:ti"), ("pubmed", "peat[ti]")):
        text = f"#1 {one}\n#2 {one}\n#3 #1 AND #2\n#4 Limit to: English language, 2005-2020"
        assert read(text, syntax).query == read(
            f"#1 {one}\n#2 {one}\n#3 #1 AND #2\n#4 #3 Limits: English language, 2005-2020", syntax
        ).query  # fmt: skip


def test_a_range_of_lines_is_told() -> None:
    """It might be a NOT."""
    assert any("#1-#2: read as a range" in it for it in read("#1 a[ti]\n#2 b[ti]\n#3 #1-#2").notes)


@each(
    "text",
    [
        "peat.ti.\nbog.ti.",
        "1 peat.ti.\nbog.ti.\n2 fen.ti.\n3 1 and 2",
    ],
)
def test_rows_without_an_operator_are_joined_and_told(text: str) -> None:
    """Each is a whole query, so it is not plain that all must hold."""
    notes = read(text, "ovid").notes
    assert any("bog.ti.: no operator stands before this line" in note for note in notes)


@each(
    "text",
    [
        "peat\nbog\nphases 1 and 2 of it",
        "1 peat\n2 bogs of 3 kinds",
        "peat\nbog\n1 and 7",
        "peat or\nbog or\n1 or 2",
        "peat bog",
    ],
)
def test_other_texts_are_no_strategy(text: str) -> None:
    """Those in which no line names an earlier one."""
    assert numbered_lines(text) is None


@each(
    ("text", "query", "told"),
    [
        ("TS=(peat)\nIndexes=SCI-EXPANDED Timespan=All years", "TS=(peat)", 1),
        ("Search strategy:\nTS=(peat) 1,234 results", "TS=(peat)", 1),
        ("Soil:\nTS=(peat)\nOR TS=(bog)", "TS=(peat) OR TS=(bog)", 1),
        ("TS=(peat)\n1,234", "TS=(peat)", 0),
        ("peat\nBog", "peat Bog", 0),
        ("TITLE-ABS-KEY\n(peat)", "TITLE-ABS-KEY (peat)", 0),
    ],
)
def test_a_single_text_is_freed_of_what_stands_round_it(text: str, query: str, told: int) -> None:
    """Words in capitals alone are no heading there."""
    whole = whole_text(text)
    assert " ".join(whole.lines[0].text.split()) == query
    assert len(whole.losses) == told


PIECES = [
    "1 a\n", "1 or 2\n", "a\n", "\n", "|", "| 1 | a |\n", "1\t", "\t", "1 ", " ", "(", "((\n",
    "\"\n", "1 a.ti. 12 345\n", "Soil:\n", "12/03/2026 ", "1)", "#1\n", "or", "<br>", "\\*|\n",
    "results ", "- ",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_time_is_linear(piece: str) -> None:
    """Whatever is repeated, in one line or in many."""
    for head in ("", "1 a\n2 1 or 1\n", "1\ta "):
        text = (head + piece * MAX_LENGTH)[:MAX_LENGTH]
        for cut in (numbered_lines, all_lines, whole_text):
            assert (
                growth(
                    lambda size, text=text, cut=cut: partial(cut, text[:size]),
                    MAX_LENGTH // TIMES,
                )
                <= MOST
            )


def test_what_stands_above_numbered_lines_shifts_none() -> None:
    """A sentence above them is told; in lines without numbers, `1 or 2` has none."""
    numbered = numbered_lines("Asked on 2 June, without limits.\n1 x.ti.\n2 y.ti.\n3 1 or 2")
    without = numbered_lines("exp X/\nY.ti,ab.\n1 or 2\nexp Z/\n3 and 4")

    assert numbered is not None
    assert [line.number for line in numbered.lines] == [1, 2, 3]
    assert without is not None
    assert [line.text for line in without.lines][2] == "1 or 2"


@each("head", ["", "MEDLINE (Ovid) "])
def test_lines_that_a_copy_put_into_one_row(head: str) -> None:
    """Where their numbers run from 1."""
    found = read(f"{head}1. exp X/; 2. y.ti.; 3. 1 or 2 4. limit 3 to yr=1980 - 2005")

    assert found.query == parse("(subject:X OR title:y) AND year:1980-2005")


def test_numbers_in_a_sentence_are_no_lines() -> None:
    assert read("1. aims 2. methods 3. results").syntax == "simple"


def test_hits_stand_behind_a_heading_that_ends_like_an_operator() -> None:
    """`Behavior/ 70` is no `or/70`; and `1 or 2 1,234` no `1 or 2,1234`."""
    lines = numbered_lines("1 exp Behavior/ 70\n2 x.ti. 1,100\n3 1 or 2 1,234\n4 exp Y/ 8")

    assert lines is not None
    assert [line.hits for line in lines.lines] == [70, 1100, 1234, 8]
    assert lines.lines[2].text == "1 or 2"


@each(
    ("text", "syntax", "reads"),
    [
        ("1 x.ti.\n2 y.ti.", "ovid", "title:x AND title:y"),
        ("#1 x[ti]\n#2 y[ti]\n#3 z[ti]", "pubmed", "title:x AND title:y AND title:z"),
        ("#2 TI=(y) 23\n#1 TI=(x) 12", "wos", "title:x AND title:y"),
        ("#1 TI=x\n#2 TI=y\n#3 (TI=x) NOT TI=y", "wos", "title:x AND NOT title:y"),
        ("[S1] ti(x)\n[S2] ab(y)\n[S3] [S1] OR [S2]", "proquest", "title:x OR abstract:y"),
        ("#1 12 TI=x\n#2 2,300 TI=y\n#3 1 #1 AND #2", "wos", "title:x AND title:y"),
        ("#1 Soil\nTI=x\n#2 Place\nTI=y\n#3 #1 AND #2", "wos", "title:x AND title:y"),
        ("Population: x.ti.\nOutcome: y.ti.", "ovid", "title:x AND title:y"),
        ("1. x.ti.", "ovid", "title:x"),
        ("#7 TI=x", "wos", "title:x"),
        ("(18) F[ti]", "pubmed", "18 AND title:F"),
    ],
)
def test_lines_that_do_not_name_one_another(text: str, syntax: str, reads: str) -> None:
    """They are joined, unless the last says them all; a number of a line is no word."""
    assert to_text(read(text, syntax).query) == reads


def test_joined_lines_are_told() -> None:
    """As lines without numbers are."""
    assert any("joined with AND" in note for note in read("1 x.ti.\n2 y.ti.", "ovid").notes)


@each(
    ("text", "reads"),
    [
        ("#1 x[ti]\n#2 y[ti]\n#1 AND #2", "title:x AND title:y"),
        ("1\tx[ti]\n2\ty[ti]\nFinal\t#1 OR #2", "title:x OR title:y"),
        ("Line 1: x[ti]\nLine 2: y[ti]\nLine 3: Line 1 AND Line 2", "title:x AND title:y"),
        ("Query #1: x[ti]\nQuery #2: y[ti]\nQuery #3: #1 OR #2", "title:x OR title:y"),
        ("#2 Add Search #1 AND y[ti] 4 10:00\n#1 Add Search x[ti] 12 9:00", "title:x AND title:y"),
        ("1 x.ti. 12 2 y.ti. 23 3 1 and 2 9", "title:x AND title:y"),
        ("#1 'x'/exp #2 y:ti,ab #3 #1 NOT #2", "subject:x AND NOT (title:y OR abstract:y)"),
        ("① x.ti.\n② y.ti.\n③ ① or ②", "title:x OR title:y"),
        ("①主题=甲\n②题名=乙\n③①AND②", "甲 AND title:乙"),
        ("检索式1：题名=甲\n检索式2：题名=乙\n检索式3：1 AND 2", "title:甲 AND title:乙"),
        ("1.题名=甲\n2.题名=乙\n3. 1*2", "title:甲 AND title:乙"),
        ("1,x.ti.,12\n2,y.ti.,23\n3,1 and 2,9", "title:x AND title:y"),
        ('"1","(x or ""z"").ti.","12"\n"2","1 and y.ti.","9"', "(title:x OR title:z) AND title:y"),
        ("> 1 x.ti.\n> 2 y.ti.\n> 3 1 and 2", "title:x AND title:y"),
        ("1 - x.ti.\n2 - y.ti.\n3 - 1 and 2", "title:x AND title:y"),
        ("1. x.ti. [text words]\n2. exp Y/ [heading]\n3. 1 and 2", "title:x AND subject:Y"),
        ("1 TI x\n2 TI y\n3 S1 AND S2", "title:x AND title:y"),
        ("1 ti:x\n2 ab:y\n3 1 AND 2", "title:x AND abstract:y"),
        ("Population: (x[ti] OR z[ti])\nOutcome: (y[ti])", "(title:x OR title:z) AND title:y"),
        ("x[ti]\nAND\nIntervention\n(y[ti])", "title:x AND title:y"),
        ("MEDLINE (Ovid): x.ti. and y.ti.", "title:x AND title:y"),
        ("PubMed\nx[ti] AND y[ti]", "title:x AND title:y"),
        ("CNKI：题名=甲 AND 题名=乙", "title:甲 AND title:乙"),
    ],
)
def test_lines_as_people_copy_them(text: str, reads: str) -> None:
    """Numbers, hits, and names of lines and of parts of a question are no words."""
    assert to_text(read(text).query) == reads


@each(
    "text, syntax",
    [
        ("x.ti. or z.ti.\ny.ti. or w.ti.", "ovid"),
        ("TI=x OR TI=z\nTI=y OR TI=w", "wos"),
        ("x[ti] OR z[ti]\ny[ti] OR w[ti]", "pubmed"),
        ("TI='x'+TI='z'\nTI='y'+TI='w'", "cnki"),
        ("title:x OR title:z\ntitle:y OR title:w", "simple"),
    ],
)
def test_rows_that_no_operator_joins_hold_each_as_a_whole(text: str, syntax: str) -> None:
    found = read(text, syntax)

    assert to_text(found.query) == "(title:x OR title:z) AND (title:y OR title:w)"
    assert any("joined with AND" in note for note in found.notes)


def test_one_row_of_words_and_numbers_stays_one() -> None:
    assert to_text(read("1 type 2 diabetes 3 years").query) == "1 type 2 diabetes 3 years"


def test_a_range_with_two_hyphens_is_no_range() -> None:
    """It is read as words, and never an error of the program."""
    assert in_signs("or/1-2-3", 3, "pubmed") == "or/1-2-3"
