"""What a client asked for: the query string of a search, checked as a whole before anything is
started.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from multidict import MultiMapping

from metasearch.adapters.specs.ownspecs import is_path
from metasearch.dedup import STRATEGIES
from metasearch.engine.options import LAST_PLACE
from metasearch.errors import QuerySyntaxError
from metasearch.formats.text import line
from metasearch.query import CHOICES, Years, parse_years
from metasearch.record import VERSIONS_MODES, VersionsMode
from metasearch.server.foreign import refused
from metasearch.server.options import Options
from metasearch.server.problem import Problem

_whole = re.compile(r"[0-9]{1,9}", re.ASCII)
_decimal = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", re.ASCII)
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Parameters:
    """A search request, read and checked.

    Attributes:
        query: As typed, without blanks at its ends; "" where there is none.
        start: Places of the list before the first hit.
        limit: How many hits; None for all.
        sources: Names as given, each once; None for the usual ones.
        year: The years as typed, for the form of the result page.
        timeout: Seconds, already cut to what the server allows; None for its default.
        wait: Seconds until what is there is given; None for the server's default.
        per_source: Records asked from each source; None for its default.
        versions: What becomes of the versions of a work; None for its default.
        dedup: Name of the strategy that finds duplicates; None for its default.
        syntax: That the query is in; None for what its marks say.
        enrich: Names of those to ask for the works of the answer, each once; None for its default.
        bom: CSV begins with a byte order mark.
        provenance: RIS says in N1 which source gave which field.
        unknown: Names of parameters that are given and mean nothing here, each once.
    """

    query: str = ""
    start: int = 0
    limit: int | None = None
    sources: tuple[str, ...] | None = None
    years: Years | None = None
    year: str = ""
    timeout: float | None = None
    wait: float | None = None
    per_source: int | None = None
    versions: VersionsMode | None = None
    dedup: str | None = None
    syntax: str | None = None
    enrich: tuple[str, ...] | None = None
    bom: bool = False
    provenance: bool = False
    unknown: tuple[str, ...] = ()


#: All that a search takes; `format` is read elsewhere.
KNOWN = frozenset(
    "q format start count n sources year timeout wait per_source versions dedup syntax enrich bom "
    "provenance".split()
)


@dataclass(slots=True)
class _Reader:
    """Reads one parameter after the other and gathers what is wrong with them."""

    given: MultiMapping[str]
    errors: list[dict[str, str]] = field(default_factory=list)

    def one(self, *names: str) -> tuple[str, str] | None:
        """(name, value) of a parameter that may be given once, under one of its names; None where
        absent or empty.
        """
        found = [(name, value.strip()) for name in names for value in self.given.getall(name, [])]
        if len(found) > 1:
            self.wrong(found[-1][0], f"given {len(found)} times; give it once")
            return None
        return found[0] if found and found[0][1] else None

    def value(self, convert: Callable[[str], _Value], *names: str) -> _Value | None:
        """The parameter's value as `convert` reads it; what `convert` refuses is noted as wrong."""
        found = self.one(*names)
        if found is None:
            return None
        try:
            return convert(found[1])
        except ValueError as exc:
            self.wrong(found[0], str(exc))
            return None

    def wrong(self, parameter: str, reason: str) -> None:
        self.errors.append({"parameter": parameter, "reason": reason})


def read(given: MultiMapping[str], options: Options) -> Parameters:
    """The parameters of a search; empty ones are passed over.

    Raises:
        Problem: 400, with every parameter that is repeated, out of range, or another program's and
            misleading here.
    """
    reader = _Reader(given)
    unknown = tuple(
        dict.fromkeys(name for name, value in given.items() if name not in KNOWN and value.strip())
    )
    for name in unknown:
        if (reason := refused(name)) is not None:
            reader.wrong(name, reason)

    def records(text: str) -> int:
        return _count(text, options.max_records)

    query = reader.one("q")
    if query and len(query[1]) > options.max_query:
        reader.wrong(
            "q", f"has {len(query[1]):,} characters; at most {options.max_query:,} are allowed"
        )
    year = reader.one("year")
    sources = names(given, "sources")
    if sources and len(sources) > options.max_sources:
        reader.wrong(
            "sources", f"names {len(sources)} sources; at most {options.max_sources} are allowed"
        )
    for parameter in ("sources", "enrich"):
        for name in filter(is_path, names(given, parameter) or ()):
            reader.wrong(
                parameter,
                f"{_quoted(name)} is a path; a source is named by its name, as /sources lists them",
            )
            break
    timeout = reader.value(_seconds, "timeout")
    start, limit = reader.value(_start, "start") or 0, reader.value(records, "count", "n")
    if start + (limit or 0) > LAST_PLACE:
        reader.wrong(
            "start", f"with count it goes beyond the {LAST_PLACE:,}th hit, where a list ends"
        )
    parameters = Parameters(
        query=query[1] if query else "",
        start=start,
        limit=limit,
        sources=sources,
        years=reader.value(_years_range, "year") if year else None,
        year=year[1] if year else "",
        timeout=min(timeout, options.max_timeout) if timeout is not None else None,
        wait=reader.value(_seconds, "wait"),
        per_source=reader.value(records, "per_source"),
        versions=reader.value(_versions, "versions"),
        dedup=reader.value(_strategy, "dedup"),
        syntax=reader.value(_syntax, "syntax"),
        enrich=names(given, "enrich"),
        bom=reader.value(_yes, "bom") or False,
        provenance=reader.value(_yes, "provenance") or False,
        unknown=unknown,
    )
    if reader.errors:
        raise Problem.bad_parameters(reader.errors)
    return parameters


def names(given: MultiMapping[str], parameter: str) -> tuple[str, ...] | None:
    """A parameter that is a list: with commas, or repeated as the tick boxes of a form repeat
    it.
    """
    found = [name.strip() for value in given.getall(parameter, []) for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, found))) or None


def _years_range(text: str) -> Years:
    try:
        return parse_years(text)
    except QuerySyntaxError as exc:
        meant = f"; did you mean {exc.suggestion}?" if exc.suggestion else ""
        raise ValueError(f"{_quoted(text)}: {exc.reason}{meant}") from exc


def _count(text: str, most: int) -> int:
    if not _whole.fullmatch(text) or not 1 <= int(text) <= most:
        raise ValueError(f"{_quoted(text)} is not a whole number from 1 to {most}")
    return int(text)


def _start(text: str) -> int:
    if not _whole.fullmatch(text) or int(text) >= LAST_PLACE:
        raise ValueError(f"{_quoted(text)} is not a whole number from 0 to {LAST_PLACE - 1}")
    return int(text)


def _seconds(text: str) -> float:
    seconds = float(text) if _decimal.fullmatch(text) else math.nan
    if not seconds > 0:
        raise ValueError(f"{_quoted(text)} is not a positive number of seconds")
    return seconds


def _yes(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(f"{_quoted(text)} is neither 1 nor 0")
    return text == "1"


def _versions(text: str) -> VersionsMode:
    for mode in VERSIONS_MODES:
        if text == mode:
            return mode
    raise ValueError(f"{_quoted(text)} is none of {', '.join(VERSIONS_MODES)}")


def _strategy(text: str) -> str:
    if text in STRATEGIES:
        return text
    raise ValueError(f"{_quoted(text)} is none of {', '.join(STRATEGIES)}")


def _syntax(text: str) -> str:
    if text in CHOICES:
        return text
    raise ValueError(f"{_quoted(text)} is none of {', '.join(CHOICES)}")


def _quoted(text: str) -> str:
    shown = line(text)
    return repr(shown if len(shown) <= 40 else shown[:39] + "…")
