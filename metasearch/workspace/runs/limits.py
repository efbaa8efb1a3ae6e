"""What holds of a run for whom it is made: asked before the sources are, and before each answer is
stored. The command line has no such limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from metasearch.record import Record


class RunLimits(Protocol):
    """What a user may take by a run; each method refuses by an error with advice."""

    async def begins(self, searches: int, sources: int) -> None:
        """Count a run: each of its steps is a search of so many sources. Raises QuotaExceeded: it
        may not be made; nothing is counted.
        """

    async def brings(self, records: Sequence[Record]) -> None:
        """Check that records may be stored. Raises QuotaExceeded: they would be too many."""
