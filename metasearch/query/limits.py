"""The limits of a query, the same in every syntax."""

from __future__ import annotations

#: Characters of a query.
MAX_LENGTH = 20_000
#: Brackets inside brackets.
MAX_DEPTH = 20
#: Words, phrases and year ranges of a query, each counted as one.
MAX_TERMS = 1_000
#: Lines of a strategy.
MAX_LINES = 300

_CORRECTIONS = 8
#: Characters of a text that is corrected more than once: each correction reads all of it.
_CORRECTED = 2_000


def corrections(candidate: str | None) -> int:
    """How many mistakes of a query are corrected one after the other for a suggestion."""
    return _CORRECTIONS if len(candidate or "") <= _CORRECTED else 1
