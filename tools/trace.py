"""What one search calls: a trace of a search over the built-in demo databases, without network.

    python tools/trace.py
    python tools/trace.py --sources demo-crossref --records 1
    python tools/trace.py --pairs engine

A first search with other words fills caches and loads modules; the second one is counted. The demo
databases run in a thread of their own, and what they call is not counted. Printed for each room (a
folder of the package) and for all:

- calls: functions, generators and coroutines of the package that were started;
- files: files of the package with at least one such call;
- changes: calls whose caller stands in another file (frames of libraries are skipped; a task that
  the loop starts has no caller, and what passes through a queue is no call);
- arrows: different pairs of such files.

A change counts for the room that is called, `within` counts those that come from the same room.
With `--pairs ROOM` the changes of that room follow, most frequent first: how many, from which file
into which, and the functions that were called.

The script runs on older commits too, with the older checkout in PYTHONPATH.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

import metasearch
from metasearch.demo import DemoDatabases
from metasearch.settings import Settings

PACKAGE = str(Path(metasearch.__file__).parent) + "/"
#: Files of the orchestration that lay in the package's root before the rooms were made.
ORCHESTRATION = frozenset(
    "engine searching running background asking enriching listing paging slots desk loading recent "
    "explaining rank translating".split()
)
#: Where a page becomes records, and where records become hits, before and after the move.
PARSE = frozenset({"adapters/parse.py", "adapters/parse/parse.py"})
DEDUP = frozenset({"dedup/online.py"})
GENERATORS = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
)  # a resumed one is no new call


@dataclass
class Trace:
    """What was called while `on`, by the profiling hook of every thread but `left_out`."""

    left_out: int
    on: bool = False
    calls: Counter[str] = field(default_factory=Counter)
    changes: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: Pair of files -> the functions of the second one that the first one called.
    functions: defaultdict[tuple[str, str], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    #: Files in the order of their first call below PARSE and below DEDUP.
    parsing: dict[str, None] = field(default_factory=dict)
    merging: dict[str, None] = field(default_factory=dict)
    _started: set[FrameType] = field(default_factory=set)

    def hook(self, frame: FrameType, event: str, _: object) -> None:
        if not self.on or event != "call" or threading.get_ident() == self.left_out:
            return
        file = _file(frame.f_code)
        if file is None:
            return
        if frame.f_code.co_flags & GENERATORS:
            if frame in self._started:
                return
            self._started.add(frame)
        callers = [file, *_callers(frame)]
        self.calls[file] += 1
        if len(callers) > 1 and callers[1] != file:
            self.changes[callers[1], file] += 1
            self.functions[callers[1], file][frame.f_code.co_qualname] += 1
        if not PARSE.isdisjoint(callers):
            self.parsing.setdefault(file)
        if not DEDUP.isdisjoint(callers):
            self.merging.setdefault(file)


def _file(code: CodeType) -> str | None:
    """The path below the package, or None: a library, generated code, the demo."""
    file = code.co_filename
    if not file.startswith(PACKAGE) or file.startswith(PACKAGE + "demo/"):
        return None
    return file.removeprefix(PACKAGE)


def _callers(frame: FrameType) -> Iterator[str]:
    """Files of the package on the stack, the nearest first."""
    outer = frame.f_back
    while outer is not None:
        file = _file(outer.f_code)
        if file is not None:
            yield file
        outer = outer.f_back


def room(file: str) -> str:
    """The folder of a file; for the flat files of before, the room that they became."""
    parts = file.split("/")[:-1]
    if not parts:
        return "engine" if file.removesuffix(".py") in ORCHESTRATION else "(ground)"
    return "/".join(parts[:2]) if parts[0] == "adapters" else parts[0]


@contextmanager
def databases() -> Iterator[tuple[int, Settings]]:
    """The demo databases in a thread of their own: its ident, and settings that know them."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    demo = DemoDatabases(latency=0, faults=False)
    asyncio.run_coroutine_threadsafe(demo.__aenter__(), loop).result()
    try:
        assert thread.ident is not None
        yield thread.ident, demo.settings()
    finally:
        asyncio.run_coroutine_threadsafe(demo.__aexit__(None, None, None), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def traced(
    settings: Settings, trace: Trace, words: str, sources: str | None, records: int
) -> metasearch.Answer:
    """The answer to a search whose calls the trace has counted."""
    async with metasearch.Engine(settings) as engine:
        await engine.search("history", sources=sources, per_source=records)
        trace.on = True
        answer = await engine.search(words, sources=sources, per_source=records)
        trace.on = False
    return answer


def rows(trace: Trace) -> Iterator[tuple[str, ...]]:
    """The table: a line a room, all of `adapters`, and all."""
    yield "room", "calls", "files", "changes", "within", "arrows"
    rooms = sorted({room(file) for file in trace.calls})
    groups = [(name, {name}) for name in rooms]
    below = {name for name in rooms if name.startswith("adapters/")}
    if below:
        groups.append(("adapters, all", below | {"adapters"}))
    groups.append(("all", set(rooms)))
    for name, members in groups:
        files = [file for file in trace.calls if room(file) in members]
        into = {pair: n for pair, n in trace.changes.items() if room(pair[1]) in members}
        within = sum(n for pair, n in into.items() if room(pair[0]) in members)
        calls = sum(trace.calls[file] for file in files)
        yield name, *map(str, (calls, len(files), sum(into.values()), within, len(into)))


def pairs(trace: Trace, of: str) -> Iterator[str]:
    """A line for each pair of files whose second one is in the room, most frequent first."""
    into = [(n, pair) for pair, n in trace.changes.items() if room(pair[1]) == of]
    for n, pair in sorted(into, key=lambda row: (-row[0], row[1])):
        functions = ", ".join(
            f"{name} {times}" for name, times in trace.functions[pair].most_common()
        )
        yield f"{n:>5}  {pair[0]} -> {pair[1]}: {functions}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("query", nargs="?", default="machine learning")
    parser.add_argument("--sources", help="names, with commas between; all five without it")
    parser.add_argument("--records", type=int, default=10, help="asked of each source")
    parser.add_argument("--pairs", metavar="ROOM", help="also print the changes of this room")
    options = parser.parse_args()

    with databases() as (ident, settings):
        trace = Trace(left_out=ident)
        threading.setprofile(trace.hook)
        sys.setprofile(trace.hook)
        answer = asyncio.run(
            traced(settings, trace, options.query, options.sources, options.records)
        )
        sys.setprofile(None)

    counted = sum(source.count for source in answer.sources)
    lines = [f"{options.query}: {counted} records, {len(answer.hits)} hits", ""]
    lines += [
        f"{name:<20}" + "".join(f"{cell:>9}" for cell in cells) for name, *cells in rows(trace)
    ]
    if options.pairs:
        lines += ["", f"changes of file into {options.pairs}:", *pairs(trace, options.pairs)]
    for title, files in (
        ("a page becomes records", trace.parsing),
        ("records become hits", trace.merging),
    ):
        lines += ["", f"{title}, {len(files)} files: {' '.join(files)}"]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
