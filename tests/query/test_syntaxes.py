"""Which syntax a text is in, and that our own wins in doubt."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.query import (
    CHOICES,
    SYNTAXES,
    And,
    Not,
    Or,
    Query,
    ReadQuery,
    Term,
    Years,
    explain,
    parse,
    read,
    to_text,
)
from metasearch.query.any_syntax import bears_no_mark
from metasearch.query.characters import plain_characters
from metasearch.query.detect import detect
from metasearch.query.syntaxes import DATABASES
from metasearch.query.tree import MAX_LENGTH
from tests.cases import each
from tests.examples import examples as as_many
from tests.growth import MOST, TIMES, growth

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "syntaxes.md").read_text(encoding="utf-8")


@each(
    ("text", "syntax"),
    [
        ("(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)", "cnki"),
        ("（甲＋乙）＊丙", "cnki"),
        ("TI='gene'*'drive'", "cnki"),
        ("题名=水质", "cnki"),
        ("题名:(“协同过滤” and “推荐”)", "cnki"),
        ("水质 AND YE BETWEEN ('2015','2020')", "cnki"),
        ("AU=王 and KY=贝类", "cnki"),
        ('dc.title any "fish frog"', "cql"),
        ("bath.isbn=0306406152", "cql"),
        ('> dc = "info:srw/cql-context-set/1/dc-v1.1" dc.title = x', "cql"),
        ('title = "coral reef"', "cql"),
        ("(creator=darwin)", "cql"),
        ("coral and title=reef", "cql"),
        ("heart attack[tiab]", "pubmed"),
        ('"heart attack" [Title/Abstract] AND 2015:2020[dp]', "pubmed"),
        ("(gene*[ti])", "pubmed"),
        ("salt marshes [MeSH Terms]", "pubmed"),
        ("peat [ti] AND bog [ab]", "pubmed"),
        ('TS=("salt marsh" OR "peat bog*")', "wos"),
        ('TS="salt marsh" AND TS="peat bog"', "wos"),
        ("TS='salt marsh'", "wos"),
        ('ts=("salt marsh" or peat)', "wos"),
        ("TS=peat or TI=bog", "wos"),
        ("TI=peat* AND AB=bog", "wos"),
        ("(peat and bog).ti,ab.", "ovid"),
        ("(peat and bog).mp", "ovid"),
        ('TITLE("salt marsh")', "scopus"),
        ("TITLE-ABS-KEY（peat）", "scopus"),
        ('MH ("Soil+")', "ebsco"),
        ('ti("salt marsh")', "proquest"),
        ("主题：（水质）", "cnki"),
    ],
)
def test_marks_that_nobody_means_literally(text: str, syntax: str) -> None:
    """Each belongs to one syntax."""
    assert detect(plain_characters(text)) == syntax
    assert read(text).syntax == syntax


@each(
    ("text", "syntax"),
    [
        ("#1 Soil [mh]   3,857,356\n#2 peat [tw]   12\n#3 #1 AND #2   4", "pubmed"),
        ("| 1 | peat.ti. | 12 |\n| 2 | bog.ti. | 3 |\n| 3 | 1 and 2 | 1 |", "ovid"),
        ("#1: peat\n#2: bog\n#3: #1 and #2", "cochrane"),
        ("S1. peat\nS2. bog\nS3. S1 AND S2", "ebsco"),
        ("peat.ti.\nbog.ti.\nfen.ti.\n(1 or 2) and 3", "ovid"),
        ("(peat* and 202306*).ed.", "ovid"),
        ("Soil\n1 TS=(peat)\nPlace\n2 TS=(bog)\n3 #1 AND #2", "wos"),
    ],
)
def test_marks_of_a_strategy_in_lines(text: str, syntax: str) -> None:
    """Where lines name one another, weaker marks are enough; so is a field of a group."""
    assert detect(text) == syntax


@each(
    "text",
    [
        "gene drive",
        "title:gene AND author:burt",
        "cat and dog",
        "title any fish",
        "互联网+教育",
        "小麦×玉米",
        "摘要：目的 探讨",
        "COVID-19 C++ C#",
        "AB=CD",
        "E=mc2",
        "p<0.05",
        "n = 20",
        "benzo[ab]pyrene",
        "the relation author=reader",
        "a study of subject = object",
        "SU=2 symmetry",
        "TI=0.5 K*(892)",
        "[Au] on [Pt] surfaces",
        "a gold film [ti]",
        "the book [review] of peat",
        "E(x).ti",
        "a report (Topic) on peat",
        "TOPIC: peat",
        "1 peat\n2 bogs of 3 or 4 kinds",
        "peat\nbog\nphases 1 and 2",
        "Re[La]",
        "what is [sic] meant",
        "dc.title",
        "example.org",
        '"dc.title = x" mosquito',
        "“题名=水质” 贝类",
        'title="x" gene[tiab]',
        "see dc.title = x and y[tiab]",
        "",
        "a" * (MAX_LENGTH + 1),
    ],
)
def test_in_doubt_it_is_our_own(text: str) -> None:
    """No mark, marks of two kinds, or marks within quotes."""
    assert detect(text) == "simple"


WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8) | st.sampled_from(
    [
        "COVID-19",
        "C++",
        "C#",
        "O'Neill",
        "AT&T",
        "p<0.05",
        "互联网+教育",
        "f(x)",
        "[sic]",
        "50%",
        "and",
        "any",
        "AND",
        "a/b",
    ]
)
TERMS = st.builds(
    lambda words, field, phrase: Term(" ".join(words), field, phrase=phrase),
    st.lists(WORDS, min_size=1, max_size=3),
    st.sampled_from(["any", "title", "author", "venue", "abstract", "subject"]),
    st.booleans(),
)
TREES = st.recursive(
    TERMS | st.just(Years(2015, 2020)),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
        inner.map(Not),
    ),
    max_leaves=6,
)


@given(TREES)
def test_what_our_own_printer_writes_is_ours(tree: Query) -> None:
    """A query in our own spelling keeps its meaning; its words bear no marks of others."""
    assert detect(to_text(tree)) == "simple"


def read_or_error(text: str, syntax: str) -> ReadQuery | QuerySyntaxError:
    """What becomes of a text."""
    try:
        return read(text, syntax)
    except QuerySyntaxError as error:
        return error


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else is raised, in any syntax."""
    for syntax in CHOICES:
        found = read_or_error(text, syntax)

        assert explain(found) if isinstance(found, QuerySyntaxError) else found.syntax in SYNTAXES


