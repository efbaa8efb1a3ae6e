"""Programs that read /openapi.json."""

from __future__ import annotations

import sys

from tests.clients.programs import output, python
from tests.clients.works import fetched

QUERY = "gambling"

GENERATED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from client import Client
from client.api.search import search

answer = search.sync(client=Client(base_url=sys.argv[2]), q=sys.argv[3])
refused = search.sync(client=Client(base_url=sys.argv[2]), q="mice AND (birds")
print(json.dumps({"ids": [hit.id for hit in answer.hits], "suggestion": refused.suggestion}))
"""


def test_openapi_python_client(server, tried, listed, tmp_path):
    """A typed client that is generated from the document searches, and reads an error."""
    row = tried(
        "openapi-python-client", "generate, search, an error", package="openapi-python-client"
    )
    (tmp_path / "openapi.json").write_bytes(fetched(f"{server}/openapi.json"))
    options = ("--path", "openapi.json", "--output-path", "client", "--meta", "none")
    output(sys.executable, "-m", "openapi_python_client", "generate", *options, cwd=tmp_path)
    found = python(GENERATED, str(tmp_path), server, QUERY)

    assert found["ids"] == [hit["id"] for hit in listed(QUERY)]
    assert found["suggestion"] == "mice AND (birds)"
    row.came(f"{len(found['ids'])} works with types; the suggestion of a 400")


def test_schemathesis(server, tried, tmp_path):
    """Every example of the document is answered as the document says; the whole of it is tried by
    tests/server/faces/openapi/."""
    row = tried("schemathesis", "the examples of /openapi.json", package="schemathesis")
    out = output(
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{server}/openapi.json"),
        *("--phases", "examples", "--continue-on-failure"),
        cwd=tmp_path,
    )

    assert "Tested: " in out, out
    assert "FAILURES" not in out, out
    row.came("no failure")
