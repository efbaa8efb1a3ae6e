"""A terminal that a process writes to."""

from __future__ import annotations

import os


def seen_on(ours: int) -> str:
    """All that comes to our end of a terminal until the other one is closed; ours is closed then,
    too."""
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:  # Linux tells the end of a terminal in this way
        pass
    finally:
        os.close(ours)
    return seen.decode()
