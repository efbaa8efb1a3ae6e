"""What the searches of one checkout give, as a list of digests that another checkout's are compared
with.

    python -m benchmarks.against.outcome [--package CHECKOUT] [--part NAME] [--only TEXT]

prints a line for each thing that was computed: digest, bytes of JSON, name. `--package` takes the
package `metasearch` of another checkout; this checkout gives the benchmarks. `--only` takes the
things whose name holds the text, and `--values` writes their JSON as well. `equality.py` compares
two checkouts and shows where they differ.

Nothing depends on time: where the events of a search are read, its databases answer one after the
other, in the order of asking, and seconds are left out. Changes of the list are those of dedup
alone, for records in a fixed order; of whole searches the answer counts, which its events must
amount to as well. An answer without events is computed by another engine, because one remembers its
answers, every other one with a limit.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks import upstreams
from benchmarks.against import plain
from benchmarks.against.checkouts import start
from benchmarks.against.searches import databases, demo
from benchmarks.against.stored import pages, sets
from benchmarks.against.things import Outcome

PARTS: Mapping[str, Callable[[], AsyncIterator[Outcome]]] = {
    "demo": demo,
    "payloads": pages,
    "sets": sets,
    "databases": databases,
}


async def outcomes(parts: Iterable[str]) -> AsyncIterator[Outcome]:
    """All that the parts compute, each under the name of its part."""
    for part in parts:
        if part == "databases" and not upstreams.MOCK.exists():
            continue
        async for outcome in PARTS[part]():
            yield outcome._replace(name=f"{part}: {outcome.name}")


async def tell(parts: Sequence[str], only: str, *, values: bool) -> None:
    """Print the lines."""
    out = sys.stdout.buffer
    async for name, value in outcomes(parts):
        if only in name:
            # A name is of one line, and so is JSON.
            line = f"{plain.digest(value)} {len(value)} {name}\n".encode()
            out.write(line + value + b"\n" if values else line)
            out.flush()


def main() -> int:
    """Print the outcomes of this package, or of that of another checkout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--package", type=Path, metavar="CHECKOUT")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--values", action="store_true")
    options = parser.parse_args()
    parts = options.part or list(PARTS)
    if options.package is not None:
        words = ["--only", options.only, *(["--values"] if options.values else [])]
        chosen = [word for part in parts for word in ("--part", part)]
        return start(options.package, "benchmarks.against.outcome", *chosen, *words).wait()
    asyncio.run(tell(parts, options.only, values=options.values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
