"""One line a request in the log, and nothing in it that a client wrote."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from metasearch.server.process import JsonLines
from metasearch.server.process import access_logger as access


@pytest.fixture
def lines(caplog):
    """What the log has of requests, as objects."""
    caplog.set_level(logging.INFO, access.name)

    def read() -> list[dict]:
        return [
            json.loads(JsonLines().format(it)) for it in caplog.records if it.name == access.name
        ]

    return read


async def test_a_line_a_request(client, lines):
    """When, what, how it ended, how long it took, which search, and a word for the client."""
    await client.get("/search?q=mice&format=json")
    await client.get("/sources")
    first, second = lines()

    assert {
        it: first[it]
        for it in ("level", "method", "path", "face", "status", "search_id", "query_length")
    } == {
        "level": "info",
        "method": "GET",
        "path": "/search",
        "face": "json",
        "status": 200,
        "search_id": "s1",
        "query_length": len("q=mice&format=json"),
    }
    assert first["ms"] >= 0
    assert first["client"] == second["client"]
    assert (second["path"], second["search_id"]) == ("/sources", None)
    assert first["time"].endswith("+00:00")


@pytest.mark.parametrize(
    "path", ["/search?q=zanzibar", "/zanzibar%0Aroot", "/static/zanzibar", "/search?zanzibar=1"]
)
async def test_no_line_has_what_was_asked(client, lines, caplog, path):
    """Neither queries nor made-up paths, methods and headers, and no address."""
    await client.get(
        path, headers={"Authorization": "Bearer zanzibar", "Referer": "http://zanzibar.example/"}
    )
    await client.request("PROPFIND", path)
    told = json.dumps(lines()) + "".join(
        it.getMessage() for it in caplog.records if it.name.startswith("metasearch")
    )

    assert len(lines()) == 2
    assert "zanzibar" not in told.lower()
    assert "127.0.0.1" not in told
    assert lines()[1]["method"] == "other"


async def test_a_fault_is_logged_without_the_query(client, engine, caplog):
    """The log has the traceback under the id of the search, and the route."""
    engine.fault = RuntimeError("oops")
    with caplog.at_level(logging.ERROR):
        await client.get("/search?q=zanzibar&format=json")

    assert "search s1: GET /search failed" in caplog.text
    assert not any(
        "zanzibar" in JsonLines().format(it)
        for it in caplog.records
        if it.name.startswith("metasearch")
    )


async def test_no_line_where_nobody_wants_one(client, caplog):
    """Without `--log` the server is silent."""
    with caplog.at_level(logging.WARNING):
        await client.get("/search?q=mice&format=json")

    assert [it for it in caplog.records if it.name.startswith("metasearch")] == []


def test_other_records_are_lines_too():
    """A warning with a line break, and an error with its traceback, are one line of JSON each."""
    try:
        raise ValueError("bad")
    except ValueError:
        record = logging.LogRecord(
            "metasearch", logging.ERROR, "x.py", 1, "went %s\nwrong", ("very",), sys.exc_info()
        )
    line = JsonLines().format(record)

    assert "\n" not in line
    assert json.loads(line)["message"] == "went very\nwrong"
    assert "ValueError: bad" in json.loads(line)["traceback"]
