"""`types`, `languages` and the like in a spec: what they make of a query, and what is wrong with
them."""

from __future__ import annotations

from typing import Any

import pytest

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.specfile import build
from metasearch.adapters.translate.plan import Plan, plan
from metasearch.errors import CannotAsk, SpecError
from metasearch.query import parse, to_text
from tests import cases


def spec(params: dict[str, Any] | None = None, **query: Any) -> AdapterSpec:
    return build(
        {
            "name": "made",
            "request": {"url": "https://a.example", "params": params or {"q": "{query}"}},
            "query": query,
            "parse": {"body": "json", "records": "items"},
            "fields": {"title": "title"},
        },
        "made.toml",
    )


def expression(**query: Any) -> AdapterSpec:
    fields = {"any": "{x}", **query.pop("fields", {})}
    return spec(
        style="expression",
        conjunction=" AND ",
        negation=" NOT {x}",
        **{"disjunction": " OR ", **query},
        fields=fields,
    )


def residual(planned: Plan) -> str | None:
    return None if planned.residual is None else to_text(planned.residual)


TYPED = {
    "types": {"article": ["paper", "note"], "review": "survey", "thesis": "phd"},
    "fields": {"type": "kind:{x}"},
}


@cases.each(
    ("text", "sent"),
    [
        ("x type:thesis", "x AND kind:phd"),
        ("x type:article", "x AND (kind:paper OR kind:note OR kind:survey)"),
        ("x (type:article OR type:review)", "x AND (kind:paper OR kind:note OR kind:survey)"),
        ("x (type:thesis OR y)", "x AND (kind:phd OR y)"),
        ("x NOT type:article", "x NOT (kind:paper OR kind:note OR kind:survey)"),
    ],
)
def test_types_in_an_expression(text: str, sent: str) -> None:
    """All of the database's words are alternatives, each once, and a review is an article."""
    planned = plan(parse(text), expression(**TYPED))

    assert (sent, (), None) == (planned.sent, planned.notes, planned.residual)


def test_a_type_without_a_word_is_filtered() -> None:
    """What cannot be said is judged by the records, alone or among alternatives."""
    for text, clause in (
        ("x type:map", "type:map"),
        ("x (type:map OR type:thesis)", "type:map OR type:thesis"),
    ):
        planned = plan(parse(text), expression(**TYPED))

        assert ("x", clause) == (planned.sent, residual(planned))
        assert len(planned.notes) == 1


def test_several_words_need_an_or() -> None:
    """A database without OR takes a type that is one word."""
    at = expression(**TYPED, disjunction="")

    assert plan(parse("x type:thesis"), at).sent == "x AND kind:phd"
    assert residual(plan(parse("x type:article"), at)) == "type:article"


def test_types_in_a_parameter() -> None:
    """What stands between them is the database's own; the same filter twice would have to hold
    twice."""
    params = {"q": "{query}", "filter": ["type:{type}", "lang:{language}"]}
    at = spec(
        params,
        style="expression",
        fields={"any": "{x}"},
        types=TYPED["types"],
        languages="iso639-2b",
        either={"type": "|"},
    )
    planned = plan(parse("x type:article language:zh type:thesis"), at)

    assert dict(planned.request.params)["filter"] == "type:paper|note|survey,lang:chi"
    assert residual(planned) == "type:thesis"
    assert (
        residual(plan(parse("x (language:zh OR language:en)"), at)) == "language:zh OR language:en"
    )


def test_a_type_that_all_works_have_need_not_be_sent() -> None:
    """And one that none has is still judged by the records."""
    at = expression(types={"preprint": True})

    assert plan(parse("x type:preprint"), at).notes == ()
    assert plan(parse("x (type:preprint OR type:thesis)"), at).sent == "x"
    assert residual(plan(parse("x type:thesis"), at)) == "type:thesis"


def test_a_type_is_filtered_even_where_other_clauses_are_dropped() -> None:
    """What type a record has is plain."""
    planned = plan(parse("x type:thesis title:y"), expression(unsupported="drop"))

    assert residual(planned) == "type:thesis"


def test_a_wider_field_is_filtered_as_well() -> None:
    """The clause is sent, and the records are judged; a NOT would leave out too much."""
    at = expression(**TYPED, wider=["type"])

    assert plan(parse("x type:thesis"), at).sent == "x AND kind:phd"
    assert residual(plan(parse("x type:thesis"), at)) == "type:thesis"
    assert plan(parse("x NOT type:thesis"), at).sent == "x"


def test_languages_may_be_a_table() -> None:
    """Only those that it holds can be asked for."""
    at = expression(languages={"zh": ["chi", "cht"], "en": "eng"}, fields={"language": "la:{x}"})

    assert plan(parse("x language:chinese"), at).sent == "x AND (la:chi OR la:cht)"
    assert residual(plan(parse("x language:de"), at)) == "language:de"


def test_refuse() -> None:
    """A source that must not be asked something else refuses types, languages and truncated words,
    too."""
    for text in ("x type:map", "x language:zh", "gene*", "x gene*"):
        with pytest.raises(CannotAsk):
            plan(parse(text), expression(unsupported="refuse"))


def test_truncation() -> None:
    """The beginning of a word is written by its own template, if it is long enough."""
    at = expression(word='"{x}"', truncated='"{x}"~', truncated_least=3, strip="-")

    assert plan(parse("gene* drive"), at).sent == '"gene"~ AND "drive"'
    assert plan(parse("a neuro-inf*"), at).sent == '"a" AND ("neuro" AND "inf"~)'
    assert plan(parse("drive ge*"), at).sent == '"drive"'
    assert plan(parse("ge1*"), at).sent == '"ge1"~'
    assert plan(parse("g1*"), at).sent == '"g1"'


def test_operators_that_are_words_are_none_to_the_database() -> None:
    """Joined words and parameters, too."""
    assert plan(parse(r"the \OR gate"), expression(words="joined")).sent == "the or gate"
    assert plan(parse(r"the \OR gate"), spec({"q": "{any}"})).sent == "any: the or gate"


@cases.each(
    ("query", "problem"),
    [
        ({"types": {"papre": "x"}}, "query.types.papre"),
        ({"types": {"article": 3}}, "query.types.article"),
        ({"types": {"article": []}}, "query.types.article"),
        ({"types": {"article": "x"}}, "has no place"),
        ({"fields": {"any": "{x}", "type": "t:{x}"}}, "query.types: is missing"),
        ({"fields": {"any": "{x}", "language": "t:{x}"}}, "query.languages: is missing"),
        ({"languages": "marc"}, "iso639-2b"),
        ({"languages": []}, "iso639-2b"),
        ({"languages": {"chinese": "chi"}}, "query.languages.chinese"),
        ({"either": {"title": "|"}}, "query.either.title"),
        ({"truncated": "{y}*"}, "query.truncated"),
        ({"wider": ["titel"]}, "query.wider"),
    ],
)
def test_problems(query: dict[str, Any], problem: str) -> None:
    """Each is named with its key."""
    with pytest.raises(SpecError) as raised:
        spec(style="expression", **{"fields": {"any": "{x}"}, **query})

    assert any(problem in each for each in raised.value.problems)
