"""XML that is written as text, a record at a time, for MODS, Dublin Core and EndNote."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr


def one(tag: str, text: str, /, **attributes: str) -> str:
    """An element with this text, which holds no control characters; "" for no text."""
    return f"<{tag}{_shown(attributes)}>{escape(text)}</{tag}>" if text else ""


def nested(tag: str, /, *inner: str, **attributes: str) -> str:
    """An element with these in it; "" where all of them are empty."""
    whole = "".join(inner)
    return f"<{tag}{_shown(attributes)}>{whole}</{tag}>" if whole else ""


def _shown(attributes: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
