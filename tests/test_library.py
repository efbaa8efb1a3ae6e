"""docs/library.md: its examples run, and its tables are those of the code."""

from __future__ import annotations

import ast
import asyncio
import dataclasses
import gc
import inspect
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

import metasearch
from metasearch import events
from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.engine.options import OPTIONS
from metasearch.errors import UsageError
from metasearch.settings import Settings
from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
QUERY = EXAMPLE_QUERIES[0]
SCRIPT, *PIECES = re.findall(r"```python\n(.*?)\n```", PAGE, re.DOTALL)


@pytest.fixture
async def settings() -> AsyncIterator[Settings]:
    """Settings that know databases which answer at once."""
    async with DemoDatabases(latency=0, faults=False) as demo:
        yield demo.settings()


@pytest.mark.slow
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
    """Its script prints hits where the demo databases, and their subject, stand in for what it
    asks."""
    search = metasearch.search_sync

    def asked(_query: str, *, limit: int, **_other: object) -> object:
        return search(QUERY, settings=settings, limit=limit)

    monkeypatch.setattr(metasearch, "search_sync", asked)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)\n```", readme, re.DOTALL)

    await asyncio.to_thread(exec, script, {})

    assert re.search(r"^1 \S.* \('demo-", capsys.readouterr().out, re.MULTILINE)


async def test_search_sync_refuses_to_stop_a_loop(settings: Settings) -> None:
    """Where a loop runs, an error with advice comes before a source is asked, and no coroutine is
    left without its await, which is a warning, and so an error here.
    """
    with pytest.raises(UsageError, match="event loop") as raised:
        metasearch.search_sync(QUERY, settings=settings, limit=3)

    gc.collect()
    assert raised.value.advice == "Use `await metasearch.search(...)`."
    assert (await metasearch.search(QUERY, settings=settings, limit=3)).hits


async def test_search_sync_asks_where_no_loop_runs(settings: Settings) -> None:
    """In a thread of its own too, while another thread's loop serves the databases."""
    answer = await asyncio.to_thread(metasearch.search_sync, QUERY, settings=settings, limit=3)

    assert len(answer.hits) == 3


def test_search_sync_tells_what_is_wrong() -> None:
    """A usage error is raised, as from `search` itself."""
    with pytest.raises(UsageError, match="limit"):
        metasearch.search_sync("jazz", limit=-1)


def test_every_option_is_named() -> None:
    """The table of options has every field of `SearchOptions`."""
    options = {*OPTIONS, "settings"}
    table = PAGE.partition("| option |")[2].partition("\n\n")[0]

    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == options


def test_every_event_is_named() -> None:
    """The table of events has every event of the stream, with its fields."""
    table = PAGE.partition("| event |")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.MULTILINE))

    assert {name: re.findall(r"`(\w+)`", cell) for name, cell in rows.items()} == {
        kind.__name__: [field.name for field in dataclasses.fields(kind)]
        for kind in get_args(events.SearchEvent)
    }
    assert set(rows) <= set(metasearch.__all__)


@each(
    "function",
    [
        metasearch.Engine.search,
        metasearch.search,
        metasearch.search_sync,
        metasearch.explain_plan,
    ],
)
def test_options_are_keywords_that_type_checkers_know(function: Callable[..., object]) -> None:
    """Each takes a query and the fields of `SearchOptions` by name, with their types."""
    parameters = inspect.signature(function).parameters

    assert parameters["query"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert parameters["options"].kind is inspect.Parameter.VAR_KEYWORD
    assert parameters["options"].annotation == "Unpack[SearchKeywords]"


async def test_an_option_that_does_not_exist_is_refused() -> None:
    """As any function refuses it, before anything is sent."""
    with pytest.raises(TypeError, match="colour"):
        metasearch.search("jazz", colour="red")  # type: ignore[call-arg]


async def test_options_may_be_handed_over_as_one() -> None:
    """A `SearchOptions` stands for the query and its options; keywords replace its fields."""
    options = metasearch.SearchOptions(query="jazz", sources="crossref", limit=3)

    search = metasearch.search(options, limit=4)

    assert search._resolved.options == replace(options, limit=4)
    assert [it.source for it in metasearch.explain_plan(options).sources if it.asked] == [
        "crossref"
    ]


async def test_options_are_passed_on() -> None:
    """Each option of `search` reaches the engine under its own name."""
    given = {
        "sources": "a,b", "start": 5, "limit": 7, "years": "2018-", "per_source": 9, "timeout": 3.0,
        "wait": 2.0,
        "cache": False, "versions": "merge", "dedup": "four-tuple", "user": "me", "syntax": "cql",
        "enrich": (), "sort": "date", "rank": "positions", "rerank": False,
        "filter": "type:article",
        "facets": "year,type", "facet_limit": 3, "repeat": True,
    }  # fmt: skip
    settings = Settings(sources={name: {"extends": "crossref"} for name in "ab"}, shipped=False)

    search = metasearch.search("jazz", settings=settings, **given)  # type: ignore[arg-type]

    resolved = search._resolved
    assert set(given) == set(OPTIONS) - {"query"}
    assert resolved.options == metasearch.SearchOptions(query="jazz", **given)
    assert names(search) == ["a", "b"]
    assert (resolved.depth, resolved.seconds, resolved.wait) == (9, 3.0, 2.0)
    assert (resolved.versions, resolved.strategy.name, resolved.syntax) == (
        "merge",
        "four-tuple",
        "cql",
    )
    assert resolved.text.endswith("year:2018-")


def names(search: metasearch.Search) -> list[str]:
    """The sources that a search will ask."""
    return [source.name for source in search._resolved.sources]


@each("sources", ["a", "a,b", ["a", "b"], ("b",)])
async def test_one_text_is_one_source_or_several_with_commas(
    sources: str | list[str] | tuple[str, ...],
) -> None:
    """`sources="crossref"` asks Crossref, and not the sources "c", "r", "o" ..."""
    settings = Settings(sources={name: {"extends": "crossref"} for name in "ab"}, shipped=False)

    search = metasearch.search("jazz", settings=settings, sources=sources)

    assert names(search) == list(sources.split(",") if isinstance(sources, str) else sources)


async def test_a_spec_file_is_a_source(tmp_path: Path) -> None:
    """By its path, as text or `Path`, beside names."""
    file = tmp_path / "fx.toml"
    file.write_text('extends = "crossref"\nname = "fx"\n', encoding="utf-8")

    for sources in (str(file), file, [file], ["pubmed", str(file)]):
        assert names(metasearch.search("jazz", sources=sources))[-1] == "fx"
    assert [
        it.source for it in metasearch.explain_plan("jazz", sources=["pubmed", file]).sources
    ] == ["pubmed", "fx"]
