"""The OpenAPI document is valid, complete, and that of this server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator

from metasearch.engine.options import SearchOptions
from metasearch.server.limits import Options
from metasearch.server.parameters import KNOWN, PAGE
from metasearch.server.protocols.openapi.document import (
    Server,
    all_operations,
    document_of,
    search_examples,
)
from metasearch.server.protocols.openapi.operation import Chapter, attributes, members
from metasearch.settings import Settings
from tests import cases
from tests.server.addresses import EVERY_ROUTE, PAGES, is_page
from tests.server.fake import FakeEngine
from tests.server.protocols.openapi.strict import check_schema, every, refs


@pytest.mark.slow
async def test_the_document_is_openapi(document):
    """The specification's own schema accepts it."""
    validator = pytest.importorskip(
        "openapi_spec_validator", reason="openapi-spec-validator is not installed"
    )

    validator.OpenAPIV31SpecValidator(document).validate()


async def test_schemas_are_schemas(document):
    """Each is JSON Schema 2020-12, and what it refers to is there."""
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    for path, _, operation in every(document):
        for parameter in operation.get("parameters", ()):
            Draft202012Validator.check_schema(parameter["schema"])
            assert parameter["in"] != "path" or f"{{{parameter['name']}}}" in path
    known = {
        f"#/components/{kind}/{name}"
        for kind, parts in document["components"].items()
        for name in parts
    }

    assert set(refs(document)) <= known


async def test_every_schema_is_used(document):
    """None stands there that no answer, event or other schema has."""
    used = set(refs(document))
    free = {
        name
        for name in document["components"]["schemas"]
        if f"#/components/schemas/{name}" not in used
    }

    assert free == {"SearchEvent"}  # the events of a stream, which has no schema of its own


async def test_ids_are_unique(document):
    """Generated clients name functions after them."""
    ids = Counter(operation["operationId"] for _, _, operation in every(document))

    assert set(ids.values()) == {1}
    assert all(re.fullmatch("[a-z][A-Za-z0-9]*", name) for name in ids)


def test_every_route_is_described(chapter):
    """For a new route, append an `Operation` in protocols/openapi/paths.py; what is no
    interface stands in tests/server/addresses.py.
    """
    paths = {re.sub(r":[^}]*}", "}", route.path) for route in EVERY_ROUTE}
    described = {
        path
        for each in all_operations(Options(suggest=True), chapter)
        for path in (each.path, *each.also)
    }

    assert {path for path in paths if not is_page(path)} <= described
    assert paths >= PAGES


async def test_every_post_is_described(document, chapter):
    """Each route that takes a POST has one in the document, itself or under another name, but for
    the forms of pages.
    """
    posted = {path for path, method, _ in every(document) if method == "post"}
    aliases = {path for each in posted for path in aliases_of(each, chapter)}

    takers = {route.path for route in EVERY_ROUTE if route.posts and not is_page(route.path)}
    assert takers == posted | aliases


def aliases_of(path: str, chapter: Chapter) -> tuple[str, ...]:
    """Other routes that answer as this one does."""
    return next(each.also for each in all_operations(Options(), chapter) if each.path == path)


async def test_what_the_server_does_not_have_is_left_out(serve):
    """Suggestions are off by default, and a path without a route is not in the document."""
    client = await serve()
    document = await (await client.get("/openapi.json")).json()
    only = Server(Options(), False, "", frozenset({("/plan", "get")}))

    assert "/suggest" not in document["paths"]
    assert set(document_of(only)["paths"]) == {"/plan"}


async def test_every_parameter_of_a_search_is_described(document):
    """With its type and its bounds; but not those that concern pages alone, see docs/pages.md."""
    described = {each["name"]: each for each in document["paths"]["/search"]["get"]["parameters"]}

    assert {*described, "n", *PAGE} == KNOWN  # n is another name of count
    assert described["count"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 1000}
    assert described["q"]["required"]


async def test_bounds_are_those_of_the_server(serve):
    """Another server has other limits."""
    client = await serve(max_records=50, max_query=100)
    document = await (await client.get("/openapi.json")).json()
    parameters = document["paths"]["/search"]["get"]["parameters"]
    described = {each["name"]: each["schema"] for each in parameters}

    assert described["count"]["maximum"] == 50
    assert described["q"]["maxLength"] == 100


