"""Searches and queries by the functions of the package that stay: `commands.library` runs it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from typing import Any

from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.errors import QuerySyntaxError
from metasearch.formats.answer import answer_object
from metasearch.query import parse, read, to_text

SYNTAXES = (
    "auto simple cql ccl cnki pubmed ovid scopus wos ebsco embase cochrane proquest ieee "
    "europepmc acm vhl sinomed expert"
).split()
#: Options of the searches.
OPTIONS: Sequence[dict[str, Any]] = (
    {},
    {"versions": "separate", "facets": "all"},
    {"limit": 5, "start": 2},
)


def as_read(text: str, syntax: str) -> list[Any]:
    """What a text is in a syntax, or why it is nothing."""
    try:
        found = read(text, syntax)
    except QuerySyntaxError as error:
        return [type(error).__name__, str(error), error.reason]
    return [found.syntax, [str(note) for note in found.notes], to_text(found.query)]


def as_parsed(text: str) -> list[Any]:
    """The same in the own syntax."""
    try:
        return [to_text(parse(text))]
    except QuerySyntaxError as error:
        return [type(error).__name__, str(error), error.reason]


def plain(value: Any) -> Any:
    """A part of an answer that is JSON already."""
    return json.loads(bytes(getattr(value, "contents", value)))


async def main(queries: Sequence[str]) -> None:
    answers = {}
    async with DemoDatabases() as demo, Engine(demo.settings()) as engine:
        for query in EXAMPLE_QUERIES:
            for options in OPTIONS:
                answer = await engine.search(query, **options)
                answers[f"{query} {options}"] = answer_object(answer)
    texts: dict[str, Any] = {
        text: {name: as_read(text, name) for name in SYNTAXES} for text in queries
    }
    for text in queries:
        texts[text]["parse"] = as_parsed(text)
    json.dump({"answers": answers, "queries": texts}, sys.stdout, default=plain)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
