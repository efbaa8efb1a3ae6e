"""Texts: fingerprints a second, an index of signatures that grows, and every strategy on sets of
three sizes.

    python3 tasks.py bench text [--part features|fingerprints|index|growth]

Beside the first two, in the same run, the package `simhash` of PyPI (leonsim/simhash), as it comes.
CPU is `time.process_time`; of each figure the best of several rounds, ours and theirs by turns.
Exit 1 where a figure misses its goal.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import math
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate, combinations
from pathlib import Path
from typing import Any

from benchmarks.near import Texts
from metasearch.bulk.evaluate import datasets
from metasearch.bulk.published.simhash import BigramSimHash, SimHash
from metasearch.dedup import STRATEGIES, OnlineDedup, fingerprint, window_simhash
from metasearch.dedup.signatures import Signatures
from metasearch.record import Record

SETS = Path(__file__).resolve().parents[2] / "shared" / "data" / "neardup"
PARTS = ("features", "fingerprints", "index", "growth")
ROUNDS = 5
#: Goals: times as many fingerprints a second as PyPI's simhash, by language; and for the index at
#: most this share of its time, and bytes an entry.
TIMES = {"zh": 12.0, "en": 8.0}
INDEX_SHARE, ENTRY_BYTES = 0.35, 20.0
STREAM, DISTANCE = 10_000, 12
#: The sizes of sets on which Zhang and Guo (2014) measured time.
SIZES = (124, 1_191, 10_287)
#: How much longer than a set's growth the default may take.
NEAR_LINEAR = 1.5


def say(text: str = "") -> None:
    print(text, flush=True)


def told(reached: bool) -> str:
    return "reached" if reached else "MISSED"


def peer() -> Any:
    """PyPI's simhash, or None, and said so."""
    try:
        import simhash
    except ImportError:
        say("(PyPI's simhash is not here to be compared with: pip install simhash)")
        return None
    return simhash


def texts(language: str) -> list[str]:
    """Titles with abstracts: real ones where there are some, else made up."""
    path = SETS / f"base_{language}.jsonl.gz"
    if path.exists():
        rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()][:400]
        return [f"{row['title']} {row['abstract']}" for row in rows]
    say(f"({path} is not there: the texts are made up)")
    return [f"{record.title} {record.abstract}" for _, record in Texts(language).records(400)]


def by_turns(*jobs: Callable[[], object]) -> list[float]:
    """CPU seconds of each job, the best of some rounds in which all take their turns."""
    best = [float("inf")] * len(jobs)
    for _ in range(ROUNDS):
        for place, job in enumerate(jobs):
            gc.collect()
            began = time.process_time()
            job()
            best[place] = min(best[place], time.process_time() - began)
    return best


def one_by_one(found: Sequence[str]) -> None:
    for text in found:
        window_simhash.signatures([text])


def hashed_by(module: Any, found: Sequence[str]) -> None:
    for text in found:
        module.Simhash(text)


def fingerprints() -> int:
    """Signatures of whole texts a second."""
    module, missed = peer(), 0
    say(
        f"{'fingerprints per CPU second':30}{'texts':>6}{'letters':>9}"
        f"{'ours':>9}{'one by one':>12}{'simhash':>9}"
    )
    for language in TIMES:
        found = texts(language)
        jobs: list[Callable[[], object]] = [
            partial(window_simhash.signatures, found),
            partial(one_by_one, found),
        ]
        if module:
            jobs.append(partial(hashed_by, module, found))
        ours, alone, *theirs = (len(found) / spent for spent in by_turns(*jobs))
        letters = sum(map(len, found)) / len(found)
        name = "Chinese" if language == "zh" else "English"
        row = f"{name:30}{len(found):6}{letters:9.0f}{ours:9,.0f}{alone:12,.0f}"
        if theirs:
            times = ours / theirs[0]
            row += (
                f"{theirs[0]:9,.0f}  {times:.1f} times; goal {TIMES[language]:.0f}: "
                f"{told(times >= TIMES[language])}"
            )
            missed += times < TIMES[language]
        say(row)
    return missed


def features() -> int:
    """What signatures of windows, words and pairs of words find of edited copies, each alone, and
    what they cost."""
    of_words: Mapping[str, Any] = {"words": SimHash(), "pairs of words": BigramSimHash()}
    for language in TIMES:
        works, records = copies(language)
        prints = list(map(fingerprint, records))
        whole = [f"{record.title} {record.abstract}" for record in records]
        found: dict[str, list[int | None]] = {}
        began = time.process_time()
        found["windows"] = window_simhash.signatures(whole)
        seconds = [time.process_time() - began]
        for name, matcher in of_words.items():
            matcher.signature(prints[0])
            began = time.process_time()
            found[name] = [matcher.signature(it) for it in prints[1:]]
            found[name].insert(0, matcher.signature(prints[0]))
            seconds.append(time.process_time() - began)
        say(
            f"{'signatures of ' + language:24}{'us a text':>10}"
            f"{'R, 3 bits':>11}{'R, 12 bits':>12}{'P, 12 bits':>12}"
        )
        for (name, signatures), spent in zip(found.items(), seconds, strict=True):
            right, false, true = near_pairs(works, signatures)
            shares = f"{right[3] / true:11.3f}{right[DISTANCE] / true:12.3f}"
            precision = right[DISTANCE] / max(1, right[DISTANCE] + false[DISTANCE])
            say(f"{name:24}{1e6 * spent / len(records):10.0f}{shares}{precision:12.3f}")
        say()
    return 0


