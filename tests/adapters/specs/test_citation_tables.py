"""[citations] of a spec: what is wrong there is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.adapters.specs.specfile import build, read_table
from metasearch.errors import SpecError
from tests.cases import each

SPEC = """
name = "little-index"
label = "Little index"

[request]
url = "https://little.example/search"
params = { q = "{query}" }

[query]
style = "expression"
fields = { any = "{x}" }

[parse]
body = "json"
records = "works"

[fields]
title = "title"
doi = "doi"
"""
GOOD = """
[citations.references]
by = { doi = "doi:{x}" }
request = { url = "/references/{query}", params = { q = "" } }
"""


def problems(tmp_path: Path, table: str) -> list[str]:
    file = tmp_path / "little-index.toml"
    file.write_text(SPEC + table)
    try:
        build(read_table(file), str(file))
    except SpecError as error:
        return list(error.problems)
    return []


@each(
    "table, wrong",
    [
        ("[citations.quotes]\n", "citations.quotes: unknown key"),
        ("[citations.cited_by]\n", "citations.cited_by.by: names no identifier"),
        ('[citations.cited_by]\nby = { doi = "doi" }\n', "citations.cited_by.by.doi"),
        ('[citations.cited_by]\nby = { doi = "{y}" }\n', "citations.cited_by.by.doi"),
        (
            '[citations.cited_by]\nby = { doi = "{x}" }\nsize = 501\n',
            "citations.cited_by.size: must be a whole number from 0 to 500",
        ),
        (
            '[citations.cited_by]\nby = { doi = "{x}" }\nsize = "many"\n',
            "citations.cited_by.size: must be",
        ),
        (
            '[citations.cited_by]\nby = { doi = "{x}" }\nlimits = { requests = 1 }\n',
            "citations.cited_by.limits: unknown key",
        ),
        (
            '[citations.cited_by]\nby = { doi = "{x}" }\nrequest.params = { q = "all" }\n',
            "citations.cited_by.request: names no work",
        ),
        (
            '[citations.references]\nby = { doi = "{x}" }\nsize = 5\n',
            "citations.references.size: must be 1",
        ),
        (
            '[citations.references]\nby = { doi = "{x}" }\nlists = true\n',
            "needs the field `references`",
        ),
        (
            '[citations.cited_by]\nby = { doi = "{x}" }\nsize = 5\n',
            "needs the field `references`",
        ),
        (
            '[citations.cited_by]\nby = { doi = "{x}" }\nlists = true\nfields.references = "r"\n',
            "citations.cited_by.lists: only lists of references are read",
        ),
        (
            '[citations.cited_by]\nby = { doi = "{x}" }\nfields = { title = "a[" }\n',
            "citations.cited_by: fields.title",
        ),
        (
            '[citations.cited_by]\nby = { doi = "{x}" }\npaging = { kind = "spiral" }\n',
            "citations.cited_by: paging.kind",
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, table: str, wrong: str) -> None:
    found = problems(tmp_path, table)

    assert any(wrong in problem for problem in found), found


def test_a_right_table_is_read(tmp_path: Path) -> None:
    """Its address is beside that of searches; the rest is that of the spec."""
    file = tmp_path / "little-index.toml"
    file.write_text(SPEC + GOOD)
    spec = build(read_table(file), str(file))

    relation = spec.citations["references"]
    assert dict(relation.by) == {"doi": "doi:{x}"}
    assert (relation.size, relation.lists) == (1, False)
    assert relation.spec.request.url == "https://little.example/references/{query}"
    assert "cited_by" not in spec.citations


def test_what_is_inherited_can_be_taken_away(tmp_path: Path) -> None:
    """A spec for a part of an index need not ask for the same citations again."""
    file = tmp_path / "little-index.toml"
    file.write_text(SPEC + GOOD + "size = 0\n")

    assert build(read_table(file), str(file)).citations == {}


def test_a_wrong_spec_is_told_once(tmp_path: Path) -> None:
    """Not for each of its tables of citations, too."""
    file = tmp_path / "little-index.toml"
    file.write_text(SPEC.replace('body = "json"', 'body = "soup"') + GOOD)

    with pytest.raises(SpecError) as caught:
        build(read_table(file), str(file))

    assert not any("citations" in problem for problem in caught.value.problems)
