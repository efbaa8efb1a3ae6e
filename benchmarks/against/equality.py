"""Whether two checkouts find the same: hits, order, ids, every field, evidence, and changes.

    python -m benchmarks.against.equality BEFORE [AFTER] [--part demo|payloads|sets|databases]
    [--only TEXT] [--shown 5]

BEFORE and AFTER are checkouts; AFTER is this one unless it is named. Both compute the same things
(`outcome.py`), each in a process with its own package. Prints how many there are of each part and a
digest of all that they hold, which may be compared with another machine's; and of the first things
that differ the first places, with both values. Exits 1 on a difference.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice, zip_longest
from pathlib import Path
from typing import IO, NamedTuple

import orjson

from benchmarks.against import plain
from benchmarks.against.checkouts import start
from benchmarks.upstreams import ROOT

PARTS = ("demo", "payloads", "sets", "databases")
#: Places that are shown of a thing that differs, and characters of a value.
PLACES, CHARACTERS = 4, 300


class Found(NamedTuple):
    """What one side computed: its name, and its value as JSON."""

    name: str
    value: bytes


class Compared(NamedTuple):
    """A part, compared.

    Attributes:
        things: How many both have.
        digest: Of all that the side before holds.
        differ: Names of the things that differ.
        shown: Lines for people, of the first of them.
        failed: Why a side did not come to its end; "" for both did.
    """

    part: str
    things: int
    digest: str
    differ: tuple[str, ...]
    shown: tuple[str, ...]
    failed: str = ""

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not (self.differ or self.failed)

    def line(self) -> str:
        """For the table."""
        verdict = self.failed or (f"{len(self.differ)} DIFFER" if self.differ else "equal")
        return f"{self.part:12}{self.things:8,}  {self.digest}  {verdict}"


def values(stream: IO[bytes]) -> Iterator[Found]:
    """What `outcome.py --values` writes."""
    for line in stream:
        _, _, name = line.decode().rstrip("\n").split(" ", 2)
        yield Found(name, stream.readline().rstrip(b"\n"))


def differing(name: str, before: bytes, after: bytes) -> Iterator[str]:
    """The first places at which a thing differs, a line each."""
    yield name
    places = plain.differences(orjson.loads(before), orjson.loads(after))
    for path, one, other in islice(places, PLACES):
        yield f"    {path}"
        yield f"        before: {short(one)}"
        yield f"        after:  {short(other)}"


def short(value: object) -> str:
    """A value as JSON, cut."""
    text = orjson.dumps(value).decode()
    return (
        text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]} ... ({len(text):,} characters)"
    )


def compared(
    part: str, before: Iterator[Found], after: Iterator[Found], most_shown: int
) -> Compared:
    """Compare what two sides computed, one thing after the other."""
    count, whole = 0, sha256()
    differ: list[str] = []
    shown: list[str] = []
    for one, other in zip_longest(before, after):
        if one is not None:
            whole.update(one.value)
        if one is None or other is None or one.name != other.name:
            names = ["nothing" if it is None else it.name for it in (one, other)]
            differ.append(" / ".join(names))
            shown.append(f"before has {names[0]} where after has {names[1]}")
            break  # what follows is not about the same
        count += 1
        if one.value != other.value:
            differ.append(one.name)
            if len(differ) <= most_shown:
                shown += differing(one.name, one.value, other.value)
    return Compared(part, count, whole.hexdigest()[:12], tuple(differ), tuple(shown))


def part_compared(
    part: str, checkouts: Sequence[Path], only: str, most_shown: int, pythons: Sequence[str]
) -> Compared:
    """Run both sides of a part and compare them."""
    words = ("--part", part, "--only", only, "--values")
    sides = [
        start(
            checkout,
            "benchmarks.against.outcome",
            *words,
            python=python,
            stdout=subprocess.PIPE,
        )
        for checkout, python in zip(checkouts, pythons, strict=True)
    ]
    try:
        before, after = (values(side.stdout) for side in sides if side.stdout is not None)
        result = compared(part, before, after, most_shown)
        for rest in (before, after):  # a side that is not read to its end would wait for ever
            for _ in rest:
                pass
        codes = [side.wait() for side in sides]
    finally:
        for side in sides:
            side.kill()
            side.communicate()
    failed = [name for name, code in zip(("before", "after"), codes, strict=True) if code]
    return result._replace(failed=f"FAILED on the side {' and '.join(failed)}" if failed else "")


def compare(
    checkouts: Sequence[Path],
    parts: Sequence[str] = PARTS,
    only: str = "",
    most_shown: int = 5,
    pythons: Sequence[str] = (sys.executable, sys.executable),
) -> bool:
    """Compare two checkouts, print the table and the differences; gives whether all is equal."""
    began, equal = time.monotonic(), True
    print(f"{'part':12}{'compared':>8}  {'digest':12}  ")
    for part in parts:
        result = part_compared(part, checkouts, only, most_shown, pythons)
        print(result.line(), *result.shown, sep="\n", flush=True)
        equal = equal and result.equal
    print(f"{'All is equal' if equal else 'NOT EQUAL'}; {time.monotonic() - began:.0f} s")
    return equal


def main() -> int:
    """Print the table; exit 1 on a difference."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--only", default="", metavar="TEXT", help="things whose name holds this")
    parser.add_argument("--shown", type=int, default=5, metavar="N", help="differences to show")
    options = parser.parse_args()
    parts = options.part or PARTS
    checkouts = (options.before, options.after)
    return 0 if compare(checkouts, parts, options.only, options.shown) else 1


if __name__ == "__main__":
    sys.exit(main())
