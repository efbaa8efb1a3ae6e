"""A face, and a package that only some users install, cost nothing until they are asked for."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from metasearch.server import protocols
from tests.extras import optional_packages

ROOT = Path(__file__).resolve().parents[3]
#: Every room of the folder, also one that is added later.
FACES = [
    f"{protocols.__name__}.{module.name}" for module in pkgutil.iter_modules(protocols.__path__)
]
#: Chosen by `serve --loop`, and loaded before the first request.
LOOPS = {"uvloop"}

SEARCHES = """
import asyncio, json, sys
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer
from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.server.app import make_app

async def main():
    loaded = []
    async with DemoDatabases(0.0, False) as demo:
        async with TestServer(make_app(lambda: Engine(demo.settings()))) as server:
            async with ClientSession() as session:
                for path in sys.argv[1:]:
                    async with session.get(server.make_url(path)) as response:
                        assert response.status == 200, await response.text()
                        await response.read()
                    loaded.append(sorted(sys.modules))
    print(json.dumps(loaded))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def loaded() -> list[set[str]]:
    """The modules of a server on a real socket after a plain search, then after one by SRU."""
    done = subprocess.run(
        [
            *(sys.executable, "-c", SEARCHES),
            *("/search?q=gambling&format=json", "/sru?query=gambling"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [set(modules) for modules in json.loads(done.stdout)]


@pytest.mark.slow
@pytest.mark.parametrize("face", FACES)
def test_a_plain_search_loads_no_face(loaded: list[set[str]], face: str) -> None:
    """Neither starting a server nor its first JSON answer imports the room."""
    assert face not in loaded[0]


@pytest.mark.slow
def test_a_plain_search_loads_no_optional_package(loaded: list[set[str]]) -> None:
    """Those of the extras, whether they are installed or not."""
    packages = optional_packages() - LOOPS

    assert {"openpyxl", "wordllama"} <= packages
    assert packages & loaded[0] == set()


@pytest.mark.slow
def test_a_face_is_loaded_by_its_first_request(loaded: list[set[str]]) -> None:
    """And no other one is."""
    sru = f"{protocols.__name__}.sru"

    assert {f"{protocols.__name__}.searxng", sru} <= set(FACES)
    assert loaded[1] & set(FACES) == {sru}
