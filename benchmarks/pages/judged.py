"""A search beside a hostile page, held to what must be true of it whatever one database sends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.held import MIB
from benchmarks.pages.configured import HEALTHY, ROWS, SILENT, benign, written
from benchmarks.pages.database import begun, databases
from benchmarks.pages.faces import FACES, Answered, opened
from benchmarks.pages.made import Page

#: Milliseconds in which the healthy databases answer: later than the hostile one, whose page is
#: being read by then.
LATENCY = 200
#: Seconds that a search has; that one has which a signal is to end; and that it has run when the
#: signal comes.
DEADLINE, LONG_DEADLINE, MIDDLE = 2.0, 20.0, 0.6
#: Seconds beyond the deadline, bytes beyond the same search with an ordinary page, and seconds from
#: signal to end.
LATE, FLAT, STOPPED = 0.3, 40 * MIB, 2.0
#: Seconds after which a process that does not answer, or does not end, is given up.
PATIENCE = 8.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a page.

    Attributes:
        late: Seconds from the deadline to the answer, negative where it came before; None where
            none came.
        kept: How many records of the healthy sources are in the answer.
        well: Whether each of them is called well.
        status: What the hostile source is called.
        grown: Bytes beyond the peak of the same search with an ordinary page; None where the system
            does not tell.
        stopped: Seconds from the signal to the end; `PATIENCE` where there was none, None where
            none was sent.
    """

    page: Page
    face: str
    late: float | None
    kept: int
    well: bool
    status: str
    grown: int | None
    stopped: float | None

    @property
    def wrong(self) -> list[str]:
        """What does not hold, in words."""
        found = []
        if self.late is None:
            found.append(f"no answer {PATIENCE:g} s after the deadline")
        elif self.late > LATE:
            found.append(f"answered {self.late:.2f} s after the deadline, allowed are {LATE:g}")
        if self.kept != ROWS * len(HEALTHY):
            found.append(f"{self.kept} of {ROWS * len(HEALTHY)} records of the healthy sources")
        if not self.well and self.late is not None:
            found.append("a healthy source is said to have failed")
        if self.grown is not None and self.grown > FLAT:
            found.append(f"{self.grown / MIB:.0f} MiB more, allowed are {FLAT / MIB:.0f}")
        if self.stopped is not None and self.stopped > STOPPED:
            found.append(f"ended {self.stopped:.1f} s after the signal, allowed are {STOPPED:g}")
        return found


@dataclass(frozen=True)
class Bench:
    """Where pages are tried.

    Attributes:
        hostile: Base URL of the database that sends them.
        healthy: That of the others.
        config: The configuration that names all as sources.
    """

    hostile: str
    healthy: str
    config: Path

    def tried(self, page: Page, face: str, *, stop: bool = True) -> Outcome:
        """Search beside a page, and begin another such search and end it by a signal.

        Args:
            page: What the fourth database sends.
            face: Which way to search: a key of `FACES`.
            stop: Whether to do the second.
        """
        plain, answered = self._searched(page, face)
        began = answered.began if answered.began is not None else begun(self.hostile, page.name)
        late = None
        if answered.ended is not None and began is not None:
            late = answered.ended - began - DEADLINE
        return Outcome(
            page,
            face,
            late,
            answered.healthy,
            all(answered.status.get(name) == "ok" for name in HEALTHY),
            answered.status.get(page.name, "-"),
            answered.peak - plain.peak if answered.peak and plain.peak else None,
            self._stopped(page, face) if stop and FACES[face].ends_by else None,
        )

    def _searched(self, page: Page, name: str) -> tuple[Answered, Answered]:
        """The same search with an ordinary page and with this one."""
        with opened(name, self.config) as face:
            # What is loaded once is no growth: a process that stays has searched before.
            plain = face.ask((*HEALTHY, benign(page.shape)), DEADLINE, PATIENCE)
            return plain, face.ask((page.name, *HEALTHY), DEADLINE, PATIENCE)

    def _stopped(self, page: Page, name: str) -> float:
        """Seconds from the signal, which comes while the page is read or waited for, to the end."""
        with opened(name, self.config) as face:
            before = begun(self.hostile, page.name)
            # The source that never answers keeps the search from being over before.
            process = face.begin(list(dict.fromkeys((page.name, *HEALTHY, SILENT))), LONG_DEADLINE)
            until = time.monotonic() + PATIENCE
            while begun(self.hostile, page.name) == before and time.monotonic() < until:
                time.sleep(0.02)
            time.sleep(MIDDLE)
            sent = time.monotonic()
            assert face.ends_by is not None
            os.kill(process, face.ends_by)
            face.gone(PATIENCE)
            return time.monotonic() - sent


@contextmanager
def bench() -> Iterator[Bench]:
    """Both databases, each in a process of its own, and a configuration."""
    with databases() as hostile, databases(LATENCY) as healthy, TemporaryDirectory() as folder:
        yield Bench(hostile, healthy, written(Path(folder), hostile, healthy))


def outcomes(
    bench: Bench, pages: Iterable[Page], faces: Iterable[str], tries: int = 1
) -> Iterator[Outcome]:
    """What comes of each page, by each face.

    Args:
        bench: Where.
        pages: Which.
        faces: By which ways.
        tries: What is wrong is tried so often, and the best counts: a busy machine is late at
            times, too.
    """
    faces = tuple(faces)
    for page in pages:
        for face in faces:
            best = bench.tried(page, face)
            for _ in range(tries - 1):
                if not best.wrong:
                    break
                best = min(best, bench.tried(page, face), key=lambda outcome: len(outcome.wrong))
            yield best


# --------------------------------------------------------------------------- the table

_COLUMNS = (
    "page",
    "face",
    "past the deadline",
    "healthy records",
    "memory",
    "stopped after",
    "status",
    "",
)


def heading() -> str:
    """The table's first two lines, in Markdown."""
    return f"| {' | '.join(_COLUMNS)} |\n|{' --- |' * len(_COLUMNS)}"


def line(outcome: Outcome) -> str:
    """A line of the table."""
    late = f"> {PATIENCE:g} s" if outcome.late is None else f"{outcome.late:+.2f} s"
    memory = "-" if outcome.grown is None else f"{outcome.grown / MIB:+.0f} MiB"
    stopped = outcome.stopped
    ended = (
        "-"
        if stopped is None
        else f"> {PATIENCE:g} s"
        if stopped >= PATIENCE
        else f"{stopped:.2f} s"
    )
    kept = f"{outcome.kept}/{ROWS * len(HEALTHY)}"
    wrong = "**VIOLATION**" if outcome.wrong else ""
    cells = (outcome.page.name, outcome.face, late, kept, memory, ended, outcome.status, wrong)
    return f"| {' | '.join(cells)} |"


def summary(found: list[Outcome]) -> str:
    """How many hold."""
    bad = [outcome for outcome in found if outcome.wrong]
    pages = len({outcome.page.name for outcome in bad})
    return (
        f"{len(found)} searches beside hostile pages: {len(bad)} violate the rules, by {pages} "
        f"page(s)"
    )
