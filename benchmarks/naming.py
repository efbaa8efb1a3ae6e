"""How many works keep their id when fewer sources are asked: the way that hits are named, beside
others.

    python3 tasks.py bench naming [--shared]

Every subset of the sources is de-duplicated anew (of ten sources a fixed sample). A work counts
where a subset has some of its records and not all of them, for with all of them it keeps its id in
any way of naming.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks import upstreams
from metasearch.dedup import DEFAULT, Fingerprint, OnlineDedup
from metasearch.dedup import hits as naming
from metasearch.demo.catalogue import EXAMPLE_QUERIES
from metasearch.demo.server import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.record import Hit, Record

#: Subsets of more sources than eight that are tried.
SAMPLE = 130
MOCK_QUERIES = ("soil", "gene", "graph", "coral")

#: The records of a work -> what it is called.
Scheme = Callable[[Sequence[Fingerprint]], str]


def _most(values: Iterator[str]) -> str:
    said = [value for value in values if value]
    return min(said, key=lambda value: (-said.count(value), value), default="")


def _smallest(prints: Sequence[Fingerprint]) -> str:
    return min(it.record_key for it in prints)


def _bibliographic(prints: Sequence[Fingerprint], *, year: bool) -> str:
    title, author = (
        _most(it.compact for it in prints),
        _most(min(it.first, default="") for it in prints),
    )
    return f"{title}|{author}|{_most(str(it.year or '') for it in prints) if year else ''}"


def _doi_first(prints: Sequence[Fingerprint]) -> str:
    return (
        _most(it.doi or "" for it in prints)
        or min((name for it in prints for name in it.ids), default="")
        or _bibliographic(prints, year=False)
    )


def _most_common_key(prints: Sequence[Fingerprint]) -> str:
    return naming.most_common(map(naming.key_of, prints))[1]


SCHEMES: Mapping[str, Scheme] = {
    "smallest record (before)": _smallest,
    "DOI, identifier, title + author": _doi_first,
    "whole title + author + year": lambda prints: _bibliographic(prints, year=True),
    "whole title + author": lambda prints: _bibliographic(prints, year=False),
    "most common key (chosen)": _most_common_key,
}


def subsets(records: Sequence[Record]) -> Iterator[list[Record]]:
    """The records of every proper subset of their sources, or of a sample of these."""
    names = sorted({it.source for it in records})
    chosen = [
        set(some) for count in range(1, len(names)) for some in itertools.combinations(names, count)
    ]
    if len(names) > 8:
        chosen = random.Random(20).sample(chosen, SAMPLE)
    for some in chosen:
        yield [it for it in records if it.source in some]


def hits(records: Sequence[Record]) -> list[Hit]:
    """The hits of an answer that has these records."""
    stage = OnlineDedup(DEFAULT)
    for it in records:
        stage.insert(it)
    return stage.hits()


def found_again(records: Sequence[Record]) -> Iterator[tuple[Hit, list[Hit]]]:
    """(a work, the hits that hold its records in the answer of a subset), where that lacks some of
    them."""
    home = {it.key: hit for hit in hits(records) for it in hit.records}
    for some in subsets(records):
        again: dict[str, list[Hit]] = {}
        works = {}
        for hit in hits(some):
            for whole in {home[it.key].id: home[it.key] for it in hit.records}.values():
                works[whole.id] = whole
                again.setdefault(whole.id, []).append(hit)
        for name, parts in again.items():
            if {it.key for part in parts for it in part.records} < {
                it.key for it in works[name].records
            }:
                yield works[name], parts


def shares(searches: Sequence[Sequence[Record]]) -> tuple[int, dict[str, float]]:
    """(works found again with fewer records, name of a scheme -> share of them that keep their id).

    "as given" are the ids that hits really have, where works that share a key are told apart.
    """
    prints: dict[str, Fingerprint] = {}
    kept = dict.fromkeys([*SCHEMES, "as given"], 0)
    total = 0
    for records in searches:
        prints.update((it.key, Fingerprint(it)) for it in records)
        for whole, parts in found_again(records):
            total += 1
            for name, scheme in SCHEMES.items():
                called, *others = (
                    scheme([prints[it.key] for it in hit.records]) for hit in (whole, *parts)
                )
                kept[name] += called in others
            kept["as given"] += any(part.id == whole.id for part in parts)
    return total, {name: count / max(total, 1) for name, count in kept.items()}


async def demo(queries: Sequence[str] = EXAMPLE_QUERIES) -> list[list[Record]]:
    """What all sources of the demo answer to each query."""
    async with DemoDatabases(latency=0) as databases, Engine(databases.settings()) as engine:
        answers = [await engine.search(query, per_source=100) for query in queries]
    return [[it for hit in answer.hits for it in hit.records] for answer in answers]


async def mocked(queries: Sequence[str] = MOCK_QUERIES) -> list[list[Record]]:
    """What ten simulated databases answer to each query."""
    shapes = [upstreams.SHAPES[number % len(upstreams.SHAPES)] for number in range(10)]
    with upstreams.mock(len(shapes)) as base:
        async with Engine(upstreams.settings(base, shapes)) as engine:
            answers = [await engine.search(query) for query in queries]
    return [[it for hit in answer.hits for it in hit.records] for answer in answers]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="naming", description="How many works keep their id with fewer sources."
    )
    parser.add_argument(
        "--shared", action="store_true", help="The simulated databases beside the checkout, too."
    )
    wanted = parser.parse_args(arguments)
    measured = {"demo": shares(asyncio.run(demo()))}
    if wanted.shared:
        measured["simulated databases"] = shares(asyncio.run(mocked()))
    for place, (total, found) in measured.items():
        print(f"{place}: {total:,} works found again with fewer records")
        for name, share in found.items():
            print(f"  {name:34}{share:7.1%}")


if __name__ == "__main__":
    main()
