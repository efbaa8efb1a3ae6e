"""What the faces (other protocols over the same list) cost a server whose clients do not use them.

    python3 tasks.py bench faces [--searches 12] [--beside CHECKOUT]

`serve --demo` runs in a process of its own. Measured are the CPU until it listens, its memory, and
the CPU of a plain JSON search; then each face is asked once, and the same is measured again. With
`--beside` the server of another checkout, such as one without faces, does the same searches. Linux
only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from benchmarks.processes import TOLD, cpu_of_all, peak_of_all

#: A request to each face.
FACES = {
    "sru": "sru?version=1.2&operation=searchRetrieve&query=gambling",
    "searxng": "searxng/search?q=gambling&format=json",
}
#: Words of the searches; each search has two of them, and none is repeated.
WORDS = (
    "gambling mushrooms learning climate poverty migration vaccines forests music language cities "
    "water memory children robots"
).split()
_WARM = "machine learning"
#: Seconds until a server must listen.
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs: its process, its address, and the CPU seconds until it listened."""

    process: int
    url: str
    start: float

    def ask(self, path: str) -> bytes:
        """The body of the answer to a GET."""
        with urlopen(f"{self.url}{path}", timeout=_PATIENCE) as response:
            body: bytes = response.read()
            return body

    def search(self, query: str) -> None:
        """A plain JSON search."""
        parameters = urlencode({"q": query, "format": "json"})
        if not self.ask(f"search?{parameters}").startswith(b"{"):
            raise RuntimeError(f"the answer to {query!r} is no JSON")

    def seconds(self, queries: Sequence[str]) -> float:
        """The mean of the CPU seconds of searches: a single one is too short for the clock of
        /proc.
        """
        began = cpu_of_all(self.process)
        for query in queries:
            self.search(query)
        return (cpu_of_all(self.process) - began) / len(queries)


@contextmanager
def serving(checkout: Path) -> Iterator[Server]:
    """The server of a checkout over the demo's databases, one process."""
    command = [sys.executable, "-m", "metasearch", "serve", "--demo"]
    command += ["--workers", "0", "--port", "0"]
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    with subprocess.Popen(
        command, cwd=checkout, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        try:
            yield Server(process.pid, _address(process), cpu_of_all(process.pid))
        finally:
            process.terminate()


def _address(process: subprocess.Popen[bytes]) -> str:
    """The address that a server announces."""
    assert process.stderr is not None
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        line = process.stderr.readline().decode()
        at = line.find("http://")
        if at >= 0:
            return line[at:].split()[0].rstrip("/") + "/"
        if not line:
            break
    raise RuntimeError("the server did not announce an address")


def queries(count: int) -> list[str]:
    """Queries that differ, the same ones each time."""
    pairs = [f"{one} {other}" for one in WORDS for other in WORDS if one != other]
    return pairs[:count]


def measured(name: str, checkout: Path, searches: int, faces: Collection[str]) -> None:
    """Print the figures of a server before and after its faces are asked."""
    listed = queries(2 * searches)
    with serving(checkout) as server:
        say(name, "start", f"{server.start:6.2f} s CPU, {mebibytes(server):6.1f} MiB")
        server.search(_WARM)
        before = server.seconds(listed[::2])
        say(name, "plain search", f"{before * 1000:6.1f} ms CPU, {mebibytes(server):6.1f} MiB")
        for face in faces:
            server.ask(FACES[face])
            say(name, f"after /{face}", f"{mebibytes(server):20.1f} MiB")
        if faces:
            after = server.seconds(listed[1::2])
            say(name, "plain search", f"{after * 1000:6.1f} ms CPU, {mebibytes(server):6.1f} MiB")


def mebibytes(server: Server) -> float:
    """The most memory that the server has held so far."""
    return peak_of_all(server.process) / 1024**2


def say(name: str, what: str, figures: str) -> None:
    print(f"{name:<8} {what:<14} {figures}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--searches", type=int, default=12, help="before, and after, the faces")
    parser.add_argument("--beside", type=Path, help="another checkout, whose faces are not asked")
    options = parser.parse_args()
    if not TOLD:
        print("this system does not tell what other processes use", file=sys.stderr)
        return 2
    if options.beside is not None:
        measured("other", options.beside, options.searches, ())
    measured("this", Path(__file__).resolve().parents[1], options.searches, tuple(FACES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
