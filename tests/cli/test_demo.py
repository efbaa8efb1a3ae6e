"""The first command that a newcomer runs: the demo, from end to end over loopback sockets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from metasearch.demo import DemoDatabases
from tests.cases import each
from tests.cli.conftest import Run
from tests.demo.given import catalogue


def test_demo_finds_something(run: Run) -> None:
    """The demo of the help's first example succeeds, although one database fails on purpose, and
    says so."""
    outcome = run("--demo", "machine learning")

    assert outcome.code == 0
    assert outcome.out.startswith(" 1. ") or outcome.out.startswith("1. ")
    assert "demo-failing: " in outcome.err
    assert "fails on purpose" in outcome.err
    assert "Traceback" not in outcome.err


def test_demo_knows_no_enrichers(run: Run, tmp_path: Path) -> None:
    """Those that are configured are out in the world, where the demo sends nothing."""
    config = tmp_path / "my.toml"
    config.write_text('[search]\nenrich = ["unpaywall"]\n')
    answer = json.loads(run("--demo", "machine learning", "--json", "--config", str(config)).out)

    assert answer["hits"]
    assert all(source["source"].startswith("demo-") for source in answer["sources"])


def test_demo_merges(run: Run) -> None:
    """Works that several of the databases hold are one hit, with all of them in it."""
    answer = json.loads(run("--demo", "machine learning", "--json").out)

    assert answer["counts"]["duplicates"] > 0
    assert any(len({source["source"] for source in hit["sources"]}) > 1 for hit in answer["hits"])
    assert all(source["source"].startswith("demo-") for source in answer["sources"])


def test_demo_goes_on_where_the_first_page_ended(run: Run) -> None:
    """`--start 20` lists what follows the first 20 hits, numbered on, and beyond the end it says
    so."""
    whole = json.loads(run("--demo", "machine learning", "--json").out)
    second = run("--demo", "--start", "20", "machine learning")
    beyond = run("--demo", "--start", "5000", "-v", "machine learning")

    assert second.code == 0
    assert second.out.startswith("21. ")
    assert second.out.count("\n\n") + 1 == len(whole["hits"]) - 20
    assert beyond.out == ""
    assert "no hits after --start 5000" in beyond.err
    assert "at least" in beyond.err


def test_demo_without_hits(run: Run) -> None:
    """Words that nothing holds exit 1, as in any search."""
    assert run("--demo", "zzyzx").code == 1


def test_demo_where_only_the_failing_database_is_asked(run: Run) -> None:
    """Nothing came: that it was on purpose does not make it an answer."""
    assert run("--demo", "machine learning", "-s", "demo-failing").code == 4


def test_demo_knows_its_own_databases_only(run: Run) -> None:
    """With `--demo` nothing leaves the machine, so a real source is an unknown one."""
    outcome = run("--demo", "machine learning", "-s", "crossref")

    assert outcome.code == 2
    assert "Did you mean demo-crossref?" in outcome.err


def test_demo_can_be_recorded_and_replayed(run: Run, tmp_path: Path) -> None:
    """What was recorded answers later in the same words, and no database runs."""
    folder = str(tmp_path / "kept")
    recorded = run("--demo", "machine learning", "--json", "--record", folder)
    replayed = run("--demo", "machine learning", "--json", "--replay", folder)

    assert recorded.code == replayed.code == 0
    first, second = json.loads(recorded.out), json.loads(replayed.out)
    assert first["hits"] == second["hits"]
    assert first["counts"] == second["counts"]
    assert run("--demo", "jazz", "--replay", folder).code == 4


async def test_a_demo_beside_another_is_recorded_and_replayed(run: Run, tmp_path: Path) -> None:
    """Each demo has ports of its own, and what is recorded names none of them."""
    folder = tmp_path / "kept"
    words = ("--demo", "machine learning", "--json")
    async with DemoDatabases(latency=0) as beside:
        recorded = await asyncio.to_thread(run, *words, "--record", str(folder))
        again = await asyncio.to_thread(run, "--demo", "jazz", "--record", str(folder))
    replayed = await asyncio.to_thread(run, *words, "--replay", str(folder))
    jazz = await asyncio.to_thread(run, "--demo", "jazz", "--replay", str(folder))

    assert (recorded.code, again.code, replayed.code, jazz.code) == (0, 0, 0, 0), recorded.err
    assert json.loads(recorded.out)["hits"] == json.loads(replayed.out)["hits"]
    kept = [json.loads(path.read_bytes()) for path in folder.glob("*/*/request.json")]
    assert {it["url"].split("/")[2] for it in kept} == {f"{it['source']}.invalid" for it in kept}
    assert beside.allow == frozenset()


def test_demo_stream(run: Run) -> None:
    """The demo streams, too."""
    lines = run("--demo", "machine learning", "-s", "demo-crossref", "--ndjson").out.splitlines()

    assert json.loads(lines[0])["event"] == "start"
    assert json.loads(lines[-1])["event"] == "done"


@each("named", ["--demo-catalogue", "METASEARCH_DEMO_CATALOGUE"])
def test_the_demo_takes_another_catalogue(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """As an option, which is enough, or as a variable beside `--demo`; nothing speaks of other
    works."""
    file = catalogue(tmp_path)
    with monkeypatch.context() as env:
        if named.startswith("--"):
            options = [named, str(file)]
        else:
            options = ["--demo"]
            env.setenv(named, str(file))
        found = json.loads(run(*options, "visual", "--json").out)
        none = run(*options, "zebra")

    assert [hit["title"].partition(":")[0] for hit in found["hits"]] == ["MoDem"]
    assert "demo-dblp" in {source["source"] for source in found["sources"]}
    assert none.code == 1
    assert "there are works about" not in none.err


def test_a_catalogue_alone_is_no_demo(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable that is set does not keep a search from the databases that are asked."""
    monkeypatch.setenv("METASEARCH_DEMO_CATALOGUE", str(tmp_path / "missing"))

    assert "crossref" in run("--explain-plan", "x").out


@each("command", [(), ("serve", "--workers", "0"), ("mcp",)])
def test_a_catalogue_that_cannot_be_read_is_told(
    run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Before anything is asked or served, with the line."""
    file = tmp_path / "own.jsonl"
    file.write_text("{}")

    outcome = run(*command, "--demo-catalogue", str(file), *(() if command else ("x",)))

    assert outcome.code == 2
    assert "own.jsonl: line 1: the work has no title" in outcome.err
