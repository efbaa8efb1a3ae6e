"""Selectors: one language for each kind of body, compiled once, when a spec is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metasearch.adapters.select.html import html_text
from metasearch.adapters.select.xml import element_text, text_of


def texts_of(body: str) -> Callable[[Any], Any] | None:
    """What makes strings of the nodes that a selector finds in a body of this kind; None where it
    finds no nodes.
    """
    return _OF_NODES.get(body)


def as_strings(found: Any, body: str) -> Any:
    """What a selector found in a body of this kind, with nodes turned into their texts."""
    texts = _OF_NODES.get(body)
    return found if texts is None else texts(found)


def _xml_texts(found: Any) -> Any:
    if type(found) is list:
        return [item if type(item) is str else element_text(item) for item in found]
    return _scalar(found)


def _html_texts(found: Any) -> Any:
    if found is None or isinstance(found, (bool, str, float, int)):
        return _scalar(found)
    return [html_text(item) for item in found]


def _scalar(found: Any) -> Any:
    return found if found is None or isinstance(found, bool) else text_of(found)


_OF_NODES: dict[str, Callable[[Any], Any]] = {"xml": _xml_texts, "html": _html_texts}
