"""De-duplication: records per CPU second, scale, memory, hostile sets, and bib-dedupe beside it.

    python3 tasks.py bench dedup [--records 1000000] [--part sets|scale|growth|hostile|peer] [--peer
    PYTHON]

Every part runs in a process of its own, so that none finds the memory of another. CPU is
`time.process_time`, from parsed record to cluster, fingerprint included. Exit 1 where a figure
misses its goal.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import itertools
import json
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generated import Library
from benchmarks.hostile import HOSTILE
from metasearch import garbage_collection
from metasearch.bulk.evaluate import datasets
from metasearch.bulk.evaluate.datasets import LabelledSet
from metasearch.bulk.evaluate.run import SetFigures, cluster, score
from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.record import Record

SETS = Path(__file__).resolve().parents[2] / "shared" / "data" / "dedup"
PARTS = ("sets", "scale", "growth", "hostile", "peer")

#: Goals, in records per CPU second.
WITH_ABSTRACTS, WITHOUT_ABSTRACTS, AT_SCALE, TIMES_PEER = 5_000, 10_000, 3_000, 60
#: Milliseconds that the slowest but one in a hundred of the calls of `add` may take.
P99 = 5.0
#: Bytes a record beyond the record itself, and the exponent of the time between a tenth of the
#: records and all of them: 1 is linear, 2 quadratic.
BYTES_A_RECORD, EXPONENT = 3_000, 1.1
#: Records that are in the index when single calls are timed, and how many calls are.
INDEXED, TIMED = 100_000, 5_000
#: Seconds from which on a hostile set is not made larger.
PATIENCE = 60.0
#: How much longer twice as many records may take; linear would be 2.
LINEAR = 3.0


def say(text: str = "") -> None:
    print(text, flush=True)


def goal(figure: float, wanted: float, *, most: bool = False) -> str:
    reached = figure <= wanted if most else figure >= wanted
    return f"goal {'<=' if most else '>='} {wanted:,.0f}: {'reached' if reached else 'MISSED'}"


# --------------------------------------------------------------------------- labelled sets


def largest_sets(count: int) -> list[LabelledSet]:
    """The largest labelled sets that are here; made up ones where there are none."""
    if SETS.is_dir():
        found = [
            datasets.read(it)
            for it in sorted(SETS.iterdir())
            if datasets.reason_to_skip(it) is None
        ]
        return sorted(found, key=lambda it: -len(it.records))[:count]
    say(f"({SETS} is not there: the sets are made up)")
    return [generated(f"generated {seed}", 5_000, seed) for seed in range(1, count + 1)]


def generated(name: str, count: int, seed: int = 1) -> LabelledSet:
    works, records = zip(*Library(seed).records(count), strict=True)
    return LabelledSet(
        name=name, records=records, origins=[it.source for it in records], works=works
    )


def rate(records: Sequence[Record]) -> float:
    """Records per CPU second: the median of three runs, after one that warms the caches."""
    seconds = [cluster(records, DEFAULT)[-1] for _ in range(4)][1:]
    return len(records) / statistics.median(seconds)


def sets() -> int:
    """The four largest sets, with their abstracts and without."""
    missed = 0
    say(
        f"{'records per CPU second':36}{'records':>9}{'abstracts':>11}"
        f"{'as it is':>10}{'without abstracts':>19}"
    )
    for it in largest_sets(4):
        with_abstract = sum(record.abstract is not None for record in it.records)
        bare = [dataclasses.replace(record, abstract=None) for record in it.records]
        whole, without = rate(it.records), rate(bare)
        say(f"{it.name:36}{len(bare):9,}{with_abstract:11,}{whole:10,.0f}{without:19,.0f}")
        missed += whole < WITH_ABSTRACTS or without < WITHOUT_ABSTRACTS
    say(
        f"goals: {WITH_ABSTRACTS:,} as it is, {WITHOUT_ABSTRACTS:,} without: "
        f"{'MISSED' if missed else 'reached'}"
    )
    return missed


# --------------------------------------------------------------------------- scale


def resident() -> int:
    """Bytes of this process that are in memory; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def scale(count: int) -> int:
    """Insert so many made-up records, tell time and memory slice by slice; then the time of single
    calls."""
    library, dedup = Library(), OnlineDedup(DEFAULT)
    works: list[int] = []
    stream = library.records(count)
    seconds = 0.0
    held = indexed = 0
    say(
        f"{'records':>12}{'rec/CPU s here':>16}{'overall':>10}"
        f"{'bytes a record':>16}{'the record itself':>19}"
    )
    for size in slices(count):
        before = resident()
        fresh = list(itertools.islice(stream, size))
        gc.collect()
        made = resident()
        with garbage_collection.rarely():  # as the jobs that take in so many do
            began = time.process_time()
            for _, record in fresh:
                dedup.insert(record)
            spent = time.process_time() - began
        works += [work for work, _ in fresh]
        del fresh
        gc.collect()
        held, indexed, seconds = held + made - before, indexed + resident() - made, seconds + spent
        done = len(works)
        sizes = (
            f"{(held + indexed) / done:16,.0f}{held / done:19,.0f}"
            if before
            else f"{'unknown':>16}{'':19}"
        )
        say(f"{done:12,}{size / spent:16,.0f}{done / seconds:10,.0f}{sizes}")
    began = time.process_time()
    clusters = dedup.clusters()
    seconds += time.process_time() - began
    found = count / seconds
    say(
        f"{count:,} records in {seconds:.1f} CPU s, clusters included: {found:,.0f} a second; "
        f"{goal(found, AT_SCALE)}"
    )
    say(
        f"comparisons that were passed over, because too many records share a key: "
        f"{dedup.passed_over:,}"
    )
    say(
        "(bytes: growth of the resident set, which counts what the allocator keeps; tracemalloc "
        "would take hours)"
    )
    result = truth(works, clusters)
    tally = result.tally
    say(
        f"checked against how they were made: P {tally.precision:.4f}, R {tally.recall:.4f}, "
        f"{tally.false} false pairs"
    )
    return (found < AT_SCALE) + single_calls(library)


