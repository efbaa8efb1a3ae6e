"""`/plan` and `syntax=`: how a query is read, and what each source would be asked."""

from __future__ import annotations

from dataclasses import replace

from metasearch.events import Answer
from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit

NOVELTY = "(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)"


async def test_what_each_source_would_be_asked(client, engine):
    """Nothing is searched, and the key that is missing or given is not told."""
    response = await client.get("/plan", params={"q": NOVELTY, "sources": "alpha,gamma"})
    plan = await response.json()

    assert response.status == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert (plan["query"], plan["syntax"]) == (
        "(沉水植物 OR 贝类 OR 鱼类) AND 生态系统 AND 水质 AND (种类 OR 密度)",
        "cnki",
    )
    assert [it["source"] for it in plan["sources"]] == ["alpha", "gamma"]
    assert "hush" not in await response.text()
    assert engine.asked == []


@each("path", ["/plan", "/plan?q=", "/plan?q=gene&syntax=sql", "/plan?q=gene&year=soon"])
async def test_what_cannot_be_planned(client, path):
    """The errors are those of a search."""
    response = await client.get(path)

    assert response.status == 400
    assert (await response.json(content_type="application/problem+json"))[
        "type"
    ] == "urn:metasearch:problem:parameters"


@each("face", ["/plan?", "/search?format=json&", "/search?format=ndjson&", "/search?format=ris&"])
@each(
    ("query", "syntax", "position", "length", "suggestion"),
    [
        ("dc.titel = reef", "cql", 0, 8, "dc.title = reef"),
        ("TI='水质'*", "cnki", 7, 1, "TI='水质'"),
        ("reef[tib]", "pubmed", 4, 5, "reef[tiab]"),
        ("(reef", "simple", 0, 1, "(reef)"),
    ],
)
async def test_errors_say_where_in_every_face(
    client, face, query, syntax, position, length, suggestion
):
    """With the syntax in which the query was read."""
    response = await client.get(f"{face}syntax={syntax}", params={"q": query})
    problem = await response.json(content_type="application/problem+json")

    assert response.status == 400
    assert problem["type"] == "urn:metasearch:problem:query-syntax"
    assert [problem[name] for name in ("syntax", "position", "length", "suggestion")] == [
        syntax,
        position,
        length,
        suggestion,
    ]


async def test_a_syntax_stays_in_links_and_form(client):
    """Another format, and another search from the same page, read the query in the same way."""
    page = await (await client.get("/search?q=gene[ti]&syntax=pubmed&format=html")).text()

    assert "syntax=pubmed&amp;format=ris" in page
    assert '<input type="hidden" name="syntax" value="pubmed">' in page


def read_as(**changes: object) -> Answer:
    return replace(answer(hit(1)), **changes)  # type: ignore[arg-type]


async def test_the_page_says_how_a_query_was_read(serve):
    """Where it was not in our own syntax, with what was lost."""
    client = await serve(FakeEngine(read_as(syntax="cql", notes=("sortBy <x> is ignored",))))
    page = await (await client.get("/search?q=title%3Dgene&format=html")).text()

    assert "The query was read as cql: <code>title:gene</code>" in page
    assert "sortBy &lt;x&gt; is ignored" in page


async def test_the_page_is_silent_about_our_own_syntax(client):
    """A query that is what it looks like needs no explanation."""
    assert (
        "The query was read as" not in await (await client.get("/search?q=gene&format=html")).text()
    )


async def test_the_document_says_how_a_query_was_read(serve):
    """As data, and at the end of a stream."""
    client = await serve(FakeEngine(read_as(syntax="cql", notes=("one",))))

    document = await (await client.get("/search?q=gene&format=json")).json()
    last = (await (await client.get("/search?q=gene&format=ndjson")).text()).splitlines()[-1]

    assert (document["syntax"], document["notes"]) == ("cql", ["one"])
    assert '"syntax":"cql","notes":["one"]' in last
