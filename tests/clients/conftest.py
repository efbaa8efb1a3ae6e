"""The server that the clients ask, the row that each test writes, and the table of all rows."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.clients.programs import PATIENCE, ROOT, version_of
from tests.clients.rows import PROPERTY, Row, table
from tests.clients.works import Listed, list_of

HERE = Path(__file__).resolve().parent
Tried = Callable[..., Row]
#: Whether a test failed or was skipped.
FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test of this folder is one of a client."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("client")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A test that failed needs no result of its clients."""
    report = yield
    if report.when == "call" and not report.passed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of `metasearch serve --demo`, without a slash at its end; a client may ask as
    often as it likes."""
    folder = tmp_path_factory.mktemp("server")
    config, log = folder / "config.toml", folder / "serve.log"
    config.write_text("[server]\nrate_limit = 0\n", encoding="utf-8")
    command = [sys.executable, "-m", "metasearch", "serve", "--demo", "--port", "0"]
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            [*command, "--config", str(config)],
            stderr=stderr,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as process,
    ):
        try:
            yield address_in(log, process)
        finally:
            process.terminate()


def address_in(log: Path, process: subprocess.Popen[bytes]) -> str:
    """What a server says that it listens on."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        before, listening, after = log.read_text(encoding="utf-8").partition("listening on ")
        if listening and " " in after:
            return after.split()[0].rstrip("/")
        time.sleep(0.05)
    raise AssertionError(f"the server does not listen: {before}")


@pytest.fixture(scope="session")
def listed(server: str) -> Listed:
    """The list of /search for a query, which every client must have."""
    return list_of(server)


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Iterator[Tried]:
    """Begins a row of the table; skips where the client is not installed."""
    rows: list[Row] = []

    def begin(
        client: str, asked: str, *, program: str = "", package: str = "", replayed: bool = False
    ) -> Row:
        """A row.

        Args:
            client: Its name.
            asked: What is asked of the server, in a few words.
            program: A key of `programs.PROGRAMS` that must be there.
            package: A distribution of PyPI that must be there.
            replayed: The test sends what the client sends; the client itself does not run.
        """
        row = Row(f"{client} (replayed)" if replayed else client, asked)
        rows.append(row)
        request.node.user_properties.append((PROPERTY, row.cells))
        version = version_of(program=program, package=package) if program or package else "-"
        if version is None:
            row.came("not installed")
            pytest.skip(f"{client} is not installed")
        row.cells["version"] = version
        return row

    yield begin
    failed = request.node.stash.get(FAILED, False)
    assert failed or all(row.cells["result"] for row in rows), "a client without a result"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of what was tried."""
    lines = table(
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
    )
    if lines:
        terminalreporter.section("clients of `metasearch serve --demo`")
        for line in lines:
            terminalreporter.write_line(line)
