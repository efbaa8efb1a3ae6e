"""What a known record costs in memory: fingerprint, signatures, and place in the index."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Sequence

from metasearch.dedup import Chain, OnlineDedup
from metasearch.record import Record, VersionsMode

#: So many records are enough to tell, and being traced they take several times as long.
TRACED = 500


def retained(records: Sequence[Record], chain: Chain, versions: VersionsMode = "separate") -> float:
    """Bytes a record that are free again when the dedup stage goes: of the first `TRACED` records,
    without themselves.

    What is shared (interned words, bounded caches, dictionaries) is not counted, nor is what
    libraries allocate behind Python's back. It takes several times as long as it would untraced, so
    nothing else is measured meanwhile.
    """
    some = records[:TRACED]
    if not some:
        return 0.0
    ours = not tracemalloc.is_tracing()
    if ours:
        tracemalloc.start()
    try:
        dedup = OnlineDedup(chain, versions=versions)
        for record in some:
            dedup.insert(record)
        dedup.clusters()
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        del dedup
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
        return max(0, held - left) / len(some)
    finally:
        if ours:
            tracemalloc.stop()
