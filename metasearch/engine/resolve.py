"""The options of a search under the settings and sources of an engine: names are looked up, the
query is read, and what was left open is filled in.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import SourcesLike, is_path, names_of
from metasearch.adapters.translate.plan import newest_first, why_not_by_date
from metasearch.dedup import Chain, DedupStrategy, strategy
from metasearch.dedup.pins import Pins
from metasearch.engine.facets import FacetCounts, Filters, Sort, facet_names, parse_filters
from metasearch.engine.options import (
    LAST_PLACE,
    MAX_ENRICHERS,
    MAX_PER_SOURCE,
    MAX_SOURCES,
    MIN_SECONDS,
    SearchOptions,
    check,
)
from metasearch.engine.pages import PositionStore, filter_answer, window
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.message import N_, Message, message
from metasearch.query import Query, ReadQuery, conjunction, read, to_text, years_of
from metasearch.query.clauses import excludes_near, for_sources
from metasearch.record import VersionsMode
from metasearch.settings import NO_ENRICHER, Settings

#: The note of an answer with filters.
FILTER_NOTE = N_(
    "filter {filters}: {passing} of the {seen} works that were received "
    "pass; no source was asked for it"
)
_NOT_NEAR = message(
    "what is excluded only where words are near one another is not excluded, since no source could "
    "do so: more is found"
)
#: Rounds of asking that a list may have.
MAX_ROUNDS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSource:
    """A source that takes part in a search. `notes`: for its report: how it was chosen."""

    name: str
    spec: AdapterSpec
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSearch:
    """The options of a search, and what an engine derives from them.

    Attributes:
        text: The query in its normal spelling.
        syntax: The syntax in which the query was read.
        notes: What of the text of the query is lost in `query`.
        enrichers: Sources to ask for the works that the page shows.
        files: Path and time of the last change of each spec file that was named by its path.
        depth: Records of each source that a round holds.
        reach: Records of each source that all rounds together may hold.
        seconds: After which the answer is returned without the sources that are missing.
        wait: Seconds after which an await returns what is there; None for the end of the search.
        chain: The matchers of the strategy, under the pins.
        filters: Which works of the list are shown; the list itself is the same without them.
        facets: Names of the facets that are counted.
        name: Everything that shapes the list, but for what the sources answer.
        position_store: Where lists are remembered from search to search.
    """

    options: SearchOptions
    query: Query
    text: str
    syntax: str
    notes: tuple[str, ...]
    sources: tuple[ChosenSource, ...]
    enrichers: tuple[ChosenSource, ...]
    files: tuple[tuple[str, float], ...]
    depth: int
    reach: int
    seconds: float
    wait: float | None
    versions: VersionsMode
    strategy: DedupStrategy
    chain: Chain
    filters: Filters
    facets: tuple[str, ...]
    name: tuple[Hashable, ...]
    position_store: PositionStore = field(compare=False, repr=False)

    @property
    def places(self) -> int:
        """How many positions must be known: 0 for the first page, which takes the first round."""
        start = self.options.start
        return start + (self.options.limit or 1) if start else 0

    def page(self, whole: Answer, counts: FacetCounts | None, *, over: bool = True) -> Answer:
        """The page that is asked for, of the answer with all hits.

        `counts`: from `facet_counts`; they remember what was counted of the hits. `over`: whether
        the search is over; before that no position is settled, so no page follows yet, and the
        answer is not complete.
        """
        facets = counts.count(whole.hits) if counts is not None else None
        notes = (*self.notes, *whole.notes)
        if self.filters:
            seen, goes_on = len(whole.hits), whole.paging.next is not None
            start, store = self.options.start, self.position_store
            whole = filter_answer(
                whole, self.filters, self.name, start, self.depth, store, over=over
            )
            notes = (*notes, _filter_note(self.filters, len(whole.hits), seen, goes_on))
        page = window(whole, self.options.start, self.options.limit)
        page = replace(page, syntax=self.syntax, notes=notes, facets=facets)
        if over:
            return page
        return replace(page, complete=False, paging=replace(page.paging, next=None))

    def facet_counts(self) -> FacetCounts | None:
        """What counts the facets of the works that are seen; None where none was asked for. A work
        counts in a facet where it passes the filters of the other names.
        """
        if not self.facets:
            return None
        failed = self.filters.failures() if self.filters else None
        return FacetCounts(self.facets, self.options.facet_limit, failed)

    def holds(self, other: ResolvedSearch) -> bool:
        """Whether the whole answer to this search will hold the page of the other one.

        A first page comes from a first page only: a list whose end was asked for holds more than it
        would.
        """
        if not self.options.cache or self.name != other.name or other.seconds > self.seconds:
            return False
        names = [enricher.name for enricher in self.enrichers]
        if names != [enricher.name for enricher in other.enrichers]:
            return False
        own, others = self.options, other.options
        if self.enrichers and (own.start, own.limit) != (others.start, others.limit):
            return False  # enrichers are asked for the one page
        if self.enrichers and self.filters != other.filters:
            return False  # and other filters show other hits on it
        if others.start and (self.filters or other.filters):
            return False  # how many works pass the filters is not known yet
        if others.start:
            return other.places <= max(self.places, self.depth)
        return not own.start


def resolve_options(
    options: SearchOptions,
    registry: Registry,
    settings: Settings,
    default: DedupStrategy,
    pins: Pins,
    position_store: PositionStore,
) -> ResolvedSearch:
    """Check the options of a search against an engine, and fill in what they leave open.

    `position_store`: where lists are remembered from search to search. Raises UsageError: the query
    or an option cannot be used; SpecError: a spec in use is wrong.
    """
    if options.rerank:
        from metasearch.engine import rank as rerank

        rerank.check()
    asked = query_of(options)
    seconds = options.timeout or settings.timeout
    check("wait", options.wait, MIN_SECONDS, seconds)
    wait = settings.wait if options.wait is None else options.wait
    enrich = settings.enrich if options.enrich is None else options.enrich
    registry, named, enriching = with_files(registry, options.sources, enrich)
    names = sources_of(registry, named)
    depth = depth_of(options, settings)
    chosen = default if options.dedup is None else strategy(options.dedup)
    files = tuple(filter(None, map(registry.origin, names)))
    versions = options.versions or settings.versions
    text = to_text(asked.query)
    enrichers = _enrichers(registry, enriching)
    return ResolvedSearch(
        options=options,
        query=asked.query,
        text=text,
        syntax=asked.syntax,
        notes=asked.notes,
        sources=tuple(
            _source(name, registry, enrichers, options.sort, asked.query) for name in names
        ),
        enrichers=tuple(enricher for enricher in enrichers if enricher.name not in names),
        files=files,
        depth=depth,
        reach=reach_of(depth),
        seconds=seconds,
        wait=wait if wait is not None and wait < seconds else None,
        versions=versions,
        strategy=chosen,
        chain=chosen.chain.with_pins(pins) if pins else chosen.chain,
        filters=parse_filters(options.filter),
        facets=facet_names(options.facets),
        name=(
            text,
            tuple(names),
            files,
            depth,
            versions,
            chosen.name,
            options.cache,
            options.sort,
            options.rank,
            options.rerank,
        ),
        position_store=position_store,
    )


def is_filter_note(note: str) -> bool:
    """Whether a note of an answer says no more than its filters and counts do."""
    if not isinstance(note, Message):
        return False
    inner = note.values.get("note", note)
    return isinstance(inner, Message) and inner.template == FILTER_NOTE


def _filter_note(filters: Filters, passing: int, seen: int, goes_on: bool) -> str:
    """How the filters were applied, for the notes of the answer."""
    note = message(FILTER_NOTE, filters=str(filters), passing=f"{passing:,}", seen=f"{seen:,}")
    if not goes_on:
        return note
    return message("{note}; the sources have further records", note=note)


def query_of(options: SearchOptions) -> ReadQuery:
    """The query of a search, its years included."""
    query = options.query
    given = read(query, options.syntax) if isinstance(query, str) else ReadQuery(query, "simple")
    tree = for_sources(given.query)
    if tree is None:
        raise UsageError(
            message("no source can be asked for the query: {query}", query=to_text(given.query))
        )
    notes = (*given.notes, _NOT_NEAR) if excludes_near(given.query) else given.notes
    return ReadQuery(conjunction(tree, years_of(options.years)), given.syntax, notes)


def with_files(
    registry: Registry, sources: SourcesLike | None, enrich: SourcesLike
) -> tuple[Registry, list[str] | None, list[str]]:
    """The registry with the spec files that are named; names of sources, and of enrichers."""
    asked, wished = names_of(sources), names_of(enrich) or ()
    given = (*(asked or ()), *wished)
    if any(is_path(name) for name in given):
        registry = registry.with_files(given)

    def names(all_: Sequence[str | Path]) -> list[str]:
        return [registry.name_of(name) if is_path(name) else str(name) for name in all_]

    return registry, None if asked is None else names(asked), names(wished)


def sources_of(registry: Registry, sources: Sequence[str] | None) -> list[str]:
    """The names of the sources to ask, groups expanded."""
    names = registry.expand(sources) if sources is not None else registry.default()
    if not names:
        off = registry.disabled_members(sources)
        advice = message("Name some, or enable some in the configuration.")
        if off:
            advice = message(
                "These are off, and asked where they are named one by one: {names}.",
                names=", ".join(off),
            )
        raise UsageError(message("no source to ask"), advice=advice)
    check("number of sources", len(names), 1, MAX_SOURCES)
    return names


def depth_of(options: SearchOptions, settings: Settings) -> int:
    """Records of each source that a round holds."""
    wanted = max(settings.per_source, options.limit or 0)
    return options.per_source or min(MAX_PER_SOURCE, wanted)


def reach_of(depth: int) -> int:
    """Records of each source that all rounds together may hold."""
    return min(LAST_PLACE, depth * MAX_ROUNDS)


def _source(
    name: str, registry: Registry, enrichers: Sequence[ChosenSource], sort: Sort, query: Query
) -> ChosenSource:
    notes = [note] if (note := registry.stands_for(name)) else []
    if any(enricher.name == name for enricher in enrichers):
        notes.append(message("it is searched, so it was not asked for single works as well"))
    return ChosenSource(
        name=name, spec=spec_for_sort(registry.spec(name), sort, query), notes=tuple(notes)
    )


def spec_for_sort(spec: AdapterSpec, sort: Sort, query: Query) -> AdapterSpec:
    """The source as it is asked where this order is wanted: by date if it can, else by relevance.

    Only the newest records are asked for by date. The oldest ones of a database are seldom meant,
    so "-date" sorts what is relevant.
    """
    return newest_first(spec) if sort == "date" and not why_not_by_date(spec, query) else spec


def sort_notes(spec: AdapterSpec, sort: Sort, query: Query) -> tuple[str, ...]:
    """Says why a source is not asked by date, where the newest records are wanted."""
    why = why_not_by_date(spec, query) if sort == "date" else ""
    return (why,) if why else ()


def _enrichers(registry: Registry, names: Sequence[str]) -> list[ChosenSource]:
    """The enrichers that are named, each once. Raises UsageError: one of them cannot be asked for
    single works, or there are too many.
    """
    names = [name for name in dict.fromkeys(names) if name != NO_ENRICHER]
    check("number of enrichers", len(names), 0, MAX_ENRICHERS)
    enrichers = [ChosenSource(name=name, spec=registry.spec(name)) for name in names]
    for enricher in enrichers:
        if enricher.spec.enrich is None:
            able = [name for name in registry.names() if registry.spec(name).enrich is not None]
            advice = (
                message("These can: {names}.", names=", ".join(able))
                if able
                else message("No source here can.")
            )
            raise UsageError(
                message("{name} cannot be asked for single works", name=enricher.name),
                advice=advice,
            )
    return enrichers
