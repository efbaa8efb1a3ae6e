"""The simulated databases beside the checkout, as sources of metasearch: shared by benchmarks and tests."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from metasearch.settings import Settings

MOCK = Path(__file__).resolve().parents[2] / "shared" / "bench" / "mock_upstream.py"
SHAPES = ("crossref", "arxiv", "sru")
_PATHS = {"crossref": "search", "arxiv": "atom", "sru": "sru"}
#: Where each shape holds the record ids that the mock's truth speaks of.
_IDS = {"crossref": '"alternative-id"[0]', "arxiv": "substring-after(atom:id, '/abs/')", "sru": "001"}
UNLIMITED = {"requests": 100_000, "per": 1.0, "concurrency": 1000, "ttl": 0}


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def tables(base: str, shapes: Sequence[str], timeout: float = 8.0) -> dict[str, dict[str, Any]]:
    """`[sources]` for databases 0, 1, 2, ... of a mock at `base`, of these shapes."""
    return {
        f"db{number}": {
            "extends": shape,
            "url": f"{base}/db/{number}/{_PATHS[shape]}",
            "limits": {**UNLIMITED, "timeout": timeout},
            "fields": {"source_id": _IDS[shape]},
        }
        for number, shape in enumerate(shapes)
    }


def settings(base: str, shapes: Sequence[str], timeout: float = 8.0) -> Settings:
    """Settings that ask these databases and no others, without a cache."""
    sources = tables(base, shapes, timeout)
    return Settings(
        sources=sources, default_sources=tuple(sources), allow=frozenset({base.removeprefix("http://")}), timeout=30.0
    )


@contextmanager
def mock(dbs: int, *arguments: str) -> Iterator[str]:
    """A running mock; gives its base URL."""
    port = free_port()
    command = [sys.executable, str(MOCK), "--dbs", str(dbs), "--port", str(port), *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        base = f"http://127.0.0.1:{port}"
        try:
            for _ in range(200):
                try:
                    with urllib.request.urlopen(f"{base}/healthz", timeout=1):
                        break
                except OSError:
                    time.sleep(0.05)
            yield base
        finally:
            process.terminate()
            process.wait(10)
