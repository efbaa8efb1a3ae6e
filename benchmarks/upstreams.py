"""The simulated databases beside the checkout, as sources of metasearch: shared by benchmarks and
tests."""

from __future__ import annotations

import itertools
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from metasearch.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
MOCK = ROOT.parent / "shared" / "bench" / "mock_upstream.py"
SHAPES = ("crossref", "arxiv", "sru")
_PATHS = {"crossref": "search", "arxiv": "atom", "sru": "sru"}
#: Where each shape holds the record ids that the mock's truth speaks of.
_IDS = {
    "crossref": '"alternative-id"[0]',
    "arxiv": "substring-after(atom:id, '/abs/')",
    "sru": "001",
}
UNLIMITED = {"requests": 100_000, "per": 1.0, "concurrency": 1000, "ttl": 0}
#: Ports that are tried: one that was free a moment ago may be another connection's by now.
TRIES = 3
_WORDS = (
    "gene soil language graph quantum dark coral bone sleep wind peer risk visual crop renal "
    "speech tax ocean stem "
    "radiation working metadata scholarly membrane enzyme landslide galaxy social nursing protein "
    "urban climate supply "
    "neural battery turbulent migrant wetland cardiac labour"
).split()


def queries() -> Iterator[str]:
    """Two words each, so that none comes twice within some thousand."""
    return (f"{one} {other}" for one, other in itertools.cycle(itertools.permutations(_WORDS, 2)))


def some(asked: Iterator[str], count: int) -> list[str]:
    """The next so many."""
    return list(itertools.islice(asked, count))


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
        sources=sources,
        default_sources=tuple(sources),
        allow=frozenset({base.removeprefix("http://")}),
        timeout=30.0,
    )


@contextmanager
def mock(dbs: int, *arguments: str) -> Iterator[str]:
    """A running mock; gives its base URL."""
    with ExitStack() as stack:
        for _ in range(TRIES):
            port = free_port()
            command = [sys.executable, str(MOCK), "--dbs", str(dbs), "--port", str(port)]
            process = stack.enter_context(
                subprocess.Popen(
                    [*command, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
            stack.callback(process.terminate)
            if answers(f"http://127.0.0.1:{port}/healthz", process=process):
                break
        yield f"http://127.0.0.1:{port}"


def answers(
    url: str, seconds: float = 60.0, process: subprocess.Popen[bytes] | None = None
) -> bool:
    """Wait until a server that was started a moment ago answers there, as long as its process
    runs; says whether it did.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until and (process is None or process.poll() is None):
        try:
            with urllib.request.urlopen(url, timeout=1):
                return True
        except OSError:
            time.sleep(0.05)
    return False
