"""Words that are operators to a database in small letters, too, are quoted, and no others are."""

from __future__ import annotations

from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.query.simple import parse
from metasearch.query.tree import Near, Or, Term
from metasearch.settings import Settings
from tests.cases import each

REGISTRY = Registry(Settings())
KEY = {"METASEARCH_WOS_KEY": "k", "METASEARCH_IEEE_KEY": "k"}


@each(
    ("source", "text", "sent"),
    [
        ("wos", "same mosses", 'TS=mosses AND TS="same"'),
        ("wos", "title:near", 'TI="near"'),
        ("wos", '"near and far"', 'TS="near and far"'),
        ("wos", "moss NOT near", 'TS=moss NOT TS="near"'),
        ("wos", r"(moss \or fern) OR tree", '((TS=moss AND TS=fern) AND TS="or") OR TS=tree'),
        ("wos", "nearly*", "TS=nearly*"),
        ("ieee", "moss and fern year:2010-2012", '(moss fern) AND "and" [2010-2012]'),
        ("pubmed", "gene c.2126_2127insA", 'gene AND "c.2126_2127insA"'),
        ("pubmed", "title:a_b OR c_d", '"a_b"[ti] OR "c_d"'),
        ("pubmed", 'NOT x_y "moss_a fern" covid-19', '"moss_a fern" AND covid-19 NOT "x_y"'),
    ],
)
def test_words_that_a_database_would_take_for_something_else_are_quoted(
    source: str, text: str, sent: str
) -> None:
    """They are words in quotes; all others stay without, so that their other forms are found."""
    assert sent == plan(parse(text), REGISTRY.spec(source), env=KEY).sent


@each(
    ("text", "years"),
    [
        ("moss year:2010-2012", {"start_year": "2010", "end_year": "2012"}),
        ("moss year:2010-", {"start_year": "2010"}),
        ("moss year:-2012", {"end_year": "2012"}),
        ("moss year:2010- year:-2012", {"start_year": "2010", "end_year": "2012"}),
        ("moss", {}),
    ],
)
def test_the_ends_of_a_range_of_years_have_parameters_of_their_own(
    text: str, years: dict[str, str]
) -> None:
    """`{since}` and `{until}`, each of which is left out where its end is open."""
    params = dict(plan(parse(text), REGISTRY.spec("ieee"), env=KEY).request.params)

    assert years == {name: value for name, value in params.items() if name.endswith("_year")}


def test_words_of_proximity_are_quoted_too() -> None:
    """Where a database has no proximity, they are all words that must occur."""
    query = Near((Term("same"), Or((Term("moss"), Term("near")))), within=3)

    assert plan(query, REGISTRY.spec("wos"), env=KEY).sent == 'TS="same" AND (TS=moss OR TS="near")'
