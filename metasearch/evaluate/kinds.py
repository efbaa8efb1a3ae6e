"""What was done to records that went wrong: right, false and missed pairs by their kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from metasearch.evaluate.labelled import LabelledSet
from metasearch.evaluate.metrics import Tally, homes


def by_kind(labelled: LabelledSet, clusters: Iterable[Sequence[int]]) -> dict[str, Tally] | None:
    """Kind, in alphabetical order -> the pairs that hold a record of it; None where the set tells
    no kinds.

    A pair of two kinds counts for both. A kind whose records are works of their own has no right
    and no missed pairs.
    """
    kinds, works = labelled.kinds, labelled.works
    if kinds is None or works is None:
        return None
    home = homes(clusters, len(labelled.records))
    found, true = _touched(home, kinds), _touched(works, kinds)
    right = _touched(zip(home, works, strict=True), kinds)
    return {
        kind: Tally(right[kind], found[kind] - right[kind], true[kind] - right[kind])
        for kind in sorted(set(kinds))
    }


def _touched(labels: Iterable[Hashable], kinds: Sequence[str]) -> Counter[str]:
    """Kind -> pairs of equal label in which at least one record is of that kind."""
    labels = list(labels)
    sizes = Counter(labels)
    out: Counter[str] = Counter()
    for (label, kind), count in Counter(zip(labels, kinds, strict=True)).items():
        out[kind] += count * (count - 1) // 2 + count * (sizes[label] - count)
    return out
