"""The styles in which citations are written; importing this module loads none of them."""

from __future__ import annotations

from collections.abc import Mapping

#: Name -> what it is.
STYLES: Mapping[str, str] = {
    "gb7714-2025": "GB/T 7714-2025, numbered, in force since 2026-07-01",
    "gb7714-2015": "GB/T 7714-2015, numbered",
}
DEFAULT_STYLE = "gb7714-2025"
