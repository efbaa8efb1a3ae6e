"""What the positions of a hit in the lists of the sources are worth.

A hit scores n^0.25 times the sum of w / (5 + position) over the n sources that hold it. This is
reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009) with three changes:

- The constant is 5 and not 60, because sources here are cut to a few dozen records and none is
  complete: a good first position is not outvoted by several middling ones.
- n^0.25 rewards agreement beyond the sum, as CombMNZ does (Fox and Shaw, TREC-2, 1993), less
  steeply.
- w depends on how far the other sources agree with the first works of this source, which is the
  idea of weighting systems by their mutual agreement (Wu and McClean, "Performance prediction of
  data fusion for information retrieval", 2006), without scores or training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from metasearch.record import Record

#: Added to each position.
K = 5
#: Positions below this one add nothing: deep in a list, chance decides.
DEPTH = 100
#: A source's first works, by which its agreement with the others is measured.
FIRST = 10
#: With fewer sources than this every weight is 1: agreement of so few is chance.
LEAST_SOURCES = 5
#: Exponent of the number of sources that hold a hit.
AGREEMENT = 0.25


def best_positions(records: Sequence[Record]) -> dict[str, int]:
    """Source -> its best position for the hit that these records make, in the order of the names;
    from 1, at most DEPTH.
    """
    if len(records) == 1:  # as most hits have
        position = max(1, records[0].position)
        return {records[0].source: position} if position <= DEPTH else {}
    best: dict[str, int] = {}
    for record in records:
        position = max(1, record.position)
        if position <= DEPTH and position < best.get(record.source, DEPTH + 1):
            best[record.source] = position
    return dict(sorted(best.items())) if len(best) > 1 else best


def source_weights(hits: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """The weight of each source by its agreement with the others; 1.0 is the average.

    `hits`: for each hit, source -> position. Returns source -> weight from 0.5 upwards; empty where
    fewer than LEAST_SOURCES sources answered or no two of them agree.
    """
    sources = {source for positions in hits for source in positions}
    if len(sources) < LEAST_SOURCES:
        return {}
    gained: dict[str, list[float]] = {source: [] for source in sources}
    possible: dict[str, list[float]] = {source: [] for source in sources}
    for positions in hits:
        for source, position in positions.items():
            if position > FIRST:
                continue
            discount = 1 / math.log2(position + 1)
            others = [1 / (K + place) for name, place in positions.items() if name != source]
            gained[source].append(discount * math.fsum(others))
            possible[source].append(discount)
    # fsum, because its result does not depend on the order in which the hits arrived.
    shares = {
        source: math.fsum(gained[source]) / math.fsum(possible[source]) if gained[source] else 0.0
        for source in sources
    }
    mean = math.fsum(shares.values()) / len(shares)
    if not mean:
        return {}
    return {source: 0.5 + 0.5 * share / mean for source, share in shares.items()}
