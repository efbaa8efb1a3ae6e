"""What the publications claim of their algorithms, measured on tasks like theirs."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from metasearch.bulk.evaluate.datasets import LabelledSet
from metasearch.bulk.evaluate.run import Tally, cluster, score
from metasearch.bulk.published.simhash import SignatureNeighbours
from metasearch.dedup import STRATEGIES, Fingerprint, fingerprint
from metasearch.record import Record

#: Themes that are looked for: the largest ones, as many as in the paper of the weighted SimHash.
THEMES = 5
#: Of a discipline so many records must be there for a set of its own.
LEAST_OF_A_DISCIPLINE = 20


@dataclass(frozen=True, slots=True)
class Themed:
    """A record and its discipline."""

    record: Record
    discipline: str


def themed(path: Path, half: str) -> list[Themed]:
    """The records of one half of a base set whose rows name a discipline."""
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    return [
        Themed(
            Record(
                source="base", source_id=row["id"], title=row["title"], abstract=row["abstract"]
            ),
            row["discipline"],
        )
        for row in rows
        if row["half"] == half
    ]


def disciplines(path: Path) -> dict[str, str]:
    """Id -> discipline, of a base set."""
    rows = (json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines())
    return {row["id"]: row["discipline"] for row in rows}


def closeness(name: str) -> Callable[[Fingerprint, Fingerprint], float]:
    """How near a strategy sees two records; larger is nearer."""
    (matcher,) = STRATEGIES[name].chain.matchers
    if isinstance(matcher, SignatureNeighbours):
        return lambda a, b: (
            -float(((matcher.signature(a) or 0) ^ (matcher.signature(b) or 0)).bit_count())
        )
    (laxest,) = STRATEGIES[name].at(0.0).matchers

    def near(a: Fingerprint, b: Fingerprint) -> float:
        match = laxest.compare(a, b)
        return match.score if match else 0.0

    return near


def theme_auc(records: Sequence[Themed], name: str) -> float:
    """How well a strategy tells the records of a theme from others.

    It is the probability that two of one theme are nearer than one of the theme and one of another:
    0.5 is chance, and ties count half.
    """
    near = closeness(name)
    prints = [fingerprint(it.record) for it in records]
    themes = {theme for theme, _ in Counter(it.discipline for it in records).most_common(THEMES)}
    same: Counter[float] = Counter()
    other: Counter[float] = Counter()
    for a, b in combinations(range(len(records)), 2):
        one, two = records[a].discipline, records[b].discipline
        if one in themes or two in themes:
            (same if one == two else other)[near(prints[a], prints[b])] += 1
    return _auc(same, other)


def _auc(same: Mapping[float, int], other: Mapping[float, int]) -> float:
    below, won = 0, 0.0
    for value in sorted({*same, *other}):
        won += same.get(value, 0) * (below + other.get(value, 0) / 2)
        below += other.get(value, 0)
    return won / (sum(same.values()) * sum(other.values()))


def within_disciplines(
    labelled: LabelledSet, disciplines: Mapping[str, str], names: Iterable[str]
) -> dict[str, Tally]:
    """Each strategy on the records of each discipline for itself, counted together.

    Args:
        labelled: A set whose works are known.
        disciplines: That of each record, by `source_id` up to a tilde: what stands behind it names
            a copy.
        names: Of strategies.
    """
    assert labelled.works is not None
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, record in enumerate(labelled.records):
        discipline = disciplines.get(record.source_id.partition("~")[0])
        if discipline:
            places[discipline].append(place)
    found: dict[str, Tally] = {}
    for name in names:
        tallies = []
        for of_one in places.values():
            if len(of_one) >= LEAST_OF_A_DISCIPLINE:
                part = _part(labelled, of_one)
                _, clusters, _ = cluster(part.records, STRATEGIES[name].chain)
                tallies.append(score(part, clusters).tally)
        found[name] = Tally(
            *(
                sum(column)
                for column in zip(*((it.right, it.false, it.missed) for it in tallies), strict=True)
            )
        )
    return found


def _part(labelled: LabelledSet, places: Sequence[int]) -> LabelledSet:
    assert labelled.works is not None
    chosen: dict[str, Any] = {
        "records": [labelled.records[place] for place in places],
        "origins": [labelled.origins[place] for place in places],
        "works": [labelled.works[place] for place in places],
    }
    return LabelledSet(name=labelled.name, **chosen)
