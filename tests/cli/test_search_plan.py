"""`--explain-plan` and `--syntax`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases import each
from tests.cli.conftest import Run
from tests.cli.fake import FakeEngine, hit, ok

NOVELTY = "(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a connection, or makes what could open one, fails."""
    import socket

    from metasearch.adapters.fetch.transport import HttpTransport

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was about to be sent")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(HttpTransport, "__init__", refuse)


@pytest.mark.usefixtures("no_network")
def test_each_source_and_its_query(run: Run) -> None:
    """How it was understood, then a paragraph a source; nothing is sent."""
    outcome = run("--syntax", "cnki", NOVELTY, "--explain-plan", "-s", "crossref,arxiv")

    head, crossref, arxiv = outcome.out.split("\n\n")
    assert outcome.code == 0
    assert outcome.err == ""
    assert head.splitlines() == [
        "query:  (沉水植物 OR 贝类 OR 鱼类) AND 生态系统 AND 水质 AND (种类 OR 密度)",
        "syntax: cnki",
    ]
    assert crossref.startswith("crossref (Crossref)\n")
    assert "note:     cannot express OR" in crossref
    assert "all:沉水植物 OR all:贝类" in arxiv
    assert "request:  GET https://" in arxiv


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("option", [("--json",), ("--format", "json")])
def test_as_a_document(run: Run, option: tuple[str, ...]) -> None:
    """The same as data."""
    plan = json.loads(run(NOVELTY, "--explain-plan", "-s", "arxiv", *option).out)

    assert plan["syntax"] == "cnki"
    assert plan["notes"] == []
    assert [it["source"] for it in plan["sources"]] == ["arxiv"]
    assert plan["sources"][0]["asked"] is True


@pytest.mark.usefixtures("no_network")
def test_into_a_file(run: Run, tmp_path: Path) -> None:
    """Its ending says how."""
    run("reef", "--explain-plan", "-s", "arxiv", "-o", str(tmp_path / "plan.json"))

    assert json.loads((tmp_path / "plan.json").read_bytes())["query"] == "reef"


@pytest.mark.usefixtures("no_network")
def test_the_demo_is_planned_without_its_databases(run: Run) -> None:
    """They are not even started."""
    outcome = run("--demo", "reef", "--explain-plan")

    assert outcome.code == 0
    assert "demo-" in outcome.out


def test_a_plan_is_no_reference(run: Run) -> None:
    """Formats of hits are refused."""
    outcome = run("reef", "--explain-plan", "--format", "ris")

    assert outcome.code == 2
    assert "not as ris" in outcome.err


@each(
    ("arguments", "shown"),
    [
        (
            ("--syntax", "cql", "dc.titel = reef"),
            ["dc.titel = reef", "^^^^^^^^", "Try: dc.title = reef"],
        ),
        (("TI='水质'*",), ["TI='水质'*", "         ^".replace("  ", "  ", 1), "Try: TI='水质'"]),
        (("reef[tib]", "--syntax", "pubmed"), ["reef[tib]", "    ^^^^^", "Try: reef[tiab]"]),
    ],
)
def test_errors_point_at_the_character(
    run: Run, arguments: tuple[str, ...], shown: list[str]
) -> None:
    """In each syntax, with a corrected query."""
    outcome = run(*arguments)
    lines = outcome.err.splitlines()

    assert outcome.code == 2
    assert lines[0] == shown[0]
    assert lines[1].strip() == shown[1].strip()
    assert lines[-1] == shown[2]


def test_an_unknown_syntax(run: Run) -> None:
    """The choice is named."""
    outcome = run("reef", "--syntax", "sql")

    assert outcome.code == 2
    assert "pubmed" in outcome.err


def test_a_search_says_what_was_not_kept(
    run: Run, engine: type[FakeEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard error; how the query was read only where everything is told."""
    from dataclasses import replace

    engine.hits, engine.reports = [hit()], [ok()]
    partial = FakeEngine.search

    def search(self: FakeEngine, query: str, **options: object) -> object:
        found = partial(self, "reef", **options)
        given = found.partial
        monkeypatch.setattr(
            found,
            "partial",
            lambda: replace(given(), syntax="cql", notes=("sortBy x is ignored",)),
        )
        return found

    monkeypatch.setattr(engine, "search", search)

    quiet, told = run("reef", "--json"), run("reef", "--json", "--explain")
    assert "note: sortBy x is ignored" in quiet.err
    assert "read as" not in quiet.err
    assert "query: reef (read as cql)" in told.err
