"""The page of the document: all of it, in plain HTML, from this host only."""

from __future__ import annotations

import re
import shlex

import pytest
from lxml import html

from metasearch.server.limits import Options
from metasearch.server.protocols.openapi.routes import in_words
from metasearch.server.site import Site
from tests import cases
from tests.server.fake import visit


@pytest.fixture
async def shown(demo) -> html.HtmlElement:
    """The page."""
    response = await demo.get("/docs")
    assert (response.status, response.content_type) == (200, "text/html")
    return html.document_fromstring(await response.text())


async def test_every_operation_is_shown(shown, document):
    """With its parameters, its statuses and its examples."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            (heading,) = shown.xpath(f"//h3[@id='{operation['operationId']}']")
            article = heading.getparent()

            assert heading.text_content() == f"{method.upper()} {path}"
            named = article.xpath(".//dt/code/text()")
            assert {each["name"] for each in operation.get("parameters", ())} <= set(named)
            statuses = [dt.text.strip() for dt in article.xpath(".//dt[not(code)]")]
            assert statuses == list(operation["responses"])
            assert len(article.xpath(".//details")) == len(operation.get("x-example-requests", ()))


async def test_every_shape_is_shown(shown, document):
    """Each has a place on the page, and every link within the page leads somewhere."""
    ids = set(shown.xpath("//@id"))

    assert {f"shape-{name}" for name in document["components"]["schemas"]} <= ids
    assert {link[1:] for link in shown.xpath("//a/@href") if link.startswith("#")} <= ids


async def test_no_script_and_no_other_host(shown):
    """Nothing is loaded but our own style sheet and icons."""
    assert shown.xpath("//script | //iframe | //*[@style] | //style") == []
    loaded = [*shown.xpath("//link/@href"), *shown.xpath("//img/@src")]
    assert all(address.startswith("/") for address in loaded)


async def test_examples_can_be_sent(demo, shown):
    """The first line of an example is a command for this server, and its answer is what follows."""
    (details,) = (
        each
        for each in shown.xpath("//h3[@id='translate']/..//details")
        if "two syntaxes" in each.findtext("summary")
    )
    command, answer = details.xpath("./pre/text()")
    curl, address = shlex.split(command)
    response = await demo.session.get(address)

    assert curl == "curl"
    assert re.sub(r"\s", "", await response.text()) == re.sub(r"\s", "", answer)


async def test_keys_are_mentioned(serve):
    """A server with keys says how to send one, on a page that needs none."""
    client = await serve(keys=["a-key-of-forty-characters-that-is-long-x"])

    assert "Authorization: Bearer KEY" in await (await client.get("/docs")).text()


@cases.each(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9}, ("whole number, from 1, to 9", "")),
        ({"type": ["string", "null"], "enum": ["a", None]}, ("one of a, null", "")),
        ({"$ref": "#/components/schemas/Hit"}, ("", "Hit")),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Hit"}}, ("list of", "Hit")),
        ({"oneOf": [{"$ref": "#/c/Hit"}, {"type": "null"}]}, ("null or", "Hit")),
        ({"anyOf": [{"$ref": "#/c/Hit"}, {"type": "string"}]}, ("one of Hit, text", "")),
        ({"type": "object", "additionalProperties": {"type": "string"}}, ("object of text", "")),
        ({"const": True}, ("always true", "")),
        ({}, ("", "")),
    ],
)
def test_schemas_in_words(schema, words):
    """As a reader says it."""
    assert in_words(schema) == words


def test_limits_of_the_page():
    """Addresses of two servers make two pages; what they show is kept."""
    from metasearch.server.protocols.openapi.document import Server
    from metasearch.server.protocols.openapi.routes import _describe, docs_page

    server = Server(Options(), False, "", frozenset({("/translate", "get")}))
    one, two = (docs_page(visit(f"http://{host}.example.org"), server) for host in "ab")

    assert "http://a.example.org/translate" in one
    assert "http://b.example.org/translate" in two
    made = [_describe(Site("http://a.example.org"), server) for _ in range(2)]
    assert made[0] is made[1]
