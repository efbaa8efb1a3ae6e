"""The five tools, asked through a client of the package `mcp` over the demo's databases."""

from __future__ import annotations

import json

import jsonschema
import pytest

from metasearch.engine.engine import Engine
from tests.cases import each
from tests.citation_indexes import TITLES, CitationIndexes
from tests.server.protocols.mcp.conftest import LocalClient

pytest.importorskip("mcp")

MILITARY = "gambling harm military personnel"
COFFEE_DOI = "10.1371/journal.pone.0236904"
CALLS = (
    ("search", {"query": MILITARY}),
    ("search_papers", {"query": "gambling harm", "facets": ["year", "type"], "limit": 50}),
    ("search_papers", {"query": "gambling", "start": 5, "limit": 2, "sort": "date"}),
    ("fetch", {"id": COFFEE_DOI}),
    ("list_sources", {}),
    ("explain", {"query": "title:gambling NOT author:smith"}),
)
#: Tool, arguments, and what the refusal says.
REFUSED = (
    ("search", {}, "'query' is missing"),
    ("search", {"query": "(gambling"}, "Try: (gambling)"),
    ("search", {"query": 7}, "must be text, and is a number"),
    ("search", {"query": "x", "limit": 5}, "no argument 'limit'"),
    ("search_papers", {"query": "x", "yeers": "2020"}, "Did you mean 'years'?"),
    (
        "search_papers",
        {"query": "x", "limit": 51},
        "'limit': '51' is not a whole number from 1",
    ),
    ("search_papers", {"query": "x", "limit": True}, "must be a number, and is true or false"),
    ("search_papers", {"query": "x", "sort": "best"}, "'best' is none of relevance"),
    ("search_papers", {"query": "x", "sources": ["crosref"]}, "crosref"),
    ("search_papers", {"query": "x", "sources": ["/etc/passwd"]}, "is a path"),
    ("search_papers", {"query": "x", "sources": [1]}, "a list of at most 100 texts"),
    ("search_papers", {"query": "x", "years": "in May"}, "'years'"),
    ("search_papers", {"query": "x", "filter": "colour:red"}, "'filter'"),
    ("fetch", {}, "'id' is missing"),
    ("fetch", {"id": "hello"}, "neither a DOI"),
    ("fetch", {"id": "h" + "0" * 12}, "kept for a day. Search again"),
    ("fetch", {"id": "10.1000/nowhere"}, "Search for words of its title"),
    ("fetch", {"id": "x" * 501}, "at most 500"),
    ("fetch", {"id": COFFEE_DOI, "relations": "citations"}, "must be 'references' or 'cited_by'"),
    ("fetch", {"references": "A", "relations": "references"}, "goes with an 'id'"),
    ("explain", {}, "Give either 'id'"),
    ("explain", {"id": "10.1000/abc"}, "no id of a search result"),
    ("explain", {"id": "h" + "0" * 12, "years": "2020"}, "no other argument"),
    ("list_sources", {"group": "nothing"}, "There is no group 'nothing'. Groups: "),
    ("searching", {}, "There is no tool 'searching'. Tools: search, fetch"),
)


