"""The straight path: plan all, ask all at once, digest, dedup, rank, tell.

The only file that knows the whole path, and the only place where tasks are started. A source's failure is caught at
its own boundary and becomes a status; the other sources never notice.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from metasearch.adapters.fetch import Fetcher, SourceState
from metasearch.adapters.parse import Parsed, parse
from metasearch.adapters.plan import Plan, plan
from metasearch.adapters.registry import Registry
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.dedup import Chain, Fingerprint, OnlineDedup, Strategy, fingerprint, strategy
from metasearch.dedup.pins import Pins
from metasearch.errors import Drifted, MetasearchError, SourceError, TimedOut, UsageError
from metasearch.events import (
    Added,
    Answer,
    Change,
    Finished,
    Order,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
    Status,
)
from metasearch.query import Query, Years, conjunction, matches, to_text
from metasearch.query import parse as parse_query
from metasearch.rank import rank
from metasearch.recent import Recent
from metasearch.record import VERSIONS_MODES, Hit, Record, VersionsMode
from metasearch.settings import Settings

log = logging.getLogger("metasearch")
T = TypeVar("T")

#: Seconds between two `Order` events while sources are still answering.
ORDER_EVERY = 0.15
#: Bodies larger than this are digested in a thread, so that the loop does not stall.
BIG_BODY = 1_000_000
#: Most that one search may ask for.
MAX_LIMIT, MAX_PER_SOURCE, MAX_TIMEOUT, MAX_SOURCES = 10_000, 2_000, 600.0, 200
#: Events that may wait for a slow reader before the sources are made to wait.
BACKLOG = 256
#: Names of the strategies that have loaded what they need, in this process; two must not load at once.
_LOADED: set[str] = set()
_LOADING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Digest:
    """A page after parsing: records with their fingerprints, and what was left out."""

    parsed: Parsed
    kept: tuple[tuple[Record, Fingerprint], ...]
    filtered: int


def digest(page: Page, spec: AdapterSpec, residual: Query | None = None) -> Digest:
    """Parse a page, cut it to what was wanted, filter what the source could not, and fingerprint the rest.

    Pure, so that it can run inline or in a thread.
    """
    parsed = parse(page, spec)
    kept = [record for record in parsed.records if record.position <= page.request.wanted]
    asked = len(kept)
    if residual is not None:
        # None means that the record lacks the field: it is kept, for nothing speaks against it.
        kept = [record for record in kept if matches(residual, record) is not False]
    return Digest(parsed, tuple((record, fingerprint(record)) for record in kept), asked - len(kept))


def _compute(chain: Chain, prints: Iterable[Fingerprint]) -> None:
    """Compute all that a chain compares of records; fingerprints keep it, so that it can be done in a thread.

    Whoever compares a record with itself has looked at everything that is compared with another one.
    """
    for it in prints:
        for matcher in chain.matchers:
            list(matcher.keys(it))
            matcher.compare(it, it)


def _load(chosen: Strategy) -> None:
    """Load what a strategy needs, once a process; may take a second or two, so it runs in a thread.

    Raises:
        MetasearchError: It cannot be loaded.
    """
    with _LOADING:
        if chosen.name in _LOADED:
            return
        try:
            chosen.load()
        except MetasearchError:
            raise
        except Exception as exc:  # a dictionary or a compiled library of others
            raise MetasearchError(
                f"the strategy {chosen.name!r} cannot load what it needs: {type(exc).__name__}: {exc}",
                advice="Choose another one; `metasearch strategies` lists all.",
            ) from exc
        _LOADED.add(chosen.name)


@dataclass(slots=True)
class _Source:
    """What is known of one source while it is asked."""

    name: str
    spec: AdapterSpec
    plan: Plan | None = None
    status: Status = "running"
    count: int = 0
    total: int | None = None
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    error: SourceError | None = None
    pages: int = 0
    cached_pages: int = 0
    old_pages: int = 0  # that are past their time, and said to be
    unread: int = 0
    filtered: int = 0

    def report(self) -> SourceReport:
        notes = list(self.notes)
        if self.filtered:
            notes.append(f"{self.filtered} record(s) were left out by what this source could not search")
        if self.unread:
            notes.append(f"{self.unread} record(s) could not be read")
        return SourceReport(
            source=self.name,
            status=self.status,
            count=self.count,
            total=self.total,
            seconds=round(self.seconds, 4),
            query=self.plan.sent if self.plan else "",
            notes=tuple(dict.fromkeys(notes)),
            error=self.error,
            cached=self.pages > 0 and self.pages == self.cached_pages,
            unread=self.unread,
        )

    def finish(self) -> None:
        if self.status == "running":
            self.status = "ok" if self.count else "empty"

    def fail(self, error: SourceError) -> None:
        self.error = error
        self.status = error.outcome  # type: ignore[assignment]


class Engine:
    """Everything that searches share: connections, cache, throttles, and the sources' states.

    One a process, made inside the running loop and used as an async context manager.

    Args:
        settings: The configuration.
        replay: Folder of recorded exchanges to answer from, instead of the network.
        record: Folder to record every exchange in.
        pins: What is decided to be the same or different; None takes the file that the settings name.

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
        pins: Pins | None = None,
    ) -> None:
        self.settings = settings
        self.strategy = strategy(settings.strategy)
        self._pins = Pins.load(settings.pins) if pins is None else pins
        self._turn = asyncio.Lock()
        self.registry = Registry(settings)
        self._fetcher = _fetcher(settings, replay, record)
        # Where somebody wants no cache, or wants to see what is sent, every search is asked anew.
        self.recent = Recent() if settings.cache_dir is not None and not (replay or record) else None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close connections and cache."""
        await self._fetcher.close()

    def source_states(self) -> list[SourceState]:
        """The health of every source, as the last searches found it."""
        return [self._fetcher.state(name) for name in self.registry.names()]

    def search(
        self,
        query: str | Query,
        *,
        sources: Sequence[str] | None = None,
        limit: int | None = None,
        years: Years | None = None,
        per_source: int | None = None,
        timeout: float | None = None,
        cache: bool = True,
        versions: VersionsMode | None = None,
        dedup: str | None = None,
    ) -> Search:
        """Prepare a search; it runs when it is iterated or awaited.

        Args:
            query: Text in our own syntax, or a tree.
            sources: Names; None takes the default ones.
            limit: At most so many hits in the answer; each source is asked for as many records, at least 20.
                None answers with all hits of what the sources were asked for.
            years: ANDed to the query.
            per_source: Records asked from each source, whatever the limit.
            timeout: Seconds until the answer is given, whoever is missing.
            cache: Whether pages may come from the cache, and the whole answer from a search of the last minute.
            versions: What becomes of the versions of a work; None does as the settings say.
            dedup: Name of the strategy that finds duplicates, one of `metasearch.dedup.STRATEGIES`; None takes that
                of the settings.

        Raises:
            UsageError: The query or an option cannot be used.
            SpecError: A spec in use is wrong.
        """
        tree = conjunction(parse_query(query) if isinstance(query, str) else query, years)
        _check("limit", limit, 1, MAX_LIMIT)
        _check("per_source", per_source, 1, MAX_PER_SOURCE)
        _check("timeout", timeout, 0.001, MAX_TIMEOUT)
        if versions not in (None, *VERSIONS_MODES):
            raise UsageError(f"versions must be one of {', '.join(VERSIONS_MODES)}, is {versions!r}")
        names = list(dict.fromkeys(sources)) if sources is not None else self.registry.default()
        if not names:
            raise UsageError("no source to ask", advice="Name some, or enable some in the configuration.")
        _check("number of sources", len(names), 1, MAX_SOURCES)
        asked = [_Source(name, self.registry.spec(name)) for name in names]
        depth = per_source or min(MAX_PER_SOURCE, max(self.settings.per_source, limit or 0))
        seconds = timeout or self.settings.timeout
        chosen = self.strategy if dedup is None else strategy(dedup)
        return Search(self, tree, asked, limit, depth, seconds, cache, versions or self.settings.versions, chosen)

    def chain(self, chosen: Strategy) -> Chain:
        """The matchers of a strategy, under the pins."""
        return chosen.chain.pinned(self._pins) if self._pins else chosen.chain

    async def load(self, chosen: Strategy) -> None:
        """Load what a strategy needs, off the loop; at once where that is done or nothing is needed.

        Raises:
            MetasearchError: It cannot be loaded.
        """
        if chosen.loads and chosen.name not in _LOADED:
            await self.in_thread(_load, chosen)

    async def in_thread(self, do: Callable[..., T], *args: Any) -> T:
        """Let a thread load or compute for a strategy: one at a time, because they would share one interpreter."""
        async with self._turn:
            return await asyncio.to_thread(do, *args)


class Search:
    """One search: iterate it for events, or await it for the answer."""

    def __init__(
        self,
        engine: Engine,
        query: Query,
        asked: list[_Source],
        limit: int | None,
        depth: int,
        seconds: float,
        cache: bool,
        versions: VersionsMode,
        chosen: Strategy,
    ) -> None:
        self.id = secrets.token_hex(6)
        self.query = to_text(query)
        self.answer: Answer | None = None
        self._engine = engine
        self._tree = query
        self._asked = asked
        self._limit = limit
        self._depth = depth
        self._seconds = seconds
        self._cache = cache
        self._owned = False
        self._runner: asyncio.Task[None] | None = None
        self._out: asyncio.Queue[SearchEvent | None] | None = None
        self._untold: deque[SearchEvent] = deque()
        weights = {source.name: source.spec.weight for source in asked}
        self._weights = weights
        self._strategy = chosen
        self._chain = engine.chain(chosen)
        self._dedup = OnlineDedup(self._chain, weights, versions)

    # ---------------------------------------------------------------- for users

    def __await__(self) -> Generator[Any, None, Answer]:
        return self._finish().__await__()

    async def __aiter__(self) -> AsyncIterator[SearchEvent]:
        if self._runner is not None:
            raise RuntimeError("a search can be run once")
        self._out = asyncio.Queue(BACKLOG)
        self._runner = asyncio.create_task(self._run(), name=f"search {self.id}")
        try:
            while (event := await self._out.get()) is not None:
                yield event
            await self._runner
        finally:
            await self.aclose()

    async def _finish(self) -> Answer:
        if self.answer is None:
            if self._runner is None:
                self._runner = asyncio.create_task(self._run(), name=f"search {self.id}")
            try:
                await self._runner
            finally:
                await self.aclose()
        assert self.answer is not None
        return self.answer

    async def aclose(self) -> None:
        """Stop: everything that is still being asked is cancelled."""
        runner = self._runner
        if runner is not None and not runner.done():
            runner.cancel()
            await asyncio.gather(runner, return_exceptions=True)
        if self._owned:
            await self._engine.close()

    def partial(self) -> Answer:
        """The answer as of now, for whoever cannot wait for the end."""
        return self.answer or self._answer(0.0)

    # ---------------------------------------------------------------- the run

    async def _run(self) -> None:
        try:
            await self._drive()
        except asyncio.CancelledError:  # the reader is gone, nobody waits for the end
            raise
        except BaseException:
            if self._out is not None:
                await self._out.put(None)
            raise
        if self._out is not None:
            await self._out.put(None)

    async def _drive(self) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        deadline = began + self._seconds
        recent = self._engine.recent if self._cache else None
        if recent is not None and (kept := recent.get(self._name)) is not None:
            await self._give_again(kept)
            return
        await self._tell(Started(self.id, self.query, tuple(s.name for s in self._asked), self._seconds))
        inbox: asyncio.Queue[tuple[_Source, Digest | None]] = asyncio.Queue(BACKLOG)
        try:
            await self._ask_all(inbox, began, deadline)
        except ExceptionGroup as group:  # of all tasks only the loading can fail, and then nothing can be compared
            error = group.exceptions[0]
            raise error from error.__cause__
        while not inbox.empty():  # what came in the last moment counts
            self._take(*inbox.get_nowait())
        for source in self._asked:
            if source.status == "running":
                source.seconds = loop.time() - began
                source.fail(TimedOut(source.name, f"no whole answer within {self._seconds:g} s"))
                self._note(SourceProgress(source.report()))
        self._note(*self._changes())
        self.answer = self._answer(loop.time() - began)
        if recent is not None and not any(source.old_pages for source in self._asked):
            recent.keep(self._name, self.answer)
        await self._tell(Finished(self.answer))

    @property
    def _name(self) -> Hashable:
        """Everything that shapes the answer, but for what the sources say."""
        names = tuple(source.name for source in self._asked)
        return self.query, names, self._limit, self._depth, self._dedup.versions, self._strategy.name

    async def _give_again(self, answer: Answer) -> None:
        """The answer of a moment ago, as a stream tells it."""
        self.answer = answer
        await self._tell(
            Started(self.id, self.query, tuple(s.name for s in self._asked), self._seconds),
            *map(SourceProgress, answer.sources),
            *map(Added, answer.hits),
            Order(tuple(hit.id for hit in answer.hits)),
            Finished(answer),
        )

    async def _ask_all(
        self, inbox: asyncio.Queue[tuple[_Source, Digest | None]], began: float, deadline: float
    ) -> None:
        """Ask all sources at once and load meanwhile what the strategy needs; whatever is late is cancelled."""
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(self._ask(s, inbox, began, deadline), name=f"ask {s.name}") for s in self._asked]
            tasks = list(asked)
            if self._strategy.loads:
                tasks.append(group.create_task(self._engine.load(self._strategy), name=f"load {self._strategy.name}"))
            try:
                async with asyncio.timeout_at(deadline):
                    await self._collect(inbox, len(asked))
            except TimeoutError:
                log.info("search %s: deadline of %g s reached", self.id, self._seconds)
            for task in tasks:
                task.cancel()

    async def _collect(self, inbox: asyncio.Queue[tuple[_Source, Digest | None]], running: int) -> None:
        """Take pages in as they come; one task does this, so that dedup needs no locks."""
        loop = asyncio.get_running_loop()
        ordered = 0.0
        while running:
            source, page = await inbox.get()
            self._take(source, page)
            running -= page is None
            if self._out is None:
                continue
            self._note(*self._changes(), SourceProgress(source.report()))
            if not running or (page is not None and loop.time() - ordered >= ORDER_EVERY):
                ordered = loop.time()
                self._note(Order(tuple(hit.id for hit in self._ranked())))
            await self._tell()

    def _take(self, source: _Source, page: Digest | None) -> None:
        """Count and merge a page; None is the end of the source."""
        if page is None:
            source.finish()
            return
        source.count += len(page.kept)
        for record, print_ in page.kept:
            self._dedup.insert(record, print_)

    def _changes(self) -> list[Change]:
        return self._dedup.changes() if self._out is not None else []

    def _note(self, *events: SearchEvent) -> None:
        if self._out is not None:
            self._untold.extend(events)

    async def _tell(self, *events: SearchEvent) -> None:
        """Hand all events to the reader; one that is cancelled at the deadline stays untold and goes out later."""
        self._note(*events)
        while self._untold and self._out is not None:
            await self._out.put(self._untold[0])
            self._untold.popleft()

    async def _ask(
        self, source: _Source, inbox: asyncio.Queue[tuple[_Source, Digest | None]], began: float, deadline: float
    ) -> None:
        """Ask one source, page after page; whatever goes wrong here stays here."""
        loop = asyncio.get_running_loop()
        fetcher = self._engine._fetcher  # noqa: SLF001 - Engine and Search are one thing in two classes
        env_name = source.spec.key_env
        try:
            source.plan = plan(self._tree, source.spec, self._depth, self._engine.settings.env)
            source.notes += source.plan.notes
            request: Request | None = source.plan.request
            while request is not None:
                page = await fetcher.fetch(
                    request, source.spec.limits, deadline=deadline, use_cache=self._cache, env_name=env_name
                )
                try:
                    found = await self._digest(page, source)
                except SourceError:
                    await fetcher.forget(request)  # what cannot be read must not come out of the cache again
                    raise
                source.seconds = loop.time() - began
                request = found.parsed.next
                if self._cache and request is None and not (found.parsed.records or found.parsed.unread):
                    await fetcher.found_nothing(page, source.spec.limits)
                await inbox.put((source, found))
        except SourceError as error:
            source.fail(error)
        except Exception as exc:  # a fault of ours must not cost the other sources either
            log.exception("search %s: %s failed unexpectedly", self.id, source.name)
            source.fail(SourceError(source.name, f"unexpected {type(exc).__name__} while reading the answer"))
        source.seconds = loop.time() - began
        await inbox.put((source, None))

    async def _digest(self, page: Page, source: _Source) -> Digest:
        assert source.plan is not None
        residual = source.plan.residual
        if len(page.body) > BIG_BODY:
            found = await asyncio.to_thread(digest, page, source.spec, residual)
        else:
            found = digest(page, source.spec, residual)
        source.pages += 1
        source.cached_pages += page.cached
        source.old_pages += bool(page.note)
        source.notes += [page.note] if page.note else []
        source.filtered += found.filtered
        source.unread += len(found.parsed.unread)
        source.notes += found.parsed.notes
        if found.parsed.total is not None:
            source.total = found.parsed.total
        if found.parsed.drifted is not None:
            source.fail(Drifted(source.name, *found.parsed.drifted, url=page.request.shown))
        # To cut texts into words, or to import what signs them, takes milliseconds in which the loop would stall.
        prints = [it for _, it in found.kept]
        if self._strategy.loads and prints:
            await self._engine.load(self._strategy)
            await self._engine.in_thread(_compute, self._chain, prints)
        elif self._chain.has_work(prints):
            await self._engine.in_thread(self._chain.prepare, prints)
        return found

    def _ranked(self) -> list[Hit]:
        return rank(self._dedup.hits(), self._tree, self._weights)

    def _answer(self, seconds: float) -> Answer:
        hits = self._ranked()
        reports = tuple(source.report() for source in self._asked)
        return Answer(
            query=self.query,
            complete=not any(report.failed or report.status == "running" for report in reports),
            counts=self._dedup.counts,
            hits=tuple(hits if self._limit is None else hits[: self._limit]),
            sources=reports,
            seconds=round(seconds, 4),
            dedup=self._strategy.name,
        )


def search(query: str | Query, *, settings: Settings | None = None, **options: Any) -> Search:
    """Search with an engine of its own, which is closed when the search is done.

    Args:
        query: Text in our own syntax, or a tree.
        settings: None takes the defaults without a cache.
        options: Those of `Engine.search`.
    """
    engine = Engine(settings or Settings())
    prepared = engine.search(query, **options)
    prepared._owned = True  # noqa: SLF001 - as above
    return prepared


def _check(name: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least <= value <= most:
        raise UsageError(f"{name} must be between {least:g} and {most:g}, is {value:g}")


def _fetcher(settings: Settings, replay: Path | None, record: Path | None) -> Fetcher:
    from metasearch.adapters.cassette import RecordTransport, ReplayTransport
    from metasearch.adapters.transport import HttpTransport, Transport

    transport: Transport
    if replay is not None:
        return Fetcher(ReplayTransport(replay), None, patience=0)
    transport = HttpTransport(allow=settings.allow, user_agent=settings.user_agent)
    if record is not None:
        # What is recorded must have been sent, so no page may come from the cache.
        return Fetcher(RecordTransport(transport, record), None, hedging=False)
    if settings.cache_dir is None:
        return Fetcher(transport, None)
    from metasearch.cache import DiskStore

    return Fetcher(transport, DiskStore(settings.cache_dir, settings.cache_bytes))
