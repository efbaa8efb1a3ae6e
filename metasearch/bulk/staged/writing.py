"""Works of a job in an export format, by worker processes: formats in which a file is nothing but
one record after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from metasearch.bulk import export
from metasearch.bulk.job import Outcome
from metasearch.bulk.staged.pool import in_order
from metasearch.bulk.staged.works import StagedWorks

#: Records of which a process writes the works in one go.
STRETCH = 10_000
#: The files of two halves of the works, one after the other, are that of all.
ONE_AFTER_ANOTHER = frozenset({"endnote-tagged", "marc", "nbib", "noteexpress", "refworks", "ris"})


def write(
    name: str, outcome: Outcome, workers: int, *, provenance: bool = False
) -> Iterator[bytes]:
    """What `export.write` gives, by worker processes.

    Args:
        name: One of `ONE_AFTER_ANOTHER`.
        outcome: What the job has done; its works are `StagedWorks`.
        workers: Processes.
        provenance: As there.

    Raises:
        UsageError: A worker was killed, or a part of the works is damaged.
    """
    works = outcome.works
    assert isinstance(works, StagedWorks)
    stretches = (replace(outcome, works=some) for some in works.divided(STRETCH))
    return in_order(partial(_written, name, provenance), stretches, workers)


def _written(name: str, provenance: bool, outcome: Outcome) -> bytes:
    return b"".join(export.write(name, outcome, provenance=provenance))
