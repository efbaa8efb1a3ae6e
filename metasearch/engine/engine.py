"""The engine: what searches share, and how a search is prepared. `search.py` and `run.py` go on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from metasearch.adapters.fetch.fetch import Fetcher, SourceState
from metasearch.adapters.fetch.health import CAUSES, LONGEST_PAUSE, Pause
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import SourcesLike, is_path, names_of
from metasearch.dedup import strategy
from metasearch.dedup.pins import Pins
from metasearch.engine.inquiry import Inquiry
from metasearch.engine.options import (
    SearchKeywords,
    SearchOptions,
    check,
    search_options,
)
from metasearch.engine.pages import PositionStore
from metasearch.engine.resolve import ResolvedSearch, resolve_options
from metasearch.engine.results import AnswerCache, EngineState, WorkStore
from metasearch.engine.scheduler import FairScheduler, Warmup
from metasearch.engine.search import MOST, Search, SharedRuns
from metasearch.errors import MetasearchError
from metasearch.message import message
from metasearch.query import Query
from metasearch.replicas import Alone, Sharing, SharingState
from metasearch.settings import Settings
from metasearch.settings.server import NO_PAGES

if TYPE_CHECKING:
    from metasearch.adapters.fetch.transport import Transport
    from metasearch.cache import Store
    from metasearch.engine.citations import CitationOptions, CitationSearch
    from metasearch.engine.lookup import Journal, Lookup, LookupOptions, WantedWork, WorkState


log = logging.getLogger(__name__)

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
        transport: What sends the requests, in place of the network: for simulations. It is closed
            with the engine.
        pins: What a person decided to be the same or different; None takes the file that the
            settings name.
        single: Whether the engine is for one search, and is closed when that is done.
        spec_files: Whether a source may be named by the path of its spec file. Pass False where
            names come from a network: a path among them would make this machine read a file.

    Raises:
        UsageError: The settings name a strategy that does not exist.
        PinsError: The file of the pins cannot be used.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        replay: Path | None = None,
        record: Path | None = None,
        recorded_as: Mapping[str, str] | None = None,
        transport: Transport | None = None,
        pins: Pins | None = None,
        single: bool = False,
        spec_files: bool = True,
    ) -> None:
        self.settings = settings
        self._recorded_as = recorded_as or {}
        self.strategy = strategy(settings.strategy)
        self._pins = Pins.load(settings.pins) if pins is None else pins
        self._warmup = Warmup()
        self._scheduler = FairScheduler()
        self._position_store = PositionStore()
        self._shared_runs = SharedRuns(max(1, MOST // settings.workers))
        self._single = single
        self.registry = Registry(settings, files=spec_files)
        # Without a cache, and where exchanges are recorded, every search asks its sources.
        store = None if replay or record else _store(settings)
        # A replay asks nobody, so there is nothing to share.
        sharing = Alone() if replay is not None else _sharing(settings, self.registry)
        self._fetcher = _fetcher(
            settings, store, replay, record, self._recorded_as, transport, sharing
        )
        sharing.listen(self._begin_pause)
        self.answer_cache = AnswerCache(repeats_only=store is None)
        #: Works that were shown, to be asked for by their ids.
        self.works = WorkStore(store)

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
        """Shares the loop among all that computes on it."""
        return self._scheduler

    def source_states(self) -> list[SourceState]:
        """The health of every source, by the last searches."""
        return [self._fetcher.state(name) for name in self.registry.names()]

    async def ready(self, sources: SourcesLike | None = None) -> None:
        """Build the specs of sources that are not built yet in a thread: all together take 0.1 s.

        Args:
            sources: Names of sources and groups; None takes all. Spec files are not among them:
                each search reads those that it names.
        """
        registry = self.registry
        named = [str(name) for name in names_of(sources) or () if not is_path(name)]
        names = registry.lacks(registry.names() if sources is None else registry.expand(named))
        if len(names) > BUILT_AT_ONCE:
            await asyncio.to_thread(registry.build, names)

    def pause(self, pause: Pause) -> None:
        """Leave a source alone because it asked another process to; the listener of `when_paused`
        is not called.

        Raises:
            UsageError: There is no such source, or the wait is longer than any.
            SpecError: The spec of the source is wrong.
        """
        check("seconds", pause.seconds, 0, LONGEST_PAUSE)
        self._fetcher.heed(pause, self.registry.spec(pause.source).limits)

    def on_pause(self, listener: Callable[[Pause], None] | None) -> None:
        """Set what is called when a pause of a source begins; None removes it."""
        self._fetcher.listen(listener)

    @property
    def sharing(self) -> SharingState:
        """How limits and pauses are shared with other replicas."""
        return self._fetcher.sharing.state

    async def take(self, client: str, limit: int, window: float) -> tuple[float, bool]:
        """Counts a request of a client of this server over all replicas; see `Sharing.take`.

        Raises:
            Away: Nothing is shared now.
        """
        return await self._fetcher.sharing.take(client, limit, window)

    def _begin_pause(self, source: str, cause: str, seconds: float) -> None:
        """A pause that began in another replica."""
        known = CAUSES.get(cause)
        if known is None:
            return
        reason = message("another replica of this server has to wait")
        try:
            self.pause(Pause(source, known, min(seconds, LONGEST_PAUSE), reason))
        except MetasearchError as exc:  # a spec that is wrong here is told by the next search
            log.debug("a pause of %s was not heeded: %s", source, exc)

    def search(
        self, query: str | Query | SearchOptions | ResolvedSearch, **options: Unpack[SearchKeywords]
    ) -> Search:
        """Prepare a search; it runs when it is iterated or awaited.

        Args:
            query: Text, a tree, or options that hold one; or what `resolve` has made of them, which
                takes no further options.
            **options: Fields of `SearchOptions`; they replace those of `query`.

        Raises:
            UsageError: The query or an option cannot be used.
            SpecError: A spec in use is wrong.
        """
        if isinstance(query, ResolvedSearch):
            asked = query
        else:
            asked = self.resolve(search_options(query, options))
        shared, close = self._state(), self.close if self._single else None
        return Search(shared, asked, self._shared_runs, close)

    def inquiry(self, options: SearchOptions, *, record: Path | None = None) -> Inquiry:
        """Prepare to ask sources one by one, for a program that keeps their records, or counts
        their hits, and needs no merged list.

        Args:
            options: The query, the sources, `per_source`, `timeout` (of each source, from the
                moment at which it is asked), `cache` and `user`; what shapes a list is not used.
            record: Folder to keep every page in that is used, as `Engine(replay=...)` reads it.

        Raises:
            UsageError: The query or an option cannot be used.
            SpecError: A spec in use is wrong.
        """
        from metasearch.adapters.fetch.cassette import keep

        kept = None if record is None else partial(keep, record, recorded_as=self._recorded_as)
        return Inquiry(self._state(), self.resolve(options), kept)

    def lookup(
        self,
        works: Iterable[WantedWork],
        options: LookupOptions | None = None,
        *,
        is_settled: Callable[[WorkState], bool] | None = None,
        journal: Journal | Path | None = None,
        record: Path | None = None,
    ) -> Lookup:
        """Prepare to look up a list of works; it runs when it is iterated.

        Args:
            works: Each key once.
            is_settled: Whether no further source need be asked for a work; None asks until one of
                them knows it.
            journal: A file in which answers are kept until all works are done: a lookup that was
                stopped goes on with what stands there. An open journal is not closed.
            record: As of `inquiry`.

        Raises:
            UsageError: There are too many works, or no source can be asked.
        """
        from metasearch.engine.lookup import Lookup, LookupOptions, is_known

        return Lookup(
            self, works, options or LookupOptions(), is_settled or is_known, journal, record
        )

    def cite(
        self,
        seeds: Iterable[WantedWork],
        options: CitationOptions | None = None,
        *,
        journal: Path | None = None,
        record: Path | None = None,
    ) -> CitationSearch:
        """Prepare a search for the works that some works cite, and those that cite them; it runs
        when it is iterated. `journal` and `record`: as in `lookup`.

        Raises:
            UsageError: There are too many works, or no source can be asked.
        """
        from metasearch.engine.citations import CitationOptions, CitationSearch

        return CitationSearch(self, seeds, options or CitationOptions(), journal, record)

    def resolve(self, options: SearchOptions) -> ResolvedSearch:
        """Read the query of a search and check its options; nothing is begun. May be called in
        another thread once `ready` has loaded the sources: a long query takes a while.

        Raises:
            UsageError: The query or an option cannot be used.
            SpecError: A spec in use is wrong.
        """
        return resolve_options(
            options, self.registry, self.settings, self.strategy, self._pins, self._position_store
        )

    def _state(self) -> EngineState:
        return EngineState(
            self.settings,
            self._fetcher,
            self._warmup,
            self._scheduler,
            self.answer_cache,
            self._position_store,
        )


def _store(settings: Settings) -> Store | None:
    if settings.cache_dir is None:
        return None
    from metasearch.cache import DiskStore

    return DiskStore(settings.cache_dir, settings.cache_bytes)


def _fetcher(
    settings: Settings,
    store: Store | None,
    replay: Path | None,
    record: Path | None,
    recorded_as: Mapping[str, str],
    transport: Transport | None,
    sharing: Sharing,
) -> Fetcher:
    if replay is not None:
        from metasearch.adapters.fetch.cassette import ReplayTransport

        return Fetcher(ReplayTransport(replay), None, patience=0)
    transport = transport or transport_of(settings)
    if record is not None:
        from metasearch.adapters.fetch.cassette import RecordTransport

        # What is recorded must have been sent, so no page may come from the cache.
        return Fetcher(RecordTransport(transport, record, recorded_as), None, sharing=sharing)
    return Fetcher(transport, store, sharing=sharing)


def _sharing(settings: Settings, registry: Registry) -> Sharing:
    shared = settings.shared
    if not shared.url:
        return Alone()
    from metasearch.replicas.connection import KeyNames, RedisConnection, secret_of
    from metasearch.replicas.pages import RedisPages
    from metasearch.replicas.redis import RedisSharing

    connection, names = RedisConnection(shared.url), KeyNames(secret_of(shared.url, shared.secret))
    pages = None
    if shared.pages != NO_PAGES:
        pages = RedisPages(RedisConnection(shared.pages) if shared.pages else connection, names)
    return RedisSharing(
        connection,
        names,
        replicas=shared.replicas * settings.workers,
        sources=registry.names,
        pages=pages,
    )


def transport_of(settings: Settings) -> Transport:
    """The transport of these settings, for URLs of all schemes; the caller has to close it."""
    from metasearch.adapters.fetch.transport import HttpTransport, SchemeTransport

    http = HttpTransport(allow=settings.allow, user_agent=settings.user_agent)
    return SchemeTransport(
        http, {"z3950": partial(_z3950, settings), "collection": partial(_collections, settings)}
    )


def _collections(settings: Settings) -> Transport:
    from metasearch.collections.search import CollectionTransport

    return CollectionTransport(settings.collections_dir)


def _z3950(settings: Settings) -> Transport:
    from metasearch.adapters.fetch.z3950 import Z3950Transport

    return Z3950Transport(allow=settings.allow)
