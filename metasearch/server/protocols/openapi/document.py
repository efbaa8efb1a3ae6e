"""The OpenAPI 3.1 document of one server, put together from the lists of operations and shapes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, cast

import orjson

from metasearch import __version__
from metasearch.server.limits import Options
from metasearch.server.opensearch import DESCRIPTION
from metasearch.server.protocols.openapi import answers
from metasearch.server.protocols.openapi import operation as problems
from metasearch.server.protocols.openapi import paths as about
from metasearch.server.protocols.openapi import paths as protocols
from metasearch.server.protocols.openapi import paths as searches
from metasearch.server.protocols.openapi import paths as works
from metasearch.server.protocols.openapi.operation import (
    ERRORS,
    HEADERS,
    NO_CHAPTER,
    Chapter,
    Content,
    Examples,
    Operation,
    Schema,
    reason,
    text,
)

#: Those of a wing stand behind those of searches.
TAGS: Mapping[str, str] = {
    "Search": "The merged list, and what belongs to it.",
    "Pages": "For people.",
    "SRU": "For library software.",
    "SearXNG": "For Open WebUI, LangChain and scripts.",
    "pazpar2": "For pz2.js, MKWS and other clients of pazpar2.",
    "MCP": "For assistants.",
    "Works": "One work, which a list has shown.",
}
LAST_TAGS: Mapping[str, str] = {
    "Descriptions": "What describes this server to programs.",
    "Monitoring": "For those who run it.",
}
_KEY = "bearer"
_SCHEMAS = {
    **answers.ANSWER_SCHEMAS,
    **answers.LIST_SCHEMAS,
    **answers.EVENT_SCHEMAS,
    **problems.SCHEMAS,
    **answers.LISTING_SCHEMAS,
}


_KEYS = "A key, on a server that has keys: `Authorization: Bearer KEY`."
_TOKENS = (
    "An API token of a user, whose scopes (search, read, write) say what it is good for: "
    "`Authorization: Bearer ms_...`. Where guests may search, searches need none."
)


@dataclass(frozen=True, slots=True)
class Server:
    """What of a server the document depends on.

    Attributes:
        keyed: Whether a request needs a key.
        root: The path that its addresses begin with; "" at the top of a host.
        routes: The paths that it has, with methods in small letters: ("/search", "post").
        users: Whether it has users.
        chapter: What its wing adds.
    """

    options: Options
    keyed: bool
    root: str
    routes: frozenset[tuple[str, str]]
    users: bool = False
    chapter: Chapter = NO_CHAPTER


@dataclass(frozen=True, slots=True)
class SentDocument:
    """A document as it is sent. `body`: the document as JSON. `etag`: names the content; without
    quotes.
    """

    document: Schema
    body: bytes
    etag: str


@lru_cache(maxsize=4)
def document_of_server(server: Server) -> SentDocument:
    """The document of a server; made once."""
    document = document_of(server)
    body = orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
    return SentDocument(document, body, hashlib.sha256(body).hexdigest()[:20])


def all_operations(options: Options, chapter: Chapter = NO_CHAPTER) -> list[Operation]:
    """All operations that are declared, in the order of the document.

    Args:
        options: Of the server.
        chapter: What its wing adds.
    """
    return [
        *searches.search_operations(options),
        *works.work_operations(),
        *protocols.protocol_operations(),
        *about.server_operations(),
        *chapter.operations,
    ]


def document_of(server: Server) -> Schema:
    paths: dict[str, Schema] = {}
    examples: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, example in {**search_examples(), **server.chapter.examples}.items():
        examples.setdefault(example["operation"], {})[name] = example
    listed = [
        each
        for each in all_operations(server.options, server.chapter)
        if (each.path, each.method) in server.routes
    ]
    for operation in listed:
        paths.setdefault(operation.path, {})[operation.method] = _operation(
            operation, server, examples.get(operation.id, {})
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "metasearch",
            "version": __version__,
            "summary": DESCRIPTION,
            "description": "A route that can be read takes GET and HEAD. Errors are problem "
            "details (RFC 9457); a client that prefers HTML gets a page.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": server.root or "/"}],
        "tags": [
            {"name": name, "description": words}
            for name, words in {**TAGS, **server.chapter.tags, **LAST_TAGS}.items()
            if any(operation.tag == name for operation in listed)
        ],
        "paths": paths,
        "components": {
            "schemas": {**_SCHEMAS, **server.chapter.schemas},
            "headers": {
                name: {"description": words, "schema": text()} for name, words in HEADERS.items()
            },
            "securitySchemes": {
                _KEY: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": _TOKENS if server.users else _KEYS,
                }
            },
        },
    }


def _operation(operation: Operation, server: Server, examples: Examples) -> Schema:
    description = operation.description
    if operation.also:
        others = " and ".join(f"`{path}`" for path in operation.also)
        description = f"{description} The same as {others}.".strip()
    made: Schema = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
    }
    if description:
        made["description"] = description
    if operation.parameters:
        made["parameters"] = list(operation.parameters)
    if operation.body is not None:
        made["requestBody"] = {
            "required": True,
            "content": {
                media_type: _media(schema) for media_type, schema in operation.body.items()
            },
        }
    if (server.keyed or server.users) and not operation.open:
        made["security"] = [{_KEY: []}]
    made["responses"] = _responses(operation, examples)
    if examples:
        made["x-example-requests"] = {name: each["request"] for name, each in examples.items()}
    return made


def _responses(operation: Operation, examples: Examples) -> Schema:
    """Examples with the status of an answer are the answer's, others stand with their errors."""
    responses: Schema = {}
    if operation.answer is not None:
        headers = [*operation.headers, "RateLimit", "RateLimit-Policy"]
        if operation.status in (201, 202):
            headers.append("Location")
        responses[str(operation.status)] = {
            "description": operation.summary,
            "headers": _headers(headers),
            "content": _content(operation.answer, _examples_of(examples, operation.status)),
        }
    for status, when in operation.without_content.items():
        responses[str(status)] = {"description": when}
    for status in sorted(set(operation.errors)):
        when, its_headers = ERRORS[status]
        error: Schema = {
            "description": f"{reason(status)}: {when}",
            "content": _content(operation.error, _examples_of(examples, status)),
        }
        if its_headers:
            error["headers"] = _headers(its_headers)
        responses[str(status)] = error
    return responses


def _headers(names: Iterable[str]) -> Schema:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _examples_of(examples: Examples, status: int) -> dict[str, dict[str, Schema]]:
    """Media type -> the examples of this status."""
    of_media: dict[str, dict[str, Schema]] = {}
    for name, example in examples.items():
        if example["request"]["status"] == status:
            shown = {"summary": example["summary"], "value": example["value"]}
            of_media.setdefault(example["media_type"], {})[name] = shown
    return of_media


def _content(content: Content, of_media: dict[str, dict[str, Schema]]) -> Schema:
    """Media type -> schema, with its examples."""
    return {
        media_type: _media(schema, of_media.get(media_type))
        for media_type, schema in content.items()
    }


def _media(schema: Schema, examples: dict[str, Schema] | None = None) -> Schema:
    made: Schema = {"schema": schema} if schema else {}
    return {**made, "examples": examples} if examples else made


@cache
def search_examples() -> Examples:
    """The examples of searches; `tools/openapi_examples.py` has a demo server answer them."""
    file = files("metasearch.server.protocols.openapi") / "examples.json"
    return cast("Examples", orjson.loads(file.read_bytes()))
