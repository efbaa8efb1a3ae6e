"""Databases that do harm: hostile pages, and every fault of the simulated databases, with what came
of it.

    python3 tasks.py bench faults [--part pages|simulated] [--only NAME] [--face server] [--tries 1]
                                  [--pairs] [--random 300] [--seed 0] [--processes 1]

The part `pages`: one database sends what is made to stop the others, beside three that are well,
and is asked through the engine, `metasearch serve` and `metasearch search`. Each search must end
with its deadline and hold all records of the healthy sources, its process must not grow, and a
signal must end it. It needs nothing but this checkout.

The part `simulated`: each fault of the simulated databases alone, in pairs and at random. All
records of the healthy sources must be in the answer, each bad source must be named with its reason
and an advice, the answer must come within the deadline, nothing may be raised unseen, and no task,
socket or file may be left. The waits between tries are shortened, so that a search takes as long as
its slowest source. It needs the simulated databases.

Exits 1 where one of these does not hold.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import urllib.request
from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchmarks import upstreams
from benchmarks.faults.cases import DATABASES, at_random, pairs, singles
from benchmarks.faults.expected import EXPECTED
from benchmarks.faults.searched import BACKOFF, in_processes, searched, tell_wrong
from benchmarks.faults.table import summary, table
from benchmarks.pages import PAGES, judged
from benchmarks.pages.faces import FACES
from metasearch.adapters.fetch import exchange

PARTS = ("pages", "simulated")


def beside_pages(names: Sequence[str], faces: Sequence[str], tries: int) -> int:
    """Print what comes of each page, line by line; how many searches violate the rules."""
    print(f"{judged.heading()}", flush=True)
    found = []
    with judged.bench() as bench:
        for outcome in judged.outcomes(bench, [PAGES[name] for name in names], faces, tries):
            found.append(outcome)
            print(judged.line(outcome), flush=True)
    print()
    for outcome in found:
        for text in outcome.wrong:
            print(f"  VIOLATION  {outcome.page.name} ({outcome.page.what}), {outcome.face}: {text}")
    print(f"\n{judged.summary(found)}")
    return sum(bool(outcome.wrong) for outcome in found)


def beside_faults(options: argparse.Namespace) -> int:
    """Print a line for each fault, and a summary for each way to combine them; how many things do
    not hold."""
    exchange.BACKOFF = BACKOFF
    wrong = 0
    with upstreams.mock(DATABASES, "--port2", str(upstreams.free_port())) as base:
        parts = [("each fault alone", list(singles([options.only] if options.only else EXPECTED)))]
        if not options.only:
            parts += [("in pairs", list(pairs(options.seed)))] if options.pairs else []
            parts += (
                [("at random", list(at_random(options.random, options.seed)))]
                if options.random
                else []
            )
        for title, cases in parts:
            if title == "at random" and options.processes > 1:
                outcomes = in_processes(cases, base, options.processes)
            else:
                outcomes = asyncio.run(searched(cases, base, tell_wrong))
            if title == parts[0][0]:
                table(outcomes)
            summary(title, outcomes)
            wrong += sum(len(it.wrong) for it in outcomes)
        reached = _canaries(base)
    if any(reached.values()):
        print(f"VIOLATION  something was sent where nothing may be: {dict(reached)}")
    return wrong + sum(reached.values())


def _canaries(base: str) -> Counter[str]:
    """Requests that reached the port which nothing may reach: through a redirect, or through an
    entity."""
    with urllib.request.urlopen(f"{base}/stats") as response:
        stats: dict[str, Any] = json.load(response)
    return Counter({name: stats[name] for name in ("redirect_canary", "xxe_canary")})


def main() -> int:
    """Print tables; exit 1 on a violation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS, help="this part alone")
    parser.add_argument("--only", metavar="NAME", help="this page or fault alone and nothing else")
    parser.add_argument(
        "--face",
        choices=FACES,
        action="append",
        help="ask pages by this way alone; may be repeated",
    )
    parser.add_argument(
        "--tries", type=int, default=1, help="best of so many searches beside a page that does harm"
    )
    parser.add_argument(
        "--pairs", action="store_true", help="also every two faults together (3 to 5 minutes)"
    )
    parser.add_argument(
        "--random", type=int, default=300, metavar="N", help="searches on 10 databases; 0 for none"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="of the random searches and of the pairs' places"
    )
    parser.add_argument(
        "--processes", type=int, default=1, help="that the random searches are shared among"
    )
    options = parser.parse_args()
    if not 0 <= options.random <= 10_000:
        parser.error("--random is between 0 and 10,000")
    if not 1 <= options.processes <= 64:
        parser.error("--processes is between 1 and 64")
    if not 1 <= options.tries <= 10:
        parser.error("--tries is between 1 and 10")
    if options.only is not None and options.only not in {*EXPECTED, *PAGES}:
        parser.error(
            f"there is no page or fault {options.only!r}; there are "
            f"{', '.join((*PAGES, *EXPECTED))}"
        )
    parts = [options.part] if options.part else [*PARTS]
    if options.only:
        parts = ["pages"] if options.only in PAGES else ["simulated"]
    wrong = 0
    if "pages" in parts:
        wrong += beside_pages(
            [options.only] if options.only else list(PAGES),
            options.face or list(FACES),
            options.tries,
        )
    if "simulated" in parts:
        if upstreams.MOCK.exists():
            wrong += beside_faults(options)
        else:
            print(
                "\nThe simulated databases are not beside this checkout; their faults are not "
                "tried."
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
