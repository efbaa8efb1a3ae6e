"""What a client asked for: the parameters of a search, each read by its kind, and checked as a
whole before anything is started.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from multidict import MultiMapping

from metasearch.adapters.specs.specfile import is_path
from metasearch.dedup import STRATEGIES
from metasearch.engine.facets import facet_names, parse_filters
from metasearch.engine.options import LAST_PLACE, OPTIONS, Option, SearchOptions
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.formats.citations import DEFAULT_STYLE, STYLES
from metasearch.formats.text import line
from metasearch.message import Message, message, message_n
from metasearch.query import Years, parse_years
from metasearch.server.limits import Options
from metasearch.server.problem import Problem

# Unknown parameters: those that have a known meaning in other programs are refused, with the right
# one named. A client that sends `page=2` or `order=date` would take the first page by relevance for
# the one that it requested. Other parameters (`utm_source`, a time stamp against caches) are
# ignored, and named in the notes of the answer.

_START = message(
    "is no parameter here; start=N skips N hits, so the second page of 20 is start=20&count=20"
)
_COUNT = message("is no parameter here; count=N returns at most N hits")
_ORDER = message(
    "is no parameter here; sort=date (or -date, title, citations, first-seen) orders the list"
)
_FACETS = message(
    "is no parameter here; facets=NAME,... counts the works by year, type, source and others"
)
_FILTER = message("is no parameter here; filter=NAME:VALUE,... shows the works with these values")
_YEARS = message("is no parameter here; year=2019-2024 (or 2019-, -2024) limits the years")
_SOURCES = message("is no parameter here; sources=NAME,... says which databases are asked")
#: Name in small letters, without "_" and "-" -> why it is refused.
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(
        ("page", "pageno", "pagenumber", "pagenum", "startpage", "offset", "skip", "cursor"), _START
    ),
    **dict.fromkeys(
        ("startindex", "startrecord", "retstart", "firstrecord", "pageindex", "currentpage"), _START
    ),
    **dict.fromkeys(
        ("rows", "size", "limit", "perpage", "pagesize", "pagelength", "num", "hits"), _COUNT
    ),
    **dict.fromkeys(
        ("maxresults", "maximumrecords", "retmax", "resultsperpage", "hitsperpage", "top"), _COUNT
    ),
    **dict.fromkeys(("sortby", "sortorder", "sortkeys", "order", "orderby"), _ORDER),
    **dict.fromkeys(("facet", "facetfield", "facetfields", "facetby"), _FACETS),
    **dict.fromkeys(("filters", "filterby", "filterquery", "fq"), _FILTER),
    **dict.fromkeys(
        ("years", "fromyear", "toyear", "yearfrom", "yearto", "since", "until"), _YEARS
    ),
    **dict.fromkeys(("daterange", "timerange", "mindate", "maxdate", "publicationyear"), _YEARS),
    **dict.fromkeys(("source", "database", "databases", "engine", "engines"), _SOURCES),
}
#: Names that a note contains, and characters of each.
_NAMED, _LONGEST = 5, 40


def refusal_of(name: str) -> str | None:
    """Why a parameter of this name is refused, and which one to use; None if it is harmless."""
    return (
        _REASONS.get(name.replace("_", "").replace("-", "").lower())
        if len(name) <= _LONGEST
        else None
    )


def more_records(names: Sequence[str]) -> Message:
    """The note that names the sources which have more records, and how programs get them."""
    return message(
        "more records than were requested in {names}: per_source=N requests N of each source",
        names=", ".join(names),
    )


def not_used(names: Iterable[str]) -> str:
    """The note that names the ignored parameters."""
    shown: list[str] = [
        repr(text if len(text := line(name)) <= _LONGEST else text[: _LONGEST - 1] + "…")
        for name in names
    ]
    named: str = ", ".join(shown[:_NAMED])
    if len(shown) > _NAMED:
        named = message("{words} and {number} more", words=named, number=len(shown) - _NAMED)
    return message_n(
        "{names} is no parameter of a search and changed nothing",
        "{names} are no parameters of a search and changed nothing",
        len(shown),
        names=named,
    )


_whole = re.compile(r"[0-9]{1,9}", re.ASCII)
#: Seconds; programs write up to twenty decimals of a number.
DECIMAL = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20})?", re.ASCII)
_Value = TypeVar("_Value")


@dataclass(slots=True)
class ParameterReader:
    """Reads one parameter after the other and gathers what is wrong with them."""

    given: MultiMapping[str]
    options: Options
    errors: list[dict[str, str]] = field(default_factory=list)

    def option(self, option: Option) -> Any:
        """The value of an option of the search; None where it is not given, or wrong."""
        match option.kind:
            case "names":
                return self.names(option)
            case "records":
                most = min(option.most, self.options.max_records)
                return self.value(_number(option.least, most), option)
            case "number":
                return self.value(_number(option.least, option.most), option)
            case "seconds":
                return self.value(_seconds(option.least), option)
            case "years":
                return self.value(_years, option)
            case "choice":
                return self.value(one_of(option.choices), option)
            case "strategy":
                return self.value(one_of(STRATEGIES), option)
            case "filters":
                return self.listed(_filters, option)
            case "facets":
                return self.listed(_facets, option)
            case "flag":
                return self.value(yes_or_no, option)
            case _:
                return self.value(self._text, option)

    def value(self, convert: Callable[[str], _Value], option: Option) -> _Value | None:
        """The parameter's value as `convert` reads it; what `convert` refuses is noted as wrong."""
        return self.convert_value(convert, *option.parameters)

    def convert_value(self, convert: Callable[[str], _Value], *names: str) -> _Value | None:
        """The same by the names of the parameter, which may be given once, under one of them; None
        where it is absent or empty.
        """
        given = [(name, value.strip()) for name in names for value in self.given.getall(name, [])]
        if len(given) > 1:
            self.wrong(
                given[-1][0], message("given {number} times; name it once", number=len(given))
            )
            return None
        if not given or not given[0][1]:
            return None
        try:
            return convert(given[0][1])
        except ValueError as exc:
            self.wrong(given[0][0], exc.args[0])  # str() of it would be no message
            return None

    def names(self, option: Option) -> tuple[str, ...] | None:
        """Names of sources, not too many, and none of them a path."""
        (parameter,) = option.parameters
        listed = names(self.given, parameter)
        most = min(int(option.most), self.options.max_sources)
        if listed and len(listed) > most:
            self.wrong(
                parameter,
                message(
                    "names {number} sources; at most {most} are allowed",
                    number=len(listed),
                    most=most,
                ),
            )
        path = next((name for name in listed or () if is_path(name)), None)
        if path is not None:
            self.wrong(
                parameter,
                message(
                    "{given} is a path; a source is named by its name, as /sources lists them",
                    given=_quote(path),
                ),
            )
        return listed

    def listed(self, convert: Callable[[list[str]], str], option: Option) -> str | None:
        """A parameter that may be repeated, as the tick boxes of a form repeat it."""
        (name,) = option.parameters
        values = [value.strip() for value in self.given.getall(name, []) if value.strip()]
        if option.kind == "filters" and (span := self._span()):
            values.append(span)
        try:
            return convert(values) or None
        except UsageError as exc:
            self.wrong(name, str(exc))
            return None

    def _span(self) -> str:
        """The filter of the years of a page's form, whose ends are two fields; "" for none."""
        ends = [self.convert_value(_year_number, name) for name in ("from", "to")]
        if ends == [None, None]:
            return ""
        first, last = ("" if end is None else str(end) for end in ends)
        return f"year:{first}" if first == last else f"year:{first}-{last}"

    def wrong(self, parameter: str, reason: str) -> None:
        self.errors.append({"parameter": parameter, "reason": reason})

    def _text(self, text: str) -> str:
        most = self.options.max_query
        if len(text) > most:
            raise ValueError(
                message(
                    "has {number} characters; at most {most} are allowed",
                    number=f"{len(text):,}",
                    most=f"{most:,}",
                )
            )
        return text


