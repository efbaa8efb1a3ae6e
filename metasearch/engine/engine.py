"""The engine: what searches share, and how one is prepared. The path of a query goes on in
`running.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from metasearch.adapters.fetch.fetch import Fetcher, SourceState
from metasearch.adapters.fetch.health import LONGEST_PAUSE, Pause
from metasearch.adapters.specs.ownspecs import SourcesLike, is_path, names_of
from metasearch.adapters.specs.registry import Registry
from metasearch.dedup import strategy
from metasearch.dedup.pins import Pins
from metasearch.engine.answers import Recent
from metasearch.engine.dry_run import Explaining, QueryPlan
from metasearch.engine.enriching import Enricher
from metasearch.engine.paging import LAST_PLACE
from metasearch.engine.results import Wanted
from metasearch.engine.run import Shared
from metasearch.engine.scheduler import Desk
from metasearch.engine.search import Search
from metasearch.engine.shared_run import MOST, Background
from metasearch.engine.slots import Ledger
from metasearch.engine.source import Asking
from metasearch.engine.warmup import Workshop
from metasearch.errors import UsageError
from metasearch.query import Query, ReadQuery, YearsLike, conjunction, read, to_text, years_of
from metasearch.record import VERSIONS_MODES, VersionsMode
from metasearch.settings import NO_ENRICHER, Settings

if TYPE_CHECKING:
    from metasearch.adapters.fetch.transport import Transport

#: Most that one search may ask for; `start` and `limit` together may reach LAST_PLACE.
MAX_LIMIT, MAX_PER_SOURCE, MAX_TIMEOUT, MAX_SOURCES = LAST_PLACE, 2_000, 600.0, 200
#: Enrichers of one search.
MAX_ENRICHERS = 5
#: Specs that are built on the loop, in a few milliseconds each.
BUILT_AT_ONCE = 2
#: Layers that a list may have.
MAX_LAYERS = 100


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
        self._workshop = Workshop()
        self._desk = Desk()
        self._ledger = Ledger()
        self._background = Background(max(1, MOST // settings.workers))
        self._single = single
        self.registry = Registry(settings, files=spec_files)
        self._fetcher = _fetcher(settings, replay, record, recorded_as or {})
        # Where somebody wants no cache, or wants to see what is sent, every search is asked anew.
        self.recent = (
            Recent() if settings.cache_dir is not None and not (replay or record) else None
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the searches that still go on, and close connections and cache."""
        await self._background.close()
        await self._fetcher.close()

    @property
    def desk(self) -> Desk:
        """Where whatever computes on the loop waits for its turn."""
        return self._desk

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
        _check("seconds", pause.seconds, 0, LONGEST_PAUSE)
        self._fetcher.heed(pause, self.registry.spec(pause.source).limits)

    def when_paused(self, listener: Callable[[Pause], None] | None) -> None:
        """Have each wait told, when it begins, that a source's answers or its silence lead to; None
        ends that.
        """
        self._fetcher.listen(listener)

    def search(
        self,
        query: str | Query,
        *,
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
        """Prepare a search; it runs when it is iterated or awaited.

        Args:
            query: Text, or a tree.
            sources: Names of sources and groups, and paths of spec files ("./mine.toml");
                "crossref" and "crossref,./mine.toml" do as well as a list. None takes the default
                ones.
            start: Places of the merged list to pass over; sources are asked for more where it takes
                that. With the other options unchanged, and `answer.paging.next` followed, no hit
                comes twice and none is lost.
            limit: At most so many hits in the answer; each source is asked for as many records, at
                least 20. None answers with all hits of what the sources were asked for.
            years: ANDed to the query: `Years(2018, 2020)`, `(2018, 2020)`, `(2018, None)`,
                "2018-2020", "2018-", 2018.
            per_source: Records asked from each source, whatever the limit.
            timeout: Seconds until the answer is given, whoever is missing.
            wait: Seconds until whoever awaits the search gets what is there: sources that have not
                ended are "running", and the search goes on until its `timeout`. The same search,
                made or awaited again, joins it. None does as the settings say. Whoever iterates a
                search is told everything as it comes.
            cache: Whether pages may come from the cache, and the whole answer from a search of the
                last minute.
            versions: What becomes of the versions of a work; None does as the settings say.
            dedup: Name of the strategy that finds duplicates, one of `metasearch.dedup.STRATEGIES`;
                None takes that of the settings.
            user: Whose search it is, where several share the engine: a source that is asked by many
                is shared among users first, and then among the searches of each. None is a user of
                its own.
            syntax: That a text is in, one of `metasearch.query.CHOICES`; "auto" goes by its marks.
            enrich: Names of sources that are asked, when the list is made, for the works that the
                answer shows; they add no hit and move none. None does as the settings say, and
                "none" or nothing asks no one.

        Raises:
            UsageError: The query or an option cannot be used.
            SpecError: A spec in use is wrong.
        """
        found = _read(query, syntax)
        tree = conjunction(found.query, years_of(years))
        _check("limit", limit, 1, MAX_LIMIT)
        _check("start", start, 0, LAST_PLACE - 1)
        _check("start and limit together", start + (limit or 0), 0, LAST_PLACE)
        _check("per_source", per_source, 1, MAX_PER_SOURCE)
        _check("timeout", timeout, 0.001, MAX_TIMEOUT)
        seconds = timeout or self.settings.timeout
        _check("wait", wait, 0.001, seconds)
        patience = self.settings.wait if wait is None else wait
        if versions not in (None, *VERSIONS_MODES):
            raise UsageError(
                f"versions must be one of {', '.join(VERSIONS_MODES)}, is {versions!r}"
            )
        wished = self.settings.enrich if enrich is None else enrich
        registry, named, enriching = _with_files(self.registry, sources, wished)
        names = _named(registry, named)
        asked = [_asking(name, registry) for name in names]
        enrichers = _enrichers(registry, enriching, asked)
        depth = _depth(self.settings, limit, per_source)
        chosen = self.strategy if dedup is None else strategy(dedup)
        wanted = Wanted(
            query=tree,
            text=to_text(tree),
            sources=tuple(names),
            files=tuple(origin for name in names if (origin := registry.origin(name)) is not None),
            start=start,
            limit=limit,
            depth=depth,
            reach=_reach(depth),
            seconds=seconds,
            cache=cache,
            versions=versions or self.settings.versions,
            strategy=chosen,
            chain=chosen.chain.pinned(self._pins) if self._pins else chosen.chain,
            user=user,
            wait=patience if patience is not None and patience < seconds else None,
            syntax=found.syntax,
            notes=found.notes,
            enrich=tuple(it.name for it in enrichers),
        )
        shared = Shared(
            self.settings, self._fetcher, self._workshop, self._desk, self.recent, self._ledger
        )
        return Search(
            shared, wanted, asked, self._background, self.close if self._single else None, enrichers
        )


def explain_plan(
    query: str | Query,
    *,
    settings: Settings | None = None,
    registry: Registry | None = None,
    sources: SourcesLike | None = None,
    limit: int | None = None,
    years: YearsLike | None = None,
    per_source: int | None = None,
    syntax: str = "auto",
) -> QueryPlan:
    """What a search with these options would ask of each source. Nothing is sent, and no engine is
    needed.

    Args:
        query: Text, or a tree.
        settings: None takes the defaults.
        registry: Of an engine that is there; None makes one.
        sources: As those of `Engine.search`, and so are the other options.
        limit: Hits.
        years: ANDed to the query.
        per_source: Records of each source.
        syntax: That a text is in.

    Raises:
        UsageError: The query or an option cannot be used.
        SpecError: A spec in use is wrong.
    """
    planning = planned(
        query,
        settings=settings,
        registry=registry,
        sources=sources,
        limit=limit,
        years=years,
        per_source=per_source,
        syntax=syntax,
    )
    for _ in planning.steps:
        pass
    return planning.plan


def planned(
    query: str | Query,
    *,
    settings: Settings | None = None,
    registry: Registry | None = None,
    sources: SourcesLike | None = None,
    limit: int | None = None,
    years: YearsLike | None = None,
    per_source: int | None = None,
    syntax: str = "auto",
) -> Explaining:
    """`explain_plan` in steps, for who has other things to do in between; arguments and errors are
    its own.
    """
    settings = settings or Settings()
    registry = registry or Registry(settings)
    found = _read(query, syntax)
    _check("limit", limit, 1, MAX_LIMIT)
    _check("per_source", per_source, 1, MAX_PER_SOURCE)
    registry, named, _ = _with_files(registry, sources, ())
    names = _named(registry, named)
    depth = _depth(settings, limit, per_source)
    found = ReadQuery(conjunction(found.query, years_of(years)), found.syntax, found.notes)
    return Explaining(found, registry, names, named, settings.env, depth, _reach(depth))


def _check(name: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least <= value <= most:
        raise UsageError(f"{name} must be between {least:g} and {most:g}, is {value:g}")


def _read(query: str | Query, syntax: str) -> ReadQuery:
    return read(query, syntax) if isinstance(query, str) else ReadQuery(query, "simple")


def _with_files(
    registry: Registry, sources: SourcesLike | None, enrich: SourcesLike
) -> tuple[Registry, list[str] | None, list[str]]:
    """The registry with the spec files that are named, and the names of those to ask and of the
    enrichers.
    """
    asked, wished = names_of(sources), names_of(enrich) or ()
    if any(map(is_path, (*(asked or ()), *wished))):
        registry = registry.with_files((*(asked or ()), *wished))
    names, enrichers = (
        [registry.name_of(it) if is_path(it) else str(it) for it in all_]
        for all_ in (asked or (), wished)
    )
    return registry, None if asked is None else names, enrichers


def _asking(name: str, registry: Registry) -> Asking:
    note = registry.stands_for(name)
    return Asking(name, registry.spec(name), notes=[note] if note else [])


def _named(registry: Registry, sources: Sequence[str] | None) -> list[str]:
    """The sources to ask, groups expanded."""
    names = registry.expand(sources) if sources is not None else registry.default()
    if not names:
        off = registry.disabled(sources)
        advice = (
            f"These are off, and asked where they are named one by one: {', '.join(off)}."
            if off
            else None
        )
        raise UsageError(
            "no source to ask", advice=advice or "Name some, or enable some in the configuration."
        )
    _check("number of sources", len(names), 1, MAX_SOURCES)
    return names


def _enrichers(
    registry: Registry, names: Sequence[str], sources: Sequence[Asking]
) -> list[Enricher]:
    """Those to ask for single works. A source that is searched has told what it knows, and is asked
    for no more.
    """
    names = [name for name in dict.fromkeys(names) if name != NO_ENRICHER]
    _check("number of enrichers", len(names), 0, MAX_ENRICHERS)
    found = [Enricher(name, registry.spec(name)) for name in names]
    for it in found:
        if it.spec.enrich is None:
            able = ", ".join(
                other for other in registry.names() if registry.spec(other).enrich is not None
            )
            advice = f"These can: {able}." if able else "No source here can."
            raise UsageError(f"{it.name} cannot be asked for single works", advice=advice)
    for source in sources:
        if source.name in names:
            source.notes.append("it is searched, so it was not asked for single works as well")
    searched = {source.name for source in sources}
    return [it for it in found if it.name not in searched]


def _depth(settings: Settings, limit: int | None, per_source: int | None) -> int:
    """Records of a layer."""
    return per_source or min(MAX_PER_SOURCE, max(settings.per_source, limit or 0))


def _reach(depth: int) -> int:
    """Records of all layers."""
    return min(LAST_PLACE, depth * MAX_LAYERS)


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
        http, {"z3950": partial(_z3950, settings), "shelf": partial(_shelves, settings)}
    )


def _shelves(settings: Settings) -> Transport:
    from metasearch.collections.transport import ShelfTransport

    return ShelfTransport(settings.shelf_dir)


def _z3950(settings: Settings) -> Transport:
    from metasearch.adapters.fetch.z3950 import Z3950Transport

    return Z3950Transport(allow=settings.allow)
