"""The options of a search: one type, declared once.

A field of `SearchOptions` holds its own `Option`: the text that explains it, its limits, its names
on the command line and in a query string. From these the command's `--help`, the parameters that
the server reads, and the tables in docs/server.md and docs/library.md are made
(`tools/option_tables.py`). To add an option, declare it here and use it in the engine.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

from metasearch.engine.facets import (
    DEFAULT_VALUES,
    FACETS,
    MOST_VALUES,
    RANK_MODES,
    SORTS,
    FiltersLike,
    RankMode,
    Sort,
    facet_names,
    parse_filters,
)
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.query import CHOICES, Query, YearsLike
from metasearch.record import VERSIONS_MODES, VersionsMode

if TYPE_CHECKING:
    from metasearch.adapters.specs.specfile import SourcesLike

T = TypeVar("T")

#: Positions of a merged list that can be reached; `start` and `limit` together stay within.
LAST_PLACE = 10_000
#: Largest values of one search.
MAX_LIMIT, MAX_PER_SOURCE, MAX_TIMEOUT = LAST_PLACE, 2_000, 600.0
MAX_SOURCES, MAX_ENRICHERS = 200, 5
#: Shortest times, in seconds.
MIN_SECONDS = 0.001

#: What values an option takes, as the command line and a query string write them: any text; a whole
#: number; a number of records, for which a server has a limit of its own; seconds; names of sources
#: with commas between them; a range of years; one of `Option.choices`; filters or names of facets
#: with commas between them; the name of a strategy; or nothing, because naming the option is
#: enough.
Kind = Literal[
    "text",
    "number",
    "records",
    "seconds",
    "names",
    "years",
    "choice",
    "filters",
    "facets",
    "strategy",
    "flag",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What is declared of one option, for all that read or show it.

    Attributes:
        help: What it does, in one or two sentences.
        kind: What values it takes.
        least, most: Limits of a number.
        choices: All values, where they are few.
        flags: Its names on the command line; none where the command does not have it.
        metavar: What stands for its value in `--help`.
        parameters: Its names in a query string; none where a request does not have it.
        default: What holds where it is not given, in words.
        command: What else holds on the command line.
        request: What else holds for the parameter of a request.
        pages: Pages of docs/ that say more, with their anchors.
    """

    help: str
    kind: Kind
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    parameters: tuple[str, ...] = ()
    default: str = "as configured"
    command: str = ""
    request: str = ""
    pages: tuple[str, ...] = ()

    def check(self, name: str, value: float | None) -> None:
        """Raise a UsageError where a number is outside the limits; None is always allowed."""
        check(name, value, self.least, self.most)