def slices(count: int) -> list[int]:
    size = max(1, -(-count // 10))
    return [min(size, count - start) for start in range(0, count, size)]


def truth(works: Sequence[int], clusters: list[list[int]]) -> SetFigures:
    blank = Record(source="")
    labelled = LabelledSet(
        name="", records=[blank] * len(works), origins=[None] * len(works), works=works
    )
    return score(labelled, clusters)


def single_calls(library: Library) -> int:
    """How long one `add` takes at 100,000 records: insert a record and tell what that changed."""
    records = [record for _, record in library.records(INDEXED + TIMED)]
    dedup = OnlineDedup(DEFAULT)
    for record in records[:INDEXED]:
        dedup.insert(record)
    dedup.changes()  # a stream has told all of this long ago
    times = []
    for record in records[INDEXED:]:
        began = time.thread_time_ns()
        dedup.add(record)
        times.append((time.thread_time_ns() - began) / 1e6)
    times.sort()
    p99 = times[len(times) * 99 // 100]
    say(
        f"one add at {INDEXED:,} records: p50 {times[len(times) // 2]:.3f} ms, p99 {p99:.3f} ms, "
        f"max {times[-1]:.3f} ms; {goal(p99, P99, most=True)}"
    )
    return p99 > P99


# --------------------------------------------------------------------------- growth


def grown(count: int) -> tuple[float, float, float]:
    """(CPU seconds of a whole job from record to works, bytes a record that it holds in the end,
    bytes of a record itself).

    All records are there before the job begins, as those of files are.
    """
    gc.collect()
    before = resident()
    records = [record for _, record in Library().records(count)]
    gc.collect()
    made = resident()
    dedup = OnlineDedup(DEFAULT)
    with garbage_collection.rarely():
        began = time.process_time()
        for record in records:
            dedup.insert(record)
        dedup.clusters()
        spent = time.process_time() - began
    gc.collect()
    return spent, (resident() - made) / count, (made - before) / count


def growth(count: int) -> int:
    """Time and memory of a tenth, a third and all of the records, each in a process of its own."""
    found: list[tuple[int, float]] = []
    held = 0.0
    say(f"{'records':>12}{'CPU s':>10}{'exponent':>10}{'bytes above':>13}{'the record':>12}")
    for size in (max(1, count // 10), max(2, int(count / math.sqrt(10))), max(3, count)):
        with multiprocessing.get_context("spawn").Pool(1) as process:
            spent, held, itself = process.apply(grown, (size,))
        exponent = _exponent(*found[-1], size, spent) if found else 0.0
        found.append((size, spent))
        said = f"{exponent:10.2f}" if exponent else f"{'':10}"
        say(f"{size:12,}{spent:10.1f}{said}{held:13,.0f}{itself:12,.0f}")
    overall = _exponent(*found[0], *found[-1])
    say(
        f"{held:,.0f} bytes a record above the record itself; "
        f"{goal(held, BYTES_A_RECORD, most=True)}"
    )
    reached = "reached" if overall < EXPONENT else "MISSED"
    say(f"exponent {overall:.2f} between a tenth and all; goal < {EXPONENT}: {reached}")
    return (held > BYTES_A_RECORD) + (overall >= EXPONENT)


def _exponent(few: int, short: float, many: int, long: float) -> float:
    return math.log(long / short) / math.log(many / few)


# --------------------------------------------------------------------------- hostile sets


def hostile() -> int:
    """Sets made to blow up whoever compares all that share a key: time must grow as the records
    do."""
    missed = 0
    sizes = (2_500, 5_000, 10_000)
    say(
        f"{'CPU seconds':36}{''.join(f'{size:>10,}' for size in sizes)}"
        f"{'last doubling':>15}{'passed over':>13}"
    )
    for name, make in HOSTILE.items():
        seconds: list[float] = []
        for size in sizes:
            if not seconds or seconds[-1] < PATIENCE:
                dedup, _, spent = cluster(make(size), DEFAULT)
                seconds.append(spent)
        growth = seconds[-1] / seconds[-2]
        blown = len(seconds) < len(sizes) or (growth > LINEAR and seconds[-1] > 1)
        shown = "".join(f"{it:10.2f}" for it in seconds).ljust(10 * len(sizes))
        say(
            f"{name:36}{shown}{growth:14.1f}x{dedup.passed_over:13,}"
            f"{'  NOT LINEAR' if blown else ''}"
        )
        missed += blown
    return missed


# --------------------------------------------------------------------------- the peer


def peer(python: str) -> int:
    """bib-dedupe on the respiratory set in the same run, in an interpreter that has it."""
    folder = SETS / "respiratory"
    if not folder.is_dir():
        say("bib-dedupe: there is no labelled set here to measure it on")
        return 0
    script = Path(__file__).with_name("peer.py")
    done = subprocess.run(
        [python, str(script), str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
        say(f"bib-dedupe cannot be run by {python}: {reason}")
        say(
            "  python3 -m venv peer && peer/bin/pip install bib-dedupe, then --peer peer/bin/python"
        )
        return 0
    theirs = json.loads(done.stdout)
    it = datasets.read(folder)
    number = {record.source_id: index for index, record in enumerate(it.records)}
    clusters = [[number[identifier] for identifier in members] for members in theirs["clusters"]]
    speed, other = rate(it.records), float(theirs["records"] / theirs["seconds"])
    ours, bib = score(it, cluster(it.records, DEFAULT)[1]), score(it, clusters)
    say(f"{'respiratory':36}{'rec/CPU s':>10}{'F1':>8}{'false':>7}{'missed':>8}")
    for name, figure, result in (("metasearch", speed, ours), ("bib-dedupe", other, bib)):
        tally = result.tally
        say(f"{name:36}{figure:10,.0f}{tally.f1:8.4f}{tally.false:7}{tally.missed:8}")
    say(f"{speed / other:.0f} times as fast; {goal(speed / other, TIMES_PEER)}")
    return speed / other < TIMES_PEER


def main() -> int:
    """Run one part here, or each in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--records", type=int, default=100_000, help="of the parts `scale` and `growth`"
    )
    parser.add_argument("--part", choices=PARTS, help="only this one")
    parser.add_argument(
        "--peer",
        default=sys.executable,
        metavar="PYTHON",
        help="an interpreter that has bib-dedupe",
    )
    options = parser.parse_args()
    if options.records < 1:
        parser.error("--records must be 1 or more")
    match options.part:
        case "sets":
            return min(1, sets())
        case "scale":
            return min(1, scale(options.records))
        case "growth":
            return min(1, growth(options.records))
        case "hostile":
            return min(1, hostile())
        case "peer":
            return min(1, peer(options.peer))
    failed = False
    for part in PARTS:
        command = [
            sys.executable,
            "-m",
            "benchmarks.dedup",
            "--records",
            str(options.records),
            "--peer",
            options.peer,
        ]
        failed |= subprocess.run([*command, "--part", part], check=False).returncode != 0
        say()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
