"""What a program calls that searches now and then: `search` and `search_sync`, each with an engine
of its own.

Their options are those of `Engine.search`, written out, so that editors and type checkers know
them.
"""

from __future__ import annotations

from collections.abc import Hashable

from metasearch.adapters.specs.ownspecs import SourcesLike
from metasearch.engine.engine import Engine
from metasearch.engine.search import Search
from metasearch.events import Answer
from metasearch.loop.blocking import completed
from metasearch.query import Query, YearsLike
from metasearch.record import VersionsMode
from metasearch.settings import Settings


def search(  # noqa: D417 - the other options are explained once, at `Engine.search`
    query: str | Query,
    *,
    settings: Settings | None = None,
    sources: SourcesLike | None = None,
    start: int = 0,
    limit: int | None = None,
    years: YearsLike | None = None,
    per_source: int | None = None,
    timeout: float | None = None,
    wait: float | None = None,
    cache: bool = True,
    versions: VersionsMode | None = None,
    dedup: str | None = None,
    user: Hashable = None,
    syntax: str = "auto",
    enrich: SourcesLike | None = None,
) -> Search:
    """Search with an engine of its own, which is closed when the search is done.

        answer = await metasearch.search("gene drives", sources="crossref,pubmed", years=(2018,
        None)) answer = asyncio.run(metasearch.search("gene drives"))

    Args:
        query: Text, or a tree.
        settings: None takes the defaults without a cache.
        sources: As those of `Engine.search`, where all options are explained, and so are the
            others.

    Raises:
        UsageError: The query or an option cannot be used.
        SpecError: A spec in use is wrong.
    """
    return Engine(settings or Settings(), single=True).search(
        query,
        sources=sources,
        start=start,
        limit=limit,
        years=years,
        per_source=per_source,
        timeout=timeout,
        wait=wait,
        cache=cache,
        versions=versions,
        dedup=dedup,
        user=user,
        syntax=syntax,
        enrich=enrich,
    )


def search_sync(  # noqa: D417 - as above
    query: str | Query,
    *,
    settings: Settings | None = None,
    sources: SourcesLike | None = None,
    start: int = 0,
    limit: int | None = None,
    years: YearsLike | None = None,
    per_source: int | None = None,
    timeout: float | None = None,
    wait: float | None = None,
    cache: bool = True,
    versions: VersionsMode | None = None,
    dedup: str | None = None,
    user: Hashable = None,
    syntax: str = "auto",
    enrich: SourcesLike | None = None,
) -> Answer:
    """Search, and wait for the answer; for programs without a loop, and for notebooks, whose loop
    runs already.

        answer = metasearch.search_sync("gene drives", sources="crossref,pubmed", years="2018-")

    Args:
        query: Text, or a tree.
        settings: None takes the defaults without a cache.
        sources: As those of `Engine.search`, where all options are explained, and so are the
            others.

    Raises:
        UsageError: The query or an option cannot be used.
        SpecError: A spec in use is wrong.
    """
    return completed(
        lambda: search(
            query,
            settings=settings,
            sources=sources,
            start=start,
            limit=limit,
            years=years,
            per_source=per_source,
            timeout=timeout,
            wait=wait,
            cache=cache,
            versions=versions,
            dedup=dedup,
            user=user,
            syntax=syntax,
            enrich=enrich,
        )
    )