async def test_keys_are_asked_for(serve):
    """With keys all but descriptions and health need one, and the document can be read without."""
    client = await serve(keys=["a-key-of-forty-characters-that-is-long-x"])
    response = await client.get("/openapi.json")
    document = await response.json()
    free = {
        operation["operationId"]
        for _, _, operation in every(document)
        if "security" not in operation
    }

    assert response.status == 200
    assert free == {"openapi", "docs", "apiCatalog", "health", "ready"}
    assert (await client.get("/sources")).status == 401


async def test_descriptions_are_counted(serve):
    """They are large, so that they count for the quota of a client."""
    client = await serve(rate_limit=1, trusted_proxies=("127.0.0.1",))
    statuses = [
        (await client.get("/openapi.json", headers={"X-Forwarded-For": "198.51.100.7"})).status
        for _ in range(2)
    ]

    assert statuses == [200, 429]


async def test_public_path(serve):
    """Behind a proxy the addresses begin with the configured path."""
    client = await serve(FakeEngine(settings=Settings(public_url="https://example.org/lib/")))

    document = await (await client.get("/openapi.json")).json()

    assert document["servers"] == [{"url": "/lib"}]


@cases.each("path", ["/openapi.json", "/docs", "/.well-known/api-catalog"])
async def test_descriptions_are_not_sent_twice(serve, path):
    """They have an entity tag, and a client that names it gets no second copy."""
    client = await serve()
    first = await client.get(path)
    again = await client.get(path, headers={"If-None-Match": first.headers["ETag"]})

    assert (200, 304) == (first.status, again.status)
    assert await again.read() == b""
    kept = "private, no-cache" if path == "/docs" else "public, max-age=3600"
    assert first.headers["Cache-Control"] == kept


async def test_examples_fit_their_schemas(document, chapter):
    """Each example is what the schema beside it describes, and no more."""
    checked = 0
    for _, _, operation in every(document):
        for response in operation["responses"].values():
            for media in response.get("content", {}).values():
                for example in media.get("examples", {}).values():
                    check_schema(document, media.get("schema", {}), example["value"])
                    checked += 1

    assert checked == len(search_examples()) + len(chapter.examples)


def test_descriptions_come_from_docstrings():
    """What the docstring of a class says of an attribute is on one line, without marks."""
    assert "matters" not in attributes(SearchOptions)

    class Described:
        """A thing.

        Attributes:
            one: First line,
                and `second` one.
            two, three: Both.

        After it.
        """

    assert attributes(Described) == {
        "one": "First line, and second one.",
        "two": "Both.",
        "three": "Both.",
    }


@dataclass
class Inner:
    """A part."""


@dataclass
class Shown:
    """A thing.

    Attributes:
        word: Which one.
        sum: Of all; None where there is none.
    """

    word: Literal["b", "a"]
    sum: int | None
    names: tuple[str, ...]
    parts: Mapping[str, Inner]
    rest: Any


def test_schemas_come_from_classes():
    """An object that shows a thing has the types of its class, and the texts of its docstring."""
    inner = {"$ref": "#/components/schemas/Inner"}

    assert members(Shown) == {
        "word": {"type": "string", "enum": ["b", "a"], "description": "Which one."},
        "sum": {"type": ["integer", "null"], "description": "Of all; None where there is none."},
        "names": {"type": "array", "items": {"type": "string"}},
        "parts": {"type": "object", "additionalProperties": inner},
        "rest": {},
    }


def test_schemas_of_other_members():
    """A type that is given says all of its member; a schema gets the text of the class. Only what
    is named is there.
    """
    whole = {"type": "integer"}

    assert members(Shown, "sum more", sum=int, more=Annotated[Inner | None, "A part."]) == {
        "sum": whole,
        "more": {
            "oneOf": [{"$ref": "#/components/schemas/Inner"}, {"type": "null"}],
            "description": "A part.",
        },
    }
    assert members(Shown, "sum", sum=whole)["sum"]["description"].startswith("Of all")
