"""docs/pazpar2.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from metasearch.server.limits import Options
from metasearch.server.protocols.pazpar2.documents import fields_of
from metasearch.server.protocols.pazpar2.handler import COMMANDS, MISSING_COMMANDS
from metasearch.server.protocols.pazpar2.parameters import FACET_OF, MESSAGES
from tests.server.fake import record

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "pazpar2.md").read_text(encoding="utf-8")


def test_commands():
    """Each has its row, and no other; those that do not exist are named."""
    table = PAGE.partition("## Commands")[2].partition("###")[0]

    assert set(re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE)) == {"init", *COMMANDS}
    assert all(f"`{name}`" in table for name in MISSING_COMMANDS)


def test_codes():
    """Each has its row."""
    table = PAGE.partition("## Errors")[2]

    assert re.findall(r"^\| ([0-9]+) \|", table, re.MULTILINE) == [str(code) for code in MESSAGES]


def test_fields_and_lists():
    """Every field, and every list of terms."""
    full = record(subtitle="x", publisher="x", language="x", issn=("x",), isbn=("x",), subjects="x")

    assert all(f"`md-{name}`" in PAGE for name, _ in fields_of(full, whole=True))
    assert all(f"`{name}`" in PAGE for name in FACET_OF)


def test_limits():
    """The numbers are those of the code."""
    options = Options()

    for shown in (
        f"after {options.session_idle:g} seconds without a command",
        f"at most {options.max_client_sessions} sessions, the server {options.max_sessions};",
        f"at most {options.max_session_works:,} works",
        f"may send {options.session_polls:,} of them in a minute",
    ):
        assert shown in PAGE
