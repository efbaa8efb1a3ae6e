"""docs/library.md: its examples run, and its tables are those of the code."""

from __future__ import annotations

import ast
import asyncio
import dataclasses
import inspect
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import get_args

import pytest

import metasearch
from metasearch import events
from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
QUERY = EXAMPLE_QUERIES[0]
SCRIPT, *PIECES = re.findall(r"```python\n(.*?)\n```", PAGE, re.DOTALL)


@pytest.fixture
async def settings() -> AsyncIterator[Settings]:
    """Settings that know databases which answer at once."""
    async with DemoDatabases(latency=0, faults=False) as demo:
        yield demo.settings()


def test_the_script_runs_as_it_stands(tmp_path: Path) -> None:
    """Copied into a file it prints ranked hits, each with its sources."""
    file = tmp_path / "example.py"
    file.write_text(SCRIPT, encoding="utf-8")

    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert re.match(r"1 \S.* \('demo-", done.stdout)


async def test_the_pieces_run(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    """One after the other, in one namespace, with top-level await, and nothing that is private."""
    space = {"metasearch": metasearch, "settings": settings}

    for piece in PIECES:
        code = compile(piece, "docs/library.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        running = eval(code, space)
        if inspect.iscoroutine(running):
            await running

    assert not re.search(r"\b_[a-z]", "".join(PIECES))
    assert "the first: " in capsys.readouterr().out


async def test_readme_runs(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its script prints hits where the demo databases, and their subject, stand in for what it asks."""
    search = metasearch.search
    monkeypatch.setattr(
        metasearch, "search", lambda query, sources=None, **options: search(QUERY, settings=settings, **options)
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)\n```", readme, re.DOTALL)

    await asyncio.to_thread(exec, script, {})

    assert re.search(r"^1 \S.* \('demo-", capsys.readouterr().out, re.MULTILINE)


def test_every_option_is_named() -> None:
    """The table of options is the signature of `Engine.search`."""
    options = set(inspect.signature(metasearch.Engine.search).parameters) - {"self"} | {"settings"}
    table = PAGE.partition("| option |")[2].partition("\n\n")[0]

    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == options


def test_every_event_is_named() -> None:
    """The table of events has every event of the stream, with its fields."""
    table = PAGE.partition("| event |")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.MULTILINE))

    assert {name: re.findall(r"`(\w+)`", cell) for name, cell in rows.items()} == {
        kind.__name__: [field.name for field in dataclasses.fields(kind)] for kind in get_args(events.SearchEvent)
    }
    assert set(rows) <= set(metasearch.__all__)
