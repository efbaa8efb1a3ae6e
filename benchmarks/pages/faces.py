"""The ways to search: through the engine, a real server and the real command, each in a process of
its own.

Whatever a page does to the process that reads it, this one sees it from outside, measures it, and
ends it.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, ClassVar, Protocol

from benchmarks import servers
from benchmarks.pages.configured import HEALTHY
from benchmarks.processes import watched
from benchmarks.upstreams import ROOT

QUERY = "soil"
#: Seconds in which a face must be there.
START = 30.0
#: Seconds more that a command has, in which its modules are loaded.
LOADED = 3.0
#: Variables of whoever runs this that would change what is measured.
_ENV = {
    key: value
    for key, value in os.environ.items()
    if not key.startswith("METASEARCH_") or key == "METASEARCH_VENV"
}


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a search.

    Attributes:
        ended: When, by `time.monotonic`; None where it did not end and was given up.
        began: When it was asked for; None where the face cannot tell, as a command cannot that is
            loaded first.
        kept: Source -> how many of its records are in the answer.
        status: Source -> its status.
        peak: Bytes that the processes held at most; 0 where the system does not tell.
    """

    ended: float | None = None
    began: float | None = None
    kept: Mapping[str, int] = field(default_factory=dict)
    status: Mapping[str, str] = field(default_factory=dict)
    peak: int = 0

    @property
    def healthy(self) -> int:
        """How many records of the healthy sources are there."""
        return sum(self.kept.get(name, 0) for name in HEALTHY)


class Face(Protocol):
    """One way to search. A search belongs between entering and leaving, which ends all
    processes."""

    name: ClassVar[str]
    #: The signal that ends it; None where it has none.
    ends_by: ClassVar[signal.Signals | None]

    def ask(self, sources: Sequence[str], deadline: float, patience: float) -> Answered:
        """Search these sources, and give up after `patience` seconds beyond the deadline."""
        ...

    def begin(self, sources: Sequence[str], deadline: float) -> int:
        """Begin such a search and do not wait for it; gives the process to which the signal is
        sent."""
        ...

    def gone(self, seconds: float) -> bool:
        """Whether the process to which a signal was sent has ended within so many seconds."""
        ...

    def close(self) -> None:
        """End all processes at once."""
        ...


def kept(answer: Mapping[str, Any]) -> dict[str, int]:
    """Source -> how many of its records are in an answer as JSON."""
    found: dict[str, set[str]] = {}
    for hit in answer["hits"]:
        for record in hit["sources"]:
            found.setdefault(record["source"], set()).add(str(record["position"]))
    return {name: len(places) for name, places in found.items()}


def statuses(answer: Mapping[str, Any]) -> dict[str, str]:
    """Source -> its status, in an answer as JSON."""
    return {report["source"]: report["status"] for report in answer["sources"]}


def _started(command: Sequence[str], **piped: Any) -> subprocess.Popen[str]:
    """A process of Python's in a session of its own, that the terminal's Ctrl-C goes past."""
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env=_ENV,
        text=True,
        start_new_session=True,
        stderr=subprocess.DEVNULL,
        **piped,
    )


