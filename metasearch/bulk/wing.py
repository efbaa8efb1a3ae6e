"""What this wing adds: de-duplication of files, its evaluation, and the published strategies."""

from __future__ import annotations

from metasearch.wing import Wing

WING = Wing(
    commands={
        "dedup": "metasearch.bulk.dedup_command:dedup",
        "strategies": "metasearch.cli.strategies:strategies",
        "evaluate": "metasearch.bulk.evaluate_command:evaluate",
    },
    strategies="metasearch.bulk.published:STRATEGIES",
)
