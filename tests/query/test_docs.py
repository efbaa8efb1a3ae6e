"""docs/query.md tells the truth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import explain, parse
from metasearch.query.simple_fields import FIELD_NAMES
from metasearch.query.tree import MAX_DEPTH, MAX_LENGTH, MAX_TERMS
from tests.cases import each

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "query.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)\n```", PAGE, re.DOTALL)


@each("line", [line for block in blocks("query") for line in block.splitlines()])
def test_every_example_can_be_parsed(line: str) -> None:
    """The examples are queries."""
    parse(line)


@each("block", blocks("error"))
def test_every_error_is_shown_as_it_is(block: str) -> None:
    """The error blocks are what the program prints."""
    with pytest.raises(QuerySyntaxError) as caught:
        parse(block.splitlines()[0])

    assert block == explain(caught.value)


def test_the_table_of_precedence_holds() -> None:
    """Both columns are the same search, where bare words are spelt out with AND."""
    rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \|$", PAGE, re.MULTILINE)

    assert len(rows) == 3
    for short, full in rows:
        spelt = re.sub(r"(?<=[a-d]) (?=[a-d])", " AND ", short)
        assert parse(spelt) == parse(full)


@each("name", FIELD_NAMES)
def test_every_field_is_named(name: str) -> None:
    """Fields and their aliases are in the table."""
    assert f"`{name}:`" in PAGE


def test_the_caps_are_named() -> None:
    """Lengths and depths in the text are those of the parser."""
    assert f"{MAX_LENGTH:,} characters" in PAGE
    assert f"{MAX_TERMS:,} words and phrases" in PAGE
    assert f"at most {MAX_DEPTH} deep" in PAGE
