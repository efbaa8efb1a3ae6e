"""A lookup and a check that are killed in the middle, and begin again: nothing that was answered is
asked for twice, and the result is that of a run that nobody stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cases import each

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]

#: What the databases hold: DOI -> title; of the list, a third has no DOI, and a third no work.
WORKS = {f"10.1000/{number}": f"Salt marsh birds of the coast {number}" for number in range(40)}
PATIENCE = 120.0


class Databases(ThreadingHTTPServer):
    """Two databases in Crossref's shape, of which one holds even works and one odd ones.

    `answered`: address -> how often. `most`: requests that are answered; those behind them wait
    until `resume` is set.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.most: int | None = None
        self.resume = Event()
        self.lock = Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no fault."""


class _Handler(BaseHTTPRequestHandler):
    server: Databases

    def do_GET(self) -> None:
        with self.server.lock:
            is_held = sum(self.server.asked.values()) >= (self.server.most or sys.maxsize)
            self.server.asked[self.path] += 1
        if is_held:
            self.server.resume.wait(PATIENCE)
            return
        address = urlsplit(self.path)
        values = {name: some[0] for name, some in parse_qs(address.query).items()}
        dois = {part.removeprefix("doi:") for part in values.get("filter", "").split(",")}
        words = set(values.get("query.title", "").lower().split())
        held = [
            {"title": [title], "DOI": doi, "issued": {"date-parts": [[2020]]}}
            for number, (doi, title) in enumerate(WORKS.items())
            if (number % 2 == 0) == (address.path == "/even")
            and (doi in dois or (words and words <= set(title.lower().split())))
        ]
        answer = {"message": {"total-results": len(held), "items": held[: int(values["rows"])]}}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        # Before the client has the answer, whose journal the test compares with the count.
        with self.server.lock:
            self.server.answered[self.path] += 1
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nobody reads it."""


@pytest.fixture
def databases() -> Iterator[Databases]:
    with Databases() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.resume.set()
        server.shutdown()


class Command:
    """A command on a list, with the cache and the configuration of one folder."""

    def __init__(self, folder: Path, port: int, name: str, listed: str) -> None:
        folder.mkdir()
        limits = "limits = {requests = 1000, per = 1.0, concurrency = 2, ttl = 0}"
        sources = "".join(
            f'[sources.{source}]\nextends = "crossref"\n'
            f'url = "http://127.0.0.1:{port}/{source}"\n{limits}\n'
            for source in ("even", "odd")
        )
        (folder / "config.toml").write_text(
            f'[network]\nallow = ["127.0.0.1:{port}"]\n'
            f'[search]\nsources = ["even", "odd"]\n{sources}'
        )
        (folder / "list.bib").write_text(listed)
        self._arguments = [name, "--config", "config.toml", "list.bib", "--json"]
        self._folder = folder

    def start(self) -> subprocess.Popen[bytes]:
        root = str(Path(__file__).parents[2])
        return subprocess.Popen(
            [sys.executable, "-m", "metasearch", *self._arguments],
            cwd=self._folder,
            env=os.environ | {"PYTHONPATH": root, "METASEARCH_CACHE_DIR": str(self._folder / "c")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def result(self) -> Any:
        """What it writes at the end, without what tells of the requests."""
        out, err = self.start().communicate(timeout=PATIENCE)
        assert out, err
        found = json.loads(out)
        return {name: found[name] for name in ("references", "hits", "missing") if name in found}

    def answers(self) -> int:
        """Answers in the journal."""
        files = self._folder.rglob("lookups/*.jsonl")
        return sum(len(file.read_bytes().split(b"\n")) - 2 for file in files)

    def kill_after(self, answers: int) -> None:
        """Run it until the journal has so many, and kill it."""
        process = self.start()
        deadline = time.monotonic() + PATIENCE
        while self.answers() < answers:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.kill()
        process.communicate()


def entry(number: int) -> str:
    title = WORKS.get(f"10.1000/{number}", f"Quantum gardens of nowhere {number}")
    doi = f"doi = {{10.1000/{number}}}," if number % 3 else ""
    return f"@article{{k{number}, title = {{{title}}}, year = {{2020}}, {doi}}}\n"


LIST = "".join(map(entry, range(60)))


@each("name", ["lookup", "check"])
def test_killed_in_the_middle(name: str, databases: Databases, tmp_path: Path) -> None:
    """After some answers, and again after some more."""
    port = databases.server_address[1]
    whole = Command(tmp_path / f"{name}-whole", port, name, LIST).result()
    requests = Counter(databases.asked)
    stopped = Command(tmp_path / f"{name}-stopped", port, name, LIST)
    databases.asked.clear()
    databases.answered.clear()
    for answers in (3, 9):
        databases.most = sum(databases.asked.values()) + answers - sum(databases.answered.values())
        stopped.kill_after(answers)
    databases.most = None

    assert stopped.result() == whole
    assert set(databases.answered.values()) == {1}
    assert set(databases.answered) == set(requests)
    assert len(requests) > 20