def _option(default: T, option: Option) -> T:
    """A field of `SearchOptions` with its default and what is declared of it."""
    made: T = field(default=default, metadata={"option": option})
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """What one search is asked for; checked when it is made.

    `options.OPTIONS` holds the text of each field. What depends on an engine is checked by
    `Engine.search`: names of sources and strategies, the query, the years, and that `wait` is at
    most the timeout.

    Raises:
        UsageError: A value is outside its limits.
    """

    query: str | Query = field(
        metadata={
            "option": Option(
                help="The query, in the syntax of metasearch or of a database.",
                kind="text",
                parameters=("q",),
                default="required",
                pages=("query.md", "syntaxes.md"),
            )
        }
    )
    start: int = _option(
        0,
        Option(
            help="Skip N hits of the merged list: the next page of the same search.",
            kind="number",
            least=0,
            most=LAST_PLACE - 1,
            flags=("--start",),
            metavar="N",
            parameters=("start",),
            default="0",
            pages=("paging.md",),
        ),
    )
    limit: int | None = _option(
        None,
        Option(
            help="Return at most N hits; each source is asked for as many records, at least 20.",
            kind="records",
            least=1,
            most=MAX_LIMIT,
            flags=("-n", "--limit"),
            metavar="N",
            parameters=("count", "n"),
            command="A table shows 20 by default, other formats all.",
            default="all that the first requests to the sources return",
        ),
    )
    sources: SourcesLike | None = _option(
        None,
        Option(
            help="Ask only these sources, groups (medicine, books ...) and spec files (./fx.toml).",
            request="A request cannot name spec files.",
            kind="names",
            most=MAX_SOURCES,
            flags=("-s", "--sources"),
            metavar="NAME,...",
            parameters=("sources",),
            default="the default sources",
            pages=("sources.md", "adapters.md#a-spec-file-is-a-source"),
        ),
    )
    years: YearsLike | None = _option(
        None,
        Option(
            help="Years of publication: 2019, 2019-2024, 2019- or -2024.",
            kind="years",
            flags=("--year",),
            metavar="YEARS",
            parameters=("year",),
            default="any",
        ),
    )
    sort: Sort = _option(
        "relevance",
        Option(
            help="Order of the list: date is newest first, -date oldest first, citations most "
            "cited first, first-seen as the records arrived.",
            kind="choice",
            choices=SORTS,
            flags=("--sort",),
            parameters=("sort",),
            default="`relevance`",
            pages=("ranking.md#other-orders",),
        ),
    )
    rank: RankMode = _option(
        "words",
        Option(
            help="What relevance is: the lists of the sources and the words of the query (words), "
            "or the lists alone (positions).",
            kind="choice",
            choices=RANK_MODES,
            flags=("--rank",),
            parameters=("rank",),
            default="`words`",
            pages=("ranking.md",),
        ),
    )
    rerank: bool = _option(
        False,
        Option(
            help="Compare the meaning of the query with that of the first 100 hits, too; only "
            "relevance uses it.",
            request="`1`; the server must have the extra `rerank`.",
            command="Needs the extra `rerank`.",
            kind="flag",
            flags=("--rerank",),
            parameters=("rerank",),
            default="no",
            pages=("ranking.md",),
        ),
    )
    filter: FiltersLike = _option(
        None,
        Option(
            help="Show only works with these values, of those that were received: "
            "type:article,oa:yes.",
            command="May be repeated.",
            kind="filters",
            flags=("--filter",),
            metavar="NAME:VALUE,...",
            parameters=("filter",),
            default="none",
            pages=("facets.md",),
        ),
    )
    facets: str | tuple[str, ...] | None = _option(
        None,
        Option(
            help="Count the works by these facets: " + ", ".join(FACETS) + "; or all.",
            kind="facets",
            flags=("--facets",),
            metavar="NAME,...",
            parameters=("facets",),
            default="none",
            pages=("facets.md",),
        ),
    )
    facet_limit: int = _option(
        DEFAULT_VALUES,
        Option(
            help="Show N values of each facet; of years all are shown.",
            kind="number",
            least=1,
            most=MOST_VALUES,
            flags=("--facet-limit",),
            metavar="N",
            parameters=("facet_limit",),
            default=str(DEFAULT_VALUES),
            pages=("facets.md",),
        ),
    )
    timeout: float | None = _option(
        None,
        Option(
            help="Return the answer after so many seconds, without the sources that have not "
            "finished.",
            request="More than the server allows is cut to that.",
            kind="seconds",
            least=MIN_SECONDS,
            most=MAX_TIMEOUT,
            flags=("--timeout",),
            metavar="SECONDS",
            parameters=("timeout",),
        ),
    )
    wait: float | None = _option(
        None,
        Option(
            help="Return what is there after so many seconds, while the search continues until "
            "its timeout.",
            request="At most the timeout; streams ignore it; pages wait 1 s by default.",
            kind="seconds",
            least=MIN_SECONDS,
            most=MAX_TIMEOUT,
            flags=("--wait",),
            metavar="SECONDS",
            parameters=("wait",),
            pages=("waiting.md",),
        ),
    )
    per_source: int | None = _option(
        None,
        Option(
            help="Ask each source for N records, whatever the limit.",
            kind="records",
            least=1,
            most=MAX_PER_SOURCE,
            flags=("--per-source",),
            metavar="N",
            parameters=("per_source",),
        ),
    )
    versions: VersionsMode | None = _option(
        None,
        Option(
            help="Preprint and article of a work: one hit that lists both (group), a hit each "
            "(separate), or one hit without a difference (merge).",
            kind="choice",
            choices=VERSIONS_MODES,
            flags=("--versions",),
            parameters=("versions",),
        ),
    )
    dedup: str | None = _option(
        None,
        Option(
            help="Strategy that finds duplicates; `metasearch strategies` lists all.",
            kind="strategy",
            flags=("--dedup",),
            metavar="NAME",
            parameters=("dedup",),
            pages=("strategies.md",),
        ),
    )
    syntax: str = _option(
        "auto",
        Option(
            help="Syntax of the query; auto recognises it.",
            kind="choice",
            choices=CHOICES,
            flags=("--syntax",),
            parameters=("syntax",),
            default="`auto`",
            pages=("syntaxes.md",),
        ),
    )
    enrich: SourcesLike | None = _option(
        None,
        Option(
            help="Ask these sources (unpaywall), by DOI, where the hits of the answer can be "
            "read; none asks no source.",
            kind="names",
            most=MAX_ENRICHERS,
            flags=("--enrich",),
            metavar="NAME,...",
            parameters=("enrich",),
            pages=("enrich.md",),
        ),
    )
    cache: bool = _option(
        True,
        Option(
            help="Ask the sources even for pages that are in the cache, and for an answer of "
            "the last minute.",
            kind="flag",
            flags=("--no-cache",),
            default="the caches are used",
            pages=("cache.md",),
        ),
    )
    repeat: bool = _option(
        False,
        Option(
            help="The list will be asked for again, a few hits at a time: an answer of the last "
            "20 seconds is returned even if a source failed.",
            kind="flag",
            default="a source that failed is asked again",
            pages=("cache.md#whole-answers",),
        ),
    )
    user: Hashable = _option(
        None,
        Option(
            help="The person whose search this is, where several share the engine: a busy "
            "source is shared among users first, then among the searches of each.",
            kind="text",
            default="a user of its own",
            pages=("politeness.md#rates-and-turns",),
        ),
    )

    def __post_init__(self) -> None:
        for name in ("limit", "start"):
            OPTIONS[name].check(name, getattr(self, name))
        check("start and limit together", self.start + (self.limit or 0), 0, LAST_PLACE)
        for name in ("per_source", "timeout", "facet_limit"):
            OPTIONS[name].check(name, getattr(self, name))
        for name in ("sort", "rank"):
            if getattr(self, name) not in OPTIONS[name].choices:
                raise UsageError(
                    message(
                        "{name} must be one of {names}, is {value}",
                        name=name,
                        names=", ".join(OPTIONS[name].choices),
                        value=repr(getattr(self, name)),
                    )
                )
        parse_filters(self.filter)
        facet_names(self.facets)
        if self.versions not in (None, *VERSIONS_MODES):
            raise UsageError(
                message(
                    "{name} must be one of {names}, is {value}",
                    name="versions",
                    names=", ".join(VERSIONS_MODES),
                    value=repr(self.versions),
                )
            )