@given(st.text('ab 甲乙()+*"', max_size=30))
def test_what_was_read_can_be_written_in_our_own(text: str) -> None:
    """The normal spelling of the answer means the same when it is pasted back as simple."""
    for syntax in ("cql", "cnki", "pubmed"):
        found = read_or_error(text, syntax)

        assert isinstance(found, QuerySyntaxError) or parse(to_text(found.query)) == found.query


def test_names() -> None:
    """`expert` is another name of `cnki`; others are refused."""
    assert read("甲*乙", "expert").syntax == "cnki"
    assert read("甲+乙", "simple").query == Term("甲+乙")
    with pytest.raises(UsageError, match="no syntax called 'sql'") as caught:
        read("x", "sql")
    assert "pubmed" in caught.value.advice


def test_a_text_that_is_marked_has_the_errors_of_its_syntax() -> None:
    """They say which it is, so that `simple` can be asked for instead."""
    with pytest.raises(QuerySyntaxError) as caught:
        read("TI='水质'*")

    assert caught.value.syntax == "cnki"
    assert explain(caught.value).splitlines()[1] == " " * 9 + "^"


@pytest.mark.slow
def test_hostile_texts_are_looked_at_in_linear_time() -> None:
    """No pattern goes back and forth over a text of the greatest length."""
    for piece in (
        "[",
        "TI",
        "= ",
        "dc.",
        '"',
        "甲",
        "*",
        ") ",
        "题名",
        "a [",
        " ",
        "YE ",
        ">a",
        "title  ",
    ):
        text = piece * MAX_LENGTH
        assert (
            growth(lambda size, text=text: partial(detect, text[:size]), MAX_LENGTH // TIMES)
            <= MOST
        )


@pytest.mark.slow
def test_a_parser_is_loaded_when_it_is_needed() -> None:
    """A simple query with a syntax costs no other one."""
    code = (
        "import sys; from metasearch.query import read; read('gene', 'simple'); print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()

    assert not {f"metasearch.query.{name}" for name in ("cql", "cnki", "pubmed", "detect")} & set(
        loaded
    )


# --------------------------------------------------------------------------- docs/syntaxes.md


def examples() -> list[tuple[str, str, str]]:
    """(syntax, as typed, as read) of the examples: pairs of lines in the blocks that are named
    after a syntax."""
    found = []
    for syntax in ("cql", "ccl", "cnki", "pubmed", *DATABASES):
        for block in PAGE.split(f"```{syntax}\n")[1:]:
            lines = block.partition("```")[0].splitlines()
            found += [
                (syntax, *(it.strip() for it in line.split("  →  ")))
                for line in lines
                if "→" in line
            ]
    return found  # type: ignore[return-value]


@each(("syntax", "typed", "meant"), examples())
def test_the_examples_of_the_page(syntax: str, typed: str, meant: str) -> None:
    """What is on the left is read as what is on the right."""
    assert to_text(read(typed, syntax).query) == meant


def test_the_page_has_examples_of_each() -> None:
    """And names every syntax."""
    assert {syntax for syntax, _, _ in examples()} == {"cql", "ccl", "cnki", "pubmed", *DATABASES}
    assert all(f"`{name}`" in PAGE for name in CHOICES)


@each(
    ("text", "syntax"),
    [
        ("review[pt] AND english[la]", "pubmed"),
        ("dc.type=thesis", "cql"),
        ("文献类型='学位论文'", "cnki"),
        ("type:thesis", "simple"),
    ],
)
def test_types_and_languages_alone_are_no_query_in_any_syntax(text: str, syntax: str) -> None:
    """What is read in one syntax can be written, and read again, in our own."""
    with pytest.raises(QuerySyntaxError, match="only types") as caught:
        read(text, syntax)

    assert caught.value.syntax == syntax


def test_an_error_in_a_syntax_that_nobody_chose_names_it() -> None:
    """A name of a program may end in what PubMed knows as a tag."""
    with pytest.raises(QuerySyntaxError) as caught:
        read("array[la]")
    with pytest.raises(QuerySyntaxError) as chosen:
        read("array[la]", "pubmed")

    assert caught.value.reason == (
        f"{chosen.value.reason} (recognised as pubmed; with the syntax simple, "
        "the text is searched for as it is)"
    )
    assert (caught.value.syntax, caught.value.position) == ("pubmed", chosen.value.position)
    assert read("array[la]", "simple").query == Term("array[la]")


@each(
    ("text", "syntax", "suggestion"),
    [
        ("10.1000/x*[aid]", "pubmed", "10.1000/x[aid]"),
        ("gene AND 2049*[is]", "pubmed", "gene AND 2049[is]"),
        ("bath.isbn = 978*", "cql", "bath.isbn = 978"),
        ('doi any "10.1000/x* 10.1000/y"', "cql", 'doi any "10.1000/x 10.1000/y"'),
    ],
)
def test_an_identifier_is_whole_in_every_syntax(text: str, syntax: str, suggestion: str) -> None:
    """No database knows the beginning of a number."""
    with pytest.raises(QuerySyntaxError, match="takes a whole number, without a star") as caught:
        read(text, syntax)

    assert caught.value.suggestion == suggestion


#: What marks consist of, as far as it is letters.
WORDS_OF_MARKS = (
    "TI AB SU TX MH KW MM MJ DE AU SO JN ZU TS ALL AK KP DT LA PY AD WC OG CU AND OR NOT "
    "and or not exp limit to adj near NEAR ONEAR NEXT PRE W N mh mesh descriptor MeSH noft tiab "
    "mainsubject diskw EXACT PUBYEAR pubyear PubYear AFT BEF IS is aft YE BETWEEN PT year "
    "TITLE ABS KEY EXCLUDE dc cql bath title creator any all prox doi Abstract 题名 年份 王 水质 "
    "gene Soil x pubyearaft isolated İs ſu"
).split()


@given(
    st.lists(
        st.sampled_from(WORDS_OF_MARKS) | st.text(st.characters(categories=["L"])), max_size=8
    ),
    st.sampled_from([" ", "  ", "\n", "\t", "\x1c", "\u3000"]),
)
@as_many(4)
def test_plain_words_are_in_no_other_syntax(words: list[str], blank: str) -> None:
    """So that a query of such words is read without the patterns of all syntaxes."""
    text = blank.join(words)

    if bears_no_mark(text):
        assert "simple" == detect(text)


@each(
    ("text", "plain"),
    [
        ("gene soil", True),
        ("Soil Carbon", True),
        ("水质", True),
        ("TI gene AND AB soil", False),
        ("pubyear is long", False),
        ("gene[ti]", False),
        ("covid 19", False),
        ("", False),
    ],
)
def test_which_queries_are_plain_words(text: str, plain: bool) -> None:
    """Letters and blanks, without the words that are marks."""
    assert plain == bears_no_mark(text)


@each(
    "text, syntax, reads",
    [
        ("ALL(gene AND drive)", "scopus", "gene AND drive"),
        ('ti=(gene) and ts="x"', "wos", "title:gene AND (title:x OR abstract:x OR subject:x)"),
        ("TI='a b' AND PY=2020", "wos", 'title:"a b" AND year:2020'),
        ("gene (Title) AND drive (Abstract)", "wos", "title:gene AND abstract:drive"),
        ("TS=(基因)", "wos", "title:基因 OR abstract:基因 OR subject:基因"),
        ("TI='基因' AND PY=2020", "cnki", "title:基因 AND year:2020"),
        ("gene/exp OR drive*", "embase", "subject:gene OR drive*"),
        ("gene:ti AND drive:ab", "embase", "title:gene AND abstract:drive"),
        ("gene/ and drive/", "ovid", "subject:gene AND subject:drive"),
        ("*gene/", "ovid", "subject:gene"),
        ("gene.ti,ab", "ovid", "title:gene OR abstract:gene"),
        ("U=基因", "cnki", "基因"),
        ("（基因 或 驱动）与 蚊", "cnki", "(基因 OR 驱动) AND 蚊"),
        ("（题名：基因）AND（题名：驱动）", "cnki", "title:基因 AND title:驱动"),
        ("题名:基因", "cnki", "title:基因"),
        ("Gene AND Drive\nFilters: English", "pubmed", "Gene AND Drive AND language:en"),
    ],
)  # fmt: skip
def test_further_marks(text: str, syntax: str, reads: str) -> None:
    found = read(text)
    assert (found.syntax, to_text(found.query)) == (syntax, reads)


@each(
    "text",
    ["we had it ALL(again)", "and/or both/ and more", "深度学习(一)与应用", "题名：基因",
     "Au:Ti films", "摘要:" + "本文研究了基因驱动" * 8],
)  # fmt: skip
def test_these_are_no_marks(text: str) -> None:
    assert read(text).syntax == "simple"
