"""Which searches are made: what is asked, and which of the databases have which fault."""

from __future__ import annotations

import random
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from benchmarks import upstreams
from benchmarks.faults.expected import EXPECTED, WAIT, shape_of, told
from metasearch.settings import Settings

DATABASES, ROWS, QUERY = 10, 20, "soil"
#: Seconds that a source has whose fault is that no answer comes, and that every other source and
#: the search have.
IMPATIENT, DEADLINE = 0.3, 8.0
#: Seconds of the deadline in the searches that are left waiting until then, and one of how many
#: random ones is.
SHORT_DEADLINE, TO_THE_DEADLINE = 2.0, 25
#: Bytes of one body.
MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Case:
    """One search.

    Attributes:
        faults: Number of a database -> its fault.
        databases: Numbers of those that are asked, the bad ones among them.
        to_the_deadline: Whether databases that do not answer are waited for as long as the search
            lasts.
    """

    faults: Mapping[int, str]
    databases: tuple[int, ...] = tuple(range(DATABASES))
    to_the_deadline: bool = False

    @property
    def deadline(self) -> float:
        """Seconds that the search has."""
        return SHORT_DEADLINE if self.to_the_deadline else DEADLINE

    @property
    def label(self) -> str:
        """Which fault is where."""
        return ", ".join(
            f"{fault} on db{number} ({shape_of(number)})" for number, fault in self.faults.items()
        )

    def settings(self, base: str) -> Settings:
        """The databases as sources of a search."""
        tables = upstreams.tables(base, [shape_of(number) for number in range(DATABASES)], DEADLINE)
        sources = {f"db{number}": tables[f"db{number}"] for number in self.databases}
        for number, fault in self.faults.items():
            table = sources[f"db{number}"]
            waits = told(fault, shape_of(number)) is WAIT and not self.to_the_deadline
            limits = {
                **table["limits"],
                "max_bytes": MAX_BYTES,
                "timeout": IMPATIENT if waits else DEADLINE,
            }
            url = f"{table['url']}?fault={urllib.parse.quote(fault)}"
            sources[f"db{number}"] = {**table, "url": url, "limits": limits}
        return Settings(
            sources=sources,
            default_sources=tuple(sources),
            allow=frozenset({base.removeprefix("http://")}),
        )


def singles(faults: Iterable[str] = EXPECTED) -> Iterator[Case]:
    """Each fault on one of four databases, in each shape; those that wait also until the
    deadline."""
    for fault in faults:
        for number in range(len(upstreams.SHAPES)):
            yield Case({number: fault}, tuple(range(4)))
    for fault in faults:
        if EXPECTED[fault] is WAIT:
            yield Case({0: fault}, tuple(range(4)), to_the_deadline=True)


def pairs(seed: int) -> Iterator[Case]:
    """Each two faults on two of five databases, the shapes drawn."""
    draw = random.Random(seed)
    for two in combinations(EXPECTED, 2):
        yield Case(dict(zip(draw.sample(range(5), 2), two, strict=True)), tuple(range(5)))


def at_random(count: int, seed: int) -> Iterator[Case]:
    """Ten databases, of which one to nine have a fault."""
    draw = random.Random(seed)
    faults = tuple(EXPECTED)
    for _ in range(count):
        bad = draw.sample(range(DATABASES), draw.randint(1, DATABASES - 1))
        yield Case(
            {n: draw.choice(faults) for n in sorted(bad)},
            to_the_deadline=not draw.randrange(TO_THE_DEADLINE),
        )
