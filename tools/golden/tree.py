"""A checkout that is asked, and the files that its answers are written to."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

STANDSTILL = Path(__file__).resolve().parent / "standstill"
#: The query of most goldens; the demo has hits of several databases for it.
QUERY = "gambling harms"

#: Rules for what no seed and no standing clock makes equal: (pattern, what stands there instead).
MASKS: Sequence[tuple[re.Pattern[bytes], bytes]] = (
    # Memory and CPU of the process in `/metrics`.
    (re.compile(rb"(?m)^(process_\w+(?:\{[^}]*\})?|python_gc_\w+\{[^}]*\}) [\d.e+]+$"), rb"\1 N"),
)


@dataclass(frozen=True)
class Tree:
    """A checkout that is asked.

    Attributes:
        checkout: A copy, whose path has always the same length.
        python: The interpreter.
        work: An empty folder for what it writes.
        out: Where the goldens go.
        sets: Labelled sets.
    """

    checkout: Path
    python: str
    work: Path
    out: Path
    sets: Sequence[Path] = ()

    def at(self, name: str) -> Tree:
        """The same with a folder of its own for what it writes."""
        work = self.work / name
        work.mkdir(parents=True, exist_ok=True)
        return replace(self, work=work)

    def env(self, seed: str, **more: str) -> dict[str, str]:
        """The environment of a process."""
        kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
        folders = {
            f"XDG_{name}_HOME": str(self.work / name) for name in ("CACHE", "CONFIG", "DATA")
        }
        return {
            **kept,
            **folders,
            "HOME": str(self.work),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join((str(STANDSTILL), str(self.checkout))),
            "PYTHONSAFEPATH": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "METASEARCH_WORKSPACE": str(self.work / "workspace.sqlite3"),
            "STANDSTILL_SEED": seed,
            **more,
        }

    def run(self, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run `metasearch` with these words."""
        return subprocess.run(
            [self.python, "-m", "metasearch", *words],
            env=self.env(" ".join(words)),
            cwd=self.work,
            input=stdin,
            capture_output=True,
            check=False,
        )

    def write(self, name: str, data: bytes) -> None:
        """Write a golden."""
        for path, shown in ((self.work, b"WORK"), (self.checkout, b"CHECKOUT")):
            data = data.replace(str(path).encode(), shown)
        for pattern, shown in MASKS:
            data = pattern.sub(shown, data)
        file = self.out / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def command(self, *words: str, folder: str = "commands", stdin: bytes = b"") -> bytes:
        """Write what a command prints, to both streams; gives its standard output."""
        done = self.run(*words, stdin=stdin)
        shown = f"$ metasearch {' '.join(words)}\nexit {done.returncode}\n".encode()
        text = b"".join((shown, b"--- stdout\n", done.stdout, b"\n--- stderr\n", done.stderr))
        self.write(f"{folder}/{named(' '.join(words))}", text)
        return done.stdout


def named(text: str) -> str:
    """A name for a file: readable, and another one for each text."""
    name = plain(text)
    if name == text.replace(" ", "~"):
        return name
    return f"{name}.{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def plain(text: str) -> str:
    """A text as a part of a file's name."""
    return (re.sub(r"[^\w.=&?-]+", "~", text).strip("~") or "root")[:100]


def prepare(tree: Tree) -> None:
    """Both examples, and a saved search."""
    for words in (("project", "demo", "-q"), ("saved", "add", "drives", "gene drive")):
        done = tree.run(*words)
        if done.returncode:
            raise SystemExit(f"metasearch {' '.join(words)}: {done.stderr.decode()}")
