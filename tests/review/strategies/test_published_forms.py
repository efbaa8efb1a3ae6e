"""The strategies that the query reader is tried on (tests/query/strategies.toml), as steps."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.query import parse, read, to_text
from metasearch.query.strategy import numbered_lines
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps
from metasearch.review.strategies.paste import copy_in
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all, resolve_step
from metasearch.review.strategies.strategies import Step, Strategy
from tests.cases import each
from tests.examples import examples

FILE = Path(__file__).resolve().parents[2] / "query" / "strategies.toml"
ROWS = [
    row
    for row in tomllib.loads(FILE.read_text(encoding="utf-8"))["strategy"]
    if "refused" not in row
]
WITH_LINES = [row for row in ROWS if numbered_lines(row["text"].strip("\n"))]
WITHOUT = [row for row in ROWS if row not in WITH_LINES]


def step(number: int, text: str, syntax: str = "auto") -> Step:
    return Step(id=number, strategy=1, number=number, kind="query", text=text, syntax=syntax)


@each("row", WITHOUT, ids=lambda row: row["text"].strip()[:30])
def test_a_step_says_what_the_query_says(row: dict[str, Any]) -> None:
    """That steps may be named in it changes nothing."""
    text = row["text"].strip("\n")
    meant = to_text(read(text, row["syntax"]).query)
    assert resolve_step([step(1, text, row["syntax"])], 1).text == meant


@pytest.mark.parametrize("row", WITH_LINES, ids=lambda row: row["text"].strip()[:30])
def test_lines_that_are_copied_in_say_what_the_whole_says(
    db: Database, strategy: Strategy, row: dict[str, Any]
) -> None:
    """The last step is the search."""
    text = row["text"].strip("\n")
    copied = copy_in(db, strategy, text, syntax=row["syntax"])
    found = resolve_step(steps.of(db, strategy), copied.steps[-1].number)
    assert found.text == to_text(read(text, row["syntax"]).query)


TEXTS = st.lists(
    st.sampled_from(
        ["gambl*", "a b", '"c d"', "title:(e f)", "TI='水质'*贝类", "(x adj3 y).ti,ab.", "NOT z",
         "year:2020-", "doi:10.1000/x", "and", "type:article", "harm[tiab]", "\\AND", "x NOT y",
         "#1 AND #2", "#1 OR #2", "#2 NOT #1", "or/1-3", "#3*#1", "#2 AND w", "NOT #2",
         "limit 2 to yr=2015-", "(#1 OR #3) AND #2", "#4 #1", "#1 or title:q"]
    ),
    min_size=1,
    max_size=8,
)  # fmt: skip


@examples(3)
@given(TEXTS)
def test_every_query_of_steps_reads_back(texts: list[str]) -> None:
    """Its text is the query, so a digest of the text is one of the query."""
    for found in resolve_all([step(number, text) for number, text in enumerate(texts, 1)]).values():
        if isinstance(found, ResolvedStep) and found.searchable:
            assert parse(found.text) == found.query


@pytest.mark.parametrize(
    "text",
    [
        "x.ti. or z.ti.\ny.ti.",
        "题名=甲\n作者=乙",
        "title:x OR title:z\ntitle:y",
        "#1 TI=x\n#2 AB=yeast*\n#3 #1 OR #2\nDT=article",
        "Line 1: x[ti]\nLine 2: y[ti]\nLine 3: Line 1 AND Line 2",
        "Set 1\tx (Topic)\t1,234\nSet 2\ty (Title)\t34\nSet 3\t#1 AND #2\t4",
        "1,x.ti.,12\n2,y.ti.,23\n3,1 and 2,9",
        "1.题名=甲\n2.题名=乙\n3. 1*2",
        "x[ti]\ny[ti]\nFilters: English",
        "Population: (x[ti] OR z[ti])\nOutcome: (y[ti])",
    ],
)
def test_lines_of_any_shape_say_what_the_whole_says(
    db: Database, strategy: Strategy, text: str
) -> None:
    copied = copy_in(db, strategy, text)
    found = resolve_step(steps.of(db, strategy), copied.steps[-1].number)
    assert found.text == to_text(read(text).query)