class SearchKeywords(TypedDict, total=False):
    """The same options as keyword arguments, for type checkers and editors; a test compares them
    with `SearchOptions`.
    """

    start: int
    limit: int | None
    sources: SourcesLike | None
    years: YearsLike | None
    sort: Sort
    rank: RankMode
    rerank: bool
    filter: FiltersLike
    facets: str | tuple[str, ...] | None
    facet_limit: int
    timeout: float | None
    wait: float | None
    per_source: int | None
    versions: VersionsMode | None
    dedup: str | None
    syntax: str
    enrich: SourcesLike | None
    cache: bool
    repeat: bool
    user: Hashable


#: Field of `SearchOptions` -> what is declared of it, in the order of the fields.
OPTIONS: Mapping[str, Option] = {
    declared.name: declared.metadata["option"] for declared in fields(SearchOptions)
}


def search_options(
    query: str | Query | SearchOptions, keywords: SearchKeywords | Mapping[str, Any]
) -> SearchOptions:
    """The options that a caller has given.

    Args:
        query: Text, a tree, or options that hold one.
        keywords: Fields of `SearchOptions`; they replace those of `query`.

    Raises:
        UsageError: A value is outside its limits.
        TypeError: There is no such option.
    """
    if isinstance(query, SearchOptions):
        return replace(query, **keywords) if keywords else query
    return SearchOptions(query=query, **keywords)


def check(name: str, value: float | None, least: float, most: float) -> None:
    """Raise a UsageError unless a number is from `least` to `most`; None is always allowed."""
    if value is not None and not least <= value <= most:
        raise UsageError(
            message(
                "{name} must be between {least} and {most}, is {value}",
                name=name,
                least=f"{least:g}",
                most=f"{most:g}",
                value=f"{value:g}",
            )
        )