def copies(language: str) -> tuple[Sequence[int], Sequence[Record]]:
    """Records with edited copies, and their works: the labelled set where it is there, else made up
    ones."""
    path = SETS / f"{language}_dev.jsonl.gz"
    if not path.exists():
        works, records = zip(*Texts(language).records(2_000), strict=True)
        return works, records
    labelled = datasets.read(path)
    assert labelled.works is not None
    return labelled.works, labelled.records


def near_pairs(
    works: Sequence[int], signatures: Sequence[int | None]
) -> tuple[list[int], list[int], int]:
    """(true pairs within 0, 1, ... bits, false ones, all true pairs)."""
    right, false = [0] * (DISTANCE + 1), [0] * (DISTANCE + 1)
    for (one, a), (two, b) in combinations(zip(works, signatures, strict=True), 2):
        if a is not None and b is not None and (distance := (a ^ b).bit_count()) <= DISTANCE:
            (right if one == two else false)[distance] += 1
    sizes = Counter(works).values()
    return (
        list(accumulate(right)),
        list(accumulate(false)),
        sum(size * (size - 1) // 2 for size in sizes),
    )


def index() -> int:
    """A stream of records: look for near ones, then enter it; exact within 12 bits, beside an index
    for 3 bits."""
    module = peer()
    made = [f"{record.title} {record.abstract}" for _, record in Texts("en").records(STREAM)]
    signatures = [it for it in window_simhash.signatures(made) if it is not None]

    def ours() -> Signatures:
        table = Signatures()
        for number, signature in enumerate(signatures):
            table.near(signature, DISTANCE)
            table.add(number, signature)
        return table

    def theirs() -> None:
        table = module.SimhashIndex([], k=3)
        for number, signature in enumerate(hashed):
            table.get_near_dups(signature)
            table.add(str(number), signature)

    hashed = [module.Simhash(signature) for signature in signatures] if module else []
    spent, *other = by_turns(*([ours, theirs] if module else [ours]))
    size = ours().bytes / len(signatures)
    say(
        f"{len(signatures):,} records one by one: {1e6 * spent / len(signatures):.1f} us each "
        f"within {DISTANCE} bits"
    )
    say(f"{size:.1f} bytes an entry; goal <= {ENTRY_BYTES:.0f}: {told(size <= ENTRY_BYTES)}")
    missed = size > ENTRY_BYTES
    if other:
        share = spent / other[0]
        say(
            f"simhash.SimhashIndex within 3 bits: {1e6 * other[0] / len(signatures):.1f} us each; "
            f"ours takes"
        )
        say(f"{share:.2f} of that; goal <= {INDEX_SHARE}: {told(share <= INDEX_SHARE)}")
        missed |= share > INDEX_SHARE
    return missed


def growth(sizes: Sequence[int] = SIZES) -> int:
    """CPU seconds of each strategy on made-up texts; the exponent says how time grows: 1 is linear,
    2 quadratic."""
    missed = 0
    for language in ("en", "zh"):
        records = [record for _, record in Texts(language).records(max(sizes))]
        say(
            f"{'CPU seconds, ' + language:22}"
            f"{''.join(f'{size:>10,}' for size in sizes)}{'exponent':>10}"
        )
        for strategy in STRATEGIES.values():
            strategy.load()
            spent = []
            for size in sizes:
                gc.collect()
                began = time.process_time()
                dedup = OnlineDedup(strategy.chain, versions="separate")
                dedup.extend(map(fingerprint, records[:size]))
                dedup.clusters()
                spent.append(time.process_time() - began)
            grows = exponent(sizes, spent)
            blown = strategy.name == "default" and grows > NEAR_LINEAR
            row = f"{strategy.name:22}{''.join(f'{it:10.3f}' for it in spent)}{grows:10.2f}"
            say(row + ("  MISSED: near-linear" if blown else ""))
            missed += blown
        say()
    return missed


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """How time grows with the last step of size."""
    return math.log(seconds[-1] / seconds[-2]) / math.log(sizes[-1] / sizes[-2])


def main() -> int:
    """Run one part here, or each in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS, help="only this one")
    part = parser.parse_args().part
    if part:
        return min(
            1,
            {"features": features, "fingerprints": fingerprints, "index": index, "growth": growth}[
                part
            ](),
        )
    failed = False
    for part in PARTS:
        failed |= (
            subprocess.run(
                [sys.executable, "-m", "benchmarks.text", "--part", part], check=False
            ).returncode
            != 0
        )
        say()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
