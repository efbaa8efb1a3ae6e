"""Forty queries in the dialect of every source, as its manual has it: one table a source in
dialects/.

`python tools/dialect_table.py SOURCE` prints a table to be read beside the manual; nothing in a
table is right because it was printed.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.errors import CannotAsk
from metasearch.query import parse
from metasearch.settings import Settings
from tests.cases import each

FOLDER = Path(__file__).parent / "dialects"
REGISTRY = Registry(Settings())
QUERIES: list[str] = tomllib.loads((FOLDER / "queries.toml").read_text(encoding="utf-8"))["queries"]
TABLES = sorted(path.stem for path in FOLDER.glob("*.toml") if path.stem != "queries")


@cache
def table(source: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{source}.toml").read_text(encoding="utf-8"))


def asked(source: str, text: str) -> tuple[str, list[str]]:
    """What is sent, and what is told; where nothing can be asked, that alone is told."""
    spec = REGISTRY.spec(source)
    try:
        planned = plan(
            parse(text), spec, 20, {name: "x" for auth in spec.auth for name in auth.variables}
        )
    except CannotAsk as refused:
        return "", [str(refused)]
    return planned.sent, list(planned.notes)


def differences(source: str, sent: dict[str, str], lost: dict[str, list[str]]) -> list[str]:
    """Each query that is translated otherwise than a table says, with both translations."""
    wrong = []
    for text in QUERIES:
        expected, found = (sent.get(text), lost.get(text, [])), asked(source, text)
        if expected != found:
            wrong.append(f"{text}\n  expected: {expected}\n  found:    {found}")
    return wrong


@pytest.mark.parametrize(
    "sources", [TABLES[::4], pytest.param(TABLES, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_translation(sources: list[str]) -> None:
    """Each source is asked in its own words, and what these cannot say is told; all queries that
    differ are named at once."""
    wrong = {
        source: found
        for source in sources
        if (found := differences(source, table(source)["sent"], table(source)["lost"]))
    }

    assert not wrong, "\n".join(
        "\n".join([f"{source}: {len(found)} of {len(QUERIES)} differ", *found])
        for source, found in wrong.items()
    )


def test_every_difference_is_named() -> None:
    """The measure itself: a table with another query and another note has two differences."""
    source, (first, second, *_) = "crossref", QUERIES
    sent = table(source)["sent"] | {first: "something else"}
    lost = table(source)["lost"] | {second: ["a note of nobody"]}

    one, other = differences(source, sent, lost)

    assert one.startswith(f"{first}\n  expected: ('something else', ")
    assert other.startswith(f"{second}\n")
    assert "a note of nobody" in other


def test_the_queries_are_forty() -> None:
    """One for each thing that a dialect may lack, and none twice."""
    assert len(QUERIES) == len(set(QUERIES)) == 40


@each("source", TABLES)
def test_a_table_holds_these_queries_and_names_the_manual(source: str) -> None:
    """No line is left over, and whoever doubts one finds the page."""
    assert set(QUERIES) == set(table(source)["sent"])
    assert set(table(source)["lost"]) <= set(QUERIES)
    assert table(source)["docs"].startswith("https://")
    assert (FOLDER / f"{source}.toml").read_text(encoding="utf-8").startswith("# http")


def test_every_source_has_a_table() -> None:
    """A shipped source without a table is untested."""
    assert sorted(set(REGISTRY.names()) - set(TABLES)) == []


def test_no_table_is_left_over() -> None:
    """A source that is gone or is called otherwise takes its table along."""
    assert sorted(set(TABLES) - set(REGISTRY.names())) == []
