"""The tables of docs/syntaxes.md say what is written."""

from __future__ import annotations

import re
from pathlib import Path

from metasearch.query.syntaxes import TARGETS
from metasearch.query.writer import translate

PAGE = (Path(__file__).parents[2] / "docs" / "syntaxes.md").read_text(encoding="utf-8")
PART = PAGE.partition("## Writing a query in other syntaxes")[2]


def test_one_query_in_all_syntaxes() -> None:
    """The first table is what `translate` writes of the query above it."""
    query = re.search(r"This is `(.*)`:", PART)
    rows = dict(
        re.findall(r"^\| `(\w+)` \| `(.*)` \|$", PART.partition("topic field")[0], re.MULTILINE)
    )

    assert query is not None
    assert rows == {to: translate(query[1], to=to).text for to in TARGETS}


def test_every_database_has_its_fields() -> None:
    """The second table names all of them."""
    named = re.findall(
        r"^\| `(\w+)`(?: \(MEDLINE\))? \|",
        PART.partition("topic field")[2]
        .partition("What each platform can hold")[0]
        .partition("\n## ")[0],
        re.MULTILINE,
    )

    assert named == [to for to in TARGETS if to not in ("cql", "simple")]
