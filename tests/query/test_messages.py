"""What is wrong with a query can be shown in another language, in whatever syntax it is."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.message import Message, translate
from metasearch.query import read
from metasearch.query.syntaxes import SYNTAXES
from tests.cases import each

BAD = {
    "simple": (
        "",
        '"gene',
        "gene AND",
        "titel:x",
        "title:",
        "gene*x",
        "()",
        "year:20",
        "type:foo",
        "isbn:12*",
        "NOT gene",
        "year:2020",
        "-title:-x",
        "x " * 1001,
        "(" * 30,
        "x" * 30001,
    ),
    "cql": (
        "dc.foo = x",
        'title = "x',
        "x sortBy",
        "> dc",
        "(x",
        "x and",
        "x y",
        "title >< x",
        "cql.allRecords = 1",
        'title = ""',
        "foo.title = x",
        "dc.rights = x",
        "title = *",
        "x/y",
    ),
    "ccl": ("ti=", "foo=x", "ti>x", "date=x", "=x", 'ti="x', "ti=x#", "la=xx", "(x"),
    "cnki": ("TI=", "ZZ=x", "TI='x", "AF=x", "(TI=x", "YE=20", "TI=x AND"),
    "pubmed": ("x[foo]", "x[ad]", "x[tia]", "[ti]", '"x', "x AND", "x*y[ti]", "#3"),
    "ovid": ("x.zz.", "(x.ti.", "x adj", "1 and", "/", "*.ti.", "a*.ti.", "limit 1 to y"),
    "scopus": ("TITLE(", "TITLE(x", "TITLE-ABS-KEY(x W/ y", '"x'),
    "wos": ("TS=", "TS=(x", "PY=20"),
    "ebsco": ("TI (x", 'MH "', "S3"),
    "embase": ("'x", "'x'/exp/", "[x]/lim"),
    "cochrane": ("(x", "#3 and"),
    "proquest": ("TI(x", '"x'),
    "ieee": ('("All Metadata":x', '"x'),
    "europepmc": ("FOO:x", "TITLE:[2015 TO 2016]", "PUB_YEAR:20", "TITLE:x*y AND ISSN:1*"),
    "acm": ("[Titel: x]", "[Title: x", "[E-Publication Date: x]"),
    "vhl": ("xx:(y)", "tw:(x", "x [Foo]", "db:x"),
    "sinomed": ('"x"[标提]', '"x"[标题:智慧]', '题铭:"x"', '"x', "x[作者单位]"),
}
CASES = [(syntax, text) for syntax, texts in BAD.items() for text in texts]


def test_there_are_cases_of_every_syntax() -> None:
    """A new syntax gets some."""
    assert BAD.keys() == SYNTAXES.keys()


@each(("syntax", "text"), CASES, ids=lambda value: value[:20])
def test_reason_and_advice_are_messages(syntax: str, text: str) -> None:
    """And both are translated by their templates."""
    with pytest.raises(QuerySyntaxError) as caught:
        read(text, syntax)
    reason, advice = caught.value.reason, caught.value.advice

    for sentence in filter(None, (reason, advice)):
        assert isinstance(sentence, Message), sentence
        assert translate(sentence, lambda text: text, lambda one, many, _: many) == sentence
        marked = translate(sentence, lambda text: f"<{text}>", lambda one, many, _: many)
        assert marked.startswith("<"), "its template was looked up"
    assert reason
