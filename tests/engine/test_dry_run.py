"""What a search would ask, told without asking."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from metasearch.engine.dry_run import SourcePlan, explain_plan, plan_lines, plan_object
from metasearch.engine.results import AnswerCache
from metasearch.errors import QuerySyntaxError, UnknownSource, UsageError
from metasearch.events import Finished
from metasearch.query import Years, parse
from metasearch.settings import Settings
from tests.cases import each
from tests.engine.test_engine import engine, item, works

NOVELTY = "(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)"


def source(name: str) -> dict[str, Any]:
    """The table of a source that knows AND, OR and titles."""
    return {
        "name": name,
        "label": name.title(),
        "homepage": f"https://{name}.example.org/",
        "request": {
            "url": f"https://{name}.example.org/search",
            "params": {"q": "{query}", "n": "{size}"},
        },
        "query": {"style": "expression", "fields": {"any": "{x}", "title": "title:{x}"}},
        "paging": {"kind": "none"},
        "limits": {"requests": 1, "per": 1.0},
        "parse": {"body": "json", "records": "items"},
        "fields": {"title": "title"},
    }


def settings(*sources: dict[str, Any], **changes: Any) -> Settings:
    return replace(Settings(), shipped=False, sources={it["name"]: it for it in sources}, **changes)


def test_shipped_sources_are_planned_for_a_query_of_novelty_search() -> None:
    """Each of the usual sources has its own query and request, or a reason."""
    found = explain_plan(NOVELTY)

    assert found.syntax == "cnki"
    assert found.query == "(沉水植物 OR 贝类 OR 鱼类) AND 生态系统 AND 水质 AND (种类 OR 密度)"
    assert len(found.sources) > 3
    for it in found.sources:
        assert (it.url.startswith("https://") and "水质" in it.query) if it.asked else it.reason


def test_it_is_what_a_search_sends() -> None:
    """The request is that of the engine's own plan, with limit, years and size."""
    found = explain_plan(
        "title:reef", sources=["crossref"], limit=50, years=Years(2015, 2020), settings=Settings()
    )

    (it,) = found.sources
    assert found.query == "title:reef AND year:2015-2020"
    assert (it.method, it.asked, it.reason) == ("GET", True, "")
    assert "rows=50" in it.url
    assert "2015" in it.url


def test_a_tree_can_be_planned() -> None:
    """It was read in no syntax but our own."""
    assert explain_plan(parse("reef"), sources=["arxiv"]).syntax == "simple"


def test_a_missing_key_is_a_reason_and_a_given_one_never_shows() -> None:
    """Keys and addresses are left out of everything that is told."""
    keyed = {**source("alpha"), "auth": {"key": {"env": "ALPHA_KEY", "required": True}}}

    without = explain_plan("reef", settings=settings(keyed))
    given = explain_plan("reef", settings=settings(keyed, env={"ALPHA_KEY": "hush-hush"}))

    assert without.sources[0].asked is False
    assert "ALPHA_KEY" in without.sources[0].advice
    assert given.sources[0].asked
    assert "hush" not in repr(given) + "".join(plan_lines(given)) + repr(plan_object(given))


def test_a_source_that_is_switched_off_is_named() -> None:
    """It would be asked by default if it were not."""
    found = explain_plan(
        "reef",
        settings=settings(source("alpha"), {**source("beta"), "default": True, "enabled": False}),
    )

    assert [(it.source, it.asked) for it in found.sources] == [("alpha", True), ("beta", False)]
    assert found.sources[1].reason == "it is switched off"


def test_what_is_lost_and_filtered_is_told() -> None:
    """A field that the source lacks is filtered afterwards, in our own spelling."""
    found = explain_plan("reef author:darwin", settings=settings(source("alpha")))

    (it,) = found.sources
    assert it.filtered == "author:darwin"
    assert it.notes


@each(
    ("query", "options", "error"),
    [
        ("(reef", {}, QuerySyntaxError),
        ("TI='甲'*", {}, QuerySyntaxError),
        ("reef", {"syntax": "sql"}, UsageError),
        ("reef", {"sources": ["nowhere"]}, UnknownSource),
        ("reef", {"sources": []}, UsageError),
        ("reef", {"limit": 0}, UsageError),
    ],
)
def test_bad_input_is_refused_as_by_a_search(
    query: str, options: dict[str, Any], error: type[Exception]
) -> None:
    """With the same errors."""
    with pytest.raises(error):
        explain_plan(query, **options)


def test_every_key_is_always_there() -> None:
    """A source that is not asked has the same ones."""
    found = explain_plan(
        "reef",
        settings=settings(source("alpha"), {**source("beta"), "default": True, "enabled": False}),
    )

    asked, off = plan_object(found)["sources"]
    assert list(asked) == list(off)
    assert list(asked) == [*SourcePlan.__dataclass_fields__]
    assert off["url"] is None


def test_control_characters_do_not_reach_a_terminal() -> None:
    """Whatever stands in a label."""
    found = explain_plan("reef", settings=settings({**source("alpha"), "label": "A\x1b[31m"}))

    assert not any("\x1b" in text for text in plan_lines(found))


async def test_a_search_says_how_its_query_was_read() -> None:
    """In its answer: the syntax, and what was lost; each search its own, though they share one
    list."""
    made, upstreams = engine({"alpha": works(item("Reef"))})
    made.answer_cache = AnswerCache()

    marked = await made.search('dc.title any/stem "reef"')
    simple = await made.search("title:reef")
    events = [event async for event in made.search("reef[ti]")]

    assert len(upstreams.asked) == 1

    assert (marked.query, marked.syntax) == ("title:reef", "cql")
    assert marked.notes == ("any/stem: the modifier is ignored",)
    assert isinstance(events[-1], Finished)
    assert events[-1].answer.syntax == "pubmed"
    assert (simple.query, simple.syntax, simple.notes) == ("title:reef", "simple", ())


def test_a_search_by_date_shows_what_would_be_asked() -> None:
    """The order stands in the request; a source that cannot sort by date says so."""
    found = explain_plan("reef", sources=["crossref", "figshare", "dblp"], sort="date")

    crossref, figshare, dblp = found.sources
    assert "sort=published&order=desc" in crossref.url
    assert '"order":"published_date"' in dict(figshare.body)[""]
    assert (crossref.notes, figshare.notes) == ((), ())
    assert dblp.notes == (
        "cannot sort by date: its records are the most relevant ones, sorted here",
    )
    assert not explain_plan("reef", sources=["dblp"], sort="-date").sources[0].notes


def test_a_source_that_finds_any_word_is_asked_by_date_for_one_word_only() -> None:
    """Its newest records would hold one of several words, and seldom all."""
    (crossref,) = explain_plan("coral reef year:2020", sources=["crossref"], sort="date").sources

    assert "sort=" not in crossref.url
    assert "finds any of the words: its records are the most relevant ones, sorted here" in (
        crossref.notes
    )
