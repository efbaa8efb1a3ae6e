"""Dedup of large files: the engines side by side, on the same generated records.

    python3 tasks.py bench bulk [--records 100000] [--engines memory,duckdb,spark,splink]
        [--workers 2] [--memory-limit 1GB] [--part jobs|components] [--rows 6000000] [--little 600]

`jobs`: the command `metasearch dedup` from a file of records to a file of works, by each engine in
processes of its own, on records of `benchmarks/generated.py` with hostile blocks of
`benchmarks/hostile.py` among them. Printed are seconds, CPU and peak memory of all its processes,
precision and recall against how the records were made, how many hostile records that are works of
their own were joined with others, and whether the works are those of the first engine: if not, how
many works of several records it has that the first one lacks ("more"), and how many records it
leaves apart that the first one joins ("lost"). A job that divides components
(docs/bulk.md#components-that-are-too-large) may find more, and loses nothing. The last row
is a rival, Splink 5 (`benchmarks/splink_rival.py`): it reads the same file and writes clusters
alone, and they are its own. The best of its thresholds counts, by F1; it is stopped after ten times
the seconds of the first engine, but not before ten minutes. `components`: key rows to components
alone, by both ways of the engine duckdb, and by stars within little memory. Exit 1 where works
differ without such a reason, where records are lost, or an engine of ours fails; one that is not
installed is left out, and that is said.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import orjson

from benchmarks import bulk_keys, splink_rival
from benchmarks.dedup import truth
from benchmarks.generated import Library
from benchmarks.held import MIB
from benchmarks.hostile import HOSTILE
from benchmarks.processes import HERTZ, TOLD, family
from metasearch.bulk.evaluate.run import Tally
from metasearch.record import Record

PARTS = ("jobs", "components")
ENGINES = ("memory", "duckdb", "spark", "splink")
#: The one that is not ours.
RIVAL = "splink"
#: What a job says of components that it has divided.
DIVIDED = "hang together"
#: A rival is stopped after so many times the seconds of the first engine, and not before so many
#: seconds.
PATIENCE, LEAST_PATIENCE = 10, 600.0
#: The hostile sets of which every record is a work of its own.
APART = ('"Editorial"', "one title, other years", "one text, other titles")
#: Share of the records that are hostile, all sets together.
HOSTILE_SHARE = 0.02
#: Seconds between two looks at the processes of a job, at least.
LOOK = 0.2
#: How much longer than a look a pause is: where processes hold gigabytes, one takes 50 ms.
PAUSE = 20


def say(text: str = "") -> None:
    print(text, flush=True)


# --------------------------------------------------------------------------- processes


@dataclass
class Used:
    """What a command and its descendants have used, ended ones included.

    Attributes:
        peak: Bytes of memory that all of them held at one time; what several share counts once.
        ticks: CPU of each process by its id and start.
    """

    seconds: float = 0.0
    peak: int = 0
    ticks: dict[tuple[int, str], int] = field(default_factory=dict)

    @property
    def cpu(self) -> float:
        """Seconds of CPU."""
        return sum(self.ticks.values()) / HERTZ

    def look(self, process: int) -> None:
        """Take in what they hold and have used by now."""
        held = 0
        for one in family(process):
            with suppress(OSError, IndexError, ValueError):
                folder = Path("/proc") / str(one)
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                self.ticks[one, fields[19]] = int(fields[11]) + int(fields[12])
                for line in (folder / "smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        held += int(line.split()[1]) * 1024
        self.peak = max(self.peak, held)


def watched(
    command: Sequence[str], log: Path, *, seconds: float | None = None
) -> tuple[int | None, Used]:
    """Run a command; gives its exit code and what it used. What it says goes to a file.

    Args:
        command: The program and its arguments.
        log: Where its output and its errors go.
        seconds: After so many it is killed, but not its children; its code is then None.
    """
    used, began = Used(), time.monotonic()
    with (
        log.open("wb") as file,
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file) as process,
    ):
        ended = threading.Event()

        def look() -> None:
            pause = LOOK
            while not ended.wait(pause):
                began = time.thread_time()
                used.look(process.pid)
                pause = max(LOOK, PAUSE * (time.thread_time() - began))

        looking = threading.Thread(target=look, daemon=True)
        if TOLD:
            used.look(process.pid)
            looking.start()
        code: int | None = None
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        ended.set()
        if TOLD:
            looking.join()
    used.seconds = time.monotonic() - began
    return code, used


# --------------------------------------------------------------------------- whole jobs


def row(own: str, record: Record) -> dict[str, object]:
    """A record as a row of a labelled set, whose id comes back in the list of clusters."""
    values = {
        "id": own,
        "source": record.source,
        "title": record.title,
        "authors": [
            f"{it.family}, {it.given}" if it.family and it.given else it.name
            for it in record.authors
        ],
        "year": record.year,
        "container": record.venue,
        "volume": record.volume,
        "issue": record.issue,
        "pages": record.pages,
        "doi": record.doi,
        "type": record.type,
        "abstract": record.abstract,
    }
    return {name: value for name, value in values.items() if value}


def write_records(file: Path, count: int) -> list[int]:
    """Write so many records with hostile ones among them; gives the work of each of the others, by
    the number that is their id.
    """
    works: list[int] = []
    with file.open("wb") as out:
        for own, record in mixed(count, works):
            out.write(orjson.dumps(row(own, record), option=orjson.OPT_APPEND_NEWLINE))
    return works


def mixed(count: int, works: list[int]) -> Iterator[tuple[str, Record]]:
    """(id, record) of generated records, and every so often one of each hostile set."""
    each = int(count * HOSTILE_SHARE / len(HOSTILE))
    hostile = {name: make(each) for name, make in HOSTILE.items()}
    usual = count - each * len(HOSTILE)
    every = usual // each if each else usual
    for number, (work, record) in enumerate(Library().records(usual)):
        works.append(work)
        yield str(number), record
        place, rest = divmod(number, every)
        if rest == every - 1 and place < each:
            for name, records in hostile.items():
                yield f"{name} {place}", records[place]


@dataclass(frozen=True, slots=True)
class Clusters:
    """The works that a job has found.

    Attributes:
        digest: Of all of them, whatever their order.
        several: The ids of each work of several records.
        generated: Those of generated records, as their numbers.
        joined: How many records of the sets `APART` stand in a work with another record.
    """

    digest: str
    several: set[tuple[str, ...]]
    generated: list[list[int]]
    joined: int


def clusters_of(file: Path) -> Clusters:
    """Read what `--clusters` has written."""
    total = joined = 0
    generated, several = [], set()
    with file.open("rb") as lines:
        for line in lines:
            ids: list[str] = orjson.loads(line)["cluster"]
            key = hashlib.blake2b(orjson.dumps(sorted(ids)), digest_size=16)
            total = (total + int.from_bytes(key.digest())) % (1 << 128)
            generated.append([int(own) for own in ids if own.isdecimal()])
            if len(ids) > 1:
                several.add(tuple(sorted(ids)))
                joined += sum(own.startswith(APART) for own in ids)
    return Clusters(f"{total:032x}", several, generated, joined)


def difference(first: Clusters, found: Clusters) -> tuple[int, int]:
    """(works that only the second ones have, records that these leave apart from one with which
    they stand in a work of the first ones).
    """
    only = found.several - first.several
    work_of = {own: number for number, ids in enumerate(only) for own in ids}
    lost = 0
    for ids in first.several - found.several:
        places = [work_of.get(own, own) for own in ids]
        lost += len(ids) - max(map(places.count, places))
    return len(only), lost


def command_of(engine: str, options: argparse.Namespace, folder: Path) -> list[str]:
    """The whole job by one engine."""
    if engine == RIVAL:
        command = [sys.executable, "-m", "benchmarks.splink_rival", str(folder / "records.jsonl")]
        command += [str(folder / RIVAL), "--workers", str(options.workers)]
        return [*command, "--memory-limit", options.memory_limit]
    command = [sys.executable, "-m", "metasearch", "dedup", str(folder / "records.jsonl")]
    command += ["--engine", engine, "-o", str(folder / f"{engine}.ris")]
    command += ["--clusters", str(folder / f"{engine}.jsonl")]
    if engine != "memory":
        command += ["--workers", str(options.workers), "--memory-limit", options.memory_limit]
        command += ["--tmp", str(folder / "tmp")]
    return command


def missing(engine: str) -> str | None:
    """Why an engine cannot be measured here; None where it can."""
    needs = {
        "memory": (),
        "duckdb": ("duckdb", "pyarrow"),
        "spark": ("pyspark", "pyarrow"),
        RIVAL: ("splink", "duckdb"),
    }
    absent = [name for name in needs[engine] if find_spec(name) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (pip install {' '.join(absent)})"
    if engine == "spark" and which("java") is None and not os.environ.get("JAVA_HOME"):
        return "there is no Java"
    return None


def told_truth(works: list[int], clusters: Clusters) -> Tally:
    """The pairs of generated records that were found, against how these were made."""
    listed = {number for cluster in clusters.generated for number in cluster}
    alone = [[number] for number in range(len(works)) if number not in listed]
    return truth(works, [*filter(None, clusters.generated), *alone]).tally


def best_of_rival(works: list[int], folder: Path) -> tuple[Tally, Clusters, str]:
    """(quality at the threshold with the best F1, the works there, what is said of it)"""
    tried = []
    for threshold in splink_rival.THRESHOLDS:
        found = clusters_of(splink_rival.clusters_at(folder / RIVAL, threshold))
        tried.append((told_truth(works, found), found, threshold))
    tally, found, threshold = max(tried, key=lambda it: it[0].f1)
    told = ", ".join(f"{it.f1:.4f} at {other:g}" for it, _, other in tried)
    return tally, found, f"others; threshold {threshold:g} (F1 {told})"


def left_out(log: Path) -> str:
    """What a rival says of blocking rules that it did not take."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "".join(f"; {line}" for line in lines if line.startswith(splink_rival.LEFT_OUT))


