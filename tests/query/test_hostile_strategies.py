"""Whatever the text: a query or a `QuerySyntaxError`, in linear time, in every syntax of a
database."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import ReadQuery, explain, parse, read, to_text
from metasearch.query.detect import detect
from metasearch.query.syntaxes import DATABASES
from metasearch.query.tree import MAX_LENGTH
from tests.cases import each
from tests.examples import examples
from tests.growth import MOST, TIMES, growth

PIECES = [
    *"()[]{}\"'“”*?$#:/.,=+-<> \n",
    *(
        "gene",
        "harm",
        "and",
        "OR",
        "NOT",
        "AND",
        "adj3",
        "NEAR/3",
        "W/2",
        "N3",
        "exp ",
        "X/",
        ".ti,ab.",
        ".pt.",
        ".yr.",
    ),
    *(
        "TI='",
        "AF=",
        "甲",
        "检索范围：",
        "/NEAR 3 ",
        "；",
        "[常用字段:智能]",
        "[日期]",
        "/副主题词",
    ),
    *(
        ":ti,ab",
        "/exp",
        "/de",
        "[english]/lim",
        "TI ",
        "AB(",
        "MH ",
        '"X+"',
        "TS=",
        "PY=",
        "2010-2020",
        "limit 1 to ",
    ),
    *(
        "TITLE-ABS-KEY(",
        "PUBYEAR > ",
        "LIMIT-TO(",
        "or/1-2",
        "#1 ",
        "S1 ",
        "1 ",
        "2 ",
        "\n2 ",
        "\n3 ",
        "\nS2 ",
        "\n#2 ",
    ),
    *(
        "ti,ab(",
        "SU.EXACT(",
        "[mh ",
        "MeSH descriptor: [",
        "{OR #1-#2}",
        "[mh]",
        "[ad]",
        "english",
        "[filter]",
        "wom?n",
    ),
    *(
        ".m_titl.",
        ".tiab.",
        "/dt, th",
        "/exp/dd_ae",
        "[01-04-2015]/sd",
        "MeSH descriptor X explode all trees",
        " with Publication Year from 2010 to 2020, in Trials",
        " in Title Abstract Keyword",
        "Any MeSH descriptor with qualifier: DT",
    ),
    *(
        '"Document Title":',
        "TITLE_ABS:(",
        "[2015 TO 2020]",
        "[Title: ",
        "tw:(",
        "[Words]",
        "Filters: ",
        "[tiab:~3]",
        "remove duplicates from 2",
        "use ppez",
        "NEAR",
        "yr=",
        '"2010 -Current"',
        "\u3000",
        "水质",
    ),
]


def outcome(text: str, syntax: str) -> ReadQuery | QuerySyntaxError:
    """What becomes of a text; anything else that is raised fails the test."""
    try:
        return read(text, syntax)
    except QuerySyntaxError as error:
        return error


@pytest.mark.parametrize("syntax", [*DATABASES, "pubmed", "cnki", "auto", "simple"])
@examples(0.4)
@given(text=st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=60))
def test_nothing_but_a_syntax_error_is_raised(syntax: str, text: str) -> None:
    """A query that can be written in our own syntax again, or an error that can be explained and
    mended."""
    found = outcome(text, syntax)

    if isinstance(found, QuerySyntaxError):
        assert 0 <= found.position <= len(text)
        assert explain(found)
        assert found.suggestion is None or outcome(found.suggestion, syntax)
    else:
        assert parse(to_text(found.query)) == found.query


SHAPES = {
    "ovid": [
        "gene or ",
        "exp Gene/ or ",
        "(gene adj3 drive).ti,ab. or ",
        "a.b.",
        "exp ",
        "x/",
        "limit 1 to ",
        "/",
        ".ti,",
        "(a)ti,",
        ".tiab.",
        "[a[b",
        "limit (1) to (",
    ],
    "scopus": [
        "TITLE(gene) OR ",
        "W/3 ",
        "PUBYEAR ",
        "LIMIT-TO(A, ",
        'EXCLUDE(PUBYEAR, "2010") OR ',
        '(EXCLUDE(PUBYEAR, "2010")) OR ',
        "{gene} OR ",
        "KEY(",
    ],
    "wos": [
        "TS=gene OR ",
        "TI=(gene) NOT ",
        "#1 ",
        "TS=",
        "= ",
        "Indexes=SCI ",
        "gene (Title) or ",
        "Document Types: gene or ",
        "10.1000/((gene ",
        "((gene (Languages) and ",
        "Refined by: ",
        "'gene ",
    ],
    "ebsco": [
        "TI gene OR ",
        '(MH "Gene+") OR ',
        "N3 ",
        "TI ",
        "AB (",
        "Limiters - gene; ",
        "Narrow by Gene: - drive ",
        "FT Y OR ",
        "US gene ",
    ],
    "embase": ["'gene'/exp OR ", "gene*:ti,ab OR ", "[english]/lim ", "[", "'", ":ti,ab", "/exp"],
    "cochrane": [
        "[mh gene] OR ",
        "gene:ti,ab,kw OR ",
        "MeSH descriptor: [",
        "MeSH descriptor a ",
        "with Publication Year ",
        " in Title ",
        "{OR #1",
        "[mh ",
    ],
    "sinomed": ['"甲"[标题:智能] OR ', "甲[", '"甲/', "甲%", "主题词:甲/乙 ", "年代：2010；"],
    "proquest": [
        "ti(gene) OR ",
        "SU.EXACT(",
        "noft(gene) AND ",
        "a.b(",
        "ti,ab,",
        "x.",
        "gene within 1 ",
        "Limits applied: gene, ",
    ],
    "ieee": ['"Abstract":gene OR ', '"Abstract', '":', "ONEAR/3 ", "Filters Applied: 2010 - 2020 "],
    "europepmc": ["TITLE:gene OR ", "PUB_YEAR:[2015 TO 2020] ", "-gene ", '"a b"~3 ', "[20", "A:"],
    "acm": ["[Title: gene] OR ", "[[", '"query": {', '"filter": { a, ', "Title:(gene) AND ", "[A:"],
    "vhl": ["tw:(gene) OR ", "gene [Words] or ", "mh:gene/x ", "Tw gene ", "[", "db:"],
    "pubmed": [
        *("gene[ti] OR ", "and ", "and    ", "#1 OR ", "[ad] ", "gene* ", "2015:2020[dp] "),
        *("Filters: English, ", "(gene)[ti] ", "a/therapy ", "Search: ", "gene drive ", "2015:"),
    ],
    "cnki": [
        "TI='甲'+",
        "AF=甲 OR 乙 AND ",
        "检索范围：甲；",
        "时间范围:2010-",
        "甲，",
        "TI='a' /NEAR 3 ",
        "#1 ",
        "a/b/c",
        "（精确）",
        "'",
    ],
    "simple": ["gene or ", "(gene or drive) ", "and ", "gambl$ ", "x) or "],
    "auto": [
        "\n1 gene",
        "TI (",
        'MH "x',
        "exp X",
        "'x'/",
        "ti(abc",
        "W/3 ",
        "[mh ",
        "{OR #",
        "A, ",
    ],
}


@each("syntax", [*DATABASES, "pubmed"])
@each("word", ["\N{SUPERSCRIPT TWO}", "\N{SUPERSCRIPT TWO}12", "1" * 5_000])
def test_a_word_that_looks_like_the_number_of_a_line_is_a_word(syntax: str, word: str) -> None:
    """Python reads a number of line neither of superscripts nor of thousands of digits."""
    assert read(f"1. cat\n2. {word}\n3. 1 and 2", syntax).query
    assert read(f"1. cat\n2. dog\n3. {word} or 2\n4. 1 and 3", syntax).query


@pytest.mark.parametrize("distance", ["\N{SUPERSCRIPT TWO}", "9" * 5_000])
def test_a_distance_that_is_no_number_is_told(distance: str) -> None:
    """And all of the words are looked for."""
    assert any("prox" in note for note in read(f"fish prox/distance<{distance} frog", "cql").notes)


@pytest.mark.slow
@pytest.mark.timeout(600)
@each(("syntax", "piece"), [(syntax, piece) for syntax, them in SHAPES.items() for piece in them])
def test_a_text_is_read_in_linear_time(syntax: str, piece: str) -> None:
    """Neither patterns nor trees go back and forth, up to a quarter of the greatest length."""

    def reading(length: int) -> Callable[[], object]:
        # Whole pieces: a text that ends within one may be refused, which takes twice as long.
        text = piece * (length // len(piece))
        return lambda: outcome(text, syntax)

    assert growth(reading, MAX_LENGTH // 4 // TIMES) <= MOST


def test_a_strategy_of_a_thousand_terms_is_read() -> None:
    """In every order of operators, and of a text without any."""
    words = [f"term{number}" for number in range(1000)]

    for syntax in ("ovid", "scopus", "pubmed", "simple", "cql", "cnki"):
        assert len(read(" OR ".join(words), syntax).query.parts) == 1000  # type: ignore[union-attr]
    with pytest.raises(QuerySyntaxError, match="more than 1000"):
        read(" OR ".join([*words, "one"]), "ovid")


@each("syntax", ["pubmed", "cnki", "cql", "ccl"])
def test_operators_that_alternate_hundreds_of_times_are_refused(syntax: str) -> None:
    """Where they are read from left to right, each is a bracket in a bracket."""
    text = "gene" + "".join(f" OR a{number} AND b{number}" for number in range(490))

    with pytest.raises(QuerySyntaxError, match="alternate"):
        read(text, syntax)


def test_a_line_that_is_named_often_does_not_grow_without_bound() -> None:
    """Each line doubles the one before: the words of all that it names are counted."""
    lines = [
        "1 gene.ti. or drive.ti.",
        *(f"{n} ({n - 1} and x{n}) or ({n - 1} and y{n})" for n in range(2, 60)),
    ]

    with pytest.raises(QuerySyntaxError, match=r"Line \d+: .* (?:more than 1000|alternate)"):
        read("\n".join(lines), "ovid")
    assert detect("\n".join(lines)) == "ovid"
