"""The table of `tasks.py clients`: what stands in it, and who makes it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.programs import version_of
from tests.clients.rows import PROPERTY, Row, table

ROOT = Path(__file__).resolve().parent.parent


def report(name: str, outcome: Any, *rows: Row, when: Any = "call") -> pytest.TestReport:
    """The report of a test that began these rows."""
    properties = [(PROPERTY, dict(row.cells)) for row in rows]
    return pytest.TestReport(
        name, ("", 0, name), {}, outcome, None, when, user_properties=properties
    )


def row(client: str, result: str = "") -> Row:
    begun = Row(client, "a search")
    begun.cells["version"] = "1.0"
    begun.came(result)
    return begun


def test_a_line_for_each_client() -> None:
    """In the order of the tests, in columns; reports of the other phases add none."""
    lines = table(
        [
            report("b", "passed", row("yaz-client", "51 works")),
            report("b", "passed", row("yaz-client", "51 works"), when="teardown"),
            report("a", "skipped", row("sruthi", "not installed")),
            report("c", "failed", row("curl", "2 works")),
            report("d", "passed"),
        ]
    )

    assert lines == [
        "client      version  request   result",
        "sruthi      1.0      a search  not installed",
        "yaz-client  1.0      a search  51 works",
        "curl        1.0      a search  FAILED",
    ]


def test_a_failure_is_not_covered_by_a_later_report() -> None:
    """A test may fail before its client had a result, or after."""
    begun, ended = row("curl"), row("curl", "2 works")
    reports = [report("c", "failed", begun), report("c", "passed", ended, when="teardown")]

    assert table(reports)[1].endswith("FAILED")
    assert table([]) == []


@pytest.mark.slow
def test_what_is_not_installed_has_no_version() -> None:
    """Neither a package nor a program."""
    assert version_of(package="no-such-client") is None
    assert version_of(package="pytest") == pytest.__version__


def test_plugins_of_clients_are_not_loaded(pytestconfig: pytest.Config) -> None:
    """Packages that `tasks.py clients` installs bring some; our tests are the same without."""
    names = ("anyio", "langsmith_plugin", "schemathesis")

    assert [name for name in names if pytestconfig.pluginmanager.has_plugin(name)] == []


@pytest.mark.slow
def test_no_client_is_run_by_the_fast_tests() -> None:
    """Every test of the folder is marked both as slow and as a client."""
    options = ("-q", "--collect-only", "-p", "no:cacheprovider", "-m", "not (slow and client)")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "tests/clients"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    (number,) = re.findall(r"no tests collected \((\d+) deselected\)", done.stdout)

    assert int(number) > 20