def _ended(process: subprocess.Popen[Any]) -> None:
    """End it and what descends from it, at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _gone(process: subprocess.Popen[Any], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


class EngineFace:
    """The library: a process that does nothing but search."""

    name: ClassVar[str] = "engine"
    ends_by: ClassVar[signal.Signals | None] = None

    def __init__(self, config: Path) -> None:
        self._process = _started(
            ("-m", "benchmarks.pages.searcher", str(config)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._lines.get(timeout=START)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)

    def begin(self, sources: Sequence[str], deadline: float) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(
            json.dumps({"sources": list(sources), "timeout": deadline}) + "\n"
        )
        self._process.stdin.flush()
        return self._process.pid

    def ask(self, sources: Sequence[str], deadline: float, patience: float) -> Answered:
        with watched(self._process.pid) as peak:
            began = time.monotonic()
            self.begin(sources, deadline)
            try:
                told = json.loads(self._lines.get(timeout=deadline + patience))
            except queue.Empty:
                told = {}
        return (
            Answered(**told, peak=max(peak, default=0))
            if told
            else Answered(began=began, peak=max(peak, default=0))
        )

    def gone(self, seconds: float) -> bool:
        return _gone(self._process, seconds)

    def close(self) -> None:
        _ended(self._process)
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                assert stream is not None
                stream.close()


class ServerFace:
    """`metasearch serve`, asked over HTTP."""

    name: ClassVar[str] = "server"
    ends_by: ClassVar[signal.Signals | None] = signal.SIGTERM

    def __init__(self, config: Path) -> None:
        log = config.with_suffix(".log")
        self._process = servers.start(config, log, cwd=ROOT, env=_ENV, start_new_session=True)
        try:
            self._base = servers.address(self._process, log)
        except BaseException:
            _ended(self._process)
            raise

    def _get(
        self, sources: Sequence[str], deadline: float, patience: float
    ) -> tuple[dict[str, Any], float, float]:
        asked = {
            "q": QUERY,
            "format": "json",
            "per_source": "20",
            "timeout": deadline,
            "sources": ",".join(sources),
        }
        began = time.monotonic()
        url = f"{self._base}/search?{urllib.parse.urlencode(asked)}"
        with urllib.request.urlopen(url, timeout=deadline + patience) as response:
            body = response.read()
        ended = time.monotonic()
        return json.loads(body), began, ended

    def ask(self, sources: Sequence[str], deadline: float, patience: float) -> Answered:
        began = time.monotonic()
        with watched(self._process.pid) as peak:
            try:
                answer, began, ended = self._get(sources, deadline, patience)
            except (OSError, HTTPException):
                return Answered(began=began, peak=max(peak, default=0))
        return Answered(ended, began, kept(answer), statuses(answer), max(peak, default=0))

    def begin(self, sources: Sequence[str], deadline: float) -> int:
        def ask() -> None:
            with suppress(OSError, ValueError, HTTPException):
                self._get(sources, deadline, 60.0)

        threading.Thread(target=ask, daemon=True).start()
        return self._process.pid

    def gone(self, seconds: float) -> bool:
        return _gone(self._process, seconds)

    def close(self) -> None:
        _ended(self._process)


#: A shell gives its background jobs, and so perhaps this run, an ignored SIGINT; the command shall
#: hear it.
_COMMAND = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from metasearch.cli import main; sys.exit(main(sys.argv[1:]))"
)


class CommandFace:
    """`metasearch search`, a process for each search."""

    name: ClassVar[str] = "command"
    ends_by: ClassVar[signal.Signals | None] = signal.SIGINT

    def __init__(self, config: Path) -> None:
        self._config = config
        self._processes: list[subprocess.Popen[str]] = []

    def _search(
        self, sources: Sequence[str], deadline: float, out: IO[str] | int
    ) -> subprocess.Popen[str]:
        asked = (
            "--config",
            str(self._config),
            "--json",
            "--no-cache",
            "--timeout",
            f"{deadline:g}",
        )
        command = ("-c", _COMMAND, "search", QUERY, *asked, "-s", ",".join(sources))
        self._processes.append(_started(command, stdout=out))
        return self._processes[-1]

    def ask(self, sources: Sequence[str], deadline: float, patience: float) -> Answered:
        with tempfile.TemporaryFile("w+") as out:
            process = self._search(sources, deadline, out)
            with watched(process.pid) as peak:
                if not _gone(process, LOADED + deadline + patience):
                    _ended(process)
                    return Answered(peak=max(peak, default=0))
                ended = time.monotonic()
            out.seek(0)
            text = out.read()
        if not text:
            return Answered(ended, peak=max(peak, default=0))
        answer = json.loads(text)
        return Answered(ended, None, kept(answer), statuses(answer), max(peak, default=0))

    def begin(self, sources: Sequence[str], deadline: float) -> int:
        return self._search(sources, deadline, subprocess.DEVNULL).pid

    def gone(self, seconds: float) -> bool:
        return _gone(self._processes[-1], seconds)

    def close(self) -> None:
        for process in self._processes:
            _ended(process)


FACES: Mapping[str, type[EngineFace | ServerFace | CommandFace]] = {
    face.name: face for face in (EngineFace, ServerFace, CommandFace)
}


@contextmanager
def opened(name: str, config: Path) -> Iterator[Face]:
    """The face of that name, ready to be asked; all its processes end with it."""
    face: Face = FACES[name](config)
    try:
        yield face
    finally:
        face.close()
