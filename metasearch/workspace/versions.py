"""Changes of what two people may have open at once: who sends what was made with an older version
is shown both, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metasearch.errors import Conflict


def check(
    sent: int | None, standing: int, text: str, yours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> None:
    """Check that a change was made with what stands now; to be called inside its transaction.

    `sent`: the version that it was made with; None where that is not asked. `yours`: name -> what
    was sent, where that is otherwise than what stands now. Nothing: who sends again what was done
    already, as after a lost answer, loses nobody's work. `theirs`: name -> what stands now. Raises
    Conflict: it was made with another version, and would change something.
    """
    if sent is not None and sent != standing and yours:
        raise Conflict(text, yours=yours, theirs=theirs, version=standing)
