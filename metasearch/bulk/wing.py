"""What this wing adds: de-duplication of files, its evaluation, and the published strategies."""

from __future__ import annotations

from metasearch.wing import Wing

WING = Wing(
    commands={
        "dedup": "metasearch.bulk.commands:dedup",
        "strategies": "metasearch.bulk.commands:strategies",
        "evaluate": "metasearch.bulk.commands:evaluate",
    },
    rows="metasearch.bulk.evaluate.rows:read_rows",
    strategies="metasearch.bulk.published:STRATEGIES",
)
