"""What this wing adds: de-duplication of files, its evaluation, and the published strategies."""

from __future__ import annotations

from metasearch.wing import Wing

WING = Wing(
    commands={
        "dedup": "metasearch.cli.dedup:dedup",
        "strategies": "metasearch.cli.strategies:strategies",
        "evaluate": "metasearch.cli.evaluate:evaluate",
    },
    strategies="metasearch.dedup.published.strategies:STRATEGIES",
)
