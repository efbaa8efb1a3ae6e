"""Selectors: one language for each kind of body, compiled once, when a spec is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from metasearch.adapters.select.xml import html_texts, xml_texts

#: Kind of a body -> what makes strings of the nodes that a selector finds in it. Selectors in other
#: kinds find no nodes.
TEXTS: Mapping[str, Callable[[Any], Any]] = {"xml": xml_texts, "html": html_texts}
