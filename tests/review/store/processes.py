"""Programs that other processes run on a workspace file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: Makes projects, one transaction each, and says each name when the transaction is over.
MAKER = """
import sys
from pathlib import Path
from metasearch.review.projects import projects
from metasearch.review.store.database import Database

path, name, most = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with Database(path) as db:
    for number in range(most):
        with db.transaction():
            projects.create(db, f"{name}-{number}", "review")
            projects.create(db, f"{name}-{number}-twin", "review")
        print(f"{name}-{number}", flush=True)
"""


def started(program: str, *args: object) -> subprocess.Popen[str]:
    """A process that runs the program; what it says is read from its stdout."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def maker(path: Path, name: str, most: int) -> subprocess.Popen[str]:
    """A process that makes that many pairs of projects."""
    return started(MAKER, path, name, most)
