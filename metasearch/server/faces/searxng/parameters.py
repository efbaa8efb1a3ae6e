"""What a client of SearXNG asks for, as the parameters of a search.

Parameters that are empty or unknown here are ignored, as SearXNG ignores them. A value that
cannot be is refused in SearXNG's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from multidict import MultiDict, MultiMapping

from metasearch.engine.options import LAST_PLACE, MIN_SECONDS
from metasearch.formats.text import line
from metasearch.server.options import Options
from metasearch.server.parameter_reader import DECIMAL, names
from metasearch.server.parameters import Parameters, read
from metasearch.server.problem import Problem

if TYPE_CHECKING:
    from metasearch.adapters.specs.registry import Registry

#: Hits of one page; SearXNG has no parameter for it.
PAGE = 20
#: Categories that clients send by default, and for which the default sources are asked.
EVERYTHING = ("general", "science", "scientific publications")
#: Groups of sources that are no categories.
NO_CATEGORIES = frozenset({"all", "default", "general"})
#: SearXNG's names of engines that are called otherwise here, squeezed.
_ENGINES = {
    "astrophysicsdatasystem": "nasa-ads",
    "coreacuk": "core",
    "openairedatasets": "openaire",
    "openairepublications": "openaire",
    "springernature": "springer",
}
#: Unknown engines that an answer names, and characters of each value in an error.
_MOST_UNKNOWN, _LONGEST = 20, 40
_RANGES = {"day": 1, "week": 7, "month": 31, "year": 366}
_NOTHING = ("", "None")
_language = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,4}){0,2}|auto", re.ASCII)
_whole = re.compile(r"[0-9]{1,9}", re.ASCII)
_bang = re.compile(r"(?<!\S)!([\w.-]{1,40})(?!\S)")
_not_alphanumeric = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request of a client of SearXNG.

    Attributes:
        search: The search; its `start` and `limit` are those of the page.
        unknown_engines: Names of engines that are no sources here, a few of them.
        notes: What the client is told of its own parameters, a sentence each.
    """

    search: Parameters
    unknown_engines: tuple[str, ...]
    notes: tuple[str, ...]


def form_of(given: MultiMapping[str]) -> str:
    """What `format` names: "json", "csv", "rss", or "html" for anything else, as in SearXNG."""
    named = given.get("format", "")
    return named if named in ("json", "csv", "rss") else "html"


def wanted(
    given: MultiMapping[str], options: Options, registry: Registry, today: date | None = None
) -> Wanted:
    """What a request asks for. `today`: `time_range` counts from it; None is today in UTC."""
    query, banged = _without_bangs(given.get("q", ""), registry)
    if not query.strip():
        raise Problem(400, None, "No query")
    if _value(given, "safesearch") not in (*_NOTHING, "0", "1", "2"):
        raise _invalid(given, "safesearch")
    if (language := _value(given, "language")) and not _language.fullmatch(language):
        raise _invalid(given, "language")
    sources, unknown = _sources(
        (*(names(given, "engines") or ()), *banged), names(given, "categories") or (), registry
    )
    count = min(PAGE, options.max_records)
    ours = MultiDict({"q": query, "count": str(count), "start": str(_start(given, count))})
    if sources:
        ours["sources"] = ",".join(sources)
    notes: tuple[str, ...] = ()
    if (first_year := _first_year(given, today)) is not None:
        ours["year"] = f"{first_year}-"
        notes = (f"time_range is applied in whole years: works of {first_year} and later",)
    if (seconds := _value(given, "timeout_limit")) not in _NOTHING:
        if not DECIMAL.fullmatch(seconds) or float(seconds) < MIN_SECONDS:
            raise _invalid(given, "timeout_limit")
        ours["timeout"] = seconds
    return Wanted(read(ours, options), unknown[:_MOST_UNKNOWN], notes)


def _value(given: MultiMapping[str], name: str) -> str:
    return given.get(name, "").strip()


def _invalid(given: MultiMapping[str], name: str) -> Problem:
    value = line(given.get(name, ""))[:_LONGEST]
    return Problem(400, None, f"Invalid value {value} for parameter {name}")


def _start(given: MultiMapping[str], count: int) -> int:
    """Hits before the page."""
    page = _value(given, "pageno") or "1"
    if not _whole.fullmatch(page) or not 1 <= int(page) <= LAST_PLACE // count:
        raise _invalid(given, "pageno")
    return (int(page) - 1) * count


def _first_year(given: MultiMapping[str], today: date | None) -> int | None:
    """The year in which the range of time begins: most sources know no more than years."""
    named = _value(given, "time_range")
    if named in _NOTHING:
        return None
    if named not in _RANGES:
        raise _invalid(given, "time_range")
    now = today or datetime.now(UTC).date()
    return (now - timedelta(days=_RANGES[named])).year


def _without_bangs(query: str, registry: Registry) -> tuple[str, tuple[str, ...]]:
    """The query without the words ("!crossref") that name an engine; and those engines."""
    known = _squeezed_names(registry)
    banged: list[str] = []

    def named(match: re.Match[str]) -> str:
        source = known.get(_squeezed(match[1]))
        if source is None:
            return match[0]
        banged.append(source)
        return ""

    return (_bang.sub(named, query) if "!" in query else query), tuple(banged)


def _sources(
    engines: Iterable[str], categories: Iterable[str], registry: Registry
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sources to ask, none for the default ones, and the engines that are no sources.

    As in SearXNG, engines and categories add up, unknown categories are ignored, and a request
    without any that is known asks what is asked by default.
    """
    known = _squeezed_names(registry)
    chosen: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for engine in engines:
        source = known.get(_squeezed(engine[:_LONGEST]))
        if source is None:
            unknown[line(engine)[:_LONGEST]] = None
        else:
            chosen[source] = None
    groups = set(registry.groups) - NO_CATEGORIES
    for category in categories:
        if category in EVERYTHING:
            chosen |= dict.fromkeys(registry.default())
        elif category in groups:
            chosen[category] = None
    return tuple(chosen), tuple(unknown)


def _squeezed_names(registry: Registry) -> dict[str, str]:
    """Name of an engine, squeezed -> name of the source."""
    sources = registry.names()
    ours = {_squeezed(name): name for name in sources}
    return {other: name for other, name in _ENGINES.items() if name in sources} | ours


def _squeezed(name: str) -> str:
    """ "Semantic Scholar" as "semanticscholar"."""
    return _not_alphanumeric.sub("", name.lower())