def names(given: MultiMapping[str], parameter: str) -> tuple[str, ...] | None:
    """A parameter that is a list: with commas, or repeated as tick boxes repeat it."""
    listed = [name.strip() for value in given.getall(parameter, []) for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, listed))) or None


def _filters(values: list[str]) -> str:
    return str(parse_filters(tuple(values)))


def _facets(values: list[str]) -> str:
    return ",".join(facet_names(",".join(values)))


def _years(text: str) -> Years:
    try:
        return parse_years(text)
    except QuerySyntaxError as exc:
        quoted = _quote(text)
        reason = (
            message(
                "{given}: {reason}; did you mean {suggestion}?",
                given=quoted,
                reason=exc.reason,
                suggestion=exc.suggestion,
            )
            if exc.suggestion
            else message("{given}: {reason}", given=quoted, reason=exc.reason)
        )
        raise ValueError(reason) from exc


def _year_number(text: str) -> int:
    if not _whole.fullmatch(text) or len(text) > 4:
        raise ValueError(message("{given} is not a year", given=_quote(text)))
    return int(text)


def _number(least: float, most: float) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not _whole.fullmatch(text) or not least <= int(text) <= most:
            raise ValueError(
                message(
                    "{given} is not a whole number from {least} to {most}",
                    given=_quote(text),
                    least=f"{least:.0f}",
                    most=f"{most:.0f}",
                )
            )
        return int(text)

    return number


