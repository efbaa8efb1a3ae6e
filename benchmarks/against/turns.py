"""Both sides of a comparison, asked by turns: before, after, after, before, before, after ..."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, TypeVar

from benchmarks.against.builds import Package
from benchmarks.against.checkouts import start
from benchmarks.sides import of_turns

T = TypeVar("T")

#: Of something, that before and that after.
Both = tuple[T, T]


class Figures(NamedTuple):
    """What was measured of both sides.

    Attributes:
        before: The median of the turns.
        after: The same of the other side.
        ratio: The median of the ratios that the turns had: what slows the machine for a while slows
            both sides of a turn.
        detail: In words, what else was seen.
    """

    before: float
    after: float
    ratio: float
    detail: str = ""


def figures(found: Sequence[Both[float]], detail: str = "") -> Figures:
    """The figures of some turns."""
    before, after = zip(*found, strict=True)
    ratio = of_turns(after, before)
    return Figures(statistics.median(before), statistics.median(after), ratio, detail)


def by_turns(both: Both[T], rounds: int, measure: Callable[[T, int], float]) -> list[Both[float]]:
    """Measure both sides in each round; which is the first changes from round to round.

    Args:
        both: The sides.
        rounds: How many.
        measure: What is measured of a side, in the round with this number.
    """
    found = []
    for number in range(rounds):
        values = {place: measure(both[place], number) for place in order(number)}
        found.append((values[0], values[1]))
    return found


def order(number: int) -> Both[int]:
    """Which side is the first in the round with this number: 0, 1, 1, 0, 0, 1 ..."""
    return (1, 0) if number % 2 else (0, 1)


class TooOld(Exception):
    """Why a package cannot be measured by these benchmarks."""


class Measuring:
    """A process of `side.py` that runs."""

    def __init__(self, package: Package, stack: ExitStack) -> None:
        said: IO[bytes] = stack.enter_context(TemporaryFile())  # noqa: SIM115 - so it is
        self._said = said
        self._process = stack.enter_context(
            start(
                package.checkout,
                "benchmarks.against.side",
                python=package.python,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
            )
        )
        stack.callback(self._process.kill)
        self.name = package.name
        try:
            self._answer()
        except ChildProcessError as exc:
            raise TooOld(f"{package.name} cannot be measured by these benchmarks: {exc}") from exc

    def call(self, name: str, **arguments: Any) -> Any:
        """What a method of `side.Side` gives.

        Raises:
            RuntimeError: What it raised.
            ChildProcessError: The process ended.
        """
        assert self._process.stdin is not None
        line = json.dumps({"call": name, "with": arguments})
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._said.seek(0)
            last = self._said.read().decode(errors="replace").strip().rpartition("\n")[2]
            raise ChildProcessError(last or f"it ended with {self._process.wait()}")
        said = json.loads(line)
        if "error" in said:
            raise RuntimeError(f"{self.name}: {said['error']}")
        return said["value"]


@contextmanager
def measuring(*packages: Package) -> Iterator[tuple[Measuring, ...]]:
    """A process for each package.

    Raises:
        TooOld: A package lacks what the benchmarks use.
    """
    with ExitStack() as stack:
        yield tuple(Measuring(package, stack) for package in packages)


@contextmanager
def two(packages: Both[Package]) -> Iterator[Both[Measuring]]:
    """A process for each of two packages."""
    with measuring(*packages) as (before, after):
        yield before, after
