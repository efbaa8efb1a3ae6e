"""Works of a job as files, by worker processes: files that are nothing but one work after another.
What is told of the job is counted on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from metasearch.bulk import clusters, export
from metasearch.bulk.job import MergedWork, Outcome, Works
from metasearch.bulk.staged.pool import in_order
from metasearch.bulk.staged.works import StagedWorks
from metasearch.bulk.telling import Telling

#: Records of which a process writes the works in one go.
STRETCH = 10_000
#: The files of two halves of the works, one after the other, are that of all.
ONE_AFTER_ANOTHER = frozenset({"endnote-tagged", "marc", "nbib", "noteexpress", "refworks", "ris"})


def write(
    name: str,
    outcome: Outcome,
    workers: int,
    *,
    provenance: bool = False,
    telling: Telling | None = None,
) -> Iterator[bytes]:
    """What `export.write` gives, by worker processes.

    `name`: one of `ONE_AFTER_ANOTHER`. `outcome`: what the job has done; its works are
    `StagedWorks`. `telling`: looks at all works, in other processes; what it has to tell is known
    when all is written. Raises UsageError: a worker was killed, or a part of the works is damaged.
    """
    written = partial(_written, name, provenance, telling is not None)
    for part, told in in_order(written, _stretches(outcome), workers):
        if telling is not None and told is not None:
            telling.join(told)
        yield part


def write_clusters(outcome: Outcome, workers: int) -> Iterator[bytes]:
    """What `clusters.parts` gives, by worker processes; arguments and errors as in `write`."""
    return in_order(clusters.write, _stretches(outcome), workers)


def _stretches(outcome: Outcome) -> Iterator[Outcome]:
    works = outcome.works
    assert isinstance(works, StagedWorks)
    return (replace(outcome, works=some) for some in works.divided(STRETCH))


def _written(
    name: str, provenance: bool, tells: bool, outcome: Outcome
) -> tuple[bytes, Telling | None]:
    telling = Telling(outcome, name) if tells else None
    if telling is not None:
        outcome = replace(outcome, works=_Seen(outcome.works, telling))
    return b"".join(export.write(name, outcome, provenance=provenance)), telling


@dataclass(frozen=True, slots=True)
class _Seen:
    """Works that are looked at while somebody goes through them, which must be done once."""

    works: Works
    telling: Telling

    def __len__(self) -> int:
        return len(self.works)

    def __iter__(self) -> Iterator[MergedWork]:
        for work in self.works:
            self.telling.add(work)
            yield work
