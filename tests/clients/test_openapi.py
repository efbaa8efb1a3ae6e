"""Programs that read /openapi.json: a generator of typed clients, and schemathesis, which looks for
requests that the server answers otherwise than the document says.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from metasearch.server.app import run_app
from metasearch.server.process import address, listen
from tests.clients.programs import ROOT, output, python
from tests.clients.works import fetched
from tests.server.protocols.openapi.conftest import OPTIONS, app

HERE = Path(__file__).resolve().parent
QUERY = "gambling"
#: Uses the generated client as a program would, and prints what it got.
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from client import Client
from client.api.search import plan, search, search_by_post, sources, translate_by_post
from client.models import Answer, Problem, SearchByPostJsonBody, SearchSort, TranslateByPostJsonBody

server = Client(base_url=sys.argv[2], raise_on_unexpected_status=True)
two = ["demo-crossref", "demo-openalex"]
usual = search.sync(client=server, q=sys.argv[3])
answer = search.sync(
    client=server, q="machine learning", count=3, sources=two, sort=SearchSort.DATE
)
assert isinstance(answer, Answer)
posted = search_by_post.sync(
    client=server, body=SearchByPostJsonBody(q="machine learning", count=3, sources=two)
)
refused = search.sync(client=server, q="mice AND (birds")
assert isinstance(refused, Problem)
planned = plan.sync(client=server, q="mice", sources=two)
translated = translate_by_post.sync(client=server, body=TranslateByPostJsonBody(q="marsh*"))
print(json.dumps({
    "ids": [hit.id for hit in usual.hits],
    "years": [hit.year for hit in answer.hits],
    "sources": [each.source for each in answer.hits[0].sources],
    "unknown": sorted(answer.additional_properties) + sorted(answer.hits[0].additional_properties),
    "posted": [hit.rank for hit in posted.hits],
    "listed": [source.name for source in sources.sync(client=server)],
    "refused": [refused.status, refused.position, refused.suggestion],
    "planned": [each.source for each in planned.sources],
    "translated": len(translated.translations),
}))
"""


def test_openapi_python_client(server, tried, listed, tmp_path):
    """A typed client that is generated from the document searches, lists sources, and reads an
    error."""
    row = tried(
        "openapi-python-client",
        "generate; search, plan, sources, translate, an error",
        package="openapi-python-client",
    )
    (tmp_path / "openapi.json").write_bytes(fetched(f"{server}/openapi.json"))
    options = ("--path", "openapi.json", "--output-path", "client", "--meta", "none")
    output(sys.executable, "-m", "openapi_python_client", "generate", *options, cwd=tmp_path)
    got = python(PROGRAM, str(tmp_path), server, QUERY)

    assert got["ids"] == [hit["id"] for hit in listed(QUERY)]
    assert got["years"] == sorted(got["years"], reverse=True)
    assert len(got["years"]) == 3
    assert set(got["sources"]) <= {"demo-crossref", "demo-openalex"}
    assert got["unknown"] == []
    assert got["posted"] == [1, 2, 3]
    assert "demo-arxiv" in got["listed"]
    assert got["refused"] == [400, 9, "mice AND (birds)"]
    assert got["planned"] == ["demo-crossref", "demo-openalex"]
    assert got["translated"] > 5
    row.came(f"{len(got['ids'])} works with types; the suggestion of a 400")


@pytest.mark.timeout(600)
async def test_schemathesis(tried, tmp_path):
    """It finds nothing: all its checks, examples, boundaries and random requests, to a server whose
    databases answer at once."""
    row = tried("schemathesis", "every operation of /openapi.json", package="schemathesis")
    seed, examples = os.environ.get("SEED", "1"), os.environ.get("EXAMPLES", "5")
    async with run_app(app(), OPTIONS) as protocol:
        listener = await listen(protocol, "127.0.0.1", 0)
        url = address(listener.sockets[0]).rstrip("/")
        out = await asyncio.to_thread(
            output,
            *(sys.executable, "-m", "schemathesis.cli"),
            *("--config-file", str(HERE / "schemathesis.toml")),
            *("run", f"{url}/openapi.json", "--seed", seed, "-n", examples),
            *("--phases", "examples,coverage,fuzzing", "--continue-on-failure"),
            cwd=tmp_path,
            seconds=500,
            PYTHONPATH=str(ROOT),
            SCHEMATHESIS_HOOKS="tests.clients.schemathesis_hooks",
        )
        listener.close()

    sent = re.search(r"(\d+) generated, (\d+) passed", out)
    assert sent is not None, out
    assert sent[1] == sent[2], out
    row.came(f"{sent[1]} requests, no failure")