def jobs(options: argparse.Namespace, folder: Path) -> int:
    """Each engine on the same file."""
    works = write_records(folder / "records.jsonl", options.records)
    hostile = options.records - len(works)
    size = (folder / "records.jsonl").stat().st_size
    say(f"{options.records:,} records, {hostile:,} of them hostile; {size / MIB:,.0f} MiB of JSON")
    say(
        f"{'engine':10}{'seconds':>9}{'CPU s':>9}{'rec/s':>9}{'peak MiB':>10}"
        f"{'P':>9}{'R':>9}{'joined':>8}  works"
    )
    first: Clusters | None = None
    patience = LEAST_PATIENCE
    failed = 0
    for engine in options.engines:
        why = missing(engine)
        if why is not None:
            say(f"{engine:10}{why}")
            continue
        log = folder / f"{engine}.log"
        command = command_of(engine, options, folder)
        code, used = watched(command, log, seconds=patience if engine == RIVAL else None)
        if code is None:
            say(f"{engine:10}stopped after {used.seconds:,.0f} s, {used.cpu:,.0f} s of CPU")
            continue
        if code:
            text = log.read_text(encoding="utf-8", errors="replace").strip()
            say(f"{engine:10}failed with {code}: {text[-1_000:]}")
            failed += engine != RIVAL
            continue
        if engine == RIVAL:
            tally, found, told = best_of_rival(works, folder)
            told += left_out(log)
        else:
            found = clusters_of(folder / f"{engine}.jsonl")
            tally = told_truth(works, found)
            if first is None:
                first, told = found, f"{found.digest[:12]}"
                patience = max(patience, PATIENCE * used.seconds)
            elif found.digest == first.digest:
                told = "the same"
            else:
                more, lost = difference(first, found)
                may_differ = DIVIDED in log.read_text(encoding="utf-8", errors="replace")
                failed += lost > 0 or not may_differ
                told = f"{more:,} more, {lost:,} lost{'' if may_differ else ': OTHER WORKS'}"
        say(
            f"{engine:10}{used.seconds:9.1f}{used.cpu:9.1f}{options.records / used.seconds:9,.0f}"
            f"{used.peak / MIB:10,.0f}{tally.precision:9.4f}{tally.recall:9.4f}"
            f"{found.joined:8,}  {told}"
        )
    return failed


