"""Characters of Word, of PDF files, of web pages and of Chinese keyboards are read as the signs
that are meant, by every reader.
"""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import parse, read, to_text
from metasearch.query.characters import plain_characters
from tests.cases import each
from tests.examples import examples
from tests.growth import MOST, growth


@each(
    ("text", "meant"),
    [
        ("harm∗ OR harm＊ OR harm⁎", "harm* OR harm* OR harm*"),
        ("ＴＳ＝（ｃａｔ）　ｐｙ＝２０２０", "TS=(cat) py=2020"),
        ("cat［ｔｉ］ ＃１ ａｎｄ／２", "cat[ti] #1 and/2"),
        ("1\u00a0exp\u2009Cats/\u202f\u200b", "1 exp Cats/  "),
        ("or/1–4 or/1‐4 or/1—4 or/1−4 or/1－4", "or/1-4 or/1-4 or/1-4 or/1-4 or/1-4"),
        ("2010 – 2020, 2010 –2020, 2010——2020, 2010—", "2010 - 2020, 2010-2020, 2010-2020, 2010-"),
        ("TITLE−ABS‐KEY(x‑ray)", "TITLE-ABS-KEY(x-ray)"),
        ("‘salt marsh’ “peat” „bog“ ‟fen”", "'salt marsh' \"peat\" \"bog\" \"fen\""),
        ("«peat» « bog » 「泥炭」 ″fen″ ‘‘moor’’", '"peat" "bog" "泥炭" "fen" "moor"'),
        ("Crohn’s 5′-UTR", "Crohn's 5'-UTR"),
        ("YEAR &gt; 2010 &amp;lt; &quot;x&quot;&nbsp;&#8211;1&#x2d;2", 'YEAR > 2010 < "x" –1-2'),
        ("carbo\u00adhydrate carbo\u00ad\n  hydrate", "carbohydrate carbohydrate"),
        ("ﬁnal eﬀect oﬃce ﬂow", "final effect office flow"),
        ("Mu\u0308ller", "M\u00fcller"),
        ("wom？n colour：ti （cat）：ti 2010：2020", "wom?n colour:ti (cat):ti 2010:2020"),
        ("（cat or dog）．ti．", "(cat or dog).ti."),
        ("cat.ti，ab，kw. （dog）．ti，ab．", "cat.ti,ab,kw. (dog).ti,ab."),
        ("2010/01/01[dp]：2020[dp]", "2010/01/01[dp]:2020[dp]"),
        ("\ufeffcat\u202e dog", "cat dog"),
    ],
)  # fmt: skip
def test_what_is_meant(text: str, meant: str) -> None:
    """Signs of ASCII, composed letters, single words."""
    assert plain_characters(text) == meant


@each(
    "text",
    [
        "深度学习：综述，进展。真好！是吗？",
        "Python：教程",
        "AT&T R&D; &nosuchentity; R&D",
        "gene drive –a review",
        '"the “selfish” gene"',
        "1．水质",
        "naïve Ångström ψ",
    ],
)
def test_what_stays(text: str) -> None:
    """Punctuation that parts sentences, and what would become an operator nobody meant."""
    assert plain_characters(text) == text


@each(
    ("text", "meant"),
    [
        ("failure—a review", "failure a review"),
        ("COVID-19—a review", "COVID-19 a review"),
        ("互联网——教育", "互联网 教育"),
    ],
)
def test_a_long_dash_between_words_is_a_pause(text: str, meant: str) -> None:
    """And no hyphen."""
    assert plain_characters(text) == meant


@each(
    ("text", "meant"),
    [
        ('"a” OR “b"', '"a" OR "b"'),
        ('"a" OR “b” OR "c"', '"a" OR "b" OR "c"'),
        ('“the "selfish" gene”', '"the “selfish” gene"'),
    ],
)
def test_quotes_of_two_kinds_in_one_text(text: str, meant: str) -> None:
    """They close one another, unless one kind stands within the other."""
    assert plain_characters(text) == meant


def test_plain_text_is_the_same_object() -> None:
    """Nearly all queries are: nothing is done."""
    text = 'gene drive AND "salt marsh" author:o\'brien'
    assert plain_characters(text) is text


@each(
    ("syntax", "text", "tree"),
    [
        ("simple", "title：“salt marsh” OR peat∗", 'title:"salt marsh" OR peat*'),
        ("ovid", "(peat∗ or bog∗)．ti．", "title:peat* OR title:bog*"),
        ("ovid", "1\u00a0peat.ti.\n2\u00a0bog.ti.\n3\u00a0or/1‐2", "title:peat OR title:bog"),
        ("scopus", "TITLE（peat＊） AND PUBYEAR ＞ 2010", "title:peat* AND year:2011-"),
        ("pubmed", "peat∗［ti］ AND 2010：2020［dp］", "title:peat* AND year:2010-2020"),
        ("cochrane", "[mh “Salt Marsh”] AND bog∗:ti", 'subject:"Salt Marsh" AND title:bog*'),
        ("embase", "‘salt marsh’:ti AND bog：ti", 'title:"salt marsh" AND title:bog'),
        ("wos", "TI＝（peat） AND PY＝2010–2020", "title:peat AND year:2010-2020"),
        ("cql", "dc.title ＝ “salt marsh”", 'title:"salt marsh"'),
        ("ccl", "ti＝（peat∗）", "title:peat*"),
        ("cnki", "ＴＩ＝‘水质’＊‘贝类’", 'title:水质 AND title:贝类'),
    ],
)  # fmt: skip
def test_every_syntax_is_read_so(syntax: str, text: str, tree: str) -> None:
    """In one step before its reader."""
    assert parse(to_text(read(text, syntax).query)) == parse(tree)


@each("syntax", ["simple", "auto", "ovid", "pubmed"])
def test_an_error_has_the_text_that_its_place_is_in(syntax: str) -> None:
    """Which is longer or shorter than what was typed."""
    with pytest.raises(QuerySyntaxError) as caught:
        read("eﬀect &amp; “salt\u00ad marsh” AND (peat", syntax)
    error = caught.value
    assert error.text == 'effect & "salt marsh" AND (peat'
    assert error.text[error.position] == "("


ODD = st.text("ab1 \n\"'“”„‘’—–－−-/:：.．?？()（）[］＊∗\u00ad\u0301ﬁＡ*，。", max_size=30)


@examples(40)
@given(ODD)
def test_a_plain_text_stays_as_it_is(text: str) -> None:
    """So a suggestion, or a step that is stored, is read as it is shown."""
    once = plain_characters(text)
    assert plain_characters(once) == once


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["“", '"“a”', "«", "‘‘", "a\u0301\u0323", "\u0301\u0323", "&amp;", "“a\"b\" ", "—", "\u00ad\n",
     "．", " “\"a\"”"],
)  # fmt: skip
def test_time_is_linear(piece: str) -> None:
    """Whatever is repeated."""
    assert growth(lambda size: partial(plain_characters, piece * size), 10_000) <= MOST
