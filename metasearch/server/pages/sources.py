"""`/sources`: all sources, by group."""

from __future__ import annotations

from collections.abc import Sequence

from metasearch.server.pages.page import Form, page
from metasearch.server.sources import SourceView
from metasearch.server.visit import Visit


def sources_page(visit: Visit, sources: Sequence[SourceView]) -> str:
    """All sources with limits, keys and state."""
    return page("sources.html", visit, "Databases", Form(), sources=sources)
