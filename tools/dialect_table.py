"""Print the table of a source for tests/adapters/translate/test_dialects.py: what each of its
queries becomes.

    python tools/dialect_table.py zenodo > tests/adapters/translate/dialects/zenodo.toml

What is printed is what the spec does now, right or wrong. Read every line beside the database's
manual before it becomes what the test expects, and name the pages of the manual in a comment.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.errors import CannotAsk
from metasearch.query import parse
from metasearch.settings import Settings

QUERIES = (
    Path(__file__).resolve().parents[1]
    / "tests"
    / "adapters"
    / "translate"
    / "dialects"
    / "queries.toml"
)


def asked(text: str, spec: AdapterSpec) -> tuple[str, list[str]]:
    """What is sent, and the notes on what is lost; nothing is sent where the source cannot be
    asked.
    """
    env = {name: "x" for auth in spec.auth for name in auth.variables}
    try:
        planned = plan(parse(text), spec, 20, env)
    except CannotAsk as refused:
        return "", [str(refused)]
    return planned.sent, list(planned.notes)


def table(source: str) -> str:
    """The table as TOML."""
    spec = Registry(Settings()).spec(source)
    queries = tomllib.loads(QUERIES.read_text(encoding="utf-8"))["queries"]
    rows = [(text, *asked(text, spec)) for text in queries]
    lines = [f"docs = {_quoted(spec.docs)}", "", "[sent]"]
    lines += [f"{_quoted(text)} = {_quoted(sent)}" for text, sent, _ in rows]
    lines += ["", "[lost]"]
    lines += [
        f"{_quoted(text)} = [{', '.join(map(_quoted, notes))}]" for text, _, notes in rows if notes
    ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    literal = "'" not in text and ('"' in text or "\\" in text)
    return f"'{text}'" if literal else json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    sys.stdout.write(table(sys.argv[1]) + "\n")
