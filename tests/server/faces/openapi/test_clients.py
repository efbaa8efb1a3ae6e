"""Programs that read the OpenAPI document: a generator of typed clients, and schemathesis, which
looks for requests that the server answers otherwise than the document says.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from pathlib import Path

import orjson
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
#: Uses the generated client as a program would, and prints what it got.
PROGRAM = """
import json, sys
from client import Client
from client.api.search import plan, search, search_by_post, sources, translate_by_post
from client.models import Answer, Problem, SearchByPostJsonBody, SearchSort, TranslateByPostJsonBody

server = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)
two = ["demo-crossref", "demo-openalex"]
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


async def run(*command: str, folder: Path, **env: str) -> tuple[int, str]:
    """The exit code and the output of a command."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=os.environ | env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode()


def needs(module: str) -> None:
    """Skip the test where a program is not installed."""
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


@pytest.mark.slow
async def test_a_generated_client(real, document, tmp_path):
    """openapi-python-client makes a typed client, which searches, lists sources and reads
    errors.
    """
    needs("openapi_python_client")
    file = tmp_path / "openapi.json"
    file.write_bytes(orjson.dumps(document))
    options = ("--path", str(file), "--output-path", "client", "--meta", "none")

    code, output = await run(
        sys.executable, "-m", "openapi_python_client", "generate", *options, folder=tmp_path
    )
    assert code == 0, output
    code, output = await run(sys.executable, "-c", PROGRAM, real, folder=tmp_path)
    assert code == 0, output
    got = orjson.loads(output)

    assert got["years"] == sorted(got["years"], reverse=True)
    assert len(got["years"]) == 3
    assert set(got["sources"]) <= {"demo-crossref", "demo-openalex"}
    assert got["unknown"] == []
    assert got["posted"] == [1, 2, 3]
    assert "demo-arxiv" in got["listed"]
    assert got["refused"] == [400, 9, "mice AND (birds)"]
    assert got["planned"] == ["demo-crossref", "demo-openalex"]
    assert got["translated"] > 5


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_schemathesis(real, tmp_path):
    """It finds nothing: all its checks, examples, boundaries and random requests."""
    needs("schemathesis")

    code, output = await run(
        *(sys.executable, "-m", "schemathesis.cli"),
        *("--config-file", str(HERE / "schemathesis.toml")),
        *("run", f"{real}/openapi.json"),
        *("--phases", "examples,coverage,fuzzing", "-n", os.environ.get("EXAMPLES", "25")),
        "--continue-on-failure",
        folder=tmp_path,
        PYTHONPATH=str(ROOT),
        SCHEMATHESIS_HOOKS="tests.server.faces.openapi.schemathesis_hooks",
    )

    assert code == 0, output
    assert "Tested: " in output
