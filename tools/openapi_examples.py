"""The answers of the examples in the OpenAPI document, as a server in front of the demo gives them.

    python tools/openapi_examples.py

Asks each request of `FILES`, and writes its answer beside it. A new example is an entry there, with
the id of its operation, a summary and a request; see `Examples` in
`metasearch/server/protocols/openapi/operation.py`. What differs from run to run (times, ports) is
replaced by fixed values; tests/server/protocols/openapi/test_examples.py asks again and compares.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import orjson
from aiohttp.test_utils import TestServer

from metasearch.server.app import engine_and_examples, make_app
from metasearch.server.limits import Options
from metasearch.settings import ServerSettings, Settings

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "metasearch"
FILES = (
    PACKAGE / "server" / "protocols" / "openapi" / "examples.json",
    PACKAGE / "review" / "openapi_examples.json",
)
#: A server that has everything which a document can describe.
OPTIONS = Options(suggest=True)
SETTINGS = Settings(server=ServerSettings(suggest=True))
#: Members that differ from run to run -> what stands there.
_CHANGING: dict[str, Any] = {
    "seconds": 0.21,
    "merge_seconds": 0.0034,
    "p50_ms": None,
    "p95_ms": None,
    # of a workspace
    "uid": "k3v9x2m7q4td",
    **dict.fromkeys(
        ("created", "edited", "started", "ended", "at", "asked_at", "first", "last", "last_run"),
        "2026-05-03T09:30:00Z",
    ),
    "added": "2026-05-03T09:30:00Z",
    "next_run": "2026-05-04T02:13:00Z",
    # of a saved search: its addresses are secrets
    "atom": "http://127.0.0.1:8080/feeds/SECRET.atom",
    "json": "http://127.0.0.1:8080/feeds/SECRET.json",
    "frozen": "2026-05-03T09:30:00Z",
    "tool": "metasearch 1.0.0",
    "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
}
_HERE, _DATABASE = "http://127.0.0.1:8080", "http://127.0.0.1:9000"
_ON_LOOPBACK = re.compile(r"http://127\.0\.0\.1:[0-9]+")


async def answers() -> tuple[dict[str, Any], dict[str, Any]]:
    """The examples with the answers of a server in front of the demo: those of searches, and those
    of its wing.

    Raises:
        ValueError: An answer has another status than its example says.
    """
    of_searches, of_wing = (orjson.loads(file.read_bytes()) for file in FILES)
    # A search changes the state of the sources that it asks.
    examples = sorted(
        {**of_searches, **of_wing}.items(),
        key=lambda item: item[1]["request"]["address"].startswith("/search"),
    )
    with tempfile.TemporaryDirectory() as folder:
        settings = replace(
            SETTINGS, workspace=Path(folder) / "workspace.sqlite3", serve_workspace=True
        )
        factory, queries, notice = engine_and_examples(settings, demo=True)
        app = make_app(factory, options=OPTIONS, examples=queries, notice=notice)
        async with TestServer(app) as server, aiohttp.ClientSession() as session:
            url = str(server.make_url("/")).rstrip("/")
            made = {
                name: {**example, **await _asked(session, url, name, example["request"])}
                for name, example in examples
            }
    return (
        {name: each for name, each in made.items() if name in of_searches},
        {name: each for name, each in made.items() if name in of_wing},
    )


async def _asked(
    session: aiohttp.ClientSession, url: str, name: str, request: dict[str, Any]
) -> dict[str, Any]:
    async with session.request(
        request["method"],
        url + request["address"],
        data=request.get("form", request.get("text")),
        json=request.get("json"),
    ) as response:
        body = await response.text()
        if response.status != request["status"]:
            raise ValueError(f"{name}: {response.status}\n{body}")
        text = _ON_LOOPBACK.sub(lambda found: _HERE if found[0] == url else _DATABASE, body)
        is_json = response.content_type.endswith("json")
        if response.status == 202:
            await _ended(session, url + response.headers["Location"])
        return {
            "media_type": response.content_type,
            "value": _fixed(orjson.loads(text)) if is_json else text,
        }


async def _ended(session: aiohttp.ClientSession, address: str) -> None:
    """Waits until what was begun has ended."""
    while True:
        async with session.get(address) as response:
            if (await response.json())["status"] != "running":
                return
        await asyncio.sleep(0.05)


def _fixed(value: Any) -> Any:
    """JSON without what differs from run to run."""
    if isinstance(value, dict):
        return {name: _fixed_member(name, member) for name, member in value.items()}
    return [_fixed(item) for item in value] if isinstance(value, list) else value


def _fixed_member(name: str, value: Any) -> Any:
    if value is not None and name in _CHANGING:
        return _CHANGING[name]
    if name == "works" and isinstance(value, list) and all(isinstance(uid, str) for uid in value):
        return [_CHANGING["uid"]] * len(value)
    return _fixed(value)


def main() -> None:
    for file, made in zip(FILES, asyncio.run(answers()), strict=True):
        file.write_bytes(orjson.dumps(made, option=orjson.OPT_INDENT_2) + b"\n")
        sys.stdout.write(f"{file.relative_to(ROOT)} is written\n")


if __name__ == "__main__":
    main()
