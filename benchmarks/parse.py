"""Reading pages: CPU of a record, from the bytes of a body to `Record`s, on real answers of each
source.

    python3 tasks.py bench parse [SOURCE ...] [--profile]

The answers are those of shared/data/payloads that are pages of results; where the folder is absent,
nothing is measured. CPU is `time.process_time`, the best of several rounds, the collector of
garbage off. The goals are for the median source of each kind: a record can be as long as its source
likes, and half of the time is its parser's.
"""

from __future__ import annotations

import argparse
import cProfile
import csv
import gc
import pstats
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from metasearch.adapters.parse.bodies import kind_of, load
from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.errors import MetasearchError
from metasearch.settings import Settings

PAYLOADS = Path(__file__).resolve().parents[2] / "shared" / "data" / "payloads"
#: Folder of payloads -> the source whose pages lie in it; every other folder is named after its
#: source.
FOLDERS = {
    "arxiv-oai-pmh": "arxiv", "bmc": "springer", "cinii-articles": "cinii",
    "citeseerx": "repository",
    "cnki-html": "cnki", "cnki-patents-html": "cnki-patents", "datacite-oai": "repository",
    "dpla-oai": "repository",
    "erudit-oai": "repository", "google-scholar-html": "google-scholar", "inspire-hep": "inspire",
    "loc-sru": "loc",
    "ndl-search": "ndl", "oai-generic": "repository", "oai-repositories": "repository",
    "pmc-oai": "repository",
    "primo": "discovery", "sru-generic": "catalogue", "vufind": "library",
    "worldcat-sru": "catalogue",
}  # fmt: skip
#: Sources that are no more than their family, for folders that belong to no database of their own
#: -> the family.
FAMILIES = {"catalogue": "sru", "discovery": "primo", "library": "vufind", "repository": "oai"}
#: Pages with fewer records are single works, of which the envelope costs more than the record.
LEAST_RECORDS = 5
ROUNDS = 9
#: Microseconds a record.
GOALS = {"json": 60.0, "xml": 120.0}


class Cost(NamedTuple):
    """What a record of some pages costs, in microseconds, and of that what its library takes to
    read the body."""

    source: str
    kind: str
    records: int
    bytes: int
    whole: float
    loading: float


def say(text: str = "") -> None:
    print(text, flush=True)


def pages(registry: Registry) -> dict[tuple[str, str], list[tuple[Page, int]]]:
    """(source, kind of body) -> pages of results, and how many records each holds."""
    found: dict[tuple[str, str], list[tuple[Page, int]]] = {}
    with (PAYLOADS / "INDEX.tsv").open(encoding="utf-8", newline="") as rows:
        files = [
            row["file"] for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]
    for file in files:
        folder = file.partition("/")[0]
        source = FOLDERS.get(folder, folder)
        if source not in registry.names():
            continue
        body = (PAYLOADS / file).read_bytes()
        kind = kind_of(body.strip())
        page = Page(
            request=Request(source=source, url="https://a.example/esearch.fcgi", wanted=1000),
            body=body,
        )
        try:
            spec = registry.spec(source)
            records = len(parse(page, spec).records)
        except MetasearchError:  # a message, a person, a journal
            continue
        if records >= LEAST_RECORDS:
            piece = kind == "xml" and all(
                shape.body == "html" for shape in spec.shapes
            )  # of a web page
            found.setdefault((source, "html" if piece else kind), []).append((page, records))
    return found


def cost(source: str, kind: str, held: Sequence[tuple[Page, int]], spec: AdapterSpec) -> Cost:
    """Measure both by turns."""
    whole = loading = float("inf")
    for _ in range(ROUNDS):
        gc.collect()
        gc.disable()
        began = time.process_time()
        for page, _ in held:
            parse(page, spec)
        between = time.process_time()
        for page, _ in held:
            load(kind, page.body.strip(), page, spec)
        ended = time.process_time()
        gc.enable()
        whole, loading = min(whole, between - began), min(loading, ended - between)
    records = sum(count for _, count in held)
    size = sum(len(page.body) for page, _ in held) // records
    return Cost(source, kind, records, size, whole * 1e6 / records, loading * 1e6 / records)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 tasks.py bench parse", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="only these")
    parser.add_argument(
        "--profile", action="store_true", help="show as well which functions take the time"
    )
    options = parser.parse_args()
    if not PAYLOADS.is_dir():
        say(f"(nothing to measure: {PAYLOADS} is not there)")
        return 0
    nowhere = {
        name: {"extends": family, "url": "http://127.0.0.1/x"} for name, family in FAMILIES.items()
    }
    registry = Registry(Settings(sources=nowhere))
    found = {
        key: held
        for key, held in pages(registry).items()
        if not options.sources or key[0] in options.sources
    }
    say("source            body   records   bytes each   us a record   of it loading")
    costs = [
        cost(source, kind, held, registry.spec(source))
        for (source, kind), held in sorted(found.items())
    ]
    for one in costs:
        say(
            f"{one.source:<17} {one.kind:<5} {one.records:>8,} {one.bytes:>12,} "
            f"{one.whole:>13.0f} {one.loading:>15.0f}"
        )
    missed = False
    for kind, goal in GOALS.items():
        of_kind = [one.whole for one in costs if one.kind == kind]
        if of_kind:
            median = statistics.median(of_kind)
            missed |= median > goal
            say(
                f"{kind}: median {median:.0f} us a record (goal {goal:.0f}: "
                f"{'MISSED' if median > goal else 'reached'})"
            )
    if options.profile:
        profile = cProfile.Profile()
        for (source, _), held in found.items():
            for page, _ in held:
                profile.runcall(parse, page, registry.spec(source))
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