# --------------------------------------------------------------------------- components


def components(options: argparse.Namespace, folder: Path) -> int:
    """Key rows to components alone."""
    if missing("duckdb") is not None:
        say(f"components: {missing('duckdb')}")
        return 0
    records = round(options.rows / sum(bulk_keys.PRESENT))
    rows = bulk_keys.write(folder / "keys", records)
    say(f"{rows:,} key rows of {records:,} records")
    say(
        f"{'way':12}{'limit MiB':>10}{'seconds':>9}{'CPU s':>9}{'CPU s/M rows':>14}{'peak MiB':>10}"
    )
    outputs = set()
    plenty = max(4 * 1024, rows // 5_000)
    for way, limit in (("recursion", plenty), ("stars", plenty), ("stars", options.little)):
        into = folder / f"{way}-{limit}"
        command = [sys.executable, "-m", "benchmarks.bulk", "--join", way, "--limit", str(limit)]
        command += ["--workers", str(options.workers), str(folder / "keys"), str(into)]
        code, used = watched(command, folder / "log")
        if code:
            say(f"{way:12}{limit:10,}  failed: {(folder / 'log').read_text()[-1_000:]}")
            return 1
        outputs.add(hashlib.sha256((into / "part-00000.parquet").read_bytes()).hexdigest())
        way_taken = (folder / "log").read_text().strip()
        say(
            f"{way_taken:12}{limit:10,}{used.seconds:9.1f}{used.cpu:9.1f}"
            f"{used.cpu / rows * 1e6:14.2f}{used.peak / MIB:10,.0f}"
        )
    if len(outputs) > 1:
        say("THE COMPONENTS DIFFER")
    return len(outputs) - 1


def join(options: argparse.Namespace) -> int:
    """What a process of `components` does."""
    from metasearch.bulk.engines.duckdb import Bounds, DuckDB

    keys, into = options.folders
    bounds = Bounds(memory=options.limit * MIB, threads=options.workers)
    engine = DuckDB(into.with_suffix(".scratch"), bounds, way=options.join)
    engine.components(keys, into.with_suffix(".edges"), into)
    assert engine.found is not None
    say(engine.found.way)
    return 0


MEASURED: dict[str, Callable[[argparse.Namespace, Path], int]] = {
    "jobs": jobs,
    "components": components,
}


def named(text: str) -> list[str]:
    """The engines of an option."""
    names = text.split(",")
    if wrong := [name for name in names if name not in ENGINES]:
        raise argparse.ArgumentTypeError(f"no engine: {', '.join(wrong)}")
    return names


def main() -> int:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=100_000, help="of the part `jobs`")
    parser.add_argument("--engines", type=named, default=list(ENGINES), metavar="NAME[,NAME]")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory-limit", default="1GB", metavar="SIZE")
    parser.add_argument("--part", choices=PARTS, help="only this one")
    parser.add_argument("--rows", type=int, default=6_000_000, help="of the part `components`")
    parser.add_argument(
        "--little", type=int, default=600, metavar="MIB", help="memory of the last row of it"
    )
    parser.add_argument("--tmp", type=Path, metavar="DIR", help="where files are made")
    parser.add_argument("--join", choices=("recursion", "stars"), help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, help=argparse.SUPPRESS)
    parser.add_argument("folders", nargs="*", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.join:
        return join(options)
    if min(options.records, options.rows, options.workers) < 1 or options.folders:
        parser.error("--records, --rows and --workers must be 1 or more, and nothing else is taken")
    failed = 0
    for part in (options.part,) if options.part else PARTS:
        with tempfile.TemporaryDirectory(prefix="bulk-", dir=options.tmp) as folder:
            failed += MEASURED[part](options, Path(folder))
        say()
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
