"""`/help`: examples that run, and how a query is read."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.query import SYNTAXES, read
from metasearch.query.tree import FIELDS
from metasearch.server.pages.hit import QUERY_FIELD_WORDS
from metasearch.server.pages.page import _LOOKS_IN, EXAMPLES
from metasearch.settings import Settings
from tests import cases
from tests.server.visitor import page, text


def words(tree) -> dict[str, list[str]]:
    """Field -> the words that are looked for in it, as the page shows them."""
    rows = tree.xpath("//table[contains(@class, 'read-words')]/tbody/tr")
    return {row.findtext("th"): row.xpath("td/code/text()") for row in rows}


async def test_each_example_is_a_link_that_runs_it(client):
    """As it is written, and every one is a query."""
    tree = await page(client, "/help")
    links = tree.xpath("//table[contains(@class, 'examples-table')]//a")
    queries = [dict(parse_qsl(urlsplit(link.get("href")).query))["q"] for link in links]

    assert queries == [link.text_content() for link in links] == list(EXAMPLES)
    assert {urlsplit(link.get("href")).path for link in links} == {"/search"}


async def test_each_example_finds_something_in_the_demo():
    """Whoever tries one sees a list."""
    async with DemoDatabases() as demo, Engine(demo.settings(Settings())) as engine:
        for query in EXAMPLES:
            answer = await engine.search(query, sources=("demo-pubmed", "demo-openalex"))
            assert answer.hits, query


async def test_each_other_syntax_has_an_example_that_is_read_in_it(client):
    """The link shows how; the syntax is the one of its row."""
    tree = await page(client, "/help")
    links = tree.xpath("//section[@aria-labelledby='others']//a/@href")
    asked = [dict(parse_qsl(urlsplit(link).query)) for link in links]

    assert {each["syntax"] for each in asked} == set(SYNTAXES) - {"simple"}
    for each in asked:
        assert read(each["q"], each["syntax"]).syntax == each["syntax"]
        assert "Read as" in text(await page(client, f"/help?{urlencode(each)}"))


async def test_fields_have_their_names_in_both_syntaxes(client):
    """As the readers know them."""
    tree = await page(client, "/help")
    rows = tree.xpath("//table[contains(@class, 'fields-table')]/tbody/tr")
    named = {row.findtext("th"): row.xpath(".//code/text()") for row in rows}

    assert named["Title"] == ["title:", "ti:", "题名=", "TI="]
    assert named["Journal or book"] == ["venue:", "journal:", "刊名=", "JN="]
    assert set(QUERY_FIELD_WORDS) == set(_LOOKS_IN) == {*FIELDS, "year"}
    values = {"Type of work": "图书", "Language": "english"}
    for field, names in named.items():
        for name in names:
            text = f"mice AND {name}{values.get(field, '2020')}"
            read(text, "simple" if name.endswith(":") else "cnki")


async def test_how_a_query_is_read(client):
    """In its normal spelling, and word by word."""
    query = 'title:"gambling harm" prevent* NOT (advertising OR lang:fr) year:2015-'
    tree = await page(client, f"/help?{urlencode({'q': query})}")

    assert tree.xpath("string(//*[@class='readback'])") == (
        'title:"gambling harm" AND prevent* AND NOT (advertising OR language:fr) AND year:2015-'
    )
    assert words(tree) == {
        "Anywhere": ["prevent*"],
        "Title": ["“gambling harm”"],
        "Year": ["2015-"],
        "Not: Anywhere": ["advertising"],
        "Not: Language": ["French"],
    }
    links = tree.xpath("//section[@id='read']//p[@class='row']/a/@href")
    assert [urlsplit(link).path for link in links] == ["/search", "/advanced"]
    assert all(dict(parse_qsl(urlsplit(link).query))["q"] == query for link in links)


async def test_a_mistake_is_shown_in_its_place(client):
    """With the reason, and a link to a query that can be read."""
    tree = await page(client, f"/help?{urlencode({'q': 'TI=水质 AND titel=x', 'syntax': 'cnki'})}")
    suggested = tree.xpath("//*[@id='fault']//a/@href")[0]

    assert tree.xpath("//*[@class='caret']//u/text()") == ["titel"]
    assert 'There is no field "titel"' in text(tree)
    assert tree.xpath("//input[@name='q']/@aria-describedby") == ["fault"]
    assert "Read as" in text(await page(client, suggested))


async def test_a_mistake_at_the_end_of_a_long_text_is_in_sight(client):
    """The line is cut around it, and holds no line breaks."""
    tree = await page(client, f"/help?{urlencode({'q': 'word' + ' word' * 500 + chr(10) + '(x'})}")
    line = tree.xpath("string(//*[@class='caret'])")

    assert line.startswith("…")
    assert line.endswith("word (x")
    assert len(line) < 80


async def test_text_is_text(client):
    """Whatever is typed comes back as it was."""
    hostile = "\"><script>alert(1)</script>'&amp;"
    tree = await page(client, f"/help?{urlencode({'q': hostile})}")

    assert tree.xpath("//input[@name='q']/@value") == [hostile]
    assert not tree.xpath("//script")


@cases.each("query", ["syntax=sql", "q=a&q=b", "q=" + "a" * 201])
async def test_what_cannot_be_used_is_refused(serve, query):
    """As in a search."""
    client = await serve(max_query=200)

    assert (await client.get(f"/help?{query}")).status == 400


async def test_links_within_the_page_lead_somewhere(client):
    """Each has its heading, and no id stands twice."""
    tree = await page(client, "/help")
    ids = tree.xpath("//@id")

    assert len(ids) == len(set(ids))
    for link in tree.xpath("//main//a[starts-with(@href, '#')]/@href"):
        assert link[1:] in ids