def _seconds(least: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        seconds = float(text) if DECIMAL.fullmatch(text) else math.nan
        if not seconds > 0:
            raise ValueError(
                message("{given} is not a positive number of seconds", given=_quote(text))
            )
        if seconds < least:
            raise ValueError(
                message(
                    "{given} is less than {least} seconds",
                    given=_quote(text),
                    least=f"{least:g}",
                )
            )
        return seconds

    return number


def one_of(words: Iterable[str]) -> Callable[[str], str]:
    def word(text: str) -> str:
        if text not in words:
            raise ValueError(
                message("{given} is none of {names}", given=_quote(text), names=", ".join(words))
            )
        return text

    return word


def yes_or_no(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(message("{given} is neither 1 nor 0", given=_quote(text)))
    return text == "1"


def _quote(text: str) -> str:
    shown = line(text)
    return repr(shown if len(shown) <= 40 else shown[:39] + "…")


# What a client asked for: the query string of a search, checked as a whole before anything is
# started. Names, kinds and limits are those that `engine.options` declares; the server's own limits
# are in `server.options`.

#: Parameters of the pages: language and theme, the two ends of the years in their facets, the
#: worker that began a search, and the cards that the page has.
PAGE = ("lang", "theme", "from", "to", "worker", "seen")

#: Options of a search that a request may have.
ASKED = {name: option for name, option in OPTIONS.items() if option.parameters}
#: How an answer is written.
OUTPUT = {
    "bom": Option(
        help="`1`: CSV begins with a byte order mark, without which Excel takes it for its own "
        "code page.",
        kind="flag",
        default="0",
    ),
    "provenance": Option(
        help="`1`: RIS says in `N1` which source gave which field; Zotero makes a note of it "
        "beside each record.",
        kind="flag",
        default="0",
    ),
    "style": Option(
        help="The style of `format=citations`.",
        kind="choice",
        choices=tuple(STYLES),
        default=f"`{DEFAULT_STYLE}`",
    ),
}
#: All parameters of a search; `format` is read elsewhere.
KNOWN = frozenset(
    {"format", *PAGE, *OUTPUT, *(name for option in ASKED.values() for name in option.parameters)}
)
_DEFAULTS = {declared.name: declared.default for declared in fields(SearchOptions)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(SearchOptions):
    """A search request, read and checked: the options of the search, and how its answer is written.

    `timeout` is already cut to what the server allows; `sources` and `enrich` have each name once.

    Attributes:
        query: As typed, without blanks at its ends; "" where there is none.
        year: The years as typed, for the form of the result page.
        bom: CSV begins with a byte order mark.
        provenance: RIS says in N1 which source gave which field.
        unknown: Names of parameters that are given and mean nothing here, each once.
    """

    query: str = ""
    sources: tuple[str, ...] | None = None
    enrich: tuple[str, ...] | None = None
    year: str = ""
    bom: bool = False
    provenance: bool = False
    style: str = DEFAULT_STYLE
    unknown: tuple[str, ...] = ()

    def pairs(self, start: int | None = None) -> dict[str, str | int]:
        """The parameters as they were given, for links to the same search. `start`: where the
        linked page starts; None takes that of this one.
        """
        given: dict[str, str | int] = {}
        for name, option in ASKED.items():
            value = getattr(self, name)
            if name == "start" and start is not None:
                value = start
            if value != _DEFAULTS[name]:
                given[option.parameters[0]] = self.year if name == "years" else _as_parameter(value)
        given |= {"bom": int(self.bom), "provenance": int(self.provenance)}
        if self.style != DEFAULT_STYLE:
            given["style"] = self.style
        return {name: value for name, value in given.items() if value}


def _as_parameter(value: Any) -> str | int:
    match value:
        case tuple():
            return ",".join(value)
        case float():
            return f"{value:g}"
        case bool():
            return int(value)
        case int():
            return value
        case _:
            return str(value)


def read(given: MultiMapping[str], options: Options) -> Parameters:
    """The parameters of a search; empty ones are passed over. Raises Problem: 400, with every
    parameter that is repeated, out of range, or another program's and misleading here.
    """
    reader = ParameterReader(given, options)
    named = (name for name, value in given.items() if name not in KNOWN and value.strip())
    unknown = tuple(dict.fromkeys(named))
    for name in unknown:
        if (reason := refusal_of(name)) is not None:
            reader.wrong(name, reason)
    values = {name: reader.option(option) for name, option in ASKED.items()}
    values |= {
        name: reader.convert_value(one_of(option.choices) if option.choices else yes_or_no, name)
        for name, option in OUTPUT.items()
    }
    if (values["start"] or 0) + (values["limit"] or 0) > LAST_PLACE:
        reader.wrong(
            "start",
            message(
                "with count it goes beyond the {last_place}th hit, where a list ends",
                last_place=f"{LAST_PLACE:,}",
            ),
        )
    if reader.errors:
        raise Problem.bad_parameters(reader.errors)
    if values["timeout"] is not None:
        values["timeout"] = min(values["timeout"], options.max_timeout)
    if values["years"] is not None:
        values["year"] = given["year"].strip()
    present = {name: value for name, value in values.items() if value is not None}
    return Parameters(**present, unknown=unknown)
