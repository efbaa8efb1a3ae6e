"""The engine: what searches share, and how a search is prepared. `search.py` and `run.py` go on."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from metasearch import opening
from metasearch.adapters.fetch.fetch import Fetcher, SourceState
from metasearch.adapters.fetch.health import CAUSES, LONGEST_PAUSE, Pause
from metasearch.adapters.request import Page, Request, public
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.spec_folders import SourcesLike, is_path, names_of
from metasearch.dedup import strategy
from metasearch.dedup.pins import Pins
from metasearch.engine.options import (
    LAST_PLACE,
    MAX_PER_SOURCE,
    SearchKeywords,
    SearchOptions,
    check,
    search_options,
)
from metasearch.engine.pages import PositionStore
from metasearch.engine.resolved import Named, ResolvedSearch, resolved
from metasearch.engine.results import AnswerCache, SearchContext, Shared, ShownWorks
from metasearch.engine.scheduler import FairScheduler, Warmup
from metasearch.engine.search import MOST, Search, SharedRuns
from metasearch.engine.source import AskedPage, Inbox, QueryRun
from metasearch.errors import MetasearchError, SourceError
from metasearch.events import SourceReport
from metasearch.loop import GRACE, lag
from metasearch.message import message
from metasearch.query import Query, terms
from metasearch.record import Record
from metasearch.replicas import Alone, Sharing, SharingState
from metasearch.settings import Settings
from metasearch.settings.server import NO_PAGES

if TYPE_CHECKING:
    from metasearch.adapters.fetch.transport import Transport
    from metasearch.cache import Store


# What each source answers to a query, for programs that keep its records, or count its hits, and
# need no merged list. The requests, limits, turns, single flights and the page cache are those of a
# search.

#: Keeps a page; may take a moment, and raises OSError where it cannot.
Keep = Callable[[Page], None]
#: Terms of a query up to which records are filtered on the loop: each takes some 10 µs a record.
FEW_TERMS = 20
#: Records that one source can be asked for.
MOST_RECORDS = LAST_PLACE


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """A request that was made of a source, or of the page cache in its place; it holds no secret.

    Attributes:
        method: "GET" or "POST".
        body: Of a POST: its form fields as pairs, or its text under the name "".
        fetched_at: When its page was fetched, in Unix time; None where no page came.
        cached: Whether the page was in the cache.
    """

    method: str
    url: str
    body: tuple[tuple[str, str], ...] = ()
    fetched_at: float | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAnswer:
    """What one source answered.

    Attributes:
        report: How it fared. Its `total` is None where the source does not say it; 0 where it
            answered that it has nothing.
        records: In its order; none where its hits were only counted.
        requests: What it was asked, in order.
        asked_at: When the oldest page of the answer was fetched, in Unix time; None where no page
            came.
        exact: Whether the total is of the whole query: no clause was lost or applied here.
    """

    source: str
    label: str
    report: SourceReport
    records: tuple[Record, ...] = ()
    requests: tuple[SentRequest, ...] = ()
    asked_at: float | None = None
    exact: bool = True
    spec: str = ""


class Asking:
    """One query for sources that are asked one by one. `keep`: keeps every page that is used, in a
    thread; None keeps none.
    """

    def __init__(self, shared: Shared, resolved: ResolvedSearch, keep: Keep | None = None) -> None:
        self._shared = shared
        self._resolved = resolved
        self._keep = keep
        self._sources = {named.name: named for named in resolved.sources}

    @property
    def query(self) -> str:
        """The query in metasearch's syntax, its years included."""
        return self._resolved.text

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources that can be asked, groups expanded."""
        return tuple(self._sources)

    async def records(self, source: str, most: int) -> SourceAnswer:
        """Ask a source for its first records; its failure is in the report, with the records that
        had come before.

        `most`: records that are wanted, up to `MOST_RECORDS`. Raises UsageError: `most` is outside
        its limits.
        """
        check("per_source", most, 1, MOST_RECORDS)
        rounds = math.ceil(most / MAX_PER_SOURCE)
        run = _AskedSource.of(self._sources[source], self._keep)
        depth = math.ceil(most / rounds)
        context = self._context(run, replace(self._resolved, depth=depth, reach=most))
        await self._within(run, context, partial(self._rounds, run, context))
        return run.answer()

    async def count(self, source: str) -> SourceAnswer:
        """Ask a source how many hits it has, by one request for as few records as it can be asked
        for. It is not sent again where there is no answer.
        """
        run = _AskedSource.of(self._sources[source], self._keep, counts=True)
        context = self._context(run, replace(self._resolved, depth=1, reach=1), again=False)
        await self._within(run, context, partial(run.ask_round, context, _unread()))
        return run.answer()

    def _context(
        self, run: _AskedSource, resolved: ResolvedSearch, *, again: bool = True
    ) -> SearchContext:
        began = asyncio.get_running_loop().time()
        return SearchContext(
            run.id,
            resolved,
            self._shared,
            self._shared.scheduler.turns(),
            began,
            began + resolved.seconds,
            again,
        )

    async def _rounds(self, run: _AskedSource, context: SearchContext) -> None:
        inbox = _unread()
        await run.ask_round(context, inbox)
        while run.more and asyncio.get_running_loop().time() < context.deadline:
            await run.ask_round(context, inbox)

    async def _within(
        self, run: _AskedSource, context: SearchContext, ask: Callable[[], Awaitable[None]]
    ) -> None:
        """Ask until the deadline; a page that came in time is read after it."""
        try:
            with lag().watched():
                async with asyncio.timeout_at(context.deadline + GRACE):
                    await context.turns.next()  # to translate a query takes milliseconds
                    await ask()
        except TimeoutError:
            seconds = asyncio.get_running_loop().time() - context.began
            run.late(seconds, context.resolved.seconds)
        run.ended()


def _unread() -> Inbox:
    """An inbox for batches that nobody merges: only the ends of rounds are put into it."""
    return asyncio.Queue()


@dataclass(slots=True)
class _AskedSource(QueryRun):
    """A source that is asked for a query alone.

    Attributes:
        id: For the log, and for turns at the source.
        keep: Keeps every page; None keeps none.
        records: What it gave; none where its hits are only counted.
    """

    id: str = field(default_factory=lambda: secrets.token_hex(6))
    keep: Keep | None = None
    records: list[Record] = field(default_factory=list)

    @classmethod
    def of(cls, named: Named, keep: Keep | None, *, counts: bool = False) -> _AskedSource:
        """The source at the beginning."""
        return cls(named.name, named.spec, notes=[*named.notes], keep=keep, counts=counts)

    async def fetch(self, request: Request, context: SearchContext) -> Page:
        """See `SourceRun.fetch`; the page is kept in the folder. Raises SourceError: there is no
        answer, or the page cannot be kept.
        """
        page = await QueryRun.fetch(self, request, context)
        if self.keep is not None:
            try:
                await asyncio.to_thread(self.keep, page)
            except OSError as exc:
                raise SourceError(
                    request.source,
                    message("its answer cannot be recorded: {why}", why=opening.why(exc)),
                    url=request.shown,
                    advice=message("Name a folder that can be written to."),
                ) from exc
        return page

    async def _put(
        self, records: Sequence[Record], wanted: int, context: SearchContext, inbox: Inbox
    ) -> None:
        if self.counts:
            kept = list(records)
        elif self._filters_long(context):
            kept = []
            await context.turns.apart(lambda _given_up: kept.extend(self._kept(records, wanted)))
        else:
            kept = self._kept(records, wanted)
        self.count += len(kept)
        self.seconds = asyncio.get_running_loop().time() - context.began
        if not self.counts:
            self.records += kept

    def _filters_long(self, context: SearchContext) -> bool:
        """Whether comparing a few records with what is not searched takes longer than a turn."""
        if self.plan is None or self.plan.residual is None:
            return False
        return any(islice(terms(context.resolved.query, negated=True), FEW_TERMS, None))

    def ended(self) -> None:
        """Settle the status; a failure stays one."""
        if self.status != "running":
            return
        nothing = not (self.count or self.filtered or self.unread)
        if nothing and self.total is None:
            self.total = 0
        has_some = bool(self.total) or not nothing if self.counts else bool(self.count)
        self.status = "ok" if has_some else "empty"

    def answer(self) -> SourceAnswer:
        """What is known of it."""
        plan = self.plan
        dates = [page.fetched_at for page in self.asked if page.fetched_at is not None]
        return SourceAnswer(
            source=self.name,
            label=self.spec.label,
            report=self.report(),
            records=tuple(self.records),
            requests=tuple(map(_sent, self.asked)),
            asked_at=min(dates, default=None),
            exact=not self.left_out
            and (plan is None or (plan.residual is None and not plan.notes)),
            spec=self.spec.digest,
        )


def _sent(asked: AskedPage) -> SentRequest:
    request = asked.request
    text = (("", request.content),) if request.content else ()
    return SentRequest(
        method=request.method,
        url=request.shown,
        body=(*public(request.body), *text),
        fetched_at=asked.fetched_at,
        cached=asked.cached,
    )


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
        sharing.listen(self._heard)
        self.answer_cache = AnswerCache(repeats_only=store is None)
        #: Works that were shown, to be asked for by their ids.
        self.works = ShownWorks(store)

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

    def when_paused(self, listener: Callable[[Pause], None] | None) -> None:
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

    def _heard(self, source: str, cause: str, seconds: float) -> None:
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
        self,
        query: str | Query | SearchOptions | ResolvedSearch,
        **options: Unpack[SearchKeywords],
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
        shared, close = self._shared(), self.close if self._single else None
        return Search(shared, asked, self._shared_runs, close)

    def asking(self, options: SearchOptions, *, record: Path | None = None) -> Asking:
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
        return Asking(self._shared(), self.resolve(options), kept)

    def resolve(self, options: SearchOptions) -> ResolvedSearch:
        """Read the query of a search and check its options; nothing is begun. May be called in
        another thread once `ready` has loaded the sources: a long query takes a while.

        Raises:
            UsageError: The query or an option cannot be used.
            SpecError: A spec in use is wrong.
        """
        return resolved(
            options,
            self.registry,
            self.settings,
            self.strategy,
            self._pins,
            self._position_store,
        )

    def _shared(self) -> Shared:
        return Shared(
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
    """How the processes of these settings share their sources."""
    shared = settings.shared
    if not shared.url:
        return Alone()
    from metasearch.replicas.connection import Connection, Names, secret_of
    from metasearch.replicas.pages import RedisPages
    from metasearch.replicas.redis import RedisSharing

    connection, names = Connection(shared.url), Names(secret_of(shared.url, shared.secret))
    pages = None
    if shared.pages != NO_PAGES:
        pages = RedisPages(Connection(shared.pages) if shared.pages else connection, names)
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
