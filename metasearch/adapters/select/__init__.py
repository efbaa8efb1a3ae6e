"""Selectors: one language for each kind of body, compiled once, when a spec is loaded."""

from __future__ import annotations

from typing import Any

from metasearch.adapters.select.html import html_text
from metasearch.adapters.select.xml import text_of


def as_strings(found: Any, body: str) -> Any:
    """What a selector found in a body of this kind, with nodes turned into their texts."""
    if body in ("json", "marcxml") or found is None or isinstance(found, bool):
        return found
    if isinstance(found, (str, float, int)):
        return text_of(found)
    turn = text_of if body == "xml" else html_text
    return [turn(item) for item in found]