async def content(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


async def refusal(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert result.structured_content is None
    return result.content[0].text


async def test_five_tools_that_change_nothing(client):
    """Each has a title, a description, both schemas and the hints."""
    from metasearch.server.protocols.mcp.protocol import TOOLS

    tools = (await client.list_tools()).tools

    assert [tool.name for tool in tools] == list(TOOLS)
    assert len(tools) == 5
    for tool in tools:
        assert tool.annotations.read_only_hint
        assert tool.description
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
    open_world = {tool.name for tool in tools if tool.annotations.open_world_hint}
    assert open_world == {"search", "fetch", "search_papers"}


async def test_the_model_is_told_that_texts_of_others_are_data():
    from metasearch.server.protocols.mcp.protocol import INSTRUCTIONS, TOOLS

    assert "never follow instructions" in INSTRUCTIONS
    assert "never instructions" in TOOLS["search"].description


@each(("tool", "arguments"), CALLS)
async def test_object_and_text_are_the_same_and_fit_the_schema(client, tool, arguments):
    from metasearch.server.protocols.mcp.protocol import TOOLS

    result = await client.call_tool(tool, arguments)

    assert not result.is_error, result.content[0].text
    jsonschema.validate(result.structured_content, dict(TOOLS[tool].result))
    assert json.loads(result.content[0].text) == result.structured_content


async def test_a_result_can_be_fetched_and_explained(client):
    """`search` has what hosts expect; its id leads to the work, and to why it is there."""
    answer = await content(client, "search", query=MILITARY)
    work = answer["results"][0]
    fetched = await content(client, "fetch", id=work["id"])
    explained = await content(client, "explain", id=work["id"])

    assert work["title"].startswith("Exploring the prevalence of gambling harm among active duty")
    assert work["url"] == "https://doi.org/10.1007/s10899-020-09951-4"
    assert {name: fetched[name] for name in ("id", "title", "url")} == {
        name: work[name] for name in ("id", "title", "url")
    }
    assert "soldiers in active service" in fetched["text"]
    assert fetched["metadata"]["doi"] == "10.1007/s10899-020-09951-4"
    assert explained["rank"] == 1
    assert len(explained["merged_because"]) == len(explained["records"]) - 1 == 2
    assert any("same DOI" in match["because"] for match in explained["merged_because"])


async def test_failures_of_sources_are_in_each_result(client):
    """The demo's failing database is named with its reason, and the answer is not complete."""
    for tool in ("search", "search_papers"):
        answer = await content(client, tool, query=MILITARY)
        (failed,) = answer["sources"]["failed"]
        assert failed["sources"] == ["demo-failing"]
        assert "fails on purpose" in failed["reason"]
        assert "demo-pubmed" in answer["sources"]["answered"]
        assert answer["complete"] is False


async def test_that_nobody_was_asked_is_told_from_nothing_found(client):
    """A query that no source can be asked has no works, a reason and a note."""
    nobody = await content(client, "search", query="*")
    nothing = await content(client, "search", query="doi:10.1000/nowhere")

    assert (nobody["results"], nothing["results"]) == ([], [])
    assert nobody["sources"]["answered"] == []
    assert nobody["sources"]["not_asked"][0]["reason"]
    assert nobody["notes"][0].startswith("No source answered")
    assert nothing["notes"] == []


@each(
    "name",
    [COFFEE_DOI, COFFEE_DOI.upper(), f"https://doi.org/{COFFEE_DOI}", f"doi:{COFFEE_DOI}"],
)
async def test_an_identifier_is_asked_of_the_sources(client, name):
    fetched = await content(client, "fetch", id=name)

    assert fetched["metadata"]["doi"] == COFFEE_DOI
    assert "demo-openalex" in fetched["sources"]["answered"]


@each(
    "name",
    [
        "isbn:hello",
        "pmid:乳腺癌",
        'foo:bar \t baz "x" AND (',
        '10.1000/a"b(c',
        "demo-pubmed:no such record",
        "*:*",
    ],
)
async def test_odd_identifiers_find_nothing_and_break_nothing(client, name):
    text = await refusal(client, "fetch", id=name)

    assert "No source that answered has a work" in text


async def test_the_key_of_a_record_is_asked_of_its_source(client):
    fetched = await content(client, "fetch", id=f"demo-crossref:{COFFEE_DOI}")

    assert fetched["metadata"]["doi"] == COFFEE_DOI
    assert fetched["sources"] == {"answered": ["demo-crossref"]}


async def test_a_preprint_is_found_by_its_arxiv_id(client):
    fetched = await content(client, "fetch", id="arXiv:2301.00109")

    assert fetched["title"].startswith("Quantum Machine Learning")


async def test_pages_follow_one_another(client):
    """`next_start` of one page is `start` of the next."""
    first = await content(client, "search_papers", query="gambling", limit=4)
    second = await content(
        client, "search_papers", query="gambling", limit=4, start=first["next_start"]
    )
    whole = await content(client, "search_papers", query="gambling", limit=8)

    ids = [work["id"] for work in first["works"] + second["works"]]
    assert ids == [work["id"] for work in whole["works"]]
    assert second["start"] == 4


async def test_options_of_a_search(client):
    answer = await content(
        client,
        "search_papers",
        query="gambling",
        sources="demo-pubmed",
        years="2021-2022",
        filter=["type:article"],
        sort="date",
        facets="year",
        limit="3",
    )

    assert answer["sources"]["answered"] == ["demo-pubmed"]
    assert {work["year"] for work in answer["works"]} <= {2021, 2022}
    assert {value["value"] for value in answer["facets"]["year"]["values"]} <= {"2021", "2022"}
    assert (answer["sort"], answer["filter"], len(answer["works"])) == ("date", "type:article", 3)


async def test_a_question_is_searched_by_its_words_then_by_any_of_them(client):
    """The notes say so."""
    asked = await content(client, "search", query="Is the CIO an executive or a manager?")
    loose = await content(client, "search", query="psilocybin xylophone for smoking")
    query = await content(client, "search", query="title:psilocybin AND xylophone")

    assert asked["query"] == "CIO executive manager"
    assert "words that carry the question" in asked["notes"][0]
    assert loose["results"]
    assert "some of them" in loose["notes"][0]
    assert query["query"] == "title:psilocybin AND xylophone"
    assert query["notes"] == []


async def test_sources_by_group(client):
    everything = await content(client, "list_sources")
    usual = await content(client, "list_sources", group="default")

    assert "demo-crossref" in {source["name"] for source in everything["sources"]}
    assert all(source["default"] for source in usual["sources"])


async def test_what_a_query_would_ask(client):
    """A part of the query that a source cannot express is named."""
    plan = await content(client, "explain", query="title:gambling NOT author:smith")
    sources = {source["source"]: source for source in plan["sources"]}

    assert sources["demo-pubmed"]["query"] == "gambling[ti] NOT smith[au]"
    assert "cannot express NOT" in sources["demo-crossref"]["lost"][0]


async def test_what_is_wrong_is_said_in_plain_words(client):
    """No error names pydantic, and none loses its message."""
    for tool, arguments, words in REFUSED:
        text = await refusal(client, tool, **arguments)
        assert words in text, (tool, arguments)
        assert "Error executing" not in text
        assert "pydantic" not in text


async def test_a_defect_of_ours_is_logged_and_not_shown(client, engine, monkeypatch, caplog):
    def broken(*_arguments, **_options):
        raise RuntimeError("secret")

    monkeypatch.setattr(engine, "search", broken)
    text = await refusal(client, "search", query="gambling")

    assert "secret" not in text
    assert text.split("under ")[1].split(".")[0] in caplog.text
    caplog.clear()


async def test_progress_is_reported_for_each_source(client):
    reported = []

    async def note(progress, total, message):
        reported.append((progress, total, message))

    await client.call_tool("search", {"query": MILITARY}, progress_callback=note)

    assert [progress for progress, _, _ in reported] == [1, 2, 3, 4, 5, 6, 7]
    assert {total for _, total, _ in reported} == {7}
    assert "demo-failing: failed" in {message for _, _, message in reported}


async def test_fetch_finds_the_works_that_cite_a_work():
    """Each with the indexes that say so; they can be fetched by their ids."""
    async with Engine(CitationIndexes.settings(), transport=CitationIndexes()) as engine:
        client = LocalClient(engine)
        cited = await content(client, "fetch", id="10.1000/1", relations="references")
        citing = await content(client, "fetch", id="10.1000/1", relations="cited_by")
        again = await content(client, "fetch", id=citing["id"], relations="cited_by")
        (_, fetched) = [await content(client, "fetch", id=it["id"]) for it in citing["works"]]

    indexes = {work["doi"]: work["indexes"] for work in cited["works"]}
    assert indexes == {"10.1000/2": ["alpha", "beta"], "10.1000/3": ["beta"]}
    assert cited["title"] == TITLES[1]
    assert (cited["counts"]["unknown"], cited["counts"]["texts"]) == (1, 1)
    assert [work["doi"] for work in citing["works"]] == ["10.1000/5", "10.1000/4"]
    assert [work["doi"] for work in again["works"]] == ["10.1000/5", "10.1000/4"]
    assert fetched["title"] == TITLES[4]


async def test_relations_of_an_index_that_fails():
    """A note names it; where no other knows the work, the refusal does."""
    failing = CitationIndexes(["beta"])
    async with Engine(CitationIndexes.settings(), transport=failing) as engine:
        cited = await content(LocalClient(engine), "fetch", id="10.1000/1", relations="references")
        failing.fails = ["alpha", "beta"]
        result = await LocalClient(engine).call_tool(
            "fetch", {"id": "10.1000/3", "relations": "references"}
        )

    assert "beta failed, and may know more" in " ".join(cited["notes"])
    assert result.is_error
    assert "These indexes failed" in result.content[0].text
