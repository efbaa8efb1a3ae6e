"""Functions for a program that searches now and then: `search` and `search_sync`, each with an
engine of its own.
"""

from __future__ import annotations

import asyncio
from typing import Unpack

from metasearch.engine.engine import Engine
from metasearch.engine.options import SearchKeywords, SearchOptions
from metasearch.engine.search import Search
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.query import Query
from metasearch.settings import Settings


def search(
    query: str | Query | SearchOptions,
    *,
    settings: Settings | None = None,
    **options: Unpack[SearchKeywords],
) -> Search:
    """Search with an engine of its own, which is closed when the search is done.

        answer = await metasearch.search("gene drives", sources="crossref,pubmed", years="2018-")
        answer = asyncio.run(metasearch.search("gene drives"))

    Args:
        query: Text, a tree, or options that hold one.
        settings: None takes the defaults without a cache.
        **options: Fields of `SearchOptions`; they replace those of `query`.

    Raises:
        UsageError: The query or an option cannot be used.
        SpecError: A spec in use is wrong.
    """
    return Engine(settings or Settings(), single=True).search(query, **options)


def search_sync(
    query: str | Query | SearchOptions,
    *,
    settings: Settings | None = None,
    **options: Unpack[SearchKeywords],
) -> Answer:
    """Search, and wait for the answer; for programs without an event loop. Where one runs, as in a
    notebook, `await metasearch.search(...)` gives the same answer.

        answer = metasearch.search_sync("gene drives", sources="crossref,pubmed", years="2018-")

    Args:
        query: Text, a tree, or options that hold one.
        settings: None takes the defaults without a cache.
        **options: Fields of `SearchOptions`; they replace those of `query`.

    Raises:
        UsageError: The query or an option cannot be used, or an event loop runs in this thread.
        SpecError: A spec in use is wrong.
    """
    if _loop_runs():
        raise UsageError(
            "search_sync would stop the event loop that runs in this thread",
            advice="Use `await metasearch.search(...)`.",
        )
    return asyncio.run(search(query, settings=settings, **options))


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
