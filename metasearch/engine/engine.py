"""The engine: what searches share, and how one is prepared. The path of a query goes on in
`run.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from metasearch.adapters.fetch.fetch import Fetcher, SourceState
from metasearch.adapters.fetch.health import LONGEST_PAUSE, Pause
from metasearch.adapters.specs.ownspecs import SourcesLike, is_path, names_of
from metasearch.adapters.specs.registry import Registry
from metasearch.dedup import strategy
from metasearch.dedup.pins import Pins
from metasearch.engine.answers import AnswerCache
from metasearch.engine.context import Shared
from metasearch.engine.options import SearchKeywords, SearchOptions, check, search_options
from metasearch.engine.pages import PositionStore
from metasearch.engine.resolved import resolved
from metasearch.engine.scheduler import FairScheduler, Warmup
from metasearch.engine.search import MOST, Search, SharedRuns
from metasearch.query import Query
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.adapters.fetch.transport import Transport

#: Specs that are built on the loop, in a few milliseconds each.
BUILT_AT_ONCE = 2


class Engine:
    """Everything that searches share: connections, cache, throttles, and the sources' states.

    One a process, made inside the running loop and used as an async context manager.

    Args:
        settings: The configuration.
        replay: Folder of recorded exchanges to answer from, instead of the network.
        record: Folder to record every exchange in.
        recorded_as: Origin ("http://127.0.0.1:49200") -> the one under which its exchanges are
            recorded, for servers whose addresses change from run to run.
        pins: What is decided to be the same or different; None takes the file that the settings
            name.
        single: It is there for one search, and closed when that is done.
        spec_files: Whether a source may be named by the path of its spec file. False for whoever
            passes on what others have sent: a path in it would have a file of this machine read.

    Raises:
        UsageError: There is no strategy of the name that stands in the settings.
        PinsError: That file cannot be used.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        replay: Path | None = None,
        record: Path | None = None,
        recorded_as: Mapping[str, str] | None = None,
        pins: Pins | None = None,
        single: bool = False,
        spec_files: bool = True,
    ) -> None:
        self.settings = settings
        self.strategy = strategy(settings.strategy)
        self._pins = Pins.load(settings.pins) if pins is None else pins
        self._warmup = Warmup()
        self._scheduler = FairScheduler()
        self._position_store = PositionStore()
        self._shared_runs = SharedRuns(max(1, MOST // settings.workers))
        self._single = single
        self.registry = Registry(settings, files=spec_files)
        self._fetcher = _fetcher(settings, replay, record, recorded_as or {})
        # Where somebody wants no cache, or wants to see what is sent, every search is asked anew.
        self.answer_cache = (
            AnswerCache() if settings.cache_dir is not None and not (replay or record) else None
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the searches that still go on, and close connections and cache."""
        await self._shared_runs.close()
        await self._fetcher.close()

    @property
    def scheduler(self) -> FairScheduler:
        """Where whatever computes on the loop waits for its turn."""
        return self._scheduler

    def source_states(self) -> list[SourceState]:
        """The health of every source, as the last searches found it."""
        return [self._fetcher.state(name) for name in self.registry.names()]

    async def ready(self, sources: SourcesLike | None = None) -> None:
        """Build the specs of some sources off the loop, where one is not built yet: together they
        take 0.1 s.

        Args:
            sources: Names of sources and groups; None takes all. A spec file is read by each search
                that names it.
        """
        registry = self.registry
        named = [str(name) for name in names_of(sources) or () if not is_path(name)]
        names = registry.lacks(registry.names() if sources is None else registry.expand(named))
        if len(names) > BUILT_AT_ONCE:
            await asyncio.to_thread(registry.build, names)

    def pause(self, pause: Pause) -> None:
        """Leave a source alone as another process does, to which it said so; what listens here is
        not told.

        Raises:
            UsageError: There is no such source, or the wait is longer than any.
            SpecError: The spec of the source is wrong.
        """
        check("seconds", pause.seconds, 0, LONGEST_PAUSE)
        self._fetcher.heed(pause, self.registry.spec(pause.source).limits)

    def when_paused(self, listener: Callable[[Pause], None] | None) -> None:
        """Have each wait told, when it begins, that a source's answers or its silence lead to; None
        ends that.
        """
        self._fetcher.listen(listener)

    def search(
        self, query: str | Query | SearchOptions, **options: Unpack[SearchKeywords]
    ) -> Search:
        """Prepare a search; it runs when it is iterated or awaited.

        Args:
            query: Text, a tree, or options that hold one.
            **options: Fields of `SearchOptions`; they replace those of `query`.

        Raises:
            UsageError: The query or an option cannot be used.
            SpecError: A spec in use is wrong.
        """
        asked = resolved(
            search_options(query, options), self.registry, self.settings, self.strategy, self._pins
        )
        shared = Shared(
            self.settings,
            self._fetcher,
            self._warmup,
            self._scheduler,
            self.answer_cache,
            self._position_store,
        )
        return Search(shared, asked, self._shared_runs, self.close if self._single else None)


def _fetcher(
    settings: Settings, replay: Path | None, record: Path | None, recorded_as: Mapping[str, str]
) -> Fetcher:
    from metasearch.adapters.fetch.cassette import RecordTransport, ReplayTransport

    if replay is not None:
        return Fetcher(ReplayTransport(replay), None, patience=0)
    transport = transport_of(settings)
    if record is not None:
        # What is recorded must have been sent, so no page may come from the cache.
        return Fetcher(RecordTransport(transport, record, recorded_as), None)
    if settings.cache_dir is None:
        return Fetcher(transport, None)
    from metasearch.cache import DiskStore

    return Fetcher(transport, DiskStore(settings.cache_dir, settings.cache_bytes))


def transport_of(settings: Settings) -> Transport:
    """What sends the requests of these settings, whatever the scheme of their URLs; whoever takes
    it closes it.
    """
    from metasearch.adapters.fetch.transport import HttpTransport, SchemeTransport

    http = HttpTransport(allow=settings.allow, user_agent=settings.user_agent)
    return SchemeTransport(
        http, {"z3950": partial(_z3950, settings), "collection": partial(_collections, settings)}
    )


def _collections(settings: Settings) -> Transport:
    from metasearch.collections.transport import CollectionTransport

    return CollectionTransport(settings.collections_dir)


def _z3950(settings: Settings) -> Transport:
    from metasearch.adapters.fetch.z3950 import Z3950Transport

    return Z3950Transport(allow=settings.allow)
